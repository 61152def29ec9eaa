"""The script that runs the examples and writes their table."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest


@pytest.fixture
def gallery(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The script's names, with a folder of two examples in place of the checkout."""
    names = runpy.run_path(str(root / "examples/gallery"))
    pages = tmp_path / "docs/examples"
    pages.mkdir(parents=True)
    for function in (
        names["main"],
        names["run"],
        names["examples"],
        names["copy_picture"],
        names["row"],
    ):
        monkeypatch.setitem(function.__globals__, "ROOT", tmp_path)
        monkeypatch.setitem(function.__globals__, "PAGES", pages)
    (pages / "README.md").write_text(
        "# Examples\n\n<!-- gallery -->\nold\n| [kept](kept.md) | a |\n<!-- /gallery -->\n"
    )
    script = """cd "$(dirname "$0")"; echo '{"figures": [{"name": "mAP", "value": VALUE, "relation": ">=", "needed": 0.85,
 "reached": REACHED}], "seconds": 12, "processor_seconds": 20, "short": false, "picture": "examples/NAME/out/a.png"}' >out/result.json"""
    for name, value, reached in (("good", "0.9", "true"), ("bad", "0.1", "false")):
        folder = tmp_path / "examples" / name
        (folder / "out").mkdir(parents=True)
        text = script.replace("NAME", name).replace("VALUE", value).replace("REACHED", reached)
        (folder / "run.sh").write_text(text)
        noise = np.random.default_rng(0).integers(0, 255, (300, 1000, 3), np.uint8)
        cv2.imwrite(str(folder / "out/a.png"), noise)
        (pages / f"{name}.md").write_text(f"# The job of {name}\n")
    return names


def test_gallery(gallery: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["gallery"])
    assert gallery["main"]() == 1  # one did not reach its figure
    page = (tmp_path / "docs/examples/README.md").read_text()
    assert (
        "| [good](good.md) | The job of good | mAP 0.9 (>= 0.85) | 20 s | ![good](good.jpg) |"
        in page
    )
    assert "| [kept](kept.md) | a |" in page
    assert "bad" not in page
    assert "old" not in page
    image = cv2.imread(str(tmp_path / "docs/examples/good.jpg"))
    assert image is not None
    assert image.shape[1] == 800


def test_keep(gallery: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = {
        "figures": [{"name": "AUC", "value": 1, "relation": ">=", "needed": 0.5, "reached": True}]
    }
    result |= {
        "seconds": 7,
        "processor_seconds": 9,
        "short": False,
        "picture": "examples/good/out/a.png",
    }
    (tmp_path / "examples/good/out/result.json").write_text(json.dumps(result))
    monkeypatch.setattr("sys.argv", ["gallery", "--keep", "good"])
    assert gallery["main"]() == 0
    assert "AUC 1 (>= 0.5) | 9 s" in (tmp_path / "docs/examples/README.md").read_text()


def test_an_example_that_is_not_there(
    gallery: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["gallery", "good", "nonsense"])
    with pytest.raises(SystemExit):
        gallery["main"]()
    assert "there is no example 'nonsense'; needed: bad, good\n" in capsys.readouterr().err
