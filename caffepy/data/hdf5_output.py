"""The file that an HDF5Output layer writes."""

# N rows

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from caffepy import log
from caffepy.errors import DataError
from caffepy.proto.hdf5 import created

Array = npt.NDArray[np.float32]


class HDF5OutputFile:
    """Datasets ``data`` and ``label`` of one batch, 4 axes each.

    The file is written once, as in Caffe, and appears only when complete.
    """

    def __init__(self, path: str) -> None:
        """DataError if the folder of ``path`` cannot be written to."""
        self.path = path
        self._written = False
        folder = Path(path).parent
        if not path or not folder.is_dir() or not os.access(folder, os.W_OK) or Path(path).is_dir():
            raise DataError(
                f"hdf5_output_param.file_name '{path}' cannot be written; needed: a file"
                " name in a folder that exists and is writable"
            )

    def write(self, data: Array, label: Array) -> None:
        """Write a batch of ``data`` (N, ...) and ``label`` (N, ...), or () for one row.

        DataError on the second call.
        """
        if self._written:
            raise DataError(
                f"{self.path}: already holds a batch; needed: a single forward pass, as in Caffe"
            )
        data, label = four_axes(data), four_axes(label)
        if len(data) != len(label):
            raise DataError(
                f"{self.path}: {len(data)} rows of data and {len(label)} of labels; needed: as many"
            )
        log.info("hdf5_output_layer.cpp:33", f"Saving HDF5 file {self.path}")
        with created(self.path, error=DataError) as file:
            file["data"] = data
            file["label"] = label
        self._written = True
        log.info("hdf5_output_layer.cpp:38", f"Successfully saved {len(data)} rows")


def four_axes(array: Array) -> Array:
    """``array`` with axes of length 1 added to four."""
    return array.reshape((*array.shape, *(1,) * (4 - array.ndim)))
