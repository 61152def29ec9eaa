"""Command lines in every spelling that gflags takes, turned into plain values.

One or two dashes; ``-name value`` or ``-name=value``; ``-shuffle``, ``-noshuffle``,
``-shuffle=false``; flags before, between and after the arguments, of which the last wins; ``--``
ends them. ``-flagfile``, ``-fromenv``, ``-undefok``. Dashes inside a name count as underscores.
A value may start with a dash (``-level -1``). Single letters are never bundled.
"""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from caffepy.cli.flags import BOOL, DOUBLE, INT32, LOG_IGNORED, Flag
from caffepy.errors import UsageError, nearest

TRUE = ("true", "t", "yes", "y", "1")
FALSE = ("false", "f", "no", "n", "0")
INTEGER = re.compile(r"0[xX][0-9a-fA-F]+|[ \t-\r]*[+-]?[0-9]+")
"""Hexadecimal only where 0x comes first; a leading 0 is not octal."""
REAL = re.compile(
    r"""[ \t-\r]* [+-]?
    ( (\d+\.?\d* | \.\d+) (e[+-]?\d+)?
    | 0x ([\da-f]+\.?[\da-f]* | \.[\da-f]+) (p[+-]?\d+)?
    | inf(inity)? | nan )""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)


class FlagError(UsageError):
    """A flag that no program knows, or a value that its type does not allow."""


@dataclass
class Scan:
    """What a command line said so far.

    ``values``: by flag name; the last one wins. ``unknown``: flags that the command does not know.
    """

    values: dict[str, list[str]] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    """Unknown flags of flagfiles, which other programs may read as well: no error, as in gflags."""
    after_unknown: set[int] = field(default_factory=set)
    """Positions in ``arguments`` of words that may be the value of the unknown flag before them."""

    def last(self, name: str) -> str:
        """The value given last of a flag that was given."""
        return self.values[name][-1]


def canonical(flag: Flag, value: str) -> str:
    """``value`` in one spelling; FlagError if the flag's type does not allow it."""
    try:
        return plain(flag.kind, value)
    except ValueError:
        raise FlagError(
            f"illegal value '{value}' specified for {flag.kind} flag '{flag.name}'"
        ) from None


def plain(kind: str, value: str) -> str:
    """``value`` in one spelling.

    ValueError where gflags would not read all of it as a ``kind``; it asks C's strtoll and strtod.
    """
    if kind == BOOL:
        return ("true", "false")[(*TRUE, *FALSE).index(value.lower()) // len(TRUE)]
    if kind == INT32:
        if not INTEGER.fullmatch(value):
            raise ValueError(value)
        number = int(value, 16 if value.startswith(("0x", "0X")) else 10)
        if not -(2**31) <= number < 2**31:
            raise ValueError(value)
        return str(number)
    if kind == DOUBLE:
        if not REAL.fullmatch(value):
            raise ValueError(value)
        try:
            real = float.fromhex(value) if "x" in value.lower() else float(value)
        except OverflowError:
            real = math.inf
        if math.isinf(real) and "n" not in value.lower():  # out of range
            raise ValueError(value)
        return repr(real)
    return value


def split(word: str) -> tuple[str, str | None]:
    """``--name=value`` to its name and value; the value is None without ``=``."""
    name, equals, value = word[2 if word.startswith("--") else 1 :].partition("=")
    return name.replace("-", "_"), value if equals else None


def scan(argv: Sequence[str], flags: Mapping[str, Flag], *, program: str = "caffe") -> Scan:
    """Read a command line with the flags that are known.

    Unknown ones are collected for `refuse_unknown`.
    """
    result = Scan()
    _scan(iter(argv), flags, result, program, ())
    return result


def _scan(
    words: Iterator[str],
    flags: Mapping[str, Flag],
    result: Scan,
    program: str,
    files: tuple[str, ...],
) -> None:
    unknown_before = False
    for word in words:
        if word == "--":
            result.arguments.extend(words)
            return
        if word == "-" or not word.startswith("-"):
            if unknown_before:
                result.after_unknown.add(len(result.arguments))
            result.arguments.append(word)
            unknown_before = False
            continue
        name, value = split(word)
        negated = (
            name not in flags
            and name.startswith("no")
            and name[2:] in flags
            and flags[name[2:]].kind == BOOL
        )
        flag = flags.get(name[2:] if negated else name)
        unknown_before = flag is None and value is None
        if flag is None:
            (result.passed_over if files else result.unknown).append(name)
            continue
        if negated:
            value = "false"  # whatever it is said to be, as in gflags
        elif value is None:
            value = "true" if flag.kind == BOOL else next(words, None)
        if value is None:
            raise FlagError(
                f"flag '{flag.name}' is missing its argument; {flag.help or 'it needs a value'}"
            )
        _store(flag, value, flags, result, program, files)


def _store(
    flag: Flag,
    value: str,
    flags: Mapping[str, Flag],
    result: Scan,
    program: str,
    files: tuple[str, ...],
) -> None:
    """Note one flag's value.

    Flags that stand for others, such as -flagfile, are replaced by these in the same place, so that
    the last one still wins.
    """
    result.values.setdefault(flag.name, []).append(canonical(flag, value))
    if flag.name == "flagfile":
        for file in filter(None, value.split(",")):
            if file in files:
                raise FlagError(f"{file}: flagfile includes itself ({' -> '.join((*files, file))})")
            for word in flagfile_words(file, flags, program):
                _scan(iter((word,)), flags, result, program, (*files, file))
    elif flag.name in ("fromenv", "tryfromenv"):
        for name in filter(None, value.split(",")):
            if name not in flags:
                result.unknown.append(name)
            elif f"FLAGS_{name}" in os.environ:
                _store(flags[name], os.environ[f"FLAGS_{name}"], flags, result, program, files)
            elif flag.name == "fromenv":
                raise FlagError(f"FLAGS_{name} not found in environment")


def flagfile_words(file: str, flags: Mapping[str, Flag], program: str) -> list[str]:
    """The flags of a flagfile.

    A line that is no flag names programs (``*`` and ``?`` allowed); those after it are for these.
    """
    import fnmatch

    from caffepy.proto.atomic import open_file

    try:
        with open_file(file) as stream:
            lines = [line.decode(errors="surrogateescape").strip() for line in stream]
    except OSError as error:
        raise FlagError(f"flagfile {file}: {error.strerror}") from None
    words = []
    meant = True
    pattern_before = False
    for line in lines:
        if not line or line.startswith("#"):
            continue
        if not line.startswith("-"):
            hit = any(fnmatch.fnmatch(program, pattern) for pattern in line.split())
            meant = hit or (pattern_before and meant)
            pattern_before = True
            continue
        pattern_before = False
        if meant:
            words.append(_one_word(line, flags))
    return words


def _one_word(line: str, flags: Mapping[str, Flag]) -> str:
    """``-name value`` of a flagfile's line to ``-name=value``, quotes around the value removed."""
    head, _, rest = line.partition(" ")
    name, value = split(head)
    if value is not None or not rest.strip() or (name in flags and flags[name].kind == BOOL):
        return line
    try:
        return f"{head}={' '.join(shlex.split(rest))}"
    except ValueError:
        return f"{head}={rest.strip()}"


def with_effect(names: Iterable[str]) -> list[str]:
    """The flags that are worth offering in place of a wrong one."""
    return [name for name in names if name not in LOG_IGNORED]


def refuse_unknown(
    result: Scan,
    known: Iterable[str],
    *,
    advice: Callable[[str, str], str] = lambda name, near: near,
) -> None:
    """FlagError for the first flag that nobody knows, unless ``-undefok`` lists it.

    ``advice``: makes the end of the message from the name and what `nearest` says of it.
    """
    useful = with_effect(known)
    fine = {
        name.replace("-", "_")
        for value in result.values.get("undefok", [])
        for name in value.split(",")
    }
    for name in result.unknown:
        if name not in fine and not (name.startswith("no") and name[2:] in fine):
            raise FlagError(
                f"unknown command line flag '{name}'{advice(name, nearest(name, useful))}"
            )
