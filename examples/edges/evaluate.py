"""The F-measure of HED's edges on the test pictures, and a picture of its outputs.

    python evaluate.py NET.prototxt WEIGHTS.caffemodel DATA OUT

NET's test phase reads DATA/test_pair.lst in its order and gives the blobs sigmoid-dsn1, ... and
sigmoid-fuse. Writes OUT/ods.txt (F, precision, recall, threshold) and OUT/edges.png.

ODS is the best F over one threshold for all pictures. The fused output is thinned first, by
suppression of what is no maximum across the edge. A pixel counts as found where an edge of the
other picture is within the tolerance of 1.5 pixels, or of 0.0075 of the diagonal where that is
more, as in BSDS's benchmark; that one also allows each pixel one partner only.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import caffe
import cv2
import numpy as np

THRESHOLDS = np.arange(1, 100) / 100
SHOWN = 3  # test pictures in the picture
SIDE = 128  # height of each of them
MARGIN = 4
TITLE = 20


def thinned(edges: np.ndarray) -> np.ndarray:
    """Edges (H, W) of 0 to 1, and 0 wherever a neighbour across the edge has more.

    Across an edge is where the smoothed picture bends most.
    """
    smooth = cv2.GaussianBlur(edges.astype(np.float32), (0, 0), 1)
    xx = cv2.Sobel(smooth, cv2.CV_32F, 2, 0)
    yy = cv2.Sobel(smooth, cv2.CV_32F, 0, 2)
    xy = cv2.Sobel(smooth, cv2.CV_32F, 1, 1)
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)  # of the greatest second derivative
    angle[xx + yy < 0] += np.pi / 2  # the least one bends more
    rows, columns = np.mgrid[: edges.shape[0], : edges.shape[1]].astype(np.float32)
    result = edges.copy()
    for side in (1, -1):
        beside = cv2.remap(
            smooth,
            (columns + side * np.cos(angle)).astype(np.float32),
            (rows + side * np.sin(angle)).astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        result[smooth < beside] = 0
    return result


def distances_to(mask: np.ndarray) -> np.ndarray:
    """For each pixel its distance to the nearest of the mask (H, W)."""
    if not mask.any():
        return np.full(mask.shape, np.inf)
    return cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)


@dataclass(frozen=True)
class Score:
    """Precision and recall at a threshold."""

    threshold: float
    precision: float
    recall: float

    @property
    def f(self) -> float:
        """The F-measure."""
        return 2 * self.precision * self.recall / max(self.precision + self.recall, 1e-9)


class Benchmark:
    """Counts of right and of all pixels over many pictures, at each threshold."""

    def __init__(self) -> None:
        # right and all predicted, right and all true
        self.counts = np.zeros((len(THRESHOLDS), 4))

    def add(self, edges: np.ndarray, truth: np.ndarray) -> None:
        """Count a picture's edges (H, W) of 0 to 1 against its true ones (H, W) bool."""
        thin = thinned(edges)
        tolerance = max(1.5, 0.0075 * float(np.hypot(*truth.shape)))
        near_truth = distances_to(truth) <= tolerance
        for counts, threshold in zip(self.counts, THRESHOLDS):
            predicted = thin >= threshold
            found = truth & (distances_to(predicted) <= tolerance)
            right = predicted & near_truth
            counts += [right.sum(), predicted.sum(), found.sum(), truth.sum()]

    def ods(self) -> Score:
        """The best score of one threshold for all pictures."""
        right, predicted, found, true = self.counts.T
        precisions = right / np.maximum(predicted, 1)
        recalls = found / np.maximum(true, 1)
        scores = [Score(*map(float, one)) for one in zip(THRESHOLDS, precisions, recalls)]
        return max(scores, key=lambda score: score.f)


def tile(title: str, picture: np.ndarray) -> np.ndarray:
    """A picture (H, W) or (H, W, 3) below its title."""
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    width = round(picture.shape[1] * SIDE / picture.shape[0])
    result = np.full((TITLE + SIDE + MARGIN, width + MARGIN, 3), 255, np.uint8)
    result[TITLE : TITLE + SIDE, :width] = cv2.resize(
        picture, (width, SIDE), interpolation=cv2.INTER_NEAREST
    )
    cv2.putText(result, title, (2, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (0, 0, 0), 1, cv2.LINE_AA)
    return result


def as_bytes(edges: np.ndarray) -> np.ndarray:
    """0 to 1 as white to black."""
    return (255 * (1 - edges)).round().astype(np.uint8)


def main() -> None:
    model, weights, data, result = sys.argv[1:]
    out = Path(result)
    pictures = [line.split()[0] for line in (Path(data) / "test_pair.lst").read_text().splitlines()]
    caffe.set_mode_cpu()
    net = caffe.Net(model, weights, caffe.TEST)
    sides = sorted(name for name in net.blobs if name.startswith("sigmoid-dsn"))
    benchmark = Benchmark()
    rows = []
    for picture in pictures:
        net.forward()
        truth = net.blobs["label"].data[0, 0] > 0
        fused = net.blobs["sigmoid-fuse"].data[0, 0]
        benchmark.add(fused, truth)
        if len(rows) < SHOWN:
            tiles = [tile("image", cv2.imread(str(Path(data) / picture)))]
            tiles.append(tile("truth", as_bytes(truth)))
            for number, name in enumerate(sides, 1):
                tiles.append(tile(f"side {number}", as_bytes(net.blobs[name].data[0, 0])))
            tiles.append(tile("fused", as_bytes(fused)))
            rows.append(np.concatenate(tiles, axis=1))
    score = benchmark.ods()
    print(f"precision {score.precision:.3f}, recall {score.recall:.3f} at {score.threshold:.2f}")
    (out / "ods.txt").write_text(
        f"{score.f:.4f} {score.precision:.4f} {score.recall:.4f} {score.threshold:.2f}\n"
    )
    width = max(row.shape[1] for row in rows)
    padded = [
        cv2.copyMakeBorder(
            row, 0, 0, 0, width - row.shape[1], cv2.BORDER_CONSTANT, value=(255,) * 3
        )
        for row in rows
    ]
    cv2.imwrite(str(out / "edges.png"), np.concatenate(padded))


if __name__ == "__main__":
    main()
