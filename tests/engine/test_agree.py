"""Two engines, one truth: losses, outputs and gradients of the fast engine are those of the reference."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.whole import WholeEngine
from caffepy.layers.random import CaffeRandom
from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from tests.engine.nets import NETS

TRAIN, TEST = 0, 1


def built(text: str, phase: int, *, channels_last: bool = False) -> tuple[Any, Arena, CaffeRandom]:
    message = caffe_pb2.NetParameter()
    parse(text, message, file="net.prototxt")
    message.state.phase = phase
    graph = compile(message)
    arena = Arena(graph, channels_last=channels_last)
    random = CaffeRandom(7)
    initialise(graph, arena, random)
    return graph, arena, random


def feeds() -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(3)
    return {
        "data": torch.randn(4, 3, 9, 9, generator=generator),
        "label": torch.tensor([0.0, 4.0, 2.0, 2.0]),
    }


def reference(text: str, phase: int) -> tuple[float, dict[str, Tensor], list[Tensor | None], list[Tensor]]:
    engine = LayerwiseEngine(*built(text, phase))
    for name, tensor in feeds().items():
        engine.blobs[name].data.copy_(tensor)
    loss = float(engine.forward_backward())
    return loss, {o.name: o.data for o in engine.outputs()}, engine.gradients(), [t.detach() for t in engine.arena.learnable]


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_training_pass_agrees(name: str, channels_last: bool) -> None:
    loss, outputs, gradients, params = reference(NETS[name], TRAIN)
    engine = WholeEngine(*built(NETS[name], TRAIN, channels_last=channels_last), channels_last=channels_last)
    assert float(engine.forward_backward(feeds())) == pytest.approx(loss, rel=1e-5)
    for output in engine.outputs():
        torch.testing.assert_close(output.data, outputs[output.name], rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(engine.gradients(), gradients, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(engine.arena.learnable, params, strict=True):
        torch.testing.assert_close(ours.detach(), theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", NETS)
def test_test_pass_agrees(name: str) -> None:
    loss, outputs, _, _ = reference(NETS[name], TEST)
    engine = WholeEngine(*built(NETS[name], TEST, channels_last=True), channels_last=True)
    assert float(engine.forward(feeds())) == pytest.approx(loss, rel=1e-5)
    for output in engine.outputs():
        torch.testing.assert_close(output.data, outputs[output.name], rtol=1e-4, atol=1e-5)


def test_gradients_add_up_until_cleared() -> None:
    engine = WholeEngine(*built(NETS["in_place"], TRAIN))
    engine.forward_backward(feeds())
    once = [g.clone() for g in engine.gradients() if g is not None]
    engine.forward_backward(feeds())
    for first, both in zip(once, engine.gradients(), strict=True):
        assert both is not None
        torch.testing.assert_close(both, 2 * first)
    engine.clear_gradients()
    assert engine.gradients() == [None] * 4


def test_frozen_parameters_get_no_gradient() -> None:
    engine = WholeEngine(*built(NETS["frozen_below"], TRAIN))
    engine.forward_backward(feeds())
    assert [g is None for g in engine.gradients()] == [True, True, False, False]


def test_shared_parameters_are_one_tensor_with_one_gradient() -> None:
    graph, arena, _random = built(NETS["shared"], TRAIN)
    assert arena.data[0] is arena.data[2]
    assert len(arena.learnable) == 4
    assert graph.params[2].lr_mult == 2


def test_a_loss_that_is_read_again_counts_in_the_loss_but_not_twice_in_the_gradient() -> None:
    engine = WholeEngine(*built(NETS["loss_read_again"], TRAIN))
    engine.forward_backward(feeds())
    reference_loss, _, gradients, _ = reference(NETS["loss_read_again"], TRAIN)
    first = engine.gradients()[0]
    assert first is not None
    assert gradients[0] is not None
    torch.testing.assert_close(first, gradients[0], rtol=1e-4, atol=1e-6)
    assert reference_loss > 4


def test_a_test_net_computes_with_the_training_nets_parameters() -> None:
    _, train, random = built(NETS["in_place"], TRAIN)
    message = caffe_pb2.NetParameter()
    parse(NETS["in_place"], message, file="net.prototxt")
    message.state.phase = TEST
    graph = compile(message)
    shared = Arena(graph, share=train)
    engine = WholeEngine(graph, shared, random)
    before = float(engine.forward(feeds()))
    with torch.no_grad():
        train.flat.buffer.zero_()
    assert float(engine.forward(feeds())) == pytest.approx(torch.log(torch.tensor(5.0)).item())
    assert before != pytest.approx(torch.log(torch.tensor(5.0)).item(), rel=1e-3)
