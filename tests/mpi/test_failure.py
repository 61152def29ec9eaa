"""One rank fails, dies or stands still: all end within seconds, and one line says which it was."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.mpi.launch import finish, program, run_ranks, start, under_mpirun

pytestmark = pytest.mark.mpi

BOUND_S = 10.0
"""From the failure to the end of the job."""
LIMIT_S = 90.0
"""For a job that ends by itself, from its start, on a machine that has other work."""

HANG = "import time, torch; t = torch.zeros(1)\nc.place = 'iteration 7'\ntime.sleep(1.2)\n"
"""The place has been told to the monitor by then, which hears of it every second."""
WAIT = "while True: c.allreduce_(t)\n"


@pytest.mark.parametrize("victim", [0, 1])
def test_an_exception_of_one_rank(victim: int) -> None:
    body = f"import torch\nif c.rank == {victim}: raise ValueError('no such thing')\nc.allreduce_(torch.zeros(1))"
    job = run_ranks(3, body, limit_s=LIMIT_S, warm=False)
    assert job.code != 0
    assert job.fatal() == [f"rank {victim} on testhost: ValueError: no such thing"]
    assert "Traceback" not in job.err


def test_an_error_that_all_ranks_meet_is_said_once() -> None:
    job = run_ranks(3, "from caffepy.errors import DataError\nraise DataError('cannot open train_lmdb')", limit_s=LIMIT_S, warm=False)
    assert job.code != 0
    assert job.fatal() == ["rank 0 on testhost: cannot open train_lmdb"]


@pytest.mark.parametrize("victim", [0, 1, 2])
def test_a_killed_rank(victim: int) -> None:
    die = "print(time.monotonic(), flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    job = run_ranks(3, f"{HANG}import os, signal\nif c.rank == {victim}: {die}\n{WAIT}", limit_s=LIMIT_S, warm=False)
    seconds = time.monotonic() - float(job.out.split()[0])
    assert job.code != 0
    (message,) = job.fatal()
    assert re.fullmatch(rf"rank {victim} on testhost \(pid \d+, last seen at iteration 7\) died; the job ends", message)
    assert seconds < BOUND_S + 5


def test_a_rank_that_leaves_silently() -> None:
    job = run_ranks(2, f"{HANG}import os\nif c.rank == 1: os._exit(0)\n{WAIT}", limit_s=LIMIT_S, warm=False)
    assert len(job.fatal()) == 1
    assert "rank 1 on testhost" in job.fatal()[0]


FIRST_ACT = """
import os, signal, sys, time
sys.argv = ["caffe", "train"]
import caffepy.cli.main
name = f"@caffepy-{os.geteuid()}-{os.getppid()}-"
while name not in open("/proc/net/unix").read(): time.sleep(0.02)
time.sleep(1.0)
if os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK")) == "1": os.kill(os.getpid(), signal.SIGKILL)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_rank_that_is_killed_while_the_command_line_is_loaded() -> None:
    """Long before it knows what it has to do; the launcher ends the others within milliseconds."""
    job = finish(start([*under_mpirun(3), sys.executable, "-c", FIRST_ACT]), limit_s=LIMIT_S)
    assert job.code != 0
    (message,) = job.fatal()
    assert re.match(r"rank 1 on \S+ (\(pid \d+, last seen at the start\) )?ended before", message), message


def test_a_stopped_rank(tmp_path: Path) -> None:
    """SIGSTOP: no launcher notices it."""
    body = f"{HANG}import os\nopen(f'{tmp_path}/{{c.rank}}', 'w').write(str(os.getpid()))\n{WAIT}"
    job = start([*under_mpirun(3), *program(body, timeout_s=4)])
    victim = tmp_path / "1"
    deadline = time.monotonic() + LIMIT_S
    while not (victim.exists() and victim.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    pid = int(victim.read_text())
    os.kill(pid, signal.SIGSTOP)
    try:
        ended = finish(job, limit_s=4 + BOUND_S)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert ended.code != 0
    (message,) = ended.fatal()
    assert message.startswith("rank 1 on testhost (pid ")
    assert "last seen at iteration 7) gave no sign of life for 4 s" in message


def test_nothing_is_left_of_a_job_that_ends_well(tmp_path: Path) -> None:
    job = run_ranks(2, "say(c.rank)", JOB_MARK=str(tmp_path))
    assert (job.code, job.err) == (0, "")
    assert _marked(str(tmp_path)) == []


def test_nothing_is_left_of_a_job_that_dies(tmp_path: Path) -> None:
    job = run_ranks(2, f"{HANG}import os, signal\nif c.rank == 1: os.kill(os.getpid(), signal.SIGKILL)\n{WAIT}", JOB_MARK=str(tmp_path))
    assert job.code != 0
    deadline = time.monotonic() + BOUND_S
    while _marked(str(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert _marked(str(tmp_path)) == []


def _marked(mark: str) -> list[str]:
    """Command lines of the processes whose environment holds ``mark``."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"JOB_MARK={mark}\0".encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_text())
    return found
