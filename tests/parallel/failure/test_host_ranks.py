"""The ranks of a host by their processes: found, told stopped from suspended, and ended; and what the monitor makes of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from caffepy.parallel.failure import processes
from caffepy.parallel.failure.early_monitor import find_ranks
from caffepy.parallel.failure.host_ranks import HostRanks
from caffepy.parallel.failure.local_monitor import find_local_monitor
from caffepy.parallel.failure.monitor import Monitor
from caffepy.parallel.launch.environment import Launch

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.skipif(not processes.ON_LINUX, reason="there is no /proc")
SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]


@pytest.fixture
def ranks() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two processes that this one started as ranks."""
    started = [subprocess.Popen(SLEEP, env={**os.environ, "TEST_RANK": str(rank)}) for rank in range(2)]
    for rank, process in enumerate(started):
        _until(lambda pid=process.pid, rank=rank: processes.variable(pid, "TEST_RANK") == str(rank))
    yield started
    for process in started:
        process.kill()
        process.wait()


def _until(holds: object, limit_s: float = 20.0) -> None:
    deadline = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _host_ranks(count: int = 2) -> HostRanks:
    return HostRanks(os.getpid(), "TEST_RANK", count, max(count, 2), "vm")


def test_ranks_are_found(ranks: list[subprocess.Popen[bytes]]) -> None:
    host_ranks = _host_ranks()
    assert host_ranks.find(known=set()) == {rank: process.pid for rank, process in enumerate(ranks)}
    assert host_ranks.find(known=set()) == {}
    assert _host_ranks().find(known={0, 1}) == {}
    assert _host_ranks(0).find(known={0}) == {1: ranks[1].pid}
    assert all(host_ranks.owns(process.pid) for process in ranks)
    assert not host_ranks.owns(1)
    assert sorted(host_ranks.alive()) == [0, 1]
    host_ranks.kill(0)
    _until(lambda: host_ranks.alive() == [1])


def test_the_launcher_is_found_through_a_shell() -> None:
    with subprocess.Popen(["/bin/sh", "-c", "sleep 60; true"], env={**os.environ, "TEST_RANK": "0"}) as shell:
        _until(lambda: _children(shell.pid))
        (child,) = _children(shell.pid)
        assert processes.launcher_of(child, "TEST_RANK") == os.getpid()
        assert processes.launcher_of(os.getpid(), "TEST_RANK") == 0
        os.kill(child, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*") if getattr(processes.look_up(int(entry.name)), "parent", 0) == pid]


def test_a_stopped_rank_is_told_from_a_suspended_job(ranks: list[subprocess.Popen[bytes]]) -> None:
    host_ranks = _host_ranks()
    host_ranks.find(known=set())
    ranks[1].send_signal(signal.SIGSTOP)
    _until(lambda: (found := processes.look_up(ranks[1].pid)) is not None and found.state == processes.STOPPED)
    assert host_ranks.stopped_for(100.0, 5.0) is None
    assert host_ranks.stopped_for(104.0, 5.0) is None
    assert host_ranks.stopped_for(106.0, 5.0) == 1
    ranks[0].send_signal(signal.SIGSTOP)
    _until(lambda: (found := processes.look_up(ranks[0].pid)) is not None and found.state == processes.STOPPED)
    assert host_ranks.stopped_for(107.0, 5.0) is None, "all of them: somebody has suspended the job"
    ranks[1].send_signal(signal.SIGCONT)
    _until(lambda: (found := processes.look_up(ranks[1].pid)) is not None and found.state != processes.STOPPED)
    assert host_ranks.stopped_for(108.0, 5.0) is None
    assert host_ranks.stopped_for(114.0, 5.0) == 0


def test_a_rank_that_nobody_has_seen() -> None:
    host_ranks = HostRanks(1, "TEST_RANK", 3, 3, "vm", ranks={2: 77})
    assert host_ranks.never_seen(10.0, known=set()) == "", "perhaps nobody has been started yet"
    assert [host_ranks.never_seen(11.0 + i, known={0}) for i in range(4)] == [""] * 4
    assert host_ranks.never_seen(16.0, known={0}) == "rank 1 on vm"
    assert host_ranks.never_seen(17.0, known={0, 1}) == ""
    elsewhere = HostRanks(1, "TEST_RANK", 3, 5, "vm")
    elsewhere.never_seen(10.0, known=set())
    assert elsewhere.never_seen(16.0, known={4}) == "2 of the 3 ranks on vm"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_rank_that_is_lost_before_it_says_anything(ranks: list[subprocess.Popen[bytes]], said: list[str], number: signal.Signals) -> None:
    monitor = Monitor(0.5, host_ranks=_host_ranks())
    thread = threading.Thread(target=monitor.run)
    thread.start()
    _until(lambda: monitor.host_ranks is not None and len(monitor.host_ranks.ranks) == 2)
    time.sleep(0.3)
    ranks[1].send_signal(number)
    if number == signal.SIGKILL:
        ranks[1].wait()
    _until(lambda: bool(said))
    thread.join(15)
    assert not thread.is_alive()
    what = "ended before it joined the others" if number == signal.SIGKILL else "gave no sign of life for 0.5 s: it is stopped"
    assert said == [f"rank 1 on vm (pid {ranks[1].pid}, last seen at the start) {what}; the job ends"]
    assert [process.wait(5) for process in ranks] == [-signal.SIGKILL] * 2, "the other cannot hear, and is ended"


RANK = """
import os, sys, time
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.failure.local_monitor import find_local_monitor
local = find_local_monitor(Launch("test", int(os.environ["TEST_RANK"]), 2, None, 2, "vm", "TEST_RANK"), 30.0)
print(local.ask("join", "ok") if local else "none", flush=True)
sys.stdin.readline()
local.tell("bye")
"""


def test_the_first_rank_starts_the_monitor_and_the_others_find_it() -> None:
    ranks = [
        subprocess.Popen(
            [sys.executable, "-c", RANK],
            env={**os.environ, "TEST_RANK": str(rank), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    for process in ranks:
        assert process.stdout is not None
        assert process.stdout.readline() == "ok\n"
    name = f"\0caffepy-{os.geteuid()}-{os.getpid()}-{processes.look_up(os.getpid()).started}"
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.settimeout(5)
        stranger.connect(name)  # this process is their launcher: it may connect, but not pose as a rank
        stranger.sendall(b"hello\n")
        assert stranger.recv(64) == b""
    for process in ranks:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    outs = [process.communicate(timeout=20) for process in ranks]
    assert [err for _, err in outs] == ["", ""]
    _until(lambda: _refused(name))


def _refused(name: str) -> bool:
    with socket.socket(socket.AF_UNIX) as late:
        return late.connect_ex(name) != 0


def test_a_process_that_no_launcher_started_has_no_monitor_near() -> None:
    assert find_local_monitor(Launch("torchrun", 0, 2, None, None, "vm", "NOT_SET_HERE"), 1.0) is None
    assert find_local_monitor(Launch("single", 0, 1, 0, 1, "vm"), 1.0) is None


def test_the_rank_that_started_the_monitor_is_gone_before_it_looks(ranks: list[subprocess.Popen[bytes]], said: list[str]) -> None:
    ranks[0].kill()
    ranks[0].wait()
    host_ranks = HostRanks(os.getpid(), "TEST_RANK", 2, 2, "vm", starter=0)
    monitor = Monitor(5.0, host_ranks=host_ranks)
    monitor.run()
    assert said == ["rank 0 on vm ended before the others could see it; the job ends"]
    assert ranks[1].wait(5) == -signal.SIGKILL


@pytest.mark.parametrize(
    ("count", "size", "words"), [(3, 3, "rank 0 or 2 on vm"), (2, 4, "rank 0 on vm"), (0, 4, "rank 0 on vm, or another there,")]
)
def test_the_one_that_the_launcher_ended_is_not_named_for_the_one_that_was_lost(
    ranks: list[subprocess.Popen[bytes]], said: list[str], count: int, size: int, words: str
) -> None:
    """Rank 0 started the monitor; before it looks, this rank is gone, and another of three: it may have been the first."""
    ranks[0].kill()
    ranks[0].wait()
    Monitor(5.0, host_ranks=HostRanks(os.getpid(), "TEST_RANK", count, size, "vm", starter=0)).run()
    assert said == [f"{words} ended before the others could see it; the job ends"]
    assert ranks[1].wait(5) == -signal.SIGKILL


def test_two_that_end_before_the_monitor_has_begun(ranks: list[subprocess.Popen[bytes]], said: list[str]) -> None:
    ends, found = find_ranks(os.getpid(), "TEST_RANK")
    for process in reversed(ranks):
        process.kill()
        process.wait()
    Monitor(5.0, host_ranks=HostRanks(os.getpid(), "TEST_RANK", 2, 2, "vm", starter=0, ends=ends, ranks=found)).run()
    assert said == [f"rank 1 on vm (pid {ranks[1].pid}, last seen at the start) ended before it joined the others; the job ends"]


def test_one_that_was_never_seen_was_lost_before_those_that_are_lost_now(ranks: list[subprocess.Popen[bytes]], said: list[str]) -> None:
    host_ranks = HostRanks(os.getpid(), "TEST_RANK", 3, 3, "vm")
    thread = threading.Thread(target=Monitor(5.0, host_ranks=host_ranks).run)
    thread.start()
    _until(lambda: len(host_ranks.ranks) == 2)
    time.sleep(0.3)
    ranks[0].kill()
    ranks[0].wait()
    thread.join(15)
    assert not thread.is_alive()
    assert said == ["rank 2 on vm ended before the others could see it; the job ends"]


def test_where_all_are_gone_the_monitor_keeps_nobody_waiting(ranks: list[subprocess.Popen[bytes]], said: list[str]) -> None:
    for process in ranks:
        process.kill()
        process.wait()
    began = time.monotonic()
    Monitor(5.0, host_ranks=HostRanks(os.getpid(), "TEST_RANK", 2, 2, "vm", starter=0)).run()
    assert time.monotonic() - began < 5
    assert said == ["rank 0 or 1 on vm ended before the others could see it; the job ends"]
