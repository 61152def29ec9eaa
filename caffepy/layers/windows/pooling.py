"""Pooling over windows of the spatial axes."""

# N batch, C channels, I... spatial input (H W), P... pooled output (PH PW), K... kernel

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common import pooling_windows as general
from caffepy.layers.common.neuron import check_engine
from caffepy.layers.core.base import TRAIN, Forward, Layer, Run, Shape, between, count, is_readable
from caffepy.layers.core.half import wide
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches, Precision
from caffepy.proto import caffe_pb2
from caffepy.proto.window_fields import given_by_axis, window_field

MAX = caffe_pb2.PoolingParameter.MAX
AVE = caffe_pb2.PoolingParameter.AVE
STOCHASTIC = caffe_pb2.PoolingParameter.STOCHASTIC
AVE_EXC_PAD = caffe_pb2.PoolingParameter.AVE_EXC_PAD
BY_AXES = 1 << 16
"""Elements from which on the maximum is taken over one axis after the other.

That is faster than torch's over windows, which also finds the places.
"""
FAST_MAX = {2: F.max_pool2d, 3: F.max_pool3d}
FAST_AVE = {2: F.avg_pool2d, 3: F.avg_pool3d}


@dataclass(frozen=True)
class PoolingSpec:
    """What a PoolingParameter says; ``kernel`` is empty for global pooling."""

    method: int
    kernel: Shape
    stride: Shape
    pad: Shape
    ceil: bool
    inside: bool = True
    """No window of a padded plane begins behind it."""
    counts_pad: bool = True
    """AVE divides by the part of a window inside bottom and padding, else inside the bottom."""

    @classmethod
    def from_proto(
        cls, layer: Layer, p: caffe_pb2.PoolingParameter, *, spatial: int
    ) -> PoolingSpec:
        """Read the fields for ``spatial`` axes.

        LayerError where they contradict or miss one another.
        """
        stride = _per_axis(layer, p, "stride", spatial)
        pad = _per_axis(layer, p, "pad", spatial)
        if p.global_pooling:
            if p.HasField("kernel_size") or p.HasField("kernel_h") or p.HasField("kernel_w"):
                raise layer.fail(
                    "global_pooling is true and a kernel size is given; needed: one or the other"
                )
            if any(pad) or any(n != 1 for n in stride):
                raise layer.fail(
                    f"global_pooling is true with stride {stride} and pad {pad};"
                    " needed: stride 1 and pad 0"
                )
            kernel: Shape = ()
        else:
            kernel = _kernel(layer, p, spatial)
        for what, values in (("kernel size", kernel), ("stride", stride)):
            if any(n < 1 for n in values):
                raise layer.fail(f"{what} is {values}; needed: at least 1 in each axis")
        if any(pad) and p.pool == STOCHASTIC:
            raise layer.fail(f"pad is {pad} with STOCHASTIC pooling; needed: pad 0, or MAX or AVE")
        if any(n >= k for n, k in zip(pad, kernel)):
            raise layer.fail(
                f"pad is {pad} and the kernel size {kernel}; needed: a pad smaller than the kernel"
            )
        excludes = p.pool == AVE_EXC_PAD or (p.pool == AVE and not p.avg_include_pad)
        method = AVE if p.pool == AVE_EXC_PAD else p.pool
        ceil = p.round_mode == p.CEIL and p.ceil_mode
        return cls(method, kernel, stride, pad, ceil, counts_pad=not excludes)

    def pooled(self, size: Sequence[int]) -> Shape:
        """Windows in each axis: rounded up or down.

        With any padding, one less if the last would start in it and all are ``inside``.
        """
        if not self.kernel:
            return (1,) * len(size)
        out = []
        for n, k, s, p in zip(size, self.kernel, self.stride, self.pad):
            steps = (n + 2 * p - k) / s
            windows = (math.ceil(steps) if self.ceil else math.floor(steps)) + 1
            out.append(
                windows - 1
                if self.inside and any(self.pad) and (windows - 1) * s >= n + p
                else windows
            )
        return tuple(out)

    def fitted(self, size: Sequence[int]) -> PoolingSpec:
        """The same windows, with kernel and stride cut to the padded bottom and one step more.

        Beyond it there is nothing.
        """
        whole = [n + 2 * p for n, p in zip(size, self.pad)]
        kernel = tuple(map(min, self.kernel or size, whole))
        return replace(
            self, kernel=kernel, stride=tuple(min(s, n + 1) for s, n in zip(self.stride, whole))
        )

    def torch_agrees(self, size: Sequence[int]) -> bool:
        """Torch's pooling takes this size and padding, and makes the same windows."""
        if len(size) not in FAST_MAX or any(2 * p > k for k, p in zip(self.kernel, self.pad)):
            return False
        if len(size) > 2 and any(n < k for n, k in zip(size, self.kernel)):
            return False
        return not any(
            (windows - 1) * s >= n + p
            for n, windows, s, p in zip(size, self.pooled(size), self.stride, self.pad)
        )


def _per_axis(layer: Layer, p: caffe_pb2.PoolingParameter, name: str, spatial: int) -> Shape:
    """``stride`` or ``pad`` for each axis."""
    given = given_by_axis(p, name)
    volume = getattr(p, f"{name}_3d")
    if volume:
        if len(volume) != spatial or given or p.HasField(name):
            raise layer.fail(
                f"{name}_3d is given {len(volume)} times for {spatial} spatial axes;"
                f" needed: once for each, and no other {name}"
            )
    elif given and (len(given) == 1 or p.HasField(name) or spatial != 2):
        raise layer.fail(
            f"{', '.join(given)} given{' with ' + name if p.HasField(name) else ''};"
            f" needed: {name}, or {name}_h and {name}_w"
        )
    return _for_axes(window_field(p, name) or (getattr(p, name),), spatial)


def _kernel(layer: Layer, p: caffe_pb2.PoolingParameter, spatial: int) -> Shape:
    pair = len(given_by_axis(p, "kernel")) == 2
    if p.kernel_size_3d:
        if len(p.kernel_size_3d) != spatial or pair or p.HasField("kernel_size"):
            raise layer.fail(
                f"kernel_size_3d is given {len(p.kernel_size_3d)} times for {spatial} spatial axes;"
                " needed: once for each, alone"
            )
    elif p.HasField("kernel_size") == pair or (pair and spatial != 2):
        given = "both" if pair else "neither"
        raise layer.fail(
            f"kernel_size and kernel_h with kernel_w: {given} given;"
            " needed: one of them (or global_pooling)"
        )
    return _for_axes(window_field(p, "kernel"), spatial)


def _for_axes(values: tuple[int, ...], spatial: int) -> Shape:
    return values * spatial if len(values) == 1 else values


@register_layer("Pooling")
class PoolingLayer(Layer):
    """Maximum, average or random choice of each window.  Caffe type ``Pooling``.

    Bottom: (N, C, H, W) float; beyond Caffe (N, C, I...) with 3 and more spatial axes.
    Top:    (N, C, PH, PW) float; PH = ceil((H + 2*pad_h - kernel_h) / stride_h) + 1 (floor with
            round_mode FLOOR), then, if there is any padding, one less where the last window would
            start in it.
            [1] (MAX only) index of the maximum in its H*W plane, -1 where there is none.
    Params: none
    Proto:  pooling_param { pool, kernel_size | kernel_h/w, pad, stride, global_pooling, round_mode,
            engine } and kernel_size_3d, stride_3d, pad_3d for 3 spatial axes, ceil_mode (false is
            round_mode FLOOR), Intel's avg_include_pad (false: AVE divides by what lies inside the
            bottom), which Synopsys writes pool AVE_EXC_PAD or AVE_TF
    Differs from torch: padding may exceed half the kernel; windows may lie wholly outside (MAX
            -FLT_MAX, AVE NaN); AVE counts the padding inside bottom + pad; MAX takes the first of
            equals and never NaN or -inf (all such: -FLT_MAX). On a GPU NaN wins, as in cuDNN.
            STOCHASTIC exists on a GPU only, as in Caffe.
    Source: BVLC Caffe, pooling_layer; Zeiler and Fergus 2013 for STOCHASTIC
    """

    tops = between(1, 2)
    fork_fields = frozenset(
        f"PoolingParameter.{name}"
        for name in (
            "kernel_size_3d",
            "stride_3d",
            "pad_3d",
            "ceil_mode",
            "avg_include_pad",
            "PoolMethod.AVE_EXC_PAD",
            "PoolMethod.AVE_TF",
        )
    )
    precision = Precision(keeps_small=True, takes_16_bits=True)
    batches = Batches(item_by_item=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read the fields for the bottom's spatial axes."""
        p = self.param.pooling_param
        check_engine(self, p)
        self._check_axes(bottoms[0])
        if self.top_count > 1 and p.pool != MAX:
            raise self.fail(
                "a second top is named, which only MAX pooling has; needed: 1 top, or pool MAX"
            )
        self.spec = PoolingSpec.from_proto(self, p, spatial=len(bottoms[0]) - 2)
        self.draws = self.spec.method == STOCHASTIC and self.phase == TRAIN

    def _check_axes(self, bottom: Shape) -> None:
        if len(bottom) < 4:
            raise self.fail(
                f"bottom has {len(bottom)} axes; needed: 4 (number, channels, height, width),"
                " or more for pooling volumes"
            )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """(N, C, P...) for each top."""
        self._check_axes(bottoms[0])
        size = bottoms[0][2:]
        if len(size) != len(self.spec.stride):
            raise self.fail(
                f"bottom has {len(size)} spatial axes; needed: {len(self.spec.stride)},"
                " as at the start"
            )
        pooled = self.spec.pooled(size)
        if any(n < 1 for n in pooled):
            raise self.fail(
                f"kernel size {self.spec.kernel} finds no window in a bottom of {size};"
                " needed: a smaller kernel"
            )
        self.batches = replace(self.batches, traceable=self._is_plain(size))
        return ((*bottoms[0][:2], *pooled),) * max(1, self.top_count)

    def _is_plain(self, size: Sequence[int]) -> bool:
        """Whether one operator of torch computes it, for finite numbers at least."""
        return (
            len(size) == 2
            and self.top_count <= 1
            and self.spec.method != STOCHASTIC
            and self.spec.fitted(size).torch_agrees(size)
        )

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """By torch's kernels where they compute the same, else by the general way."""
        return pool(self, self.spec, bottoms[0])

    def prepared(self, bottoms: Sequence[Shape]) -> Forward:
        """Where torch computes the same, straight to its kernel.

        MAX then looks for NaN and infinities as `pool` does.
        """
        size = bottoms[0][2:]
        spec = self.spec.fitted(size)
        if not self._is_plain(size):
            return self.forward
        kernel = spec.kernel
        stride = spec.stride
        pad = spec.pad
        ceil = spec.ceil
        if spec.method == AVE:
            counts_pad = spec.counts_pad
            return lambda x, blobs, run: (
                F.avg_pool2d(x[0], kernel, stride, pad, ceil, counts_pad),
            )

        pooled = spec.pooled(size)
        by_axes = count(bottoms[0]) >= BY_AXES and max(kernel) <= 5

        def forward(x: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
            if run.recorded is not None:
                return (torch.max_pool2d(x[0], kernel, stride, pad, 1, ceil),)
            if (
                by_axes
                and is_readable(x[0])
                and not (x[0].requires_grad and torch.is_grad_enabled())
            ):
                y = general.maxima_by_axes(x[0], kernel, stride, pad, pooled)
            else:
                y = torch.max_pool2d(x[0], kernel, stride, pad, 1, ceil)
            return (y,) if _is_finite(y) else self.forward(x, blobs, run)

        return forward


def _is_finite(y: Tensor) -> bool:
    """Whether no maximum is NaN or infinite, or nobody can look: one sum of the top tells."""
    return not is_readable(y) or math.isfinite(
        (y.detach() if y.requires_grad else y).sum(dtype=wide(y.dtype)).item()
    )


def pool(layer: Layer, spec: PoolingSpec, x: Tensor) -> tuple[Tensor, ...]:
    """The pooled ``x``, and for a MAX layer with a second top the mask."""
    size = tuple(x.shape[2:])
    pooled = spec.pooled(size)
    spec = spec.fitted(size)
    masked = layer.top_count > 1
    kernel = spec.kernel
    if spec.method == STOCHASTIC:
        if x.device.type == "cpu":
            raise layer.fail(
                "STOCHASTIC pooling is not implemented on the CPU; needed: pool MAX or AVE,"
                " or a GPU"
            )
        return (
            general.stochastic_pool(x, kernel, spec.stride, pooled, train=layer.phase == TRAIN),
        )
    fast = spec.torch_agrees(size)
    if spec.method == AVE:
        if fast:
            # torch has no average of volumes of 16-bit numbers
            known = x.to(wide(x.dtype)) if len(size) > 2 else x
            return (
                FAST_AVE[len(size)](
                    known, kernel, spec.stride, spec.pad, spec.ceil, spec.counts_pad
                ).to(x.dtype),
            )
        return (
            general.average_pool(
                x, kernel, spec.stride, spec.pad, pooled, counts_pad=spec.counts_pad
            ),
        )
    if fast and not masked:
        y = FAST_MAX[len(size)](x, kernel, spec.stride, spec.pad, 1, spec.ceil)
        if _is_finite(y):
            return (y,)
    y, mask = general.max_pool(x, kernel, spec.stride, spec.pad, pooled)
    return (y, mask) if masked else (y,)
