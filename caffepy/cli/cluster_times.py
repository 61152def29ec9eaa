"""The part of ``caffepy time`` that looks beyond this machine: tables of predicted iterations."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from caffepy.errors import UsageError

if TYPE_CHECKING:
    from caffepy.engine.layerwise import LayerwiseEngine
    from caffepy.parallel.predict.cluster_spec import Cluster
    from caffepy.scoring.layer_times import Laps


def spec_of(text: str, phase: str, gpu: str) -> Cluster:
    """What -cluster asks for.  UsageError for what cannot be predicted."""
    from caffepy.parallel.predict.cluster_spec import parse_cluster

    if phase == "TEST":
        raise UsageError("-cluster with -phase TEST: ranks that test exchange nothing; needed: -phase TRAIN")
    if gpu:
        raise UsageError(f"-cluster with -gpu {gpu}: the exchanges of GPUs are not modelled; needed: no -gpu")
    return parse_cluster(text)


def tell_cluster(engine: LayerwiseEngine, times: tuple[Laps, Laps], whole_ms: float | None, cluster: Cluster) -> None:
    """Print milliseconds and efficiency of every way and size, and which way to take.  ``times``: of layers, forward and backward."""
    import torch

    from caffepy.parallel.predict.polling import measure_polling
    from caffepy.parallel.predict.prediction import predict, recommend, ways
    from caffepy.solver.costs import costs_of

    forward, backward = times
    whole_ms = whole_ms or forward.mean_ms + backward.mean_ms
    polling = measure_polling(engine.forward)
    costs = costs_of(engine.graph, engine.arena, forward.layer_ms, backward.layer_ms, whole_ms=whole_ms, polling=polling)
    sizes, threads = cluster.sizes(), torch.get_num_threads()
    slowed = [costs.slowed(cluster.crowd(size, threads)) for size in sizes]
    every = ways()
    seconds = {way: [predict(found, cluster, size, way) if way.fits(size) else None for found, size in zip(slowed, sizes)] for way in every}
    print(f"One rank alone: {costs.alone_s * 1e3:.1f} ms an iteration. Predicted iteration of so many ranks, ms:")
    _table("ranks", sizes, {way.flags: [_text(1e3 * found if found else None) for found in seconds[way]] for way in every})
    print("Efficiency, % (100: as many pictures a second and rank as one rank alone):")
    _table("ranks", sizes, {way.flags: [_text(100 * costs.alone_s / found if found else None) for found in seconds[way]] for way in every})
    exact = [way for way in every if not way.staleness]
    best = [exact[recommend([seconds[way][place] or 0.0 for way in exact])] for place in range(len(sizes))]
    for way, places in groupby(range(len(sizes)), key=lambda place: best[place]):
        found = [sizes[place] for place in places]
        print(f"Recommended for {' to '.join(map(str, sorted({found[0], found[-1]})))} ranks: {way.flags}")


def _text(number: float | None) -> str:
    return "-" if number is None else f"{number:.1f}"


def _table(head: str, columns: list[int], rows: dict[str, list[str]]) -> None:
    """Names to the left, numbers to the right."""
    name = max(map(len, (head, *rows)))
    cell = max(len(text) for row in ([str(column) for column in columns], *rows.values()) for text in row) + 2
    for title, texts in {head: [str(column) for column in columns], **rows}.items():
        print(f"  {title:{name}}" + "".join(f"{text:>{cell}}" for text in texts))
