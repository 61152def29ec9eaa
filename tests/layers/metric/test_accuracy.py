"""Accuracy."""

from __future__ import annotations

import math

import pytest
import torch

from caffepy.layers.core.base import TEST, Run
from caffepy.layers.core.random import CaffeRandom
from tests.layers.check import check_layer, refusal, subject, tops


def layer(fields: str = "", second: str = "") -> str:
    return f'layer {{ name: "l" type: "Accuracy" bottom: "s" bottom: "t" top: "y" {second} accuracy_param {{ {fields} }} }}'


SCORES = torch.tensor([[0.1, 0.9, 0.0], [0.8, 0.1, 0.1], [0.3, 0.3, 0.4], [0.2, 0.5, 0.3]])


@pytest.mark.parametrize("fields", ["", "top_k: 2", "ignore_label: 1"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), s=SCORES, t=[1, 0, 0, 1])


def test_layer_with_classes() -> None:
    check_layer(layer(second='top: "c"'), s=(2, 3, 4), t=torch.arange(8).remainder(3).reshape(2, 1, 4))


def test_share_of_hits() -> None:
    assert tops(layer(), s=SCORES, t=[1, 0, 2, 0])[0] == 0.75
    assert tops(layer("top_k: 2"), s=SCORES, t=[0, 1, 2, 0])[0] == 0.5


def test_a_tie_with_the_labelled_class_counts_against_it() -> None:
    assert tops(layer(), s=torch.tensor([[0.5, 0.5, 0.1]] * 2), t=[0, 1])[0] == 0
    assert tops(layer("top_k: 2"), s=torch.tensor([[0.5, 0.5, 0.1]] * 2), t=[0, 1])[0] == 1


def test_nan_of_the_labelled_class_counts_as_a_hit() -> None:
    assert tops(layer(), s=torch.tensor([[math.nan, 9.0]]), t=[0])[0] == 1
    assert tops(layer(), s=torch.tensor([[math.nan, 9.0]]), t=[1])[0] == 1


def test_labels_are_truncated() -> None:
    assert tops(layer(), s=SCORES, t=[1.9, 0.5, 2.2, 1.1])[0] == 1


def test_no_label_left_gives_0() -> None:
    assert tops(layer("ignore_label: 1"), s=SCORES, t=[1, 1, 1, 1])[0] == 0


def test_a_class_without_labels_has_0() -> None:
    accuracy, classes = tops(layer(second='top: "c"'), s=SCORES, t=[1, 0, 0, 1])
    assert accuracy == 0.75
    assert classes.tolist() == [0.5, 1, 0]


def test_axis() -> None:
    scores = SCORES.t().reshape(1, 3, 4)
    assert tops(layer("axis: 1"), s=scores, t=torch.tensor([[1, 0, 2, 0]]))[0] == 0.75
    assert tops(layer("axis: -2"), s=scores, t=torch.tensor([[1, 0, 2, 0]]))[0] == 0.75


def test_refusals() -> None:
    assert "top_k is 4; needed: at most the number of classes, 3" in refusal(layer("top_k: 4"), s=SCORES, t=(4,))
    assert "bottom 1 has 3 labels; needed: 4" in refusal(layer(), s=SCORES, t=(3,))


@pytest.mark.parametrize("label", [3, 255, -1])
def test_a_label_that_is_no_class_is_a_miss(label: int, capfd: pytest.CaptureFixture[str]) -> None:
    check_layer(layer(second='top: "c"'), s=SCORES, t=[1, 0, label, 0])
    capfd.readouterr()
    accuracy, classes = tops(layer("top_k: 3", 'top: "c"'), s=SCORES, t=[1, 0, label, 0])
    assert accuracy == 0.75
    assert classes.tolist() == [1, 1, 0]
    assert f"label {label} found, where the classes are 0 to 2" in (said := capfd.readouterr().err)
    assert f"accuracy_param {{ ignore_label: {label} }}" in said


@pytest.mark.parametrize(("label", "told"), [(math.nan, "nan"), (-math.inf, "-inf"), (1e20, "1e+20")])
def test_a_label_that_is_no_integer_is_told_as_it_is(label: float, told: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert tops(layer(), s=SCORES, t=[1, 0, label, 0])[0] == 0.5
    assert f"label {told} found, where the classes are 0 to 2: as in Caffe it counts as a miss\n" in capfd.readouterr().err


def test_the_warning_comes_once(capfd: pytest.CaptureFixture[str]) -> None:
    it = subject(layer(), s=SCORES, t=[1, 0, 2, 9])
    run = it.run()
    for _ in range(3):
        it.layer.forward(it.bottoms(), [], run)
    assert capfd.readouterr().err.count("label 9 found") == 1


def test_an_ignored_label_may_be_no_class(capfd: pytest.CaptureFixture[str]) -> None:
    assert tops(layer("ignore_label: 9"), s=SCORES, t=[1, 0, 2, 9])[0] == 1
    assert "found" not in capfd.readouterr().err


def test_labels_that_a_net_computes_are_read_without_a_warning_of_torch() -> None:
    node = subject(layer(), s=SCORES[:2], t=[1, 7]).graph.node("l")
    labels = torch.tensor([1.0, 7.0], requires_grad=True)
    assert node.layer.forward([SCORES[:2], labels], [], Run(TEST, CaffeRandom(0)))[0] == 0.5
