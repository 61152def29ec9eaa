"""What killed processes leave beside a file goes, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from caffepy.proto import temporary as module
from caffepy.proto.atomic import atomic_write
from caffepy.proto.temporary import temporary_path

needs_machine = pytest.mark.skipif(
    not module._machine(), reason="this system does not tell which machine it is"
)


@pytest.fixture
def dead() -> int:
    """The number of a process that is no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return process.pid


@needs_machine
def test_what_a_killed_process_left_goes_with_the_next_writing(tmp_path: Path, root: Path) -> None:
    target = tmp_path / "s_iter_5.caffemodel"
    script = f"""
import os
from caffepy.proto.atomic import atomic_write
with atomic_write({str(target)!r}) as temporary:
    temporary.write_bytes(b"half")
    os.kill(os.getpid(), 9)
"""
    subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(root)}, timeout=60
    )
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"half"]
    with atomic_write(target) as temporary:
        temporary.write_bytes(b"whole")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "s_iter_5.caffemodel": b"whole"
    }


@needs_machine
def test_what_may_be_somebody_elses_stays(tmp_path: Path, dead: int) -> None:
    machine = module._machine()
    stays = [
        f"m.tmp.{os.getppid()}.{machine}",  # alive
        # of another machine, or of this one before its last start
        f"m.tmp.{dead}.{'0' * len(machine)}",
        f"m.tmp.{dead}",  # nobody knows whose
        f"n.tmp.{dead}.{machine}",  # of another file
        f"m.tmp.{dead}.{machine}.bak",
        f"m.tmp.x{dead}.{machine}",
        f"m.tmp.0.{machine}",
        f"m.tmp.{2**70}.{machine}",
        f"mm.tmp.{dead}.{machine}",
    ]
    for name in (*stays, f"m.tmp.{dead}.{machine}"):
        (tmp_path / name).touch()
    assert temporary_path(str(tmp_path / "m")) == str(tmp_path / f"m.tmp.{os.getpid()}.{machine}")
    assert sorted(os.listdir(tmp_path)) == sorted(stays)


@needs_machine
def test_what_a_killed_process_left_goes_though_its_parent_does_not_ask_for_it(
    tmp_path: Path,
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        left = tmp_path / f"m.tmp.{process.pid}.{module._machine()}"
        left.touch()
        temporary_path(str(tmp_path / "m"))
        assert left.exists()
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        temporary_path(str(tmp_path / "m"))
        assert not left.exists()


@needs_machine
def test_folders_go_whole_and_links_alone(tmp_path: Path, dead: int) -> None:
    machine = module._machine()
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "x").touch()
    (tmp_path / f"a.tmp.{dead}.{machine}").mkdir()
    (tmp_path / f"a.tmp.{dead}.{machine}" / "data.mdb").touch()
    (tmp_path / f"b.tmp.{dead}.{machine}").symlink_to(kept)
    temporary_path(str(tmp_path / "a"))
    temporary_path(str(tmp_path / "b"))
    assert os.listdir(tmp_path) == ["kept"]
    assert os.listdir(kept) == ["x"]


def test_threads_that_write_one_file_do_so_apart(tmp_path: Path) -> None:
    target = tmp_path / "m"

    def other() -> None:
        with atomic_write(target) as theirs:
            theirs.write_bytes(b"theirs")

    with atomic_write(target) as ours:
        ours.write_bytes(b"ours")
        with ThreadPoolExecutor(1) as threads:
            threads.submit(other).result()
        assert target.read_bytes() == b"theirs"
        assert ours.read_bytes() == b"ours"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"m": b"ours"}


@needs_machine
def test_what_the_threads_of_a_killed_process_left_goes(tmp_path: Path, dead: int) -> None:
    left = [
        tmp_path / f"m.tmp.{number}-140012.{module._machine()}" for number in (dead, os.getppid())
    ]
    for path in left:
        path.touch()
    temporary_path(str(tmp_path / "m"))
    assert [path.exists() for path in left] == [False, True]


def test_where_nobody_tells_the_machine_nothing_goes(
    tmp_path: Path, dead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_machine", lambda: "")
    left = [f"m.tmp.{dead}", f"m.tmp.{dead}."]
    for name in left:
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert temporary_path("m") == f"m.tmp.{os.getpid()}"
    assert sorted(os.listdir()) == left
    assert temporary_path("nowhere/m") == f"nowhere/m.tmp.{os.getpid()}"
