"""``caffe test`` and ``caffe time`` on damaged files: they run or say one line; no traceback, no hang, not all memory.

CAFFEPY_FUZZ=N runs N examples of each kind, not the same ones each time; the failing one is made small and shown.
"""

from __future__ import annotations

import io
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caffepy import log
from caffepy.cli.main import run
from tests.contract.fuzz import mutate, seeds

LONG = int(os.environ.get("CAFFEPY_FUZZ", "0"))
LIMIT_S = 60
"""Of computing."""
MOST_CHARACTERS = 1 << 24
MEMORY = 6 << 30
"""Bytes of address space beyond what the process has."""
SEEDS = seeds.nets()
fuzzed = settings(
    max_examples=LONG or 200,
    derandomize=not LONG,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working folder, with data; a command sets up the log of the whole process, so leave it as it was."""
    for name in ("min_level", "verbosity", "prefix", "streams", "stderr_level", "color", "utc"):
        monkeypatch.setattr(log.sink, name, getattr(log.sink, name))
    monkeypatch.chdir(tmp_path)
    seeds.fill(tmp_path)
    with bounded_memory():
        yield tmp_path


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Let allocations fail that would take the machine's memory."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


class Enough(BaseException):
    """A net printed more than is worth reading; Caffe prints every value of an output, too."""


class Said(io.StringIO):
    """What the program prints, up to ``MOST_CHARACTERS``."""

    def write(self, text: str, /) -> int:
        if self.tell() > MOST_CHARACTERS:
            raise Enough
        return super().write(text)


def survives(*words: str) -> int:
    """The exit code: 0, or 1 with a line that tells why."""
    said, started, code = Said(), time.process_time(), 0
    with redirect_stderr(said), suppress(Enough):
        code = run("caffe", words)
    lines = said.getvalue().splitlines()
    assert time.process_time() - started < LIMIT_S, "it took too long"
    assert "Traceback (most recent call last):" not in lines
    if code != 0:
        assert code == 1
        assert lines[-1].startswith("F"), lines[-1:]
        assert "internal error" not in lines[-1], lines[-1]
    return code


@fuzzed
@given(st.sampled_from(SEEDS), mutate.TOKENS)
def test_nets_with_other_words(source: str, changes: list[mutate.Edit]) -> None:
    Path("net").write_text(mutate.text(source, changes))
    survives("test", "-model", "net", "-weights", "other.caffemodel", "-iterations", "1")


@fuzzed
@given(st.sampled_from(SEEDS), mutate.TOKENS)
def test_both_passes_of_nets_with_other_words(source: str, changes: list[mutate.Edit]) -> None:
    Path("net").write_text(mutate.text(source, changes))
    survives("time", "-model", "net", "-iterations", "1")


@fuzzed
@given(st.sampled_from(SEEDS), mutate.BYTES)
def test_nets_with_other_bytes(source: str, changes: list[mutate.Edit]) -> None:
    Path("net").write_bytes(mutate.data(source.encode(), changes))
    survives("test", "-model", "net", "-weights", "other.caffemodel", "-iterations", "1")


@fuzzed
@given(st.sampled_from(["w.caffemodel", "w.h5"]), mutate.BYTES)
def test_weights(name: str, changes: list[mutate.Edit]) -> None:
    Path("net").write_text(seeds.DATA[-1] + seeds.READER)
    Path("damaged").write_bytes(mutate.data(Path(name).read_bytes(), changes))
    survives("test", "-model", "net", "-weights", "damaged", "-iterations", "1")


@pytest.mark.parametrize("size", ["0", "1"])
def test_no_items_and_one(size: str) -> None:
    """Other numbers of items, in every second net."""
    for source in SEEDS[::2]:
        Path("net").write_text(re.sub(r"(shape \{ dim: )\d+", rf"\g<1>{size}", source))
        survives("time", "-model", "net", "-iterations", "1")


def test_the_sound_files_run() -> None:
    for source in SEEDS:
        Path("net").write_text(source)
        assert survives("test", "-model", "net", "-weights", "other.caffemodel", "-iterations", "1") == 0
    Path("net").write_text(seeds.DATA[-1] + seeds.READER)
    for name in ("w.caffemodel", "w.h5"):
        assert survives("test", "-model", "net", "-weights", name, "-iterations", "1") == 0
