"""Blobs that lie in one memory in Caffe, where a layer in place changes them all; here each keeps its values."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy import log
from caffepy.layers.core.base import TEST
from caffepy.net.graph import Node, Value

SHARING = ("Flatten", "Reshape", "Split")
"""Their tops have the memory of their bottom, as those of a Concat of one bottom and of a Slice into one top have."""
IDENTITY_IN_TEST = ("Dropout", "SpatialDropout")


def tell_overwritten(nodes: Sequence[Node], values: Sequence[Value], phase: int) -> None:
    """A warning for each layer that in Caffe reads what an earlier one has written in place to another blob, and does not here."""
    memory: dict[int, int] = {}
    written: dict[int, tuple[Node, set[int]]] = {}
    for node in nodes:
        for value in node.bottoms:
            writer, seen = written.get(memory[value], (node, {value}))
            if value not in seen:
                place = f"{node.where}: " if node.where else ""
                log.warning(
                    "aliases.py:0",
                    f"{place}layer '{node.name}' ({node.type}) reads '{values[value].name}', in whose memory"
                    f" layer '{writer.name}' ({writer.type}) has worked in place: Caffe's reads what that has written, this one what was"
                    f" there before; give the top of '{writer.name}' another name, and both do the same",
                )
        shares = bool(node.bottoms) and (node.in_place or node.type in SHARING or _passes_on(node))
        for value in node.tops:
            memory[value] = memory[node.bottoms[0]] if shares else value
            if node.in_place and not (node.type in IDENTITY_IN_TEST and phase == TEST):
                written[memory[value]] = (node, {value})
            elif shares and memory[value] in written:
                written[memory[value]][1].add(value)


def _passes_on(node: Node) -> bool:
    return len(node.bottoms) == len(node.tops) == 1 and node.type in ("Concat", "Slice")
