"""classify.py: class scores of images by a deploy net, as a .npy file."""

from __future__ import annotations

import argparse
import glob
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import caffepy.pycaffe as caffe
from caffepy.errors import DataError, UsageError
from caffepy.proto.atomic import atomic_write
from caffepy.proto.output_files import refuse_overwriting
from caffepy.pycaffe.scripts.common import (
    add_net_flags,
    choose_mode,
    guarded,
    load_array,
    numbers,
    parse,
    preprocessing,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Classify the images of the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="classify.py", description=__doc__)
    add_net_flags(parser, "bvlc_reference_caffenet")
    parser.add_argument(
        "--center_only",
        action="store_true",
        help="the centre crop only, not the mean over ten crops",
    )
    parser.add_argument(
        "--images_dim",
        default="256,256",
        help="height,width to which images are resized before they are cropped",
    )
    parser.add_argument(
        "--ext", default="jpg", help="ending of the images where INPUT_FILE is a folder"
    )
    options = parse(parser, argv)
    return guarded(lambda: classify(options), "classify.py")


def classify(options: argparse.Namespace) -> None:
    """Read, classify and write."""
    refuse_overwriting(array_name(options.output_file), options.input_file)
    prepared = preprocessing(options)
    choose_mode(options.gpu)
    net = caffe.Classifier(
        options.model_def,
        options.pretrained_model,
        image_dims=numbers(options.images_dim),
        **prepared,
    )
    images = read(os.path.expanduser(options.input_file), options.ext)
    print(f"Classifying {len(images)} inputs.")
    started = time.perf_counter()
    scores = net.predict(images, not options.center_only)
    print(f"Done in {time.perf_counter() - started:.2f} s.")
    print(f"Saving results into {options.output_file}")
    with (
        atomic_write(array_name(options.output_file), error=DataError) as temporary,
        open(temporary, "wb") as file,
    ):
        np.save(file, scores)


def array_name(path: str) -> str:
    """The name that numpy gives a file of an array."""
    return path if path.endswith(".npy") else f"{path}.npy"


def read(path: str, ending: str) -> Sequence[Any]:
    """The images of a .npy file (N, H, W, C), of a folder, or of one image file.

    Those of a folder are in the order of their names.
    """
    print(f"Loading {'folder' if os.path.isdir(path) else 'file'}: {path}")
    if path.endswith("npy"):
        return list(load_array(path))
    if not os.path.isdir(path):
        return [caffe.io.load_image(path)]
    files = sorted(glob.glob(os.path.join(glob.escape(path), f"*.{ending}")))
    if not files:
        raise UsageError(f"{path} has no *.{ending}; needed: images, or their ending by --ext")
    return [caffe.io.load_image(file) for file in files]
