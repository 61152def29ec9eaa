"""The flag -json: a command's result as one JSON object on standard output."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

from caffepy.report.finite import Json, finite

__all__ = ["Json", "json_flag", "json_object"]

C = TypeVar("C", bound=Callable[..., object])

json_flag: Callable[[C], C] = click.option(
    "-json",
    "--json",
    "as_json",
    is_flag=True,
    help="Print the result as one JSON object on standard output.",
)
"""Decorator below ``@click.command``: adds -json and passes it on as the keyword ``as_json``."""


@contextmanager
def json_object(*, wanted: bool) -> Iterator[dict[str, Json]]:
    """Yield a dict for the result, and print it at the end of the block if it is ``wanted``.

    Whatever else the block prints then, a user's Python layer perhaps, goes to standard error.
    After an error nothing is printed.  NaN and infinity become null.
    """
    result: dict[str, Json] = {}
    if not wanted:
        yield result
        return
    with contextlib.redirect_stdout(sys.stderr):
        yield result
    print(json.dumps(finite(result)))
