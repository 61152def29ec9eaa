"""The form of each layer type in torch, by what layers are."""

from caffepy.report.pytorch.forms import (  # noqa: F401 - they register forms
    detection,
    elementwise,
    hard_examples,
    linear,
    losses,
    margins,
    norm,
    recurrent,
    regions,
    sampling,
    sequences,
    shapes,
    windows,
    yolo,
)
from caffepy.report.pytorch.forms.norm import batch_norm_with_scale

__all__ = ["batch_norm_with_scale"]
