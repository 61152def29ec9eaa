#!/usr/bin/env python3
"""Reading CaffeNet's weights, a binary caffemodel and an HDF5 one, beside ``cat FILE > /dev/null``, both from a warm cache.

The files are written here, with the first values of a net of that shape. Ratios are medians over the turns. The last line reads
``worst W``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tools.bench.needs import needs

    needs()

from caffepy.engine.weights import copy_trained_layers, save_as
from tools.bench.batches import batches
from tools.bench.candidate import Candidate


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    engine = Candidate("caffenet", batches("caffenet", 1)).solver.train_engine
    worst = 0.0
    print(f"{'file':22} {'MB':>5} {'read ms':>8} {'cat ms':>7} {'ratio':>6}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("caffenet.caffemodel", "caffenet.caffemodel.h5"):
            file = Path(folder) / name
            save_as(file, engine.graph, engine.arena)
            rounds = []
            for _ in range(options.rounds + 1):
                started = time.perf_counter()
                copy_trained_layers(engine.graph, engine.arena, str(file))
                between = time.perf_counter()
                subprocess.run(["sh", "-c", 'cat "$0" > /dev/null', str(file)], check=True)
                rounds.append(((between - started) * 1e3, (time.perf_counter() - between) * 1e3))
            ratio = median(read / cat for read, cat in rounds[1:])
            worst = max(worst, ratio)
            read, cat = (median(column) for column in zip(*rounds[1:]))
            print(f"{name:22} {file.stat().st_size / 1e6:5.0f} {read:8.1f} {cat:7.1f} {ratio:6.2f}", flush=True)
    print(f"worst {worst:.2f}")


if __name__ == "__main__":
    main()
