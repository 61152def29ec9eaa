"""Blobs that share memory in Caffe, where a layer in place changes them all.

Here each of them keeps its values.
"""

from __future__ import annotations

from collections.abc import Sequence

from caffepy import log
from caffepy.net.graph import Node, Value


def warn_overwritten(nodes: Sequence[Node], values: Sequence[Value]) -> None:
    """Warn of layers that read a blob which in Caffe another layer has overwritten.

    The other layer works in place on another blob in the same memory, which here has memory of its
    own.
    """
    memory: dict[int, int] = {}
    written: dict[int, tuple[Node, set[int]]] = {}
    for node in nodes:
        for value in node.bottoms:
            writer, seen = written.get(memory[value], (node, {value}))
            if value not in seen:
                place = f"{node.where}: " if node.where else ""
                log.warning(
                    "aliases.py:0",
                    f"{place}layer '{node.name}' ({node.type}) reads"
                    f" '{values[value].name}', in whose memory"
                    f" layer '{writer.name}' ({writer.type}) has worked in place: Caffe's"
                    " reads what that has written, this one what was"
                    f" there before; give the top of '{writer.name}' another name, and both"
                    " do the same",
                )
        shares = bool(node.bottoms) and (node.in_place or node.layer.quirks.shares_memory)
        for i, value in enumerate(node.tops):
            shared = node.bottoms[i if node.layer.gradients.separate else 0] if shares else None
            memory[value] = value if shared is None else memory[shared]
            if node.in_place and not _is_identity(node):
                written[memory[value]] = (node, {value})
            elif shares and memory[value] in written:
                written[memory[value]][1].add(value)


def _is_identity(node: Node) -> bool:
    """Whether the top is the bottom unchanged, as of Dropout in TEST; false for a Python layer."""
    return node.layer.memory.aliases_bottom and node.type != "Python"
