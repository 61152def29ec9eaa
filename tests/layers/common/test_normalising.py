"""Layers compute the same whatever the order in memory of bottoms and top diffs, above all where axes have length 1."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from caffepy.layers.common.normalising import usual_order
from caffepy.layers.core.base import TEST, TRAIN, Run
from caffepy.layers.core.random import CaffeRandom
from tests.layers.check import Subject, subject

FILLERS = 'weight_filler { type: "gaussian" std: 1 } bias_filler { type: "gaussian" std: 1 }'
FILLER = 'filler { type: "gaussian" std: 1 }'
LAYERS = [
    *(
        ("BatchNorm", f"batch_norm_param {{ use_global_stats: {fixed} {more} }}")
        for fixed in ("true", "false")
        for more in ("", "scale_bias: true")
    ),
    ("BN", ""),
    ("BN", "bn_param { frozen: true }"),
    ("BN", "bn_param { bn_mode: LEARN }"),
    *((name, "") for name in ("AbsVal", "BNLL", "ELU", "LRN", "MVN", "Normalize", "ReLU", "ReLU6", "Sigmoid", "Softmax", "Swish", "TanH")),
    ("LRN", "lrn_param { local_size: 3 norm_region: WITHIN_CHANNEL }"),
    ("PReLU", f"prelu_param {{ {FILLER} }}"),
    ("Power", "power_param { power: 2 shift: 1 }"),
    ("Scale", f"scale_param {{ bias_term: true {FILLER} }}"),
    *(("Convolution", f"convolution_param {{ num_output: {n} kernel_size: 3 pad: 1 {FILLERS} }}") for n in (3, 20)),
    *(("Convolution", f"convolution_param {{ num_output: 3 kernel_size: 1 {more} {FILLERS} }}") for more in ("", "stride: 2")),
    *(("Deconvolution", f"convolution_param {{ num_output: 3 kernel_size: {n} stride: {n} {FILLERS} }}") for n in (1, 2)),
    ("ConvolutionDepthwise", f"convolution_param {{ num_output: 1 kernel_size: 3 pad: 1 {FILLERS} }}"),
    *(("Pooling", f"pooling_param {{ pool: {kind} kernel_size: 2 pad: 1 }}") for kind in ("MAX", "AVE")),
    *(("Pooling", f"pooling_param {{ pool: {kind} global_pooling: true }}") for kind in ("MAX", "AVE")),
    ("Im2col", "convolution_param { kernel_size: 2 pad: 1 }"),
    ("Interp", "interp_param { height: 7 width: 6 }"),
    ("InnerProduct", f"inner_product_param {{ num_output: 3 {FILLERS} }}"),
    ("Reduction", "reduction_param { operation: SUMSQ axis: 1 }"),
    ("Tile", "tile_param { tiles: 2 }"),
]
SHAPES = [(1, 3, 4, 5), (2, 3, 1, 5), (2, 16, 3, 1), (1, 1, 4, 5), (2, 3, 4, 5), (1, 8, 1, 1)]
ORDERS = [(0, 1, 2, 3), (0, 2, 3, 1), (2, 0, 3, 1), (2, 3, 1, 0), (3, 2, 0, 1), (1, 0, 2, 3), (0, 3, 2, 1)]
"""Axes from the outermost in memory to the innermost."""


def in_order(x: Tensor, order: Sequence[int]) -> Tensor:
    """``x``, its axes in this order in memory."""
    return x.permute(*order).contiguous().permute(*(order.index(axis) for axis in range(x.dim())))


def computed(it: Subject, x: Tensor, top_diff: Tensor) -> list[Tensor]:
    """The top, and the gradients of bottom and blobs."""
    torch.manual_seed(3)
    x = x.detach().requires_grad_()
    blobs = [blob.requires_grad_(wanted) for blob, wanted in zip(it.blobs(), it.node.param_gradients)]
    top = it.layer.prepared([tuple(x.shape)])([x], blobs, Run(it.graph.phase, CaffeRandom(5)))[0]
    found = torch.autograd.grad(
        top, [x, *(blob for blob in blobs if blob.requires_grad)], top_diff, materialize_grads=True, allow_unused=True
    )
    return [t.detach().contiguous() for t in (top, *found)]


@pytest.mark.parametrize("phase", [TRAIN, TEST])
@pytest.mark.parametrize(("kind", "fields"), LAYERS)
def test_any_order_in_memory(kind: str, fields: str, phase: int) -> None:
    for shape in SHAPES:
        it = subject(f'layer {{ name: "l" type: "{kind}" bottom: "x" top: "y" {fields} }}', phase=phase, x=shape)
        (x,), generator = it.bottoms(), torch.Generator().manual_seed(9)
        top_diff = torch.randn(it.graph.values[it.node.tops[0]].shape, generator=generator)
        wanted = computed(it, x, top_diff)
        given = [(in_order(x, order), top_diff) for order in ORDERS]
        if top_diff.dim() == 4:
            given += [(in_order(x, ORDERS[i % 3]), in_order(top_diff, order)) for i, order in enumerate(ORDERS)]
        for ours in given:
            for found, other in zip(computed(it, *ours), wanted, strict=True):
                scale = max(1.0, float(other.abs().max()))
                torch.testing.assert_close(found / scale, other / scale, rtol=1e-4, atol=1e-5, equal_nan=True)


def test_only_odd_strides_are_copied() -> None:
    x = torch.randn(1, 3, 4, 5)
    for usual in (x, x.contiguous(memory_format=torch.channels_last), in_order(x, (1, 0, 2, 3)), x[:, 1:], torch.randn(2, 3, 4, 5)):
        assert usual_order(usual) is usual
    odd = in_order(x, (2, 0, 3, 1))
    assert torch.equal(usual_order(odd), odd)
    assert usual_order(odd).stride() == x.contiguous(memory_format=torch.channels_last).stride() != odd.stride()
