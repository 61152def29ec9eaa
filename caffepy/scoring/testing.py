"""Scoring a test net over some batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Protocol

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.engines import Engine, shows_blobs
from caffepy.engine.output import Output
from caffepy.net.graph import Graph
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.scoring.average_precision import AveragePrecisions, Summary
from caffepy.scoring.dividing import Passes
from caffepy.scoring.scores import Score, Totals, scores


class Sums(Protocol):
    """What gathers the outputs of the batches."""

    def add(self, outputs: Sequence[Output]) -> None:
        """Of one batch."""

    def means(self, batches: int) -> list[Score]:
        """The scores of all."""


def score(
    engine: Engine,
    batches: int,
    passes: Passes,
    param: SolverParameter,
    *,
    interrupted: Callable[[], bool],
) -> list[Score] | None:
    """Log the mean of each output over ``batches``, and return them; None if ``interrupted`` said so before the last one.

    ``param``: of the solver: what is shown beside them, and the kind of outputs. Where ranks divide the batches, rank 0 gets the scores.
    """
    sums = (
        AveragePrecisions(param.ap_version, each=param.show_per_class_result)
        if param.eval_type == "detection"
        else Totals()
    )
    loss = _add_up(
        passes.run(engine, batches, interrupted=interrupted, debug=param.debug_info), engine, sums
    )
    if loss is None:
        log.info("solver.cpp:390", "Test interrupted.")
        return None
    if param.test_compute_loss:
        log.info("solver.cpp:394", f"Test loss: {log.number(float(loss / batches))}")
    means = sums.means(batches)
    for place, mean in enumerate(means):
        log.info("solver.cpp:414", f"    Test net output #{place}: {mean}")
    return means


def score_batches(engine: Engine, batches: int, passes: Passes) -> tuple[float, list[Score]]:
    """`caffepy test`: log each batch's outputs, then the mean of each, or the average precision of detections.

    Returned are the mean loss and these means.
    """
    log.info("caffe.cpp:281", f"Running for {batches} iterations.")
    if batches < 1:
        log.warning(
            "test.py:0",
            f"-iterations {batches}: no batch is scored, and the loss below is that of none; needed: at least 1",
        )
    summary = Summary(engine.graph)
    numbers = count()

    def tell(outputs: Sequence[Output]) -> None:
        batch = next(numbers)
        for value in scores(outputs):
            log.info("caffe.cpp:304", f"Batch {batch}, {value.name} = {log.number(value.value)}")

    total = _add_up(
        passes.run(engine, batches, interrupted=lambda: False, debug=engine.graph.debug_info),
        engine,
        summary,
        tell=tell,
    )
    loss = float((torch.zeros(()) if total is None else total) / batches)
    log.info("caffe.cpp:309", f"Loss: {log.number(loss)}")
    means = summary.means(batches)
    for mean in means:
        log.info("caffe.cpp:321", str(mean))
    return loss, means


def _add_up(
    passes: Iterable[tuple[Tensor, Sequence[Output]] | None],
    engine: Engine,
    sums: Sums,
    *,
    tell: Callable[[Sequence[Output]], object] | None = None,
) -> Tensor | None:
    """Add the outputs of all ``passes`` of ``engine`` to ``sums``, and return the sum of their losses; None where they are interrupted.

    ``tell``: told of the outputs of each.
    """
    loss = torch.zeros(())
    with engine.frozen():
        for found in passes:
            if found is None:
                return None
            loss = loss.to(found[0].device) + found[0]
            if tell is not None:
                tell(found[1])
            sums.add(found[1])
    return loss


def share_trained_layers(tested: Engine, trained: Engine) -> None:
    """Let a test net compute with the parameters of the train net, where it has its own still or was given others since the last test."""
    if tested.arena.lender is not trained.arena and shows_blobs(tested) and shows_blobs(trained):
        tested.share(trained.lend())


def log_ignored_layers(trained: Graph, tested: Graph) -> None:
    """One line for each layer of the train net that the test net, which shares its parameters, does not have."""
    known = {node.name for node in tested.nodes}
    for node in trained.nodes:
        if node.name not in known:
            log.info("net.cpp:661", f"Ignoring source layer {node.name}")
