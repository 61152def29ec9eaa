"""What an iteration asks of a GPU: launches (of kernels or a graph), waits of the host, copies, and replays, counted by the stand-in.

tools/dev/standin python -m tools.bench.gpu.calls
"""

from __future__ import annotations

import argparse

import torch

from tools.bench.batches import batches
from tools.bench.candidate import Candidate
from tools.bench.nets import NETS

DIVIDE = {"caffenet": 8, "googlenet": 4, "resnet50": 4}
"""Channels are divided by these: as many launches, and less to compute."""


def per_iteration(net: str, *, engine: str, iterations: int = 4) -> tuple[float, ...]:
    """Launches, waits, copies and replays of an iteration, after those in which recordings are made."""
    solver = Candidate(net, batches(net, 2), divide=DIVIDE.get(net, 1), engine=engine, device="cuda:0").solver
    solver.step(4)
    before = torch.cuda.counts()  # type: ignore[attr-defined]
    for _ in range(iterations):
        solver._iterate()
    after = torch.cuda.counts()  # type: ignore[attr-defined]
    return tuple((now - then) / iterations for now, then in zip(after, before))


def main() -> None:
    """A table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nets", nargs="*", metavar="NET", help=f"of {', '.join(NETS)}; all if none is named")
    options = parser.parse_args()
    if not hasattr(torch.cuda, "counts"):
        parser.error("needed: the stand-in GPU, which counts; tools/dev/standin python -m tools.bench.gpu.calls")
    print("| net | launches, layers one by one | launches | waits | copies | replays |\n| --- | --- | --- | --- | --- | --- |")
    for net in options.nets or NETS:
        plain, recorded = (per_iteration(net, engine=engine) for engine in ("whole", "auto"))
        print(f"| {net} | {plain[0]:.0f} | {recorded[0]:.2g} | {recorded[1]:.2g} | {recorded[2]:.2g} | {recorded[3]:.2g} |", flush=True)


if __name__ == "__main__":
    main()
