"""All time steps of a long short-term memory in one call of torch's, which on a CPU is oneDNN's."""

# T time steps, N streams, D elements of an input, H num_output

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import is_readable

LEAST_STEPS = 4
"""Fewer time steps between two at which sequences begin are computed one by one."""


def in_one_call(x: Tensor) -> bool:
    """Whether one call is the fastest way: float32 on a CPU for which torch has oneDNN."""
    return x.device.type == "cpu" and x.dtype == torch.float32 and _has_onednn()


def runs_of(cont: Tensor) -> list[int] | None:
    """The first time steps of runs in which no sequence begins later, from ``cont`` (T, N).

    None if that cannot be looked at, if runs are short, or if numbers are neither 0 nor 1.
    """
    if not is_readable(cont) or not ((cont == 0) | (cont == 1)).all():
        return None
    starts = [0, *((cont[1:] == 0).any(1).nonzero()[:, 0] + 1).tolist()]
    return starts if len(starts) * LEAST_STEPS <= max(len(cont), LEAST_STEPS) else None


def lstm_sequence(
    x: Tensor, states: Sequence[Tensor], blobs: Sequence[Tensor]
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Hidden states (T, N, H) of inputs (T, N, D), and the last hidden state and cells.

    These are (N, H) each. ``states``: hidden state and cells before. ``blobs``: weight of the
    inputs (4H, D), bias (4H,), weight of the hidden state (4H, H), with gates in the order i, f, o,
    g.
    """
    weight, bias, recurrent = (_in_torchs_order(blob) for blob in blobs)
    parameters = [weight, recurrent, bias, torch.zeros_like(bias, requires_grad=False)]
    before = tuple(state.unsqueeze(0) for state in states)
    learns = torch.is_grad_enabled()
    y, h, c = torch.lstm(x, before, parameters, True, 1, 0.0, learns, False, False)
    return y, (h[0], c[0])


def _in_torchs_order(blob: Tensor) -> Tensor:
    """The rows of the gates i, f, o, g as torch has them: i, f, g, o."""
    i_and_f, o, g = blob.split([blob.shape[0] // 2, *(blob.shape[0] // 4,) * 2])
    return torch.cat((i_and_f, g, o))


def _has_onednn() -> bool:
    return torch.backends.mkldnn.is_available() and bool(torch._C._get_mkldnn_enabled())
