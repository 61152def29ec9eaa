"""Prototxt files to messages and back.

protobuf's text parser does the parsing. This file reads files as people save them (byte order
marks, comments in other encodings), makes errors of one line with file, line and column, and keeps
the positions for later errors.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, cast

from google.protobuf import text_format
from google.protobuf.message import Message

from caffepy import log
from caffepy.errors import PrototxtError, UsageError
from caffepy.proto import caffe_pb2
from caffepy.proto.atomic import atomic_write, not_found, open_file
from caffepy.proto.file_kind import as_utf8, kind_by_start
from caffepy.proto.overrides import override
from caffepy.proto.parse_errors import explain, explain_escape, explain_missing
from caffepy.proto.printer import to_text
from caffepy.proto.source_map import TOKEN, SourceMap, Upgrade
from caffepy.proto.upgrade import set_snapshot_prefix, upgrade_net, upgrade_solver
from caffepy.proto.wrong_kind import other_kind

__all__ = ["SourceMap", "parse", "read_net", "read_solver", "read_text", "to_text", "write_text"]

SET = "-set"
"""The flag whose words `read_solver` takes."""
UNDECODED = re.compile("[\udc80-\udcff]")
WRONG_ESCAPE = re.compile(
    r"""(?<!\\)(?:\\\\)*(?P<escape>\\(?:[^abfnrtv\\'"0-7xXuU]|[4-7][0-7][0-7]))"""
)
"""In a string: a backslash before a character that makes no escape, or a number above a byte."""


def read_net(path: str | os.PathLike[str]) -> tuple[caffe_pb2.NetParameter, SourceMap]:
    """Read a net, upgrade it to the present format, and map the positions of its layers."""
    written = caffe_pb2.NetParameter()
    places = read_text(path, written)
    net, origins = upgrade_net(written, places.file, places.where)
    return net, places.upgraded((), _upgrade(written, origins))


def read_solver(
    path: str | os.PathLike[str], sets: Sequence[str] = ()
) -> tuple[caffe_pb2.SolverParameter, SourceMap]:
    """Read a solver and upgrade it, the nets written inside it too.

    ``sets``: fields to set then, ``base_lr=0.01`` each, as -set gives them.
    """
    solver = caffe_pb2.SolverParameter()
    places = read_text(path, solver)
    upgrade_solver(solver, places.file)
    set_snapshot_prefix(solver, places.file)
    for name in ("net_param", "train_net_param", "test_net_param"):
        if name == "test_net_param":
            nets = list(solver.test_net_param)
        else:
            nets = [getattr(solver, name)] if solver.HasField(name) else []
        for index, written in enumerate(nets):
            place: tuple[str | int, ...] = (name, index) if name == "test_net_param" else (name,)
            net, origins = upgrade_net(written, places.file, places.within(*place).where)
            places = places.upgraded(place, _upgrade(written, origins))
            written.CopyFrom(net)
    for words in sets:
        places = _set(solver, places, words)
    if sets:
        set_snapshot_prefix(solver, places.file)
        missing: list[str] = cast(Any, solver).FindInitializationErrors()
        if missing:
            raise UsageError(f"{SET} {' '.join(sets)}: required field '{missing[0]}' is missing")
    return solver, places


def _set(solver: caffe_pb2.SolverParameter, places: SourceMap, words: str) -> SourceMap:
    """Set a field of a solver, and say so in the log; the map with the change.

    Where it is a field of the net, and ``net`` or ``train_net`` names a file, the solver holds the
    file's net from then on.
    """
    for name in ("net", "train_net"):
        inline = f"{name}_param"
        if (
            words.startswith((f"{inline}.", f"{inline}["))
            and solver.HasField(name)
            and not solver.HasField(inline)
        ):
            file: str = getattr(solver, name)
            net, net_places = read_net(file)
            getattr(solver, inline).CopyFrom(net)
            solver.ClearField(name)
            places = places.held_by((inline,), net_places)
            log.info("solver.cpp:0", f"{SET}: {inline} is the net of {file}")
    done = override(solver, words, flag=SET)
    if done.path == ("solver_type",):
        solver.ClearField("type")
        upgrade_solver(solver, places.file)
    log.info(
        "solver.cpp:0",
        f"{SET} {words}"
        f" ({f'in place of {done.old}' if done.old else f'{places.file} does not set it'})",
    )
    return places.set_by(done.path, f"{SET} {words}")


def _upgrade(written: caffe_pb2.NetParameter, origins: Sequence[int | None]) -> Upgrade:
    return Upgrade(tuple(origins), "layers" if written.layers else "layer")


def parse(text: str, message: Message, *, file: str) -> SourceMap:
    """Fill ``message`` from ``text``; ``file`` is its name in errors.  Raises PrototxtError."""
    places = SourceMap(file, text)
    for token in TOKEN.finditer(text) if "\\" in text else ():
        if token.lastgroup == "string" and (wrong := WRONG_ESCAPE.search(token[0])):
            raise PrototxtError(
                explain_escape(token.start() + wrong.start("escape"), wrong["escape"], places)
            )
    try:
        text_format.Parse(text, message)
    except text_format.ParseError as error:
        raise other_kind(text, message, file) or PrototxtError(
            explain(error, places, message.DESCRIPTOR.file.pool)
        ) from error
    missing: list[str] = cast(Any, message).FindInitializationErrors()
    if missing:
        raise PrototxtError(explain_missing(missing[0], places))
    return places


def read_text(path: str | os.PathLike[str], message: Message) -> SourceMap:
    """Fill ``message`` from a file.

    Raises PrototxtError when the file cannot be read or is not text of that kind.
    """
    file = os.fspath(path)
    try:
        with open_file(path) as stream:  # a Path would take "" for the working folder
            data = stream.read()
    except FileNotFoundError:
        raise PrototxtError(not_found(file)) from None
    except OSError as error:
        raise PrototxtError(f"{file}: cannot read it: {error.strerror}") from None
    return parse(_decoded(data, file), message, file=file)


def write_text(path: str | os.PathLike[str], message: Message) -> None:
    """Write the text form of ``message`` to a file."""
    with atomic_write(path, error=PrototxtError) as temporary:
        temporary.write_text(to_text(message), encoding="ascii")


def _decoded(data: bytes, file: str) -> str:
    """The file as text.

    Names and strings are UTF-8, or the whole file UTF-16. Comments may contain any bytes, which
    Caffe does not read.
    """
    data = as_utf8(data)
    if b"\0" in data:
        advice = "a caffemodel is given as weights, a solverstate as the snapshot to go on from"
        raise PrototxtError(f"{file}: this is a binary file, not a prototxt; {advice}")
    if known := kind_by_start(data):
        raise PrototxtError(f"{file}: this is {known}; needed: a prototxt")
    text = data.decode(errors="surrogateescape")
    if UNDECODED.search(text):
        text = TOKEN.sub(
            lambda token: (
                UNDECODED.sub("?", token[0]) if token.lastgroup == "comment" else token[0]
            ),
            text,
        )
    bad = UNDECODED.search(text)
    if bad:
        line = text.count("\n", 0, bad.start()) + 1
        column = bad.start() - text.rfind("\n", 0, bad.start())
        raise PrototxtError(
            f"{file}:{line}:{column}: byte 0x{ord(bad[0]) - 0xDC00:02x} is not UTF-8; save the"
            " file as UTF-8"
        )
    return text
