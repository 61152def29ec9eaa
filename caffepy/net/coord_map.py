"""Where the elements of a layer's tops lie in its first bottom, along one spatial axis: what crops are placed by.

Element x of the top lies at ``step * x + start`` of the bottom. Numbers may be integers, Fractions or numpy arrays.
"""

from __future__ import annotations

from typing import Any

ALONG = frozenset(
    (
        *("AbsVal", "BNLL", "BatchNorm", "Bias", "Clip", "Dropout", "ELU", "Eltwise", "Exp", "LRN", "Log", "MVN", "PReLU", "Power"),
        *("ReLU", "Scale", "Sigmoid", "Split", "Swish", "TanH", "Threshold"),
    )
)
"""Types whose tops lie where their bottoms lie."""
WINDOWS = frozenset(("Convolution", "Im2col", "Pooling"))
"""Types with windows; those of Deconvolution go the other way."""


def window_map(kernel: Any, stride: Any, pad: Any, dilation: Any = 1) -> tuple[Any, Any]:
    """``step`` and ``start`` of a layer whose top has an element for the middle of each window of the bottom."""
    return stride, (kernel - 1) * dilation / 2 - pad


def inverse(step: Any, start: Any) -> tuple[Any, Any]:
    """The same seen from the bottom: as for a layer that writes a window for each element."""
    return 1 / step, -start / step
