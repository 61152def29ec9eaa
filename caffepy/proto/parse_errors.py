"""What protobuf's text parser complains about, in this program's words: where, what was found, what is known."""

from __future__ import annotations

import re
from typing import Any

from google.protobuf import text_format

from caffepy.errors import nearest

HEAD = re.compile(r"\d+:\d+ : (?:'.*': )?", re.DOTALL)
UNKNOWN_FIELD = re.compile(r'Message type "(?P<message>[\w.]+)" has no field named "(?P<field>[^"]*)"')
GIVEN_TWICE = re.compile(r'Message type "(?P<message>[\w.]+)" should not have multiple "(?P<field>\w+)" fields')
UNKNOWN_VALUE = re.compile(r'Enum type "(?P<enum>[\w.]+)" has no value (?:named|with number) (?P<value>.*?)\.?$')
NO_STRING = re.compile(r"Expected string but found: '(?P<found>.*)'")


def explain(error: text_format.ParseError, text: str, file: str, pool: Any) -> str:
    """``file:line:col: ...`` for a parse error in ``text``, whose message types are in ``pool``."""
    line, column = error.GetLine() or 1, error.GetColumn() or 1
    words = HEAD.sub("", str(error), count=1).rstrip(".")
    twice = GIVEN_TWICE.search(words)
    if twice:  # the parser stands at the value by then
        line, column = _start_of(twice["field"], text, line, column)
    return f"{file}:{line}:{column}: {_reworded(words, pool)}"


def _reworded(words: str, pool: Any) -> str:
    if found := UNKNOWN_FIELD.search(words):
        known = pool.FindMessageTypeByName(found["message"]).fields_by_name
        return f"message '{found['message']}' has no field '{found['field']}'{nearest(found['field'], known)}"
    if found := GIVEN_TWICE.search(words):
        return f"field '{found['field']}' of message '{found['message']}' is given twice; it takes one value"
    if found := UNKNOWN_VALUE.search(words):
        values = pool.FindEnumTypeByName(found["enum"]).values_by_name
        value = found["value"].strip("\"'")
        return f"enum '{found['enum']}' has no value {found['value']}{nearest(value, values)} (known: {', '.join(values)})"
    if found := NO_STRING.search(words):
        hint = "; put it in quotes" if re.match(r"\w", found["found"]) else ""
        return f"expected a string, found {found['found']}{hint}"
    if words == 'Expected "}"':
        return "the file ends inside this message; expected '}'"
    return words[:1].lower() + words[1:]


def _start_of(name: str, text: str, line: int, column: int) -> tuple[int, int]:
    """Line and column of the last ``name`` before a place in the text."""
    lines = text.split("\n")
    before = "\n".join([*lines[: line - 1], lines[line - 1][: column - 1]])
    at = before.rfind(name)
    return before.count("\n", 0, at) + 1, at - before.rfind("\n", 0, at)
