"""The tests themselves: each asserts something, and none compares a formula with itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
EXPECTING = ("raises", "warns", "fail", "gradcheck")
"""Calls that fail a test by themselves."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@pytest.fixture(scope="module")
def functions() -> list[tuple[Path, Function]]:
    """Every function of the tests and its file."""
    files = [path for path in sorted(TESTS.rglob("*.py")) if "golden/layers" not in path.as_posix()]
    trees = [(path.relative_to(TESTS), ast.parse(path.read_text(encoding="utf-8"))) for path in files]
    return [(path, node) for path, tree in trees for node in ast.walk(tree) if isinstance(node, Function)]


def calls(function: Function) -> set[str]:
    """The last word of the name of each function that it calls."""
    return {ast.unparse(node.func).rpartition(".")[2] for node in ast.walk(function) if isinstance(node, ast.Call)}


def asserts(function: Function) -> bool:
    """Whether it can fail by its own words."""
    if any(isinstance(node, ast.Assert | ast.Raise) for node in ast.walk(function)):
        return True
    checked = any(keyword.arg == "check" for node in ast.walk(function) if isinstance(node, ast.Call) for keyword in node.keywords)
    return checked or any(name in EXPECTING or "assert" in name for name in calls(function))


def test_every_test_asserts(functions: list[tuple[Path, Function]]) -> None:
    """By itself, or by a function of the tests that does."""
    helpers = {function.name for _, function in functions if not function.name.startswith("test_") and asserts(function)}
    while more := {f.name for _, f in functions if not f.name.startswith("test_") and calls(f) & helpers} - helpers:
        helpers |= more
    silent = [f"{path}: {f.name}" for path, f in functions if f.name.startswith("test_") and not asserts(f) and not calls(f) & helpers]
    assert silent == []


SAME_TWICE = {"contract/campaign/test_differ.py", "parallel/job/test_consistency.py"}
"""Files where asking twice is the point: the same seed, the same bits of a NaN."""


def test_nothing_is_compared_with_itself(functions: list[tuple[Path, Function]]) -> None:
    same = [
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for path, function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq) and ast.dump(node.left) == ast.dump(node.comparators[0])
    ]
    assert {line.partition(":")[0] for line in same} == SAME_TWICE, same
