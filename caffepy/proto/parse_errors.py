"""Errors of protobuf's text parser as caffepy's one-line messages."""

from __future__ import annotations

import re

from google.protobuf import text_format

from caffepy.errors import nearest
from caffepy.proto.fields import Pool
from caffepy.proto.forks import fork_note, forks_of, forks_of_type, way_around, way_around_type
from caffepy.proto.source_map import SourceMap

HEAD = re.compile(r"\d+:\d+ : (?:'.*': )?", re.DOTALL)
UNKNOWN_FIELD = re.compile(
    r'Message type "(?P<message>[\w.]+)" has no field named "(?P<field>[^"]*)"'
)
GIVEN_TWICE = re.compile(
    r'Message type "(?P<message>[\w.]+)" should not have multiple "(?P<field>\w+)" fields'
)
UNKNOWN_VALUE = re.compile(
    r'Enum type "(?P<enum>[\w.]+)" has no value (?:named|with number) (?P<value>.*?)\.?$'
)
NO_STRING = re.compile(r"Expected string but found: '(?P<found>.*)'")
NO_NUMBER = re.compile(r"Couldn't parse (?P<kind>integer|float): (?P<found>.*)")
MOST_NAMES = 12
"""Of an enum, in a message that lists them."""
V1_TYPES = "caffe.V1LayerParameter.LayerType"


def explain(error: text_format.ParseError, places: SourceMap, pool: Pool) -> str:
    """``file:line:col: ...`` for a parse error in the text of ``places``.

    ``pool``: the descriptor pool of its message types.
    """
    line, column = error.GetLine() or 1, error.GetColumn() or 1
    words = HEAD.sub("", str(error), count=1).rstrip(".")
    twice = GIVEN_TWICE.search(words)
    if twice:  # the parser's position is that of the value
        line, column = _start_of(twice["field"], places.text, line, column)
    return f"{places.file}:{line}:{column}: {places.layer_at(line, column)}{_reworded(words, pool)}"


def in_words(error: text_format.ParseError, pool: Pool) -> str:
    """What is wrong, without a place."""
    return _reworded(HEAD.sub("", str(error), count=1).rstrip("."), pool)


def explain_missing(field: str, places: SourceMap) -> str:
    """``file:line:col: ...`` for a missing required field, such as ``layer[3].clip_param.max``."""
    where = places.where(
        *(int(part) if part.isdigit() else part for part in re.findall(r"\w+", field))
    )
    line, column = where.split(":")[-2:]
    return f"{where}: {places.layer_at(int(line), int(column))}required field '{field}' is missing"


def explain_escape(offset: int, escape: str, places: SourceMap) -> str:
    """``file:line:col: ...`` for a wrong escape in a string, at an offset of the text."""
    line, column = places.line_and_column(offset)
    said = f"invalid escape sequence {escape} in a string; a backslash itself is written \\\\"
    return f"{places.file}:{line}:{column}: {places.layer_at(line, column)}{said}"


def _reworded(words: str, pool: Pool) -> str:
    if found := UNKNOWN_FIELD.search(words):
        return unknown_field(found["message"], found["field"], pool)
    if found := GIVEN_TWICE.search(words):
        return (
            f"field '{found['field']}' of message '{found['message']}' is given twice; it takes"
            " one value"
        )
    if found := UNKNOWN_VALUE.search(words):
        return _unknown_value(found["enum"], found["value"], pool)
    if found := NO_STRING.search(words):
        if found["found"] == "[":
            return "a list is given; needed: one string"
        hint = "; put it in quotes" if re.match(r"\w", found["found"]) else ""
        return f"expected a string, found {found['found']}{hint}"
    if found := NO_NUMBER.search(words):
        if found["found"] == "[":
            return f"a list is given; needed: one {found['kind']}"
        return (
            f"expected {'an integer' if found['kind'] == 'integer' else 'a number'}, found"
            f" {found['found']}"
        )
    if words == 'Expected "}"':
        return "the file ends inside this message; expected '}'"
    return words[:1].lower() + words[1:]


def unknown_field(message: str, field: str, pool: Pool) -> str:
    """That ``message``, a type's full name, has no such field, and which one is near."""
    name = message.removeprefix("caffe.")
    known = [
        other
        for other in pool.FindMessageTypeByName(message).fields_by_name
        if not forks_of(f"{name}.{other}")
    ]
    own = f"{name}.{field}"
    note = fork_note(forks_of(own)) or nearest(field, known)
    return f"message '{message}' has no field '{field}'{note}{way_around(own)}"


def _unknown_value(enum: str, given: str, pool: Pool) -> str:
    value = given.strip("\"'")
    if value == "[":
        return "a list is given; needed: one value"
    name = enum.removeprefix("caffe.")
    forks = forks_of_type(value) if enum == V1_TYPES else forks_of(f"{name}.{value}")
    known = [
        other
        for other in pool.FindEnumTypeByName(enum).values_by_name
        if not forks_of(f"{name}.{other}")
    ]
    names = f" (known: {', '.join(known)})" if len(known) <= MOST_NAMES else ""
    form = (
        "; text in quotes is the type of a 'layer', not of old 'layers'"
        if enum == V1_TYPES and value != given
        else ""
    )
    near = "" if forks else nearest(value, known)
    way = way_around_type(value) if enum == V1_TYPES else ""
    notes = f"{fork_note(forks)}{form}{near}{names}{way}"
    return f"enum '{enum}' has no value {given}{notes}"


def _start_of(name: str, text: str, line: int, column: int) -> tuple[int, int]:
    """Line and column of the last ``name`` before a place in the text."""
    lines = text.split("\n")
    before = "\n".join([*lines[: line - 1], lines[line - 1][: column - 1]])
    at = before.rfind(name)
    return before.count("\n", 0, at) + 1, at - before.rfind("\n", 0, at)
