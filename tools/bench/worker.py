"""One implementation in a process of its own, commanded by lines of JSON on standard input.

``{"steps": k}`` runs k iterations: ``{"wall_ms": [...], "cpu_ms": [...], "loss": [...]}``.
``{"save": path}`` and ``{"load": path}`` write and read the parameters: ``{}``.
``{"peak": true}``: ``{"peak_mb": ...}``, the most memory that was resident at once.
``{"flops": true}``: ``{"flops": ...}``, of one iteration.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TextIO

ENGINES = {"caffepy": "torch", "caffepy+onnxruntime": "onnxruntime", "caffepy+openvino": "openvino", "caffepy+auto": "auto"}
RUNTIMES = ("onnxruntime", "openvino")
SGEMM = "sgemm"
KINDS = (*ENGINES, "eager", "channels_last", "compiled", *RUNTIMES, SGEMM)


def peak_mb() -> float:
    """VmHWM of this process, in MB of 2**20 bytes."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    raise OSError("no VmHWM in /proc/self/status")


class Implementation:
    """One of `KINDS` on the batches of a net, at one task: train or test."""

    def __init__(self, task: str, kind: str, net: str, batch: int, *, threads: int) -> None:
        import torch

        from tools.bench.batches import inputs
        from tools.bench.candidate import Candidate, Runtime, Scorer
        from tools.bench.loops import Loop, Sgemm, TestLoop

        torch.set_num_threads(threads)
        torch.manual_seed(1)
        self.torch = torch
        self.batches = inputs(net, batch)
        self.done = 0
        self.candidate, self.loop = None, None
        if kind == SGEMM:
            self.loop = Sgemm()
        elif kind in ENGINES:
            self.candidate = Candidate(net, self.batches) if task == "train" else Scorer(net, self.batches, engine=ENGINES[kind])
        elif kind in RUNTIMES:
            self.loop = Runtime(net, self.batches, kind)
        elif task == "train":
            self.loop = Loop(net, channels_last=kind != "eager", compiled=kind == "compiled")
        else:
            self.loop = TestLoop(net, channels_last=kind == "channels_last")

    def steps(self, number: int) -> dict[str, list[float]]:
        """Times and losses of ``number`` iterations."""
        wall, cpu, losses = [time.perf_counter()], [time.process_time()], list[float]()

        def tick(loss: float) -> None:
            losses.append(loss)
            wall.append(time.perf_counter())
            cpu.append(time.process_time())

        if self.candidate is not None:
            self.candidate.steps(number, tick)
        else:
            self._loop_steps(number, tick)
        return {"wall_ms": _laps(wall), "cpu_ms": _laps(cpu), "loss": losses}

    def _loop_steps(self, number: int, tick: Callable[[float], None]) -> None:
        assert self.loop is not None
        for _ in range(number):
            batch = self.batches[self.done % len(self.batches)]
            self.done += 1
            tick(self.loop.step(*batch))

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """What a command asks for."""
        if "steps" in command:
            return self.steps(command["steps"])
        if "save" in command:
            assert self.candidate is not None
            self.torch.save([p.detach().contiguous() for p in self.candidate.parameters()], command["save"])
        if "load" in command:
            assert self.loop is not None
            self.loop.load(self.torch.load(command["load"]))
        if "flops" in command:
            subject = self.candidate or self.loop
            assert subject is not None
            return {"flops": subject.flops()}
        return {"peak_mb": peak_mb()} if "peak" in command else {}


def _laps(marks: list[float]) -> list[float]:
    return [(after - before) * 1e3 for before, after in pairwise(marks)]


def serve(implementation: Implementation, commands: TextIO, answers: TextIO) -> None:
    """Answer commands until there are no more."""
    for line in commands:
        answers.write(json.dumps(implementation.answer(json.loads(line))) + "\n")
        answers.flush()


def main() -> None:
    """Read the arguments and serve; what else is printed goes to standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("train", "test"))
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("net")
    parser.add_argument("batch", type=int)
    parser.add_argument("threads", type=int)
    arguments = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    implementation = Implementation(arguments.task, arguments.kind, arguments.net, arguments.batch, threads=arguments.threads)
    answers.write("{}\n")
    answers.flush()
    serve(implementation, sys.stdin, answers)


if __name__ == "__main__":
    main()
