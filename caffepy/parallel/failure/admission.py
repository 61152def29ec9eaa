"""Who may connect to the monitor.  Nothing of a stranger's is read as a message.

Through the network: the monitor sends a number that is used once, and who connects answers with a
proof that it knows the job's token. Nothing but these 65 bytes is read, within seconds. A proof
that somebody overheard is worth nothing in another connection.

On this host (Linux): the kernel tells which process connects. Only processes are let in that the
job's launcher has started.
"""

from __future__ import annotations

import hmac
import os
import secrets
import selectors
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass

PROOF_S = 3.0
"""How long a stranger may take to prove that it knows the token."""
MOST_STRANGERS = 256
"""Strangers that are waited for at once; of more, the one that came first is dropped."""
ACCEPTED_AT_ONCE = 8
"""Connections accepted before those that are there already are read again."""
NONCE_BYTES = 33
"""In hexadecimal, with the end of the line."""
PROOF_BYTES = 65
CREDENTIALS = struct.Struct("3i")
"""Of SO_PEERCRED: process, user, group."""

Admit = Callable[[socket.socket, int], None]
"""Takes a connection of the job, and its process: 0 where the kernel does not tell."""


def proof(token: str, nonce: bytes) -> bytes:
    """The answer to ``nonce`` of who knows ``token``."""
    return hmac.new(token.encode(), nonce, "sha256").hexdigest().encode() + b"\n"


def prove(connection: socket.socket, token: str) -> None:
    """The connecting side: answer the nonce.  OSError if none comes in the connection's time."""
    connection.sendall(proof(token, exactly(connection, NONCE_BYTES)))


def exactly(connection: socket.socket, count: int) -> bytes:
    """The next ``count`` bytes, or fewer if the other side closes."""
    data = b""
    while len(data) < count and (more := connection.recv(count - len(data))):
        data += more
    return data


def peer_of(connection: socket.socket) -> tuple[int, int]:
    """Process and user at the other end of a connection within this host."""
    packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    pid, user, _ = CREDENTIALS.unpack(packed)
    return pid, user


@dataclass
class Stranger:
    """A connection that has proved nothing yet.

    ``awaited``: the right answer. ``received``: what of an answer has come.
    """

    socket: socket.socket
    awaited: bytes
    since: float
    received: bytes = b""


class Admission:
    """Accepts the connections of one listening socket and calls ``admit`` with those of the job.

    ``token``: what they must know. ``owns``: whether a process is of the job, in place of a token.
    """

    def __init__(
        self,
        listener: socket.socket,
        selector: selectors.BaseSelector,
        admit: Admit,
        *,
        token: str = "",
        owns: Callable[[int], bool] | None = None,
    ) -> None:
        self._listener = listener
        self._selector = selector
        self._admit = admit
        self._token = token
        self._owns = owns
        self._strangers: dict[socket.socket, Stranger] = {}
        listener.setblocking(False)
        selector.register(listener, selectors.EVENT_READ, self._accept)

    def _accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                connection, _ = self._listener.accept()
            except OSError:  # nobody waits any more, or this process has no handle left
                break
            connection.setblocking(False)
            if self._owns is not None:
                self._admit_if_owned(connection, self._owns)
            else:
                self._challenge(connection)
        while len(self._strangers) > MOST_STRANGERS:
            self._drop(next(iter(self._strangers.values())))

    def _admit_if_owned(self, connection: socket.socket, owns: Callable[[int], bool]) -> None:
        pid, user = peer_of(connection)
        if user == os.geteuid() and owns(pid):
            self._admit(connection, pid)
        else:
            connection.close()

    def _challenge(self, connection: socket.socket) -> None:
        nonce = secrets.token_hex((NONCE_BYTES - 1) // 2).encode() + b"\n"
        stranger = Stranger(connection, proof(self._token, nonce), time.monotonic())
        try:
            connection.send(nonce)
        except OSError:
            connection.close()
            return
        self._strangers[connection] = stranger
        self._selector.register(connection, selectors.EVENT_READ, lambda: self._read(stranger))

    def _read(self, stranger: Stranger) -> None:
        if stranger.socket not in self._strangers:
            return  # it was dropped after the selector had found it readable
        try:
            data = stranger.socket.recv(PROOF_BYTES - len(stranger.received))
        except OSError:
            data = b""
        stranger.received += data
        if not data or not stranger.awaited.startswith(stranger.received):
            self._drop(stranger)
        elif len(stranger.received) == PROOF_BYTES:
            self._forget(stranger)
            self._admit(stranger.socket, 0)

    def drop_slow(self, now: float) -> None:
        """Drop the strangers that took too long."""
        slow = [one for one in self._strangers.values() if now - one.since > PROOF_S]
        for stranger in slow:
            self._drop(stranger)

    def _forget(self, stranger: Stranger) -> None:
        del self._strangers[stranger.socket]
        self._selector.unregister(stranger.socket)

    def _drop(self, stranger: Stranger) -> None:
        self._forget(stranger)
        stranger.socket.close()

    def close(self) -> None:
        """Let nobody in any more."""
        for stranger in list(self._strangers.values()):
            self._drop(stranger)
        self._selector.unregister(self._listener)
        self._listener.close()
