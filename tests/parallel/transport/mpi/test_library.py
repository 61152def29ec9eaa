from __future__ import annotations

import os
from pathlib import Path

from caffepy.parallel.transport.mpi.library import launcher_folders, library_candidates, select_library

PREFIX = Path("/env")


def test_the_library_beside_the_launcher_comes_before_the_systems() -> None:
    found = library_candidates("mpich", {}, [Path("/opt/mpich/bin")], PREFIX)
    assert found[0] == "/opt/mpich/lib/libmpi.so.12"
    assert found[-2:] == ["libmpi.so.12", "/env/lib/libmpi.so.12"]


def test_open_mpi_says_itself_where_its_libraries_are() -> None:
    found = library_candidates("openmpi", {"OMPI_LIBDIR_LOC": "/site/lib"}, [], PREFIX)
    assert found == ["/site/lib/libmpi.so.40", "libmpi.so.40", "/env/lib/libmpi.so.40"]


def test_no_library_is_forced_when_the_family_is_not_certain() -> None:
    assert library_candidates("mpich", {}, [], PREFIX) == []  # srun speaks PMI to every MPI
    assert library_candidates("slurm", {}, [Path("/opt/bin")], PREFIX) == []


def test_the_users_word_stands() -> None:
    assert select_library("openmpi", {"MPI4PY_LIBMPI": "/my/libmpi.so"}) is None
    assert select_library("openmpi", {"MPI4PY_MPIABI": "mpich"}) is None


def test_this_process_has_no_mpirun_above_it() -> None:
    assert all(folder.is_dir() for folder in launcher_folders(os.getpid()))
    assert launcher_folders(2**22 + 1) == []
