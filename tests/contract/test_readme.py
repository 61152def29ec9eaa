"""The README says what the code says."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["commands", "layers"])
def test_tables(name: str, root: Path) -> None:
    script = runpy.run_path(str(root / "tools/dev/readme_tables"))
    _, table, _ = script["split"]((root / "README.md").read_text(encoding="utf-8"), name)
    assert table == script["TABLES"][name](), "out of date: tools/dev/readme_tables --write"
