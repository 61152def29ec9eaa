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
        for i, value in enumerate(node.tops):
            in_place = _is_in_place(node, values, i)
            if not in_place and not (node.bottoms and node.layer.quirks.shares_memory):
                memory[value] = value
                continue
            bottom = i if in_place or node.layer.gradients.separate else 0
            memory[value] = memory[node.bottoms[bottom]]
            if in_place and not _is_identity(node):
                written[memory[value]] = (node, {value})
            elif memory[value] in written:
                written[memory[value]][1].add(value)


def _is_in_place(node: Node, values: Sequence[Value], i: int) -> bool:
    """Whether top ``i`` overwrites a bottom.

    Of a layer in place that is its first top, and others that have their bottoms' names. A further
    top, as the batch's mean and variance that SegNet's BN gives, has memory of its own.
    """
    if not node.in_place:
        return False
    return i == 0 or (
        i < len(node.bottoms) and values[node.tops[i]].name == values[node.bottoms[i]].name
    )


def _is_identity(node: Node) -> bool:
    """Whether the top is the bottom unchanged, as of Dropout in TEST; false for a Python layer."""
    return node.layer.memory.aliases_bottom and node.type != "Python"
