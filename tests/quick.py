"""``--quick``: the tests of the files that were changed, and a sample of the others that start no processes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SLOW = ("contract/campaign", "contract/fuzz", "gpu", "mpi", "standin", "warm")
"""Folders whose tests start programs and ranks, or need a GPU."""
SAMPLE = 12
"""One in so many of the others."""


def changed_files(root: Path = ROOT) -> set[str]:
    """Files that differ from the branch main, committed or not; nothing where git does not know."""
    base = _git(root, "merge-base", "HEAD", "main") or ["HEAD"]
    return {*_git(root, "diff", "--name-only", base[0]), *_git(root, "ls-files", "--others", "--exclude-standard")}


def _git(root: Path, *words: str) -> list[str]:
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.splitlines()


def mirror_of(file: str) -> str:
    """The file of tests that mirrors a file of the package, or the file itself if it is one of tests; else nothing."""
    path = Path(file)
    if path.suffix != ".py":
        return ""
    if path.parts[0] == "caffepy":
        return str(Path("tests", *path.parts[1:-1], f"test_{path.name}"))
    return file if path.parts[0] == "tests" and path.name.startswith("test_") else ""


def chosen(items: list[pytest.Item], changed: set[str]) -> list[pytest.Item]:
    """Those of ``changed`` files, and a sample."""
    wanted = {mirror_of(file) for file in changed}
    kept, passed = [], 0
    for item in items:
        place = item.nodeid.partition("::")[0]
        if place in wanted:
            kept.append(item)
        elif not place.removeprefix("tests/").startswith(SLOW):
            passed += 1
            if passed % SAMPLE == 0:
                kept.append(item)
    return kept
