"""Interrupts of a program that is not yet at its work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from caffepy.cli import interrupts
from caffepy.cli.interrupts import Interrupts

FALSE_TORCH = """
import os, signal
os.kill(os.getpid(), signal.SIGINT)
while True: pass
"""


def test_it_is_remembered() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    noted = Interrupts()
    try:
        noted.note("caffe.cpp:0")
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert noted.came


def test_who_imports_the_program_keeps_what_an_interrupt_does() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    begun = Interrupts()
    try:
        begun.begin()
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        signal.signal(signal.SIGINT, signal.default_int_handler)
        begun.begin()
        assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL
        begun.end()
        assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has other interrupts")
def test_it_ends_the_import_of_torch(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(FALSE_TORCH)
    own = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a background job ignores it
    code = f"{own}; from caffepy.cli.interrupts import interrupts; interrupts.note('caffe.cpp:0'); import torch"
    root = Path(interrupts.__file__).parents[2]
    path = os.pathsep.join((str(tmp_path), str(root)))
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60)
    assert run.returncode == 130
    assert len(run.stderr.splitlines()) == 1
    assert run.stderr.endswith("caffe.cpp:0] Interrupted.\n")
