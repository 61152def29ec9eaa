"""Passes recorded on a GPU give what plain passes on the CPU give, in each precision."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.initialise import initialise
from caffepy.engine.numerics import BF16, FP16, FP32, HALF_TYPES
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.random import CaffeRandom
from tests.engine.build import TEST, TRAIN, feeds, graph_of
from tests.engine.nets import NETS

NAMES = [name for name in NETS if name != "dropout_after_relu"]  # masks come from another generator
ROUGH = {FP32: 1e-4, BF16: 0.06, FP16: 0.02}


def engine(kind: type[WholeEngine], text: str, phase: int, precision: str, device: torch.device, channels_last: bool) -> WholeEngine:
    graph, random = graph_of(text, phase), CaffeRandom(7)
    arena = Arena(graph, device=device, channels_last=channels_last)
    initialise(graph, arena, random)
    for node in graph.nodes if phase == TEST else ():
        for index in node.params if node.type == "BatchNorm" else ():
            arena.data[index].detach().fill_(1)  # statistics that numbers of 16 bits bear
    return kind(graph, arena, random, channels_last=channels_last, half=HALF_TYPES.get(precision))


def other() -> dict[str, Tensor]:
    """Another batch."""
    return {name: x.flip(0) for name, x in feeds().items()}


def near(ours: Tensor | None, theirs: Tensor | None, precision: str) -> None:
    assert (ours is None) == (theirs is None)
    if ours is not None and theirs is not None:
        assert float((ours.cpu() - theirs).norm()) <= ROUGH[precision] * float(theirs.norm()) + 1e-5


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("precision", [FP32, BF16, FP16])
@pytest.mark.parametrize("name", NAMES)
def test_training(name: str, precision: str, channels_last: bool, gpu: torch.device) -> None:
    ours = engine(CapturedEngine, NETS[name], TRAIN, precision, gpu, channels_last)
    plain = engine(WholeEngine, NETS[name], TRAIN, precision, torch.device("cpu"), channels_last)
    for batches in ([feeds()], [other()], [feeds(), other(), feeds()]):
        for each in (ours, plain):
            each.clear_gradients()
        for batch in batches:
            near(ours.forward_backward(batch), plain.forward_backward(batch), precision)
        for found, wanted in zip(ours.outputs(), plain.outputs(), strict=True):
            near(found.data, wanted.data, precision)
        for g, h in zip(ours.gradients(), plain.gradients(), strict=True):
            near(g, h, precision)
    for p, q in zip(ours.arena.learnable, plain.arena.learnable, strict=True):
        near(p.detach(), q.detach(), precision)
    assert isinstance(ours, CapturedEngine)
    assert ours.obstacle == ""


@pytest.mark.parametrize("precision", [FP32, BF16, FP16])
@pytest.mark.parametrize("name", NAMES)
def test_testing(name: str, precision: str, gpu: torch.device) -> None:
    ours = engine(CapturedEngine, NETS[name], TEST, precision, gpu, True)
    plain = engine(WholeEngine, NETS[name], TEST, precision, torch.device("cpu"), True)
    for batch in (feeds(), feeds(8), other()):
        near(ours.forward(batch), plain.forward(batch), precision)
        for found, wanted in zip(ours.outputs(), plain.outputs(), strict=True):
            near(found.data, wanted.data, precision)
    assert isinstance(ours, CapturedEngine)
    assert ours.obstacle == ""
