"""Resample."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.layers.check import check_layer, refusal, subject, tops, values


def layer(fields: str, second: str = "") -> str:
    return f'layer {{ name: "l" type: "Resample" bottom: "x" {second} top: "y" resample_param {{ {fields} }} }}'


def weight(x: float, *, cubic: bool) -> float:
    x = abs(x)
    if not cubic:
        return max(0.0, 1 - x)
    return x * x * (1.5 * x - 2.5) + 1 if x <= 1 else x * (x * (-0.5 * x + 2.5) - 4) + 2 if x < 2 else 0.0


def reference(image: Tensor, height: int, width: int, kind: str, antialias: bool) -> Tensor:
    old_height, old_width = image.shape[2:]
    fx, fy = old_width / width, old_height / height
    wider = antialias and (fx > 1 or fy > 1)
    ax, ay = (1 / f if wider else 1.0 for f in (fx, fy))
    reach = 4 if kind == "CUBIC" else 2
    rx, ry = (2 if f < 1 else math.ceil(round(reach / a, 4)) for f, a in ((fx, ax), (fy, ay)))
    top = np.zeros((*image.shape[:2], height, width))
    for oy in range(height):
        for ox in range(width):
            x, y = ox * fx + fy / 2 - 0.5, oy * fy + fx / 2 - 0.5
            near_x, near_y = math.floor(x + 0.5), math.floor(y + 0.5)
            if kind == "NEAREST":
                top[:, :, oy, ox] = image[:, :, near_y, near_x]
                continue
            total = 0.0
            for i in range(max(near_y - ry, 0), min(near_y + ry, old_height - 1) + 1):
                for j in range(max(near_x - rx, 0), min(near_x + rx, old_width - 1) + 1):
                    w = ax * weight(ax * (x - j), cubic=kind == "CUBIC") * ay * weight(ay * (y - i), cubic=kind == "CUBIC")
                    top[:, :, oy, ox] += w * image[:, :, i, j].numpy()
                    total += w
            top[:, :, oy, ox] = top[:, :, oy, ox] / total if total else 0
    return torch.from_numpy(top).float()


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize(
    ("size", "kind"),
    [
        *((size, kind) for size in [(4, 3), (16, 12), (8, 6)] for kind in ("LINEAR", "CUBIC", "NEAREST")),
        *((size, kind) for size in [(5, 9), (13, 4)] for kind in ("LINEAR", "CUBIC")),  # where NEAREST's fork reads outside the picture
    ],
)
def test_values(size: tuple[int, int], kind: str, antialias: bool) -> None:
    x = values((2, 3, 8, 6))
    fields = f"height: {size[0]} width: {size[1]} type: {kind} antialias: {str(antialias).lower()}"
    torch.testing.assert_close(tops(layer(fields), x=x)[0], reference(x, *size, kind, antialias), atol=1e-4, rtol=1e-4)


def test_layer() -> None:
    for kind in ("LINEAR", "CUBIC", "NEAREST"):
        check_layer(layer(f"height: 5 width: 9 type: {kind}"), x=(2, 3, 4, 4))
    it = check_layer(layer("", 'bottom: "size"'), x=(2, 3, 4, 4), size=(1, 1, 2, 3))
    assert it.forward()[0].shape == (2, 3, 2, 3)
    assert not it.layer.gradients.backward


def test_other_shapes_from_pass_to_pass() -> None:
    it = subject(layer("height: 5 width: 9"), x=(1, 1, 4, 4))
    run, x = it.run(), values((1, 1, 6, 3))
    it.layer.forward(it.bottoms(), [], run)
    it.layer.reshape([(1, 1, 6, 3)])
    torch.testing.assert_close(it.layer.forward([x], [], run)[0], reference(x, 5, 9, "LINEAR", True), atol=1e-4, rtol=1e-4)


def test_a_nan_stays_near_where_it_is() -> None:
    x = torch.ones(1, 1, 8, 16)
    x[0, 0, 0, 15] = math.nan
    (y,) = tops(layer("height: 8 width: 16"), x=x)
    assert y[0, 0, :, :12].isfinite().all()
    assert y[0, 0, 4:].isfinite().all()


def test_refusals() -> None:
    assert "type is AREA" in refusal(layer("height: 5 width: 9 type: AREA"), x=(1, 1, 4, 4))
    assert "(4, 4) becomes (0, 9)" in refusal(layer("width: 9"), x=(1, 1, 4, 4))
    assert "bottom 0 has 2 axes" in refusal(layer("height: 5 width: 9"), x=(4, 4))
