"""Tensors in pieces: every number once, side by side, in the order of memory."""

from __future__ import annotations

import pytest
import torch
from google.protobuf import text_format

from caffepy.engine.arena import Arena
from caffepy.proto import caffe_pb2
from caffepy.solver.update_rules import pieces as module
from caffepy.solver.update_rules.pieces import pieces, same_layout
from caffepy.solver.update_rules.rules import RULES
from caffepy.solver.updating.updater import Updater
from tests.engine.build import graph_of

NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 7 dim: 7 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 4 kernel_size: 3 } }
layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip" inner_product_param { num_output: 5 } }
"""
FIELDS = """momentum: %s weight_decay: 0.01 regularization_type: "%s" iter_size: 3 clip_gradients: 2 type: "%s" delta: 1e-3"""


def test_pieces_are_small_and_hold_everything_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE", 10)
    first = [torch.zeros(3), torch.zeros(2, 3, 2, 2).to(memory_format=torch.channels_last), torch.zeros(()), torch.zeros(4)]
    second = [tensor + 1 for tensor in first]
    lengths = []
    for ones, others in pieces(first, second):
        lengths.append([len(part) for part in ones])
        assert [part.shape for part in ones] == [part.shape for part in others]
        for one, other in zip(ones, others):
            one.add_(other)
    assert lengths == [[3], [10], [10], [4, 1, 4]]
    assert all(bool((tensor == 1).all()) for tensor in first)


@pytest.mark.parametrize("regularization", ["L1", "L2"])
@pytest.mark.parametrize("name", RULES)
def test_updates_in_pieces_are_updates(name: str, regularization: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``keep_updates`` goes the long way: whole tensors, no fused kernel, updates in the gradients."""
    text = FIELDS % (0 if RULES[name].refuses_momentum else 0.9, regularization, name)
    param = text_format.Parse(text, caffe_pb2.SolverParameter())
    monkeypatch.setattr(module, "PIECE", 50)
    monkeypatch.setattr("caffepy.solver.update_rules.fused.SMALL", 20)
    found = []
    for keep in (False, True):
        generator = torch.Generator().manual_seed(3)
        arena = Arena(graph_of(NET), channels_last=True)
        for tensor in arena.learnable:
            tensor.data.copy_(torch.randn(tensor.shape, generator=generator))
        updater = Updater(param, arena, keep_updates=keep)
        for iteration in range(3):
            updater.apply([torch.randn(t.shape, generator=generator) for t in arena.learnable], 0.05, iteration)
        found.append((arena.flat.buffer, *(flat.buffer for flat in updater.flats)))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


def test_same_layout() -> None:
    param = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
    diff = torch.arange(120.0).view(2, 3, 4, 5)
    found = same_layout(diff, param)
    assert found.stride() == param.stride()
    assert torch.equal(found, diff)
    assert same_layout(param, param) is param
    pointwise = torch.zeros(8, 3, 1, 1)
    assert same_layout(pointwise, torch.zeros(8, 1, 1, 3).permute(0, 3, 1, 2)) is pointwise  # the same memory order
