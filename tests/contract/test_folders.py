"""The folders of the rooms for several ranks and for training: few files each, so that a reader sees what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffepy

PACKAGE = Path(caffepy.__file__).parent
FOLDERS = [path.parent for room in ("parallel", "solver") for path in sorted((PACKAGE / room).rglob("__init__.py"))]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(PACKAGE).as_posix())
def test_a_folder_has_few_files(folder: Path) -> None:
    assert len(list(folder.glob("*.py"))) <= 15


def test_the_tests_have_the_same_folders() -> None:
    tests = Path(__file__).parents[1]
    assert all((tests / folder.relative_to(PACKAGE)).is_dir() for folder in FOLDERS)
