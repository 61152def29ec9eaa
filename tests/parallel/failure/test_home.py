"""The ranks of a host by their processes: found, told stopped from suspended, and ended; and what the sentinel makes of it."""

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
from caffepy.parallel.failure.home import Home
from caffepy.parallel.failure.lookout import look
from caffepy.parallel.failure.near import find_near
from caffepy.parallel.failure.sentinel import Sentinel
from caffepy.parallel.launch.environment import Launch

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.skipif(not processes.SEEN, reason="there is no /proc")
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
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _home(count: int = 2) -> Home:
    return Home(os.getpid(), "TEST_RANK", count, max(count, 2), "vm")


def test_ranks_are_found(ranks: list[subprocess.Popen[bytes]]) -> None:
    home = _home()
    assert home.find(known=set()) == {rank: process.pid for rank, process in enumerate(ranks)}
    assert home.find(known=set()) == {}
    assert _home().find(known={0, 1}) == {}
    assert _home(0).find(known={0}) == {1: ranks[1].pid}
    assert all(home.knows(process.pid) for process in ranks)
    assert not home.knows(1)
    assert sorted(home.alive()) == [0, 1]
    home.kill(0)
    _until(lambda: home.alive() == [1])


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
    home = _home()
    home.find(known=set())
    ranks[1].send_signal(signal.SIGSTOP)
    _until(lambda: (found := processes.look_up(ranks[1].pid)) is not None and found.state == processes.STOPPED)
    assert home.halted(100.0, 5.0) is None
    assert home.halted(104.0, 5.0) is None
    assert home.halted(106.0, 5.0) == 1
    ranks[0].send_signal(signal.SIGSTOP)
    _until(lambda: (found := processes.look_up(ranks[0].pid)) is not None and found.state == processes.STOPPED)
    assert home.halted(107.0, 5.0) is None, "all of them: somebody has suspended the job"
    ranks[1].send_signal(signal.SIGCONT)
    _until(lambda: (found := processes.look_up(ranks[1].pid)) is not None and found.state != processes.STOPPED)
    assert home.halted(108.0, 5.0) is None
    assert home.halted(114.0, 5.0) == 0


def test_a_rank_that_nobody_has_seen() -> None:
    home = Home(1, "TEST_RANK", 3, 3, "vm", ranks={2: 77})
    assert home.unseen(10.0, known=set()) == "", "perhaps nobody has been started yet"
    assert [home.unseen(11.0 + i, known={0}) for i in range(4)] == [""] * 4
    assert home.unseen(16.0, known={0}) == "rank 1 on vm"
    assert home.unseen(17.0, known={0, 1}) == ""
    elsewhere = Home(1, "TEST_RANK", 3, 5, "vm")
    elsewhere.unseen(10.0, known=set())
    assert elsewhere.unseen(16.0, known={4}) == "2 of the 3 ranks on vm"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_rank_that_is_lost_before_it_says_anything(ranks: list[subprocess.Popen[bytes]], said: list[str], number: signal.Signals) -> None:
    sentinel = Sentinel(0.5, home=_home())
    thread = threading.Thread(target=sentinel.run)
    thread.start()
    _until(lambda: sentinel.home is not None and len(sentinel.home.ranks) == 2)
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
from caffepy.parallel.failure.near import find_near
near = find_near(Launch("test", int(os.environ["TEST_RANK"]), 2, None, 2, "vm", "TEST_RANK"), 30.0)
print(near.ask("join", "ok") if near else "none", flush=True)
sys.stdin.readline()
near.tell("bye")
"""


def test_the_first_rank_starts_the_sentinel_and_the_others_find_it() -> None:
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
    name = f"\0caffepy-{os.geteuid()}-{os.getpid()}-{processes.look_up(os.getpid()).started}"  # type: ignore[union-attr]
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


def test_a_process_that_no_launcher_started_has_no_sentinel_near() -> None:
    assert find_near(Launch("torchrun", 0, 2, None, None, "vm", "NOT_SET_HERE"), 1.0) is None
    assert find_near(Launch("single", 0, 1, 0, 1, "vm"), 1.0) is None


def test_the_rank_that_started_the_sentinel_is_gone_before_it_looks(ranks: list[subprocess.Popen[bytes]], said: list[str]) -> None:
    ranks[0].kill()
    ranks[0].wait()
    home = Home(os.getpid(), "TEST_RANK", 2, 2, "vm", starter=0)
    sentinel = Sentinel(5.0, home=home)
    sentinel.run()
    assert said == ["rank 0 on vm ended before the others could see it; the job ends"]
    assert ranks[1].wait(5) == -signal.SIGKILL


@pytest.mark.parametrize(
    ("count", "size", "words"), [(3, 3, "rank 0 or 2 on vm"), (2, 4, "rank 0 on vm"), (0, 4, "rank 0 on vm, or another there,")]
)
def test_the_one_that_the_launcher_ended_is_not_named_for_the_one_that_was_lost(
    ranks: list[subprocess.Popen[bytes]], said: list[str], count: int, size: int, words: str
) -> None:
    """Rank 0 started the sentinel; before it looks, this rank is gone, and another of three: it may have been the first."""
    ranks[0].kill()
    ranks[0].wait()
    Sentinel(5.0, home=Home(os.getpid(), "TEST_RANK", count, size, "vm", starter=0)).run()
    assert said == [f"{words} ended before the others could see it; the job ends"]
    assert ranks[1].wait(5) == -signal.SIGKILL


def test_two_that_end_before_the_sentinel_has_begun(ranks: list[subprocess.Popen[bytes]], said: list[str]) -> None:
    deaths, found = look(os.getpid(), "TEST_RANK")
    for process in reversed(ranks):
        process.kill()
        process.wait()
    Sentinel(5.0, home=Home(os.getpid(), "TEST_RANK", 2, 2, "vm", starter=0, deaths=deaths, ranks=found)).run()
    assert said == [f"rank 1 on vm (pid {ranks[1].pid}, last seen at the start) ended before it joined the others; the job ends"]


def test_one_that_was_never_seen_was_lost_before_those_that_are_lost_now(ranks: list[subprocess.Popen[bytes]], said: list[str]) -> None:
    home = Home(os.getpid(), "TEST_RANK", 3, 3, "vm")
    thread = threading.Thread(target=Sentinel(5.0, home=home).run)
    thread.start()
    _until(lambda: len(home.ranks) == 2)
    time.sleep(0.3)
    ranks[0].kill()
    ranks[0].wait()
    thread.join(15)
    assert not thread.is_alive()
    assert said == ["rank 2 on vm ended before the others could see it; the job ends"]


def test_where_all_are_gone_the_sentinel_keeps_nobody_waiting(ranks: list[subprocess.Popen[bytes]], said: list[str]) -> None:
    for process in ranks:
        process.kill()
        process.wait()
    began = time.monotonic()
    Sentinel(5.0, home=Home(os.getpid(), "TEST_RANK", 2, 2, "vm", starter=0)).run()
    assert time.monotonic() - began < 5
    assert said == ["rank 0 or 1 on vm ended before the others could see it; the job ends"]
