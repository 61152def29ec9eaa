"""At which address another host can reach this one."""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
from collections.abc import Sequence

CONNECT_TIMEOUT_S = 5.0
SIOCGIFADDR = 0x8915


def own_addresses() -> list[str]:
    """Addresses to try, best first: the host's name, then what its network interfaces carry, the loopback last."""
    names = [socket.gethostname(), *_interface_addresses()]
    loopback = [name for name in names if name.startswith("127.")]
    return list(dict.fromkeys([name for name in names if name not in loopback] + ["127.0.0.1"]))


def connect_to_first(addresses: Sequence[str], port: int) -> socket.socket | None:
    """A connection to the first of ``addresses`` that answers on ``port``; None if none does."""
    for address in addresses:
        with contextlib.suppress(OSError):
            return socket.create_connection((address, port), timeout=CONNECT_TIMEOUT_S)
    return None


def _interface_addresses() -> list[str]:
    """IPv4 address of every network interface that has one (Linux; elsewhere the host's name must do)."""
    if sys.platform != "linux":
        return []
    import fcntl

    addresses = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):
                answer = fcntl.ioctl(probe, SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
                addresses.append(socket.inet_ntoa(answer[20:24]))
    return addresses
