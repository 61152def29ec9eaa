"""convert_imageset: keys, Datums, flags, and what happens to images and targets that cannot be used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.data.convert.imageset import Options, convert
from caffepy.data.datum import Datum, decode
from caffepy.data.stores import open_read
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2
from tests.data.build import picture, write_images


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five pictures in ``in/``, their list in ``list.txt``."""
    (write_images(tmp_path / "in", 5)).rename(tmp_path / "list.txt")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(options: Options = Options()) -> int:
    return convert("in/", "list.txt", "db", options)


def records(backend: str = "lmdb") -> dict[str, Datum]:
    with open_read("db", backend) as store:
        return {os.fsdecode(key): decode(bytes(value)) for key, value in store.items()}


def unpacked(datum: Datum) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(datum.data, np.uint8), cv2.IMREAD_UNCHANGED)


@pytest.mark.parametrize("backend", ["lmdb", "leveldb"])
def test_keys_and_datums(folder: Path, backend: str) -> None:
    assert run(Options(backend=backend)) == 5
    with open_read("db", backend) as store:
        found = [(bytes(key), bytes(value)) for key, value in store.items()]
    assert [key for key, _ in found] == [b"%08d_%d.png" % (i, i) for i in range(5)]
    for i, (_, value) in enumerate(found):
        datum = caffe_pb2.Datum(
            channels=3,
            height=6,
            width=8,
            data=picture(i).transpose(2, 0, 1).tobytes(),
            label=10 + i,
            encoded=False,
        )
        assert value == datum.SerializeToString()
    assert sorted(os.listdir(folder)) == ["db", "in", "list.txt"]


def test_gray_and_resized(folder: Path) -> None:
    run(Options(gray=True, resize_height=3, resize_width=4))
    gray = cv2.imread("in/2.png", cv2.IMREAD_GRAYSCALE)
    np.testing.assert_array_equal(records()["00000002_2.png"].image()[0], cv2.resize(gray, (4, 3)))


@pytest.mark.parametrize(("height", "width"), [(0, 4), (-3, 4)])
def test_one_size_alone_resizes_nothing(
    height: int, width: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(Options(resize_height=height, resize_width=width))
    assert records()["00000000_0.png"].image().shape == (3, 6, 8)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("W")
    assert line.endswith(
        f"-resize_height {height} -resize_width {width}: images keep their sizes; needed: both above 0"
    )


def test_encoded_files_are_kept_as_they_are(folder: Path) -> None:
    run(Options(encoded=True))
    datum = records()["00000001_1.png"]
    assert (bytes(datum.data), datum.encoded, datum.channels) == (
        (folder / "in/1.png").read_bytes(),
        True,
        0,
    )


@pytest.mark.parametrize(
    "options", [Options(encode_type="jpg"), Options(encoded=True, resize_height=3, resize_width=4)]
)
def test_encoded_anew(folder: Path, options: Options) -> None:
    run(options)
    datum = records()["00000001_1.png"]
    assert bytes(datum.data[:3]) == (b"\xff\xd8\xff" if options.encode_type else b"\x89PN")
    assert unpacked(datum).shape == ((6, 8, 3) if options.encode_type else (3, 4, 3))


def test_gray_encoded_ones_have_one_channel(folder: Path) -> None:
    cv2.imwrite("in/1.png", picture(1)[:, :, 0])
    run(Options(gray=True, encoded=True, encode_type="png"))
    found = records()
    assert {unpacked(datum).ndim for datum in found.values()} == {2}
    assert bytes(found["00000001_1.png"].data) == (folder / "in/1.png").read_bytes(), (
        "gray as it was: the same bytes"
    )


def test_jpeg_is_jpg(folder: Path) -> None:
    Path("in/a.JPEG").write_bytes(cv2.imencode(".jpg", picture(0))[1].tobytes())
    Path("list.txt").write_text("a.JPEG 1\n")
    run(Options(encode_type="jpg"))
    assert bytes(records()["00000000_a.JPEG"].data) == Path("in/a.JPEG").read_bytes()


def test_no_writer_for_what_is_asked(folder: Path) -> None:
    with pytest.raises(DataError, match="-encode_type xyz: OpenCV writes no such images"):
        run(Options(encode_type="xyz"))
    Path("in/noext").write_bytes(Path("in/0.png").read_bytes())
    Path("list.txt").write_text("0.png 1\nnoext 1\n")
    with pytest.raises(
        DataError, match="'in/noext': OpenCV cannot write it as 'noext'; give -encode_type"
    ):
        run(Options(encoded=True))
    assert sorted(os.listdir(folder)) == ["in", "list.txt"]


def test_shuffled_lists_are_numbered_anew(folder: Path) -> None:
    Path("list.txt").write_text("".join(f"{i % 5}.png {i}\n" for i in range(50)))
    run(Options(shuffle=True))
    found = records()
    labels = [datum.label for datum in found.values()]
    assert [key[:8] for key in found] == [f"{i:08d}" for i in range(50)]
    assert sorted(labels) == list(range(50)) != labels


def test_unreadable_images_are_named_and_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("in/1.png").unlink()
    Path("in/2.png").write_bytes(b"")
    Path("in/3.png").write_bytes(b"<html>")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("caffepy.log.sink.min_level", 0)
        assert run() == 2
    errors = capsys.readouterr().err
    assert list(records()) == ["00000000_0.png", "00000004_4.png"], "keys keep the lines' numbers"
    assert "Could not open or find file in/1.png: No such file or directory" in errors
    assert "Could not open or find file in/2.png: it is empty" in errors
    assert "Could not open or find file in/3.png: it is no image that OpenCV knows" in errors
    assert "] Processed 2 files." in errors
    assert "2 of 5 images were stored, 3 could not be read; " in errors


def test_a_pipe_is_no_image_and_is_not_waited_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("in/1.png").unlink()
    os.mkfifo("in/1.png")
    assert run() == 4
    assert (
        "Could not open or find file in/1.png: it is a pipe; needed: a file"
        in capsys.readouterr().err
    )


def test_unreadable_images_are_fatal_on_request(folder: Path) -> None:
    Path("in/3.png").unlink()
    with pytest.raises(
        DataError, match=r"Could not open or find file in/3.png: No such file .*-skip_bad=false"
    ):
        run(Options(skip_bad=False))
    assert sorted(os.listdir(folder)) == ["in", "list.txt"], "no database, and none half-written"


def test_nothing_could_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert("in", "list.txt", "db", Options()) == 0
    assert (
        "0 of 5 images were stored, 5 could not be read; ROOTFOLDER and the names are joined as they are"
        in capsys.readouterr().err
    )


def test_a_missing_list_makes_an_empty_database_as_in_caffe(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert("in/", "nowhere.txt", "db", Options()) == 0
    told = capsys.readouterr().err
    assert "image list 'nowhere.txt' cannot be read: No such file or directory (looked in /" in told
    assert "no image was stored, as the list names none: db is empty" in told
    with pytest.raises(DataError, match="image list 'nowhere.txt' cannot be read"):
        convert("in/", "nowhere.txt", "db2", Options(skip_bad=False))


def test_sizes_are_checked_on_request(folder: Path) -> None:
    cv2.imwrite("in/3.png", picture(3, 6, 9))
    with pytest.raises(DataError, match="'in/3.png': Incorrect data field size 162; needed: 144"):
        run(Options(check_size=True))
    assert "db" not in os.listdir(folder)
    run(Options(check_size=True, resize_height=4, resize_width=4))


def test_lists_of_every_kind(folder: Path) -> None:
    for name in ("a b.png", "größe.png", "猫.png"):
        cv2.imencode(".png", picture(0))[1].tofile(f"in/{name}")
    Path("list.txt").write_bytes(
        "\ufeff0.png 1\r\n\r\na b.png 2\r\n1.png\t3\r\ngröße.png 4\r\n猫.png 5".encode()
    )
    assert run() == 5
    assert {key: datum.label for key, datum in records().items()} == {
        "00000000_0.png": 1,
        "00000002_a b.png": 2,
        "00000003_1.png": 3,
        "00000004_größe.png": 4,
        "00000005_猫.png": 5,
    }


def test_odd_pictures(folder: Path) -> None:
    alpha = np.dstack([picture(0), np.zeros((6, 8), np.uint8)])
    cv2.imwrite("in/0.png", alpha)
    cv2.imwrite("in/1.png", picture(1).astype(np.uint16) * 256 + 77)
    run()
    found = records()
    np.testing.assert_array_equal(found["00000000_0.png"].image(), picture(0).transpose(2, 0, 1))
    np.testing.assert_array_equal(found["00000001_1.png"].image(), picture(1).transpose(2, 0, 1))


def test_many_images_are_told_of_and_none_is_lost(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caffepy.log.sink.min_level", 0)
    monkeypatch.setattr("caffepy.data.stores.base.COMMIT_BYTES", 5000)
    Path("list.txt").write_text("".join(f"{i % 5}.png {i}\n" for i in range(2100)))
    told: list[tuple[int, int]] = []
    convert(
        "in/", "list.txt", "db", Options(), progress=lambda done, total: told.append((done, total))
    )
    assert [datum.label for datum in records().values()] == list(range(2100))
    errors = capsys.readouterr().err
    assert [line.split("] ")[1] for line in errors.splitlines() if "Processed" in line] == [
        "Processed 1000 files.",
        "Processed 2000 files.",
        "Processed 2100 files.",
    ]
    assert told == [(i + 1, 2100) for i in range(2100)]


@pytest.mark.parametrize("backend", ["lmdb", "leveldb"])
def test_a_full_disk_leaves_nothing(folder: Path, backend: str) -> None:
    script = f"""
import resource
from caffepy.data.convert.imageset import Options, convert
from caffepy.errors import DataError
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
try:
    convert("in/", "list.txt", "db", Options(backend="{backend}", resize_width=200, resize_height=200))
except DataError as error:
    print(error)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    ended = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60
    )
    assert "'db' cannot be written: " in ended.stdout, ended.stderr
    assert sorted(os.listdir(folder)) == ["in", "list.txt"]


def test_targets_that_cannot_be_made(folder: Path) -> None:
    (folder / "taken").write_text("")
    for target, why in (
        ("taken", "exists already"),
        ("taken/db", "Not a directory"),
        ("no/db", "No such file"),
    ):
        with pytest.raises(DataError, match=f"mkdir {target} failed: .*{why}"):
            convert("in/", "list.txt", target, Options())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o555)
    with pytest.raises(DataError, match="mkdir closed/db failed: Permission denied"):
        convert("in/", "list.txt", "closed/db", Options())
