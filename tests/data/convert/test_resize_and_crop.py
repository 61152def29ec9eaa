"""Pictures cut to squares."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.cli.main import run
from caffepy.data.convert.resize_and_crop import Options, convert
from caffepy.errors import DataError, UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """``in/a b.png``, wide, a red band in its middle; ``in/sub/tall.png`` likewise.

    ``in/bad.png``; the list of them.
    """
    (tmp_path / "in/sub").mkdir(parents=True)
    wide = np.zeros((4, 12, 3), np.uint8)
    wide[:, 4:8, 2] = 200
    cv2.imwrite(str(tmp_path / "in/a b.png"), wide)
    cv2.imwrite(str(tmp_path / "in/sub/tall.png"), np.ascontiguousarray(wide.transpose(1, 0, 2)))
    (tmp_path / "in/bad.png").write_bytes(b"no image")
    (tmp_path / "list.txt").write_text(
        f"a b.png 3\r\n\n{tmp_path}/in/sub/tall.png\nbad.png 1\nnone.png\n"
    )
    return tmp_path


def options(folder: Path, **more: object) -> Options:
    return Options(
        str(folder / "list.txt"),
        f"{folder}/in",
        str(folder / "out"),
        **{"output_side_length": 8, **more},
    )


@pytest.mark.parametrize("library", ["OpenCV", "pil"])
def test_squares(library: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if library == "pil":
        pytest.importorskip("PIL")
    assert convert(options(folder, image_lib=library, num_clients=2)) == 2
    for name in ("a b.png", "sub/tall.png"):
        image = cv2.imread(str(folder / "out" / name))
        assert image is not None
        assert image.shape == (8, 8, 3)
        np.testing.assert_allclose(image[2:6, 2:6].reshape(-1, 3).mean(0), [0, 0, 200], atol=8)
    errors = capsys.readouterr().err
    assert "in/bad.png: " in errors
    assert f"{folder}/in/none.png: No such file" in errors


@pytest.mark.parametrize("library", ["OpenCV", "pil"])
def test_names_with_nul_bytes_are_told_and_passed(
    library: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if library == "pil":
        pytest.importorskip("PIL")
    (folder / "list.txt").write_bytes(b"a\0b.png\nsub\0/tall.png\na b.png\n\0\n")
    assert convert(options(folder, image_lib=library)) == 1
    errors = capsys.readouterr().err
    for name in (r"'a\x00b.png'", r"'sub\x00/tall.png'", r"'\x00'"):
        assert f"{name}: the name of a file holds a NUL byte" in errors


def test_refusals(folder: Path) -> None:
    with pytest.raises(UsageError, match="-image_lib gd: needed: OpenCV or PIL"):
        convert(options(folder, image_lib="gd"))
    with pytest.raises(UsageError, match="-output_side_length 0"):
        convert(options(folder, output_side_length=0))
    with pytest.raises(UsageError, match="-num_clients -1: needed: 0 or more"):
        convert(options(folder, num_clients=-1))
    (folder / "list.txt").write_text("\n")
    with pytest.raises(DataError, match="names no image"):
        convert(options(folder))
    (folder / "list.txt").unlink()
    with pytest.raises(DataError, match="No such file"):
        convert(options(folder))


def test_the_images_themselves_are_not_overwritten(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / "in/a b.png").read_bytes()
    words = (
        f"-input={folder}/list.txt",
        f"-input_folder={folder}/in/",
        f"-output_folder={folder}/out/../in",
        "-output_side_length=2",
    )
    (folder / "out").mkdir()
    assert run("caffepy", ["resize_and_crop_images", *words]) == 1
    assert "-output_folder is -input_folder" in capsys.readouterr().err
    assert (folder / "in/a b.png").read_bytes() == before
