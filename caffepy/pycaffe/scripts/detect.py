"""detect.py: class scores of windows of images by a deploy net, as a .csv or .h5 file.

INPUT_FILE: .csv with the columns filename,ymin,xmin,ymax,xmax (crop_mode list), or .txt with an
image a line (selective_search).
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import caffepy.pycaffe as caffe
from caffepy.data.list_files import read_bytes
from caffepy.errors import DataError, UsageError
from caffepy.proto.atomic import atomic_write
from caffepy.proto.output_files import refuse_overwriting
from caffepy.pycaffe.scripts.common import add_net_flags, choose_mode, guarded, parse, preprocessing

COORDINATES = ("ymin", "xmin", "ymax", "xmax")
Windows = dict[str, list[list[float]]]


def main(argv: Sequence[str] | None = None) -> int:
    """Score the windows of the command line; the exit code."""
    parser = argparse.ArgumentParser(
        prog="detect.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_net_flags(parser, "bvlc_reference_rcnn_ilsvrc13")
    parser.add_argument(
        "--crop_mode",
        default="selective_search",
        choices=("list", "selective_search"),
        help="where windows come from",
    )
    parser.add_argument(
        "--context_pad",
        type=int,
        default=16,
        help="pixels of the net's input that show what surrounds a window",
    )
    options = parse(parser, argv)
    return guarded(lambda: detect(options), "detect.py")


def detect(options: argparse.Namespace) -> None:
    """Read, score and write."""
    refuse_overwriting(options.output_file, options.input_file)
    prepared = preprocessing(options)
    choose_mode(options.gpu)
    net = caffe.Detector(
        options.model_def, options.pretrained_model, context_pad=options.context_pad, **prepared
    )
    print("Loading input...")
    started = time.perf_counter()
    if options.crop_mode == "list":
        detections = net.detect_windows(read_windows(options.input_file).items())
    else:
        detections = net.detect_selective_search(read_names(options.input_file))
    print(f"Processed {len(detections)} windows in {time.perf_counter() - started:.3f} s.")
    started = time.perf_counter()
    write(options.output_file, detections)
    print(f"Saved to {options.output_file} in {time.perf_counter() - started:.3f} s.")


def read_names(path: str) -> list[str]:
    """The images of a .txt or .csv file, each once."""
    if path.lower().endswith("csv"):
        return list(read_windows(path))
    return [line.strip() for line in _lines(path) if line.strip()]


def read_windows(path: str) -> Windows:
    """Image → its windows.  DataError where a column or number is missing."""
    if not path.lower().endswith("csv"):
        raise UsageError(
            f"{path}: unknown input file type; needed: .csv with windows, or .txt with"
            " --crop_mode selective_search"
        )
    windows: Windows = {}
    try:
        rows = list(csv.DictReader(_lines(path)))
    except csv.Error as error:
        raise DataError(f"{path}: it is no table: {error}") from None
    for number, row in enumerate(rows, start=2):
        try:
            window = [float(row[name]) for name in COORDINATES]
            windows.setdefault(row["filename"], []).append(window)
        except (KeyError, TypeError, ValueError):
            raise DataError(
                f"{path}:{number}: {row}; needed: the columns"
                f" filename,{','.join(COORDINATES)}, with numbers"
            ) from None
    return windows


def _lines(path: str) -> list[str]:
    try:
        # names of files may be any bytes
        return read_bytes(path).decode(errors="surrogateescape").splitlines()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None


def write(path: str, detections: Sequence[dict[str, Any]]) -> None:
    """A .csv file, a window a line with its scores as class0, class1 ....

    Else HDF5 with filename, window and prediction.
    """
    scores = np.zeros((0, 0), np.float32)
    if detections:
        scores = np.stack([detection["prediction"].ravel() for detection in detections])
    if path.lower().endswith("csv"):
        with (
            atomic_write(path, error=DataError) as temporary,
            open(temporary, "w", encoding="utf-8", errors="surrogateescape", newline="") as file,
        ):
            table = csv.writer(file)
            table.writerow(
                ["filename", *COORDINATES, *(f"class{i}" for i in range(scores.shape[1]))]
            )
            for detection, row in zip(detections, scores):
                table.writerow([detection["filename"], *detection["window"], *row])
        return
    import h5py

    with atomic_write(path, error=DataError) as temporary, h5py.File(temporary, "w") as file:
        names = [os.fsencode(detection["filename"]) for detection in detections]
        file.create_dataset("filename", data=names, dtype=h5py.string_dtype())
        windows = [detection["window"] for detection in detections]
        file["window"] = np.array(windows, np.float64).reshape(-1, 4)
        file["prediction"] = scores
