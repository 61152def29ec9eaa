"""The campaign ``long``, short: memory, handles and threads of a training and of conversions stay flat."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools.campaign.long import even, run
from tools.campaign.samples import Sample, growth, leaked

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")


def test_a_short_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = run(tmp_path, 400, 2000, 1)
    said = capsys.readouterr().out
    assert said.splitlines()[-1].startswith("long: iterations 400, pictures 2000, kB gained by conversion")
    assert good, said


def samples(memory: int, cpu_s: float) -> list[Sample]:
    """A hundred; memory and processor time for one thing grow by so much from each to the next."""
    spent = [0.01 * i + cpu_s * i * i / 2 for i in range(100)]
    return [Sample(i, spent[i], 1000 + memory * i, 5, 2) for i in range(100)]


def test_a_leak_and_slowing_down_are_seen() -> None:
    assert growth(samples(0, 0), lambda s: s.memory_bytes) == 0
    assert growth(samples(10, 0), lambda s: s.memory_bytes) == 800
    assert leaked([Sample(i, 0.0, 0, 5 + i // 9, 2 + i % 2) for i in range(100)], lambda s: s.handles) > 0
    assert leaked([Sample(i, 0.0, 0, 5, 2 + i % 2) for i in range(100)], lambda s: s.threads) == 0
    assert even("it", samples(0, 0)) == (True, pytest.approx(1))
    assert even("it", [Sample(i, 1.0, 0, 5, 2) for i in range(20)]) == (True, 1.0)  # between two ticks of the clock
    good, ratio = even("it", samples(0, 0.0001))
    assert not good
    assert ratio > 1.5
