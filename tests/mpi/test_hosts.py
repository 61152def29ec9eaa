"""A job of two hosts that call themselves by loopback addresses in their hosts files, as Debian's do; network namespaces stand for them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mpi.jobs import database, quick_net, solver
from tests.mpi.launch import finish, start

pytestmark = pytest.mark.mpi

AS_HOST = "import os, socket, sys; socket.sethostname(sys.argv[1]); os.execv(sys.argv[2], sys.argv[2:])"


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=30)


@pytest.fixture(scope="module")
def hosts() -> Iterator[list[list[str]]]:
    """For each host the words before a command that runs there."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
        pytest.skip("network namespaces take root, ip and unshare")
    names = [f"cpy{os.getpid()}n{i}" for i in (1, 2)]
    folders = [Path("/etc/netns") / name for name in names]
    try:
        try:
            for name in names:
                _ip("netns", "add", name)
            _ip("link", "add", "eth0", "netns", names[0], "type", "veth", "peer", "name", "eth0", "netns", names[1])
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"this system gives no network namespaces: {error}")
        for i, (name, folder) in enumerate(zip(names, folders), 1):
            _ip("-n", name, "addr", "add", f"10.78.0.{i}/24", "dev", "eth0")
            _ip("-n", name, "link", "set", "eth0", "up")
            _ip("-n", name, "link", "set", "lo", "up")
            folder.mkdir(parents=True)
            lines = ["127.0.0.1 localhost", f"127.0.1.1 host{i}", f"10.78.0.{3 - i} host{3 - i}"]
            (folder / "resolv.conf").write_text("nameserver 127.0.0.1\n")  # where nobody answers, at once
            (folder / "hosts").write_text("\n".join(lines) + "\n")
        yield [["ip", "netns", "exec", name, "unshare", "-u", sys.executable, "-c", AS_HOST, f"host{i}"] for i, name in enumerate(names, 1)]
    finally:
        for name, folder in zip(names, folders):
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True, timeout=30)
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return database(tmp_path_factory, "hosts", net=quick_net(8), solver=solver("s", more="max_iter: 5 display: 1"))


@pytest.mark.parametrize("machines", [("10.78.0.1", "10.78.0.2"), ("host1", "host2")])
def test_clients_on_two_hosts(hosts: list[list[str]], folder: Path, machines: tuple[str, str]) -> None:
    (folder / "machines").write_text("".join(f"{i} {machine} 9999\n" for i, machine in enumerate(machines)))
    command = [
        sys.executable,
        "-m",
        "caffepy.cli.main",
        "caffe",
        "train",
        "-solver=solver.prototxt",
        "-hostfile=machines",
        "-num_clients=2",
    ]
    jobs = [start([*host, *command, f"-client_id={i}"], cwd=folder) for i, host in enumerate(hosts)]
    first, second = finish(jobs[0], limit_s=90), finish(jobs[1], limit_s=30)
    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert "2 ranks on 2 host(s)" in first.err
    assert "Optimization Done." in first.err
    assert "cannot reach the monitor" not in first.err
