"""The form of each layer type in torch, by what layers are."""

from caffepy.report.pytorch.forms import detection, elementwise, linear, losses, norm, recurrent, shapes, windows  # noqa: F401 - they register forms
from caffepy.report.pytorch.forms.norm import batch_norm_with_scale

__all__ = ["batch_norm_with_scale"]
