"""Faults that people reported of image lists, image files and the databases made of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import lmdb
import numpy as np
import pytest

from tests.contract.reported.kit import caffe, records, save_image, save_lmdb

FLAT = np.full((4, 4, 3), (200, 100, 50), np.uint8)


def convert(lines: str | bytes, *words: str, root: str = "./", to: str = "db") -> list[str]:
    """convert_imageset of a list; its warnings and errors."""
    Path("list.txt").write_bytes(lines if isinstance(lines, bytes) else lines.encode())
    said = caffe("convert_imageset", *words, root, "list.txt", to)
    assert said.code == 0
    return [line for line, letter in zip(said.lines, said.letters, strict=True) if letter in "WE"]


def test_root_folder_without_a_slash() -> None:
    save_image("photos/a.png", FLAT)
    first, last = convert("a.png 0\n", root="photos")
    assert "photosa.png" in first
    assert last.startswith("0 of 1 images were stored, 1 could not be read; ROOTFOLDER and the names are joined as they are")
    assert convert("a.png 0\n", root="photos/", to="db2") == []
    assert list(records("db2")) == [b"00000000_a.png"]


def test_labels_that_are_words_and_tabs() -> None:
    save_image("a.png", FLAT)
    (warning,) = convert("a.png cat\na.png dog\n")
    assert warning.startswith("list.txt, line 1 and 1 more lines: 'a.png cat' does not end in an integer label")
    assert convert("a.png\t4\n", to="tabs") == []
    assert [datum.label for datum in records("tabs").values()] == [4]
    assert len(convert("a.png 0.75\n", to="floats")) == 1


def test_a_database_that_is_there_already() -> None:
    save_image("a.png", FLAT)
    convert("a.png 0\n")
    before = Path("db/data.mdb").read_bytes()
    assert "mkdir db failed: it exists already" in caffe("convert_imageset", "./", "list.txt", "db").refusal
    assert Path("db/data.mdb").read_bytes() == before


def test_the_map_grows() -> None:
    noise = np.random.RandomState(0).randint(0, 256, (96, 96, 3), np.uint8)
    save_image("n.png", noise)
    assert convert("".join(f"n.png {i}\n" for i in range(120))) == []
    found = records("db")
    assert list(found) == [b"%08d_n.png" % i for i in range(120)]
    assert [datum.label for datum in found.values()] == list(range(120))
    assert 3e6 < os.path.getsize("db/data.mdb") < 64e6


@pytest.mark.parametrize("broken", [False, True])
def test_network_disks_that_know_no_locks(monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    real = lmdb.open

    def without_locks(path: str, **options: Any) -> Any:
        if broken or options.get("lock", True):
            raise lmdb.Error(f"{path}: Function not implemented")
        return real(path, **options)

    monkeypatch.setattr(lmdb, "open", without_locks)
    save_image("a.png", FLAT)
    Path("list.txt").write_text("a.png 0\n")
    said = caffe("convert_imageset", "./", "list.txt", "db")
    if broken:
        assert re.fullmatch(r"LMDB 'db' cannot be written: .*: Function not implemented", said.refusal)
        assert sorted(os.listdir()) == ["a.png", "list.txt"]
    else:
        assert list(records("db")) == [b"00000000_a.png"]


def test_gray_and_encoded() -> None:
    save_image("c.png", FLAT)
    convert("c.png 0\n", "-gray", "-encoded", "-encode_type=png")
    (datum,) = records("db").values()
    image = cv2.imdecode(np.frombuffer(datum.data, np.uint8), cv2.IMREAD_UNCHANGED)
    assert image is not None
    assert datum.encoded
    np.testing.assert_array_equal(image, np.full((4, 4), 96))


def test_alpha_and_sixteen_bits() -> None:
    save_image("rgba.png", np.full((2, 2, 4), (10, 20, 30, 0), np.uint8))
    save_image("deep.png", np.uint16([[0, 255, 256, 0x12FF], [0x7FFF, 0x8000, 0xFEFF, 0xFFFF]]))
    convert("rgba.png 0\ndeep.png 1\n")
    alpha, _ = (datum.image() for datum in records("db").values())
    np.testing.assert_array_equal(alpha[:, 0, 0], [10, 20, 30])
    convert("deep.png 1\n", "-gray", to="gray")
    (deep,) = records("gray").values()
    assert deep.image().ravel().tolist() == [0, 0, 1, 0x12, 0x7F, 0x80, 0xFE, 0xFF]
    convert("rgba.png 0\n", "-encoded", "-encode_type=jpg", to="jpg")
    (jpeg,) = records("jpg").values()
    image = cv2.imdecode(np.frombuffer(jpeg.data, np.uint8), cv2.IMREAD_UNCHANGED)
    assert image is not None
    assert image.shape == (2, 2, 3)


def test_damaged_files() -> None:
    save_image("whole.jpg", np.random.RandomState(0).randint(0, 256, (48, 48, 3), np.uint8))
    content = Path("whole.jpg").read_bytes()
    Path("cut.jpg").write_bytes(content[: len(content) // 2])
    Path("empty.jpg").touch()
    Path("page.jpg").write_text("<html>not found</html>")
    cut, empty, page = convert("whole.jpg 0\ncut.jpg 1\nempty.jpg 2\npage.jpg 3\nwhole.jpg 4\n")
    assert "cut.jpg is truncated" in cut
    assert "empty.jpg: it is empty" in empty
    assert "page.jpg: it is no image" in page
    assert list(records("db")) == [b"00000000_whole.jpg", b"00000001_cut.jpg", b"00000004_whole.jpg"]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
def test_names_beyond_ascii(start: bytes, root: Path) -> None:
    names = ["größe/Öl.png", "图像.png", "עברית.png"]
    for name in names:
        save_image(name, FLAT)
    lines = "".join(f"{name} {i}\n" for i, name in enumerate(names)).encode()
    assert convert(start + lines) == []
    assert list(records("db")) == [f"{i:08d}_{name}".encode() for i, name in enumerate(names)]
    environment = dict(os.environ, LC_ALL="C", PYTHONUTF8="0", PYTHONPATH=str(root))
    command = [sys.executable, "-m", "caffepy", "convert_imageset", "./", "list.txt", "c_db"]
    assert subprocess.run(command, env=environment, capture_output=True, timeout=60).returncode == 0
    assert list(records("c_db")) == list(records("db"))


def test_lists_with_carriage_returns_and_empty_lines() -> None:
    save_image("a.png", FLAT)
    assert convert(b"a.png 3\r\n\r\na.png 4\r\n\r\n") == []
    assert [(key, datum.label) for key, datum in records("db").items()] == [(b"00000000_a.png", 3), (b"00000002_a.png", 4)]


def test_mean_of_mixed_sizes() -> None:
    save_lmdb("mixed", [np.zeros((3, 4, 4)), np.zeros((3, 2, 8))])  # as many values, another shape
    assert "record 1 (key '1'): Incorrect data field size" in caffe("compute_image_mean", "mixed", "mean.binaryproto").refusal
    assert not Path("mean.binaryproto").exists()


def test_mean_of_records_that_are_no_datums() -> None:
    from caffepy.data.stores import open_write

    with open_write("foreign", "lmdb") as store:
        store.put(b"0", b"\x0a\x04\x08\x03\x10\x04")  # a message whose first field is a message
    assert "is no Datum with channels, height, width" in caffe("compute_image_mean", "foreign", "mean.binaryproto").refusal
    assert not Path("mean.binaryproto").exists()
