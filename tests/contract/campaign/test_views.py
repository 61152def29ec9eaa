"""Layers behind layers that move elements: the campaign's short form, and that it sees what it looks for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from caffepy.layers.common import normalising
from tests.warm.start import python
from tools.campaign.views import judge


def test_random_nets(root: Path) -> None:
    command = [*python(), "-m", "tools.campaign.views", "-n", "60", "-seed", "5"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("views: nets 60, layer types ")
    assert done.stdout.endswith("unlike 0, errors 0, crashes 0, hangs 0, seed 5\n")


def test_a_layer_that_depends_on_the_order_in_memory_is_a_find(monkeypatch: pytest.MonkeyPatch) -> None:
    """As torch's batch normalisation without `usual_order` is one."""
    assert judge(3, ["BatchNorm"])[0] == ""
    monkeypatch.setattr(normalising, "usual_order", lambda x: x if x.is_contiguous() else 2 * x)
    assert judge(3, ["BatchNorm"])[0].startswith("unlike: ")
