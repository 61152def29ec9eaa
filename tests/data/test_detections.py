"""Files of detections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caffepy.data.detections import DetectionFiles, read_pictures
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sizes.txt").write_text("a 10 20\nb 30 40\n")
    (tmp_path / "labels.prototxt").write_text(
        'item { name: "background" label: 0 } item { name: "cat" label: 1 } item { name: "7" label: 2 }'
    )
    return tmp_path


def param(folder: Path, **fields: Any) -> Any:
    given = {
        "output_directory": f"{folder}/out",
        "output_name_prefix": "det_",
        "label_map_file": f"{folder}/labels.prototxt",
        "name_size_file": f"{folder}/sizes.txt",
    }
    return caffe_pb2.SaveOutputParameter(**given | fields)


ROWS = [[1, 0.5, 1.004, 2, 3, 6], [2, 0.25, 0, 0, 8, 9]]


def saved(folder: Path, **fields: Any) -> dict[str, str]:
    files = DetectionFiles(param(folder, **fields), background=0)
    assert files.picture.name == "a"
    files.add(ROWS)
    assert not list(files.folder.iterdir())
    files.add(ROWS[:1])
    return {path.name: path.read_text() for path in files.folder.iterdir()}


def test_coco(folder: Path) -> None:
    files = saved(folder, output_format="COCO")
    assert json.loads(files["det_.json"]) == [
        {"image_id": "a", "category_id": "cat", "bbox": [1, 2, 2, 4], "score": 0.5},
        {"image_id": "a", "category_id": 7, "bbox": [0, 0, 8, 9], "score": 0.25},
        {"image_id": "b", "category_id": "cat", "bbox": [1, 2, 2, 4], "score": 0.5},
    ]


def test_coco_has_the_layout_and_the_digits_of_ssd(folder: Path) -> None:
    files = DetectionFiles(param(folder, output_format="COCO", num_test_image=1), background=0)
    files.add([[1, float(np.float32(0.3)), 0.125, 2.5, 5.995, 4]])
    edges = ["0.129999995", "2.5", "5.86999989", "1.5"]
    lines = ",\n".join(" " * 16 + edge for edge in edges)
    wanted = f"""[
        {{
            "image_id": "a",
            "category_id": "cat",
            "bbox": [
{lines}
            ],
            "score": 0.300000012
        }}
{" " * 4}
]
"""
    assert (folder / "out/det_.json").read_text() == wanted


def test_edges_are_cut_to_whole_pixels(folder: Path) -> None:
    files = DetectionFiles(param(folder, output_format="VOC", num_test_image=1), background=2)
    files.add([[1, 0.5, 1.7, 2.996, 5.6, 6.9]])
    assert {path.name: path.read_text() for path in files.folder.iterdir()} == {
        "det_background.txt": "",
        "det_cat.txt": "a 0.5 1 3 4 6\n",
    }


def test_voc(folder: Path) -> None:
    assert saved(folder, output_format="VOC") == {
        "det_cat.txt": "a 0.5 1 2 3 6\nb 0.5 1 2 3 6\n",
        "det_7.txt": "a 0.25 0 0 8 9\n",
    }


def test_ilsvrc(folder: Path) -> None:
    assert saved(folder, output_format="ILSVRC") == {
        "det_.txt": "a 1 0.5 1 2 3 6\na 2 0.25 0 0 8 9\nb 1 0.5 1 2 3 6\n"
    }


def test_the_first_pictures_only(folder: Path) -> None:
    files = DetectionFiles(param(folder, output_format="COCO", num_test_image=1), background=0)
    files.add([])
    assert (folder / "out/det_.json").read_text() == "[]\n"
    assert files.picture.name == "a"


def test_refusals(folder: Path) -> None:
    with pytest.raises(DataError, match="output_format is ''; needed: VOC, COCO, ILSVRC"):
        DetectionFiles(param(folder), background=0)
    with pytest.raises(DataError, match="num_test_image is 3; needed: 1 to 2"):
        DetectionFiles(param(folder, output_format="COCO", num_test_image=3), background=0)
    with pytest.raises(DataError, match="label_map_file: "):
        DetectionFiles(param(folder, output_format="COCO", label_map_file="missing"), background=0)
    with pytest.raises(DataError, match="label 5 is not in label_map_file"):
        DetectionFiles(param(folder, output_format="COCO"), background=0).add([[5, 0, 0, 0, 1, 1]])
    twice = "".join(f'item {{ name: "{name}" label: 1 }}' for name in "ab")
    (folder / "twice.prototxt").write_text(twice)
    with pytest.raises(DataError, match="gives a label twice"):
        DetectionFiles(
            param(folder, output_format="COCO", label_map_file=f"{folder}/twice.prototxt"),
            background=0,
        )
    (folder / "sizes.txt").write_text("a 10\n")
    with pytest.raises(DataError, match="a name, a height and a width"):
        read_pictures(f"{folder}/sizes.txt")
