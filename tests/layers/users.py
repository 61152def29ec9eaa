"""Layers that users write in Python, for tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

IN_FLOAT32 = "the user's layer computes in float32"


def lay_out(module: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make ``folder`` the working folder, with this module of users' layers."""
    (folder / "users_layers.py").write_text(module)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "users_layers", raising=False)


def layer(name: str, fields: str = "", blobs: str = 'bottom: "x" top: "y"') -> str:
    """A layer of that module."""
    return f'''layer {{ name: "l" type: "Python" {blobs} python_param {{ module: "users_layers" layer: "{name}" {fields} }} }}'''
