"""``caffepy test``: score weights on a net's test data."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING, Any

import click

from caffepy import log
from caffepy.cli.data_flags import data_flags
from caffepy.cli.engine_flag import checked_engine, engine_flag
from caffepy.cli.json_output import Json, json_flag, json_object
from caffepy.cli.numerics_flags import numerics_flags
from caffepy.cli.options import CaffeFlags, caffe_flags
from caffepy.engine_names import TORCH
from caffepy.errors import UsageError
from caffepy.parallel.job.join import join_job
from caffepy.parallel.launch.environment import detect

if TYPE_CHECKING:
    from caffepy.parallel.transport.communicator import Communicator


@click.command("test")
@caffe_flags
@data_flags
@numerics_flags
@engine_flag
@json_flag
def command(
    *,
    flags: CaffeFlags,
    feeding: dict[str, Any],
    numerics: dict[str, Any],
    engine: str,
    as_json: bool,
) -> None:
    """Score the -weights on the TEST net of -model, over -iterations batches.

    Started by mpirun, srun or torchrun, the ranks divide the batches; rank 0 tells what one process
    would have found.
    """
    with join_job(detect(os.environ, platform.node()), os.environ) as communicator:
        if not communicator.is_root:
            log.keep_to_files()  # rank 0 writes the log
        name = checked_engine(engine, gpu=bool(flags.gpu), precision=numerics["precision"])
        with json_object(wanted=as_json and communicator.is_root) as result:
            test(flags, communicator, feeding, numerics, result, engine_name=name)


def test(
    flags: CaffeFlags,
    communicator: Communicator,
    feeding: dict[str, Any],
    numerics: dict[str, Any],
    result: dict[str, Json],
    *,
    engine_name: str,
) -> None:
    """Score as one of the ranks of ``communicator``, and put the scores into ``result``.

    ``feeding``, ``numerics``: the fields of `Feeding` and `Numerics`.
    ``engine_name``: what -engine says.
    """
    if not flags.model:
        raise UsageError("Need a model definition to score: -model FILE")
    if not flags.weights:
        raise UsageError("Need model weights to score: -weights FILE")
    from caffepy.cli.devices import single_device, training_device
    from caffepy.engine.engines import Setup, close, open_net
    from caffepy.engine.numerics import Numerics
    from caffepy.engine.weights import weight_files
    from caffepy.layers.core.base import TEST
    from caffepy.layers.core.random import CaffeRandom
    from caffepy.net.definition import lone_definition
    from caffepy.parallel.job.consistency import broadcast_state
    from caffepy.parallel.job.sharing import Sharing
    from caffepy.report.metrics import by_name
    from caffepy.scoring.dividing import Passes, can_divide
    from caffepy.scoring.testing import score_batches
    from caffepy.solver.loop.position import PositionInTest
    from caffepy.solver.setup.batches import Share
    from caffepy.solver.setup.feeding import Feed, Feeding

    # Caffe takes this for one name here, whatever commas are in it
    files = [flags.weights] if os.path.exists(flags.weights) else weight_files([flags.weights])
    alone = communicator.size == 1
    device = single_device(flags.gpu, 275) if alone else training_device(flags.gpu, communicator)
    communicator.use_device(device)
    definition = lone_definition(flags.model, TEST, level=flags.level, stages=flags.stages)
    divided = can_divide([definition], communicator)
    if not (divided or communicator.is_root):
        return
    kind = Numerics(**numerics)
    kind.prepare(device)
    takes_part = divided or alone
    feed = Feeding(**feeding).start(communicator, Sharing()) if takes_part else Feed(Share())
    setup = Setup(device, CaffeRandom(None), opener=feed.share.open, numerics=kind)
    engine = open_net(definition, files, setup=setup)
    try:
        if divided:
            # what no file gives is drawn at random
            broadcast_state(communicator, [engine.arena.flat.buffer])
        if engine_name != TORCH:
            from caffepy.onnx.choice import engine_by

            engine = engine_by(engine_name, engine)
        passes = Passes(communicator, divided)
        communicator.place = PositionInTest(passes, engine.progress)
        loss, means = score_batches(engine, flags.iterations, passes)
        outputs: dict[str, Json] = {}
        outputs.update(by_name((mean.name, mean.value) for mean in means))
        result.update({"model": flags.model, "weights": [*files], "iterations": flags.iterations})
        result.update({"loss": loss, "outputs": outputs})
    finally:
        close(engine)
        feed.close()
