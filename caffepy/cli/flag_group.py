"""Flags that belong together, as one value for a command."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from caffepy.cli.flags import BOOL, DOUBLE, INT32, Flag

KINDS: dict[str, Any] = {INT32: click.INT, DOUBLE: click.FLOAT}


def flag_group(
    keyword: str, group: dict[str, Flag]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator below ``@click.command``: adds the flags of ``group``.

    They are passed on as one dict, by the name ``keyword``. A number without a default is None.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(**given: object) -> object:
            return function(**{keyword: {name: given.pop(name) for name in group}}, **given)

        for flag in reversed(group.values()):
            if flag.kind == BOOL:
                names = (f"-{flag.name}/-no{flag.name}", f"--{flag.name}/--no{flag.name}")
                wrapper = click.option(*names, default=flag.default == "true", help=flag.help)(
                    wrapper
                )
            else:
                kind = KINDS.get(flag.kind, click.STRING)
                default = kind(flag.default) if flag.default or kind is click.STRING else None
                names = (f"-{flag.name}", f"--{flag.name}")
                wrapper = click.option(
                    *names, type=kind, default=default, metavar=flag.value, help=flag.help
                )(wrapper)
        return wrapper

    return decorate
