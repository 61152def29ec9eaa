"""Sizes of images and blobs in messages."""

from __future__ import annotations

from collections.abc import Iterable


def size_text(size: Iterable[int]) -> str:
    """``3x227x227`` for (3, 227, 227)."""
    return "x".join(map(str, size))
