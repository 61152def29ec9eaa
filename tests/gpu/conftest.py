"""Tests of the path that a GPU takes: on a real one, or on the stand-in (``tools/dev/standin``), which `test_standin` runs them on."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip them where torch sees no GPU."""
    import torch

    if torch.cuda.is_available():
        return
    for item in items:
        if "/gpu/" in item.path.as_posix():
            item.add_marker(pytest.mark.skip(reason="torch sees no GPU; tests/standin runs these on a stand-in"))


@pytest.fixture
def gpu() -> object:
    """The device."""
    import torch

    return torch.device("cuda", 0)
