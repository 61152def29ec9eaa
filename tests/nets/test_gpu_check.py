"""The check of a GPU, on a machine without one: it says so, and its parts run on a CPU."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from tools.bench.gpu.check import main
from tools.bench.gpu.speed import KINDS, measure
from tools.bench.gpu.truth import TRAININGS, Training, captured_against_plain, golden


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU, which would be checked")
def test_without_a_gpu_it_says_that_nothing_was_checked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["gpu_check"])
    assert main() == 1
    assert capsys.readouterr().out == "gpu_check: torch sees no GPU on this machine; nothing was checked\n"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("own graph", "compile")])
def test_every_implementation_that_a_cpu_can_run_is_timed(kind: str) -> None:
    speed = measure(kind, "lenet", torch.device("cpu"), batch=2, block_s=0.01, rounds=1)
    assert 0 < speed.ms < 1e4


@pytest.mark.parametrize("training", [training for training in TRAININGS if training.net in ("lenet", "quick")], ids=str)
def test_training_without_recordings_is_told(training: Training) -> None:
    found = captured_against_plain(training, torch.device("cpu"), iterations=2)
    assert found.apart == 0 < found.rounding < 0.1
    assert str(found).endswith("at the start; NOT RECORDED: passes, updates: there is no GPU")
    assert not torch.are_deterministic_algorithms_enabled()


def test_a_python_without_pytest_replays_nothing_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'python: No module named pytest' >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(OSError, match="No module named pytest"):
        golden(torch.device("cpu"))
