#!/usr/bin/env python3
"""Time and peak memory of whole training iterations: caffepy beside the best hand-written PyTorch loop.

For each net several processes stay alive, caffepy and the loop contiguous, channels_last and, where there is a C++ compiler, with
channels_last and torch.compile, and take turns in short blocks of iterations on the same batches, so that whatever else the machine
does meets all of them; compiling is not timed. A ratio is the median over the rounds of caffepy's block median divided by that of the
best loop. "of sgemm" is the share of the rate, in FLOPs a second, that torch's own product of two matrices of 2048 x 2048 reaches in the
same rounds with as many threads; of an iteration the FLOPs of convolutions and products count, forward and backward, and the time of all
that it does. The last line reads ``geomean G worst W`` over the nets' ratios.

    tools/bench/step.py ssd300 faster crnn      SSD300-VGG, Faster R-CNN ZF and CRNN, whose losses have to be equal in all of the warm-up
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tools.bench.needs import needs

    needs()

from tools.bench.turns import CAFFEPY, COMPILED, LOOPS, NETS, OTHERS, Column, Table, arguments, measure, summary
from tools.bench.worker import SGEMM

BATCHES = {"quick": 100, "full": 100, "lenet": 64, "caffenet": 16, "googlenet": 8, "resnet50": 8, "ssd300": 2, "faster": 1, "crnn": 16}

COLUMNS = (
    Column("net", -10),
    Column("batch", 5),
    Column("caffepy ms", 10, ".1f"),
    Column("torch ms", 10, ".1f"),
    Column("best loop", -13),
    Column("ratio", 6, ".3f"),
    Column("MB", 6, ".0f"),
    Column("torch MB", 8, ".0f"),
    Column("ratio", 6, ".3f"),
    Column("of sgemm", 8, ".1%"),
)


def main() -> None:
    """Measure the nets asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    loops = (*LOOPS, COMPILED) if shutil.which("g++") else LOOPS
    parser.add_argument("--batch", type=int, help="pictures in a batch, instead of the net's own")
    parser.add_argument("--loops", nargs="+", choices=loops, default=loops)
    options = arguments(parser, others=OTHERS)
    if options.batch not in (None, 1) and "faster" in options.nets:
        parser.error("faster has one picture in a batch")
    table, ratios = Table(*COLUMNS), []
    for net in options.nets or NETS:
        batch = options.batch or BATCHES[net]
        found = measure("train", net, batch, options, (CAFFEPY, *options.loops, SGEMM))
        best = found.best(options.loops)
        ratios.append(found.ratio(CAFFEPY, best))
        ours_mb, best_mb = found.peaks[CAFFEPY], found.peaks[best]
        table.add(net, batch, found.ms(CAFFEPY), found.ms(best), best, ratios[-1], ours_mb, best_mb, ours_mb / best_mb, found.share())
    print(summary(ratios))


if __name__ == "__main__":
    main()
