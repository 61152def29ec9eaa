"""The programs: ``caffepy``, ``caffe``, and Caffe's tools under their own names.

``python3 -m caffepy.cli.main NAME ARGS...`` runs the program NAME without installation, as the
launchers in ``tools/`` do.
Nothing heavy is imported before the command is known: ``caffepy --help`` answers at once.
"""

from __future__ import annotations

from caffepy.cli.interrupts import interrupts

interrupts.begin()

import os
import sys

from caffepy.cli.restart import restart_without_cache
from caffepy.parallel.failure.early_monitor import start_early

restart_without_cache(sys.argv, os.environ)
start_early(sys.argv, os.environ)  # before what takes time: a rank may be lost at any moment

import contextlib
import errno
import io
from collections.abc import Sequence
from typing import NoReturn

from caffepy import log
from caffepy.cli.call import advice_for, run_command, wanted_help
from caffepy.cli.commands import ACTIONS, CAFFES, COMMANDS, RETIRED
from caffepy.cli.failures import open_closed_streams, show_traceback, unexpected
from caffepy.cli.flags import CAFFE, COMMON
from caffepy.cli.gflags import FlagError, Scan, refuse_unknown, scan
from caffepy.cli.leaving import leave
from caffepy.cli.signals import INTERRUPTED, PIPE_CLOSED
from caffepy.errors import FOLDER_GONE, CaffeError, UsageError, folder_gone, nearest, one_line
from caffepy.memory_limit import check_memory_before_imports
from caffepy.openmp_wait import wait_briefly

interrupts.end()

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of writing; where a file's name is known, it is told."""
WORDS = ("help", "version")
"""Words that mean the flags of these names: ``caffepy help train``, ``caffepy version``."""


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
    code = INTERRUPTED
    with contextlib.suppress(KeyboardInterrupt):
        interrupts.note(place_of(program))
        check_memory_before_imports()
        code = run(program, argv)
    leave(code)


def run(program: str, argv: Sequence[str]) -> int:
    """Run a program by name; returns its exit code.

    Every failure is one line; a traceback is shown only with -v=1 or more.
    """
    wait_briefly(os.environ)
    open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a terminal may know fewer characters than a net's names have
        sys.stdout.reconfigure(errors="backslashreplace")
    place = place_of(program)
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
        if interrupts.came:
            log.error(place, "Interrupted.")
            return INTERRUPTED
        log.fatal(place, unexpected(error))
        show_traceback()
    return 1


def place_of(program: str) -> str:
    """Where the log says that a program's own lines come from."""
    return f"{'caffe' if program in ('caffepy', *CAFFES) else program}.cpp:0"


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


def show_help(program: str, asked: Scan) -> int:
    """Print the program's help or version; the exit code."""
    from caffepy.cli import help as texts

    wanted = wanted_help(asked)
    if wanted == "version":
        print(texts.version_text(program))
        return 0
    print(texts.program_help(program, full=wanted == "helpfull"))
    # gflags' own --help ends with 1, and scripts written for Caffe may count on it
    return 1 if wanted and program != "caffepy" else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python3 -m caffepy.cli.main PROGRAM [ARGUMENTS]")
    run_and_leave(sys.argv[1], sys.argv[2:])
