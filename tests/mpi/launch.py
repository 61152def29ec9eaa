"""Start real ranks: a Python program or the command line under mpirun, with a time limit that leaves nothing behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.warm.start import python

ROOT = Path(__file__).resolve().parents[2]
BODY = """
import json, os, sys
from caffepy import log
from caffepy.parallel.launch.environment import detect
from caffepy.parallel.job.join import join_job
log.configure()
with join_job(detect(os.environ, "testhost"), os.environ, timeout_s={timeout_s}) as c:
{body}
"""


@dataclass(frozen=True)
class Finished:
    """How a job ended: exit code, both streams, seconds."""

    code: int
    out: str
    err: str
    seconds: float

    def results(self) -> list[Any]:
        """The JSON lines that ranks printed after ``RANK:``, by rank."""
        found = dict(line.split(":", 1) for line in self.out.splitlines() if line[:1].isdigit())
        return [json.loads(found[str(rank)]) for rank in range(len(found))]

    def fatal(self) -> list[str]:
        """Messages of the F lines."""
        return [line.split("] ", 1)[1] for line in self.err.splitlines() if line.startswith("F") and "] " in line]


def mpirun() -> str:
    """The launcher of the Python environment's own MPI, or the system's; without one the test is skipped."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    beside = Path(sys.executable).parent / "mpirun"
    found = str(beside) if beside.exists() else shutil.which("mpirun")
    if found is None:
        pytest.skip("there is no mpirun: neither beside this Python nor on PATH")
    return found


def under_mpirun(size: int) -> list[str]:
    """The words that go before a command."""
    launcher = mpirun()
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    if "Open MPI" in version or "OpenRTE" in version or "PRRTE" in version:
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        return [launcher, *root, "--oversubscribe", "-n", str(size)]
    return [launcher, "-n", str(size)]


def start(command: Sequence[str], *, cwd: Path | None = None, **environ: str) -> subprocess.Popen[str]:
    """Start a job in a session of its own, one thread a rank."""
    return subprocess.Popen(
        list(command),
        cwd=cwd or ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(job: subprocess.Popen[str], *, limit_s: float) -> Finished:
    """Wait for a job; one that takes longer than ``limit_s`` is ended, all of it, and the test fails."""
    began = time.monotonic()
    try:
        out, err = job.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        out, err = job.communicate()
        pytest.fail(f"not finished after {limit_s} s\n{out}\n{err}")
    return Finished(job.returncode, out, err, time.monotonic() - began)


def program(body: str, *, timeout_s: float = 30.0, warm: bool = False) -> list[str]:
    """A Python command whose ``body`` runs on every rank with its communicator ``c``; ``say(value)`` reports a JSON value.

    ``warm``: in a fork of a process that has torch, see `tests.warm`.
    """
    lines = ["say = lambda value: sys.stdout.write(f'{c.rank}:{json.dumps(value)}\\n')", *body.strip("\n").splitlines()]
    text = BODY.format(timeout_s=timeout_s, body="\n".join(f"    {line}" for line in lines))
    return [*python(warm=warm), "-c", text]


def run_ranks(
    size: int, body: str, *, limit_s: float = 60.0, timeout_s: float = 30.0, cwd: Path | None = None, warm: bool = True, **environ: str
) -> Finished:
    """`program` under mpirun, to its end; in warm processes, unless the job's own end is what is looked at."""
    command = [*under_mpirun(size), *program(body, timeout_s=timeout_s, warm=warm and not environ)]
    return finish(start(command, cwd=cwd, **environ), limit_s=limit_s)
