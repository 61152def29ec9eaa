"""Sizes in messages."""

from __future__ import annotations

from caffepy.data.size_text import size_text


def test_sizes() -> None:
    assert size_text((3, 227, 227)) == "3x227x227"
    assert size_text([5]) == "5"
