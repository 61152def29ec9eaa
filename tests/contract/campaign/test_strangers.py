"""The short form of the campaign, and its parts."""

from __future__ import annotations

import os
import sys

import pytest

from tools.campaign import strangers

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(sys.platform != "linux", reason="ports are found by /proc")]


def test_strangers_change_nothing() -> None:
    line, right = strangers.run(8, 1)
    assert right, line
    assert line.startswith("strangers: ports ")


def test_listening_places_are_found() -> None:
    import socket

    before = set(map(str, strangers.listening([os.getpid()])))
    with socket.create_server(("0.0.0.0", 0)) as door:
        (place,) = [place for place in strangers.listening([os.getpid()]) if str(place) not in before]
        assert strangers.is_outside(place)
        assert place.address == door.getsockname()
