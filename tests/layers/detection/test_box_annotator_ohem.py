"""BoxAnnotatorOHEM."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "roi_per_img: 2") -> str:
    return f"""layer {{ name: "l" type: "BoxAnnotatorOHEM" bottom: "r" bottom: "l" bottom: "t" bottom: "w" top: "y" top: "z"
                box_annotator_ohem_param {{ {fields} }} }}"""


BOXES = torch.zeros(5, 5)
BOXES[:, 0] = torch.tensor([0, 0, 1, 0, 1])


@pytest.mark.parametrize("ones", [(), (1, 1)])
def test_layer(ones: tuple[int, ...]) -> None:
    check_layer(layer(), r=BOXES.reshape(5, 5, *ones), l=(5, *ones), t=(5, *ones), w=(5, 8, *ones))


def test_the_highest_losses_of_each_picture_are_kept() -> None:
    labels, weights = tops(layer("roi_per_img: 2 ignore_label: -7"), r=BOXES, l=[1, 3, 1, 3, 9], t=[1, 2, 3, 4, 5], w=torch.ones(5, 4))
    assert labels.shape == (5, 1, 1, 1)
    assert weights.shape == (5, 4, 1, 1)
    assert labels.flatten().tolist() == [-7, 2, 3, 4, 5]
    assert weights.sum(1).flatten().tolist() == [0, 4, 4, 4, 4]


def test_of_equal_losses_the_earlier_is_kept() -> None:
    assert tops(layer("roi_per_img: 1"), r=BOXES, l=[3, 3, 2, 3, 2], t=[1, 2, 3, 4, 5], w=torch.ones(5, 4))[0].flatten().tolist() == [
        1,
        -1,
        3,
        -1,
        -1,
    ]


def test_refusals() -> None:
    assert "roi_per_img is 0" in refusal(layer(""), r=BOXES, l=(5,), t=(5,), w=(5, 4))
    assert "bottom 0 is (5, 4)" in refusal(layer(), r=(5, 4), l=(5,), t=(5,), w=(5, 4))
    assert "needed: 5 losses, labels and rows of weights" in refusal(layer(), r=BOXES, l=(4,), t=(5,), w=(5, 4))
