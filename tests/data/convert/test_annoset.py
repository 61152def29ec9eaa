"""convert_annoset: SSD's own records, and annotation files that cannot be used."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import pytest

from caffepy.data.convert.annoset import AnnosetOptions, convert
from caffepy.data.convert.annotation_files import read_annotations
from caffepy.data.stores import open_read
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2
from tests.data.build import picture
from tests.golden.recorded import forks

CASES = sorted(path.name for path in (forks()[0] / "ssd" / "cli").glob("convert_annoset_*"))
MAP = "".join(
    f'item {{ name: "{name}" label: {i} }}' for i, name in enumerate(("background", "cat", "dog"))
)
XML = (
    "<annotation><size><width>{}</width><height>20</height></size><object><name>{}</name><difficult>{}</difficult>"
    "<bndbox><xmin>{}</xmin><ymin>5</ymin><xmax>20</xmax><ymax>15</ymax></bndbox></object></annotation>"
)


def words_of(flags: list[str]) -> dict[str, Any]:
    """``--gray --min_dim=20`` as fields of the options."""
    pairs = [flag.removeprefix("--").partition("=")[::2] for flag in flags]
    return {
        name: int(value) if value.isdigit() else value in ("", "true") or value
        for name, value in pairs
    }


@pytest.mark.parametrize("name", CASES)
def test_records_are_those_of_ssd(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = json.loads((forks()[0] / "ssd" / "cli" / name / "cmd.json").read_text())
    monkeypatch.chdir(
        shutil.copytree(forks()[0] / "ssd" / "db", tmp_path / "db", copy_function=shutil.copyfile)
    )
    *flags, root, listed, _ = recorded["argv"][1:]
    if recorded["exit_code"] != 0:
        with pytest.raises(DataError, match="Incorrect data field size 3024; needed: 3600"):
            convert(root, listed, "made", AnnosetOptions(**words_of(flags)))
        assert not Path("made").exists()
        return
    assert convert(root, listed, "made", AnnosetOptions(**words_of(flags))) == len(
        recorded["records"]
    )
    with open_read("made", "lmdb") as store:
        found = {key.decode(): hashlib.sha1(value).hexdigest() for key, value in store.items()}
    assert found == {key: record["sha1"] for key, record in recorded["records"].items()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One image of 20 x 30, its list and its label map."""
    cv2.imwrite(str(tmp_path / "a.png"), picture(0, 20, 30))
    (tmp_path / "list.txt").write_text("a.png a.ann\n")
    (tmp_path / "map.prototxt").write_text(MAP)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stored(kind: str, text: str, **more: Any) -> Any:
    """The one record."""
    Path("a.ann").write_text(text)
    options = {
        "anno_type": "detection",
        "label_map_file": "map.prototxt",
        "label_type": kind,
        **more,
    }
    convert("./", "list.txt", "db", AnnosetOptions(**options))
    with open_read("db", "lmdb") as store:
        return caffe_pb2.AnnotatedDatum.FromString(bytes(store.first()))


def box_of(record: Any) -> list[float]:
    box = record.annotation_group[0].annotation[0].bbox
    return [box.xmin, box.ymin, box.xmax, box.ymax]


def test_json_names_classes_by_category_id(folder: Path) -> None:
    text = json.dumps(
        {
            "image": {"height": 20, "width": 30},
            "annotation": [{"category_id": "dog", "bbox": [3, 5, 6, 10], "iscrowd": 1}],
        }
    )
    record = stored("json", text)
    assert record.annotation_group[0].group_label == 2
    assert record.annotation_group[0].annotation[0].bbox.difficult
    assert box_of(record) == pytest.approx([0.1, 0.25, 0.3, 0.75])


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            "json",
            '{"annotation": [{"category_id": "cat", "bbox": [1e300, 3e38, -Infinity, 3e38]}]}',
        ),
        ("txt", "1 1e300 2 -1e300 3"),
    ],
)
def test_edges_beyond_float32_are_infinite(folder: Path, kind: str, text: str) -> None:
    assert box_of(stored(kind, text))[0] == float("inf")


def test_size_is_the_image_s_where_the_file_has_none(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert box_of(
        stored("json", '{"annotation": [{"category_id": "cat", "bbox": [3, 5, 6, 10]}]}')
    ) == pytest.approx([0.1, 0.25, 0.3, 0.75])
    assert "does not say the size of the image" in capfd.readouterr().err


def test_xml_with_another_size_and_fractions_is_warned_of(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert box_of(stored("xml", XML.format(40, "cat", 0, "10.9"))) == pytest.approx(
        [0.25, 0.25, 0.5, 0.75]
    )
    said = capfd.readouterr().err
    assert "inconsistent image width: 40, the image has 30" in said
    assert "xmin is 10.9; 10 is taken" in said


def test_a_missing_annotation_file_leaves_an_image_without_boxes(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "list.txt").write_text("a.png nowhere.xml\n")
    assert len(stored("xml", "").annotation_group) == 0
    assert "nowhere.xml does not exist" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("declared", "encoding", "name"),
    [
        ("gb2312", "gb2312", "猫"),
        ("Shift_JIS", "shift_jis", "猫"),
        ("utf8mb4", "utf-8", "猫"),
        ("utf-16", "utf-16", "猫"),
        ("", "gbk", "cat"),
    ],
)
def test_xml_in_other_encodings(folder: Path, declared: str, encoding: str, name: str) -> None:
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else "<!-- 图片 -->"
    Path("a.ann").write_bytes((head + XML.format(30, name, 0, 1)).encode(encoding))
    (group,) = read_annotations("a.ann", "xml", (30, 20), {name: 1}).annotation_group
    assert group.group_label == 1


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("xml", "<annotation>", "a.ann: it is no XML"),
        ("xml", "<other/>", "its root is 'other'; needed: annotation"),
        ("xml", "<annotation><object/></annotation>", "an object has no name"),
        (
            "xml",
            "<annotation><object><name>cat</name></object></annotation>",
            "an object has no bndbox",
        ),
        (
            "xml",
            XML.format(30, "cta", 0, 1),
            "Unknown name: cta; needed: one of the label map; nearest: 'cat'",
        ),
        ("xml", XML.format(30, "cat", 0, "x"), "xmin is 'x'; needed: a number of pixels"),
        ("xml", XML.format(0, "cat", 0, 1), "no valid image width/height: 0x20"),
        ("json", "{", "it is no JSON"),
        ("json", "[" * 100_000, "it is no JSON"),
        ("json", "[]", "needed: image, and annotation"),
        (
            "json",
            '{"annotation": [{"category_id": "cat"}]}',
            r"needed: image, and annotation .* \(KeyError: 'bbox'\)",
        ),
        (
            "json",
            '{"annotation": [{"category_id": "cat", "bbox": [1, 2]}]}',
            "a bbox has 2 numbers",
        ),
        ("txt", "1 2 3", "has 3 words; needed: label, xmin"),
        ("txt", "cat 2 3 4 5", "'cat 2 3 4 5'; needed: an integer label"),
        ("txt", "99999999999 2 3 4 5", "'99999999999 2 3 4 5'; needed: an integer label"),
    ],
)
def test_unusable_annotations(folder: Path, kind: str, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        stored(kind, text)
    assert not Path("db").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"label_type": "xlm"}, "-label_type xlm; nearest: 'xml'; needed: xml or json or txt"),
        ({"anno_type": "boxes"}, "-anno_type boxes; needed: classification or detection"),
        ({"label_map_file": ""}, "-anno_type detection needs -label_map_file"),
        ({"label_map_file": "none.prototxt"}, "label_map_file: .*none.prototxt"),
        ({"label_map_file": "list.txt"}, "label_map_file: list.txt:1:"),
        ({"label_map_file": "empty"}, "label_map_file 'empty' has no item"),
        (
            {"label_map_file": "twice", "check_label": True},
            "There are many duplicates of name: cat",
        ),
        ({"encode_type": "xyz"}, "OpenCV writes no such images"),
    ],
)
def test_unusable_flags(folder: Path, more: dict[str, Any], message: str) -> None:
    (folder / "empty").write_text("")
    (folder / "twice").write_text('item { name: "cat" label: 1 } item { name: "cat" label: 2 }')
    with pytest.raises(DataError, match=message):
        stored("xml", XML.format(30, "cat", 0, 1), **more)
    assert not Path("db").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "names no image"), ("a.png", "'a.png' is alone; needed: an image and its labels' file")],
)
def test_unusable_lists(folder: Path, text: str, message: str) -> None:
    (folder / "list.txt").write_text(text)
    with pytest.raises(DataError, match=message):
        stored("xml", XML.format(30, "cat", 0, 1))
