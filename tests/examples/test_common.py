"""The pieces that the examples share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest


@pytest.fixture
def common(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = root / "examples" / "common"
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.mark.usefixtures("common")
def test_scene() -> None:
    from shapes import KINDS, draw_scene

    scene = draw_scene(np.random.default_rng(3), (96, 128), count=(3, 3))
    assert scene.image.shape == (96, 128, 3)
    assert len(scene.shapes) == 3
    labels = scene.labels()
    for shape in scene.shapes:
        xmin, ymin, xmax, ymax = shape.box
        inside = shape.mask[ymin : ymax + 1, xmin : xmax + 1]
        assert inside.sum() == shape.mask.sum() > 0
        assert inside[0].any()
        assert inside[-1].any()
        assert (labels[shape.mask] == KINDS.index(shape.kind) + 1).all()
        assert (scene.outlines() & shape.mask).any()
    again = draw_scene(np.random.default_rng(3), (96, 128), count=(3, 3))
    np.testing.assert_array_equal(scene.image, again.image)


@pytest.mark.usefixtures("common")
def test_voc(tmp_path: Path) -> None:
    from PIL import Image
    from shapes import draw_scene
    from voc import palette, write_list, write_scene

    scene = draw_scene(np.random.default_rng(1), 64, count=(2, 2))
    write_scene(tmp_path, "000001", scene, segmentation=True)
    write_list(tmp_path, "train", ["000001"])
    tree = ElementTree.parse(tmp_path / "Annotations" / "000001.xml")
    objects = tree.findall("object")
    assert [node.findtext("name") for node in objects] == [shape.kind for shape in scene.shapes]
    xmin = objects[0].findtext("bndbox/xmin")
    assert xmin is not None
    assert int(xmin) == scene.shapes[0].box[0] + 1
    with Image.open(tmp_path / "SegmentationClass" / "000001.png") as image:
        assert image.mode == "P"
        np.testing.assert_array_equal(np.asarray(image), scene.labels())
    assert (tmp_path / "ImageSets/Main/train.txt").read_text() == "000001\n"
    # aeroplane, bicycle and the border of VOC's own files
    np.testing.assert_array_equal(
        palette()[[1, 2, 255]], [[128, 0, 0], [0, 128, 0], [224, 224, 192]]
    )


@pytest.mark.parametrize(
    ("figure", "code"),
    [("mAP 0.9 >= 0.85", 0), ("mAP 0.8 >= 0.85", 1), ("error nan <= 1", 1), ("error 0.5 <= 1", 0)],
)
def test_result(figure: str, code: int, common: Path, tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    picture.touch()
    command = [
        sys.executable,
        str(common / "result.py"),
        "--out",
        str(tmp_path),
        "--example",
        "ssd",
    ]
    command += ["--picture", str(picture), "--seconds", "3", "--processor-seconds", "5", figure]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code
    assert ("NOT REACHED" in done.stdout) == bool(code)
    assert subprocess.run([*command, "--short"], capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("MPI", "two", "MPI=two; needed: a number of ranks"),
        ("MPI", "0", "MPI=0; needed: a number of ranks"),
        ("MAX_ITER", "many", "MAX_ITER=many; needed: a number of iterations"),
        ("OUT", "a b", "/a b; needed: a folder without blanks"),
        ("OUT", "a#b", "/a#b; needed: a folder without blanks"),
        ("OUT", "file", "/file is a file; needed: a folder"),
        ("VOC", "nowhere", "VOC=nowhere: there is no such folder"),
        ("LFW", "file", "LFW=file: there is no such folder"),
        ("VOC", "made/VOC2012", "needed: another folder for OUT"),
    ],
)
def test_wrong_settings_are_told_first(
    setting: str, value: str, told: str, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "made" / "VOC2012").mkdir(parents=True)
    environment = {"PATH": os.environ["PATH"], "OUT": "made"} | {setting: value}
    script = root / "examples" / "segmentation" / "run.sh"
    command = ["bash", str(script)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("segmentation: ")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "made" / "VOC2012").is_dir()


def test_folders_count_from_where_the_script_was_started(common: Path, tmp_path: Path) -> None:
    (tmp_path / "VOC2007").mkdir()
    folder = tmp_path / "checkout" / "examples" / "common"
    folder.mkdir(parents=True)
    (folder / "start.sh").write_bytes((common / "start.sh").read_bytes())
    tool = tmp_path / "checkout" / "tools" / "dev" / "venv"  # in place of the one that installs
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    command = f'example=ssd; source "{folder}/start.sh"; echo "$out $VOC $PWD"'
    environment = {"PATH": os.environ["PATH"], "OUT": "made", "VOC": "VOC2007"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    here = tmp_path.resolve()
    assert done.stdout == f"{here}/made {here}/VOC2007 {here}/checkout\n", done.stderr
