"""Logs in which a launcher has put the rank before each line."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.errors import DataError
from caffepy.report.log_clock import write_seconds
from caffepy.report.log_lines import of_one_rank
from caffepy.report.log_tables import read_tables
from caffepy.report.parse_log import parse_log
from caffepy.report.training_log import read_training_log
from tests.report.logs import LOG

RANK_1 = LOG.replace("loss = ", "loss = 9").replace("12345", "12346")
PREFIXES = {
    "Open MPI 4": ("[1,0]<stderr>:", "[1,1]<stderr>:"),
    "Open MPI 4 with times": ("Thu May  7 10:39:20 2020[1,0]<stderr>:", "Thu May  7 10:39:21 2020[1,1]<stderr>:"),
    "Open MPI 5": ("[prterun-host-1@1,0]<stderr>: ", "[prterun-host-1@1,1]<stderr>: "),
    "Open MPI 5 in detail": ("[1,0][host:4711]<stderr>: ", "[1,1][host:4712]<stderr>: "),
    "MPICH": ("[0] ", "[1] "),
    "MPICH from rank 9": ("[9] ", "[10] "),
    "torchrun": ("[default0]:", "[default1]:"),
    "srun": ("0: ", "1: "),
    "srun of many": ("002: ", "010: "),
    "pdsh": ("node1: ", "node2: "),
    "kubectl": ("[pod/trainer-0/main] ", "[pod/trainer-1/main] "),
    "kubectl of a Job": ("[pod/trainer-2-x4b9q/main] ", "[pod/trainer-10-a8k2c/main] "),
    "docker compose": ("trainer_1  | ", "trainer_2  | "),
    "docker compose in colors": ("\x1b[36mtrainer-1  |\x1b[0m ", "\x1b[33mtrainer-2  |\x1b[0m "),
    "kubectl, then Open MPI": ("[pod/run-launcher-x4b9q/mpi] [1,0]<stderr>:", "[pod/run-launcher-x4b9q/mpi] [1,1]<stderr>:"),
    "kubectl, then times": ("[pod/trainer-0/main] 2023-12-31T23:59:50.5Z ", "[pod/trainer-1/main] 2023-12-31T23:59:50.75Z "),
}


def mixed(prefixes: tuple[str, str]) -> str:
    """The logs of two ranks, line by line in turn, the higher rank first."""
    pairs = zip(LOG.splitlines(), RANK_1.splitlines(), strict=True)
    return "".join(f"{prefixes[1]}{b}\n{prefixes[0]}{a}\n" for a, b in pairs)


@pytest.fixture(params=PREFIXES)
def both(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """A log as the program wrote it, and one of two ranks."""
    (tmp_path / "plain.log").write_text(LOG)
    (tmp_path / "ranks.log").write_text(
        f"a launcher's own line\nLog file created at: 2023/12/31 23:58:00\n{mixed(PREFIXES[request.param])}"
    )
    return tmp_path / "plain.log", tmp_path / "ranks.log"


def test_the_lowest_rank_counts_for_every_reader(both: tuple[Path, Path], tmp_path: Path) -> None:
    plain, ranks = both
    assert parse_log(ranks)[1] == parse_log(plain)[1]
    assert str(parse_log(ranks)) == str(parse_log(plain))
    assert read_tables(ranks) == read_tables(plain)
    assert str(read_training_log(ranks).train) == str(read_training_log(plain).train)
    assert read_training_log(ranks).loss == read_training_log(plain).loss
    seconds = []
    for log in both:
        write_seconds(str(log), str(tmp_path / "out"))
        seconds.append((tmp_path / "out").read_text())
    assert seconds[0] == seconds[1] != ""


def test_a_rank_that_tells_nothing_of_the_training_is_passed() -> None:
    lines = ["[0] I1231 23:58:10.0 1 a.cpp:1] Use CPU.", "[1] I1231 23:58:11.0 2 a.cpp:1] Iteration 0, loss = 1"]
    assert of_one_rank(lines) == ["I1231 23:58:11.0 2 a.cpp:1] Iteration 0, loss = 1"]
    assert of_one_rank(lines[:1]) == ["I1231 23:58:10.0 1 a.cpp:1] Use CPU."]


def test_a_resumed_run_under_another_launcher_counts_too() -> None:
    first, second = "I1231 23:58:11.0 2 a.cpp:1] Iteration 0, loss = 1", "I1231 23:59:11.0 9 a.cpp:1] Iteration 5, loss = 1"
    lines = [f"[prterun-h-17@1,0]<stderr>: {first}", f"[prterun-h-17@1,1]<stderr>: {first}", f"[prterun-h-99@1,1]<stderr>: {second}"]
    assert of_one_rank([*lines, second]) == [first, second, second]


@pytest.mark.parametrize("before", ["12:", "'", "say: 'Iteration 0' ", "[x] ", "| ", "1" * 100_000 + " "])
def test_what_no_launcher_writes_is_left(before: str, tmp_path: Path) -> None:
    lines = [f"{before}{line}" for line in LOG.splitlines()]
    assert of_one_rank(lines) == lines
    (tmp_path / "a.log").write_text("\n".join(lines[2:]))
    with pytest.raises(DataError, match="no line begins with a time"):
        parse_log(tmp_path / "a.log")


def test_logs_without_prefixes_are_left() -> None:
    lines = [*LOG.splitlines(), "[0] 3", "0: Iteration 3, loss = 1", 'name_1 | "x"', "I0101 00:00:52.0 1 a.cpp:1] [0] I0101 00:00:52.0 x"]
    assert of_one_rank(lines) == lines
