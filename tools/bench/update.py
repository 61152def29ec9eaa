#!/usr/bin/env python3
"""The solver's update of CaffeNet's 61 million parameters, beside a copy of as many bytes as it must touch.

An update reads the gradient and reads and writes the parameter and each of the rule's histories; a copy of half of these bytes reads
the one half and writes the other. Both take turns; ratios are medians over the turns. The last line reads ``worst W``.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from statistics import median

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tools.bench.needs import needs

    needs()

import torch
from google.protobuf import text_format

from caffepy.proto import caffe_pb2
from caffepy.solver.update_rules.rules import RULES
from caffepy.solver.updating.updater import Updater
from tools.bench.batches import batches
from tools.bench.candidate import Candidate

FIELDS = 'type: "%s" momentum: %g weight_decay: 0.0005 delta: 1e-8 rms_decay: 0.98 %s'
ASKED = {
    **{name: (name, "") for name in RULES},
    "SGD, iter_size 2": ("SGD", "iter_size: 2"),
    "SGD, L1": ("SGD", 'regularization_type: "L1"'),
    "SGD, clipped": ("SGD", "clip_gradients: 1"),
}
"""What is measured: solver type and further fields."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*", help=f"of {', '.join(ASKED)}; all if none is named")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: processor time, for a machine in use")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    clock = time.perf_counter if options.clock == "wall" else time.process_time
    arena = Candidate("caffenet", batches("caffenet", 1)).solver.train_engine.arena
    numbers = arena.flat.buffer.numel()
    source, target = torch.rand(4 * numbers), torch.zeros(4 * numbers)
    kept = [torch.randn(t.shape).mul_(1e-3).to(memory_format=_format(t)) for t in arena.learnable]
    gradients = [g.clone() for g in kept]
    worst = 0.0
    print(f"{'rule':18} {'MB touched':>10} {'update ms':>10} {'copy ms':>8} {'ratio':>6}", flush=True)
    for name in options.rules or ASKED:
        rule, fields = ASKED[name]
        momentum = 0 if RULES[rule].refuses_momentum else 0.9
        updater = Updater(text_format.Parse(FIELDS % (rule, momentum, fields), caffe_pb2.SolverParameter()), arena)
        touched = numbers * (3 + 2 * RULES[rule].slots + ("clip" in fields))
        half = touched // 2
        rounds = []
        for iteration in range(options.rounds + 1):
            torch._foreach_copy_(gradients, kept)
            started = clock()
            updater.apply(list(gradients), 0.01, iteration)
            between = clock()
            target[:half].copy_(source[:half])
            rounds.append(((between - started) * 1e3, (clock() - between) * 1e3))
        ratio = median(ours / copy for ours, copy in rounds[1:])
        worst = max(worst, ratio)
        ours, copy = (median(column) for column in zip(*rounds[1:]))
        print(f"{name:18} {touched * 4 / 1e6:10.0f} {ours:10.1f} {copy:8.1f} {ratio:6.2f}", flush=True)
    print(f"worst {worst:.2f}")


def _format(tensor: torch.Tensor) -> torch.memory_format:
    return torch.contiguous_format if tensor.is_contiguous() else torch.channels_last


if __name__ == "__main__":
    main()
