"""Rows that are none."""

from __future__ import annotations

import torch

from caffepy.engine.padding import of_any_length, padded
from tests.engine.build import graph_of

GIVEN = """layer { name: "in" type: "Input" top: "o" top: "s" top: "p" top: "rows" top: "plain"
  input_param { shape { dim: 1 dim: 8 } shape { dim: 1 dim: 6 } shape { dim: 1 dim: 2 dim: 8 } shape { dim: 1 dim: 1 dim: 3 dim: 8 }
    shape { dim: 1 dim: 1 dim: 3 dim: 8 } } }"""
LOSS = """layer { name: "%s" type: "MultiBoxLoss" bottom: "o" bottom: "s" bottom: "p" bottom: "rows" top: "%s"
  multibox_loss_param { num_classes: 3 } }"""


def names(text: str) -> set[str]:
    graph = graph_of(text)
    return {graph.values[v].name for v in of_any_length(graph)}


def test_only_rows_that_all_readers_pass_over() -> None:
    assert "rows" in names(GIVEN + LOSS % ("a", "a"))
    assert {"plain", "o"}.isdisjoint(names(GIVEN + LOSS % ("a", "a")))
    assert "rows" in names(GIVEN + LOSS % ("a", "a") + LOSS % ("b", "b"))
    assert "rows" not in names(GIVEN + LOSS % ("a", "a") + 'layer { name: "n" type: "Power" bottom: "rows" top: "n" }')


def test_padding() -> None:
    rows = torch.rand(1, 1, 17, 8)
    assert padded(rows).shape == (1, 1, 32, 8)
    assert torch.equal(padded(rows)[:, :, :17], rows)
    assert (padded(rows)[:, :, 17:] == -1).all()
    assert padded(rows[:, :, :1]).shape == (1, 1, 16, 8)
    assert padded(rows[:, :, :16]).shape == (1, 1, 16, 8)
