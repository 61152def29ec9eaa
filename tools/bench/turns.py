"""Implementations in processes of their own that take turns, and the table of what came out."""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NETS = ("quick", "full", "lenet", "caffenet", "googlenet", "resnet50")
DROPOUT = ("caffenet", "googlenet")
KINDS = ("caffepy", "eager", "channels_last")


class Child:
    """A worker process and the pipe to it."""

    def __init__(self, task: str, kind: str, net: str, batch: int, options: argparse.Namespace) -> None:
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
        environment["OMP_NUM_THREADS"] = str(options.threads)
        environment.pop("OMP_WAIT_POLICY", None)
        if options.wait_policy != "default":
            environment["OMP_WAIT_POLICY"] = options.wait_policy
        command = [sys.executable, "-m", "tools.bench.worker", task, kind, net, str(batch), str(options.threads)]
        self.kind = kind
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
        self.read()

    def read(self) -> dict[str, Any]:
        """The next answer."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.kind}: the process ended with {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, **command: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self) -> None:
        """Let the process end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@dataclass(frozen=True)
class Result:
    """One net: times in ms and peaks in MB of caffepy and of the best loop, and caffepy's time over the loop's."""

    best: str
    ours_ms: float
    best_ms: float
    ratio: float
    ours_mb: float
    best_mb: float


def measure(task: str, net: str, batch: int, options: argparse.Namespace, *, loops: Sequence[str]) -> Result:
    """Let the implementations of one net take turns at ``task``: train or test."""
    children = [Child(task, kind, net, batch, options) for kind in ("caffepy", *loops)]
    with tempfile.TemporaryDirectory() as folder:
        weights = str(Path(folder) / "weights.pt")
        children[0].ask(save=weights)
        for child in children[1:]:
            child.ask(load=weights)
    warm = [child.ask(steps=options.warmup) for child in children]
    if task == "test" or net not in DROPOUT:  # masks differ
        _check(net, children, [answer["loss"][0] for answer in warm])
    clock = f"{options.clock}_ms"
    blocks: list[list[float]] = [[] for _ in children]
    steps = max(1, round(options.block_s * 1e3 / min(median(answer[clock]) for answer in warm)))
    for round_index in range(options.rounds):
        order = range(len(children)) if round_index % 2 == 0 else reversed(range(len(children)))
        for index in order:
            blocks[index].append(median(children[index].ask(steps=steps)[clock]))
    peaks = [child.ask(peak=True)["peak_mb"] for child in children]
    for child in children:
        child.close()
    best = min(range(1, len(children)), key=lambda index: median(blocks[index]))
    ratio = median(ours / theirs for ours, theirs in zip(blocks[0], blocks[best], strict=True))
    return Result(children[best].kind, median(blocks[0]), median(blocks[best]), ratio, peaks[0], peaks[best])


def _check(net: str, children: Sequence[Child], losses: Sequence[float]) -> None:
    """Stop if the implementations do not compute the same first loss."""
    for child, loss in zip(children, losses, strict=True):
        if abs(loss - losses[0]) > 1e-4 * abs(losses[0]):
            raise SystemExit(f"{net}: the first loss of {child.kind} is {loss}, caffepy's is {losses[0]}")


def arguments(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The command line, with the options that all comparisons have."""
    parser.add_argument("nets", nargs="*", metavar="NET", help=f"of {', '.join(NETS)}; all if none is named")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each implementation")
    parser.add_argument("--block-s", type=float, default=1.5, help="seconds of one turn, at least one iteration")
    parser.add_argument("--warmup", type=int, default=3, help="iterations before the first turn")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: processor time, for a machine in use")
    parser.add_argument("--wait-policy", choices=("passive", "active", "default"), default="passive", help="OMP_WAIT_POLICY of all")
    options = parser.parse_args()
    unknown = [net for net in options.nets if net not in NETS]
    if unknown:
        parser.error(f"unknown net {unknown[0]}; known: {', '.join(NETS)}")
    return options


class Table:
    """The results, a line each as they come, and at the end their geometric mean."""

    def __init__(self) -> None:
        self._ratios: list[float] = []
        heads = (
            ("batch", 5),
            ("caffepy ms", 10),
            ("torch ms", 10),
            ("best loop", -13),
            ("ratio", 6),
            ("MB", 6),
            ("torch MB", 8),
            ("ratio", 6),
        )
        print(f"{'net':10} " + " ".join(f"{head:>{width}}" if width > 0 else f"{head:{-width}}" for head, width in heads), flush=True)

    def add(self, net: str, batch: int, r: Result) -> None:
        """One line."""
        self._ratios.append(r.ratio)
        print(
            f"{net:10} {batch:5d} {r.ours_ms:10.1f} {r.best_ms:10.1f} {r.best:13} {r.ratio:6.3f}"
            f" {r.ours_mb:6.0f} {r.best_mb:8.0f} {r.ours_mb / r.best_mb:6.3f}",
            flush=True,
        )

    def close(self) -> None:
        """``geomean G worst W``."""
        print(f"geomean {math.prod(self._ratios) ** (1 / len(self._ratios)):.3f} worst {max(self._ratios):.3f}")
