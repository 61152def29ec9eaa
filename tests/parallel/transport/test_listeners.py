"""Sockets that listen, found and closed, while the library that has them knows nothing of it."""

from __future__ import annotations

import os
import resource
import select
import socket

import pytest

from caffepy.parallel.transport.listeners import allow_handles, listeners, stop_listening

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/net"), reason="there is no /proc")


def test_nobody_comes_any_more_and_who_is_there_stays() -> None:
    before = listeners()
    with socket.create_server(("127.0.0.1", 0)) as door, select.epoll() as watch:
        watch.register(door, select.EPOLLIN)
        place = door.getsockname()
        with socket.create_connection(place) as guest:
            there, _ = door.accept()
            assert listeners() - before == {door.fileno()}
            stop_listening({door.fileno()})
            assert listeners() == before
            with socket.socket() as late:
                assert late.connect_ex(place) != 0
            assert watch.poll(0.1) == []
            watch.unregister(door)  # where it is missing, the gloo of torch 2.6 ends the process
            with there:
                there.sendall(b"a")
                assert guest.recv(1) == b"a"


def test_all_handles_that_may_be_had() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft // 2, hard))
        allow_handles()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
