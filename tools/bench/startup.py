#!/usr/bin/env python3
"""How soon caffepy answers: ``caffepy --help``, and the first training iteration after ``import torch``.

Every figure is a median over fresh processes. Until the first iteration, with a batch in memory: importing caffepy, compiling the net,
filling it or reading its weights.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from caffepy.openmp_wait import wait_briefly  # noqa: E402
from tools.bench.needs import needs  # noqa: E402

needs()

MODULES = """
import json, runpy, sys
sys.argv = ["caffepy", "--help"]
out, sys.stdout = sys.stdout, sys.stderr
try:
    runpy.run_module("caffepy", run_name="__main__")
except SystemExit:
    pass
print(json.dumps({"modules": len(sys.modules), "torch": "torch" in sys.modules}), file=out)
"""

FIRST = """
import json, sys, time
clock = {"wall": time.perf_counter, "cpu": time.process_time}[sys.argv.pop(1)]
started = clock()
import torch
imported, modules = clock(), len(sys.modules)
import caffepy.cli.train, caffepy.solver.solver
loaded = clock()
from tools.bench.batches import batches
from tools.bench.candidate import Candidate
net, size, weights = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
arrays = batches(net, size)
ready = clock()
candidate = Candidate(net, arrays, weights=weights, seeded=False)
built = clock()
candidate.steps(1, lambda loss: None)
done = clock()
seconds = {"import_s": imported - started, "load_s": loaded - imported, "build_s": built - ready, "step_s": done - built}
print(json.dumps({**seconds, "modules": len(sys.modules) - modules}))
"""

WEIGHTS = """
import sys
from caffepy.engine.weights import save
from tools.bench.batches import batches
from tools.bench.candidate import Candidate
engine = Candidate("caffenet", batches("caffenet", 1)).solver.train_engine
save(sys.argv[1], engine.graph, engine.arena)
"""


def run(*arguments: str) -> str:
    """What a fresh Python with the checkout on its path prints."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    wait_briefly(environment)  # as the programs do
    return subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT, env=environment
    ).stdout


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="of iterations; cpu: processor time, for a machine in use")
    options = parser.parse_args()
    times = []
    for _ in range(options.runs):
        started = time.perf_counter()
        run("-m", "caffepy", "--help")
        times.append(time.perf_counter() - started)
    seen = json.loads(run("-c", MODULES))
    print(f"caffepy --help: {median(times):.3f} s, {seen['modules']} modules, torch {'imported' if seen['torch'] else 'not imported'}")
    tell_first("cifar10_quick", options.runs, options.clock, "quick", "100")
    with tempfile.TemporaryDirectory() as folder:
        weights = str(Path(folder) / "caffenet.caffemodel")
        run("-c", WEIGHTS, weights)
        tell_first("CaffeNet with its weights", options.runs, options.clock, "caffenet", "16", weights)


def tell_first(name: str, runs: int, *arguments: str) -> None:
    """The first iteration of a net, in fresh processes."""
    firsts = [json.loads(run("-c", FIRST, *arguments)) for _ in range(runs)]
    middle = {key: median(first[key] for first in firsts) for key in firsts[0]}
    reached = median(first["load_s"] + first["build_s"] for first in firsts)
    print(
        f"{name}: {middle['import_s']:.3f} s for import torch, then {reached:.3f} s to the first iteration"
        f" (caffepy {middle['load_s']:.3f}, net {middle['build_s']:.3f}), which takes {middle['step_s']:.3f} s;"
        f" {middle['modules']:.0f} more modules"
    )


if __name__ == "__main__":
    main()
