#!/usr/bin/env python3
"""Time and peak memory of TEST passes: caffepy, as ``caffepy test`` runs them, beside hand-written PyTorch and onnxruntime.

The processes and turns are those of `step.py`. PyTorch runs modules in inference mode, the better of contiguous and channels_last
counts. onnxruntime runs the exported net by itself. caffepy runs with torch alone and with ``-engine onnxruntime``, columns ``+ort``.
Batches of 1 and of 32 unless ``--batch`` says otherwise. The last lines are ``geomean G worst W`` of caffepy's time with torch alone by
onnxruntime's, of that with onnxruntime by onnxruntime's, and, last, of that with torch alone by PyTorch's.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tools.bench.needs import needs

    needs("onnx")

from tools.bench.turns import CAFFEPY, LOOPS, TESTED, Column, Table, arguments, measure, summary

SIZES = (1, 32)
WITH, RUNTIME = "caffepy+onnxruntime", "onnxruntime"
COLUMNS = (
    Column("net", -10),
    Column("batch", 5),
    Column("caffepy ms", 10, ".2f"),
    Column("+ort ms", 8, ".2f"),
    Column("torch ms", 8, ".2f"),
    Column("best loop", -13),
    Column("ort ms", 8, ".2f"),
    Column("/torch", 6, ".3f"),
    Column("/ort", 6, ".3f"),
    Column("+ort/ort", 8, ".3f"),
    Column("MB", 6, ".0f"),
    Column("torch MB", 8, ".0f"),
    Column("ratio", 6, ".3f"),
)


def main() -> None:
    """Measure the nets asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, nargs="+", default=SIZES, help="pictures in a batch")
    options = arguments(parser, TESTED)
    table = Table(*COLUMNS)
    by_torch, alone, with_it = [], [], []
    for net in options.nets or TESTED:
        for batch in options.batch:
            found = measure("test", net, batch, options, (CAFFEPY, WITH, *LOOPS, RUNTIME))
            best = found.best(LOOPS)
            by_torch.append(found.ratio(CAFFEPY, best))
            alone.append(found.ratio(CAFFEPY, RUNTIME))
            with_it.append(found.ratio(WITH, RUNTIME))
            times = (found.ms(CAFFEPY), found.ms(WITH), found.ms(best), best, found.ms(RUNTIME))
            ours_mb, best_mb = found.peaks[CAFFEPY], found.peaks[best]
            table.add(net, batch, *times, by_torch[-1], alone[-1], with_it[-1], ours_mb, best_mb, ours_mb / best_mb)
    print(f"by onnxruntime, torch alone: {summary(alone)}\nby onnxruntime, with onnxruntime: {summary(with_it)}\n{summary(by_torch)}")


if __name__ == "__main__":
    main()
