"""Reads the part of YAML in which py-faster-rcnn writes param_str and its files of settings.

That is `KEY: VALUE`, one a line, and under `KEY:` further ones that are indented.
"""

from __future__ import annotations

import ast
from typing import Any


def read_settings(text: str) -> dict[str, Any]:
    """The settings of a text; ValueError names the line that is none.

    "'feat_stride': 16\\n'scales': !!python/tuple [4, 8]"   {"feat_stride": 16, "scales": [4, 8]}
    """
    if text.lstrip().startswith("{"):
        return dict(ast.literal_eval(text.strip()))
    settings: dict[str, Any] = {}
    inner = settings
    for number, line in enumerate(text.splitlines(), 1):
        line = _without_comment(line)
        if not line.strip():
            continue
        key, colon, value = line.partition(":")
        if not colon:
            raise ValueError(f"line {number} is {line.strip()!r}; needed: KEY: VALUE")
        key = key.strip().strip("'\"")
        if not line[0].isspace() or not settings:
            inner = settings
        if value.strip():
            inner[key] = _value(value.strip())
        else:
            inner = settings[key] = {}
    return settings


def _without_comment(line: str) -> str:
    """The line up to a # that begins a word; one within quotes stays."""
    quote = ""
    for i, sign in enumerate(line):
        if sign in "'\"":
            quote = "" if sign == quote else quote or sign
        elif sign == "#" and not quote and (i == 0 or line[i - 1].isspace()):
            return line[:i]
    return line


def _value(text: str) -> Any:
    text = text.removeprefix("!!python/tuple").strip()
    words = {"true": True, "false": False, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        pass
    if text.startswith("[") and text.endswith("]"):
        return [_value(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    return text
