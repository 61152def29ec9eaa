"""One command as it was called: its flags are read, and it is run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caffepy import log
from caffepy.cli.commands import CAFFES, IGNORED, USAGE, Entry, TooFewArguments
from caffepy.cli.flags import COMMON, HELP
from caffepy.cli.gflags import FlagError, Scan, refuse_unknown, scan, with_effect
from caffepy.errors import FOLDER_GONE, UsageError, folder_gone, nearest

if TYPE_CHECKING:
    import click


@dataclass(frozen=True)
class Call:
    """A command of ``program``.  ``usage``: how it was called, such as ``caffepy train``."""

    command: click.Command
    entry: Entry
    program: str
    usage: str

    @property
    def by_own_name(self) -> bool:
        """Whether the program has the command's name, as Caffe's tools do."""
        return self.program == self.entry.name

    @property
    def arguments(self) -> list[click.Argument]:
        """The arguments that the command takes, in order."""
        import click

        return [param for param in self.command.params if isinstance(param, click.Argument)]


def run_command(
    entry: Entry, program: str, usage: str, argv: Sequence[str], *, action: str = ""
) -> int:
    """Read the command's flags and run it; returns the exit code.

    ``action``: the word of the line that named the command.
    """
    from caffepy.cli import glog, options

    call = Call(entry.load(), entry, program, usage)
    flags = {**COMMON, **options.flags_of(call.command)}
    line = scan(argv, flags, program=program)
    if action and action not in line.arguments:
        raise FlagError(
            f"'{action}' was read as the value of the flag before it;"
            f" give that flag its value, or put '{action}' first"
        )
    if action:
        line.arguments.remove(action)
    refuse_unknown(line, flags, advice=advice_for(entry.name))
    wanted = wanted_help(line)
    if line.arguments == ["help"] and not call.arguments:
        wanted = "help"
    if wanted:
        return show_command_help(call, wanted)
    if folder_gone(FileNotFoundError()):
        raise UsageError(FOLDER_GONE)  # before a library of PyTorch's ends the process for it
    glog.apply(line, program, quiet=entry.quiet and call.by_own_name)
    for name in line.passed_over:
        near = nearest(name, with_effect(flags))
        log.warning(
            "gflags.cc:0",
            f"a flagfile has '-{name}', which {usage} does not know{near}; it is passed over",
        )
    return invoke(call, line)


def wanted_help(asked: Scan) -> str | None:
    """The help or version flag that was given, if any."""
    for name, values in asked.values.items():
        if name in HELP and values[-1] not in ("", "false"):
            return name
    return None


def advice_for(command: str) -> Callable[[str, str], str]:
    """What to say of a flag that is none of ``command``'s."""

    def advice(name: str, near: str) -> str:
        from caffepy.cli.solver_fields import field_advice

        return field_advice(name, near, command)

    return advice


def show_command_help(call: Call, wanted: str) -> int:
    """Print the command's help or the program's version; returns the exit code."""
    from caffepy.cli import help as texts

    if wanted == "version":
        print(texts.version_text(call.program))
        return 0
    print(texts.command_help(call.command, call.usage, full=wanted == "helpfull"))
    if call.program == "caffepy":
        return 0
    return call.entry.help_exit if call.by_own_name else 1


def show_usage(call: Call) -> int:
    """Print the command's help, as arguments are missing or too many; returns the exit code."""
    from caffepy.cli import help as texts

    to_stderr = call.by_own_name and call.entry.usage_to_stderr
    print(
        texts.command_help(call.command, call.usage), file=sys.stderr if to_stderr else sys.stdout
    )
    return call.entry.usage_exit if call.by_own_name else 1


def invoke(call: Call, line: Scan) -> int:
    """Hand the line to click and run the command; a number that it returns is the exit code."""
    import click

    from caffepy.cli import options

    if line.arguments and not call.arguments:
        return refuse_argument(call, line)
    surplus = surplus_of(call, line)
    if surplus and call.entry.surplus == IGNORED:
        log.warning(
            f"{call.entry.name}.cpp:0",
            f"{call.usage} takes {len(call.arguments)} arguments; ignored: {' '.join(surplus)}",
        )
        del line.arguments[len(call.arguments) :]
    too_many = bool(surplus) and call.entry.surplus == USAGE and call.by_own_name
    if too_many:
        log.error(f"{call.entry.name}.cpp:0", f"too many arguments: {' '.join(surplus)}")
    needed = sum(argument.required for argument in call.arguments)
    if too_many or len(line.arguments) < needed:
        return show_usage(call)
    words = options.click_words(call.command, line)
    try:
        with call.command.make_context(call.usage, words) as context:
            result = call.command.invoke(context)
    except TooFewArguments:
        return show_usage(call)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        raise FlagError(error.format_message()) from None
    except click.ClickException as error:
        raise UsageError(error.format_message()) from None
    return result if isinstance(result, int) else 0


def surplus_of(call: Call, line: Scan) -> list[str]:
    """The arguments beyond those that the command takes."""
    if any(argument.nargs < 0 for argument in call.arguments):
        return []
    return line.arguments[len(call.arguments) :]


def refuse_argument(call: Call, line: Scan) -> int:
    """FlagError for an argument of a command that takes none; Caffe's program shows its usage."""
    if call.program in CAFFES:
        from caffepy.cli.help import program_help

        print(program_help(call.program))
        return 0
    first = line.arguments[0]
    advice = f"a file is named by a flag, such as -solver {first}"
    for words in line.values.get("set", ()):
        if "=" not in words:
            advice = f"needed: -set {words}={first}"
    raise FlagError(f"{call.usage} takes no argument, but '{first}' was given; {advice}")
