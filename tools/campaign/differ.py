"""``differ``: random nets and solvers by every engine, and by a real Caffe where there is one, give the same numbers.

``python -m tools.campaign.differ -n 2000 -seed 1 [-caffe /path/to/python]`` computes each net layer by layer and as a whole, with the
channels last or not, on 1 and 2 threads: a pass, its gradients, iterations of a solver, a test pass. With ``-caffe``, every second net has
only BVLC's layers and runs in that Python's `caffe` too. ``-only K`` repeats one net and leaves its files in ``-folder``.

Numbers are held to what they themselves bear: the net is computed again with data and first weights changed by a few units in the last
place, and a difference counts where it is ``SLACK`` times as large. Then the data are changed by more: where that makes the number jump,
farther than any slope would take it and as far as the difference, a maximum, a ReLU or a choice stands at its edge, and the net is
counted as ``at an edge``.
"""

from __future__ import annotations

import os
import sys

from caffepy.openmp_wait import wait_briefly
from tools.campaign import report


def main() -> int:
    """The campaign's exit code."""
    parser = report.options(__doc__ or "", n=2000, what="random nets")
    parser.add_argument("-only", "--only", type=int, metavar="K", help="only the net of this number")
    parser.add_argument("-folder", "--folder", default="", metavar="FOLDER", help="where the last net's files stay (default: nowhere)")
    parser.add_argument("-caffe", "--caffe", default="", metavar="PYTHON", help="a Python that can import a real Caffe")
    asked = parser.parse_args()
    wait_briefly(os.environ)  # before torch is loaded
    from tools.campaign.comparison import run

    return 0 if run(asked.n, asked.seed, caffe=asked.caffe, only=asked.only, keep=asked.folder) else 1


if __name__ == "__main__":
    sys.exit(main())
