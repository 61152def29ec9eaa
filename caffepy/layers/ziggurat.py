"""The ziggurat of Boost.Random 1.56 and later, for float: normal values out of raw 32-bit draws.

The area under a density is cut into layers of equal area.  One draw picks a layer with its low 8 bits and a place in
the layer's rectangle with its high 24; nearly always the place lies under the curve for certain, and the value is
done.  Otherwise the layer's edge is settled with a second draw, and the tail with draws of its own.

All arithmetic is float32, in Boost's order, so the values are those of ``boost::normal_distribution<float>`` bit by bit.
Scalars are Python floats rounded to float32 after each operation, which gives the same bits.

Source: Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables", J. Stat. Soft. 5(8), 2000.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Draws = npt.NDArray[np.uint32]
Draw = Callable[[], int]

ROUNDS_TO_ONE = 0xFFFFFF80
"""The least draw that becomes 2**32 in float32; a uniform number is drawn again rather than be 1."""


@dataclass(frozen=True, eq=False)
class Layers:
    """The layers of one density, from the widest to the peak: (n + 1,) edges ``x`` and heights ``y`` in double.

    Layer ``i`` lies between the heights ``y[i]`` and ``y[i + 1]`` and is ``x[i]`` wide; up to ``x[i + 1]`` it is wholly
    under the curve. ``x32``, ``y32``, ``dx32``, ``dy32``: the same and their differences, in float32.
    """

    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    x32: Floats
    y32: Floats
    dx32: Floats
    dy32: Floats

    @classmethod
    def build(cls, n: int, edge: float, area: float, height: Callable[[float], float], inverse: Callable[[float], float]) -> Layers:
        """``n`` layers of this ``area``; the lowest holds the tail beyond ``edge``. ``inverse`` inverts ``height``."""
        x, y = [area / height(edge), edge], [0.0, height(edge)]
        for _ in range(n - 2):
            y.append(y[-1] + area / x[-1])
            x.append(inverse(y[-1]))
        xs, ys = np.array([*x, 0.0]), np.array([*y, 1.0])
        f = np.float32
        return cls(xs, ys, xs.astype(f), ys.astype(f), (xs[:-1] - xs[1:]).astype(f), (ys[1:] - ys[:-1]).astype(f))


def _normal_layers() -> Layers:
    edge = 3.4426198558966521  # closes 128 layers exactly at height 1
    tail = math.sqrt(math.pi / 2) * math.erfc(edge / math.sqrt(2))
    area = edge * math.exp(-edge * edge / 2) + tail
    return Layers.build(128, edge, area, lambda x: math.exp(-x * x / 2), lambda y: math.sqrt(-2 * math.log(y)))


def _exponential_layers() -> Layers:
    edge = 7.6971174701310497  # closes 256 layers exactly at height 1
    return Layers.build(256, edge, (edge + 1) * math.exp(-edge), lambda x: math.exp(-x), lambda y: -math.log(y))


NORMAL = _normal_layers()
EXPONENTIAL = _exponential_layers()


def _factors() -> Floats:
    """(256,) by the low 8 bits of a draw: its high 24 times this is the signed value. Bit 0 is the sign, 1 to 7 the layer."""
    widths = np.ldexp(NORMAL.x32[:128], -24).astype(np.float32)
    return np.stack([-widths, widths], axis=1).reshape(256)


def _limits() -> Draws:
    """(256,) by the low 8 bits of a draw: draws below this lie in the part of their layer that needs no second look."""
    widths, inner = NORMAL.x32[:128], NORMAL.x[1:]
    about = np.floor(inner / widths * 2.0**24).astype(np.int64)
    near = np.clip(about[:, None] + np.arange(-4, 5), 0, 2**24 - 1)
    # What Boost compares: the float32 product against the edge in double.
    below = np.ldexp(near.astype(np.float32), -24) * widths[:, None] < inner[:, None]
    first = np.where(below.all(axis=1), near[:, -1], near[np.arange(128), below.argmin(axis=1)])
    return np.repeat((first << 8).astype(np.uint32), 2)


_FACTORS = _factors()
_LIMITS = _limits()


def round32(value: float) -> float:
    """``value`` rounded to float32."""
    return float(np.float32(value))


def uniform_01(draw: Draw) -> float:
    """The next float in [0, 1)."""
    while True:
        found = draw()
        if found < ROUNDS_TO_ONE:
            return math.ldexp(round32(found), -32)


def under_normal(layer: npt.NDArray[np.intp], x: Floats, u: Floats) -> npt.NDArray[np.bool_]:
    """Does the point of the layer's edge at ``x``, ``u`` of the layer's height up, lie under exp(-x*x/2)?  All (n,).

    The chord of the layer and the tangent at its outer end enclose the curve: one from above and one from below, the
    chord from above where the curve is convex (x >= 1).
    """
    t = NORMAL
    y = t.y32[layer] + u * t.dy32[layer]
    from_outer = t.x32[layer] - x
    above_chord = t.dx32[layer] * u - from_outer
    above_tangent = y - (t.y32[layer] + from_outer * t.y32[layer] * t.x32[layer])
    convex = t.x[layer] >= 1
    above_upper = np.where(convex, above_chord, above_tangent)
    above_lower = np.where(convex, above_tangent, above_chord)
    height = np.exp(-(x * x / np.float32(2)).astype(np.float64)).astype(np.float32)
    return np.asarray((above_upper < 0) & ((above_lower < 0) | (y < height)))


def exponential(draw: Draw) -> float:
    """The next value of the unit exponential distribution."""
    x32, y32 = EXPONENTIAL.x32, EXPONENTIAL.y32
    shift = 0.0
    while True:
        found = draw()
        i = found & 255
        outer, inner = float(x32[i]), float(x32[i + 1])
        x = round32(math.ldexp(found >> 8, -24) * outer)
        if x < inner:
            return round32(shift + x)
        if i == 0:  # the tail looks like the whole, moved
            shift = round32(shift + inner)
            continue
        u = uniform_01(draw)
        height = float(y32[i + 1])
        y = round32(float(y32[i]) + round32(u * float(EXPONENTIAL.dy32[i])))
        above_chord = round32(round32(float(EXPONENTIAL.dx32[i]) * u) - round32(outer - x))
        above_tangent = round32(y - round32(height + round32(round32(inner - x) * height)))
        if above_chord < 0 and (above_tangent <= 0 or y < round32(math.exp(-x))):
            return round32(shift + x)


def normal(draw: Draw) -> float:
    """The next value of the unit normal distribution, one draw at a time."""
    while True:
        found = draw()
        value = round32((found >> 8) * float(_FACTORS[found & 255]))
        if found < _LIMITS[found & 255]:
            return value
        layer = (found & 255) >> 1
        if layer == 0:
            return math.copysign(_tail(draw), value)
        u = np.array([uniform_01(draw)], np.float32)
        if under_normal(np.array([layer], np.intp), np.array([abs(value)], np.float32), u)[0]:
            return value


def _tail(draw: Draw) -> float:
    """The next value of the normal distribution beyond its widest edge, by rejection from an exponential one."""
    edge = float(NORMAL.x32[1])
    while True:
        x = round32(exponential(draw) / edge)
        y = exponential(draw)
        if 2 * y > round32(x * x):
            return round32(x + edge)


class _Replay:
    """Draws from an array, and from the stream behind it once they are used up."""

    def __init__(self, raw: Draws, start: int, draw: Draw) -> None:
        self.raw, self.at, self.draw = raw, start, draw

    def __call__(self) -> int:
        self.at += 1
        return int(self.raw[self.at - 1]) if self.at <= len(self.raw) else self.draw()


def normals(raw: Draws, draw: Draw) -> Floats:
    """All the unit normal values that start in ``raw``: (m,) for (n,) draws, m <= n, the same as `normal` gives one by one.

    ``draw``: the stream that ``raw`` came from, asked for more only when the last value does not end within ``raw``.
    """
    bucket = (raw & 255).astype(np.intp)
    # numpy converts signed integers to float faster than unsigned ones
    values = (raw >> 8).view(np.int32).astype(np.float32)
    values *= _FACTORS[bucket]
    keep = raw < _LIMITS[bucket]

    # As if each doubtful draw began a value: is it kept, with the draw after it as its second?
    doubtful = np.flatnonzero(~keep)
    layer = bucket[doubtful] >> 1
    second = raw.take(doubtful + 1, mode="clip")
    good = under_normal(layer, np.abs(values[doubtful]), second.astype(np.float32) * np.float32(2.0**-32))
    unusual = (layer == 0) | (second >= ROUNDS_TO_ONE) | (doubtful + 1 == len(raw))

    # In order, since a draw that another used as its second begins no value.
    end, began = 0, []
    for k, (at, odd) in enumerate(zip(doubtful.tolist(), unusual.tolist())):
        if at < end:
            continue
        if odd:
            replay = _Replay(raw, at, draw)
            values[at] = normal(replay)
            end = replay.at
            keep[at], keep[at + 1 : end] = True, False
        else:
            began.append(k)
            end = at + 2
    firsts = doubtful[began]
    keep[firsts] = good[began]
    keep[firsts + 1] = False
    return values[keep]
