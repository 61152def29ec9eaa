"""Where boxes and arrows of a picture are: in rows, each box below all that it reads from.

The layout is made here and not by graphviz. That is a program which pip cannot bring, and users of
Caffe without it got no picture; networkx has no layout in rows with bends of arrows. ``draw_net NET
PICTURE.dot`` is for those who have graphviz.

It is made in the usual way for such pictures (Sugiyama's): rows by the longest path, a waypoint in
each row that an arrow passes, an order in each row in which few arrows cross, then places that keep
arrows straight.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

Point = tuple[float, float]
GAP = 24.0
"""Between neighbours in a row; half of it beside a waypoint."""
ROW_GAP = 34.0
ORDER_SWEEPS = 24
PLACE_SWEEPS = 80
WAYPOINT_WEIGHT = 8.0


@dataclass(frozen=True)
class Layout:
    """``centers``: of the boxes. ``paths``: of the arrows, from the edge of a box to that of
    another.

    ``width``, ``height``: of the whole.
    """

    centers: list[Point]
    paths: list[list[Point]]
    width: float
    height: float

    def turned(self, *, sideways: bool) -> Layout:
        """The other way round: what was first is last.

        From below, or from the right if ``sideways``.
        """

        def moved(point: Point) -> Point:
            x, y = point
            return (self.width - x, y) if sideways else (x, self.height - y)

        paths = [[moved(point) for point in path] for path in self.paths]
        return replace(self, centers=[moved(point) for point in self.centers], paths=paths)


@dataclass(frozen=True)
class _Rows:
    """``rows``: nodes, that is, boxes and waypoints. Boxes have the lowest numbers.

    ``chains``: the nodes that each arrow goes through. ``above``, ``below``: each node's
    neighbours.
    """

    rows: list[list[int]]
    chains: list[list[int]]
    above: list[list[int]]
    below: list[list[int]]


def lay_out(
    sizes: Sequence[Point],
    arrows: Sequence[tuple[int, int]],
    *,
    sideways: bool = False,
) -> Layout:
    """Places for boxes of these widths and heights.

    ``arrows``: (from, to), without cycles. ``sideways``: rows stand side by side.
    """
    extents = [(h, w) if sideways else (w, h) for w, h in sizes]
    rows = _in_rows(len(sizes), arrows)
    _order(rows)
    widths = [w for w, _ in extents] + [0.0] * (len(rows.above) - len(extents))
    x = _places(rows, widths)
    left = min((x[node] - widths[node] / 2 for node in range(len(x))), default=0.0)
    x = [value - left for value in x]
    tops = []
    bottoms = []
    y = 0.0
    for row in rows.rows:
        height = max((extents[node][1] for node in row if node < len(extents)), default=0.0)
        tops.append(y)
        bottoms.append(y + height)
        y += height + ROW_GAP
    row_of = {node: i for i, row in enumerate(rows.rows) for node in row}
    middle = [(tops[row_of[node]] + bottoms[row_of[node]]) / 2 for node in range(len(x))]
    centers = [(x[node], middle[node]) for node in range(len(sizes))]
    paths = []
    for chain in rows.chains:
        first, last = chain[0], chain[-1]
        path = [(x[first], middle[first] + extents[first][1] / 2)]
        for node in chain[1:-1]:
            path += [(x[node], tops[row_of[node]]), (x[node], bottoms[row_of[node]])]
        paths.append([*path, (x[last], middle[last] - extents[last][1] / 2)])
    width = max((x[node] + widths[node] / 2 for node in range(len(x))), default=0.0)
    height = max(y - ROW_GAP, 0.0)
    if not sideways:
        return Layout(centers, paths, width, height)
    swapped = [[(b, a) for a, b in path] for path in paths]
    return Layout([(b, a) for a, b in centers], swapped, height, width)


def _in_rows(boxes: int, arrows: Sequence[tuple[int, int]]) -> _Rows:
    rank = [0] * boxes
    # arrows come in the order of their targets, and a box reads only from boxes before it
    for source, target in arrows:
        rank[target] = max(rank[target], rank[source] + 1)
    reads = {target for _, target in arrows}
    for box in range(boxes):
        readers = [rank[target] for source, target in arrows if source == box]
        if box not in reads and readers:
            rank[box] = min(readers) - 1
    rows: list[list[int]] = [[] for _ in range(max(rank, default=-1) + 1)]
    for box in range(boxes):
        rows[rank[box]].append(box)
    chains = []
    nodes = boxes
    for source, target in arrows:
        waypoints = list(range(nodes, nodes + rank[target] - rank[source] - 1))
        for i, node in enumerate(waypoints):
            rows[rank[source] + 1 + i].append(node)
        nodes += len(waypoints)
        chains.append([source, *waypoints, target])
    above: list[list[int]] = [[] for _ in range(nodes)]
    below: list[list[int]] = [[] for _ in range(nodes)]
    for chain in chains:
        for upper, lower in itertools.pairwise(chain):
            below[upper].append(lower)
            above[lower].append(upper)
    return _Rows(rows, chains, above, below)


def _order(rows: _Rows) -> None:
    """Sort each row by the mean place of its neighbours in the row before, down and up again.

    The best of all orders is kept.
    """
    best = [list(row) for row in rows.rows]
    fewest = _crossings(rows)
    for sweep in range(ORDER_SWEEPS):
        down = sweep % 2 == 0
        neighbours = rows.above if down else rows.below
        sequence = range(1, len(rows.rows)) if down else range(len(rows.rows) - 2, -1, -1)
        for i in sequence:
            other = {node: place for place, node in enumerate(rows.rows[i - 1 if down else i + 1])}
            own = {node: place for place, node in enumerate(rows.rows[i])}
            means = {}
            for node in rows.rows[i]:
                means[node] = _mean([other[n] for n in neighbours[node]], own[node])
            rows.rows[i].sort(key=means.__getitem__)
        if (crossings := _crossings(rows)) < fewest:
            best = [list(row) for row in rows.rows]
            fewest = crossings
        if not fewest:
            break
    rows.rows[:] = best


def _crossings(rows: _Rows) -> int:
    """How many pairs of arrows cross between neighbouring rows."""
    total = 0
    for upper, lower in itertools.pairwise(rows.rows):
        place = {node: i for i, node in enumerate(lower)}
        ends = [end for node in upper for end in sorted(place[n] for n in rows.below[node])]
        total += sum(later < earlier for i, earlier in enumerate(ends) for later in ends[i + 1 :])
    return total


def _places(rows: _Rows, widths: Sequence[float]) -> list[float]:
    """A place along its row for each node.

    As near to its neighbours above and below as the order and the gaps allow.
    """
    x = [0.0] * len(widths)
    for row in rows.rows:
        offsets = _offsets(row, widths)
        for node, offset in zip(row, offsets):
            x[node] = offset - offsets[-1] / 2
    for sweep in range(PLACE_SWEEPS):
        down = sweep % 2 == 0
        straighten = sweep >= PLACE_SWEEPS // 2
        side = rows.above if down else rows.below
        for row in rows.rows if down else reversed(rows.rows):
            # At first a node stands in the middle of its neighbours of one side. Later it stands
            # no farther from its neighbours of both sides than needed, waypoints above all.
            wanted = []
            for node in row:
                if straighten:
                    both = [*rows.above[node], *rows.below[node]]
                    wanted.append(_nearest_median([x[n] for n in both], x[node]))
                else:
                    wanted.append(_mean([x[n] for n in side[node]], x[node]))
            weights = [WAYPOINT_WEIGHT if straighten and not widths[node] else 1.0 for node in row]
            for node, place in zip(row, _spread(wanted, _offsets(row, widths), weights)):
                x[node] = place
    return x


def _offsets(row: Sequence[int], widths: Sequence[float]) -> list[float]:
    """Places of the nodes of a row as close together as the gaps allow."""
    offsets = []
    at = 0.0
    for i, node in enumerate(row):
        if i:
            before = widths[row[i - 1]]
            at += (before + widths[node]) / 2 + (GAP if before and widths[node] else GAP / 2)
        offsets.append(at)
    return offsets


def _spread(
    wanted: Sequence[float],
    offsets: Sequence[float],
    weights: Sequence[float],
) -> list[float]:
    """Places nearest to ``wanted`` (least squares) in this order.

    Their distances are at least those of ``offsets``.
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many: pool adjacent violators
    for want, offset, weight in zip(wanted, offsets, weights):
        block = (want - offset, weight, 1)
        while blocks and blocks[-1][0] > block[0]:
            mean, heavy, count = blocks.pop()
            total = heavy + block[1]
            block = ((mean * heavy + block[0] * block[1]) / total, total, count + block[2])
        blocks.append(block)
    shifts = [mean for mean, _, count in blocks for _ in range(count)]
    return [shift + offset for shift, offset in zip(shifts, offsets)]


def _nearest_median(values: Sequence[float], now: float) -> float:
    """The median of ``values``; of a range of medians, the one nearest to ``now``."""
    if not values:
        return now
    ordered = sorted(values)
    return min(max(now, ordered[(len(ordered) - 1) // 2]), ordered[len(ordered) // 2])


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
