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
    """Addresses to try: the host's name, those of its network interfaces, the loopback last."""
    names = [socket.gethostname(), *(address for _, address in _interfaces())]
    others = [name for name in names if not name.startswith("127.")]
    return list(dict.fromkeys([*others, "127.0.0.1"]))


def connect_to_first(addresses: Sequence[str], port: int) -> socket.socket | None:
    """A connection to the first of ``addresses`` that answers on ``port``; None if none does."""
    for address in addresses:
        with contextlib.suppress(OSError):
            return socket.create_connection((address, port), timeout=CONNECT_TIMEOUT_S)
    return None


def interface_of(address: str) -> str:
    """The network interface with this IPv4 address; empty if there is none, or not on Linux."""
    return next((name for name, own in _interfaces() if own == address), "")


def address_towards(host: str) -> str:
    """The address from which this host reaches another; empty if there is no way to it."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, 9))  # this sends no packet: the system only chooses an address
        return str(probe.getsockname()[0])
    return ""


def reached_at(own: str, other: str) -> str:
    """An address at which the host ``other`` reaches this one, which it knows by the name ``own``.

    Many systems have 127.0.1.1 for their own name in their hosts file, where nobody else reaches
    them. Then the address is that from which this host reaches ``other``. Empty if there is none.
    """
    address = ""
    with contextlib.suppress(OSError):
        address = socket.gethostbyname(own)
    if interface_of(address) and not address.startswith("127."):
        return address
    return address_towards(other)


def _interfaces() -> list[tuple[str, str]]:
    """Name and IPv4 address of each network interface.  None but on Linux."""
    if sys.platform != "linux":
        return []
    import fcntl

    interfaces = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):
                request = struct.pack("256s", name.encode()[:15])
                answer = fcntl.ioctl(probe, SIOCGIFADDR, request)
                interfaces.append((name, socket.inet_ntoa(answer[20:24])))
    return interfaces
