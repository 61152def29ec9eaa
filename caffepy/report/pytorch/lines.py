"""Statements in lines that are not too long."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

COLUMNS = 100
INDENT = 8
"""Of a method's statements."""
OPENING, CLOSING = "([{", ")]}"


def statement(text: str, comment: str = "") -> list[str]:
    """A statement with a comment behind it, or above it where it is too long.

    The arguments of its last call in rows of their own.
    """
    room = COLUMNS - INDENT
    behind = f"  # {comment}" if comment else ""
    if len(text) + len(behind) <= room:
        return [text + behind]
    above = [f"# {comment}"] if comment else []
    if len(text) <= room:
        return [*above, text]
    parts = _call(text)
    return [*above, *wrapped(*parts)] if parts else [*above, text]


def wrapped(start: str, items: Sequence[str], end: str, indent: int = INDENT) -> list[str]:
    """``start``, the items with commas, ``end``: in one line, or in as many as it takes."""
    room = COLUMNS - indent
    line = f"{start}{', '.join(items)}{end}"
    if len(line) <= room:
        return [line]
    lines, row = [start], ""
    for item in items:
        if row and len(row) + len(item) + 2 > room:
            lines.append(row.rstrip())
            row = ""
        row = f"{row or '    '}{item}, "
    row = row.rstrip()
    return [*lines, row.rstrip(",") if len(lines) == 1 else row, end]


def _call(text: str) -> tuple[str, list[str], str] | None:
    """The text up to its outermost call's arguments, those, and what closes it.

    None where it ends with none.
    """
    end = len(text)
    while end and text[end - 1] in ",:":
        end -= 1
    depth, start = 0, -1
    commas: list[int] = []
    for i in reversed(range(end)):
        if text[i] in CLOSING:
            depth += 1
        elif text[i] in OPENING:
            depth -= 1
            if depth == 0:
                start = i
                break
        elif text[i] == "," and depth == 1:
            commas.insert(0, i)
        if depth == 0:
            return None
    if start < 0:
        return None
    borders = [start, *commas, end - 1]
    items = [text[a + 1 : b].strip() for a, b in pairwise(borders)]
    inner = _call(items[0]) if len(items) == 1 or len(items[0]) > COLUMNS - INDENT - 4 else None
    if inner and len(items) < 3:  # a call around a long one: break the inner
        rest = "".join(f", {item}" for item in items[1:])
        return text[: start + 1] + inner[0], inner[1], f"{inner[2]}{rest}{text[end - 1 :]}"
    return text[: start + 1], items, text[end - 1 :]
