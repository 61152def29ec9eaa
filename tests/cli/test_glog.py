"""glog's flags, applied to the log."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caffepy import log
from caffepy.cli import glog
from caffepy.cli.flags import COMMON
from caffepy.cli.gflags import FlagError, scan


def lines_shown(*argv: str, quiet: bool = False) -> None:
    glog.apply(scan(argv, COMMON), "caffe", quiet=quiet)
    for write in (log.info, log.warning, log.error, log.fatal):
        write("solver.cpp:1", f"a line by {write.__name__}")
    for stream in log.sink.streams:
        stream.close()


def test_the_classic_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines_shown()
    first = capsys.readouterr().err.splitlines()[0]
    assert re.fullmatch(r"I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ solver\.cpp:1\] a line by info", first)


@pytest.mark.parametrize(("flag", "letters"), [("0", "IWEF"), ("1", "WEF"), ("2", "EF"), ("3", "F"), ("9", "F"), ("-1", "IWEF")])
def test_minloglevel(flag: str, letters: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines_shown("-minloglevel", flag)
    assert "".join(line[0] for line in capsys.readouterr().err.splitlines()) == letters


def test_environment_gives_the_default(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GLOG_minloglevel", "2")
    lines_shown()
    assert len(capsys.readouterr().err.splitlines()) == 2
    lines_shown("-minloglevel=3")
    assert len(capsys.readouterr().err.splitlines()) == 1
    monkeypatch.setenv("GLOG_minloglevel", "two")
    with pytest.raises(FlagError, match="environment variable GLOG_minloglevel: illegal value 'two'"):
        lines_shown()


def test_no_prefix(capsys: pytest.CaptureFixture[str]) -> None:
    lines_shown("-log_prefix=false")
    assert capsys.readouterr().err.startswith("a line by info\n")


def test_verbosity() -> None:
    lines_shown("-v", "2")
    assert log.sink.verbosity == 2


def test_log_dir(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines_shown(f"-log_dir={tmp_path}")
    (file,) = tmp_path.glob("caffe.*.log.INFO.*")
    text = file.read_text()
    assert text.startswith("Log file created at: ")
    assert text.splitlines()[4:] == capsys.readouterr().err.splitlines()
    assert (tmp_path / "caffe.INFO").read_text() == text
    assert len(list(tmp_path.iterdir())) == 2


def test_log_dir_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines_shown(f"-log_dir={tmp_path}", "-alsologtostderr=0")
    assert [line[0] for line in capsys.readouterr().err.splitlines()] == ["E", "F"]
    assert len((tmp_path / "caffe.INFO").read_text().splitlines()) == 8


def test_logtostderr_writes_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines_shown(f"-log_dir={tmp_path}", "-logtostderr")
    assert len(capsys.readouterr().err.splitlines()) == 4
    assert not list(tmp_path.iterdir())


def test_log_dir_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines_shown(f"-log_dir={tmp_path}/none", "-alsologtostderr=0")
    first, *lines = capsys.readouterr().err.splitlines()
    assert first.startswith("E")
    assert f"log_dir {tmp_path}/none: No such file or directory; needed: a folder" in first
    assert [line[0] for line in lines] == ["I", "W", "E", "F"]


@pytest.mark.parametrize(
    ("argv", "environ", "letters"),
    [((), {}, "WEF"), (("-alsologtostderr",), {}, "IWEF"), (("-logtostderr",), {}, "IWEF"), ((), {"GLOG_logtostderr": "1"}, "IWEF")],
)
def test_quiet(
    argv: tuple[str, ...], environ: dict[str, str], letters: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    lines_shown(*argv, quiet=True)
    assert "".join(line[0] for line in capsys.readouterr().err.splitlines()) == letters
