"""Layers that move elements and leave their values."""

from __future__ import annotations

import numpy as np

from tools.campaign.random_nets.builder import Builder, Unfit, op


def axis_of(g: Builder, blob: str) -> int:
    """One of its axes, counted from either end."""
    count = len(g.shapes[blob])
    return g.rng.choice((g.rng.randint(0, count - 1), g.rng.randint(-count, -1)))


def fields_with(name: str, values: object) -> str:
    """``name: 1 name: 2``."""
    return " ".join(f"{name}: {value}" for value in values)


@op("Flatten")
def flatten(g: Builder) -> None:
    bottom = g.pick()
    if g.bvlc and g.makers[bottom] in ("RNN", "LSTM", "Parameter", "Reshape", "Concat", "Slice"):
        raise Unfit  # BVLC's Flatten keeps the gradient from tops whose diff lies in another blob's memory
    first = g.rng.randint(0, len(g.shapes[bottom]) - 1)
    last = g.rng.choice((-1, g.rng.randint(first, len(g.shapes[bottom]) - 1)))
    g.grow("Flatten", [bottom], f"flatten_param {{ axis: {first} end_axis: {last} }}")


@op("Reshape")
def reshape(g: Builder) -> None:
    bottom = g.pick()
    shape = list(g.shapes[bottom])
    form = g.rng.choice(("swap", "join", "first", "part"))
    if form == "part":
        axis = g.rng.randint(0, len(shape) - 1)
        count = g.rng.randint(0, len(shape) - axis)
        dims = [-1] if count and g.chance(0.7) else [1] * (count == 0)
        dims = dims or shape[axis : axis + count]
        g.grow("Reshape", [bottom], f"reshape_param {{ axis: {axis} num_axes: {count} shape {{ {fields_with('dim', dims)} }} }}")
        return
    if form == "swap" and len(shape) >= 3:
        shape[1], shape[2] = shape[2], shape[1]
    elif form == "join" and len(shape) >= 3:
        shape = [*shape[:-2], -1]
    else:
        shape = [0, -1, *[1] * g.rng.randint(0, 2)]
    g.grow("Reshape", [bottom], f"reshape_param {{ shape {{ {fields_with('dim', shape)} }} }}")


@op("Slice")
def slices(g: Builder) -> None:
    bottom = g.pick(wanted=lambda s: max(s, default=1) > 1)
    axis = g.rng.choice([i for i, size in enumerate(g.shapes[bottom]) if size > 1])
    size = g.shapes[bottom][axis]
    count = g.rng.randint(2, min(3, size))
    points = fields_with("slice_point", sorted(g.rng.sample(range(1, size), count - 1)))
    g.grow("Slice", [bottom], f"slice_param {{ axis: {axis} {points} }}", tops=count)


@op("Concat")
def concat(g: Builder) -> None:
    bottom = g.pick()
    others = [g.alike(bottom) for _ in range(g.rng.randint(0, 2))]
    g.grow("Concat", [bottom, *others], f"concat_param {{ axis: {axis_of(g, bottom)} }}")


@op("Crop")
def crop(g: Builder) -> None:
    bottom = g.pick(4)
    shape = g.shapes[bottom]
    like = g.pick(4, lambda s: s[2] <= shape[2] and s[3] <= shape[3])
    offsets = [g.rng.randint(0, a - b) for a, b in zip(shape[2:], g.shapes[like][2:])]
    offsets = offsets if g.chance(0.7) else [min(offsets)]
    g.grow("Crop", [bottom, like], f"crop_param {{ axis: {g.rng.choice((2, -2))} {fields_with('offset', offsets)} }}")


@op("Tile")
def tile(g: Builder) -> None:
    bottom = g.pick()
    g.grow("Tile", [bottom], f"tile_param {{ axis: {axis_of(g, bottom)} tiles: {g.rng.randint(1, 3)} }}")


@op("Split")
def split(g: Builder) -> None:
    g.grow("Split", [g.pick()], tops=2)


@op("Eltwise")
def eltwise(g: Builder) -> None:
    bottom = g.pick()
    bottoms = [bottom, *(g.alike(bottom) for _ in range(g.rng.randint(1, 2)))]
    operation = g.rng.choice(("SUM", "PROD", "MAX"))
    coeff = fields_with("coeff", [g.number(-1, 1) for _ in bottoms]) if operation == "SUM" and g.chance(0.5) else ""
    stable = "stable_prod_grad: false" if operation == "PROD" and g.chance(0.3) else ""
    g.grow("Eltwise", bottoms, f"eltwise_param {{ operation: {operation} {coeff} {stable} }}")


@op("Reduction")
def reduction(g: Builder) -> None:
    bottom = g.pick()
    operation = g.rng.choice(("SUM", "ASUM", "SUMSQ", "MEAN"))
    axis = g.rng.randint(0, len(g.shapes[bottom]) - 1)
    g.grow("Reduction", [bottom], f"reduction_param {{ operation: {operation} axis: {axis} coeff: {g.number(-1, 1)} }}")


@op("ArgMax")
def argmax(g: Builder) -> None:
    bottom = g.pick()
    axis = g.rng.randint(0, len(g.shapes[bottom]) - 1)
    fields = f"axis: {axis} top_k: {g.rng.randint(1, g.shapes[bottom][axis])}" if g.chance(0.5) else ""
    g.grow("ArgMax", [bottom], f"argmax_param {{ {fields} {g.rng.choice(('', 'out_max_val: true'))} }}", floats=False)


@op("BatchReindex")
def batch_reindex(g: Builder) -> None:
    bottom = g.pick()
    g.grow("BatchReindex", [bottom, g.feed_integers((g.n,), g.shapes[bottom][0])])


@op("Filter")
def filters(g: Builder) -> None:
    bottom = g.pick(wanted=lambda s: s[:1] == (g.n,))
    g.grow("Filter", [bottom, g.feed(np.ones((3 * g.n, 1)))])


@op("Permute", bvlc=False)
def permute(g: Builder) -> None:
    bottom = g.pick()
    order = g.rng.sample(range(len(g.shapes[bottom])), len(g.shapes[bottom]))
    g.grow("Permute", [bottom], f"permute_param {{ {fields_with('order', order)} }}")


@op("Transpose", bvlc=False)
def transpose(g: Builder) -> None:
    bottom = g.pick()
    order = g.rng.sample(range(len(g.shapes[bottom])), len(g.shapes[bottom]))
    g.grow("Transpose", [bottom], f"transpose_param {{ {fields_with('dim', order)} }}")


@op("Reverse", bvlc=False)
def reverse(g: Builder) -> None:
    bottom = g.pick()
    g.grow("Reverse", [bottom], f"reverse_param {{ axis: {axis_of(g, bottom)} }}")


@op("ShuffleChannel", bvlc=False)
def shuffle_channel(g: Builder) -> None:
    bottom = g.pick(4)
    channels = g.shapes[bottom][1]
    group = g.rng.choice([k for k in range(1, channels + 1) if channels % k == 0])
    g.grow("ShuffleChannel", [bottom], f"shuffle_channel_param {{ group: {group} }}")


@op("Reorg", bvlc=False)
def reorg(g: Builder) -> None:
    bottom = g.pick(4, lambda s: s[1] % 4 == 0)
    back = g.chance(0.5)
    if not back and (g.shapes[bottom][2] % 2 or g.shapes[bottom][3] % 2):
        raise Unfit
    g.grow("Reorg", [bottom], f"reorg_param {{ stride: 2 {'reverse: true' if back else ''} }}")


@op("Gather", bvlc=False)
def gather(g: Builder) -> None:
    g.grow("Gather", [g.pick()])


@op("Axpy", bvlc=False)
def axpy(g: Builder) -> None:
    x = g.pick(4, lambda s: s[0] == g.n)
    n, c = g.shapes[x][:2]
    g.grow("Axpy", [g.feed_floats((n, c, 1, 1)), x, g.alike(x)])
