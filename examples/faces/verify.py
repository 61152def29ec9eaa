"""Verifies pairs of pictures with trained nets, as SphereFace's evaluation does.

    python verify.py FOLDER --out FOLDER NAME=MODEL,WEIGHTS ...

FOLDER has the layout of LFW, with pairs.txt.
A picture's feature is the net's blob for it, followed by that for the flipped picture.
A pair's score is the cosine of its two features.
Printed are for each net the area under the ROC curve, and the mean accuracy of the folds:
of each fold with the mean feature and the threshold that were best in the other folds.
The scores are written to OUT/NAME.txt as lines `score same`, where same is 1 or 0.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import caffe
import cv2
import numpy as np
from pairs import area, cosines, fold_accuracy, read_pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("nets", nargs="+", help="NAME=MODEL,WEIGHTS")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--blob", default="fc5", help="the features")
    parser.add_argument("--mean", type=float, default=127.5, help="taken from each value")
    options = parser.parse_args()
    pairs = read_pairs(options.folder)
    paths = sorted({path for pair in pairs for path in (pair.left, pair.right)})
    same = np.array([pair.same for pair in pairs])
    fold = np.array([pair.fold for pair in pairs])
    for given in options.nets:
        name, files = given.split("=", 1)
        net = caffe.Net(*files.split(","), caffe.TEST)
        features = dict(zip(paths, extract(net, paths, options.blob, options.mean)))
        left = np.array([features[pair.left] for pair in pairs])
        right = np.array([features[pair.right] for pair in pairs])
        scores = cosines(left, right)
        lines = [f"{score:.6f} {int(one)}\n" for score, one in zip(scores, same)]
        (options.out / f"{name}.txt").write_text("".join(lines))
        accuracy = fold_accuracy(left, right, same, fold)
        print(f"{name}: AUC {area(scores, same):.4f}, accuracy {accuracy:.4f}")


def extract(net: caffe.Net, paths: list[Path], blob: str, mean: float) -> np.ndarray:
    """A row of features for each picture, and those of its mirror image beside them."""
    batch = 64
    height, width = net.blobs["data"].data.shape[2:]
    rows = []
    for start in range(0, len(paths), batch):
        images = []
        for path in paths[start : start + batch]:
            image = cv2.imread(str(path))
            if image is None:
                raise SystemExit(f"{path}: cannot be read as a picture")
            images.append(cv2.resize(image, (width, height)))
        data = (np.array(images, np.float32).transpose(0, 3, 1, 2) - mean) / 128
        net.blobs["data"].reshape(*data.shape)
        sides = []
        for view in (data, data[:, :, :, ::-1]):
            net.blobs["data"].data[...] = view
            net.forward()
            sides.append(net.blobs[blob].data.reshape(len(data), -1).copy())
        rows.append(np.hstack(sides))
    return np.vstack(rows)


if __name__ == "__main__":
    main()
