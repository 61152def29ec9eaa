"""Lists of images, however they were written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caffepy.data.list_files import Entry, atoi, read_images, read_list, read_videos
from caffepy.errors import DataError


def read(tmp_path: Path, content: bytes) -> list[Entry]:
    path = tmp_path / "list.txt"
    path.write_bytes(content)
    return read_list(str(path), where="list")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"a.png 1\nb.png 2\n", [(b"a.png", 1), (b"b.png", 2)]),
        (b"a.png 1\nb.png 2", [(b"a.png", 1), (b"b.png", 2)]),  # no line end at the end
        (b"a.png 1\r\nb.png 2\r\n", [(b"a.png", 1), (b"b.png", 2)]),
        (b"a.png\t1\r\nb.png\t-2", [(b"a.png", 1), (b"b.png", -2)]),
        (b"my dir/a b.png 3\n", [(b"my dir/a b.png", 3)]),
        (b"a\tb.png 3\n", [(b"a\tb.png", 3)]),
        (b"\xef\xbb\xbfa.png 1\n", [(b"a.png", 1)]),
        ("größe/猫.png 7\n".encode(), [("größe/猫.png".encode(), 7)]),
        ("猫.png 7\r\na.png 1\r\n".encode("utf-16"), [("猫.png".encode(), 7), (b"a.png", 1)]),
        (b"latin\xe9.png 1\n", [(b"latin\xe9.png", 1)]),
        (b"a.png  1\n", [(b"a.png ", 1)]),  # two spaces: the name ends with one, as in Caffe
        (b"\n\na.png 1\n\r\n", [(b"", 0), (b"", 0), (b"a.png", 1), (b"", 0)]),
        (b"a.png " + b"0" * 5000 + b"\n", [(b"a.png", 0)]),
        (b"", []),
    ],
)
def test_lines(tmp_path: Path, content: bytes, found: list[tuple[bytes, int]]) -> None:
    entries = read(tmp_path, content)
    assert [(entry.name, entry.label) for entry in entries] == found
    assert [entry.line for entry in entries] == list(range(len(found)))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b"12", 12),
        (b" -7x", -7),
        (b"+5", 5),
        (b"0.75", 0),
        (b"cat", 0),
        (b"", 0),
        (b"3000000000", 3000000000 - 2**32),
        (b"9" * 30, -1),
        (b"-" + b"9" * 5000, 0),
        (b"0" * 5000 + b"7", 7),
    ],
)
def test_atoi(text: bytes, number: int) -> None:
    assert atoi(text) == number


@pytest.mark.parametrize(
    "line", [b"folder 3", b"folder x 1", b"folder 0 1", b"folder 3 " + b"9" * 5000]
)
def test_lines_of_videos_that_are_none(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "list.txt").write_bytes(line)
    with pytest.raises(DataError, match="needed: a folder, its number of frames and a label"):
        read_videos(str(tmp_path / "list.txt"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            b"a.png cat\nb.png dog\n",
            "line 1 and 1 more lines: 'a.png cat' does not end in an integer label",
        ),
        (b"a.png 1\nb.png 0.5\n", "line 2: 'b.png 0.5' does not end"),
        (b"a.png\n", "line 1: 'a.png' does not end"),
        (
            b"a.png 3000000000\n",
            "line 1: 'a.png 3000000000' does not end in an integer label of 32 bits",
        ),
    ],
)
def test_odd_labels_are_told_of_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, says: str
) -> None:
    read(tmp_path, content)
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(says, line)


def test_good_lists_are_read_silently(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read(tmp_path, b"a.png 1\n\nb.png -2147483648\nc.png 2147483647\n")
    assert capsys.readouterr().err == ""


def test_lists_without_images(tmp_path: Path) -> None:
    with pytest.raises(
        DataError,
        match="File is empty: image list 'nowhere.txt' cannot be read: No such file.*looked in /",
    ):
        read_images("nowhere.txt", where="list")
    with pytest.raises(DataError, match="File is empty: .*cannot be read: Is a directory"):
        read_images(str(tmp_path), where="list")
    (tmp_path / "list.txt").write_text("\n\r\n")
    with pytest.raises(DataError, match="File is empty: image list .* names no image"):
        read_images(str(tmp_path / "list.txt"), where="list")
