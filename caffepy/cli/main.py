"""The programs: ``caffepy``, ``caffe``, and Caffe's tools under their own names.

``python3 -m caffepy.cli.main NAME ARGS...`` runs the program NAME without installation, as the
launchers in ``tools/`` do.
Nothing heavy is imported before the command is known: ``caffepy --help`` answers at once.
"""

from __future__ import annotations

import os
import sys

from caffepy.parallel.failure.early_monitor import start_early

start_early(sys.argv, os.environ)  # before what takes time: a rank may be lost at any moment

import contextlib
import errno
import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from caffepy import log
from caffepy.cli.commands import (
    ACTIONS,
    CAFFES,
    COMMANDS,
    IGNORED,
    RETIRED,
    USAGE,
    Entry,
    TooFewArguments,
)
from caffepy.cli.flags import CAFFE, COMMON, HELP
from caffepy.cli.gflags import FlagError, Scan, refuse_unknown, scan
from caffepy.cli.leaving import leave
from caffepy.cli.signals import INTERRUPTED, PIPE_CLOSED
from caffepy.errors import (
    FOLDER_GONE,
    NUL_IN_NAME,
    CaffeError,
    UsageError,
    folder_gone,
    nearest,
    nul_in_name,
    one_line,
    out_of_memory,
)
from caffepy.memory_limit import check_memory_before_imports, limit_note
from caffepy.openmp_wait import wait_briefly

if TYPE_CHECKING:
    import click

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of writing; where a file's name is known, it is told."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """The ``caffepy`` program."""
    run_and_leave("caffepy", sys.argv[1:] if argv is None else argv)


def caffe() -> NoReturn:
    """``caffe``: the same with the exit codes of Caffe's own program."""
    run_and_leave("caffe", sys.argv[1:])


def tool() -> NoReturn:
    """The tool whose name this was started by, such as ``convert_imageset``."""
    run_and_leave(os.path.basename(sys.argv[0]).removesuffix(".exe"), sys.argv[1:])


def run_and_leave(program: str, argv: Sequence[str]) -> NoReturn:
    """Run a program by name and end with its exit code.

    An interrupt that comes after its work is done changes nothing.
    """
    if request := os.environ.get(f"_{program.upper()}_COMPLETE"):
        from caffepy.cli.completion import answer

        sys.exit(answer(program, request))
    check_memory_before_imports()
    code = INTERRUPTED
    with contextlib.suppress(KeyboardInterrupt):
        code = run(program, argv)
    leave(code)


def run(program: str, argv: Sequence[str]) -> int:
    """Run a program by name; returns its exit code.

    Every failure is one line; a traceback is shown only with -v=1 or more.
    """
    wait_briefly(os.environ)
    open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # a terminal may know fewer characters than a net's names have
    place = f"{'caffe' if program in ('caffepy', *CAFFES) else program}.cpp:0"
    try:
        code = dispatch(program, argv)
        sys.stdout.flush()
        return code
    except FlagError as error:
        log.put(sys.stderr, f"ERROR: {one_line(error)}\n")
    except CaffeError as error:
        log.fatal(place, one_line(error))
        show_traceback()
    except KeyboardInterrupt:
        log.error(place, "Interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        return PIPE_CLOSED  # whoever read our output has gone; nothing is left to say
    except OSError as error:
        if folder_gone(error):
            log.fatal(place, FOLDER_GONE)
            return 1
        what = error.filename or ("output" if error.errno in FULL else type(error).__name__)
        log.fatal(place, f"{what}: {error.strerror or one_line(error)}")
        show_traceback()
    except Exception as error:  # noqa: BLE001 - a fault of ours, told in one line
        log.fatal(place, unexpected(error))
        show_traceback()
    return 1


def open_closed_streams() -> None:
    """Let standard streams that are closed (``2>&-``) lead nowhere.

    Lines can still be written to them, and no data file gets their numbers.
    """
    names = ("stdin", "stdout", "stderr")
    while (spare := os.open(os.devnull, os.O_RDWR)) < len(names):
        pass
    os.close(spare)
    for number, name in enumerate(names):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


WRONG_INDEX = "device-side assert"
"""In CUDA's message about a wrong index.  On a GPU labels are not checked: that would wait for it."""
UNMAPPED = "failed to map segment"
"""In the message of the system's loader where there is no room for a library."""
NUMPYS = "Original error was: "
NO_THREAD = "can't start new thread"


def unexpected(error: Exception) -> str:
    """The line for an error that no command expected.

    A package is not installed, memory is short, or the fault is ours.
    """
    if (
        isinstance(error, ModuleNotFoundError)
        and error.name
        and not error.name.startswith("caffepy")
    ):
        from caffepy.extras import why_not_imported

        return why_not_imported(error)
    if out_of_memory(error):
        return f"not enough memory: {one_line(error) or type(error).__name__}{limit_note()}"
    if NO_THREAD in str(error):
        needed = "more memory or processes (ulimit -v and ulimit -u tell the limits)"
        return f"{one_line(error)}; needed: {needed}"
    if isinstance(error, ImportError) and UNMAPPED in str(error):
        said = next(
            line for line in str(error).splitlines() if UNMAPPED in line
        )  # numpy says more around it
        return (
            f"{said.removeprefix(NUMPYS)}; needed: more memory (ulimit -v tells the limit),"
            " and a file system that lets libraries run"
        )
    if nul_in_name(error):
        return NUL_IN_NAME
    if WRONG_INDEX in str(error):
        return (
            "a GPU met an index out of range, most often a label that is no class;"
            " without -gpu the layer and the label are named"
        )
    what = f"{type(error).__name__}: {one_line(error)}"
    return f"internal error: {what} (run with -v=1 for the traceback; please report)"


def show_traceback() -> None:
    """The traceback of the error being handled, for those who asked with -v=1."""
    if log.sink.verbosity >= 1:
        import traceback

        traceback.print_exc()


def dispatch(program: str, argv: Sequence[str]) -> int:
    """Find the command, read its flags, run it."""
    if program in COMMANDS:
        return run_command(COMMANDS[program], program, program, argv)
    if program in RETIRED:
        raise UsageError(f"Deprecated. Use {RETIRED[program]} instead.")
    if program not in ("caffepy", *CAFFES):
        raise UsageError(
            f"no program named '{program}'{nearest(program, COMMANDS)};"
            f" known: caffepy, caffe, {', '.join(COMMANDS)}"
        )
    action, asked = find_action(program, argv)
    if action in WORDS:
        argv = [word for word in argv if word != action] + [f"--{action}"]
        action, asked = find_action(program, argv)
    if action is None:
        return show_help(program, asked)
    if action.replace("-", "_") not in COMMANDS:
        known = COMMANDS if program == "caffepy" else ACTIONS
        raise UsageError(
            f"Unknown action: {action}{nearest(action, COMMANDS)}"
            f" (known actions: {', '.join(known)})"
        )
    entry = COMMANDS[action.replace("-", "_")]
    return run_command(entry, program, f"{program} {entry.name}", argv, action=action)


WORDS = ("help", "version")
"""Words that mean the flags of these names: ``caffepy help train``, ``caffepy version``."""


def find_action(program: str, argv: Sequence[str]) -> tuple[str | None, Scan]:
    """The word that names the action, and the flags that were read on the way to it.

    Flags may stand before it, so their values have to be told from it.
    """
    if argv and not argv[0].startswith("-"):
        return argv[0], Scan()
    asked = scan(argv, {**CAFFE, **COMMON}, program=program)
    for i, word in enumerate(asked.arguments):
        if word.replace("-", "_") in COMMANDS or word in WORDS:
            return word, asked
        if i not in asked.after_unknown:
            return word, asked
    refuse_unknown(asked, {**CAFFE, **COMMON}, advice=advice_for(""))
    return None, asked


def advice_for(command: str) -> Callable[[str, str], str]:
    """What to say of a flag that is none of ``command``'s."""

    def advice(name: str, near: str) -> str:
        from caffepy.cli.solver_fields import field_advice

        return field_advice(name, near, command)

    return advice


def wanted_help(asked: Scan) -> str | None:
    """The help or version flag that was given, if any."""
    for name, values in asked.values.items():
        if name in HELP and values[-1] not in ("", "false"):
            return name
    return None


def show_help(program: str, asked: Scan) -> int:
    """Print the program's help or version; the exit code."""
    from caffepy.cli import help as texts

    wanted = wanted_help(asked)
    print(
        texts.version_text(program)
        if wanted == "version"
        else texts.program_help(program, full=wanted == "helpfull")
    )
    # gflags' own --help ends with 1, and scripts written for Caffe may count on it
    return 1 if wanted and wanted != "version" and program != "caffepy" else 0


def run_command(
    entry: Entry, program: str, usage: str, argv: Sequence[str], *, action: str = ""
) -> int:
    """Read the command's flags and run it.

    ``action``: the word of the line that named the command.
    """
    from caffepy.cli import glog, options

    command = entry.load()
    flags = {**COMMON, **options.flags_of(command)}
    line = scan(argv, flags, program=program)
    if action and action not in line.arguments:
        raise FlagError(
            f"'{action}' was read as the value of the flag before it;"
            f" give that flag its value, or put '{action}' first"
        )
    if action:
        line.arguments.remove(action)
    refuse_unknown(line, flags, advice=advice_for(entry.name))
    wanted = (
        "help" if line.arguments == ["help"] and not arguments_of(command) else wanted_help(line)
    )
    if wanted:
        return show_command_help(command, entry, program, usage, wanted)
    if folder_gone(FileNotFoundError()):
        raise UsageError(FOLDER_GONE)  # before a library of PyTorch's ends the process for it
    glog.apply(line, program, quiet=entry.quiet and program == entry.name)
    for name in line.passed_over:
        log.warning(
            "gflags.cc:0",
            f"a flagfile has '-{name}', which {usage} does not know{nearest(name, flags)};"
            " it is passed over",
        )
    return invoke(command, entry, program, usage, line)


def show_command_help(
    command: click.Command, entry: Entry, program: str, usage: str, wanted: str
) -> int:
    """Print the command's help or the program's version; the exit code."""
    from caffepy.cli import help as texts

    print(
        texts.version_text(program)
        if wanted == "version"
        else texts.command_help(command, usage, full=wanted == "helpfull")
    )
    if wanted == "version" or program == "caffepy":
        return 0
    return entry.help_exit if program == entry.name else 1


def show_usage(command: click.Command, entry: Entry, program: str, usage: str) -> int:
    """Print the command's help where arguments are missing or too many; the exit code."""
    from caffepy.cli import help as texts

    own = program == entry.name
    to_stderr = own and entry.usage_to_stderr
    print(texts.command_help(command, usage), file=sys.stderr if to_stderr else sys.stdout)
    return entry.usage_exit if own else 1


def arguments_of(command: click.Command) -> list[click.Argument]:
    """The arguments that a command takes, in order."""
    import click

    return [param for param in command.params if isinstance(param, click.Argument)]


def advice_on_argument(line: Scan) -> str:
    """What the first argument of a command that takes none may have been meant for."""
    first = line.arguments[0]
    field = next((words for words in line.values.get("set", ()) if "=" not in words), "")
    return (
        f"needed: -set {field}={first}"
        if field
        else f"a file is named by a flag, such as -solver {first}"
    )


def invoke(command: click.Command, entry: Entry, program: str, usage: str, line: Scan) -> int:
    """Hand the line to click and run the command; a number that it returns is the exit code."""
    import click

    from caffepy.cli import options

    takes = arguments_of(command)
    needed = sum(1 for argument in takes if argument.required)
    if line.arguments and not takes:
        if program in CAFFES:  # Caffe counts two words and shows its usage
            return show_help(program, Scan())
        raise FlagError(
            f"{usage} takes no argument, but '{line.arguments[0]}' was given;"
            f" {advice_on_argument(line)}"
        )
    surplus = [] if any(argument.nargs < 0 for argument in takes) else line.arguments[len(takes) :]
    if surplus and entry.surplus == IGNORED:
        log.warning(
            f"{entry.name}.cpp:0",
            f"{usage} takes {len(takes)} arguments; ignored: {' '.join(surplus)}",
        )
        del line.arguments[len(takes) :]
    too_many = bool(surplus) and entry.surplus == USAGE and program == entry.name
    if too_many:
        log.error(f"{entry.name}.cpp:0", f"too many arguments: {' '.join(surplus)}")
    if too_many or len(line.arguments) < needed:
        return show_usage(command, entry, program, usage)
    try:
        with command.make_context(usage, options.click_words(command, line)) as context:
            result = command.invoke(context)
    except TooFewArguments:
        return show_usage(command, entry, program, usage)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        raise FlagError(error.format_message()) from None
    except click.ClickException as error:
        raise UsageError(error.format_message()) from None
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python3 -m caffepy.cli.main PROGRAM [ARGUMENTS]")
    run_and_leave(sys.argv[1], sys.argv[2:])
