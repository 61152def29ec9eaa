"""``caffepy test``: score weights on a net's test data."""

from __future__ import annotations

import math
import os
import platform
from typing import TYPE_CHECKING, Any

import click

from caffepy import log
from caffepy.cli.numerics_flags import numerics_flags
from caffepy.cli.options import CaffeFlags, caffe_flags
from caffepy.errors import UsageError
from caffepy.parallel.environment import detect

if TYPE_CHECKING:
    from caffepy.solver.engines import Engine


@click.command("test")
@caffe_flags
@numerics_flags
def command(*, flags: CaffeFlags, numerics: dict[str, Any]) -> None:
    """Score the -weights on the TEST net of -model, over -iterations batches."""
    if detect(os.environ, platform.node()).rank:
        return  # under mpirun, rank 0 scores
    if not flags.model:
        raise UsageError("Need a model definition to score: -model FILE")
    if not flags.weights:
        raise UsageError("Need model weights to score: -weights FILE")
    from caffepy.cli.devices import single_device
    from caffepy.engine.numerics import Numerics
    from caffepy.engine.weights import copy_trained_layers
    from caffepy.layers.base import TEST
    from caffepy.layers.random import CaffeRandom
    from caffepy.solver.engines import Factory, close
    from caffepy.solver.nets import lone_definition

    device = single_device(flags.gpu, 275)
    definition = lone_definition(flags.model, TEST, level=flags.level, stages=flags.stages)
    kind = Numerics(**numerics)
    kind.prepare(device)
    engine = Factory(device, CaffeRandom(None), numerics=kind).make(definition, weights=flags.weight_files)
    try:
        for file in flags.weight_files:
            copy_trained_layers(engine.graph, engine.arena, file)
        score(engine, flags.iterations)
    finally:
        close(engine)


def score(engine: Engine, iterations: int) -> None:
    """Run the batches; log each batch's outputs, then the mean of each."""
    from caffepy.solver.engines import forward, frozen
    from caffepy.solver.scores import Totals, scores

    log.info("caffe.cpp:281", f"Running for {iterations} iterations.")
    totals, loss = Totals(), 0.0
    with frozen(engine):
        for batch in range(iterations):
            loss += float(forward(engine, debug=engine.graph.debug_info))
            for found in scores(engine.outputs()):
                log.info("caffe.cpp:304", f"Batch {batch}, {found.name} = {log.number(found.value)}")
            totals.add(engine.outputs())
    log.info("caffe.cpp:309", f"Loss: {log.number(loss / iterations if iterations else math.nan)}")
    for mean in totals.means(iterations):
        log.info("caffe.cpp:321", str(mean))
