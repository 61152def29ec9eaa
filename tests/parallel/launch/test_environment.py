"""Launch detection from dicts, with no MPI at all."""

from __future__ import annotations

import pytest

from caffepy.errors import ParallelError
from caffepy.parallel.launch.environment import Launch, detect

HYDRA = {"PMI_RANK": "1", "PMI_SIZE": "2", "MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "2", "PMI_FD": "11"}
OPEN_MPI = {
    "OMPI_COMM_WORLD_RANK": "5",
    "OMPI_COMM_WORLD_SIZE": "8",
    "OMPI_COMM_WORLD_LOCAL_RANK": "1",
    "OMPI_COMM_WORLD_LOCAL_SIZE": "4",
    "PMIX_RANK": "5",
}
TORCHRUN = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "n0", "MASTER_PORT": "29500"}
STEP = {"SLURM_PROCID": "2", "SLURM_STEP_NUM_TASKS": "4", "SLURM_STEP_ID": "0", "SLURM_LOCALID": "0", "SLURM_NODEID": "1"}
ALLOCATION = {"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4", "SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_NODEID": "0"}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, Launch("single", 0, 1, 0, 1, "h")),
        (HYDRA, Launch("mpich", 1, 2, 1, 2, "h")),
        (OPEN_MPI, Launch("openmpi", 5, 8, 1, 4, "h")),
        (TORCHRUN, Launch("torchrun", 3, 4, 1, 2, "h")),
        (
            {"MV2_COMM_WORLD_RANK": "0", "MV2_COMM_WORLD_SIZE": "2", "MV2_COMM_WORLD_LOCAL_RANK": "0", "MV2_COMM_WORLD_LOCAL_SIZE": "2"},
            Launch("mvapich", 0, 2, 0, 2, "h"),
        ),
        ({"MVP_COMM_WORLD_RANK": "1", "MVP_COMM_WORLD_SIZE": "2"}, Launch("mvapich", 1, 2, None, None, "h")),
        (STEP | {"SLURM_STEP_TASKS_PER_NODE": "1,3"}, Launch("slurm", 2, 4, 0, 3, "h")),
        (STEP | {"SLURM_STEP_TASKS_PER_NODE": "2(x2)"}, Launch("slurm", 2, 4, 0, 2, "h")),
        (STEP, Launch("slurm", 2, 4, 0, None, "h")),
    ],
)
def test_each_launcher(environ: dict[str, str], expected: Launch) -> None:
    assert detect(environ, "h") == expected


@pytest.mark.parametrize(
    "environ",
    [
        ALLOCATION,  # a batch script or the shell of salloc
        ALLOCATION | {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "1"},  # srun --pty
        {"RANK": "3"},  # somebody's own variable
        {"SLURM_PROCID": "0", "PMIX_RANK": "0", "SLURM_STEP_NUM_TASKS": "1"},
    ],
)
def test_what_is_no_launch(environ: dict[str, str]) -> None:
    assert detect(environ, "h") == Launch("single", 0, 1, 0, 1, "h")


def test_the_innermost_launcher_wins() -> None:
    assert detect(STEP | OPEN_MPI, "h").launcher == "openmpi"
    assert detect(STEP | TORCHRUN, "h").launcher == "torchrun"
    assert detect(STEP | HYDRA, "h").launcher == "mpich"


def test_one_rank_under_a_launcher_is_alone() -> None:
    assert detect({"PMI_RANK": "0", "PMI_SIZE": "1"}, "h").is_alone


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"OMPI_COMM_WORLD_RANK": "1"}, "OMPI_COMM_WORLD_RANK=1 is set without OMPI_COMM_WORLD_SIZE"),
        ({"PMI_RANK": "1"}, "PMI_RANK=1 is set without PMI_SIZE"),
        ({"RANK": "0", "MASTER_ADDR": "n0"}, "RANK=0 is set without WORLD_SIZE"),
        ({"PMIX_RANK": "1"}, "no variable says how many ranks"),
        ({"PMI_RANK": "2", "PMI_SIZE": "2"}, "PMI_RANK=2 in a job of 2 ranks; needed: 0 to 1"),
        ({"PMI_RANK": "one", "PMI_SIZE": "2"}, "PMI_RANK='one'; needed: a whole number"),
    ],
)
def test_incomplete_or_senseless_variables(environ: dict[str, str], message: str) -> None:
    with pytest.raises(ParallelError, match=message):
        detect(environ, "h")
