"""CTCGreedyDecoder."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "", rest: str = 'top: "y"') -> str:
    return f'layer {{ name: "l" type: "CTCGreedyDecoder" bottom: "x" bottom: "c" {rest} ctc_decoder_param {{ {fields} }} }}'


LABELS, ALL = 'bottom: "t" top: "y" top: "a"', 'bottom: "t" top: "y" top: "s" top: "a"'
BEST = torch.tensor([[0, 1], [0, 2], [2, 2], [0, 1], [1, 0]])
SCORES = F.one_hot(BEST, 3).float()
CONT = torch.tensor([[0, 0], [1, 1], [1, 1], [1, 1], [1, 0]])
WANTED = torch.tensor([[0, 1], [0, 1], [1, 0], [-1, -1], [-1, -1]])


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("rest", ['top: "y"', 'top: "y" top: "s"', LABELS, ALL])
def test_layer(rest: str) -> None:
    given = {"t": WANTED} if '"t"' in rest else {}
    check_layer(layer(rest=rest), x=(5, 2, 3, 1), c=CONT, **given)


@pytest.mark.usefixtures("looked_at")
def test_repetitions_and_blanks_go() -> None:
    assert tops(layer(), x=SCORES, c=CONT)[0].squeeze().tolist() == [[0, 0, 1, -1, -1], [1, 1, -1, -1, -1]]
    assert tops(layer("ctc_merge_repeated: false"), x=SCORES, c=CONT)[0].squeeze()[0].tolist() == [0, 0, 0, 1, -1]
    assert tops(layer("blank_index: 0"), x=SCORES, c=CONT)[0].squeeze()[0].tolist() == [2, 1, -1, -1, -1]


@pytest.mark.usefixtures("looked_at")
def test_scores_and_accuracy() -> None:
    _, scores, accuracy = tops(layer(rest=ALL), x=SCORES, c=CONT, t=WANTED)
    assert scores.flatten().tolist() == [-5, -4]
    assert accuracy == pytest.approx((1 + 2 / 3) / 2)


def test_refusals() -> None:
    assert "3 tops are named; needed: at most 2" in refusal(layer(rest='top: "y" top: "s" top: "a"'), x=SCORES, c=CONT)
    assert "blank_index is -2" in refusal(layer("blank_index: -2"), x=SCORES, c=CONT)


OCR = """layer { name: "l" type: "CTCGreedyDecoder" bottom: "x" %s top: "y" }"""
LINES = torch.tensor([[1, 2, 0, -1], [1, 0, 0, -1]])


@pytest.mark.usefixtures("looked_at")
def test_all_time_steps_of_scores_alone() -> None:
    """As caffe_ocr has it, with class 0 as the blank."""
    check_layer(OCR % "", x=(5, 2, 3))
    assert tops(OCR % "", x=SCORES)[0].squeeze().tolist() == [[2, 1, -1, -1, -1], [1, 2, 1, -1, -1]]


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("axes", [(), (1, 1)])
def test_labels_of_each_sequence_in_a_row(axes: tuple[int, ...]) -> None:
    """The first is 2 1 where 1 2 is wanted, the second 1 2 1 where 1 is."""
    text, lines = OCR % 'bottom: "t"', LINES.view(2, 4, *axes)
    check_layer(text, x=(5, 2, 3), t=lines)
    found = tops(text, x=SCORES, t=lines)[0]
    assert found.shape == (1, 2, 1, 1)
    assert found.flatten().tolist() == pytest.approx([((1 - 2 / 2) + (1 - 2 / 3)) / 2, 0])
    right = torch.tensor([[2, 1, 0, -1], [1, 2, 1, -1]])
    assert tops(text, x=SCORES, t=right)[0].flatten().tolist() == [1, 1]
    silent = F.one_hot(torch.zeros(5, 2, dtype=torch.int64), 3).float()
    assert tops(text, x=silent, t=torch.zeros(2, 4))[0].flatten().tolist() == [1, 0]


def test_more_tops_than_caffe_ocr_has() -> None:
    text = (OCR % "").replace('top: "y"', 'top: "y" top: "s"')
    assert "2 tops are named; needed: 1, or a second bottom of (5, 2)" in refusal(text, x=SCORES)
