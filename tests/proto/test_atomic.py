"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import threading

import pytest

from caffepy.errors import DataError, WeightsError
from caffepy.proto import atomic
from caffepy.proto.atomic import atomic_write, open_file, read_whole


def test_the_new_file_takes_the_place_of_the_old(tmp_path):
    target = tmp_path / "a.caffemodel"
    target.write_bytes(b"old")
    with atomic_write(target) as temporary:
        assert temporary.parent == tmp_path
        temporary.write_bytes(b"new")
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.caffemodel"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "a"
    target.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), atomic_write(target) as temporary:
        raise ZeroDivisionError(temporary.write_bytes(b"half"))
    with (
        pytest.raises(DataError, match=r"a: cannot write it: No space left"),
        atomic_write(target, error=DataError) as temporary,
    ):
        raise OSError(28, "No space left on device")
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_missing_folder_is_named(tmp_path):
    target = tmp_path / "no" / "a"
    with (
        pytest.raises(WeightsError, match=f"there is no folder {target.parent}"),
        atomic_write(target) as temporary,
    ):
        temporary.write_bytes(b"x")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(WeightsError, match="cannot write it"), atomic_write(tmp_path) as temporary:
        temporary.write_bytes(b"x")
    assert tmp_path.is_dir()


def test_a_device_is_written_directly():
    with atomic_write("/dev/null") as temporary:
        temporary.write_bytes(b"x")
    with (
        pytest.raises(WeightsError, match="/dev/full: cannot write it: No space left"),
        atomic_write("/dev/full") as temporary,
    ):
        temporary.write_bytes(b"x")


def test_a_pipe_is_written_directly():
    end, begin = os.pipe()
    with os.fdopen(end, "rb") as reader:
        with os.fdopen(begin, "wb"), atomic_write(f"/dev/fd/{begin}") as temporary:
            temporary.write_bytes(b"x")
        assert reader.read() == b"x"


def test_a_link_keeps_pointing_to_the_file(tmp_path):
    link = tmp_path / "latest"
    link.symlink_to("real")
    with atomic_write(link) as temporary:
        temporary.write_bytes(b"x")
    assert link.is_symlink()
    assert (tmp_path / "real").read_bytes() == b"x"


def test_reading(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    (tmp_path / "empty").touch()
    assert bytes(read_whole(tmp_path / "a")) == b"abc"
    for name, message in (
        ("no", "File not found"),
        ("empty", "the file is empty"),
        ("", "cannot read it"),
    ):
        with pytest.raises(WeightsError, match=message):
            read_whole(tmp_path / name)


def test_a_pipe_that_nobody_writes_to(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic, "WRITER_S", 0.05)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        WeightsError,
        match=r"pipe: cannot read it: nobody writes to this pipe, whose bytes come only once; needed: a file",
    ):
        read_whole(tmp_path / "pipe")


def test_a_pipe_whose_writer_comes_and_writes_late(tmp_path):
    path, go_on = tmp_path / "pipe", threading.Event()
    os.mkfifo(path)

    def write():
        with path.open("wb", buffering=0) as stream:
            stream.write(b"a" * 100_000)  # more than a pipe holds
            go_on.wait(10)
            stream.write(b"b")

    writer = threading.Thread(target=write)
    writer.start()
    threading.Timer(0.1, go_on.set).start()
    with open_file(path) as stream:
        assert stream.read() == b"a" * 100_000 + b"b"
    writer.join(10)


def test_a_pipe_without_a_name_waits_for_its_writer_and_is_empty_the_second_time():
    reader, writer = os.pipe()
    try:
        late = threading.Timer(0.1, lambda: (os.write(writer, b"late"), os.close(writer)))
        late.start()
        with open_file(f"/dev/fd/{reader}") as stream:
            assert stream.read() == b"late"
        late.join(10)
        assert open_file(f"/dev/fd/{reader}").read() == b""
    finally:
        os.close(reader)
