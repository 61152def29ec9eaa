"""Strangers at the monitor's sockets: whoever they are, those that belong to the job come in."""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from caffepy.parallel.failure import admission
from caffepy.parallel.failure.admission import MOST_STRANGERS, NONCE_BYTES, PROOF_BYTES, Admission, exactly, proof, prove


class Host:
    """Admission with the token ``secret`` at ``port``; who is let in is greeted."""

    def __init__(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = listener.getsockname()[1]
        self._selector, self._over = selectors.DefaultSelector(), threading.Event()
        self.guests: list[socket.socket] = []
        self.admission = Admission(listener, self._selector, self._admit, token="secret")
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _admit(self, connection: socket.socket, pid: int) -> None:
        connection.sendall(b"welcome\n")
        self.guests.append(connection)

    def _run(self) -> None:
        while not self._over.is_set():
            for key, _ in self._selector.select(0.02):
                key.data()
            self.admission.drop_slow(time.monotonic())

    def knock(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=5)

    def enter(self) -> bool:
        """Whether a rank comes in."""
        with self.knock() as connection:
            prove(connection, "secret")
            return exactly(connection, 8) == b"welcome\n"

    def close(self) -> None:
        self._over.set()
        self._thread.join(5)
        self.admission.close()
        for guest in self.guests:
            guest.close()
        self._selector.close()


@pytest.fixture
def host() -> Iterator[Host]:
    found = Host()
    yield found
    found.close()


def _is_closed(connection: socket.socket) -> bool:
    """The other end has closed, whatever it sent before."""
    with contextlib.suppress(ConnectionError):
        while connection.recv(4096):
            pass
    return True


@pytest.mark.parametrize("words", [b"hello\n", b"\n" * PROOF_BYTES, b"GET / HTTP/1.1\r\n\r\n" * 5, bytes(range(256)) * 400])
def test_garbage(host: Host, words: bytes) -> None:
    with host.knock() as stranger:
        with contextlib.suppress(ConnectionError):
            stranger.sendall(words)
        assert _is_closed(stranger)
    assert host.enter()


def test_an_answer_that_was_overheard(host: Host) -> None:
    with host.knock() as first, host.knock() as second:
        answer = proof("secret", exactly(first, NONCE_BYTES))
        first.sendall(answer)
        assert exactly(first, 8) == b"welcome\n"
        with contextlib.suppress(ConnectionError):
            second.sendall(answer)
        assert _is_closed(second)


def test_those_that_say_nothing_or_half_of_it(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "PROOF_S", 0.2)
    with host.knock() as mute, host.knock() as half:
        half.sendall(proof("secret", exactly(half, NONCE_BYTES))[:30])
        assert _is_closed(mute)
        assert _is_closed(half)


def test_many_use_up_no_handles(host: Host) -> None:
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 2 * MOST_STRANGERS + 400:
        pytest.skip("too few handles for the strangers themselves")
    before = len(list(Path(f"/proc/{os.getpid()}/fd").iterdir())) if os.path.isdir("/proc") else 0
    strangers = [host.knock() for _ in range(MOST_STRANGERS + 150)]
    assert host.enter()
    time.sleep(0.3)
    if before:
        now = len(list(Path(f"/proc/{os.getpid()}/fd").iterdir()))
        assert now - before - len(strangers) <= MOST_STRANGERS + 3
    for stranger in strangers:
        stranger.close()
