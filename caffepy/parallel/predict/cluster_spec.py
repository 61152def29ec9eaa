"""A cluster in a few words, for predictions: ``2x2,100mbit``, ``ib-edr,ranks_per_host=4``.

Items stand between commas, in any order:

    HxR                hosts and ranks on each: this size alone; without it, 2, 4, 8 ... 1024 ranks
    LINK               between hosts: one of `LINKS`, or a rate such as 100mbit, 2.5gbit, 900MB/s
    latency=TIME       of a small message between hosts, such as 20us or 1ms; default: the link's
    processor=TIME     of a rank's processor for a byte between hosts, such as 2ns; default: the
                       link's
    ranks_per_host=R   without HxR; default 1
    cores=C            of a host; default: enough for its ranks, as where the layers were timed
    inside=RATE        between the ranks of a host, in place of shared memory's
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from caffepy.errors import UsageError, nearest
from caffepy.parallel.exchange.core.network import Link

TCP_SHARE = 0.95
"""Of what an Ethernet carries, the part that is not headers."""
TCP_LATENCY_S = 50e-6
TCP_PROCESSOR = 1e-9
MEMORY = Link(5e-6, 2.8e9, 0.35e-9)
"""Messages and copies between processes of a host.

As measured with MPICH (tools/bench/cluster.py).
"""


def ethernet(bits: float, latency_s: float = TCP_LATENCY_S) -> Link:
    """TCP over a link of ``bits`` a second."""
    return Link(latency_s, TCP_SHARE * bits / 8, TCP_PROCESSOR)


LINKS = {
    "ib-fdr": Link(1.5e-6, 6.0e9),
    "ib-edr": Link(1.2e-6, 11.5e9),
    "ib-hdr": Link(1.0e-6, 23e9),
    "1gbe": ethernet(1e9),
    "10gbe": ethernet(10e9, 20e-6),
    "40gbe": ethernet(40e9, 15e-6),
    "100gbe": ethernet(100e9, 10e-6),
}
"""InfiniBand with four lanes, whose adapters copy by themselves, and Ethernet."""

RATE_UNITS = {"kbit": 125.0, "mbit": 125e3, "gbit": 125e6, "mb/s": 1e6, "gb/s": 1e9}
TIME_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
MOST_RANKS = 1024
LARGEST = 65536
"""A job of more ranks is refused: its prediction takes minutes, or all memory there is."""
KEYS = ("cores", "inside", "latency", "processor", "ranks_per_host")


@dataclass(frozen=True)
class Cluster:
    """``between``: the link of hosts, None where there is one host; ``inside``: of the ranks of a
    host.

    ``hosts``: None where many sizes are asked for. ``cores``: of a host; None: as many as its ranks
    want.
    """

    between: Link | None
    inside: Link
    ranks_per_host: int
    hosts: int | None = None
    cores: float | None = None

    def sizes(self) -> list[int]:
        """Numbers of ranks to predict for."""
        if self.hosts is not None:
            return [self.hosts * self.ranks_per_host]
        return [1 << power for power in range(1, MOST_RANKS.bit_length())]

    def groups(self, size: int) -> list[range]:
        """``size`` ranks by host, as many on each as there is room for."""
        step = self.ranks_per_host
        return [range(first, min(first + step, size)) for first in range(0, size, step)]

    def crowd(self, size: int, threads: int = 1) -> float:
        """How many times as long work takes where ranks share the cores of a host.

        ``threads``: of each rank.
        """
        return (
            max(1.0, min(self.ranks_per_host, size) * threads / self.cores) if self.cores else 1.0
        )


def parse_cluster(spec: str) -> Cluster:
    """Errors: UsageError naming the item that is wrong and what is known."""
    between: Link | None = None
    shape: tuple[int, int] | None = None
    given: dict[str, str] = {}
    for item in spec.split(","):
        word = item.strip().lower()
        key, equals, value = (part.strip() for part in word.partition("="))
        link = None if equals else _link(word)
        if link is not None:
            if between is not None:
                raise _wrong(spec, f"'{item}' is a second link")
            between = link
        elif match := re.fullmatch(r"(\d+)x(\d+)", word):
            if shape is not None:
                raise _wrong(spec, f"'{item}' is a second size")
            shape = int(match[1]), int(match[2])
        elif equals and key in KEYS and key not in given:
            given[key] = value
        elif equals and key in given:
            raise _wrong(spec, f"{key} is there twice")
        else:
            raise _wrong(spec, f"'{item}' is unknown{nearest(key, (*LINKS, *KEYS))}")
    if shape is not None and "ranks_per_host" in given:
        raise _wrong(spec, "HxR and ranks_per_host both say how many ranks a host has")
    hosts, ranks = shape or (None, _count(spec, "ranks_per_host", given.get("ranks_per_host", "1")))
    if shape is not None and (min(shape) < 1 or shape[0] * shape[1] < 2):
        raise _wrong(spec, f"{shape[0]}x{shape[1]} makes no two ranks")
    if shape is not None and shape[0] * shape[1] > LARGEST:
        raise _wrong(spec, f"{shape[0]}x{shape[1]} makes more than {LARGEST} ranks")
    if hosts == 1:
        between = None
    elif between is None:
        raise _wrong(spec, "no link between the hosts is named")
    if between is not None and "latency" in given:
        between = replace(
            between, latency_s=_quantity(spec, "latency", given["latency"], TIME_UNITS)
        )
    if between is not None and "processor" in given:
        between = replace(
            between, processor=_quantity(spec, "processor", given["processor"], TIME_UNITS)
        )
    inside = (
        replace(MEMORY, bandwidth=_quantity(spec, "inside", given["inside"], RATE_UNITS))
        if "inside" in given
        else MEMORY
    )
    return Cluster(
        between,
        inside,
        ranks,
        hosts,
        _count(spec, "cores", given["cores"]) if "cores" in given else None,
    )


def _link(word: str) -> Link | None:
    """The link that a word names; None if it names none."""
    if word in LINKS:
        return LINKS[word]
    rate = _measure(word, RATE_UNITS)
    if rate is None:
        return None
    return Link(TCP_LATENCY_S, rate, TCP_PROCESSOR) if word.endswith("b/s") else ethernet(8 * rate)


def _measure(word: str, units: dict[str, float]) -> float | None:
    """``2.5gbit`` in base units; None if it is no positive number with one of the units."""
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*([a-z/]+)", word)
    if match is None or match[2] not in units or not float(match[1]):
        return None
    return float(match[1]) * units[match[2]]


def _quantity(spec: str, key: str, value: str, units: dict[str, float]) -> float:
    quantity = _measure(value, units)
    if quantity is None:
        raise _wrong(spec, f"{key}={value} is no number with a unit of {', '.join(units)}")
    return quantity


def _count(spec: str, key: str, value: str) -> int:
    if not value.isdecimal() or len(value) > 9 or not int(value):
        raise _wrong(spec, f"{key}={value} is no number of {key.partition('_')[0]}")
    return int(value)


def _wrong(spec: str, what: str) -> UsageError:
    links: Sequence[str] = tuple(LINKS)
    return UsageError(
        f"-cluster {spec}: {what}; needed: HOSTSxRANKS or ranks_per_host=N, and a link: one of "
        f"{', '.join(links)} or a rate such as 100mbit, 2.5gbit, 900MB/s; "
        "optional: latency=20us, processor=2ns, inside=5GB/s, cores=8. "
        "Example: 2x2,100mbit or ib-edr,ranks_per_host=4"
    )
