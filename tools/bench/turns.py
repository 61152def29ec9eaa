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

from caffepy.cli.restart import without_cache
from caffepy.openmp_wait import wait_briefly
from tools.bench.worker import SGEMM

ROOT = Path(__file__).resolve().parents[2]
NETS = ("quick", "full", "lenet", "caffenet", "googlenet", "resnet50")
TESTED = (*NETS, "mobilenet")
OTHERS = ("ssd300", "faster", "crnn")
"""Those of `jobs`."""
DROPOUT = ("caffenet", "googlenet")
CAFFEPY, LOOPS, COMPILED = "caffepy", ("eager", "channels_last"), "compiled"
PRODUCTS = 5
"""Products of `SGEMM` in a turn."""


class Child:
    """A worker process and the pipe to it."""

    def __init__(self, task: str, kind: str, net: str, batch: int, options: argparse.Namespace) -> None:
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
        environment["OMP_NUM_THREADS"] = str(options.threads)
        for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT"):
            environment.pop(name, None)
        if options.wait_policy != "own":
            environment["OMP_WAIT_POLICY"] = options.wait_policy
        elif kind not in (*LOOPS, COMPILED):  # onnxruntime has threads of its own, which torch's would disturb
            wait_briefly(environment)
        if task == "train" and kind == CAFFEPY:
            environment = without_cache(environment)  # as caffepy train does
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
class Measured:
    """One net: of each implementation its block medians in ms, round by round, and its peak in MB.

    ``flops``: of an iteration of caffepy's and, where it was measured, of a product of `SGEMM`.
    """

    blocks: dict[str, list[float]]
    peaks: dict[str, float]
    flops: dict[str, int]

    def ms(self, kind: str) -> float:
        """Time of an iteration."""
        return median(self.blocks[kind])

    def best(self, kinds: Sequence[str]) -> str:
        """The fastest of these."""
        return min(kinds, key=self.ms)

    def ratio(self, kind: str, other: str) -> float:
        """Time by time, of the blocks of one round each."""
        return median(ours / theirs for ours, theirs in zip(self.blocks[kind], self.blocks[other], strict=True))

    def share(self) -> float:
        """FLOPs a second of caffepy's, by those of `SGEMM` in the same rounds."""
        return self.flops[CAFFEPY] / self.flops[SGEMM] / self.ratio(CAFFEPY, SGEMM)


def measure(task: str, net: str, batch: int, options: argparse.Namespace, kinds: Sequence[str]) -> Measured:
    """Let the implementations of one net, caffepy first, take turns at ``task``: train or test. `SGEMM` may be the last."""
    children = [Child(task, kind, net, batch, options) for kind in kinds]
    with tempfile.TemporaryDirectory() as folder:
        weights = str(Path(folder) / "weights.pt")
        children[0].ask(save=weights)
        for child in children[1:]:
            if child.kind in (*LOOPS, COMPILED):  # the others draw the same
                child.ask(load=weights)
    warm = [child.ask(steps=options.warmup) for child in children]
    if task == "test" or net not in DROPOUT:  # masks differ
        losses = {child.kind: answer["loss"] for child, answer in zip(children, warm, strict=True) if child.kind != SGEMM}
        _check(net, losses)
    clock = f"{options.clock}_ms"
    blocks: dict[str, list[float]] = {kind: [] for kind in kinds}
    iteration_ms = min(median(answer[clock]) for child, answer in zip(children, warm, strict=True) if child.kind != SGEMM)
    steps = max(1, round(options.block_s * 1e3 / iteration_ms))
    for round_index in range(options.rounds):
        for child in children if round_index % 2 == 0 else reversed(children):
            blocks[child.kind].append(median(child.ask(steps=PRODUCTS if child.kind == SGEMM else steps)[clock]))
    peaks = {child.kind: child.ask(peak=True)["peak_mb"] for child in children}
    flops = {child.kind: child.ask(flops=True)["flops"] for child in children if SGEMM in kinds and child.kind in (CAFFEPY, SGEMM)}
    for child in children:
        child.close()
    return Measured(blocks, peaks, flops)


def _check(net: str, losses: dict[str, Sequence[float]]) -> None:
    """Stop if the implementations do not compute the same first loss; of `OTHERS` the same losses in the whole warm-up."""
    (_, ours), *others = losses.items()
    for kind, theirs in others:
        for number in range(len(ours) if net in OTHERS else 1):
            if not abs(theirs[number] - ours[number]) <= 1e-4 * abs(ours[number]):
                raise SystemExit(f"{net}: loss {number + 1} of {kind} is {theirs[number]}, caffepy's is {ours[number]}")


def arguments(parser: argparse.ArgumentParser, nets: Sequence[str] = NETS, others: Sequence[str] = ()) -> argparse.Namespace:
    """The command line, with the options that all comparisons have. ``others``: nets that are measured only where they are named."""
    more = f"; or of {', '.join(others)}" if others else ""
    parser.add_argument("nets", nargs="*", metavar="NET", help=f"of {', '.join(nets)}, all if none is named{more}")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each implementation")
    parser.add_argument("--block-s", type=float, default=1.5, help="seconds of one turn, at least one iteration")
    parser.add_argument("--warmup", type=int, default=3, help="iterations before the first turn")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: processor time, for a machine in use")
    help_text = "OMP_WAIT_POLICY of all; own: the loops by hand as torch has it by itself, the others as caffepy's programs have it"
    parser.add_argument("--wait-policy", choices=("passive", "active", "own"), default="own", help=help_text)
    options = parser.parse_args()
    unknown = [net for net in options.nets if net not in (*nets, *others)]
    if unknown:
        parser.error(f"unknown net {unknown[0]}; known: {', '.join((*nets, *others))}")
    return options


@dataclass(frozen=True)
class Column:
    """Of a table: its head, its width (negative: to the left), and how its values are written."""

    head: str
    width: int
    form: str = ""

    def text(self, value: object, form: str = "") -> str:
        """A cell."""
        return f"{value:{form}}".rjust(self.width) if self.width > 0 else f"{value:{form}}".ljust(-self.width)


class Table:
    """The results, a line each as they come."""

    def __init__(self, *columns: Column) -> None:
        self._columns = columns
        print(" ".join(column.text(column.head) for column in columns), flush=True)

    def add(self, *values: object) -> None:
        """One line."""
        print(" ".join(column.text(value, column.form) for column, value in zip(self._columns, values, strict=True)), flush=True)


def summary(ratios: Sequence[float]) -> str:
    """``geomean G worst W``."""
    return f"geomean {math.prod(ratios) ** (1 / len(ratios)):.3f} worst {max(ratios):.3f}"
