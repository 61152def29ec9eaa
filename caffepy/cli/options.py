"""Caffe's flags as one value for the commands; click's options as flags for `gflags`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from caffepy.cli.flag_group import flag_group
from caffepy.cli.flags import BOOL, CAFFE, DOUBLE, INT32, STRING, Flag
from caffepy.cli.gflags import FlagError, Scan, plain


@dataclass(frozen=True)
class CaffeFlags:
    """The flags that train, test, time and device_query share; empty where one was not given."""

    solver: str = ""
    model: str = ""
    weights: str = ""
    snapshot: str = ""
    gpu: str = ""
    iterations: int = 50
    phase: str = ""
    level: int = 0
    stage: str = ""
    sigint_effect: str = "stop"
    sighup_effect: str = "snapshot"

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of -stage.

        One empty stage if there is none, as in Caffe, whose logs show ``stage: ""``.
        """
        return tuple(self.stage.split(","))


def caffe_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator below ``@click.command``: adds Caffe's flags.

    They are passed on as the keyword ``flags``, a ``CaffeFlags``.
    """

    @functools.wraps(function)
    def wrapper(*, flags: dict[str, Any], **given: object) -> object:
        return function(flags=CaffeFlags(**flags), **given)

    return flag_group("flags", CAFFE)(wrapper)


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The command's options by each of their names, without dashes and with underscores inside."""
    options: dict[str, click.Option] = {}
    for option in command.params:
        if isinstance(option, click.Option):
            for name in option.opts:
                options[name.lstrip("-").replace("-", "_")] = option
    return options


def flags_of(command: click.Command) -> dict[str, Flag]:
    """The command's options as flags, by name."""
    flags = {}
    for name, option in options_of(command).items():
        kind = BOOL if option.is_flag else _kind(option)
        flags[name] = Flag(name, kind, value=option.metavar or "TEXT", help=option.help or "")
    return flags


def _kind(param: click.Parameter) -> str:
    kinds = {click.types.IntParamType: INT32, click.types.FloatParamType: DOUBLE}
    return next((kind for number, kind in kinds.items() if isinstance(param.type, number)), STRING)


def click_words(command: click.Command, scan: Scan) -> list[str]:
    """A scanned command line as click reads it.

    Each option comes once, in the spelling that it declares; then come the arguments.
    """
    words: list[str] = []
    options = options_of(command)
    for name, values in scan.values.items():
        option = options.get(name)
        if option is None:
            continue
        spelling = max(option.opts, key=len)
        if not option.is_flag:
            words += [
                f"{spelling}={value}" for value in (values if option.multiple else values[-1:])
            ]
        elif values[-1] == "true":
            words.append(spelling)
        elif option.secondary_opts:
            words.append(max(option.secondary_opts, key=len))
    takes = [param for param in command.params if isinstance(param, click.Argument)]
    given = [_argument(param, word) for param, word in zip(takes, scan.arguments)]
    return [*words, "--", *given, *scan.arguments[len(takes) :]]


def _argument(param: click.Argument, word: str) -> str:
    try:
        return plain(_kind(param), word)
    except ValueError:
        raise FlagError(
            f"illegal value '{word}' given for {_kind(param)} argument {param.human_readable_name}"
        ) from None
