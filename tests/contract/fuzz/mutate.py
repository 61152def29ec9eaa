"""Damage of the kinds that people, editors and disks do to files."""

from __future__ import annotations

import re
from typing import TypeVar

from hypothesis import strategies as st

TOKEN = re.compile(r'"[^"\n]*"|[\w.+-]+|[^\w\s]|\s+')
VALUES = [
    *("0", "1", "2", "3", "7", "-1", "-2", "100", "65536", "2000000000", "2147483647", "2147483648", "4294967295", "-2147483648"),
    *("99999999999999999999", "0.5", "-0.5", "1e-30", "1e30", "inf", "-inf", "nan", "true", "false", "TRAIN", "TEST", "MAX", "SUM"),
    *(
        '""',
        '"data"',
        '"x"',
        '"label"',
        '"/"',
        '"no such file"',
        '"ReLU"',
        '"Split"',
        "{",
        "}",
        "[",
        "]",
        ":",
        "<",
        ">",
        ",",
        ";",
        "#",
        "'",
    ),
]
T = TypeVar("T")
Edit = tuple[str, int, int, str]
"""What is done, two places (taken modulo the length), a value."""


def edits(kinds: list[str], values: st.SearchStrategy[str]) -> st.SearchStrategy[list[Edit]]:
    """A few edits of these kinds."""
    place = st.integers(0, 1 << 16)
    return st.lists(st.tuples(st.sampled_from(kinds), place, place, values), min_size=1, max_size=5)


def edited(pieces: list[T], kind: str, at: int, other: int, value: T) -> list[T]:
    """A copy with one edit."""
    if not pieces:
        return [value]
    at, other = at % len(pieces), other % len(pieces)
    first, last = sorted((at, other))
    if kind == "delete":
        return pieces[:at] + pieces[at + 1 :]
    if kind == "copy":
        return [*pieces[:at], pieces[other], *pieces[at + 1 :]]
    if kind == "swap":
        return [pieces[other] if i == at else pieces[at] if i == other else piece for i, piece in enumerate(pieces)]
    if kind == "repeat":
        return pieces[:last] + pieces[first:last] + pieces[last:]
    if kind == "cut":
        return pieces[:first] + pieces[last:]
    if kind == "end":
        return pieces[:at]
    return [*pieces[:at], value, *pieces[at + (kind == "replace") :]]


KINDS = ["delete", "copy", "swap", "repeat", "cut", "end", "insert", "replace"]
TOKENS = edits(["number"] * 40 + ["string"] * 20 + ["word"] * 4 + KINDS, st.sampled_from(VALUES))
ALIKE = {"number": re.compile(r"[-+]?[.\d]"), "string": re.compile('"'), "word": re.compile("[A-Za-z_]")}
NUMBERS = [value for value in VALUES if ALIKE["number"].match(value)]
BYTES = edits(["replace"] * 4 + KINDS, st.binary(min_size=1, max_size=1).map(lambda byte: byte.decode("latin-1")))


def text(source: str, changes: list[Edit]) -> str:
    """``source`` with its tokens changed; blanks are no tokens."""
    tokens = [token for token in TOKEN.findall(source) if not token.isspace()]
    for kind, at, other, value in changes:
        places = [i for i, token in enumerate(tokens) if ALIKE[kind].match(token)] if kind in ALIKE else []
        if not places:
            tokens = edited(tokens, kind, at, other, value)
        elif kind == "number":
            tokens[places[at % len(places)]] = NUMBERS[other % len(NUMBERS)]
        else:
            tokens[places[at % len(places)]] = tokens[places[other % len(places)]]
    return " ".join(tokens)


def data(source: bytes, changes: list[Edit]) -> bytes:
    """``source`` with its bytes changed."""
    pieces = list(source)
    for kind, at, other, value in changes:
        pieces = edited(pieces, kind, at, other, value.encode("latin-1")[0])
    return bytes(pieces)
