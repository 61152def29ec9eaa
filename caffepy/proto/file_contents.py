"""What the files of weights and of solver states hold, whatever their format."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LayerBlobs:
    """The parameters of one layer in a file."""

    name: str
    type: str
    """The Caffe type; empty if the file does not have it (HDF5)."""
    blobs: list[Array | None]
    """None where an HDF5 file leaves a shared blob to the layer that owns it."""
    diffs: list[Array | None] = field(default_factory=list)
    """The gradient beside each of ``blobs``, None where there is none.

    Empty for an HDF5 file, whose gradients Caffe does not read.
    """


@dataclass(frozen=True)
class SavedState:
    """The content of a solverstate."""

    iter: int
    learned_net: str
    """Path of the caffemodel saved with it, as it was written."""
    current_step: int = 0
    """lr steps taken so far (lr_policy multistep)."""
    history: list[Array] = field(default_factory=list)
    """The solver's history arrays, in the order of the learnable parameters."""
    minimum_loss: float | None = None
    """The lowest loss so far (lr_policy plateau of SSD); None when the file has none."""
    iter_last_event: int = 0
    """The iteration when the loss last fell or the rate was lowered (lr_policy plateau)."""
    run_state: bytes = b""
    """Data positions and random state; empty in a file of the real Caffe, which in turn ignores it.
    """
