"""What many small kernels did is done by few: counted on the stand-in, by name on the CPU in the tests of each piece."""

from __future__ import annotations

import pytest
import torch

from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.numerics import KernelSearch, Numerics
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.base import Run
from caffepy.layers.core.random import CaffeRandom
from caffepy.layers.norm.batch_norm import BatchNormLayer
from caffepy.proto import caffe_pb2
from caffepy.solver.updating.updater import norm
from tests.engine.build import TRAIN, feeds, graph_of
from tests.engine.nets import NETS

pytestmark = pytest.mark.skipif(not hasattr(torch.cuda, "counts"), reason="a real GPU does not count")


def engine(text: str, gpu: torch.device, half: torch.dtype | None = None) -> WholeEngine:
    graph, random = graph_of(text, TRAIN), CaffeRandom(7)
    arena = Arena(graph, device=gpu)
    initialise(graph, arena, random)
    return WholeEngine(graph, arena, random, half=half)


def launches(run: WholeEngine, batch: dict[str, torch.Tensor]) -> int:
    """Of one pass with gradients, after one that does not count."""
    for _ in range(2):
        run.clear_gradients()
        before = torch.cuda.counts()[0]
        run.forward_backward(batch)
    return int(torch.cuda.counts()[0] - before)


def test_the_norm_of_all_gradients_is_that_of_few_kernels(gpu: torch.device) -> None:
    gradients = [torch.full((n,), 2.0, device=gpu) for n in range(1, 41)]
    before = torch.cuda.counts()[0]
    found = norm(gradients)
    assert torch.cuda.counts()[0] - before <= 3
    assert float(found) == pytest.approx((4 * 820) ** 0.5)


def test_batch_statistics_take_three_kernels_beside_that_of_the_layer(gpu: torch.device) -> None:
    layer, run = BatchNormLayer(caffe_pb2.LayerParameter(type="BatchNorm"), TRAIN), Run(TRAIN, CaffeRandom(1))
    x, blobs = torch.ones(4, 3, 5, device=gpu), [torch.zeros(n, device=gpu) for n in (3, 3, 1)]
    layer.setup([(4, 3, 5)])
    for _ in range(2):
        before = torch.cuda.counts()[0]
        layer.forward([x], blobs, run)
    assert torch.cuda.counts()[0] - before <= 4
    assert [blob.tolist() for blob in blobs] == [pytest.approx([1.999] * 3), [0] * 3, pytest.approx([1.999])]


def test_parameters_are_rounded_at_once(gpu: torch.device) -> None:
    batch = {name: x.to(gpu) for name, x in feeds().items()}
    run = engine(NETS["residual"], gpu, torch.bfloat16)
    at_once, loss = launches(run, batch), float(run.forward_backward(batch))
    products = [step for step in run._steps if step.half_blobs]
    run.before_use = lambda owners: None  # then each rounds its own
    assert launches(run, batch) - at_once == sum(len(step.half_blobs) for step in products) - 1 > 2
    assert float(run.forward_backward(batch)) == pytest.approx(loss, rel=1e-2)


@pytest.mark.parametrize("sizes", [(9, 9, 9, 9, 9), (8, 12, 9, 11, 10)])
def test_kernels_are_not_searched_for_pictures_of_ever_new_sizes(
    sizes: tuple[int, ...], gpu: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", False)
    Numerics().prepare(gpu)
    text = """layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }
layer { name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 2 kernel_size: 3 } }"""
    run = engine(text, gpu)
    for done, size in enumerate(sizes):
        assert torch.backends.cudnn.benchmark == (done < 4 or len(set(sizes)) < 3)
        run.forward({"data": torch.ones(1, 3, size, size)})
    assert torch.backends.cudnn.benchmark == (len(set(sizes)) < 3)
    assert KernelSearch.MOST_CHANGES == 2
