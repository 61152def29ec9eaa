"""Convolution3D."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from caffepy.proto import wire
from caffepy.proto.text import read_net
from caffepy.proto.upgrade import upgrade_net
from caffepy.proto.weights import read_net_binary, write_net_message
from tests.golden.engines import ENGINES, message_for
from tests.layers.check import TEST, check_layer, refusal

FIELDS = 'num_output: 4 kernel_size: 3 kernel_depth: 2 weight_filler { type: "xavier" } bias_filler { type: "gaussian" }'


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "Convolution3D" bottom: "x" top: "y" convolution3d_param {{ {FIELDS} {fields} }} }}'


@pytest.mark.parametrize(
    ("fields", "stride", "pad"),
    [("", 1, 0), ("stride: 2 pad: 1 filter_group: 2", (1, 2, 2), (0, 1, 1)), ("temporal_stride: 2 temporal_pad: 1", (2, 1, 1), (1, 0, 0))],
)
def test_layer(fields: str, stride: int, pad: int) -> None:
    it = check_layer(layer(fields), x=(2, 3, 5, 6, 4))
    weight, bias = it.blobs()
    assert (weight.shape, bias.shape) == ((4, 3, 2, 3, 3), (1, 1, 1, 1, 4))
    torch.testing.assert_close(it.forward()[0], F.conv3d(it.bottoms()[0], weight, bias.flatten(), stride, pad))
    assert torch.equal(it.forward()[0], it.prepared()[0])


def test_without_bias() -> None:
    assert len(check_layer(layer("bias_term: false"), x=(1, 2, 2, 3, 3)).layer.blobs) == 1


def test_refusals() -> None:
    assert "bottom has 4 axes; needed: 5" in refusal(layer(), x=(2, 3, 5, 6))
    assert "kernel_size is 0" in refusal(layer().replace("kernel_depth: 2", ""), x=(2, 3, 5, 6, 4))
    assert "filter_group is 3 and num_output 4" in refusal(layer("filter_group: 3"), x=(2, 3, 5, 6, 4))


NET = """input: "data" input_dim: 2 input_dim: 3 input_dim: 4 input_dim: 6 input_dim: 6
layers { name: "c" type: CONVOLUTION3D bottom: "data" top: "c"
  convolution_param { num_output: 2 kernel_size: 3 kernel_depth: 2 pad: 1 temporal_pad: 1 temporal_stride: 2 } }
layers { name: "r" type: RELU bottom: "c" top: "c" }
layers { name: "p" type: POOLING3D bottom: "c" top: "p" pooling_param { kernel_size: 2 kernel_depth: 3 stride: 2 temporal_stride: 3 } }
layers { name: "ip" type: INNER_PRODUCT bottom: "p" top: "ip" inner_product_param { num_output: 5 } }
"""
SHAPES = {"c": [(2, 3, 2, 3, 3), (1, 1, 1, 1, 2)], "ip": [(1, 1, 1, 5, 18), (1, 1, 1, 1, 5)]}
NUMBERS = {"c": 30, "ip": 14}
"""Of layer types, in C3D v1.0; BVLC Caffe has ARGMAX at 30."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("upgraded", [False, True])
def test_a_net_and_weights_of_c3d_1(engine: str, upgraded: bool, tmp_path: Path) -> None:
    values = {name: [torch.randn(shape) for shape in shapes] for name, shapes in SHAPES.items()}
    whole = wire.Chunks()
    for name, tensors in values.items():
        one = wire.Chunks()
        one.add_bytes(4, name.encode())
        one.add_varint(5, NUMBERS[name])
        for tensor in tensors:
            blob = wire.Chunks()
            for number, size in enumerate(tensor.shape, 1):
                blob.add_varint(number, size)
            blob.add_bytes(6, tensor.numpy().tobytes())
            one.add_message(6, blob)
        whole.add_message(2, one)
    (tmp_path / "c3d.caffemodel").write_bytes(b"".join(whole.pieces))
    if upgraded:
        net, _ = upgrade_net(read_net_binary(tmp_path / "c3d.caffemodel"), "c3d.caffemodel")
        write_net_message(tmp_path / "c3d.caffemodel", net)
    (tmp_path / "net.prototxt").write_text(NET)
    runner = ENGINES[engine](message_for(read_net(tmp_path / "net.prototxt")[0], TEST))
    runner.copy_from(tmp_path / "c3d.caffemodel")
    x = torch.randn(2, 3, 4, 6, 6)
    runner.forward({"data": x.numpy()})
    (weight, bias), (matrix, shift) = values["c"], values["ip"]
    c = F.conv3d(x, weight, bias.flatten(), (2, 1, 1), (1, 1, 1)).relu()
    p = F.max_pool3d(c, (3, 2, 2), (3, 2, 2))
    torch.testing.assert_close(
        torch.from_numpy(runner.blob("ip")), F.linear(p.flatten(1), matrix[0, 0, 0], shift.flatten()), rtol=1e-4, atol=1e-4
    )
