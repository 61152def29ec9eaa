#!/usr/bin/env python3
"""Time and peak memory of TEST passes: caffepy, as ``caffepy test`` runs them, beside hand-written PyTorch in inference mode.

Processes, turns and the last line are those of `step.py`.  Batches of 1 and of 32 unless ``--batch`` says otherwise.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools.bench.turns import KINDS, NETS, Table, arguments, measure

SIZES = (1, 32)


def main() -> None:
    """Measure the nets asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, nargs="+", default=SIZES, help="pictures in a batch")
    options = arguments(parser)
    table = Table()
    for net in options.nets or NETS:
        for batch in options.batch:
            table.add(net, batch, measure("test", net, batch, options, loops=KINDS[1:]))
    table.close()


if __name__ == "__main__":
    main()
