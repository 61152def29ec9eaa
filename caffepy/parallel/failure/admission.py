"""Who may connect to the monitor.  Strangers are dropped before anything of theirs is read as a message.

Through the network: who connects is sent a number used once, and answers with a proof that it knows the job's token; nothing but these 65
bytes is read, within seconds, and what was overheard in one connection is worth nothing in another.
On this host (Linux): the kernel tells which process connects, and only those that the job's launcher has started are let in.
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
"""How long a stranger may take to prove what it is."""
MOST = 256
"""Strangers that are waited for at once; of more, the one that has been silent for longest is dropped."""
AT_ONCE = 8
"""Connections taken before those that are there are heard again."""
NONCE_BYTES = 33
"""In hexadecimal, with the end of the line."""
PROOF_BYTES = 65
CREDENTIALS = struct.Struct("3i")
"""Of SO_PEERCRED: process, user, group."""

Admit = Callable[[socket.socket, int], None]
"""Takes a connection of the job; the second: its process, or 0 where the kernel does not tell."""


def proof(token: str, nonce: bytes) -> bytes:
    """The answer to ``nonce`` of who knows ``token``."""
    return hmac.new(token.encode(), nonce, "sha256").hexdigest().encode() + b"\n"


def prove(connection: socket.socket, token: str) -> None:
    """The other side: answer what is asked.  OSError if nothing is, in the connection's time."""
    connection.sendall(proof(token, exactly(connection, NONCE_BYTES)))


def exactly(connection: socket.socket, count: int) -> bytes:
    """The next ``count`` bytes, or fewer if there come no more."""
    data = b""
    while len(data) < count and (more := connection.recv(count - len(data))):
        data += more
    return data


def peer_of(connection: socket.socket) -> tuple[int, int]:
    """Process and user at the other end of a connection within this host."""
    pid, user, _ = CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))
    return pid, user


@dataclass
class Stranger:
    """One connection that has proved nothing yet."""

    socket: socket.socket
    awaited: bytes
    since: float
    told: bytes = b""


class Admission:
    """``listener``: where connections come. ``token``: what they must know; empty where ``knows`` judges by their process."""

    def __init__(
        self,
        listener: socket.socket,
        selector: selectors.BaseSelector,
        admit: Admit,
        *,
        token: str = "",
        knows: Callable[[int], bool] | None = None,
    ) -> None:
        self._listener, self._selector, self._admit, self._token, self._knows = listener, selector, admit, token, knows
        self._strangers: dict[socket.socket, Stranger] = {}
        listener.setblocking(False)
        selector.register(listener, selectors.EVENT_READ, self._open)

    def _open(self) -> None:
        for _ in range(AT_ONCE):
            try:
                connection, _ = self._listener.accept()
            except OSError:  # nobody is left, or no handle is: then those that wait for nothing have to go
                break
            connection.setblocking(False)
            if self._knows is not None:
                self._judge(connection, self._knows)
            else:
                self._challenge(connection)
        while len(self._strangers) > MOST:
            self._drop(next(iter(self._strangers.values())))

    def _judge(self, connection: socket.socket, knows: Callable[[int], bool]) -> None:
        pid, user = peer_of(connection)
        if user == os.geteuid() and knows(pid):
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
        self._selector.register(connection, selectors.EVENT_READ, lambda: self._hear(stranger))

    def _hear(self, stranger: Stranger) -> None:
        if stranger.socket not in self._strangers:
            return  # dropped in the same turn
        try:
            data = stranger.socket.recv(PROOF_BYTES - len(stranger.told))
        except OSError:
            data = b""
        stranger.told += data
        if not data or not stranger.awaited.startswith(stranger.told):
            self._drop(stranger)
        elif len(stranger.told) == PROOF_BYTES:
            self._forget(stranger)
            self._admit(stranger.socket, 0)

    def look(self, now: float) -> None:
        """Drop those that took too long."""
        for stranger in [s for s in self._strangers.values() if now - s.since > PROOF_S]:
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
