"""Which function writes a layer type's ONNX operators: one dict and one decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from caffepy.report.onnx.site import Site

Converter: TypeAlias = Callable[[Site], "str | list[str]"]
"""Writes the operators of one layer; the names of its tops."""

CONVERTERS: dict[str, Converter] = {}


def converts(*types: str) -> Callable[[Converter], Converter]:
    """Decorator: the function writes layers of these types."""

    def register(function: Converter) -> Converter:
        for name in types:
            if name in CONVERTERS:
                raise ValueError(f"layer type {name} has two converters: {CONVERTERS[name]} and {function}")
            CONVERTERS[name] = function
        return function

    return register
