"""Layers that users write in Python, for tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

IN_FLOAT32 = "the user's layer computes in float32"
WEIGHTED = '''

class Weighted(caffe.Layer):
    """Top = weight * bottom, the weight learned."""

    def setup(self, bottom, top):
        self.blobs.add_blob(*bottom[0].data.shape)
        self.blobs[0].data[...] = 3

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].shape)

    def forward(self, bottom, top):
        top[0].data[...] = self.blobs[0].data * bottom[0].data

    def backward(self, top, propagate_down, bottom):
        self.blobs[0].diff[...] += top[0].diff * bottom[0].data
        bottom[0].diff[...] = top[0].diff * self.blobs[0].data
'''


def lay_out(module: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make ``folder`` the working folder, with this module of users' layers."""
    (folder / "users_layers.py").write_text(module)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "users_layers", raising=False)


def layer(name: str, fields: str = "", blobs: str = 'bottom: "x" top: "y"') -> str:
    """A layer of that module."""
    return f'''layer {{ name: "l" type: "Python" {blobs} python_param {{ module: "users_layers" layer: "{name}" {fields} }} }}'''
