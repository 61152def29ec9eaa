"""Tests of the path that a GPU takes: on a real one, or on the stand-in (``tools/dev/standin``), which `test_standin` runs them on."""

from __future__ import annotations

import os

import pytest
import torch

if torch.cuda.is_available():  # before tests.golden.engines is imported, which asks where it computes
    os.environ.setdefault("CAFFEPY_GOLDEN_DEVICE", "cuda")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip them where torch sees no GPU."""
    if torch.cuda.is_available():
        return
    for item in items:
        if "/gpu/" in item.path.as_posix():
            item.add_marker(pytest.mark.skip(reason="torch sees no GPU; tests/standin runs these on a stand-in"))


@pytest.fixture
def gpu() -> object:
    """The device."""
    return torch.device("cuda", 0)
