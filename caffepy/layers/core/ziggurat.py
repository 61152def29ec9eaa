"""The ziggurat of Boost.Random 1.56 and later, for float: normal values out of raw 32-bit draws.

The area under a density is cut into layers of equal area.  One draw picks a layer with its low 8
bits and a place in the layer's rectangle with its high 24; nearly always the place lies under the
curve for certain, and the value is done.  Otherwise the layer's edge is settled with a second draw,
and the tail with draws of its own.

The values are those of ``boost::normal_distribution<float>`` bit by bit, on a processor that
multiplies and adds with one rounding (FMA), as the Caffe that the tests' values come from did.
Here a double holds every product of two floats exactly, so one rounding of a double expression does
the same.

Source: Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables", J. Stat. Soft.
        5(8), 2000.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caffepy.float32 import Floats, round32

Doubles = npt.NDArray[np.float64]
Draws = npt.NDArray[np.uint32]
Draw = Callable[[], int]

ROUNDS_TO_ONE = 0xFFFFFF80
"""The least draw that becomes 2**32 in float32.

A uniform number is drawn again rather than be 1.
"""


def rounded(values: Doubles) -> Doubles:
    """The nearest float32 to each of ``values``, as doubles."""
    return values.astype(np.float32).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Layers:
    """The layers of one density, from the widest to the peak.

    They have (n + 1,) edges ``x`` and heights ``y``.

    Layer ``i`` lies between the heights ``y[i]`` and ``y[i + 1]`` and is ``x[i]`` wide; up to ``x[i
    + 1]`` it is wholly under the curve. ``dx``, ``dy``: the differences of neighbours. All but
    ``exact_x`` are rounded to float32, and kept in doubles.
    """

    exact_x: Doubles
    x: Doubles
    y: Doubles
    dx: Doubles
    dy: Doubles

    @classmethod
    def build(
        cls,
        n: int,
        edge: float,
        area: float,
        height: Callable[[float], float],
        inverse: Callable[[float], float],
    ) -> Layers:
        """``n`` layers of this ``area``; the lowest holds the tail beyond ``edge``.

        ``inverse`` inverts ``height``.
        """
        x = [area / height(edge), edge]
        y = [0.0, height(edge)]
        for _ in range(n - 2):
            y.append(y[-1] + area / x[-1])
            x.append(inverse(y[-1]))
        xs, ys = np.array([*x, 0.0]), np.array([*y, 1.0])
        return cls(xs, *(rounded(v) for v in (xs, ys, xs[:-1] - xs[1:], ys[1:] - ys[:-1])))


def _normal_layers() -> Layers:
    edge = 3.4426198558966521  # closes 128 layers exactly at height 1
    tail = math.sqrt(math.pi / 2) * math.erfc(edge / math.sqrt(2))
    area = edge * math.exp(-edge * edge / 2) + tail
    return Layers.build(
        128, edge, area, lambda x: math.exp(-x * x / 2), lambda y: math.sqrt(-2 * math.log(y))
    )


def _exponential_layers() -> Layers:
    edge = 7.6971174701310497  # closes 256 layers exactly at height 1
    return Layers.build(
        256, edge, (edge + 1) * math.exp(-edge), lambda x: math.exp(-x), lambda y: -math.log(y)
    )


NORMAL = _normal_layers()
EXPONENTIAL = _exponential_layers()


def _factors() -> Floats:
    """(256,) by the low 8 bits of a draw: its high 24 times this is the signed value.

    Bit 0 is the sign, 1 to 7 the layer.
    """
    widths = NORMAL.x[:128] * 2.0**-24
    return np.stack([-widths, widths], axis=1).reshape(256).astype(np.float32)


def _limits() -> Draws:
    """(256,) by the low 8 bits of a draw: the limit below which a draw needs no second look."""
    widths = NORMAL.x[:128, None]
    inner = NORMAL.exact_x[1:, None]
    near = np.floor(inner / widths * 2.0**24) + np.arange(-4, 5)
    below = rounded(near * 2.0**-24 * widths) < inner
    first = np.maximum(near[np.arange(128), below.argmin(axis=1)], 0)
    return np.repeat((first * 256).astype(np.uint32), 2)


_FACTORS = _factors()
_LIMITS = _limits()


def uniform_01(draw: Draw) -> float:
    """The next float in [0, 1)."""
    while True:
        drawn = draw()
        if drawn < ROUNDS_TO_ONE:
            return round32(drawn) * 2.0**-32


def under_normal(layer: npt.NDArray[np.intp], x: Doubles, u: Doubles) -> npt.NDArray[np.bool_]:
    """Whether a point of a layer's edge at ``x`` lies under exp(-x*x/2).

    ``u``: how far up the layer's height. All are (n,).

    The chord of the layer and the tangent at its outer end enclose the curve, the chord from above
    where the curve is convex (x >= 1), else from below. Only between the two does the curve itself
    decide.
    """
    outer, bottom = NORMAL.x[layer], NORMAL.y[layer]
    from_outer = rounded(outer - x)
    y = rounded(bottom + u * NORMAL.dy[layer])
    under_chord = NORMAL.dx[layer] * u < from_outer
    under_tangent = y < rounded(bottom + rounded(from_outer * bottom) * outer)
    under_curve = y < rounded(np.exp(-rounded(x * x) / 2))
    convex = outer >= 1
    upper = np.where(convex, under_chord, under_tangent)
    lower = np.where(convex, under_tangent, under_chord)
    return np.asarray(upper & (lower | under_curve))


def exponential(draw: Draw) -> float:
    """The next value of the unit exponential distribution."""
    shift = 0.0
    while True:
        drawn = draw()
        i = drawn & 255
        outer = float(EXPONENTIAL.x[i])
        inner = float(EXPONENTIAL.x[i + 1])
        x = round32((drawn >> 8) * 2.0**-24 * outer)
        if x < inner:
            return round32(shift + x)
        if i == 0:  # the tail looks like the whole, moved
            shift = round32(shift + inner)
            continue
        u = uniform_01(draw)
        top = float(EXPONENTIAL.y[i + 1])
        y = round32(float(EXPONENTIAL.y[i]) + u * float(EXPONENTIAL.dy[i]))
        under_chord = float(EXPONENTIAL.dx[i]) * u < round32(outer - x)
        under_tangent = y <= round32(top + round32(inner - x) * top)
        if under_chord and (under_tangent or y < round32(math.exp(-x))):
            return round32(shift + x)


def normal(draw: Draw) -> float:
    """The next value of the unit normal distribution, one draw at a time."""
    while True:
        drawn = draw()
        value = round32((drawn >> 8) * float(_FACTORS[drawn & 255]))
        if drawn < _LIMITS[drawn & 255]:
            return value
        layer = (drawn & 255) >> 1
        if layer == 0:
            return math.copysign(_tail(draw), value)
        if under_normal(np.array([layer]), np.array([abs(value)]), np.array([uniform_01(draw)]))[0]:
            return value


def _tail(draw: Draw) -> float:
    """The next value of the normal distribution beyond its widest edge.

    It is taken by rejection from an exponential one.
    """
    edge = float(NORMAL.x[1])
    while True:
        x = round32(exponential(draw) / edge)
        y = exponential(draw)
        if 2 * y > round32(x * x):
            return round32(x + edge)


class _Replay:
    """Draws from an array, and from the stream behind it once they are used up."""

    def __init__(self, raw: Draws, start: int, draw: Draw) -> None:
        self.raw = raw
        self.at = start
        self.draw = draw

    def __call__(self) -> int:
        self.at += 1
        return int(self.raw[self.at - 1]) if self.at <= len(self.raw) else self.draw()


def normals(raw: Draws, draw: Draw) -> Floats:
    """All the unit normal values that start in ``raw``, as `normal` gives one by one.

    (n,) draws give (m,) values, m <= n.

    ``draw``: the stream that ``raw`` came from, asked for more only when the last value does not
    end within ``raw``.
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
    good = under_normal(
        layer,
        np.abs(values[doubtful]).astype(np.float64),
        rounded(second.astype(np.float64)) * 2.0**-32,
    )
    unusual = (layer == 0) | (second >= ROUNDS_TO_ONE) | (doubtful + 1 == len(raw))

    # In order, since a draw that another used as its second begins no value.
    end = 0
    began = []
    for k, (at, odd) in enumerate(zip(doubtful.tolist(), unusual.tolist())):
        if at < end:
            continue
        if odd:
            replay = _Replay(raw, at, draw)
            values[at] = normal(replay)
            end = replay.at
            keep[at] = True
            keep[at + 1 : end] = False
        else:
            began.append(k)
            end = at + 2
    firsts = doubtful[began]
    keep[firsts] = good[began]
    keep[firsts + 1] = False
    return values[keep]
