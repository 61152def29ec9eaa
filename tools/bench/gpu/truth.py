"""Whether the numbers on a GPU are right: recorded cases, recorded passes beside plain ones, two ranks on one device."""

from __future__ import annotations

import importlib.util
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from caffepy.engine.captured import CapturedEngine
from caffepy.engine.engines import AUTO, WHOLE
from caffepy.engine.numerics import FP16, FP32, Numerics
from caffepy.solver.solver import Solver
from tools.bench.batches import batches
from tools.bench.candidate import Candidate
from tools.bench.nets import NETS

ROOT = Path(__file__).resolve().parents[3]
PASSED, SOME_FAILED = 0, 1
"""Statuses with which pytest ends when it has run tests."""
DIVIDE = {"caffenet": 8, "googlenet": 4, "resnet50": 4}


@dataclass(frozen=True)
class Training:
    """What is trained in both ways: a thin ``net``, with these fields of its solver beside the usual ones."""

    net: str
    more: str = ""
    dropout: bool = False
    precision: str = FP32

    def __str__(self) -> str:
        """``lenet, iter_size: 2``."""
        return ", ".join(filter(None, (self.net, self.more, "with dropout" * self.dropout, self.precision * (self.precision != FP32))))


TRAININGS = (
    *map(Training, NETS),
    Training("lenet", 'type: "Adam" delta: 1e-4 clip_gradients: 0.5 iter_size: 2'),
    Training("caffenet", dropout=True),
    Training("quick", precision=FP16),
)


@dataclass(frozen=True)
class Comparison:
    """How far (relative norm) recorded training is apart from plain training, and that from itself from where last bits are others.

    ``missing``: what was not recorded, in words.
    """

    apart: float
    rounding: float
    missing: str

    def __str__(self) -> str:
        """A part of a line."""
        if not math.isfinite(self.apart):
            return "parameters are NOT FINITE"
        found = f"parameters {self.apart:.1e} apart, {self.rounding:.1e} for other last bits at the start"
        return f"{found}{self.missing and f'; NOT RECORDED: {self.missing}'}"


def captured_against_plain(training: Training, device: torch.device, *, iterations: int) -> Comparison:
    """The same training with and without recordings."""
    numerics = Numerics(training.precision, deterministic=True)
    numerics.prepare(device)
    recorder, recorded = _trained(training, device, numerics, AUTO, iterations)
    _, plain = _trained(training, device, numerics, WHOLE, iterations)
    _, other = _trained(training, device, numerics, WHOLE, iterations, last_bits=True)
    torch.use_deterministic_algorithms(False)  # what is timed next takes the fastest
    return Comparison(*(float((way - plain).norm() / plain.norm()) for way in (recorded, other)), _missing(recorder))


def _missing(solver: Solver) -> str:
    engine = solver.train_engine
    if not isinstance(engine, CapturedEngine):
        return "passes, updates: there is no GPU"
    if engine.obstacle:
        return f"passes, updates: {engine.obstacle}"
    return "" if solver.updates.recorded else f"updates: {solver.updates.obstacle}"


def _trained(
    training: Training, device: torch.device, numerics: Numerics, engine: str, iterations: int, *, last_bits: bool = False
) -> tuple[Solver, Tensor]:
    """A solver after so many iterations, and how its parameters have changed. ``last_bits``: start from slightly other parameters."""
    solver = Candidate(
        training.net,
        batches(training.net, 8),
        divide=DIVIDE.get(training.net, 1),
        dropout=training.dropout,
        engine=engine,
        device=str(device),
        numerics=numerics,
        more=training.more,
    ).solver
    parameters = solver.train_engine.arena.flat.buffer
    before = parameters.clone()
    if last_bits:
        parameters[::2] *= 1 + 2**-23
    solver.step(iterations)
    return solver, parameters - before


def golden(device: torch.device, *, every: int = 1) -> tuple[int, list[str]]:
    """Recorded cases replayed by the engines on the device: how many agree, and the names of those that do not.

    ``every``: of so many cases one. Errors: OSError with what pytest said last, if it could not begin.
    """
    environment = _environment(CAFFEPY_GOLDEN_DEVICE=device.type)
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-rfE", "--every", str(every)]
    beside = ["-n", "4"] if importlib.util.find_spec("xdist") else []
    cases = ["tests/golden/test_replay.py", "-k", "test_passes"]
    done = subprocess.run([*command, *beside, *cases], cwd=ROOT, env=environment, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    failed = [line.split()[1].partition("::")[2] for line in lines if line.startswith(("FAILED", "ERROR"))]
    passed = re.findall(r"(\d+) passed", done.stdout)
    if done.returncode not in (PASSED, SOME_FAILED) or not (failed or passed):  # a Python without pytest ends like some failed tests
        raise OSError(_last_line(done.stderr + done.stdout) or f"pytest ended with status {done.returncode}")
    return int(passed[-1]) if passed else 0, failed


def _environment(**more: str) -> dict[str, str]:
    """That of a program of this checkout, which finds what this one finds."""
    return dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))), **more)


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else ""


SPAWN = """
import os, platform, sys
from caffepy.parallel.job.spawn import spawn
sys.exit(spawn(2, sys.argv[1:], os.environ, host=platform.node(), timeout_s=100))
"""
"""Two ranks without an MPI."""
RANK = """
import os, platform, sys, time
import torch
from caffepy.parallel.launch.environment import detect
from caffepy.parallel.job.join import join_job
from tools.bench.batches import batches
from tools.bench.candidate import solver_on
from tools.bench.nets import net_text, solver_text

net, device, path = sys.argv[1:]
with join_job(detect(os.environ, platform.node()), os.environ) as communicator:
    place = torch.device(device)
    if place.type == "cuda":
        torch.cuda.set_device(0)
        place = torch.device("cuda", 0)
    communicator.use_device(place)
    mine = [pair for i, pair in enumerate(batches(net, 16, number=4)) if i % communicator.size == communicator.rank]
    if communicator.size == 1:
        both = batches(net, 16, number=4)
        mine = [tuple(torch.cat(parts) for parts in zip(*both[i : i + 2])) for i in (0, 2)]
    text = net_text(net, len(mine[0][0]))
    solver = solver_on(text, solver_text(net), mine, device=str(place), communicator=communicator)
    solver.step(3)
    started = time.perf_counter()
    solver.step(7)
    if communicator.is_root:
        torch.save((solver.train_engine.arena.flat.buffer.cpu(), (time.perf_counter() - started) / 7), path)
"""


def two_ranks(net: str, device: torch.device) -> tuple[float, float]:
    """Two ranks on one device against one process with both their batches: relative distance of the parameters, ms of an iteration.

    Errors: OSError with what a rank said last.
    """
    mpirun = shutil.which("mpirun") or shutil.which("mpirun", path=str(Path(sys.executable).parent))
    launcher = [mpirun, "-n", "2"] if mpirun is not None else [sys.executable, "-c", SPAWN]
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for name, words in (("alone", []), ("two", launcher)):
            path = str(Path(folder) / name)
            command = [*words, sys.executable, "-c", RANK, net, device.type, path]
            environment = _environment(OMP_NUM_THREADS="1")
            try:
                done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
            except subprocess.TimeoutExpired as error:
                raise OSError(f"not done after {error.timeout:.0f} s") from None
            if done.returncode:
                raise OSError(_last_line(done.stderr) or f"status {done.returncode}")
            results.append(torch.load(path))
    (alone, _), (two, seconds) = results
    return float((alone - two).norm() / alone.norm()), seconds * 1e3
