"""Scores of a test net over several batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
    """Collects the outputs of the batches of a test."""

    def add(self, outputs: Sequence[Output]) -> None:
        """Add the outputs of one batch."""

    def means(self, batches: int) -> list[Score]:
        """The scores over all batches."""


def score(
    engine: Engine,
    batches: int,
    passes: Passes,
    param: SolverParameter,
    *,
    interrupted: Callable[[], bool],
) -> list[Score] | None:
    """Log the mean of each output over ``batches``, and return them.

    ``param``: the solver, which says what kind the outputs are, and what is logged beside them.
    ``interrupted``: whether to stop; asked before each batch. If so, None is returned.
    Where ranks divide the batches, rank 0 has the scores.
    """
    sums: Sums = Totals()
    if param.eval_type == "detection":
        sums = AveragePrecisions(param.ap_version, each=param.show_per_class_result)
    results = passes.run(engine, batches, interrupted=interrupted, debug=param.debug_info)
    loss = _add_up(results, engine, sums)
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
    """`caffepy test`: log each batch's outputs, and then the scores over all of them.

    Returns the mean loss and the scores.
    """
    log.info("caffe.cpp:281", f"Running for {batches} iterations.")
    if batches < 1:
        log.warning(
            "test.py:0",
            f"-iterations {batches}: no batch is scored, and the loss below is that of none; "
            "needed: at least 1",
        )
    summary = Summary(engine.graph)
    debug = engine.graph.debug_info
    results = passes.run(engine, batches, interrupted=lambda: False, debug=debug)
    total = _add_up(results, engine, summary, each=_log_batch)
    assert total is not None  # nothing interrupts it
    loss = float(total / batches)
    log.info("caffe.cpp:309", f"Loss: {log.number(loss)}")
    means = summary.means(batches)
    for mean in means:
        log.info("caffe.cpp:321", str(mean))
    return loss, means


def _log_batch(batch: int, outputs: Sequence[Output]) -> None:
    for value in scores(outputs):
        log.info("caffe.cpp:304", f"Batch {batch}, {value.name} = {log.number(value.value)}")


def _add_up(
    results: Iterable[tuple[Tensor, Sequence[Output]] | None],
    engine: Engine,
    sums: Sums,
    *,
    each: Callable[[int, Sequence[Output]], object] | None = None,
) -> Tensor | None:
    """Add the outputs of all batches to ``sums``, and return the sum of their losses.

    ``results``: from `Passes.run`. ``each``: called with the number and the outputs of each batch.
    Returns None if the test is interrupted.
    """
    total = torch.zeros(())
    with engine.frozen():
        for batch, result in enumerate(results):
            if result is None:
                return None
            loss, outputs = result
            total = total.to(loss.device) + loss
            if each is not None:
                each(batch, outputs)
            sums.add(outputs)
    return total


def share_trained_layers(tested: Engine, trained: Engine) -> None:
    """Let a test net compute with the parameters of the train net.

    It may have had its own until now, or those of another net, given by a script.
    """
    if tested.arena.lender is not trained.arena and shows_blobs(tested) and shows_blobs(trained):
        tested.share(trained.lend())


def log_ignored_layers(trained: Graph, tested: Graph) -> None:
    """One line for each layer of the train net that the test net does not have."""
    names = {node.name for node in tested.nodes}
    for node in trained.nodes:
        if node.name not in names:
            log.info("net.cpp:661", f"Ignoring source layer {node.name}")
