"""Writes the flow that a trained net finds for pairs of pictures, and how far it is from the truth.

    python predict.py FOLDER --list test.txt --model flownet_c.prototxt --weights ... --out FOLDER

FOLDER has the layout of FlyingChairs; the list has a pair's number in each line.
OUT/00001_flow.flo are the flows, in pixels of the pictures as the net sees them, which is the size
of its Input layers.
Printed are the mean end-point errors of the net and of a flow of zeros.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import caffe
import cv2
import numpy as np
from flo import end_point_errors, read_flow, resize_flow, write_flow


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--list", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    net = caffe.Net(options.model, options.weights, caffe.TEST)
    height, width = net.blobs["img0"].data.shape[2:]
    for name in options.list.read_text().split():
        for i in (0, 1):
            image = read_picture(options.folder / f"{name}_img{i + 1}.ppm", height, width)
            net.blobs[f"img{i}"].data[...] = normalised(image)
        net.forward()
        path = options.out / f"{name}_flow.flo"
        write_flow(path, net.blobs[net.outputs[0]].data[0].transpose(1, 2, 0))
    found, still = mean_errors(options.folder, options.out, options.list.read_text().split())
    print(f"end-point error {found:.4f}, of no motion {still:.4f}")


def read_picture(path: Path, height: int, width: int) -> np.ndarray:
    """A picture, BGR, of this size."""
    image = cv2.imread(str(path))
    if image is None:
        raise SystemExit(f"{path}: cannot be read as a picture")
    resized: np.ndarray = cv2.resize(image, (width, height))
    return resized


def normalised(image: np.ndarray) -> np.ndarray:
    """What the ImageData layers make of it: (1, 3, H, W), about -1 to 1."""
    data: np.ndarray = ((image.astype(np.float32) - 127.5) * 0.00784).transpose(2, 0, 1)[None]
    return data


def mean_errors(folder: Path, found: Path, names: list[str]) -> tuple[float, float]:
    """The mean end-point errors over all pixels: of the flows that were found, and of no motion."""
    errors = []
    still = []
    for name in names:
        flow = read_flow(found / f"{name}_flow.flo")
        truth = resize_flow(read_flow(folder / f"{name}_flow.flo"), *flow.shape[:2])
        errors.append(end_point_errors(flow, truth))
        still.append(end_point_errors(np.zeros_like(truth), truth))
    return float(np.concatenate(errors).mean()), float(np.concatenate(still).mean())


if __name__ == "__main__":
    main()
