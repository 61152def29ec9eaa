#!/usr/bin/env python3
"""Time and peak memory of whole training iterations: caffepy beside the best hand-written PyTorch loop.

For each net three processes stay alive, caffepy and the loop contiguous and channels_last, and take turns in short blocks of
iterations on the same batches, so that whatever else the machine does meets all of them. A ratio is the median over the rounds of
caffepy's block median divided by that of the better loop. The last line reads ``geomean G worst W`` over the nets' ratios.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools.bench.turns import KINDS, NETS, Table, arguments, measure

BATCHES = {"quick": 100, "full": 100, "lenet": 64, "caffenet": 16, "googlenet": 8, "resnet50": 8}


def main() -> None:
    """Measure the nets asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, help="pictures in a batch, instead of the net's own")
    parser.add_argument("--loops", nargs="+", choices=KINDS[1:], default=KINDS[1:])
    options = arguments(parser)
    table = Table()
    for net in options.nets or NETS:
        batch = options.batch or BATCHES[net]
        table.add(net, batch, measure("train", net, batch, options, loops=options.loops))
    table.close()


if __name__ == "__main__":
    main()
