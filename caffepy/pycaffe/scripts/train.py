"""train.py: train a solver with a process for each GPU, or several processes on the CPU."""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

import caffepy.pycaffe as caffe
from caffepy.errors import ParallelError
from caffepy.pycaffe.scripts.common import guarded


@dataclass(frozen=True)
class Job:
    """What every process is told. ``gpus``: None for the CPU."""

    solver: str
    snapshot: str | None
    gpus: tuple[int, ...] | None
    count: int
    timing: bool
    uid: bytes


def main(argv: Sequence[str] | None = None) -> int:
    """Train as the command line says; the exit code."""
    parser = argparse.ArgumentParser(prog="train.py", description=__doc__)
    parser.add_argument("--solver", required=True, help="Solver proto definition.")
    parser.add_argument("--snapshot", help="Solver snapshot to restore.")
    parser.add_argument("--gpus", type=int, nargs="+", default=[0], help="List of device ids.")
    parser.add_argument("--cpus", type=int, metavar="N", help="Train with N processes on the CPU.")
    parser.add_argument("--timing", action="store_true", help="Show timing info.")
    options = parser.parse_args(argv)
    return guarded(
        lambda: train(
            options.solver, options.snapshot, options.gpus, options.timing, cpus=options.cpus
        ),
        "train.py",
    )


def train(
    solver: str,
    snapshot: str | None,
    gpus: Sequence[int],
    timing: bool = False,
    *,
    cpus: int | None = None,
) -> None:
    """Start the processes and wait for them.  ParallelError if one fails."""
    caffe.init_log()
    places = None if cpus else tuple(gpus)
    count = cpus or len(gpus)
    caffe.log(f"Using {count} processes on the CPU" if cpus else f"Using devices {list(gpus)}")
    job = Job(solver, snapshot, places, count, timing, caffe.NCCL.new_uid())
    # a new Python for each: CUDA and torch's threads do not live through a fork
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=work, args=(job, rank), daemon=True) for rank in range(count)
    ]
    for process in processes:
        process.start()
    wait_for(processes)


def wait_for(processes: Sequence[BaseProcess]) -> None:
    """Return when all have done their work.  ParallelError if one fails."""
    running = list(processes)
    while running:
        wait([process.sentinel for process in running])
        ended = [process for process in running if not process.is_alive()]
        failed = [process for process in ended if process.exitcode]
        if failed:
            for process in processes:
                process.terminate()  # the others would wait for it
            raise ParallelError(
                f"process {processes.index(failed[0])} of {len(processes)} ended with exit"
                f" code {failed[0].exitcode}; see its own lines"
            )
        running = [process for process in running if process not in ended]


def work(job: Job, rank: int) -> None:
    """One of the processes."""
    code = guarded(lambda: solve(job, rank), "train.py")
    if code:
        raise SystemExit(code)


def solve(job: Job, rank: int) -> None:
    """Train as process ``rank``."""
    caffe.init_log()
    if job.gpus is not None:
        caffe.set_device(job.gpus[rank])
        caffe.set_mode_gpu()
    caffe.set_solver_count(job.count)
    caffe.set_solver_rank(rank)
    caffe.set_multiprocess(True)
    solver = caffe.get_solver(job.solver)
    if job.snapshot:
        solver.restore(job.snapshot)
    nccl = caffe.NCCL(solver, job.uid)
    nccl.bcast()
    if job.timing and rank == 0:
        show_times(solver, nccl)
    else:
        solver.add_callback(nccl)
    solver.step(solver.param.max_iter - solver.iter)
    written = solver.param.snapshot and solver.iter % solver.param.snapshot == 0
    if rank == 0 and solver.param.snapshot_after_train and not written:
        solver.snapshot()


def show_times(solver: caffe.Solver, nccl: caffe.NCCL) -> None:
    """Log, whenever the solver displays, how long each layer and the exchange of gradients took."""
    ways = {
        "forward": (solver.net.before_forward, solver.net.after_forward),
        "backward": (solver.net.before_backward, solver.net.after_backward),
    }
    timers = {way: [caffe.Timer() for _ in solver.net.layers] for way in ways}
    total = caffe.Timer()
    exchange = caffe.Timer()
    for way, (before, after) in ways.items():
        before(_each(timers[way], caffe.Timer.start))
        after(_each(timers[way], caffe.Timer.stop))

    def show() -> None:
        exchange.stop()
        if solver.param.display and solver.iter % solver.param.display == 0:
            for way, layers in timers.items():
                for name, timer in zip(solver.net._layer_names, layers):
                    caffe.log(f"{name:>20} {way}: {timer.ms:.3f} ms")
            caffe.log(f"{'total':>20} {total.ms:.3f} ms, exchange {exchange.ms:.3f} ms")

    def exchanged() -> None:
        total.stop()
        exchange.start()

    solver.add_callback(total.start, exchanged)
    solver.add_callback(nccl)
    solver.add_callback(lambda: None, show)


def _each(
    timers: Sequence[caffe.Timer], action: Callable[[caffe.Timer], None]
) -> Callable[[int], Any]:
    return lambda layer: action(timers[layer])
