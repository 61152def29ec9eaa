"""Label maps out of lists of classes."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.data.label_map import read_label_map, write_label_map
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2
from caffepy.proto.text import read_text


def items(
    tmp_path: Path, text: str, *, background: bool = False, delimiter: str = " "
) -> list[tuple[str, int, str]]:
    (tmp_path / "list.txt").write_bytes(text.encode())
    write_label_map(
        f"{tmp_path}/list.txt",
        f"{tmp_path}/map.prototxt",
        background=background,
        delimiter=delimiter,
    )
    labels = caffe_pb2.LabelMap()
    read_text(f"{tmp_path}/map.prototxt", labels)
    return [(item.name, item.label, item.display_name) for item in labels.item]


def test_names_are_numbered(tmp_path: Path) -> None:
    assert items(tmp_path, "cat\nhund\u00e9\r\n\n") == [
        ("cat", 0, "cat"),
        ("hund\u00e9", 1, "hund\u00e9"),
    ]
    assert items(tmp_path, "cat\ndog", background=True) == [
        ("none_of_the_above", 0, "background"),
        ("cat", 1, "cat"),
        ("dog", 2, "dog"),
    ]
    assert read_label_map(f"{tmp_path}/map.prototxt")["dog"] == 2


def test_numbers_and_what_to_show_may_be_given(tmp_path: Path) -> None:
    assert items(tmp_path, "cat 7\ndog 3\n") == [("cat", 7, "cat"), ("dog", 3, "dog")]
    assert items(tmp_path, "1,1,a person\n2;5,bicycle\n", delimiter=",;") == [
        ("1", 1, "a person"),
        ("2", 5, "bicycle"),
    ]
    assert items(tmp_path, "a cat", delimiter="") == [("a cat", 0, "a cat")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cat 1\ndog\n", r"list\.txt:2: a line of 1 fields; needed: 2, as in the first"),
        ("a b c d\n", r"list\.txt:1: a line of 4 fields; needed: 1 to 3"),
        (
            "cat one\n",
            r"list\.txt:1: 'cat one' is no class: .*needed: UTF-8, and an integer in field 2",
        ),
    ],
)
def test_refusals(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        items(tmp_path, text)


def test_no_list(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="label list .* cannot be read"):
        write_label_map(f"{tmp_path}/none", f"{tmp_path}/map.prototxt")


def test_a_list_without_a_line_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert items(tmp_path, "\n\n") == []
    assert capsys.readouterr().err.endswith(
        f"{tmp_path}/list.txt has no line, and so {tmp_path}/map.prototxt no class; needed: a line for each class\n"
    )
    assert items(tmp_path, "", background=True) == [("none_of_the_above", 0, "background")]
    assert capsys.readouterr().err == ""
