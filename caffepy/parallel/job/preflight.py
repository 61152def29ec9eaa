"""What a job of several ranks runs on, looked at before hours are spent on it.

Versions, folders, devices, links.
"""

from __future__ import annotations

import os
import platform
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import torch

import caffepy
from caffepy.parallel.collective.courier import Courier, Task
from caffepy.parallel.collective.ring import ring_allreduce

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.transport.communicator import Communicator

SMALL_VALUES = 1
LARGE_VALUES = 1 << 20
SMALL_TIMES = 50
LARGE_TIMES = 3
"""Messages by which a link is measured: how many values they have, and how often they are sent."""
BUSY_S = 1.0
"""About how long messages travel while the processor's part in them is measured."""
BUSY_BYTES = 128 << 20
"""How large they are together, at most."""
BUSY_PARTS = 8
BUSY_SIDE = 128
"""Side of the matrices that are multiplied meanwhile."""


@dataclass(frozen=True)
class RankInfo:
    """What a rank runs on.  ``device``: what it would compute on. ``folder``: where it runs."""

    host: str
    device: str
    cores: int
    folder: str
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class MeasuredLink:
    """Between two ranks.

    ``latency_s``: one way, of a message of one number. ``bandwidth``: bytes a second, of a large
    one.
    """

    first: int
    second: int
    latency_s: float
    bandwidth: float


def rank_info(communicator: Communicator, device: str) -> RankInfo:
    """What this rank runs on."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    versions = (
        ("Python", platform.python_version()),
        ("torch", torch.__version__),
        ("caffepy", caffepy.__version__),
    )
    return RankInfo(communicator.host, device, cores, os.getcwd(), versions)


def differing_versions(ranks: Sequence[RankInfo]) -> list[str]:
    """What is installed on some rank in another version than on rank 0, in words."""
    differences = []
    for rank, info in enumerate(ranks):
        for (name, wanted), (_, version) in zip(ranks[0].versions, info.versions):
            if version != wanted:
                differences.append(
                    f"rank {rank} on {info.host} has {name} {version}, rank 0 has {wanted}"
                )
    return differences


def without_shared_folder(communicator: Communicator) -> list[int]:
    """Ranks that do not see a file which rank 0 writes in its folder.  Collective.

    Only what rank 0 gets counts.
    """
    file, content = Path(".caffepy-preflight"), secrets.token_hex(8)
    if communicator.is_root:
        file.write_text(content)
    name, content = communicator.bcast_object((str(file.absolute()), content))
    try:
        sees = Path(name).read_text() == content
    except OSError:
        sees = False
    everyone = communicator.allgather_object(sees)
    if communicator.is_root:
        Path(name).unlink()
    return [rank for rank, rank_sees in enumerate(everyone) if not rank_sees]


def pairs(groups: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Between which ranks links are measured.

    The first ranks of neighbouring hosts, in a ring, and the first two ranks of each host.
    """
    firsts = [group[0] for group in groups]
    between = list(pairwise(firsts))
    if len(firsts) > 2:
        between.append((firsts[-1], firsts[0]))
    inside = [(group[0], group[1]) for group in groups if len(group) > 1]
    return between + inside


def measure_links(communicator: Communicator) -> list[MeasuredLink]:
    """Measure one pair after the other.  Collective."""
    courier = Courier(threaded=False)
    links = []
    for first, second in pairs(communicator.groups):
        communicator.barrier()
        link = None
        if communicator.rank in (first, second):
            link = _measure_link(communicator, courier, first, second)
        links.append(communicator.bcast_object(link, root=first))
    return [link for link in links if link is not None]


def measure_processor(communicator: Communicator, bandwidth: float) -> float:
    """Seconds of a rank's processor for each byte that it sends while it computes.  Collective.

    With the byte that it receives meanwhile; to another host, or to another rank where there is one
    host. It is measured in processor time, with interrupts, so that other programs matter little.
    ``bandwidth``: about what the link carries.
    """
    groups = communicator.groups
    ring = [group[0] for group in groups] if len(groups) > 1 else groups[0]
    cost = None
    communicator.barrier()
    if communicator.rank in ring and len(ring) > 1:
        cost = _measure_cost(communicator, ring, bandwidth)
    costs = [one for one in communicator.allgather_object(cost) if one is not None]
    return max(0.0, sum(costs) / len(costs)) if costs else 0.0


def cluster_words(
    groups: Sequence[Sequence[int]],
    links: Sequence[MeasuredLink],
    processor_s: float,
    cores: int,
) -> str:
    """What -cluster takes for these hosts; of ``links``, the slowest between hosts counts."""
    firsts = [group[0] for group in groups]
    between = [link for link in links if link.first in firsts and link.second in firsts]
    bandwidth = min(link.bandwidth for link in between)
    latency_s = max(link.latency_s for link in between)
    words = [
        f"{len(groups)}x{max(map(len, groups))}",
        f"{bandwidth / 1e6:.4g}MB/s",
        f"latency={latency_s * 1e6:.3g}us",
        f"processor={processor_s * 1e9:.2g}ns",
        f"cores={cores}",
    ]
    return ",".join(words)


def _measure_cost(communicator: Communicator, ring: Sequence[int], bandwidth: float) -> float:
    """Multiply while messages go round the ring: by how much that takes longer than beforehand.

    MPI is asked as often beforehand, for messages that nobody has sent yet: asking takes its share
    of the time, however little comes.
    """
    sent_bytes = communicator.traffic.sent_bytes
    courier = Courier(threaded=communicator.threaded)
    place = ring.index(communicator.rank)
    after, behind = ring[(place + 1) % len(ring)], ring[place - 1]
    began = time.perf_counter()

    def advanced() -> bool:
        return courier.threaded or not courier.advance()

    def listen(tag: int) -> Task:
        yield communicator.receive(torch.empty(1), behind, tag)

    listening = [courier.start(listen(BUSY_PARTS + tag)) for tag in range(BUSY_PARTS)]
    rounds, alone_s = _multiply_until(
        lambda: advanced() and time.perf_counter() - began > BUSY_S / 4
    )
    for tag in range(BUSY_PARTS):
        courier.wait(communicator.send(torch.zeros(1), after, BUSY_PARTS + tag))
    for job in listening:
        courier.wait(job)
    values = torch.zeros(int(min(BUSY_BYTES, BUSY_S * bandwidth)) // 4)
    before = sent_bytes["send"]
    jobs = [
        courier.start(ring_allreduce(communicator, part, ring, tag=tag))
        for tag, part in enumerate(values.chunk(BUSY_PARTS))
    ]
    more_rounds, beside_s = _multiply_until(
        lambda: advanced() and all(job.finished for job in jobs)
    )
    extra_s = beside_s - more_rounds * alone_s / rounds
    return extra_s / (sent_bytes["send"] - before)


def _multiply_until(is_over: Callable[[], bool]) -> tuple[int, float]:
    """Multiply matrices until ``is_over``: how often, and the seconds of processor time."""
    factor = torch.ones(BUSY_SIDE, BUSY_SIDE)
    rounds = 0
    used = time.process_time()
    while not rounds or not is_over():
        factor @ factor
        rounds += 1
    return rounds, time.process_time() - used


def _measure_link(
    communicator: Communicator, courier: Courier, first: int, second: int
) -> MeasuredLink:
    """At both ends: send small messages there and back, then large ones."""
    begins = communicator.rank == first
    other = second if begins else first

    def round_trip_s(values: Tensor, times: int) -> float:
        """Of the fastest round trip."""
        fastest = float("inf")
        for _ in range(times + 1):
            began = time.perf_counter()
            if begins:
                courier.wait(communicator.send(values, other, 0))
            courier.wait(communicator.receive(values, other, 0))
            if not begins:
                courier.wait(communicator.send(values, other, 0))
            fastest = min(fastest, time.perf_counter() - began)
        return fastest

    small_s = round_trip_s(torch.zeros(SMALL_VALUES), SMALL_TIMES) / 2
    large_s = round_trip_s(torch.zeros(LARGE_VALUES), LARGE_TIMES) / 2
    return MeasuredLink(first, second, small_s, 4 * LARGE_VALUES / large_s)
