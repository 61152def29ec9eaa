"""``caffepy completion``: scripts that let a shell complete commands, flags and values.

click writes the scripts and speaks with the shells. What can stand at a place is looked up here:
click does not know gflags' spellings, nor flags that stand before the command.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from caffepy.cli.commands import ACTIONS, CAFFES, COMMANDS, Entry
from caffepy.cli.flags import BOOL, COMMON, Flag
from caffepy.cli.gflags import split
from caffepy.engine_names import ENGINES
from caffepy.errors import UsageError
from caffepy.parallel.exchange.core.registry import AUTO, offered

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem, ShellComplete

SHELLS = ("bash", "zsh", "fish")
PROGRAMS = ("caffepy", "caffe")
"""Those that a script is for where none is named."""

STORES = ("lmdb", "leveldb")
EFFECTS = ("snapshot", "stop", "none")
CHOICES: Mapping[str, Sequence[str]] = {
    "anno_type": ("classification", "detection"),
    "backend": STORES,
    "batch_mode": ("per_rank", "per_node", "global"),
    "compress": ("none", "fp16", "bf16"),
    "db_type": STORES,
    "engine": ENGINES,
    "exchange": (*offered(), AUTO),
    "gpu": ("all", "auto", "0"),
    "grad_scale": ("mean", "sum"),
    "label_type": ("xml", "json", "txt"),
    "minloglevel": ("0", "1", "2", "3"),
    "phase": ("TRAIN", "TEST"),
    "precision": ("fp32", "tf32", "bf16", "fp16"),
    "rankdir": ("TB", "LR", "BT", "RL"),
    "shell": SHELLS,
    "sighup_effect": EFFECTS,
    "sigint_effect": EFFECTS,
    "svb": ("on", "off", "auto"),
}
"""Values of flags and arguments, by name."""

USEFUL = {name: flag for name, flag in COMMON.items() if flag.help}
"""The common flags that are worth offering."""
UNFINISHED = ("=", ".", "[")
"""Endings of unfinished words: a shell must not put a space behind them."""
ZSH = """\
    local -a unfinished=(${(M)completions:#*[=.\\[]})
    completions=(${completions:#*[=.\\[]})
    if [ -n "$unfinished" ]; then
        compadd -U -V unsorted -S '' -a unfinished
    fi
"""
ZSH_LAST = '    if [ -n "$completions" ]; then'
BASH_LAST = "COMPREPLY+=($value)"
ADDED = {
    "bash": (BASH_LAST, f"{BASH_LAST}; [[ $value == *[=.[] ]] && compopt -o nospace"),
    "zsh": (ZSH_LAST, f"{ZSH}{ZSH_LAST}"),
}
"""A line of click's script for a shell, and what stands in its place: no space after `UNFINISHED`.

fish needs nothing for that.
"""


@click.command("completion")
@click.argument("shell", metavar="SHELL")
@click.argument("programs", metavar="[PROGRAM...]", nargs=-1)
def command(*, shell: str, programs: tuple[str, ...]) -> None:
    """Print the script that lets SHELL (bash, zsh or fish) complete command lines.

    They are those of caffepy and caffe, or of each PROGRAM.

    For every new shell, a line in ~/.bashrc:   eval "$(caffepy completion bash)"
    in ~/.zshrc, after compinit:                eval "$(caffepy completion zsh)"
    in ~/.config/fish/config.fish:              caffepy completion fish | source
    """
    if shell not in SHELLS:
        raise UsageError(
            f"{shell}: there is no completion for this shell; needed: {', '.join(SHELLS)}"
        )
    for program in programs:
        if program not in (*PROGRAMS, *CAFFES, *COMMANDS):
            raise UsageError(
                f"{program} is no program of caffepy;"
                " needed: caffepy, caffe, or a tool of Caffe's, such as convert_imageset"
            )
    for program in programs or PROGRAMS:
        print(completer(shell, program).source())


def variable(program: str) -> str:
    """The environment variable in which a shell's script tells ``program`` to complete."""
    return f"_{program.upper()}_COMPLETE"


def answer(program: str, request: str) -> int:
    """Print what a shell asks for, such as ``bash_complete``; the exit code."""
    shell, _, instruction = request.partition("_")
    if shell not in SHELLS or instruction not in ("source", "complete"):
        return 1
    asked = completer(shell, program)
    print(asked.source() if instruction == "source" else asked.complete())
    return 0


def completer(shell: str, program: str) -> ShellComplete:
    """click's completion for a shell, with the words of `candidates`."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None, "click knows these shells"
    template = (
        kind.source_template.replace(*ADDED[shell]) if shell in ADDED else kind.source_template
    )

    class Completer(kind):  # type: ignore[misc, valid-type]  # a base by its shell
        source_template = template

        def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[Any]]:
            items = list(candidates(program, args, incomplete))
            if shell == "fish":  # click's script for it shows a help up to its first comma
                for item in items:
                    item.help = item.help and item.help.replace(",", ";")
            return items

    made: ShellComplete = Completer(click.Command(program), {}, program, variable(program))
    return made


def candidates(
    program: str, words: Sequence[str], incomplete: str
) -> Iterator[CompletionItem[Any]]:
    """What can stand in place of ``incomplete``, after the finished ``words`` of a command line."""
    entry = COMMANDS.get(program) or _command_in(words)
    if entry is None:
        if incomplete.startswith("-"):
            yield from _flags(USEFUL, incomplete)
        else:
            yield from _commands(program, incomplete)
        return
    from caffepy.cli.options import flags_of

    command = entry.load()
    flags = {**flags_of(command), **USEFUL}
    behind = ["", "", *words]
    if incomplete == "=":  # bash makes a word of it
        behind.append(incomplete)
        incomplete = ""
    last = behind[-2] if behind[-1] == "=" else behind[-1]
    before = ""
    if incomplete.startswith("-") and "=" in incomplete:
        last, _, incomplete = incomplete.partition("=")
        before = f"{last}="
    flag = flags.get(split(last)[0]) if last.startswith("-") and "=" not in last else None
    if flag is not None and flag.kind != BOOL:
        yield from _values(flag.name, flag.value, incomplete, before)
    elif incomplete.startswith("-"):
        yield from _flags(flags, incomplete)
    else:
        yield from _arguments(command, _count_arguments(entry, program, words, flags), incomplete)


def _command_in(words: Sequence[str]) -> Entry | None:
    """The command that a line names, if it does so already."""
    names = (word.replace("-", "_") for word in words)
    return next((COMMANDS[name] for name in names if name in COMMANDS), None)


def _commands(program: str, incomplete: str) -> Iterator[CompletionItem[Any]]:
    from click.shell_completion import CompletionItem

    for entry in COMMANDS.values():
        if entry.name.startswith(incomplete.replace("-", "_")) and (
            program == "caffepy" or entry.name in ACTIONS
        ):
            yield CompletionItem(entry.name, help=entry.summary)


def _flags(flags: Mapping[str, Flag], incomplete: str) -> Iterator[CompletionItem[Any]]:
    """Flags that have an effect, with as many dashes as were typed.

    Those that switch something off are offered after ``-no``.
    """
    from click.shell_completion import CompletionItem

    dashes = "--" if incomplete.startswith("--") else "-"
    typed = incomplete.lstrip("-").replace("-", "_")
    for name, flag in flags.items():
        if "without effect" in flag.help:
            continue
        if name.startswith(typed):
            yield CompletionItem(f"{dashes}{name}", help=flag.help)
        elif flag.kind == BOOL and typed.startswith("no") and f"no{name}".startswith(typed):
            yield CompletionItem(f"{dashes}no{name}", help=f"Not: {flag.help}")


def _values(
    name: str, kind: str, incomplete: str, before: str = ""
) -> Iterator[CompletionItem[Any]]:
    """Values of a flag or an argument.

    ``kind``: what stands for it in the help. ``before``: is put before each.
    """
    from click.shell_completion import CompletionItem

    if name == "set":
        yield from (CompletionItem(f"{before}{field}") for field in _solver_fields(incomplete))
    elif name in CHOICES:
        yield from (
            CompletionItem(f"{before}{choice}")
            for choice in CHOICES[name]
            if choice.startswith(incomplete)
        )
    elif kind.rstrip("/") in ("FOLDER", "INPUT_FOLDER", "OUTPUT_FOLDER", "ROOTFOLDER"):
        yield CompletionItem(incomplete, type="dir")
    elif "FILE" in kind or kind == "LIST":
        yield CompletionItem(incomplete, type="file")


def _solver_fields(incomplete: str) -> Iterator[str]:
    """What -set takes: fields of the solver and of its messages: ``train_state.level=``."""
    from caffepy.proto import caffe_pb2
    from caffepy.proto.fields import is_message, is_repeated

    owner: Any = caffe_pb2.SolverParameter.DESCRIPTOR
    head, dot, last = incomplete.rpartition(".")
    for step in head.split(".") if dot else ():
        field = owner.fields_by_name.get(step.partition("[")[0])
        if field is None or not is_message(field):
            return
        owner = field.message_type
    for name, field in owner.fields_by_name.items():
        if name.startswith(last):
            end = "=" if not is_message(field) else "[" if is_repeated(field) else "."
            yield f"{head}{dot}{name}{end}"


def _count_arguments(
    entry: Entry, program: str, words: Iterable[str], flags: Mapping[str, Flag]
) -> int:
    """How many arguments there are already."""
    from caffepy.cli.gflags import scan

    try:
        arguments = scan(list(words), flags, program=program).arguments
    except UsageError:
        return 0
    return len(arguments) - (program not in COMMANDS)


def _arguments(
    command: click.Command, count: int, incomplete: str
) -> Iterator[CompletionItem[Any]]:
    from click.shell_completion import CompletionItem

    takes = [param for param in command.params if isinstance(param, click.Argument)]
    if takes and takes[-1].nargs < 0:
        count = min(count, len(takes) - 1)
    if count >= len(takes):
        return
    name = takes[count].name or ""
    if name in CHOICES:
        yield from _values(name, "", incomplete)
    else:
        yield CompletionItem(incomplete, type="file")
