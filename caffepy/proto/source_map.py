"""The position of every field of a prototxt, so that a later error can name its line.

A path is a field's names and, for repeated fields, the index: ``("layer", 3, "bottom", 0)``. The
text is scanned when the first position is asked for. protobuf does the parsing; this scanner
expects text that has been parsed.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |   (?P<string>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')
    |   (?P<word>[\w.+-]+)
    |   (?P<sign>[{}<>\[\]:,;])""",
    re.VERBOSE,
)
VALUE = re.compile(r"""\s*:?\s*(?:"([^"\n]*)"|'([^'\n]*)'|(\w+))""")
PathPart = str | int
END = ("}", 0)
MOST_NESTED = 32
"""Deepest nesting of messages.

The schema has less, but text that was refused may contain anything.
"""


@dataclass
class _Place:
    """One occurrence of a field.

    ``offset``: its start in the text; ``end``: the closing bracket of a message; ``fields``: those
    inside it.
    """

    offset: int
    end: int = sys.maxsize
    fields: dict[str, list[_Place]] = field(default_factory=dict)

    def add(self, name: str, offset: int) -> _Place:
        place = _Place(offset)
        self.fields.setdefault(name, []).append(place)
        return place


@dataclass(frozen=True)
class Upgrade:
    """How the layers of a net came about from the layers as written."""

    origins: tuple[int | None, ...]
    """Layer -> index among the layers as written; None for a layer made up by the upgrade."""
    written_as: str = "layer"
    """The field that holds the layers as written: ``layer``, or ``layers`` in old files."""


@dataclass(frozen=True, eq=False)
class SourceMap:
    """Positions in one file.

    ``root``: the path of the message that paths count from. ``upgrades``: of the nets (by path)
    that were upgraded.
    """

    file: str
    text: str
    root: tuple[PathPart, ...] = ()
    upgrades: Mapping[tuple[PathPart, ...], Upgrade] = field(default_factory=dict)
    given: Mapping[tuple[PathPart, ...], str] = field(default_factory=dict)
    elsewhere: Mapping[tuple[PathPart, ...], SourceMap] = field(default_factory=dict)

    def where(self, *path: PathPart) -> str:
        """``file:line:col`` of the field at ``path``, or of the nearest message around it."""
        whole = (*self.root, *path)
        for length in range(len(whole), 0, -1):
            start = whole[:length]
            if start in self.given:
                return self.given[start]
            if start in self.elsewhere:
                return self.elsewhere[start].where(*whole[length:])
        line, column = self.line_and_column(
            self._find(self._as_written((*self.root, *path))).offset
        )
        return f"{self.file}:{line}:{column}"

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset in the text; both count from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def layer_at(self, line: int, column: int) -> str:
        """``"layer 'conv1' (Convolution): "`` if that position is in a layer; else nothing.

        It works for text that does not parse, too.
        """
        offset = self._line_starts[min(line, len(self._line_starts)) - 1] + column - 1
        for place in _layers(self._tree):
            if place.offset <= offset <= place.end:
                name, kind = (self._value(place, field) for field in ("name", "type"))
                return f"layer '{name}'{f' ({kind})' if kind else ''}: " if name or kind else ""
        return ""

    def within(self, *path: PathPart) -> SourceMap:
        """The map of the message at ``path``, such as a solver's ``net_param``."""
        whole = (*self.root, *path)
        return self.elsewhere.get(whole) or replace(self, root=whole)

    def set_by(self, path: tuple[PathPart, ...], words: str) -> SourceMap:
        """The same map after the field at ``path`` was set from outside the file, by ``words``."""
        for start, other in self.elsewhere.items():
            if path[: len(start)] == start:
                return self.held_by(start, other.set_by(path[len(start) :], words))
        return replace(self, given={**self.given, path: words})

    def held_by(self, path: tuple[PathPart, ...], other: SourceMap) -> SourceMap:
        """The same map where the message at ``path`` is what the file of ``other`` holds."""
        return replace(self, elsewhere={**self.elsewhere, path: other})

    def upgraded(self, path: tuple[PathPart, ...], upgrade: Upgrade) -> SourceMap:
        """The same map after the net at ``path`` (``()`` for the whole file) was upgraded."""
        return replace(self, upgrades={**self.upgrades, (*self.root, *path): upgrade})

    def _as_written(self, path: tuple[PathPart, ...]) -> tuple[PathPart, ...]:
        for net, upgrade in self.upgrades.items():
            head, tail = path[: len(net)], path[len(net) :]
            if (
                head != net
                or tail[:1] != ("layer",)
                or len(tail) < 2
                or not isinstance(tail[1], int)
            ):
                continue
            origin = upgrade.origins[tail[1]] if tail[1] < len(upgrade.origins) else None
            return (
                (*head, "input")
                if origin is None
                else (*head, upgrade.written_as, origin, *tail[2:])
            )
        return path

    def _find(self, path: tuple[PathPart, ...]) -> _Place:
        place = self._tree
        parts = list(path)
        while parts:
            occurrences = place.fields.get(str(parts.pop(0)), [])
            index = int(parts.pop(0)) if parts and isinstance(parts[0], int) else 0
            if index >= len(occurrences):
                break
            place = occurrences[index]
        return place

    def _value(self, message: _Place, name: str) -> str:
        """The text of a field's value in a message, or in V0's message ``layer`` within it."""
        for place in message.fields.get(name, []):
            found = (
                VALUE.match(self.text, place.offset + len(name))
                if self.text.startswith(name, place.offset)
                else None
            )
            return next(filter(None, found.groups()), "") if found else ""
        inner = message.fields.get("layer")
        return self._value(inner[0], name) if inner else ""

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    @cached_property
    def _tree(self) -> _Place:
        root = _Place(0)
        _scan_message(_tokens(self.text), root)
        return root


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Tokens and their offsets; a string is one token, comments are left out."""
    for match in TOKEN.finditer(text):
        if match.lastgroup != "comment":
            yield match.group(), match.start()


def _layers(net: _Place) -> Iterator[_Place]:
    """The layers of a net, of either format; of a solver those of the nets in it."""
    for name, places in net.fields.items():
        for place in places:
            if name in ("layer", "layers"):
                yield place
            elif name.endswith("net_param"):
                yield from _layers(place)


def _scan_message(tokens: Iterator[tuple[str, int]], message: _Place, depth: int = 0) -> None:
    """Read fields into ``message`` up to its closing bracket or the end of the text."""
    for name, offset in tokens:
        if name in "}>":
            message.end = offset
            return
        if not (name[0].isalpha() or name[0] == "_"):
            continue  # a separator, or the rest of a value in several pieces
        value, _ = next(tokens, END)
        if value == ":":
            value, _ = next(tokens, END)
        if value == "[":
            _scan_list(tokens, message, name, depth)
        else:
            place = message.add(name, offset)
            if value in "{<" and depth < MOST_NESTED:
                _scan_message(tokens, place, depth + 1)


def _scan_list(tokens: Iterator[tuple[str, int]], message: _Place, name: str, depth: int) -> None:
    """Read ``[a, b]`` or ``[{...}, {...}]`` as occurrences of ``name``."""
    for value, at in tokens:
        if value == "]":
            return
        if value != ",":
            place = message.add(name, at)
            if value in "{<" and depth < MOST_NESTED:
                _scan_message(tokens, place, depth + 1)
