"""``caffepy train``: train a net, resume a training, or fine-tune weights."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from caffepy import log
from caffepy.cli.data_flags import data_flags
from caffepy.cli.numerics_flags import numerics_flags
from caffepy.cli.options import CaffeFlags, caffe_flags
from caffepy.cli.pmls_flags import client_environ, pmls_flags, translate
from caffepy.cli.rank_flags import rank_flags
from caffepy.errors import UsageError
from caffepy.parallel.failure.early_monitor import TIMEOUT_S
from caffepy.parallel.job.join import join_job
from caffepy.parallel.launch.environment import detect
from caffepy.proto.output_files import refuse_overwriting
from caffepy.report.metrics import writers

if TYPE_CHECKING:
    from caffepy.parallel.launch.environment import Launch
    from caffepy.parallel.transport.communicator import Communicator
    from caffepy.proto import caffe_pb2
    from caffepy.solver.loop.observers import MetricRecorder
    from caffepy.solver.solver import Solver


@dataclass(frozen=True)
class Choices:
    """What the flags of ``train`` say.

    ``sharing``, ``feeding``, ``numerics``: the fields of `Sharing`, `Feeding` and `Numerics`.
    ``sets``: fields of the solver that are set in place of its file's.
    ``check``: iterations to be compared with one process first.
    """

    flags: CaffeFlags
    sets: tuple[str, ...]
    sharing: dict[str, Any]
    feeding: dict[str, Any]
    numerics: dict[str, Any]
    check: int


@click.command("train")
@caffe_flags
@click.option(
    "-set",
    "--set",
    "sets",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Set a field of the solver, such as base_lr=0.01; may be given several times.",
)
@rank_flags
@data_flags
@numerics_flags
@pmls_flags
@click.option(
    "-ranks",
    "--ranks",
    type=int,
    metavar="N",
    help="Start N ranks on this machine; without it, one for each device of -gpu.",
)
@click.option(
    "-check",
    "--check",
    default=0,
    metavar="N",
    help="Before training, compare N iterations of the ranks with one process.",
)
@click.option(
    "-rank_timeout",
    "--rank_timeout",
    default=TIMEOUT_S,
    metavar="S",
    help="End the job when a rank gives no sign of life for S seconds.",
)
@click.option(
    "-metrics",
    "--metrics",
    default="",
    metavar="FILE",
    help="Also write the log's numbers to this file, a JSON object a line.",
)
@click.option(
    "-tensorboard",
    "--tensorboard",
    default="",
    metavar="FOLDER",
    help="Also write them to this folder, for TensorBoard.",
)
def command(
    *,
    flags: CaffeFlags,
    sets: tuple[str, ...],
    sharing: dict[str, Any],
    feeding: dict[str, Any],
    numerics: dict[str, Any],
    pmls: dict[str, Any],
    ranks: int | None,
    check: int,
    rank_timeout: float,
    metrics: str,
    tensorboard: str,
) -> int:
    """Train the net of -solver, from the start, from -weights, or from an earlier -snapshot.

    -set base_lr=0.01 -set max_iter=2000 changes fields of the solver for this run. Dots lead into
    messages: -set train_state.level=1. Elements of repeated fields have numbers or names:
    -set "net_param.layer[conv1].param[0].lr_mult=0". net_param is the net, also where the solver
    names its file. A list is written [1000, 2000].

    Started by mpirun, srun or torchrun, all ranks train one net: each takes its share of the
    records and its own GPU of -gpu. Without a launcher, -ranks or several devices of -gpu start
    them on this machine.
    """
    if not rank_timeout > 0:
        raise UsageError(f"-rank_timeout {rank_timeout:g}; needed: more than 0 seconds")
    if check < 0:
        raise UsageError(f"-check {check}; needed: 0 or more")
    sources = [file for file in (flags.solver, flags.snapshot, *flags.weights.split(",")) if file]
    for target in filter(None, (metrics, pmls["net_outputs"])):
        refuse_overwriting(target, *sources)
    notes = translate(pmls, sharing)
    os.environ.update(client_environ(pmls, detect(os.environ, platform.node()).launcher))
    launch = detect(os.environ, platform.node())
    count = ranks_to_start(launch, ranks, flags.gpu)
    if count > 1:
        from caffepy.parallel.job.spawn import spawn

        return spawn(
            count,
            [sys.executable, *sys.orig_argv[1:]],
            os.environ,
            host=platform.node(),
            timeout_s=rank_timeout,
        )
    choices = Choices(flags, sets, sharing, feeding, numerics, check)
    with (
        ExitStack() as to_the_end,
        join_job(launch, os.environ, timeout_s=rank_timeout) as communicator,
    ):
        if not communicator.is_root:
            log.keep_to_files()  # rank 0 writes the log; with -log_dir each rank has a file
            metrics = tensorboard = pmls["net_outputs"] = ""
            log.info(
                "train.py:0",
                f"rank {communicator.rank} of {communicator.size} on {communicator.host}",
            )
        for note in notes:
            log.info("pmls_flags.py:0", note)
        with writers(metrics, tensorboard, pmls["net_outputs"]) as opened:
            train(choices, communicator, [writer.write for writer in opened], to_the_end)
    return 0


def ranks_to_start(launch: Launch, ranks: int | None, gpu: str) -> int:
    """How many ranks this process has to start.

    0 if a launcher has started them, or one process is enough.

    ``ranks``: the value of -ranks; None where it is not given.
    """
    if ranks is not None and ranks < 1:
        raise UsageError(f"-ranks {ranks}; needed: 1 or more")
    if launch.launcher != "single":
        if ranks not in (None, launch.size):
            raise UsageError(
                f"-ranks {ranks}: {launch.started_by} started {launch.size};"
                " leave -ranks out, or the launcher"
            )
        return 0
    if ranks is not None:
        return ranks
    if "," in gpu or gpu == "all":
        from caffepy.cli.devices import available

        return len(available(gpu))
    return 0


def train(
    choices: Choices,
    communicator: Communicator,
    recorders: Sequence[MetricRecorder],
    to_the_end: ExitStack,
) -> None:
    """Train as one of the ranks of ``communicator``.

    ``recorders``: told of the numbers that the log shows.
    ``to_the_end``: closed when the ranks have parted; until then no signal undoes a training that
    is done.
    """
    import torch

    from caffepy.cli.devices import training_device
    from caffepy.cli.progress import training_progress
    from caffepy.engine.numerics import Numerics
    from caffepy.parallel.job.sharing import Sharing
    from caffepy.parallel.job.threads import choose_threads
    from caffepy.solver.loop.signals import Action, Signals, action
    from caffepy.solver.rehearsal import rehearse
    from caffepy.solver.setup.definition import load_solver
    from caffepy.solver.setup.feeding import Feeding
    from caffepy.solver.solver import Solver
    from caffepy.solver.update_rules.lr_policy import check_policy

    flags = choices.flags
    if not flags.solver:
        raise UsageError("Need a solver definition to train: -solver FILE")
    if flags.snapshot and flags.weights:
        raise UsageError("Give a snapshot to resume training or weights to finetune but not both.")
    numerics = Numerics(**choices.numerics)
    sigint = action(flags.sigint_effect, "sigint_effect")
    sighup = action(flags.sighup_effect, "sighup_effect")
    param, places = load_solver(flags.solver, choices.sets)
    check_policy(param, file=places.file)
    signals = Signals(
        sigint=sigint,
        sighup=sighup,
        # how batch systems announce the end: not on one rank alone
        sigterm=Action.STOP if communicator.size > 1 else Action.NONE,
        snapshot_at_end=param.snapshot_after_train,
    )
    param.train_state.level = flags.level
    param.train_state.stage.extend(flags.stages)
    if flags.weights or flags.snapshot:
        param.weights[:] = [flags.weights] if flags.weights else []  # in place of the solver's own
    device = training_device(flags.gpu or _asked_gpu(param, communicator.size), communicator)
    if device.type == "cuda":
        param.solver_mode = param.GPU
        param.device_id = device.index
    communicator.use_device(device)
    numerics.prepare(device)
    torch.set_num_threads(choose_threads(communicator, torch.get_num_threads(), os.environ))
    options: dict[str, Any] = {
        "sharing": Sharing(**choices.sharing),
        "feeding": Feeding(**choices.feeding),
        "device": device,
        "numerics": numerics,
    }
    if choices.check:
        rehearse(param, places, choices.check, communicator=communicator, **options)
    solver = Solver(param, places, communicator=communicator, signals=signals, **options)
    solver.recorders += recorders
    to_the_end.enter_context(signals.caught())
    try:
        if flags.snapshot:
            log.info("caffe.cpp:235", f"Resuming from {flags.snapshot}")
            solver.restore(flags.snapshot)
        log.info("caffe.cpp:239", "Starting Optimization")
        with training_progress(solver):
            solver.solve()
        tell_speed(solver)
        log.info("caffe.cpp:250", "Optimization Done.")
    finally:
        solver.close()


def tell_speed(solver: Solver) -> None:
    """One line about how fast the training was; nothing if there was none."""
    speed = solver.speed
    if not speed.iterations:
        return
    iteration_s = speed.training_s / speed.iterations
    done = f"Trained {speed.iterations} iterations in {speed.training_s:.1f} s"
    images = (
        f"{log.rate(solver.images_per_iteration / iteration_s)} images/s, "
        if solver.images_per_iteration
        else ""
    )
    each = f"{images}{log.duration(1000 * iteration_s)} an iteration"
    log.info("train.py:0", f"{done}, without tests and snapshots: {each}")


def _asked_gpu(param: caffe_pb2.SolverParameter, ranks: int) -> str:
    """The device that a solver asks for: none unless its ``solver_mode`` says GPU in so many words.

    Several ranks do not share one.
    """
    if not (param.HasField("solver_mode") and param.solver_mode == param.GPU):
        return ""
    return str(param.device_id) if ranks == 1 else "auto"
