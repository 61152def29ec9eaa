"""Numbers of files, as Caffe holds them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def as_float32(values: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """``values`` as float32 in row-major order, where they are if they are that: what is beyond float32 becomes infinite, as in C++,
    and nothing is said of it.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(values, np.float32, order="C")
