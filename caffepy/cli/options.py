"""Caffe's flags as one value for the commands, and click's options as flags for the command-line reader."""

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
    """What the flags say that train, test, time and device_query share; empty text where a flag was not given."""

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
        """The stages of -stage; one empty stage if there is none, as in Caffe (its logs show ``stage: ""``)."""
        return tuple(self.stage.split(","))


def caffe_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator below ``@click.command``: adds Caffe's flags and passes them on as the keyword ``flags``, a ``CaffeFlags``."""

    @functools.wraps(function)
    def wrapper(*, flags: dict[str, Any], **given: Any) -> Any:
        return function(flags=CaffeFlags(**flags), **given)

    return flag_group("flags", CAFFE)(wrapper)


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The command's options under each name they answer to, dashes removed and underscores inside."""
    found: dict[str, click.Option] = {}
    for option in command.params:
        if isinstance(option, click.Option):
            for name in option.opts:
                found[name.lstrip("-").replace("-", "_")] = option
    return found


def flags_of(command: click.Command) -> dict[str, Flag]:
    """The command's options as flags, by name."""
    return {
        name: Flag(name, BOOL if option.is_flag else _kind(option), value=option.metavar or "TEXT", help=option.help or "")
        for name, option in options_of(command).items()
    }


def _kind(param: click.Parameter) -> str:
    kinds = {click.types.IntParamType: INT32, click.types.FloatParamType: DOUBLE}
    return next((kind for number, kind in kinds.items() if isinstance(param.type, number)), STRING)


def click_words(command: click.Command, scan: Scan) -> list[str]:
    """What click is to read for a scanned command line: each option once, in the spelling it declares, then the arguments."""
    words: list[str] = []
    options = options_of(command)
    for name, values in scan.values.items():
        option = options.get(name)
        if option is None:
            continue
        spelling = max(option.opts, key=len)
        if not option.is_flag:
            words += [f"{spelling}={value}" for value in (values if option.multiple else values[-1:])]
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
        raise FlagError(f"illegal value '{word}' given for {_kind(param)} argument {param.human_readable_name}") from None
