#!/usr/bin/env python3
"""``net.forward()`` of small nets beside a module written in PyTorch by hand, and ``import caffe`` beside ``import torch``.

A call is what a script does for one picture: a numpy array into the input, the pass, numpy arrays out. Both take turns in blocks of
calls in one process; the ratio is the median over the turns. Imports are timed in fresh processes, in turns too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tools.bench.needs import needs

    needs()

import numpy as np
import torch

from tools.bench.deploy import NETS, Deployed

ROOT = Path(__file__).resolve().parents[2]
PATHS = [str(ROOT), str(ROOT / "caffepy" / "pycaffe" / "shim")]
Call = Callable[[], list[np.ndarray]]
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def calls(net: Deployed) -> tuple[Call, Call]:
    """One picture through caffe.Net and through the module, with the same parameters."""
    import caffe

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.prototxt"
        path.write_text(net.text())
        ours = caffe.Net(str(path), caffe.TEST)
    module = net.module().eval()
    blobs = [torch.from_numpy(blob.data) for layer in ours.params.values() for blob in layer]
    theirs = list(module.parameters())
    with torch.no_grad():
        for blob, parameter in zip(_in_order(blobs, theirs), theirs):
            parameter.copy_(blob)
    picture = np.random.default_rng(0).random(net.shape, np.float32)

    def by_net() -> list[np.ndarray]:
        ours.blobs["data"].data[...] = picture
        return list(ours.forward().values())

    def by_module() -> list[np.ndarray]:
        with torch.inference_mode():
            return [top.numpy() for top in module(torch.from_numpy(picture))]

    return by_net, by_module


def _in_order(blobs: list[torch.Tensor], parameters: list[torch.nn.Parameter]) -> list[torch.Tensor]:
    """The net's layers stand in the module's order but where two of one shape change places, which does not matter to the time."""
    left = list(blobs)
    return [left.pop(next(i for i, blob in enumerate(left) if blob.shape == parameter.shape)) for parameter in parameters]


def check(name: str, ours: Call, theirs: Call) -> None:
    """Stop if the two do not compute the same."""
    for mine, other in zip(ours(), theirs(), strict=True):
        if not np.allclose(mine, other, rtol=1e-4, atol=1e-5):
            raise SystemExit(f"{name}: the outputs differ by {np.abs(mine - other).max()}")


def block_us(call: Call, number: int, clock: Callable[[], float]) -> float:
    """Microseconds of one of ``number`` calls."""
    started = clock()
    for _ in range(number):
        call()
    return (clock() - started) / number * 1e6


def import_s(module: str, clock: str) -> float:
    """Seconds that a fresh Python takes to import a module."""
    program = f"import time; start = time.{CLOCKS[clock].__name__}(); import {module}; print(time.{CLOCKS[clock].__name__}() - start)"
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(PATHS))
    return float(subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nets", nargs="*", metavar="NET", help=f"of {', '.join(NETS)}; all if none is named")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--calls", type=int, default=100, help="in one turn")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: processor time, for a machine in use")
    parser.add_argument("--imports", type=int, default=5, help="fresh processes for each import; 0: do not measure them")
    options = parser.parse_args()
    sys.path[:0] = PATHS
    torch.set_num_threads(options.threads)
    clock = CLOCKS[options.clock]
    print(f"{'net':8} {'caffe us':>9} {'torch us':>9} {'ratio':>6}")
    for name in options.nets or NETS:
        ours, theirs = calls(NETS[name])
        check(name, ours, theirs)
        turns = [(block_us(ours, options.calls, clock), block_us(theirs, options.calls, clock)) for _ in range(options.turns)]
        ratio = median(mine / other for mine, other in turns)
        print(f"{name:8} {median(t[0] for t in turns):9.1f} {median(t[1] for t in turns):9.1f} {ratio:6.3f}", flush=True)
    if options.imports:
        pairs = [(import_s("caffe", options.clock), import_s("torch", options.clock)) for _ in range(options.imports)]
        ratio = median(mine / other for mine, other in pairs)
        print(f"{'import':8} {median(p[0] for p in pairs):8.3f}s {median(p[1] for p in pairs):8.3f}s {ratio:6.3f}")


if __name__ == "__main__":
    main()
