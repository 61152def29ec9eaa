"""Iterations of many ranks, predicted from the times of this machine: ``caffepy time -cluster``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from caffepy.errors import UsageError

if TYPE_CHECKING:
    from caffepy.cli.json_output import Json
    from caffepy.engine.layerwise import LayerwiseEngine
    from caffepy.parallel.predict.cluster_spec import Cluster
    from caffepy.scoring.layer_times import Laps


def spec_of(text: str, phase: str, gpu: str) -> Cluster:
    """The cluster that -cluster describes.  UsageError for what cannot be predicted."""
    from caffepy.parallel.predict.cluster_spec import parse_cluster

    if phase == "TEST":
        raise UsageError(
            "-cluster with -phase TEST: ranks that test exchange nothing; needed: -phase TRAIN"
        )
    if gpu:
        raise UsageError(
            f"-cluster with -gpu {gpu}: the exchanges of GPUs are not modelled; needed: no -gpu"
        )
    return parse_cluster(text)


@dataclass(frozen=True)
class Prediction:
    """Iterations of so many ranks, ``sizes``.

    ``alone_ms``: an iteration of one rank. ``iteration_ms``: by the flags of each way to exchange
    gradients, a time for each size; None where so many ranks cannot exchange in this way.
    ``recommended``: the flags for each size.
    """

    sizes: Sequence[int]
    alone_ms: float
    iteration_ms: Mapping[str, Sequence[float | None]]
    recommended: Sequence[str]

    def efficiency(self, flags: str) -> list[float | None]:
        """Images a second and rank, in percent of those of one rank alone, for each size."""
        times = self.iteration_ms[flags]
        return [100 * self.alone_ms / ms if ms else None for ms in times]

    def lines(self) -> list[str]:
        """Two tables, and what to use."""
        efficiencies = {flags: self.efficiency(flags) for flags in self.iteration_ms}
        return [
            (
                f"One rank alone: {self.alone_ms:.1f} ms an iteration."
                " Predicted iteration of so many ranks, ms:"
            ),
            *_table("ranks", self.sizes, self.iteration_ms),
            "Efficiency, % (100: as many pictures a second and rank as one rank alone):",
            *_table("ranks", self.sizes, efficiencies),
            *self._recommendations(),
        ]

    def _recommendations(self) -> list[str]:
        """A line for each run of sizes with the same flags."""
        lines = []
        for flags, pairs in groupby(zip(self.recommended, self.sizes), key=lambda pair: pair[0]):
            sizes = [size for _, size in pairs]
            reach = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
            lines.append(f"Recommended for {reach} ranks: {flags}")
        return lines

    def as_object(self) -> dict[str, Json]:
        """For -json."""
        ways: list[Json] = []
        for flags, times in self.iteration_ms.items():
            ways.append(
                {
                    "flags": flags,
                    "iteration_ms": list(times),
                    "efficiency": [*self.efficiency(flags)],
                }
            )
        return {
            "ranks": list(self.sizes),
            "alone_ms": self.alone_ms,
            "ways": ways,
            "recommended": list(self.recommended),
        }


def predict_cluster(
    engine: LayerwiseEngine, times: tuple[Laps, Laps], whole_ms: float | None, cluster: Cluster
) -> Prediction:
    """Predict every way to exchange gradients, for every size of ``cluster``.

    ``times``: of the layers, forward and backward. ``whole_ms``: of both passes in one go, if that
    was measured.
    """
    import torch

    from caffepy.parallel.predict.polling import measure_polling
    from caffepy.parallel.predict.prediction import predict, recommend, ways
    from caffepy.solver.costs import costs_of

    forward, backward = times
    costs = costs_of(
        engine.graph,
        engine.arena,
        forward.layer_ms,
        backward.layer_ms,
        whole_ms=whole_ms or forward.mean_ms + backward.mean_ms,
        polling=measure_polling(engine.forward),
    )
    sizes = cluster.sizes()
    threads = torch.get_num_threads()
    costs_there = {size: costs.slowed(cluster.crowd(size, threads)) for size in sizes}
    iteration_ms: dict[str, list[float | None]] = {}
    for way in ways():
        iteration_ms[way.flags] = [
            1e3 * predict(costs_there[size], cluster, size, way) if way.fits(size) else None
            for size in sizes
        ]
    # staleness changes the numbers of a training, so it is not recommended for its speed
    exact = [way.flags for way in ways() if not way.staleness]
    recommended = []
    for place in range(len(sizes)):
        best = recommend([iteration_ms[flags][place] or 0.0 for flags in exact])
        recommended.append(exact[best])
    return Prediction(sizes, 1e3 * costs.alone_s, iteration_ms, recommended)


def _table(
    head: str, columns: Sequence[int], rows: Mapping[str, Sequence[float | None]]
) -> list[str]:
    """Names to the left, numbers to the right."""
    texts = {head: [str(column) for column in columns]}
    for name, numbers in rows.items():
        texts[name] = ["-" if number is None else f"{number:.1f}" for number in numbers]
    name_width = max(map(len, texts))
    cell_width = max(len(cell) for cells in texts.values() for cell in cells) + 2
    lines = []
    for name, cells in texts.items():
        lines.append(f"  {name:{name_width}}" + "".join(f"{cell:>{cell_width}}" for cell in cells))
    return lines
