from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.mpi.launch import Finished, finish, start, under_mpirun
from tests.warm.start import python

pytestmark = pytest.mark.mpi


def _cluster(command: list[str], folder: Path) -> Finished:
    return finish(start([*command, *python(), "-m", "caffepy.cli.main", "caffepy", "cluster"], cwd=folder), limit_s=60)


def test_ranks_and_links_are_shown_and_nothing_is_left(tmp_path: Path) -> None:
    job = _cluster(under_mpirun(3), tmp_path)
    assert job.code == 0, job.err
    lines = job.out.splitlines()
    assert lines[0].startswith("3 rank(s) on 1 host(s), MPI (")
    assert [line.split(":")[0] for line in lines[1:4]] == ["rank 0", "rank 1", "rank 2"]
    assert any(line.startswith("rank 0 on ") and line.endswith(" MB/s") for line in lines)
    assert list(tmp_path.iterdir()) == []


BLIND = """
import os, pathlib, sys
if os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK")) == "1":
    read_text = pathlib.Path.read_text
    def refuse(self, *arguments, **options):
        if "preflight" in self.name:
            raise FileNotFoundError(str(self))
        return read_text(self, *arguments, **options)
    pathlib.Path.read_text = refuse
from caffepy.cli.main import run
sys.exit(run("caffepy", ["cluster"]))
"""


def test_a_rank_that_does_not_see_the_folder_is_found(tmp_path: Path) -> None:
    job = finish(start([*under_mpirun(2), *python(), "-c", BLIND], cwd=tmp_path), limit_s=60)
    assert job.code != 0
    (message,) = job.fatal()
    assert "rank 1 on " in message
    assert f"does not see rank 0's folder {tmp_path}" in message


def test_the_machines_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("localhost slots=2\n")
    command = [sys.executable, "-m", "caffepy", "cluster", "-hosts=hosts", f"-mpirun={under_mpirun(1)[0]}"]
    job = finish(start(command, cwd=tmp_path), limit_s=60)
    assert job.code == 0, job.err
    assert job.out.startswith("2 rank(s) on 1 host(s), MPI (")
