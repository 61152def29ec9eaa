"""DetectionOutput."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from tests.layers.check import blind, check_counts, refusal, subject, tops

PRIORS = torch.tensor([[0.1, 0.1, 0.3, 0.3], [0.1, 0.1, 0.3, 0.32], [0.5, 0.5, 0.9, 0.9]])


def layer(fields: str = "", classes: int = 3) -> str:
    return f"""layer {{ name: "l" type: "DetectionOutput" bottom: "o" bottom: "s" bottom: "p" top: "y"
                detection_output_param {{ num_classes: {classes} {fields} }} }}"""


def found(fields: str, scores: list[list[float]], offsets: torch.Tensor | None = None) -> list[list[float]]:
    """Rows for two items, from scores (item, prior * class)."""
    boxes = torch.stack((PRIORS.flatten(), torch.full((12,), 0.1))).unsqueeze(0)
    given = torch.zeros(len(scores), 12) if offsets is None else offsets
    rows: list[list[float]] = tops(layer(fields), o=given, s=torch.tensor(scores), p=boxes)[0][0, 0].tolist()
    return rows


NONE = [1.0, 0, 0] * 3
SOME = [0, 0.2, 0.8, 0, 0.7, 0.3, 0, 0.6, 0.1]
THRESHOLD = "confidence_threshold: 0.15"


def test_counts_and_types() -> None:
    it = subject(layer(), o=(2, 12), s=(2, 9), p=(1, 2, 12))
    check_counts(it)
    assert it.graph.values[-1].shape == (1, 1, 1, 7)
    assert it.forward()[0].dtype == torch.float32


def test_rows_go_by_item_label_and_falling_score() -> None:
    rows = found(THRESHOLD, [SOME, SOME])
    assert [row[:2] for row in rows] == [[item, label] for item in (0, 1) for label in (1, 1, 2)]
    assert [row[2] for row in rows[:3]] == pytest.approx([0.7, 0.6, 0.8])
    assert rows[0][3:] == pytest.approx(PRIORS[1].tolist())


def test_a_score_has_to_exceed_the_threshold() -> None:
    assert len(found("confidence_threshold: 0.6", [SOME])) == 2
    assert len(found("confidence_threshold: 0.59", [SOME])) == 3


def test_overlapping_boxes_are_suppressed_within_a_label() -> None:
    assert len(found(f"{THRESHOLD} nms_param {{ nms_threshold: 0.95 }}", [SOME])) == 5
    assert len(found(f"{THRESHOLD} nms_param {{ nms_threshold: 0.95 top_k: 1 }}", [SOME])) == 2


def test_the_best_of_all_labels_are_kept_in_the_order_of_labels() -> None:
    rows = found(f"{THRESHOLD} keep_top_k: 2", [SOME])
    assert [row[1] for row in rows] == [1, 2]
    assert [row[2] for row in rows] == pytest.approx([0.7, 0.8])


def test_nothing_found() -> None:
    nothing = [-1] * 6
    assert found(THRESHOLD, [NONE, NONE]) == [[0, *nothing], [1, *nothing]]
    assert {row[0] for row in found(THRESHOLD, [NONE, SOME])} == {1}
    assert found(f"{THRESHOLD} keep_top_k: 0", [SOME]) == [[0, *nothing]]


def test_boxes_are_decoded_and_not_clipped() -> None:
    offsets = torch.zeros(1, 12)
    offsets[0, 8] = -20
    (row,) = found("confidence_threshold: 0.5 code_type: CENTER_SIZE background_label_id: 0", [[0, 0, 0, 0, 0, 0, 0, 1, 0]], offsets)
    assert row[3:] == pytest.approx([0.5 - 0.8, 0.5, 0.9 - 0.8, 0.9], abs=1e-6)


def test_locations_for_each_class() -> None:
    offsets = torch.zeros(1, 3, 3, 4)
    offsets[0, 2, 1] = 1
    priors = torch.stack((PRIORS.flatten(), torch.full((12,), 0.1))).unsqueeze(0)
    (y,) = tops(
        layer("share_location: false confidence_threshold: 0.5"),
        o=offsets.flatten(1),
        s=torch.tensor([[0, 0, 0, 0, 0, 0, 0, 1.0, 0.9]]),
        p=priors,
    )
    assert y[0, 0, :, 3].tolist() == pytest.approx([0.6, 0.5])


@pytest.mark.parametrize(
    "fields",
    [
        "nms_param { nms_threshold: 0.3 top_k: 40 }",
        "nms_param { nms_threshold: 0.5 top_k: 9 } keep_top_k: 11 confidence_threshold: 0.25",
        "nms_param { nms_threshold: 0 top_k: 40 } keep_top_k: 0",
        "nms_param { nms_threshold: 0.3 top_k: 40 } share_location: false keep_top_k: 100 background_label_id: 2",
        "nms_param { nms_threshold: 0.3 top_k: 40 } share_location: false background_label_id: -1 code_type: CENTER_SIZE",
        "nms_param { nms_threshold: 0.3 eta: 0.9 top_k: 40 }",
        "nms_param { nms_threshold: 0.4 top_k: 0 }",
        "confidence_threshold: 2 nms_param { top_k: 5 }",
    ],
)
def test_without_looking_at_values_it_finds_the_same(fields: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many scores are equal, an item has none, another has boxes that are no numbers."""
    generator = torch.Generator().manual_seed(2)
    priors = torch.randint(0, 6, (40, 2, 2), generator=generator).float().sort(1).values.flatten(1) / 6
    scores = torch.randint(0, 9, (3, 40, 3), generator=generator) / 8
    scores[1] = torch.tensor([1.0, 0, 0])
    offsets = torch.randint(-1, 2, (3, 40, 3 if "share" in fields else 1, 4), generator=generator) / 2
    offsets[2, 3] = torch.nan
    given = {"o": offsets.flatten(1), "s": scores.flatten(1), "p": torch.stack((priors.flatten(), torch.full((160,), 0.1))).unsqueeze(0)}
    wanted = tops(layer(fields), **given)[0]
    blind(monkeypatch)
    torch.testing.assert_close(tops(layer(fields), **given)[0], wanted, rtol=0, atol=0)


STAGED = """layer { name: "l" type: "DetectionOutput" bottom: "o" bottom: "s" bottom: "p" bottom: "a" BOTTOM top: "y"
            detection_output_param { num_classes: 3 confidence_threshold: 0.15 objectness_score: 0.25 FIELDS } }"""


def staged(likely: list[float], moved: torch.Tensor | None = None, fields: str = "") -> list[list[float]]:
    """Rows for one item, behind a first stage with these scores of an object and offsets."""
    text = STAGED.replace("BOTTOM", 'bottom: "b"' if moved is not None else "").replace("FIELDS", fields)
    given = {
        "o": torch.zeros(1, 12),
        "s": torch.tensor([SOME]),
        "p": torch.stack((PRIORS.flatten(), torch.full((12,), 0.1))).unsqueeze(0),
        "a": torch.tensor([[each for score in likely for each in (1 - score, score)]]),
    }
    rows: list[list[float]] = tops(text, **given, **({} if moved is None else {"b": moved}))[0][0, 0].tolist()
    return rows


def test_where_a_first_stage_saw_no_object_class_0_has_all_of_the_score() -> None:
    assert staged([0.25, 0.9, 0.3]) == found(THRESHOLD, [SOME])
    assert staged([0.25, 0.9, 0.24]) == found(THRESHOLD, [[*SOME[:6], 1.0, 0, 0]])
    last = staged([0.25, 0.9, 0.24], fields="background_label_id: 2")[0]
    assert last[:3] == [0, 0, 1]
    assert last[3:] == pytest.approx(PRIORS[2].tolist())


def test_the_offsets_of_a_first_stage_move_the_priors() -> None:
    moved = torch.zeros(1, 3, 4)
    moved[0, 1] = torch.tensor([1.0, 2, 3, 4])
    (best, *_) = staged([1, 1, 1], moved.flatten(1))
    assert best[3:] == pytest.approx([0.1 + 0.1, 0.1 + 0.2, 0.3 + 0.3, 0.32 + 0.4])
    wide = torch.zeros(1, 3, 4)
    wide[0, 1] = torch.tensor([5.0, 0, 0, torch.log(torch.tensor(2.0)) * 10])
    (best, *_) = staged([1, 1, 1], wide.flatten(1), "code_type: CENTER_SIZE")
    assert best[3:] == pytest.approx([0.2, 0.21 - 0.22, 0.4, 0.21 + 0.22], abs=1e-6)


def test_detections_are_saved(tmp_path: Path) -> None:
    (tmp_path / "sizes.txt").write_text("17 100 200\n23 10 20\n")
    (tmp_path / "labels.prototxt").write_text('item { name: "none" label: 0 } item { name: "1" label: 1 } item { name: "2" label: 2 }')
    save = f'''save_output_param {{ output_directory: "{tmp_path}/out" output_name_prefix: "det" output_format: "COCO"
               label_map_file: "{tmp_path}/labels.prototxt" name_size_file: "{tmp_path}/sizes.txt" }}'''
    found(f"confidence_threshold: 0.65 {save}", [SOME, NONE])
    entries = json.loads((tmp_path / "out/det.json").read_text())
    assert [entry["category_id"] for entry in entries] == [1, 2]
    assert entries[0]["image_id"] == 17
    assert entries[0]["bbox"] == [20, 10, 40, 22]
    assert entries[0]["score"] == pytest.approx(0.7)


def test_refusals() -> None:
    good = {"o": (2, 12), "s": (2, 9), "p": (1, 2, 12)}
    assert "num_classes is not given" in refusal(
        'layer { name: "l" type: "DetectionOutput" bottom: "o" bottom: "s" bottom: "p" top: "y" }', **good
    )
    assert "background_label_id is -1 with share_location" in refusal(layer("background_label_id: -1"), **good)
    assert "bottom 0 is (2, 16); needed: (N, 12)" in refusal(layer(), o=(2, 16), s=(2, 9), p=(1, 2, 12))
    assert "bottom 1 is (2, 8); needed: (N, 9)" in refusal(layer(), o=(2, 12), s=(2, 8), p=(1, 2, 12))
    assert "bottom 2 is (1, 12)" in refusal(layer(), o=(2, 12), s=(2, 9), p=(1, 12))
    first = STAGED.replace("FIELDS", "").replace("BOTTOM", 'bottom: "b"')
    assert "bottom 3 is (2, 9); needed: (2, 6), a score for background and object" in refusal(first, **good, a=(2, 9), b=(2, 12))
    assert "bottom 4 is (1, 12); needed: (2, 12), 4 offsets" in refusal(first, **good, a=(2, 6), b=(1, 12))
    apart = first.replace("num_classes", "share_location: false num_classes")
    assert "share_location is false beside offsets of a first stage" in refusal(apart, **good | {"o": (2, 36)}, a=(2, 6), b=(2, 12))
