#!/usr/bin/env python3
"""Forward and backward of LRN across channels: caffepy's layer beside torch.nn.functional.local_response_norm.

Both work on the same bottom and top gradient and take turns; a ratio is the median over the turns of torch's time divided by caffepy's.
Their tops and gradients are compared first.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tools.bench.needs import needs

    needs()

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.core.base import TRAIN, Run
from caffepy.layers.core.random import CaffeRandom
from caffepy.layers.norm.lrn import LRNLayer
from caffepy.proto import caffe_pb2

SHAPES = [(16, 96, 27, 27), (8, 192, 56, 56)]
SIZE, ALPHA, BETA = 5, 1e-4, 0.75
Pass = Callable[[Tensor], Tensor]


def caffe(shape: tuple[int, ...]) -> Pass:
    """The layer as a net calls it."""
    param = caffe_pb2.LayerParameter(type="LRN", lrn_param=caffe_pb2.LRNParameter(local_size=SIZE, alpha=ALPHA, beta=BETA))
    layer, run = LRNLayer(param, TRAIN), Run(TRAIN, CaffeRandom(0))
    layer.setup([shape])
    layer.reshape([shape])
    return lambda x: layer.forward([x], [], run)[0]


def turn(forward: Pass, x: Tensor, dy: Tensor, repeats: int, clock: Callable[[], float]) -> float:
    """Milliseconds of one forward and backward, the mean of ``repeats``."""
    started = clock()
    for _ in range(repeats):
        torch.autograd.grad(forward(x), x, dy)
    return (clock() - started) * 1e3 / repeats


def measure(shape: tuple[int, ...], layout: torch.memory_format, options: argparse.Namespace) -> tuple[float, float, float]:
    """Median milliseconds of caffepy and of torch, and the median ratio."""
    clock = time.process_time if options.clock == "cpu" else time.perf_counter
    x, dy = (torch.randn(shape).to(memory_format=layout) for _ in range(2))
    x.requires_grad_()
    forwards = [caffe(shape), lambda x: F.local_response_norm(x, SIZE, ALPHA, BETA, 1.0)]
    found = [(forward(x), torch.autograd.grad(forward(x), x, dy)[0]) for forward in forwards]
    torch.testing.assert_close(found[0], found[1])
    repeats = [max(1, round(options.turn_s * 1e3 / turn(forward, x, dy, 1, clock))) for forward in forwards]
    times: list[list[float]] = [[], []]
    for _ in range(options.turns):
        for i, forward in enumerate(forwards):
            times[i].append(turn(forward, x, dy, repeats[i], clock))
    return median(times[0]), median(times[1]), median(theirs / ours for ours, theirs in zip(*times, strict=True))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--turn-s", type=float, default=0.3, help="seconds of one turn, at least one pass")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: processor time, for a machine in use")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print(f"torch {torch.__version__}, {options.threads} thread(s), {options.clock} clock\n")
    print("| bottom | layout | caffepy ms | torch ms | torch / caffepy |\n|---|---|---|---|---|")
    for shape in SHAPES:
        for name, layout in (("contiguous", torch.contiguous_format), ("channels last", torch.channels_last)):
            ours, theirs, ratio = measure(shape, layout, options)
            print(f"| {' x '.join(map(str, shape))} | {name} | {ours:.1f} | {theirs:.1f} | {ratio:.1f} |")


if __name__ == "__main__":
    main()
