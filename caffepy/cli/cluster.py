"""``caffepy cluster``: a look at the ranks of a job before a training: ``mpirun -n 4 caffepy cluster``."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

import click

from caffepy import log
from caffepy.errors import ParallelError
from caffepy.parallel.environment import detect
from caffepy.parallel.guard import guard

if TYPE_CHECKING:
    from caffepy.parallel.communicator import Communicator


@click.command("cluster")
@click.option("-gpu", "--gpu", default="auto", metavar="IDS", help="Devices, as for train; by default each rank the next one, or the CPU.")
def command(*, gpu: str) -> None:
    """Show the ranks that a launcher starts, their devices and links; fail where they could not train together.

    Start it as the training would be: mpirun -n 4 caffepy cluster.
    """
    with guard(detect(os.environ, platform.node()), os.environ) as communicator:
        if not communicator.is_root:
            log.sink.min_level = log.FATAL
        show(communicator, gpu)


def show(communicator: Communicator, gpu: str) -> None:
    """Print the report at rank 0.  ParallelError for ranks of different versions, or that do not see rank 0's folder."""
    from caffepy.cli.devices import training_device
    from caffepy.parallel import preflight

    device = training_device(gpu, communicator)
    communicator.use_device(device)
    members = communicator.allgather_object(preflight.look(communicator, str(device)))
    links = preflight.measure_links(communicator)
    blind = preflight.unshared(communicator)
    if communicator.is_root:
        print(f"{communicator.size} rank(s) on {len(communicator.groups)} host(s), {communicator.description}")
        for rank, member in enumerate(members):
            print(f"rank {rank}: {member.host}, {member.device}, {member.cores} core(s), in {member.folder}")
        print("versions: " + ", ".join(f"{name} {version}" for name, version in members[0].versions))
        for link in links:
            between = f"rank {link.first} on {members[link.first].host} - rank {link.second} on {members[link.second].host}"
            print(f"{between}: {link.latency_s * 1e6:.0f} us, {link.bandwidth / 1e6:.0f} MB/s")
    problems = preflight.differing_versions(members)
    problems += [f"rank {rank} on {members[rank].host} does not see rank 0's folder {members[0].folder}" for rank in blind]
    if problems:
        raise ParallelError("; ".join(problems) + "; needed: the same installation and the same folder on all hosts")
