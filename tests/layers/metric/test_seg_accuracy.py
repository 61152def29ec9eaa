"""SegAccuracy."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, refusal, subject, tops


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "SegAccuracy" bottom: "s" bottom: "t" top: "y" seg_accuracy_param {{ {fields} }} }}'


def scores(*predictions: int, classes: int = 3) -> torch.Tensor:
    return F.one_hot(torch.tensor(predictions), classes).float().t().reshape(1, classes, 1, -1)


def labels(*found: int) -> torch.Tensor:
    return torch.tensor(found).reshape(1, 1, 1, -1)


@pytest.mark.parametrize("fields", ["", "ignore_label: 1", "reset: false"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), s=(2, 3, 2, 2), t=torch.arange(8).remainder(3).reshape(2, 1, 2, 2))


def test_values() -> None:
    (y,) = tops(layer(), s=scores(0, 0, 1, 1), t=labels(0, 0, 0, 1))
    assert y.flatten().tolist() == pytest.approx([3 / 4, (2 / 3 + 1) / 2, (2 / 3 + 1 / 2 + 1) / 3])


def test_ignored_labels_do_not_count() -> None:
    (y,) = tops(layer("ignore_label: 255 ignore_label: 2"), s=scores(0, 0, 1, 1), t=labels(0, 255, 2, 1))
    assert y.flatten().tolist() == [1, 1, 1]


def test_of_equal_scores_the_last_class_is_predicted() -> None:
    assert tops(layer(), s=torch.zeros(1, 3, 1, 3), t=labels(2, 2, 0))[0].flatten()[0] == pytest.approx(2 / 3)


def test_counts_run_on_without_reset() -> None:
    it = subject(layer("reset: false"), s=scores(0, 1), t=labels(0, 0))
    run = it.run()
    it.layer.forward(it.bottoms(), [], run)
    (y,) = it.layer.forward([scores(0, 0), labels(0, 0).float()], [], run)
    assert y.flatten()[0] == 0.75


def test_refusals() -> None:
    assert "label 255 found; needed: 0 to 2" in refusal(layer(), s=scores(0), t=labels(255))
    assert "needed: (N, C, H, W) and (N, 1, H, W)" in refusal(layer(), s=(1, 3, 2, 2), t=(1, 2, 2))
