"""Proposal."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.layers.check import check_layer, refusal, tops, values

FIELDS = "ratio: 0.5 ratio: 1 scale: 2 scale: 4 base_size: 8 feat_stride: 8 min_size: 6"
PICTURE = [[36.0, 44, 1.5, 1.25]]


def layer(fields: str = FIELDS, top: str = "") -> str:
    return f"""layer {{ name: "l" type: "Proposal" bottom: "s" bottom: "o" bottom: "p" top: "y" {top} proposal_param {{ {fields} }} }}"""


def blobs() -> dict[str, Tensor]:
    return {"s": values((1, 8, 4, 5)).sigmoid(), "o": values((1, 16, 4, 5), 1) * 0.3, "p": torch.tensor(PICTURE)}


def overlap(a: list[float], b: list[float]) -> float:
    if a[0] > b[2] or a[1] > b[3] or a[2] < b[0] or a[3] < b[1]:
        return 0.0
    area = (min(a[2], b[2]) - max(a[0], b[0]) + 1) * (min(a[3], b[3]) - max(a[1], b[1]) + 1)
    return area / sum([(c[2] - c[0] + 1) * (c[3] - c[1] + 1) for c in (a, b)], -area)


def reference(most_before: int, most: int, threshold: float) -> list[list[float]]:
    """Rows of box and score, one anchor after another."""
    scores, offsets = blobs()["s"][0].numpy(), blobs()["o"][0].numpy()
    height, width, scale_y, scale_x = PICTURE[0]
    found = []
    for y, x in np.ndindex(4, 5):
        for k, (ratio, scale) in enumerate((r, s) for r in (0.5, 1) for s in (2, 4)):
            w = math.floor(math.sqrt(64 / ratio) + 0.5)
            h = math.floor(w * ratio + 0.5) * scale
            w *= scale
            dx, dy, dw, dh = (float(offsets[4 * k + i, y, x]) for i in range(4))
            left, above = x * 8 + 3.5 - (w - 1) / 2, y * 8 + 3.5 - (h - 1) / 2
            cx, cy, w, h = left + w / 2 + dx * w, above + h / 2 + dy * h, w * math.exp(dw), h * math.exp(dh)
            box = [
                max(0.0, min(v, n - 1)) for v, n in ((cx - w / 2, width), (cy - h / 2, height), (cx + w / 2, width), (cy + h / 2, height))
            ]
            large = box[2] - box[0] + 1 >= 6 * scale_x and box[3] - box[1] + 1 >= 6 * scale_y
            found.append([*box, float(scores[4 + k, y, x]) * large])
    kept: list[list[float]] = []
    for row in sorted(found, key=lambda row: -row[4])[:most_before]:
        if len(kept) < most and all(overlap(row, other) <= threshold for other in kept):
            kept.append(row)
    return kept


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize(
    ("fields", "limits"),
    [
        ("", (6000, 300, 0.7)),
        ("nms_thresh: 0.3", (6000, 300, 0.3)),
        ("pre_nms_topn: 30 post_nms_topn: 7 nms_thresh: 0.5", (30, 7, 0.5)),
    ],
)
def test_values(fields: str, limits: tuple[int, int, float]) -> None:
    regions, scores = tops(layer(f"{FIELDS} {fields}", 'top: "score"'), **blobs())
    wanted = torch.tensor(reference(*limits))
    torch.testing.assert_close(regions, torch.cat([torch.zeros(len(wanted), 1), wanted[:, :4]], 1), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(scores, wanted[:, 4])


def test_anchors_are_those_of_faster_r_cnn() -> None:
    """Of base 16, one pixel longer as decoding has it."""
    scores = torch.zeros(1, 18, 1, 1)
    scores[0, 9:, 0, 0] = torch.arange(9, 0, -1) / 10
    fields = "ratio: 0.5 ratio: 1 ratio: 2 scale: 8 scale: 16 scale: 32 nms_thresh: 1"
    (regions,) = tops(layer(fields), s=scores, o=torch.zeros(1, 36, 1, 1), p=torch.tensor([[1000.0, 1000, 1, 1]]))
    assert regions[:, 3:].tolist() == [[100, 56], [192, 104], [376, 200], [72, 72], [136, 136], [264, 264], [52, 96], [96, 184], [184, 360]]


def test_layer() -> None:
    for top in ("", 'top: "score"'):
        it = check_layer(layer(f"{FIELDS} post_nms_topn: 5", top), **blobs())
        assert not it.layer.gradients.backward


def test_refusals() -> None:
    given = blobs()
    assert "0 ratio and 1 scale are given" in refusal(layer("scale: 8"), **given)
    assert "post_nms_topn is 0" in refusal(layer(f"{FIELDS} post_nms_topn: 0"), **given)
    assert "bottom 0 is (2, 8, 4, 5); needed: (1, 8, height, width)" in refusal(layer(), **(given | {"s": values((2, 8, 4, 5))}))
    assert "bottom 1 is (1, 16, 4, 4)" in refusal(layer(), **(given | {"o": values((1, 16, 4, 4))}))
    assert "needed: at least 4 numbers" in refusal(layer(), **(given | {"p": values((1, 3))}))
