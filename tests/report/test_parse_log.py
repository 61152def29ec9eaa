"""The tables of parse_log.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.errors import DataError
from caffepy.report.parse_log import parse_log, write_tables
from tests.report.logs import LOG


def test_rows(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LOG)
    assert write_tables(str(tmp_path / "a.log"), str(tmp_path), delimiter=";") == {
        str(tmp_path / "a.log.train"): 2,
        str(tmp_path / "a.log.test"): 2,
    }
    # the rate of the first test is told after it, so the second one's stands there
    assert (tmp_path / "a.log.test").read_bytes() == (
        b"NumIters;Seconds;LearningRate;acc;loss\r\n0.0;1.0;0.001;0.1;2.3\r\n10.0;61.0;0.001;1.0;0.5\r\n"
    )
    assert (tmp_path / "a.log.train").read_bytes() == (
        b"NumIters;Seconds;LearningRate;loss\r\n0.0;1.500001;0.01;2.6\r\n10.0;60.000001;0.01;nan\r\n"
    )


def test_a_single_row_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("\n".join(LOG.splitlines()[:10]))
    train, test = parse_log(tmp_path / "a.log")
    assert train == []
    assert [row["loss"] for row in test] == [2.3]
    assert write_tables(str(tmp_path / "a.log"), str(tmp_path))[str(tmp_path / "a.log.train")] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log", "a.log.test"]


def test_a_clock_that_was_set_back(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LOG + LOG.replace("23:5", "22:5").replace("00:00", "23:00").replace("0101", "1231"))
    train, test = parse_log(tmp_path / "a.log")
    assert (len(train), len(test)) == (4, 4)


def test_what_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("Iteration 0, loss = 2\n")
    with pytest.raises(DataError, match="no line begins with a time"):
        parse_log(tmp_path / "a.log")
    (tmp_path / "a.log").write_text(LOG)
    with pytest.raises(DataError, match="there is no folder"):
        write_tables(str(tmp_path / "a.log"), str(tmp_path / "none"))


@pytest.mark.parametrize("case", ["basic", "average_loss", "multi_test", "twoloss"])
def test_as_the_real_script_writes_them(case: str, shared: Path, tmp_path: Path) -> None:
    folder = shared / f"golden/cli/parse_log_{case}"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    write_tables(str(folder / "train.log"), str(tmp_path))
    recorded = [path for path in folder.iterdir() if path.suffix in (".train", ".test")]
    assert recorded
    for path in recorded:
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
