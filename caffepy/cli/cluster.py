"""``caffepy cluster``: a look at the ranks of a job before a training: ``mpirun -n 4 caffepy cluster``, or ``-hosts FILE``."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caffepy import log
from caffepy.errors import ParallelError, UsageError
from caffepy.parallel.job.join import join_job
from caffepy.parallel.launch.environment import detect
from caffepy.parallel.launch.machine_file import Machine, host_list, mpirun_words, read_machines

if TYPE_CHECKING:
    from caffepy.parallel.transport.communicator import Communicator


@click.command("cluster")
@click.option("-gpu", "--gpu", default="auto", metavar="IDS", help="Devices, as for train; by default each rank the next one, or the CPU.")
@click.option("-hosts", "--hosts", default="", metavar="FILE", help="Start the ranks on the machines that this file names.")
@click.option(
    "-list", "--list", "only_list", is_flag=True, default=False, help="Only print the machines of -hosts, as mpirun takes them: a:2,b:4."
)
@click.option("-mpirun", "--mpirun", default="", metavar="PROGRAM", help="What -hosts starts them with; by default mpirun.")
def command(*, gpu: str, hosts: str, only_list: bool, mpirun: str) -> int:
    """Show the ranks that a launcher starts, their devices and links; fail where they could not train together.

    Start it as the training would be: mpirun -n 4 caffepy cluster. Or let it start them: -hosts FILE. A line of the file is host,
    host:count (as for MPICH), host slots=count (as for Open MPI) or id ip port (as for PMLS-Caffe); # begins a comment.
    """
    launch = detect(os.environ, platform.node())
    if hosts and launch.launcher != "single":
        raise UsageError(f"-hosts {hosts}: {launch.started_by} has started the ranks already; needed: -hosts, or the launcher")
    if only_list and not hosts:
        raise UsageError("-list: needed: -hosts FILE")
    if hosts:
        machines = read_machines(hosts)
        if only_list:
            print(host_list(machines))
            return 0
        return start(machines, hosts, mpirun or default_mpirun(), gpu)
    with join_job(launch, os.environ) as communicator:
        if not communicator.is_root:
            log.keep_to_files()
        show(communicator, gpu)
    return 0


def start(machines: Sequence[Machine], file: str, mpirun: str, gpu: str) -> int:
    """Run this command again, as ranks on the machines of ``file``; the exit code."""
    for machine in machines:
        try:
            socket.getaddrinfo(machine.host, None)
        except OSError as error:
            raise ParallelError(
                f"{file}: host '{machine.host}' is not known here: {error.strerror}; needed: a name or an address"
            ) from None
    words = mpirun_words(mpirun, machines, is_administrator=os.geteuid() == 0)
    return subprocess.run([*words, sys.executable, "-m", "caffepy", "cluster", f"-gpu={gpu}"], check=False).returncode


def default_mpirun() -> str:
    """The site's, else the one that pip put beside Python."""
    return shutil.which("mpirun") or str(Path(sys.executable).parent / "mpirun")


def show(communicator: Communicator, gpu: str) -> None:
    """Print the report at rank 0.  ParallelError for ranks of different versions, or that do not see rank 0's folder."""
    from caffepy.cli.devices import training_device
    from caffepy.parallel.job import preflight

    device = training_device(gpu, communicator)
    communicator.use_device(device)
    members = communicator.allgather_object(preflight.look(communicator, str(device)))
    links = preflight.measure_links(communicator)
    processor_s = preflight.measure_processor(communicator, links[0].bandwidth) if len(communicator.groups) > 1 else 0.0
    blind = preflight.unshared(communicator)
    if communicator.is_root:
        print(f"{communicator.size} rank(s) on {len(communicator.groups)} host(s), {communicator.description}")
        for rank, member in enumerate(members):
            print(f"rank {rank}: {member.host}, {member.device}, {member.cores} core(s), in {member.folder}")
        print("versions: " + ", ".join(f"{name} {version}" for name, version in members[0].versions))
        for link in links:
            between = f"rank {link.first} on {members[link.first].host} - rank {link.second} on {members[link.second].host}"
            print(f"{between}: {link.latency_s * 1e6:.0f} us, {link.bandwidth / 1e6:.0f} MB/s")
        if len(communicator.groups) > 1:
            print(f"for predictions: caffepy time -cluster {preflight.spec_of(communicator.groups, links, processor_s, members[0].cores)}")
    problems = preflight.differing_versions(members)
    problems += [f"rank {rank} on {members[rank].host} does not see rank 0's folder {members[0].folder}" for rank in blind]
    if problems:
        raise ParallelError("; ".join(problems) + "; needed: the same installation and the same folder on all hosts")
