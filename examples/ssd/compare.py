"""Compares a net with its merged form, by predictions and boxes; exit code 1 where they differ.

    python compare.py --voc VOC --list test.txt --tested test.prototxt \
        deploy.prototxt weights.caffemodel merged/deploy.prototxt merged/weights.caffemodel
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from detect import Detection, Detector, listed_pictures

ROUNDING = 1e-3
"""By how much predictions may differ, relative to the largest."""
FEW = 0.02
"""The part of the boxes that may differ: rounding decides which of two like boxes is kept."""
SURE = 0.05
"""Scores from here on are compared: below, rounding decides which boxes are kept."""
SCORE_TOLERANCE = 1e-3
BOX_TOLERANCE = 0.05
"""In pixels."""


def unmatched(some: list[Detection], others: list[Detection]) -> list[Detection]:
    """Those of ``some`` that none of ``others`` equals but for rounding."""
    return [one for one in some if not any(_same(one, other) for other in others)]


def _same(one: Detection, other: Detection) -> bool:
    return (
        one.label == other.label
        and abs(one.score - other.score) < SCORE_TOLERANCE
        and bool(np.abs(np.subtract(one.box, other.box)).max() < BOX_TOLERANCE)
    )


def difference(some: list[np.ndarray], others: list[np.ndarray]) -> float:
    """The largest difference of predictions, relative to the largest of each kind."""
    differences = [np.abs(a - b).max() / np.abs(a).max() for a, b in zip(some, others)]
    return float(max(differences))


def sure(detections: list[Detection]) -> list[Detection]:
    return [one for one in detections if one.score >= SURE]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nets", nargs=4, metavar="FILE")
    parser.add_argument("--voc", required=True)
    parser.add_argument("--list", required=True)
    parser.add_argument("--tested", required=True)
    parser.add_argument("--pictures", type=int, default=20)
    options = parser.parse_args()
    first = Detector(options.nets[0], options.nets[1], options.tested)
    second = Detector(options.nets[2], options.nets[3], options.tested)
    compared = 0
    largest = 0.0
    wrong = []
    for image in listed_pictures(options.voc, options.list, options.pictures):
        some = first.detect(image)
        others = second.detect(image)
        largest = max(largest, difference(first.predictions(), second.predictions()))
        wrong += unmatched(sure(some), others) + unmatched(sure(others), some)
        compared += len(sure(some))
    print(f"predictions differ by at most {largest:.1e} of the largest")
    print(f"{compared} detections compared, {len(wrong)} differ")
    for one in wrong[:5]:
        print(f"only one of the nets has {one}")
    return int(not largest < ROUNDING or len(wrong) > FEW * compared)


if __name__ == "__main__":
    sys.exit(main())
