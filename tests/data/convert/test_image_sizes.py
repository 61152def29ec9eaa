"""get_image_size."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.data.convert.image_sizes import write_sizes
from caffepy.errors import DataError, UsageError
from tests.data.build import write_images


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two images of 6 x 8 and a list of them."""
    write_images(tmp_path / "in", 2)
    (tmp_path / "list.txt").write_text("0.png 0.xml\n1.png 1.xml\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_names_and_sizes(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    write_sizes(
        "in", "list.txt", "out.txt", progress=lambda done, total: told.append((done, total))
    )
    assert told == [(1, 2), (2, 2)]
    assert Path("out.txt").read_text() == "0 6 8\n1 6 8\n"
    Path("ids").write_text("0 17\n1 -3\n")
    write_sizes("in/", "list.txt", "out.txt", name_id_file="ids")
    assert Path("out.txt").read_text() == "17 6 8\n-3 6 8\n"


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ("0 1", "has 1 lines for 1 names, the list 2"),
        ("0 1 0 2", "has 2 lines for 1 names"),
        ("0 1 2 3", "has no number for '1' .line 2 of 'list.txt'"),
        ("0 1\n1 b", "'ids', word 3: '1 b'; needed: a name and an integer"),
        ("0 1\n1", "'ids', word 3: '1'; needed: a name and an integer"),
    ],
)
def test_unusable_numbers(folder: Path, ids: str, message: str) -> None:
    Path("ids").write_text(ids)
    with pytest.raises(DataError, match=message):
        write_sizes("in", "list.txt", "out.txt", name_id_file="ids")
    assert not Path("out.txt").exists()


def test_unusable_images(folder: Path) -> None:
    Path("in/1.png").write_bytes(b"no image")
    with pytest.raises(DataError, match=r"Could not open or find file in/1.png: it is no image"):
        write_sizes("in", "list.txt", "out.txt")
    with pytest.raises(DataError, match="name_id_file 'none' cannot be read"):
        write_sizes("in", "list.txt", "out.txt", name_id_file="none")


def test_what_is_read_is_not_overwritten(folder: Path) -> None:
    Path("ids").write_text("0 17\n1 -3\n")
    for target in ("list.txt", "./ids"):
        with pytest.raises(UsageError, match=f"{target} would be overwritten"):
            write_sizes("in", "list.txt", target, name_id_file="ids")
    assert Path("list.txt").read_text() == "0.png 0.xml\n1.png 1.xml\n"
