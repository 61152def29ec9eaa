"""What is recorded as a CUDA graph, and what becomes of recordings: nets that need no host, and graphs that outlive others."""

from __future__ import annotations

import gc

import pytest
import torch

from caffepy.engine import captured
from caffepy.engine.arena import Arena
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.initialise import initialise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.recorder import CudaRecorder
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.random import CaffeRandom
from tests.engine.build import TEST, TRAIN, drawn_feeds, feeds, graph_of
from tests.engine.nets import CARRIERS, HEAD, IMAGE, IP, NETS

WEIGHTS = 'weight_filler { type: "xavier" }'
SHARED = f"""{IMAGE}
layer {{ name: "flat" type: "Flatten" bottom: "data" top: "flat" }}
layer {{ name: "a" type: "Convolution" bottom: "data" top: "a" param {{ name: "w" }}
  convolution_param {{ num_output: 5 kernel_size: 9 bias_term: false {WEIGHTS} }} }}
layer {{ name: "b" type: "InnerProduct" bottom: "flat" top: "b" param {{ name: "w" share_mode: PERMISSIVE }}
  inner_product_param {{ num_output: 5 bias_term: false {WEIGHTS} }} }}
layer {{ name: "a2" type: "Flatten" bottom: "a" top: "a2" }}
layer {{ name: "top" type: "Eltwise" bottom: "a2" bottom: "b" top: "top" }}
{HEAD}"""
CONSTANT = f"""{IMAGE}
layer {{ name: "dummy" type: "DummyData" top: "one" top: "two"
  dummy_data_param {{ shape {{ dim: 4 dim: 3 dim: 9 dim: 9 }} data_filler {{ value: 0.5 }} data_filler {{ value: 2 }} }} }}
layer {{ name: "sum" type: "Eltwise" bottom: "one" bottom: "data" bottom: "two" top: "sum" }}
layer {{ name: "top" type: "InnerProduct" bottom: "sum" top: "top" {IP} }}
{HEAD}"""
UNPOOLED = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param {{ num_output: 2 kernel_size: 3 {WEIGHTS} }} }}
layer {{ name: "top" type: "Unpooling" bottom: "c" top: "top" unpooling_param {{ kernel_size: 2 stride: 2 }} }}
{HEAD}"""
AVERAGED = UNPOOLED.replace("kernel_size: 2 stride", "unpool: AVE kernel_size: 2 stride")
RECORDED = {
    "Gather": f'{IMAGE} layer {{ name: "gather" type: "Gather" bottom: "data" top: "top" }} {HEAD}',
    "Unpooling AVE": AVERAGED,
    "a parameter in two shapes": SHARED,
    "constant DummyData": CONSTANT,
    "Unpooling without a mask": UNPOOLED,
}


def engine(text: str, device: torch.device, kind: type[WholeEngine] = CapturedEngine, phase: int = TRAIN) -> WholeEngine:
    graph, random = graph_of(text, phase), CaffeRandom(7)
    arena = Arena(graph, device=device)
    initialise(graph, arena, random)
    return kind(graph, arena, random)


@pytest.mark.parametrize("name", RECORDED)
def test_no_host_is_needed(name: str, gpu: torch.device) -> None:
    ours, plain = engine(RECORDED[name], gpu), engine(RECORDED[name], torch.device("cpu"), WholeEngine)
    for batch in (feeds(), {key: x.flip(0) for key, x in feeds().items()}):
        for each in (ours, plain):
            each.clear_gradients()
        torch.testing.assert_close(ours.forward_backward(batch).cpu(), plain.forward_backward(batch))
        for g, h in zip(ours.gradients(), plain.gradients(), strict=True):
            assert (g is None) == (h is None)
            if g is not None and h is not None:
                torch.testing.assert_close(g.cpu(), h, rtol=1e-4, atol=1e-5)
    assert isinstance(ours, CapturedEngine)
    assert ours.obstacle == ""


@pytest.mark.parametrize("phase", [TRAIN, TEST])
@pytest.mark.parametrize("name", CARRIERS)
def test_what_goes_on_from_pass_to_pass_stays_on_the_device(name: str, phase: int, gpu: torch.device) -> None:
    ours, plain = engine(CARRIERS[name], gpu, phase=phase), engine(CARRIERS[name], torch.device("cpu"), WholeEngine, phase)
    for step, streams in enumerate((2, 2, 1, 1, 2, 2) if name in ("LSTM", "RNN") else (None,) * 4):
        batch = drawn_feeds(plain, step, streams)
        for each in (plain, ours):
            each.forward_backward(batch) if phase == TRAIN else each.forward(batch)
        for found, wanted in zip(ours.outputs(), plain.outputs(), strict=True):
            torch.testing.assert_close(found.data.cpu(), wanted.data)
    assert isinstance(ours, CapturedEngine)
    assert ours.obstacle == ""


@pytest.mark.parametrize("filler", ['type: "constant" value: 3', 'type: "gaussian"'])
def test_what_the_host_fills_comes_to_the_device_layer_by_layer_too(filler: str, gpu: torch.device) -> None:
    graph, random = graph_of(CONSTANT.replace("value: 0.5", filler), TRAIN), CaffeRandom(7)
    ran = LayerwiseEngine(graph, Arena(graph, device=gpu), random)
    for _ in range(2):
        ran.forward()
        assert ran.blobs["one"].data.device == gpu


def test_a_net_of_too_many_shapes_leaves_the_recordings_of_others_whole(gpu: torch.device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured, "MOST_RECORDINGS", 2)
    train, test = engine(NETS["residual"], gpu), engine(NETS["residual"], gpu, phase=TEST)
    loss = float(train.forward_backward(feeds()))
    for size in (4, 8, 12, 16):
        test.forward(feeds(size))
    gc.collect()
    assert isinstance(test, CapturedEngine)
    assert "more than 2 shapes" in test.obstacle
    assert float(train.forward_backward(feeds())) == pytest.approx(loss, rel=1e-4)


def test_a_capture_that_failed_leaves_the_recordings_of_others_whole(gpu: torch.device) -> None:
    train, x = engine(NETS["residual"], gpu), torch.ones(2, 2, device=gpu)
    loss = float(train.forward_backward(feeds()))
    failing = CudaRecorder(gpu)
    with pytest.raises(RuntimeError, match="not permitted when stream is capturing"):
        failing.record(lambda: (x @ x).sum().item())
    del failing
    gc.collect()
    assert float(train.forward_backward(feeds())) == pytest.approx(loss, rel=1e-4)
    assert float(engine(NETS["residual"], gpu).forward_backward(feeds())) == pytest.approx(loss, rel=1e-4)
