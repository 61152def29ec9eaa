"""The Python module in this process, quiet, and as it was after each test."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from unittest import mock

import pytest

from caffepy import log

# the log is set up when the module is first imported
with mock.patch.dict(os.environ, GLOG_minloglevel="1"):
    import caffe
from caffepy.pycaffe.state import state
from tests.pycaffe.nets import ToFile


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Undo what a test sets for the whole process."""
    kept, sink = copy.copy(state), copy.copy(log.sink)
    caffe.set_random_seed(1701)
    yield
    for target, source in ((state, kept), (log.sink, sink)):
        for field in fields(source):
            setattr(target, field.name, getattr(source, field.name))


@pytest.fixture
def to_file(tmp_path: Path) -> ToFile:
    """A function that writes a text to a file of the test's folder and gives its name."""

    def write(text: str, name: str = "net.prototxt") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write
