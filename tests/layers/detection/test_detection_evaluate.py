"""DetectionEvaluate."""

from __future__ import annotations

from pathlib import Path

import torch

from tests.layers.check import check_counts, refusal, subject, tops

OBJECTS = torch.tensor([[0, 1, 0, 0.1, 0.1, 0.4, 0.4, 0], [0, 1, 1, 0.6, 0.6, 0.9, 0.9, 1], [1, 2, 0, 0, 0, 1, 1, 0]])
RIGHT, WRONG, SECOND = [0, 1, 0.5, 0.1, 0.1, 0.4, 0.42], [0, 1, 0.9, 0.2, 0.6, 0.4, 0.9], [0, 1, 0.4, 0.1, 0.12, 0.4, 0.4]
DIFFICULT, STRAY = [0, 1, 0.3, 0.6, 0.6, 0.9, 0.9], [5, 2, 0.8, 0, 0, 1, 1]


def layer(fields: str = "") -> str:
    return f"""layer {{ name: "l" type: "DetectionEvaluate" bottom: "d" bottom: "o" top: "y"
                detection_evaluate_param {{ num_classes: 3 {fields} }} }}"""


def judged(fields: str, *rows: list[float]) -> list[list[float]]:
    found: list[list[float]] = tops(layer(fields), d=torch.tensor(rows)[None, None], o=OBJECTS[None, None])[0][0, 0].tolist()
    return [[round(value, 4) for value in row] for row in found]


def test_counts() -> None:
    it = subject(layer(), d=(1, 1, 4, 7), o=(1, 1, 2, 8))
    check_counts(it)
    assert it.graph.values[-1].shape == (1, 1, 6, 5)


def test_objects_of_each_class_come_first() -> None:
    assert judged("", RIGHT)[:2] == [[-1, 1, 2, -1, -1], [-1, 2, 1, -1, -1]]
    assert judged("evaluate_difficult_gt: false", RIGHT)[0] == [-1, 1, 1, -1, -1]


def test_the_best_detection_of_an_object_is_true_and_others_are_false() -> None:
    assert judged("", SECOND, RIGHT, WRONG)[2:] == [[0, 1, 0.9, 0, 1], [0, 1, 0.5, 1, 0], [0, 1, 0.4, 0, 1]]


def test_a_difficult_object_is_neither() -> None:
    assert judged("", DIFFICULT)[2][3:] == [1, 0]
    assert judged("evaluate_difficult_gt: false", DIFFICULT)[2][3:] == [0, 0]


def test_detections_without_an_object_are_false_and_rows_of_minus_1_do_not_count() -> None:
    assert judged("", STRAY, [3, *[-1] * 6])[2:] == [[5, 2, 0.8, 0, 1]]


def test_pixels_count_both_ends(tmp_path: Path) -> None:
    (tmp_path / "sizes.txt").write_text("a 10 10\n")
    narrow = [0, 1, 0.5, 0.1, 0.1, 0.25, 0.4]
    assert judged("overlap_threshold: 0.55", narrow)[2][3:] == [0, 1]
    assert judged(f'overlap_threshold: 0.55 name_size_file: "{tmp_path}/sizes.txt"', narrow)[2][3:] == [1, 0]


def test_boxes_of_a_scaled_size_have_their_areas_without_both_ends(tmp_path: Path) -> None:
    """As in SSD: 3 x 3 and 1.5 x 3 pixels with 2.5 x 4 in common."""
    (tmp_path / "sizes.txt").write_text("a 10 10\n")
    fields = f'overlap_threshold: 2.8 name_size_file: "{tmp_path}/sizes.txt"'
    resize = "resize_param { resize_mode: FIT_SMALL_SIZE height: 10 width: 10 height_scale: 10 width_scale: 10 }"
    narrow = [0, 1, 0.5, 0.1, 0.1, 0.25, 0.4]
    assert judged(fields, narrow)[2][3:] == [0, 1]
    assert judged(f"{fields} {resize}", narrow)[2][3:] == [1, 0]
    assert judged(f"{fields.replace('2.8', '2.9')} {resize}", narrow)[2][3:] == [0, 1]


def test_boxes_apart_share_a_pixel_where_pixels_count(tmp_path: Path) -> None:
    (tmp_path / "sizes.txt").write_text("a 10 10\n")
    far = [0, 1, 0.5, 0.9, 0.1, 0.9, 0.1]
    assert judged(f'overlap_threshold: 0.06 name_size_file: "{tmp_path}/sizes.txt"', far)[2][3:] == [1, 0]
    assert judged("overlap_threshold: 0.06", far)[2][3:] == [0, 1]


def test_objects_behind_a_row_of_minus_1_do_not_count() -> None:
    objects = torch.cat((OBJECTS[:1], torch.full((1, 8), -1.0), OBJECTS[2:]))
    (found,) = tops(layer(), d=torch.tensor([RIGHT])[None, None], o=objects[None, None])
    assert found[0, 0, :2, 2].tolist() == [1, 0]


def test_refusals() -> None:
    assert "overlap_threshold is 0; needed: above 0" in refusal(layer("overlap_threshold: 0"), d=(1, 1, 1, 7), o=(1, 1, 1, 8))
    for rows, what in (
        ({"d": torch.tensor([RIGHT])}, "an object"),
        ({"o": torch.full((1, 8), -1.0), "d": torch.tensor([RIGHT])}, "a detection"),
    ):
        given = {name: part[None, None] for name, part in ({"o": OBJECTS} | rows).items()}
        assert f"the label of {what} is 1, the background's" in refusal(layer("background_label_id: 1"), **given)
    assert "num_classes is not given" in refusal(
        'layer { name: "l" type: "DetectionEvaluate" bottom: "d" bottom: "o" top: "y" }', d=(1, 1, 1, 7), o=(1, 1, 1, 8)
    )
    assert "bottom 1 is (1, 1, 1, 7); needed: (1, 1, rows, 8)" in refusal(layer(), d=(1, 1, 1, 7), o=(1, 1, 1, 7))
