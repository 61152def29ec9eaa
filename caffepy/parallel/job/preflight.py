"""What a job of several ranks is made of, looked at before hours are spent on it: versions, folders, devices, links."""

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
from caffepy.parallel.collective.courier import Courier
from caffepy.parallel.collective.ring import ring_allreduce

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.transport.communicator import Communicator

SMALL_VALUES, LARGE_VALUES, SMALL_TIMES, LARGE_TIMES = 1, 1 << 20, 50, 3
BUSY_S, BUSY_SIDE, BUSY_BYTES, BUSY_PARTS = 1.0, 128, 128 << 20, 8
"""For the processor's part in messages: about how long they travel, what is multiplied meanwhile, how large they are at most together."""


@dataclass(frozen=True)
class Member:
    """One rank.  ``device``: what it would compute on. ``folder``: where it runs."""

    host: str
    device: str
    cores: int
    folder: str
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Link:
    """Between two ranks: seconds one way of a message of one number, bytes a second of a large one."""

    first: int
    second: int
    latency_s: float
    bandwidth: float


def look(communicator: Communicator, device: str) -> Member:
    """This rank."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    versions = (
        ("Python", platform.python_version()),
        ("torch", torch.__version__),
        ("caffepy", caffepy.__version__),
    )
    return Member(communicator.host, device, cores, os.getcwd(), versions)


def differing_versions(members: Sequence[Member]) -> list[str]:
    """What is installed in another version on some rank than on rank 0, in words."""
    found = []
    for rank, member in enumerate(members):
        for (name, wanted), (_, version) in zip(members[0].versions, member.versions):
            if version != wanted:
                found.append(
                    f"rank {rank} on {member.host} has {name} {version}, rank 0 has {wanted}"
                )
    return found


def unshared(communicator: Communicator) -> list[int]:
    """Ranks that do not see a file that rank 0 writes where it runs.  Collective; rank 0's answer counts."""
    name, content = ".caffepy-preflight", secrets.token_hex(8)
    if communicator.is_root:
        Path(name).write_text(content)
    name, content = communicator.bcast_object((str(Path(name).absolute()), content))
    try:
        sees = Path(name).read_text() == content
    except OSError:
        sees = False
    everyone = communicator.allgather_object(sees)
    if communicator.is_root:
        Path(name).unlink()
    return [rank for rank, seen in enumerate(everyone) if not seen]


def pairs(groups: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Whose links are measured: each host's first rank with the next host's, and the first two ranks of each host."""
    heads = [group[0] for group in groups]
    closing = [(heads[-1], heads[0])] if len(heads) > 2 else []
    return [*pairwise(heads), *closing] + [
        (group[0], group[1]) for group in groups if len(group) > 1
    ]


def measure_links(communicator: Communicator) -> list[Link]:
    """One pair after the other.  Collective."""
    courier, found = Courier(threaded=False), []
    for first, second in pairs(communicator.groups):
        communicator.barrier()
        result = None
        if communicator.rank in (first, second):
            other = second if communicator.rank == first else first
            small = _there_and_back(
                communicator,
                courier,
                other,
                torch.zeros(SMALL_VALUES),
                SMALL_TIMES,
                begins=communicator.rank == first,
            )
            large = _there_and_back(
                communicator,
                courier,
                other,
                torch.zeros(LARGE_VALUES),
                LARGE_TIMES,
                begins=communicator.rank == first,
            )
            result = Link(first, second, small / 2, 4 * LARGE_VALUES / (large / 2))
        found.append(communicator.bcast_object(result, root=first))
    return [link for link in found if link is not None]


def measure_processor(communicator: Communicator, bandwidth: float) -> float:
    """Seconds of a rank's processor for a byte that it sends to another host, and one that comes, while it computes; of one host, to
    another rank.  By processor time, interrupts included, so that other programs matter little.

    ``bandwidth``: about what the link carries. Collective.
    """
    groups = communicator.groups
    ring = [group[0] for group in groups] if len(groups) > 1 else groups[0]
    courier, found = Courier(threaded=communicator.threaded), None
    communicator.barrier()
    if communicator.rank in ring and len(ring) > 1:
        began = time.perf_counter()
        rounds, alone = _compute(lambda: time.perf_counter() - began > BUSY_S / 4)
        wave, sent = (
            torch.zeros(int(min(BUSY_BYTES, BUSY_S * bandwidth)) // 4),
            communicator.traffic.sent_bytes["send"],
        )
        jobs = [
            courier.start(ring_allreduce(communicator, part, ring, tag=tag))
            for tag, part in enumerate(wave.chunk(BUSY_PARTS))
        ]
        more, beside = _compute(
            lambda: (
                (courier.threaded or not courier.advance()) and all(job.finished for job in jobs)
            )
        )
        found = (beside - more * alone / rounds) / (communicator.traffic.sent_bytes["send"] - sent)
    costs = [cost for cost in communicator.allgather_object(found) if cost is not None]
    return max(0.0, sum(costs) / len(costs)) if costs else 0.0


def spec_of(
    groups: Sequence[Sequence[int]], links: Sequence[Link], processor_s: float, cores: int
) -> str:
    """What -cluster takes for these hosts.  ``links``: the slowest between hosts counts."""
    heads = [group[0] for group in groups]
    between = [link for link in links if link.first in heads and link.second in heads]
    words = [
        f"{len(groups)}x{max(map(len, groups))}",
        f"{min(link.bandwidth for link in between) / 1e6:.4g}MB/s",
    ]
    words += [
        f"latency={max(link.latency_s for link in between) * 1e6:.3g}us",
        f"processor={processor_s * 1e9:.2g}ns",
        f"cores={cores}",
    ]
    return ",".join(words)


def _compute(over: Callable[[], bool]) -> tuple[int, float]:
    """Multiply until it is ``over``: how often, and the processor's seconds."""
    factor, rounds, used = torch.ones(BUSY_SIDE, BUSY_SIDE), 0, time.process_time()
    while not rounds or not over():
        factor @ factor
        rounds += 1
    return rounds, time.process_time() - used


def _there_and_back(
    communicator: Communicator,
    courier: Courier,
    other: int,
    values: Tensor,
    times: int,
    *,
    begins: bool,
) -> float:
    """Seconds of the fastest of some round trips."""
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
