"""The help and version texts."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import caffepy
from caffepy.cli.commands import COMMANDS
from caffepy.cli.flags import BOOL, CAFFE, GFLAGS, HELP, LOG, LOG_IGNORED, Flag

if TYPE_CHECKING:
    import click

SPELLINGS = (
    "Flags are written -name value, -name=value, --name value or --name=value,"
    " before or after the command."
)


def version_text(program: str) -> str:
    """The version, and for caffepy what ``import caffe`` gives in this folder.

    Caffe's own program name keeps Caffe's form, one line, which scripts read.
    """
    if program == "caffepy":
        from caffepy.real_caffe import which  # imports what no other help needs

        found = which(["", *sys.path[1:]])
        return f"caffepy {caffepy.__version__} (in place of Caffe 1.0.0)\n{found}"
    return f"{program} version 1.0.0 (caffepy {caffepy.__version__})"


def columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Two columns, the second one wrapped to the terminal."""
    rows = list(rows)
    width = min(max((len(left) for left, _ in rows), default=0), 28)
    room = max(shutil.get_terminal_size((100, 24)).columns - width - 5, 30)
    lines: list[str] = []
    for left, right in rows:
        wrapped = textwrap.wrap(right, room) or [""]
        if len(left) > width:
            lines.append(f"  {left}")
            left = ""
        lines.append(f"  {left:{width}}  {wrapped[0]}".rstrip())
        lines += [f"  {'':{width}}  {line}" for line in wrapped[1:]]
    return lines


def flag_rows(flags: Mapping[str, Flag]) -> list[tuple[str, str]]:
    """Rows of a flag list: ``-iterations N`` and its sentence with the default."""
    rows = []
    for flag in flags.values():
        spelling = f"-{flag.name}" if flag.kind == BOOL else f"-{flag.name} {flag.value}"
        has_default = flag.default not in ("", "false", "0")
        words = f"{flag.help} (default: {flag.default})" if has_default else flag.help
        rows.append((spelling, words))
    return rows


def common_lines(*, full: bool) -> list[str]:
    """The flags that every command takes; the log's own only in full."""
    if not full:
        return [
            "",
            "Flags of the log (-minloglevel, -log_dir, ...), -flagfile and others: --helpfull.",
        ]
    ignored = textwrap.wrap(", ".join(f"-{name}" for name in LOG_IGNORED), 96)
    told = {name: flag for name, flag in HELP.items() if flag.help}
    lines = [
        "",
        "Flags of the log",
        *columns(flag_rows(LOG)),
        "",
        "Flags about flags",
        *columns(flag_rows({**GFLAGS, **told})),
    ]
    return [*lines, "", "Accepted, without effect", *(f"  {line}" for line in ignored)]


def program_help(program: str, *, full: bool = False) -> str:
    """The help of ``caffepy`` or ``caffe`` itself: commands by group, shared flags, examples."""
    lines = [
        (
            f"caffepy {caffepy.__version__}: Caffe's nets, solvers, tools and logs,"
            " run by PyTorch on one process or over MPI"
        ),
        "",
        f"usage: {program} COMMAND [FLAGS] [ARGUMENTS]",
    ]
    for group in dict.fromkeys(entry.group for entry in COMMANDS.values()):
        rows = [(entry.name, entry.summary) for entry in COMMANDS.values() if entry.group == group]
        lines += ["", group, *(f"  {name:28}{summary}" for name, summary in rows)]
    lines += ["", "Flags of train, test, time and device_query", *columns(flag_rows(CAFFE))]
    lines += [
        "",
        "Examples",
        f"  {program} train -solver examples/cifar10/cifar10_quick_solver.prototxt",
        f"  {program} train -solver solver.prototxt -set base_lr=0.01 -set max_iter=2000",
        f"  mpirun -n 4 {program} train -solver examples/cifar10/cifar10_quick_solver.prototxt",
        f"  {program} test -model net.prototxt -weights net.caffemodel -iterations 100",
        f"  {program} convert_imageset -shuffle -resize_width=256 pictures/ list.txt train_lmdb",
        "",
        SPELLINGS,
        f"`{program} COMMAND --help` lists the flags of one command.",
    ]
    return "\n".join([*lines, *common_lines(full=full)])


def command_help(command: click.Command, usage: str, *, full: bool = False) -> str:
    """The help of one command: usage, what it does, its own flags.

    ``usage``: how it was called, such as ``caffepy train``.
    """
    import inspect

    import click

    context = click.Context(command)
    arguments: list[str] = []
    rows: list[tuple[str, str]] = []
    for param in command.params:
        if isinstance(param, click.Argument):
            arguments.append(param.make_metavar(context))
        elif isinstance(param, click.Option) and not param.hidden:
            rows.append(option_row(param))
    lines = [" ".join([f"usage: {usage} [FLAGS]", *arguments])]
    if command.help:
        about = inspect.cleandoc(command.help).splitlines()
        lines += ["", *(f"  {line}".rstrip() for line in about)]
    if rows:
        lines += ["", "Flags", *columns(rows)]
    return "\n".join([*lines, *common_lines(full=full)])


def option_row(option: click.Option) -> tuple[str, str]:
    """``-backend NAME``, and what is said about it, with the default."""
    name = max((spelling.lstrip("-") for spelling in option.opts), key=len)
    # click has an object of its own for "no default"; only plain values are worth telling
    default = option.default if isinstance(option.default, (str, int, float)) else ""
    if option.is_flag:
        default = "true" if default is True else ""
    words = option.help or ""
    if default not in ("", 0):
        words += f" (default: {default})"
    return f"-{name}" if option.is_flag else f"-{name} {option.metavar or 'TEXT'}", words
