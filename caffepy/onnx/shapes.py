"""ONNX operators of layers that move values and compute none."""

from __future__ import annotations

import torch

from caffepy.layers.core.base import TEST, Run
from caffepy.layers.core.random import CaffeRandom
from caffepy.onnx.registry import converts
from caffepy.onnx.site import Site


@converts("Flatten", "Reshape")
def reshape(at: Site) -> str:
    return at.reshape(at.x, at.tops[0])


@converts("Concat")
def concat(at: Site) -> str:
    return at.op("Concat", *at.inputs, axis=at.layer.axis)


@converts("Slice")
def slice_(at: Site) -> list[str]:
    axis = at.layer.axis
    if at.bottoms[0][axis] == -1:
        raise at.fail(f"axis {axis} grows with the batch")
    if len(at.tops) == 1:
        return [at.x]
    lengths = at.ints([length for _, length in at.layer.parts])
    return at.ops("Split", at.x, lengths, axis=axis, outputs=len(at.tops))


@converts("Tile")
def tile(at: Site) -> str:
    times = [1] * at.axes
    times[at.layer.axis] = at.layer.param.tile_param.tiles
    return at.op("Tile", at.x, at.ints(times))


@converts("BatchReindex")
def batch_reindex(at: Site) -> str:
    return at.op("Gather", at.x, at.indices(at.inputs[1]), axis=0)


@converts("Filter")
def filter_(at: Site) -> list[str]:
    *items, selector = at.inputs
    keep = at.op("Not", at.op("Equal", at.reshape(selector, (-1,)), at.floats(0)))
    return [at.op("Compress", x, keep, axis=0) for x in items]


@converts("Permute", "Transpose")
def permute(at: Site) -> str:
    return at.op("Transpose", at.x, perm=at.layer.order)


@converts("PriorBox")
def prior_box(at: Site) -> str:
    """Boxes that hang on the shapes alone."""
    planes = [torch.zeros(1, *shape[1:]) for shape in at.bottoms]
    (boxes,) = at.layer.forward(planes, [], Run(TEST, CaffeRandom(0)))
    return at.op("Identity", at.floats(boxes.numpy()))


@converts("Reverse")
def reverse(at: Site) -> str:
    axes = at.layer.axes
    least = -(2**63) + 1
    return at.op(
        "Slice",
        at.x,
        at.ints([-1] * len(axes)),
        at.ints([least] * len(axes)),
        at.ints(axes),
        at.ints([-1] * len(axes)),
    )


@converts("ShuffleChannel")
def shuffle_channel(at: Site) -> str:
    n, channels, *rest = at.bottoms[0]
    group = at.layer.group
    split = at.reshape(at.x, (n, group, channels // group, *rest))
    swapped = at.op("Transpose", split, perm=[0, 2, 1, *range(3, at.axes + 1)])
    return at.reshape(swapped, at.tops[0])


@converts("Reorg")
def reorg(at: Site) -> str:
    n, c, h, w = at.bottoms[0]
    s = at.layer.stride
    if at.layer.backwards:
        parts = at.op(
            "Transpose", at.reshape(at.x, (n, s, s, c // (s * s), h, w)), perm=[0, 3, 4, 1, 5, 2]
        )
    else:
        parts = at.op(
            "Transpose", at.reshape(at.x, (n, c // (s * s), h, s, w, s)), perm=[0, 3, 5, 1, 2, 4]
        )
    return at.reshape(parts, at.tops[0])
