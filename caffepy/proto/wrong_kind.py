"""A prototxt of the wrong kind: a solver in place of a net, or a net in place of a solver."""

from __future__ import annotations

import re

from google.protobuf import text_format
from google.protobuf.message import Message

from caffepy.errors import PrototxtError
from caffepy.proto import caffe_pb2

OF_SOLVERS = re.compile(
    r"\b(?:net|train_net|base_lr|lr_policy|max_iter)\s*:|\b(?:train_)?net_param\s*:?\s*\{"
)
OF_NETS = re.compile(r"\blayers?\s*\{")
INLINE = re.compile(r"\b(?:train_|test_)?net_param\s*:?\s*\{")
NETS = re.compile(r"""\b(?:net|train_net|test_net)\s*:\s*["']([^"'\n]+)["']""")
COMMENT = re.compile("#.*")


class SolverGiven(PrototxtError):
    """A solver was given as a net.  ``found``: the message without what is needed."""

    def __init__(self, file: str, text: str) -> None:
        names = [f"'{name}'" for name in dict.fromkeys(NETS.findall(text))]
        if not names and INLINE.search(text):
            names = ["written in it"]
        if names:
            nets = f"; its {'nets are' if len(names) > 1 else 'net is'} {', '.join(names)}"
        else:
            nets = ", which names no net"
        self.found = f"{file}: this is a solver{nets}"
        super().__init__(f"{self.found}; needed: a net")


def other_kind(text: str, message: Message, file: str) -> PrototxtError | None:
    """The error for a ``text`` that is no ``message``, if it is a prototxt of the other kind."""
    read = COMMENT.sub("", text)
    solvers = OF_SOLVERS.search(read)
    nets = OF_NETS.search(read)
    if isinstance(message, caffe_pb2.SolverParameter) and nets and not solvers:
        return PrototxtError(
            f'{file}: this is a net; needed: a solver, which names it by net: "{file}"'
        )
    if isinstance(message, caffe_pb2.NetParameter) and solvers and (not nets or _is_solver(text)):
        return SolverGiven(file, read)
    return None


def _is_solver(text: str) -> bool:
    try:
        text_format.Parse(text, caffe_pb2.SolverParameter())
    except text_format.ParseError:
        return False
    return True
