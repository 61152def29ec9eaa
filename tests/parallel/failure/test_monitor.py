"""The monitor's judgement, spoken to over real sockets; what becomes of the ranks is tested under mpirun."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from caffepy import log
from caffepy.parallel.failure.admission import exactly, prove
from caffepy.parallel.failure.monitor import RECENTLY_S, Monitor
from caffepy.parallel.failure.peer import Peer

TIMEOUT_S = 2.0


@pytest.fixture
def port(said: list[str]) -> Iterator[int]:
    """A running monitor; it has ended when the test is over."""
    listener = socket.create_server(("127.0.0.1", 0))
    number = listener.getsockname()[1]
    monitor = Monitor(TIMEOUT_S)
    monitor.listen(listener, "secret")
    thread = threading.Thread(target=monitor.run)
    thread.start()
    yield number
    thread.join(10)
    assert not thread.is_alive()


def _knock(port: int, token: str = "secret") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=5)
    prove(connection, token)
    return connection


def _enter(port: int, rank: int) -> socket.socket:
    connection = _knock(port)
    connection.sendall(f"hello {rank} {100 + rank} host{rank}\njoin\n".encode())
    assert exactly(connection, 6) == b"ok\nok\n"
    return connection


def _heard(connection: socket.socket) -> bytes:
    """All lines until the monitor closes, without the answers to signs of life."""
    data = b""
    while part := connection.recv(64):
        data += part
        if b"end\n" in data:
            break
    return data.replace(b"ok\n", b"")


def test_a_job_that_ends_well_is_silent(port: int, said: list[str]) -> None:
    ranks = [_enter(port, rank) for rank in range(2)]
    for connection in ranks:
        connection.sendall(b"bye\n")
        connection.close()
    time.sleep(0.2)
    assert said == []


def test_a_rank_that_dies_is_named_once_and_the_others_are_told(port: int, said: list[str]) -> None:
    ranks = [_enter(port, rank) for rank in range(3)]
    ranks[1].sendall(b"at iteration 12\n")
    assert ranks[1].recv(64) == b"ok\n"
    ranks[1].close()
    assert _heard(ranks[0]) == _heard(ranks[2]) == b"end\n"
    for connection in (ranks[0], ranks[2]):
        connection.close()
    time.sleep(0.2)
    assert said == ["rank 1 on host1 (pid 101, last seen at iteration 12) died; the job ends"]


def test_of_two_that_fail_one_may_speak(port: int, said: list[str]) -> None:
    first, second = _enter(port, 0), _enter(port, 1)
    first.sendall(b"may\n")
    assert first.recv(64) == b"yes\n"
    second.sendall(b"may\n")
    first.sendall(b"said\n")
    assert _heard(second) == b"end\n"
    first.close()
    second.close()
    assert said == []


def test_of_one_that_dies_and_one_that_fails_for_it_the_death_is_said(said: list[str]) -> None:
    (failing, failing_end), (dying, dying_end) = (socket.socketpair() for _ in range(2))
    monitor = Monitor(TIMEOUT_S)
    for rank, (connection, end) in enumerate([(failing, failing_end), (dying, dying_end)]):
        monitor._admit(end, 0)
        connection.sendall(f"hello {rank} {100 + rank} host{rank}\njoin\nat iteration 12\n".encode())
    failing.sendall(b"may\n")
    dying.close()
    thread = threading.Thread(target=monitor.run)
    thread.start()
    assert _heard(failing) == b"end\n"
    failing.close()
    thread.join(10)
    assert said == ["rank 1 on host1 (pid 101, last seen at iteration 12) died; the job ends"]


def test_a_silent_rank_is_named(port: int, said: list[str]) -> None:
    lively, silent = _enter(port, 0), _enter(port, 1)
    deadline = time.monotonic() + 5 * TIMEOUT_S
    while not said and time.monotonic() < deadline:
        lively.sendall(b"at iteration 3\n")
        time.sleep(0.1)
    lively.close()
    silent.close()
    (message,) = said
    assert message.startswith("rank 1 on host1 (pid 101, last seen at the start) gave no sign of life for 2 s: ")


def test_strangers_are_shown_the_door(port: int, said: list[str]) -> None:
    member, stranger = _enter(port, 0), _knock(port, token="wrong")
    assert stranger.recv(64) == b""
    for words in (b"at home\n", b"hello 1\n", b"hello one two three\n", b"hello 0 100 host0\n", b"hello -1 100 host\n", b"killed 0 1\n"):
        insider = _knock(port)
        insider.sendall(words)
        assert insider.recv(64) == b"", words
        insider.close()
    endless = _knock(port)
    with contextlib.suppress(OSError):
        endless.sendall(b"x" * (1 << 22))
    member.sendall(b"at iteration 1\n")
    assert member.recv(64) == b"ok\n"
    member.sendall(b"bye\n")
    for connection in (member, stranger, endless):
        connection.close()
    time.sleep(0.2)
    assert said == []


def test_after_a_pause_of_the_whole_job_nobody_is_blamed(said: list[str]) -> None:
    monitor = Monitor(1.0)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        monitor.peers = {rank: Peer(ours, 0.0, rank=rank, joined=True) for rank in range(2)}
        later = 10 * RECENTLY_S
        monitor.note_life(monitor.peers[0], later)
        monitor.check_silence(later)
        assert said == []
        monitor.note_life(monitor.peers[0], later + 1.5)
        monitor.check_silence(later + 1.5)
        assert len(said) == 1
        assert said[0].startswith("rank 1 ")


def test_ranks_that_all_stay_where_they_are_are_told_once_and_left_alone(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(log, "warning", lambda where, message: warnings.append(message))
    monitor = Monitor(10.0, 600.0)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)  # nobody reads the answers
        ranks = [Peer(ours, 0.0, rank=rank, moved=0.0, joined=True) for rank in (2, 0, 1)]
        monitor.peers = dict(enumerate(ranks))

        def look(now: float, *places: str) -> int:
            for peer, place in zip(ranks, places):
                monitor.note_life(peer, now)
                monitor.handle(peer, "at", place)
            monitor.check_progress(now)
            return len(warnings)

        start = ["the start"] * 3
        assert [look(now, *start) for now in (0.0, 1.0, *range(3, 1000, 2))][-1] == 0, "opening data may take long"
        there = ["iteration 7, forward of layer 'a'", "iteration 8", "iteration 8"]
        assert [look(now, *there) for now in range(1001, 1600, 2)][-1] == 0
        assert [look(now, *there) for now in range(1601, 2900, 2)][-1] == 1
        assert warnings[0].startswith(
            "no rank has come any further for 600 s: ranks 0, 1 at iteration 8; rank 2 at iteration 7, forward of layer 'a'; a layer"
        )
        assert [look(now, there[0], "iteration 9", "iteration 8") for now in range(2901, 3500, 2)][-1] == 1, "one moved"
        assert [look(now, there[0], "iteration 9", "iteration 8") for now in range(3501, 3600, 2)][-1] == 2
        assert look(9000.0, there[0], "iteration 9", "iteration 8") == 2, "the job was suspended"
        assert [look(9000.0 + now, there[0], "iteration 9", "iteration 8") for now in range(1, 600, 2)][-1] == 2
        monitor.handle(ranks[1], "bye", "")
        assert [look(9000.0 + now, there[0], "iteration 9", "iteration 8") for now in range(601, 1000, 2)][-1] == 2, "one has ended"
        assert said == []
