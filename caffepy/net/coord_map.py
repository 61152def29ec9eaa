"""Maps between the elements of a layer's top and bottom, along one spatial axis.

A map ``(step, start)`` says that element x of the top is at ``step * x + start`` of the bottom. The
numbers are integers, floats, Fractions or numpy arrays of them with one number for each axis.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.number]
N = TypeVar("N", Fraction, Numbers, float)

SAME_PLACE = frozenset(
    [
        "AbsVal",
        "BNLL",
        "BatchNorm",
        "Bias",
        "Clip",
        "Dropout",
        "ELU",
        "Eltwise",
        "Exp",
        "LRN",
        "Log",
        "MVN",
        "PReLU",
        "Power",
        "ReLU",
        "Scale",
        "Sigmoid",
        "Split",
        "Swish",
        "TanH",
        "Threshold",
    ]
)
"""Types whose tops are aligned with their bottoms."""
WINDOWS = frozenset(("Convolution", "Im2col", "Pooling"))
"""Types whose top has an element for each window of the bottom; Deconvolution is the inverse."""


def window_map(kernel: N, stride: N, pad: N, dilation: N) -> tuple[N, N]:
    """The map of a layer whose top has an element for the middle of each window of the bottom."""
    return stride, (kernel - 1) * dilation / 2 - pad


def inverse(step: N, start: N) -> tuple[N, N]:
    """The map from the bottom to the top.

    Also that of a layer that writes a window for each element.
    """
    return 1 / step, -start / step


def compose(outer: tuple[N, N], inner: tuple[N, N]) -> tuple[N, N]:
    """The map of a layer with the map ``inner`` on the top of one with the map ``outer``."""
    step, start = outer
    return step * inner[0], step * inner[1] + start
