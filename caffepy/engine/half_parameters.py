"""Parameters rounded to 16 bits, for layers that compute products. All are rounded at once."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.engine.arena import Arena, Flat
from caffepy.layers.core.autograd import Context, apply


class _Rounded(torch.autograd.Function):
    """A parameter's rounded copy, in whose place the parameter gets the gradient in float32."""

    @staticmethod
    def forward(ctx: Context, blob: Tensor, rounded: Tensor) -> Tensor:
        return rounded.view_as(rounded)

    @staticmethod
    def backward(ctx: Context, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient.float(), None


class HalfParameters:
    """The parameters of ``arena``, and of those that it borrows from, in ``dtype``."""

    def __init__(self, arena: Arena, dtype: torch.dtype) -> None:
        self._dtype = dtype
        self._flats = list[Flat]()
        lender: Arena | None = arena
        while lender is not None:
            if lender.flat.buffer.numel():
                self._flats.append(lender.flat)
            lender = lender.lender

    def refresh(self) -> None:
        """Round the present parameters, by one kernel for each arena."""
        with torch.no_grad():
            for flat in self._flats:
                flat.in_dtype(self._dtype).copy_(flat.buffer)

    def of(self, blobs: Sequence[Tensor]) -> list[Tensor]:
        """The rounded copies of ``blobs``; empty if one of them is not in these arenas."""
        places = {flat.buffer.untyped_storage().data_ptr(): flat for flat in self._flats}
        flats = [places.get(blob.untyped_storage().data_ptr()) for blob in blobs]
        return [
            flat.in_dtype(self._dtype).as_strided(blob.shape, blob.stride(), blob.storage_offset())
            for blob, flat in zip(blobs, flats)
            if flat is not None and None not in flats
        ]


def as_half(blobs: Sequence[Tensor], halves: Sequence[Tensor]) -> list[Tensor]:
    """``halves``, the rounded copies, with gradients for those ``blobs`` that learn."""
    return [
        apply(_Rounded, blob, other) if blob.requires_grad else other
        for blob, other in zip(blobs, halves)
    ]
