"""Errors that a layer meets while it runs get the layer's place and name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from caffepy.errors import DataError, LayerError
from caffepy.net.graph import Node


@contextmanager
def blame(node: Node) -> Iterator[None]:
    """Name ``node`` in a LayerError or DataError raised inside."""
    try:
        yield
    except (LayerError, DataError) as e:
        head = f"{node.where}: " if node.where else ""
        raise type(e)(f"{head}layer '{node.name}' ({node.type}): {e}") from None
