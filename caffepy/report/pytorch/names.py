"""Names of a prototxt as Python's: identifiers, comments, docstrings.

A name may be any text, and none of it may run.
"""

from __future__ import annotations

import builtins
import json
import keyword
import re
from collections.abc import Collection

from torch import nn

IMPORTED = {"torch", "nn", "F", "json", "math", "Path", "Sequence", "Tensor"}
GLOBALS = {"WEIGHTS", "self", "net", "load", "preprocess", "read_safetensors"}
METHODS = {"forward", "loss", "parameter_groups", "training"}
TAKEN = (
    IMPORTED
    | GLOBALS
    | METHODS
    | set(dir(builtins))
    | set(keyword.kwlist)
    | set(keyword.softkwlist)
)
LONGEST = 60
"""Characters of an identifier, and of a name in a comment."""


def identifier(name: str, prefix: str = "layer") -> str:
    """``name`` with an underscore for all that an identifier cannot hold.

    ``prefix`` stands before a digit, or for nothing.
    """
    text = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")[:LONGEST]
    if not text:
        return prefix
    return f"{prefix}_{text}" if text[0].isdigit() else text


def camel(name: str, default: str) -> str:
    """``name`` as that of a class."""
    words = [word for word in re.split(r"[^0-9A-Za-z]+", name)[:8] if word]
    text = "".join(word[0].upper() + word[1:] for word in words)[:LONGEST]
    return text if text and not text[0].isdigit() else default + text


def unused(wish: str, taken: Collection[str], between: str = "_") -> str:
    """``wish``, or with a number behind it where that is taken.

    No keyword, builtin or name of torch's modules.
    """
    name, number = wish, 1
    while name in taken or name in TAKEN or hasattr(nn.Module, name):
        number += 1
        name = f"{wish}{between}{number}"
    return name


def shown(text: str) -> str:
    """``text`` for a comment: on one line, with escapes for what cannot be printed."""
    plain = "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 3]}..."


def string(text: str) -> str:
    """``text`` as a string of Python's, in double quotes where it can be."""
    # JSON writes a character beyond 16 bits as two, which Python does not join
    return json.dumps(text) if max(text, default="") <= "\uffff" else ascii(text)


def quoted(text: str) -> str:
    """``text`` for a docstring: as in a comment, and without quotes and escapes."""
    return shown(text).replace("\\", "/").replace('"', "'")
