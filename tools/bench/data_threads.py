"""How data scale with threads: the same batches by one data thread and by more, on as many cores, taking turns by the clock.

As threads a source takes as many as the cores that its process may use when it is opened. The last row is what the machine has to
give: as many processes as threads, which only decode. Where its ratio is lower than the number of threads, others compute there, or
two cores are halves of one.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from statistics import median
from typing import Protocol

from tools.bench.data_loops import CLOCKS, Loop, time_of

Turn = Callable[[float], float]
"""Runs for so many seconds; microseconds an image."""


class Pictures(Protocol):
    """A data set, and ways to make batches of it."""

    batch: int

    def ours(self) -> Callable[[], object]:
        """Makes the next batch as the Data layer does."""
        ...

    def decoded(self, clock: str, *, kept: bool) -> Loop:
        """Only decodes."""
        ...


def threads_table(work: dict[str, Pictures], bare: Pictures, options: argparse.Namespace) -> None:
    """Print microseconds an image for each of ``options.threads``, and the first divided by the last.

    ``bare``: JPEGs, for the last row.
    """
    counts: Sequence[int] = options.threads
    cores = sorted(os.sched_getaffinity(0))
    if not 1 <= min(counts) <= max(counts) <= len(cores):
        raise SystemExit(f"data.py: -threads {' '.join(map(str, counts))}; needed: 1 to {len(cores)}, the cores that it may use")
    title = f"data threads by the clock, medians of {options.rounds} turns (the best)"
    print(f"{title:60}" + "".join(f"{f'{n} us':>16}" for n in counts) + "   ratio  needed", flush=True)
    for name, pictures in work.items():
        _row(name, [_ours(pictures, set(cores[:n])) for n in counts], counts, options)
    loops = [_bare(bare, set(cores[:n]), n) for n in counts]
    _row("imdecode alone, in processes", [turn for turn, _ in loops], counts, options)
    for _, end in loops:
        end()
    os.sched_setaffinity(0, cores)


def _row(name: str, turns: Sequence[Turn], counts: Sequence[int], options: argparse.Namespace) -> None:
    rounds = [[turn(options.block_s) for turn in turns] for _ in range(options.rounds + 1)][1:]
    ratios = [row[0] / row[-1] for row in rounds]
    best = [min(column) for column in zip(*rounds)]
    shown = "".join(f"{f'{median(column):.1f} ({least:.1f})':>16}" for column, least in zip(zip(*rounds), best))
    needed = 0.95 * counts[-1] / counts[0]
    print(f"{name:60}{shown} {median(ratios):7.2f}  >= {needed:.2f} (the best {best[0] / best[-1]:.2f})", flush=True)


def _ours(pictures: Pictures, cores: set[int]) -> Turn:
    os.sched_setaffinity(0, cores)
    work = pictures.ours()
    work()  # the threads start on these cores

    def turn(seconds: float) -> float:
        os.sched_setaffinity(0, cores)
        return time_of(work, pictures.batch, CLOCKS["wall"], seconds)

    return turn


def _bare(pictures: Pictures, cores: set[int], processes: int) -> tuple[Turn, Callable[[], None]]:
    os.sched_setaffinity(0, cores)
    loops = [pictures.decoded("wall", kept=True) for _ in range(processes)]

    def turn(seconds: float) -> float:
        for loop in loops:
            loop.begin(seconds)
        return 1 / sum(1 / loop.end() for loop in loops)

    def close() -> None:
        for loop in loops:
            loop.close()

    return turn, close
