#!/usr/bin/env python3
"""How soon caffepy answers: ``caffepy --help``, and the first training iteration of cifar10_quick after ``import torch``.

Every figure is a median over fresh processes. The first iteration is counted from the moment ``import torch`` returned until the
loss of iteration 0 is known and the weights are updated: compiling the net, filling it, and one batch of 100.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]

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
started = time.perf_counter()
import caffepy
import torch
imported, modules = time.perf_counter(), len(sys.modules)
from tools.bench.batches import batches
from tools.bench.candidate import Candidate
candidate = Candidate("quick", batches("quick", 100))
built = time.perf_counter()
candidate.step()
done = time.perf_counter()
print(json.dumps({"import_s": imported - started, "build_s": built - imported, "step_s": done - built, "modules": len(sys.modules) - modules}))
"""


def run(*arguments: str) -> str:
    """What a fresh Python with the checkout on its path prints."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT, env=environment
    ).stdout


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    times = []
    for _ in range(options.runs):
        started = time.perf_counter()
        run("-m", "caffepy", "--help")
        times.append(time.perf_counter() - started)
    seen = json.loads(run("-c", MODULES))
    print(f"caffepy --help: {median(times):.3f} s, {seen['modules']} modules, torch {'imported' if seen['torch'] else 'not imported'}")
    firsts = [json.loads(run("-c", FIRST)) for _ in range(options.runs)]
    middle = {key: median(first[key] for first in firsts) for key in firsts[0]}
    total = median(first["build_s"] + first["step_s"] for first in firsts)
    print(f"import torch: {middle['import_s']:.3f} s")
    print(
        f"first iteration of cifar10_quick after it: {total:.3f} s"
        f" (net {middle['build_s']:.3f}, iteration {middle['step_s']:.3f}; {middle['modules']:.0f} more modules)"
    )


if __name__ == "__main__":
    main()
