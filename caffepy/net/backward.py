"""Which layers run backward, and to which bottoms.

Caffe marks them from the loss down, by the names of blobs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from caffepy import log
from caffepy.net.graph import Node, Value


def mark_backward(nodes: Sequence[Node], values: Sequence[Value], force: bool) -> tuple[Node, ...]:
    """``nodes`` with their final ``backward`` and ``propagate_down``.

    A layer runs backward if it leads to a loss and something below it learns. ``force``
    (force_backward) overrides both, except for bottoms that a layer exempts (labels).
    """
    under_loss: set[str] = set()
    skip: set[str] = set()
    marked: list[Node] = []
    for node in reversed(nodes):
        tops = [values[t].name for t in node.tops]
        contributes = any(node.loss_weights) or any(name in under_loss for name in tops)
        unwanted = all(name in skip for name in tops)
        backward = node.backward and contributes and not unwanted
        down = [d and contributes and not (node.backward and unwanted) for d in node.propagate_down]
        log.info(
            "net.cpp:200" if backward else "net.cpp:202",
            f"{node.name} needs backward computation."
            if backward
            else f"{node.name} does not need backward computation.",
        )
        for bottom, wanted in zip(node.bottoms, down):
            if contributes:
                under_loss.add(values[bottom].name)
            if not wanted:
                skip.add(values[bottom].name)
        marked.append(replace(node, backward=backward, propagate_down=tuple(down)))
    marked.reverse()
    if force:
        marked = [_forced(node) for node in marked]
    return tuple(marked)


def _forced(node: Node) -> Node:
    down = tuple(
        d or i not in node.layer.gradients.unforced for i, d in enumerate(node.propagate_down)
    )
    return replace(
        node, backward=True, propagate_down=down, param_gradients=(True,) * len(node.params)
    )
