"""Scoring a test net over some batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from caffepy import log
from caffepy.engine.engines import Engine, frozen
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.net.graph import Graph
from caffepy.scoring.average_precision import AveragePrecisions
from caffepy.scoring.dividing import Passes
from caffepy.scoring.scores import Score, Totals


def score(engine: Engine, batches: int, passes: Passes, param: Any, *, interrupted: Callable[[], bool]) -> list[Score] | None:
    """Log the mean of each output over ``batches``, and return them; None if ``interrupted`` said so before the last one.

    ``param``: of the solver: what is shown beside them, and the kind of outputs. Where ranks divide the batches, rank 0 gets the scores.
    """
    loss = torch.zeros(())
    totals = AveragePrecisions(param.ap_version, each=param.show_per_class_result) if param.eval_type == "detection" else Totals()
    with frozen(engine):
        for found in passes.run(engine, batches, interrupted=interrupted, debug=param.debug_info):
            if found is None:
                log.info("solver.cpp:390", "Test interrupted.")
                return None
            loss = loss.to(found[0].device) + found[0]
            totals.add(found[1])
    if param.test_compute_loss:
        log.info("solver.cpp:394", f"Test loss: {log.number(float(loss / batches))}")
    means = totals.means(batches)
    for place, mean in enumerate(means):
        log.info("solver.cpp:414", f"    Test net output #{place}: {mean}")
    return means


def share_trained_layers(tested: Engine, trained: Engine) -> None:
    """Let a test net compute with the parameters of the train net, where it has its own still or was given others since the last test."""
    if tested.arena.lender is not trained.arena and isinstance(tested, LayerwiseEngine) and isinstance(trained, LayerwiseEngine):
        tested.share(trained.lend())


def tell_ignored(trained: Graph, tested: Graph) -> None:
    """One line for each layer of the train net that the test net, which shares its parameters, does not have."""
    known = {node.name for node in tested.nodes}
    for node in trained.nodes:
        if node.name not in known:
            log.info("net.cpp:661", f"Ignoring source layer {node.name}")
