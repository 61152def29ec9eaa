"""What --quick chooses."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.quick import SAMPLE, changed_files, chosen, mirror_of


def items(*places: str) -> list[Any]:
    return [SimpleNamespace(nodeid=f"{place}::test_{i}") for place in places for i in range(SAMPLE)]


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("caffepy/layers/neuron/relu.py", "tests/layers/neuron/test_relu.py"),
        ("caffepy/data/stores/base.py", "tests/data/stores/test_base.py"),
        ("caffepy/errors.py", "tests/test_errors.py"),
        ("tests/cli/test_time.py", "tests/cli/test_time.py"),
        ("tests/mpi/jobs.py", ""),
        ("README.md", ""),
    ],
)
def test_a_file_has_tests(file: str, tests: str) -> None:
    assert mirror_of(file) == tests


def test_those_of_changed_files_are_all_chosen_and_slow_ones_only_then() -> None:
    found = chosen(
        items("tests/layers/neuron/test_relu.py", "tests/net/test_filter.py", "tests/mpi/test_data.py"), {"caffepy/layers/neuron/relu.py"}
    )
    assert [item.nodeid.partition("::")[0] for item in found] == ["tests/layers/neuron/test_relu.py"] * SAMPLE + [
        "tests/net/test_filter.py"
    ]
    assert len(chosen(items("tests/mpi/test_data.py"), {"tests/mpi/test_data.py"})) == SAMPLE


def test_changes_are_those_beside_main(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True, timeout=30)

    assert changed_files(tmp_path) == set()
    for name in ("same.py", "committed.py", "edited.py"):
        (tmp_path / name).touch()
    git("init", "-b", "main")
    git("add", ".")
    git("commit", "-m", "first")
    git("switch", "-c", "mine")
    (tmp_path / "committed.py").write_text("1")
    git("commit", "-am", "second")
    (tmp_path / "edited.py").write_text("1")
    (tmp_path / "new.py").touch()
    assert changed_files(tmp_path) == {"committed.py", "edited.py", "new.py"}
