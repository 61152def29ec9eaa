"""The times of a log's lines."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from caffepy.errors import DataError, UsageError
from caffepy.report.log_clock import created_year, read_timed, timed, write_seconds

LINE = "I{day} {clock} 1 solver.cpp:1] {text}"


def seconds(*stamps: str, year: int = 2023) -> list[float]:
    lines = [LINE.format(day=stamp.split()[0], clock=stamp.split()[1], text=" ".join(stamp.split()[2:])) for stamp in stamps]
    return [found for found, _ in timed(lines, year) or []]


def test_since_the_training_began() -> None:
    assert seconds("0301 10:00:00.0 start", "0301 10:00:01.0 Solving x", "0301 10:00:01.25 a", "0302 10:00:01.0 b") == [0.25, 86400]


def test_without_a_beginning_the_first_line_counts() -> None:
    assert seconds("0301 10:00:00.0 a", "0301 10:00:03.0 b") == [0, 3]


def test_the_end_of_a_year() -> None:
    assert seconds("1231 23:59:59.0 Solving x", "0101 00:00:01.0 a", "0102 00:00:01.0 b") == [2, 86402]


def test_a_leap_day() -> None:
    assert seconds("0228 00:00:00.0 Solving x", "0229 00:00:00.0 a", "0301 00:00:00.0 b", year=2024) == [86400, 2 * 86400]


def test_years_in_the_lines() -> None:
    assert seconds("20231231 23:59:59.0 Solving x", "20240101 00:00:01.0 a") == [2]


def test_other_lines_are_passed() -> None:
    assert timed(["layer {", "I0101 00:00:00", "I9999 00:00:00.0 1 x] y", ""], 2023) is None
    assert seconds("0301 10:00:00.0 Solving x") == []


def test_year_of_a_log(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_text("x")
    assert created_year(["Log file created at: 2014/02/10 13:39:22"], file) == 2014
    assert created_year(["I0210 13:39:22.0 1 x] y"], file) == time.localtime(file.stat().st_ctime).tm_year


@pytest.mark.parametrize("start", ["I0228 00:00:00.0 1 x] a", "I1231 23:59:59.0 1 x] a"])
def test_a_leap_day_in_a_file_of_any_year(tmp_path: Path, start: str) -> None:
    file = tmp_path / "copy.log"
    file.write_text(f"{start}\nI0229 00:00:00.0 1 x] b\nI0301 00:00:00.0 1 x] c\n")
    _, leap_day, march = (found for found, _ in read_timed(file))
    assert march - leap_day == 86400
    assert leap_day == (86400 if start.startswith("I0228") else 59 * 86400 + 1)


def test_seconds_file(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("\n".join(LINE.format(day="0301", clock=f"10:00:0{i}.5", text=t) for i, t in enumerate(["Solving", "Iteration 1", "b"])))
    write_seconds(str(log), str(tmp_path / "out"))
    assert (tmp_path / "out").read_text() == "1.000000\n"
    (tmp_path / "b.log").write_text("Iteration 1\n")
    with pytest.raises(DataError, match="b.log: no line begins with a time"):
        write_seconds(str(tmp_path / "b.log"), str(tmp_path / "out"))
    with pytest.raises(DataError, match="none.log: No such file"):
        write_seconds(str(tmp_path / "none.log"), str(tmp_path / "out"))


def test_the_log_itself_is_not_overwritten(tmp_path: Path) -> None:
    log, link = tmp_path / "a.log", tmp_path / "link"
    log.write_text("I0301 10:00:00.5 1 solver.cpp:1] Iteration 1\n")
    link.symlink_to(log)
    for target in (log, link):
        with pytest.raises(UsageError, match=f"{target} would be overwritten, and it is what is read; needed: another name"):
            write_seconds(str(log), str(target))
    assert log.read_text().startswith("I0301")
