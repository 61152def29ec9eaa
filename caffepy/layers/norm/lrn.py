"""Local response normalisation."""

# N batch, C channels, H W; n = local_size

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer, check_engine
from caffepy.layers.common.pooling_windows import memory_format
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape, is_readable
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches, Precision
from caffepy.proto import caffe_pb2

WITHIN_CHANNEL = caffe_pb2.LRNParameter.WITHIN_CHANNEL
Window = Callable[[Tensor, Tensor], Tensor]

BLOCK = 1 << 18
"""Elements worked on at once on the CPU, so that a block and its sums stay in the cache."""


def _blocks(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Some items at a time of tensors of one shape; on a GPU, and for a trace, all of them."""
    parts = -(-tensors[0].numel() // BLOCK) if is_readable(tensors[0]) else 1
    return zip(*(tensor.chunk(parts) for tensor in tensors)) if parts > 1 else iter((tensors,))


def _window_sum(a: Tensor, b: Tensor, size: int) -> Tensor:
    """Sum of a * b over each channel and its neighbours, ``size`` in all."""
    half = size // 2
    channels = a.shape[1]
    layout = memory_format(a)
    part = torch.empty(
        (a.shape[0], channels + size - 1, *a.shape[2:]),
        dtype=a.dtype,
        device=a.device,
        memory_format=layout,
    )
    part[:, :half] = 0
    part[:, half + channels :] = 0
    torch.mul(a, b, out=part[:, half : half + channels])
    # Sums of 1, 2, 4, ... neighbours; those of the binary digits of ``size`` make up the window.
    total = part
    start = 0
    width = 1
    while True:
        if size & width:
            piece = part[:, start : start + channels]
            total = total + piece if start else piece
            start += width
        if start == size:
            return total
        part = part[:, :-width] + part[:, width:]
        width *= 2


def _window_mean(a: Tensor, b: Tensor, size: int) -> Tensor:
    """Mean of a * b over ``size`` x ``size`` values around each, the padding counted."""
    return F.avg_pool2d(a * b, size, 1, size // 2, count_include_pad=True)


def _negative_power(scale: Tensor, beta: float, out: Tensor) -> Tensor:
    """scale ** -beta; the usual 0.75 by square roots, which cost a fraction of a power."""
    if beta != 0.75:
        return torch.pow(scale, -beta, out=out)
    root = scale.rsqrt()
    return torch.sqrt(root, out=out).mul_(root)


def _small(
    x: Tensor, window: Window, rate: float, beta: float, k: float, *, recorded: bool = False
) -> Tensor:
    """`_LRN` of a single block, without a gradient.

    Nothing is kept, and no memory is asked for ahead. ``recorded``: by operators that oneDNN does
    not know, as it takes numbers beside a tensor for float64.
    """
    if recorded:
        scale = torch.addcmul(torch.tensor(k), window(x, x), torch.tensor(rate))
    else:
        scale = window(x, x).mul_(rate).add_(k)
    if beta != 0.75:
        return scale.pow_(-beta).mul_(x)
    root = scale.rsqrt_()
    return root.sqrt().mul_(root).mul_(x)


class _LRN(torch.autograd.Function):
    """x * (k + rate * window(x, x)) ** -beta; keeps the bottom and the scale.

    ``window(a, b)``: sums or means of a * b, its own adjoint.
    """

    @staticmethod
    def forward(
        ctx: Context, x: Tensor, window: Window, rate: float, beta: float, k: float
    ) -> Tensor:
        y, scale = torch.empty_like(x), torch.empty_like(x)
        for xb, yb, sb in _blocks(x, y, scale):
            torch.mul(window(xb, xb), rate, out=sb).add_(k)
            _negative_power(sb, beta, yb).mul_(xb)
        ctx.save_for_backward(x, scale)
        ctx.window = window
        ctx.rate = rate
        ctx.beta = beta
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, scale = ctx.saved_tensors
        dx = torch.empty_like(x)
        for xb, sb, db, dyb in _blocks(x, scale, dx, dy):
            _negative_power(sb, ctx.beta, db).mul_(dyb)
            shared = ctx.window(db, xb / sb)  # of dy * y / scale
            db.addcmul_(shared, xb, value=-2 * ctx.rate * ctx.beta)
        return dx, None, None, None, None


@register_layer("LRN")
class LRNLayer(NeuronLayer):
    """Each value divided by a power of the squares around it.  Caffe type ``LRN``.

    Bottom: (N, C, H, W) float.
    Top:    (N, C, H, W) float. ACROSS_CHANNELS: x * (k + alpha/local_size * sum over local_size
            channels of x^2) ^ -beta. WITHIN_CHANNEL: x * (1 + alpha * mean over local_size x
            local_size of x^2) ^ -beta; k is ignored, the mean is that of average pooling, whose
            windows count their padding.
    Params: none
    Proto:  lrn_param { local_size (odd), alpha, beta, k, norm_region, engine }
    Differs from torch: torch.nn.functional.local_response_norm has no WITHIN_CHANNEL and is several
            times slower.
    Source: BVLC Caffe, lrn_layer; Krizhevsky et al. 2012
    """

    precision = Precision(keeps_small=True)
    batches = Batches(item_by_item=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.lrn_param
        check_engine(self, p)
        self.size = int(p.local_size)
        self.alpha = float(p.alpha)
        self.beta = float(p.beta)
        if self.size % 2 == 0:
            raise self.fail(f"local_size is {self.size}; needed: an odd number")
        self.within = p.norm_region == WITHIN_CHANNEL
        self.k = 1.0 if self.within else float(p.k)
        self.rate = self.alpha if self.within else self.alpha / self.size
        """By which a window's mean or sum is multiplied."""
        self.quirks = replace(self.quirks, always_written=() if self.within else (0,))
        shrinks = min(self.alpha, self.beta, self.k - 1) >= 0
        self.batches = replace(self.batches, traceable=shrinks)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape."""
        if len(bottoms[0]) != 4:
            raise self.fail(
                f"bottom has {len(bottoms[0])} axes; needed: 4 (number, channels, height, width)"
            )
        return (bottoms[0],)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Over the windows of either kind."""
        x = bottoms[0]
        window = partial(_window_mean if self.within else _window_sum, size=self.size)
        recorded = run.recorded is not None
        if is_readable(x) and not torch.is_grad_enabled() and (x.numel() <= BLOCK or recorded):
            return (_small(x, window, self.rate, self.beta, self.k, recorded=recorded),)
        return (apply(_LRN, x, window, self.rate, self.beta, self.k),)
