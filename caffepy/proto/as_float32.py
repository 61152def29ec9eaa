"""Numbers of files as float32, the type that Caffe computes with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def as_float32(values: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """``values`` as float32 in row-major order; no copy if they are that already.

    Values beyond float32 become infinite without a warning, as in C++.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(values, np.float32, order="C")
