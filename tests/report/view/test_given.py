"""Telling a net from a training."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caffepy.errors import CaffeError
from caffepy.report.view.given import is_training
from tests.report.logs import LOG
from tests.report.view.nets import NET


@pytest.mark.parametrize(
    ("name", "content", "training"),
    [
        ("net.prototxt", NET.encode(), False),
        ("net.txt", NET.encode(), False),
        ("empty.prototxt", b"", False),  # its reader says what is wrong with it
        ("train.log", LOG.encode(), True),
        ("train.txt", b"\xff\xfe" + LOG.encode("utf-16-le"), True),
        ("of_a_rank", b"[1,0]<stderr>:" + LOG.splitlines()[2].encode(), True),
        ("early.log", b"Use CPU.\n", True),  # its reader says what is missing in it
        ("m.jsonl", b'{"iteration": 1}\n', True),
    ],
)
def test_kinds(name: str, content: bytes, training: bool, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    assert is_training(str(tmp_path / name)) == training


def test_a_log_that_is_to_be_followed_may_be_empty(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("")
    assert is_training(str(tmp_path / "a.log"), running=True)
    with pytest.raises(CaffeError, match="it is empty"):
        is_training(str(tmp_path / "a.log"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused(tmp_path: Path) -> None:
    """It is read twice: to see what it is, and for its numbers."""
    os.mkfifo(tmp_path / "a.log")
    with pytest.raises(CaffeError, match="needed: a file"):
        is_training(str(tmp_path / "a.log"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.log", None, "none.log: No such file or directory"),
        ("empty.log", b" \n", "empty.log: it is empty; needed: a net's prototxt, or the log of caffe train"),
        ("a.bin", b"\x0a\x00\x01", "a.bin: it is no text"),
        ("net.caffemodel", b"", "net.caffemodel: it has no layers to draw; needed: a net's prototxt, with this file as -weights"),
    ],
)
def test_refused(name: str, content: bytes | None, message: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CaffeError) as refusal:
        is_training(str(tmp_path / name))
    assert message in str(refusal.value)
