"""What the scripts share: flags of a net and of its preprocessing, and errors in one line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import caffepy.pycaffe as caffe
from caffepy import log
from caffepy.data.mean_file import read_mean
from caffepy.errors import CaffeError, UsageError, one_line


def guarded(main: Callable[[], None], place: str) -> int:
    """Run ``main``; an error of its input becomes one line in the log and exit code 1."""
    try:
        main()
    except CaffeError as error:
        log.fatal(f"{place}:0", str(error))
        return 1
    return 0


def numbers(text: str) -> list[int]:
    """``256,256`` as numbers."""
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise UsageError(
            f"'{text}' is given; needed: whole numbers with commas between them, such as 256,256"
        ) from None


def add_net_flags(parser: argparse.ArgumentParser, model: str) -> None:
    """Flags of the net and its preprocessing.

    ``model``: the default's folder in Caffe's ``models``.
    """
    folder = os.path.join("models", model)
    parser.add_argument("input_file", help="what to read")
    parser.add_argument("output_file", help="what to write")
    parser.add_argument(
        "--model_def", default=os.path.join(folder, "deploy.prototxt"), help="the net"
    )
    parser.add_argument(
        "--pretrained_model",
        default=os.path.join(folder, f"{model}.caffemodel"),
        help="its weights",
    )
    parser.add_argument("--gpu", action="store_true", help="compute on a GPU")
    parser.add_argument(
        "--mean_file", help="mean of the training images, .npy or .binaryproto; '' for none"
    )
    parser.add_argument(
        "--input_scale", type=float, help="factor of the values after the mean is subtracted"
    )
    parser.add_argument(
        "--raw_scale",
        type=float,
        default=255.0,
        help="factor of the values before that, images being read as 0 to 1",
    )
    parser.add_argument(
        "--channel_swap",
        default="2,1,0",
        help="order of the channels that the net takes, images being read as RGB",
    )


def preprocessing(options: argparse.Namespace) -> dict[str, Any]:
    """The flags' values as arguments of Classifier and Detector."""
    if options.mean_file is None:
        raise UsageError(
            "--mean_file is missing; needed: the mean that the net was trained with (.npy"
            " or .binaryproto), or --mean_file ''"
        )
    return {
        "mean": mean(options.mean_file) if options.mean_file else None,
        "input_scale": options.input_scale,
        "raw_scale": options.raw_scale,
        "channel_swap": numbers(options.channel_swap) if options.channel_swap else None,
    }


def mean(path: str) -> npt.NDArray[Any]:
    """The mean of a file, (C, H, W) or (C,)."""
    if not path.endswith(".npy"):
        return read_mean(path)
    return load_array(path, "--mean_file ")


def load_array(path: str, flag: str = "") -> npt.NDArray[Any]:
    """The array in a .npy file.  UsageError where there is none; ``flag``: that names the file."""
    try:
        array: npt.NDArray[Any] = np.load(path)
    except (OSError, ValueError, EOFError) as error:
        raise UsageError(f"{flag}{path}: {one_line(error)}") from error
    return array


def choose_mode(gpu: bool) -> None:
    """GPU or CPU, and say which."""
    if gpu:
        caffe.set_mode_gpu()
    else:
        caffe.set_mode_cpu()
    print("GPU mode" if gpu else "CPU mode")


def parse(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line's values; the log shows warnings and errors only."""
    options = parser.parse_args(argv)
    caffe.init_log(log.WARNING)
    return options
