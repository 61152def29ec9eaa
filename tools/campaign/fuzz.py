"""``fuzz``: damaged inputs of all kinds: an error line or success; never a traceback, a crash, a hang, or all memory.

``python -m tools.campaign.fuzz -n 1000000 -seed 1`` damages prototxt, solvers, weights, states, means, databases, records, images, lists,
annotations, logs, machine files, command lines and others, and hands each to what reads it in caffepy. Inputs run in forked children,
``BATCH`` each: one that dies of an input is named, and the next goes on. ``-only K`` repeats one input and leaves it in ``-folder``,
``-kind NAME`` takes inputs of one kind. A kind of find is told once, with the first input that shows it, and counted.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tools.campaign import report


def main() -> int:
    """The campaign's exit code."""
    parser = report.options(__doc__ or "", n=1_000_000, what="damaged inputs")
    parser.add_argument("-only", "--only", type=int, metavar="K", help="only the input of this number")
    parser.add_argument("-kind", "--kind", default="", metavar="NAME", help="only inputs of this kind")
    parser.add_argument("-folder", "--folder", default="", metavar="FOLDER", help="where the last input stays (default: nowhere)")
    asked = parser.parse_args()
    from tools.campaign.fuzzing.campaign import run

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(asked.folder or temporary).resolve()
        folder.mkdir(exist_ok=True)
        return 0 if run(asked.n, asked.seed, folder, only=asked.only, kind=asked.kind) else 1


if __name__ == "__main__":
    sys.exit(main())
