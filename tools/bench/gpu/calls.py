"""What an iteration asks of a GPU: launches (of kernels or a graph), waits of the host, copies, and replays, counted by the stand-in.

tools/dev/standin python -m tools.bench.gpu.calls

Of an older version: ``git archive VERSION caffepy | tar x -C FOLDER``, then ``PYTHONPATH=FOLDER tools/dev/standin python -P -m ...``.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import torch

from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.solver.solver import Solver
from tools.bench.batches import batches
from tools.bench.candidate import Candidate
from tools.bench.gpu.nets import NETS as OTHERS
from tools.bench.gpu.nets import in_files
from tools.bench.nets import NETS

DIVIDE = {"caffenet": 8, "googlenet": 4, "resnet50": 4}
"""Channels are divided by these: as many launches, and less to compute."""


FIGURES = 'base_lr: 1e-5 momentum: 0.9 lr_policy: "fixed" max_iter: 1000 snapshot_after_train: false random_seed: 1'


def solver_of(net: str, *, engine: str, folder: Path) -> Solver:
    """On the device; ``folder``: for the data of nets that do not have them in memory."""
    if net in NETS:
        return Candidate(net, batches(net, 2), divide=DIVIDE.get(net, 1), engine=engine, device="cuda:0").solver
    param = caffe_pb2.SolverParameter()
    places = parse(f"net_param {{ {in_files(OTHERS[net](), folder)} }}\n{FIGURES}", param, file="solver")
    return Solver(param, places, engine=engine, device=torch.device("cuda:0"))


def per_iteration(net: str, *, engine: str, iterations: int = 4) -> tuple[float, ...]:
    """Launches, waits, copies and replays of an iteration, after those in which recordings are made."""
    with tempfile.TemporaryDirectory() as folder:
        solver = solver_of(net, engine=engine, folder=Path(folder))
        solver.step(4)
        before = torch.cuda.counts()
        for _ in range(iterations):
            solver._iterate()
        after = torch.cuda.counts()
        solver.close()
    return tuple((now - then) / iterations for now, then in zip(after, before))


def main() -> None:
    """A table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nets", nargs="*", metavar="NET", help=f"of {', '.join([*NETS, *OTHERS])}; all if none is named")
    options = parser.parse_args()
    if not hasattr(torch.cuda, "counts"):
        parser.error("needed: the stand-in GPU, which counts; tools/dev/standin python -m tools.bench.gpu.calls")
    print("| net | launches, layers one by one | launches | waits | copies | replays |\n| --- | --- | --- | --- | --- | --- |")
    for net in options.nets or [*NETS, *OTHERS]:
        plain, recorded = (per_iteration(net, engine=engine) for engine in ("whole", "auto"))
        print(f"| {net} | {plain[0]:.0f} | {recorded[0]:.4g} | {recorded[1]:.4g} | {recorded[2]:.4g} | {recorded[3]:.4g} |", flush=True)


if __name__ == "__main__":
    main()
