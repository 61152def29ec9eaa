"""``caffepy cluster``: a look at the ranks of a job before a training.

``mpirun -n 4 caffepy cluster``, or ``caffepy cluster -hosts FILE``.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caffepy import log
from caffepy.cli.json_output import Json, json_flag, json_object
from caffepy.errors import ParallelError, UsageError
from caffepy.parallel.job.join import join_job
from caffepy.parallel.launch.environment import detect
from caffepy.parallel.launch.machine_file import Machine, host_list, mpirun_words, read_machines

if TYPE_CHECKING:
    from caffepy.parallel.job.preflight import MeasuredLink, RankInfo
    from caffepy.parallel.transport.communicator import Communicator


@click.command("cluster")
@click.option(
    "-gpu",
    "--gpu",
    default="auto",
    metavar="IDS",
    help="Devices, as for train; by default each rank the next one, or the CPU.",
)
@click.option(
    "-hosts",
    "--hosts",
    default="",
    metavar="FILE",
    help="Start the ranks on the machines that this file names.",
)
@click.option(
    "-list",
    "--list",
    "only_list",
    is_flag=True,
    default=False,
    help="Only print the machines of -hosts, as mpirun takes them: a:2,b:4.",
)
@click.option(
    "-mpirun",
    "--mpirun",
    default="",
    metavar="PROGRAM",
    help="What -hosts starts them with; by default mpirun.",
)
@json_flag
def command(*, gpu: str, hosts: str, only_list: bool, mpirun: str, as_json: bool) -> int:
    """Show the ranks that a launcher starts, their devices and links.

    The command fails where these ranks could not train together. Start it as the training would be:
    mpirun -n 4 caffepy cluster. Or let it start the ranks: -hosts FILE. A line of the file is host,
    host:count (as for MPICH), host slots=count (as for Open MPI) or id ip port (as for PMLS-Caffe).
    # begins a comment.
    """
    launch = detect(os.environ, platform.node())
    if hosts and launch.launcher != "single":
        raise UsageError(
            f"-hosts {hosts}: {launch.started_by} has started the ranks already;"
            " needed: -hosts, or the launcher"
        )
    if only_list and not hosts:
        raise UsageError("-list: needed: -hosts FILE")
    if hosts:
        machines = read_machines(hosts)
        if only_list:
            show_machines(machines, as_json=as_json)
            return 0
        words = [f"-gpu={gpu}", *(["-json"] if as_json else [])]
        return start(machines, hosts, mpirun or default_mpirun(), words)
    with join_job(launch, os.environ) as communicator:
        if not communicator.is_root:
            log.keep_to_files()
        check_ranks(communicator, gpu, as_json=as_json)
    return 0


def show_machines(machines: Sequence[Machine], *, as_json: bool) -> None:
    """Print the machines of a file."""
    with json_object(wanted=as_json) as result:
        result["machines"] = [
            {"host": machine.host, "ranks": machine.count} for machine in machines
        ]
    if not as_json:
        print(host_list(machines))


def start(machines: Sequence[Machine], file: str, mpirun: str, words: Sequence[str]) -> int:
    """Run this command again, as ranks on the machines of ``file``; returns the exit code.

    ``words``: its flags.
    """
    for machine in machines:
        try:
            socket.getaddrinfo(machine.host, None)
        except OSError as error:
            raise ParallelError(
                f"{file}: host '{machine.host}' is not known here: {error.strerror};"
                " needed: a name or an address"
            ) from None
    launcher = mpirun_words(mpirun, machines, is_administrator=os.geteuid() == 0)
    command_line = [*launcher, sys.executable, "-m", "caffepy", "cluster", *words]
    return subprocess.run(command_line, check=False).returncode


def default_mpirun() -> str:
    """The site's, else the one that pip put beside Python."""
    return shutil.which("mpirun") or str(Path(sys.executable).parent / "mpirun")


@dataclass(frozen=True)
class Report:
    """What a job is made of.

    ``hosts``: how many. ``spec``: for ``caffepy time -cluster``; empty with one host.
    """

    description: str
    hosts: int
    members: Sequence[RankInfo]
    links: Sequence[MeasuredLink]
    spec: str

    def lines(self) -> list[str]:
        """For people."""
        members = self.members
        lines = [f"{len(members)} rank(s) on {self.hosts} host(s), {self.description}"]
        for rank, member in enumerate(members):
            machine = f"{member.host}, {member.device}, {member.cores} core(s)"
            lines.append(f"rank {rank}: {machine}, in {member.folder}")
        versions = [f"{name} {version}" for name, version in members[0].versions]
        lines.append(f"versions: {', '.join(versions)}")
        for link in self.links:
            first = f"rank {link.first} on {members[link.first].host}"
            second = f"rank {link.second} on {members[link.second].host}"
            speed = f"{link.latency_s * 1e6:.0f} us, {link.bandwidth / 1e6:.0f} MB/s"
            lines.append(f"{first} - {second}: {speed}")
        if self.spec:
            lines.append(f"for predictions: caffepy time -cluster {self.spec}")
        return lines

    def as_object(self) -> dict[str, Json]:
        """For -json."""
        ranks: list[Json] = []
        for rank, member in enumerate(self.members):
            ranks.append({"rank": rank, **asdict(member), "versions": dict(member.versions)})
        return {
            "description": self.description,
            "hosts": self.hosts,
            "ranks": ranks,
            "links": [asdict(link) for link in self.links],
            "spec": self.spec or None,
        }


def check_ranks(communicator: Communicator, gpu: str, *, as_json: bool) -> None:
    """Print the report at rank 0.

    ParallelError for ranks with other versions, or that do not see rank 0's folder.
    """
    from caffepy.cli.devices import training_device
    from caffepy.parallel.job import preflight

    device = training_device(gpu, communicator)
    communicator.use_device(device)
    members = communicator.allgather_object(preflight.rank_info(communicator, str(device)))
    links = preflight.measure_links(communicator)
    groups = communicator.groups
    spec = ""
    if len(groups) > 1:
        processor_s = preflight.measure_processor(communicator, links[0].bandwidth)
        spec = preflight.cluster_words(groups, links, processor_s, members[0].cores)
    blind = preflight.without_shared_folder(communicator)
    problems = preflight.differing_versions(members)
    problems += [
        f"rank {rank} on {members[rank].host} does not see rank 0's folder {members[0].folder}"
        for rank in blind
    ]
    if communicator.is_root:
        report = Report(communicator.description, len(groups), members, links, spec)
        with json_object(wanted=as_json) as result:
            result.update({**report.as_object(), "problems": problems})
        if not as_json:
            print("\n".join(report.lines()))
    if problems:
        raise ParallelError(
            "; ".join(problems) + "; needed: the same installation and the same folder on all hosts"
        )
