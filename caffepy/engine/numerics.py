"""The precision in which nets compute, and whether results are the same to the bit each time."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy.errors import UsageError, nearest
from caffepy.layers.common.base_conv import BaseConvolutionLayer
from caffepy.layers.core.base import Forward, Layer, Run
from caffepy.net.graph import Graph

FP32, TF32, BF16, FP16 = PRECISIONS = ("fp32", "tf32", "bf16", "fp16")
HALF_TYPES = {BF16: torch.bfloat16, FP16: torch.float16}


@dataclass(frozen=True)
class Numerics:
    """How a net computes.

    ``precision``: fp32, tf32 (products on a GPU in 19 bits), bf16 or fp16 (products in 16 bits;
    parameters stay float32).
    ``deterministic``: the same start gives the same bits, as far as torch can.
    """

    precision: str = FP32
    deterministic: bool = False

    def __post_init__(self) -> None:
        """UsageError for an unknown precision."""
        if self.precision not in PRECISIONS:
            hint = nearest(self.precision, PRECISIONS)
            known = ", ".join(PRECISIONS)
            raise UsageError(
                f"-precision {self.precision}: there is no such precision{hint}; known: {known}"
            )

    @property
    def half(self) -> torch.dtype | None:
        """The 16-bit type of products; None: float32."""
        return HALF_TYPES.get(self.precision)

    @property
    def scales_loss(self) -> bool:
        """Whether the loss is scaled up: in fp16 small gradients would else become 0."""
        return self.precision == FP16

    def prepare(self, device: torch.device) -> None:
        """Make torch's settings. To be called before anything is computed on ``device``."""
        if self.deterministic:
            os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
            torch.use_deterministic_algorithms(True, warn_only=True)
            torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # torch's types lack it
        if device.type == "cuda":
            round_factors(self.precision == TF32)
            torch.backends.cudnn.deterministic = self.deterministic
            torch.backends.cudnn.benchmark = not self.deterministic


def round_factors(wanted: bool) -> None:
    """Set whether a GPU rounds the factors of products to 19 bits (TF32).

    By default torch does so in convolutions.
    """
    with warnings.catch_warnings():
        # Torch 2.9 to 2.12 warn of another name for it, which 2.6 to 2.8 do not know.
        warnings.simplefilter("ignore")
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = wanted


class KernelSearch:
    """Ends cuDNN's search for the fastest kernels if the sizes of a net's pictures vary.

    Each new size would start the search again. Scripts often change the size once or twice at
    first, which does not end the search. Each engine has one object.
    """

    MOST_CHANGES = 2

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._changes = 0

    def shapes_changed(self, before: Graph, after: Graph) -> None:
        """Count a change of the net's shapes if it changes the pictures."""
        if self._device.type != "cuda" or not torch.backends.cudnn.benchmark:
            return
        read: set[int] = set()
        for node in before.nodes:
            if isinstance(node.layer, BaseConvolutionLayer):
                read.update(node.bottoms)
        self._changes += any(before.values[v].shape != after.values[v].shape for v in read)
        if self._changes > self.MOST_CHANGES:
            torch.backends.cudnn.benchmark = False


def lowered(layer: Layer, forward: Forward, half: torch.dtype) -> Forward:
    """``forward`` of ``layer`` with its bottoms converted, in a net that computes in ``half``."""
    if layer.precision.takes_16_bits:
        return forward

    def run(bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        if layer.precision.sums_products:
            return forward([x.to(half) for x in bottoms], [blob.to(half) for blob in blobs], run)
        return forward([x.float() for x in bottoms], blobs, run)

    return run
