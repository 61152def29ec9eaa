"""The README says what the code says."""

from __future__ import annotations

import runpy
from pathlib import Path


def test_layer_table(root: Path) -> None:
    script = runpy.run_path(str(root / "tools/dev/layer_table"))
    _, begin, rest = (root / "README.md").read_text(encoding="utf-8").partition(script["BEGIN"])
    assert begin, "README.md has no mark where the table of layers begins"
    assert rest.partition(script["END"])[0] == script["table"](), "out of date: tools/dev/layer_table --write"
