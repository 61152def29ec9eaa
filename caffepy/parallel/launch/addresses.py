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
    names = [socket.gethostname(), *(address for _, address in _interfaces())]
    loopback = [name for name in names if name.startswith("127.")]
    return list(dict.fromkeys([name for name in names if name not in loopback] + ["127.0.0.1"]))


def connect_to_first(addresses: Sequence[str], port: int) -> socket.socket | None:
    """A connection to the first of ``addresses`` that answers on ``port``; None if none does."""
    for address in addresses:
        with contextlib.suppress(OSError):
            return socket.create_connection((address, port), timeout=CONNECT_TIMEOUT_S)
    return None


def interface_of(address: str) -> str:
    """The network interface that carries an IPv4 address; empty if none does, or if it is not told (it is on Linux)."""
    return next((name for name, found in _interfaces() if found == address), "")


def address_towards(host: str) -> str:
    """The address under which this host reaches another; empty if the other has no address, or there is no way to it."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, 9))  # no packet is sent: the system only chooses
        return str(probe.getsockname()[0])
    return ""


def reached_at(own: str, other: str) -> str:
    """The address of this host, which the host ``other`` knows as ``own``; empty if none can be told.

    Many systems call themselves 127.0.1.1 in their own hosts file, where nobody else reaches them: the way to ``other`` tells then.
    """
    address = ""
    with contextlib.suppress(OSError):
        address = socket.gethostbyname(own)
    return address if interface_of(address) and not address.startswith("127.") else address_towards(other)


def _interfaces() -> list[tuple[str, str]]:
    """Name and IPv4 address of every network interface that has one (Linux; elsewhere the host's name must do)."""
    if sys.platform != "linux":
        return []
    import fcntl

    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):
                answer = fcntl.ioctl(probe, SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
                found.append((name, socket.inet_ntoa(answer[20:24])))
    return found
