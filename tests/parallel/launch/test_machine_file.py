from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.errors import ParallelError
from caffepy.parallel.launch.machine_file import Machine, host_list, mpirun_words, read_machines

FORMATS = {
    "Open MPI": "# our cluster\nnode1 slots=4 max_slots=8\nnode2 slots = 2\n\nnode3\n",
    "MPICH": "node1:4\nnode2:2   # the old one\nnode3\n",
    "one rank a line": "node1\nnode1\nnode1\nnode1\nnode2\nnode2\nnode3",
    "PMLS": "0 node1 9999\n1 node1 10001\n2 node1 10002\n3 node1 10003\n4 node2 9999\n5 node2 10001\n6 node3 9999\n",
}
NODES = [Machine("node1", 4), Machine("node2", 2), Machine("node3", 1)]


def written(folder: Path, text: str) -> Path:
    path = folder / "hosts"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name: str, tmp_path: Path) -> None:
    assert read_machines(written(tmp_path, FORMATS[name])) == NODES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "hosts: names no machine"),
        ("# nothing\n\n", "hosts: names no machine"),
        ("a:2\nb:x\n", "hosts:2: 'b:x': 'x' is no number of ranks"),
        ("a:0", "'0' is no number of ranks"),
        ("a slots=two", "'two' is no number of ranks"),
        ("a:2 slots=2", "'slots=2' is unknown here"),
        ("a b", "'b' is unknown here"),
        ("a,b", "'a,b' is no name of a host"),
        ("-oProxyCommand=x", "is no name of a host"),
        ("0 a 9999\n2 b 9999", "hosts:2: '2 b 9999': id 2, where 1 comes next"),
        ("0 a port", "'port' is no port"),
        ("0 a 70000", "'70000' is no port"),
        ("0 a 9999\nb:2", "hosts:2: 'b:2': the lines before it have another format"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ParallelError) as caught:
        read_machines(written(tmp_path, text))
    assert message in str(caught.value)
    assert "needed: " in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ParallelError, match="nowhere: cannot read the machine file: No such file"):
        read_machines(tmp_path / "nowhere")
    (tmp_path / "binary").write_bytes(b"a:2\n\xff\xfe")
    with pytest.raises(ParallelError, match="binary: cannot read the machine file: byte 4 is no text; needed: a line for each machine"):
        read_machines(tmp_path / "binary")


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("HYDRA build details:", ["-n", "7", "-hosts", "node1:4,node2:2,node3:1"]),
        ("mpirun (Open MPI) 5.0.11", ["-n", "7", "--allow-run-as-root", "--host", "node1:4,node2:2,node3:1"]),
    ],
)
def test_the_command_for_each_launcher(version: str, words: list[str], tmp_path: Path) -> None:
    mpirun = tmp_path / "mpirun"
    mpirun.write_text(f"#!/bin/sh\necho '{version}'\n")
    mpirun.chmod(0o755)
    assert mpirun_words(str(mpirun), NODES, is_administrator=True) == [str(mpirun), *words]


def test_no_launcher(tmp_path: Path) -> None:
    with pytest.raises(ParallelError, match="mpirun: cannot run it: No such file"):
        mpirun_words(str(tmp_path / "mpirun"), NODES, is_administrator=False)


def test_the_list_of_hosts() -> None:
    assert host_list(NODES) == "node1:4,node2:2,node3:1"
