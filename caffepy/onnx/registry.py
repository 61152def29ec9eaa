"""Which function writes a layer type's ONNX operators: one dict and one decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from caffepy.onnx.site import Site
from caffepy.registry import Registry

Converter: TypeAlias = Callable[[Site], "str | list[str]"]
"""Writes the operators of one layer; the names of its tops."""

CONVERTERS: Registry[Converter] = Registry("ONNX converter of layer type")


def converts(*types: str) -> Callable[[Converter], Converter]:
    """Decorator: the function writes layers of these types."""
    return CONVERTERS.named(*types)
