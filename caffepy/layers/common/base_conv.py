"""What Convolution, Deconvolution and Im2col share.

Windows over N spatial axes, their fields, and how they are counted.
"""

# N batch, C channels, I... spatial input, O... spatial output, K... kernel; g groups

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.neuron import check_engine
from caffepy.layers.core.base import (
    BlobSpec,
    Layer,
    Shape,
    at_least,
    canonical_axis,
    count,
    largest,
)
from caffepy.layers.core.traits import Precision
from caffepy.proto import caffe_pb2
from caffepy.proto.window_fields import OLD_DILATION, WHOLE, given_by_axis, window_field

HOLE_FIELDS = frozenset({f"ConvolutionParameter.{name}" for name in ("hole", "hole_h", "hole_w")})


@dataclass(frozen=True)
class Windows:
    """Kernel, stride, padding and dilation in each spatial axis."""

    kernel: Shape
    stride: Shape
    pad: Shape
    dilation: Shape

    @classmethod
    def from_proto(
        cls, layer: Layer, message: caffe_pb2.ConvolutionParameter, *, spatial: int
    ) -> Windows:
        """Read a ConvolutionParameter for ``spatial`` axes.

        LayerError where its fields contradict or miss one another.
        """
        kernel = _per_axis(layer, message, "kernel", spatial, default=None)
        stride = _per_axis(layer, message, "stride", spatial, default=1)
        pad = _per_axis(layer, message, "pad", spatial, default=0)
        if message.dilation and (message.hole or given_by_axis(message, OLD_DILATION)):
            raise layer.fail("dilation and hole are both given; needed: one or the other")
        name = "dilation" if message.dilation else OLD_DILATION
        dilation = _per_axis(layer, message, name, spatial, default=1)
        for what, values in (("kernel_size", kernel), ("stride", stride), ("dilation", dilation)):
            if any(n < 1 for n in values):
                raise layer.fail(
                    f"{what} is {_words(values)}; needed: at least 1 in each spatial axis"
                )
        return cls(kernel, stride, pad, dilation)

    @property
    def extent(self) -> Shape:
        """Input elements that a window reaches over, gaps of the dilation included."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation))

    def astray(self, size: Sequence[int]) -> bool:
        """In some axis of ``size`` all elements of dilated windows lie in the padding."""
        return any(
            d > 1
            and not any(
                0 <= first + d * tap < n
                for first in range(-p, n + p - d * (k - 1), s)
                for tap in range(k)
            )
            for n, k, s, p, d in zip(size, self.kernel, self.stride, self.pad, self.dilation)
        )

    def strides_alone(self, windows: Sequence[int]) -> bool:
        """An axis with a stride has only one of the ``windows``."""
        return any(n == 1 and s > 1 for n, s in zip(windows, self.stride))

    def outputs(self, layer: Layer, size: Sequence[int]) -> Shape:
        """Windows that fit in each axis of ``size``; LayerError if none does.

        The division truncates towards zero, so a kernel that is too large by less than a stride
        still gives one window.
        """
        rooms = [n + 2 * p - e for n, p, e in zip(size, self.pad, self.extent)]
        out = tuple(int(room / s) + 1 for room, s in zip(rooms, self.stride))
        if any(n < 1 for n in out):
            raise layer.fail(
                f"kernel reaches over {_words(self.extent)} elements, the padded bottom has"
                f" {_words([n + 2 * p for n, p in zip(size, self.pad)])}; needed: a smaller kernel,"
                " more padding or a larger bottom"
            )
        return out

    def inputs(self, layer: Layer, size: Sequence[int]) -> Shape:
        """The transposed rule: the size that ``size`` windows spread over.

        LayerError if nothing is left of it.
        """
        out = tuple(
            s * (n - 1) + e - 2 * p for n, s, e, p in zip(size, self.stride, self.extent, self.pad)
        )
        if any(n < 1 for n in out):
            raise layer.fail(
                f"pad {_words(self.pad)} leaves a top of {_words(out)};"
                " needed: a smaller pad or a larger kernel"
            )
        return out

    def lengthened(self, x: Tensor) -> Tensor:
        """``x`` with zeros after its end where a window reaches beyond the padding (see `outputs`).

        Mostly that is ``x`` itself.
        """
        short = self.overhang(x.shape[-len(self.kernel) :] if self.kernel else ())
        return F.pad(x, [n for s in reversed(short) for n in (0, s)]) if any(short) else x

    def overhang(self, size: Sequence[int]) -> list[int]:
        """For each axis of ``size``: elements of the first window beyond the padding's end.

        Mostly 0.
        """
        return [max(0, e - n - 2 * p) for n, p, e in zip(size, self.pad, self.extent)]

    @property
    def picks(self) -> bool:
        """Each window is one element, and some elements are in none."""
        return set(self.kernel) == {1} and not any(self.pad) and max(self.stride) > 1

    def picked(self, x: Tensor) -> Tensor:
        """The elements of ``x`` (N, C, I...) that windows of one element (see `picks`) look at."""
        return x[(slice(None), slice(None), *(slice(None, None, s) for s in self.stride))]

    def patches(self, x: Tensor) -> Tensor:
        """All windows of ``x`` (N, C, I...), with zeros around it: a view (N, C, O..., K...)."""
        if any(self.pad):
            x = F.pad(x, [n for p in reversed(self.pad) for n in (p, p)])
        for axis, (extent, stride, dilation) in enumerate(
            zip(self.extent, self.stride, self.dilation), start=2
        ):
            x = x.unfold(axis, extent, stride)[..., ::dilation]
        return x


def _words(values: Sequence[int]) -> str:
    return " x ".join(str(n) for n in values)


def _per_axis(
    layer: Layer,
    message: caffe_pb2.ConvolutionParameter,
    name: str,
    spatial: int,
    *,
    default: int | None,
) -> Shape:
    """The value of ``kernel``, ``stride``, ``pad`` or ``hole`` for each axis."""
    field = WHOLE.get(name, name)
    if given_by_axis(message, name):
        if spatial != 2:
            raise layer.fail(
                f"{name}_h/{name}_w given for {spatial} spatial axes;"
                f" needed: {field} (these two are for 2 axes)"
            )
        if getattr(message, field):
            raise layer.fail(
                f"{field} and {name}_h/{name}_w are both given; needed: one or the other"
            )
    given = window_field(message, name)
    if len(given) == spatial:
        return given
    if len(given) == 1:
        return given * spatial
    if not given and default is not None:
        return (default,) * spatial
    raise layer.fail(
        f"{field} is given {len(given)} times; needed: once,"
        f" or once for each of the {spatial} spatial axes"
    )


class BaseConvolutionLayer(Layer):
    """Fields, blobs and shape rule of Convolution and, ``transposed``, Deconvolution.

    ``elementary``: whether torch's convolutions do not compute this shape: more than 3 axes, and
    what oneDNN (of torch 2.13 at least) gets wrong where the channels lie last. It ends the process
    over windows that are `astray`, and reads memory of others for one channel that has one window
    in an axis with a stride.
    """

    bottoms = at_least(1)
    tops = at_least(1)
    as_many_tops = True
    fork_fields = HOLE_FIELDS
    transposed = False
    precision = Precision(sums_products=True, sums_bottoms=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Blobs: weight and, with bias_term, bias."""
        p = self.param.convolution_param
        check_engine(self, p)
        self.axes = len(bottoms[0])
        self.axis = canonical_axis(self, p.axis, self.axes)
        self.batches = replace(self.batches, item_by_item=self.axis >= 1, traceable=True)
        self.windows = Windows.from_proto(self, p, spatial=self.axes - self.axis - 1)
        self.channels = bottoms[0][self.axis]
        self.num_output = int(p.num_output)
        self.group = int(p.group)
        if self.num_output < 1:
            raise self.fail("num_output is 0; needed: at least 1")
        for what, n in (("channels of the bottom", self.channels), ("num_output", self.num_output)):
            if self.group < 1 or n % self.group:
                raise self.fail(
                    f"group is {self.group} and {what} {n}; needed: a group that divides it"
                )
        outer, inner = (
            (self.channels, self.num_output)
            if self.transposed
            else (self.num_output, self.channels)
        )
        weight = BlobSpec((outer, inner // self.group, *self.windows.kernel), p.weight_filler)
        self.blobs = (
            (weight, BlobSpec((self.num_output,), p.bias_filler)) if p.bias_term else (weight,)
        )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Axes before ``axis`` stay, then num_output, then the number of windows."""
        for i, shape in enumerate(bottoms):
            if len(shape) != self.axes:
                raise self.fail(
                    f"bottom {i} has {len(shape)} axes; needed: {self.axes}, as at the start"
                )
            if shape[self.axis] != self.channels:
                raise self.fail(
                    f"bottom {i} has {shape[self.axis]} channels; needed: {self.channels},"
                    " which the weights were made for"
                )
            if shape != bottoms[0]:
                raise self.fail(
                    f"bottom {i} is {_words(shape)} and bottom 0 {_words(bottoms[0])};"
                    " needed: equal shapes"
                )
        spatial = bottoms[0][self.axis + 1 :]
        spread = (
            self.windows.inputs(self, spatial)
            if self.transposed
            else self.windows.outputs(self, spatial)
        )
        wide, windows = (spread, spatial) if self.transposed else (spatial, spread)
        inputs = self.num_output if self.transposed else self.channels
        self.elementary = (
            len(self.windows.kernel) > 3
            or self.windows.astray(wide)
            or (inputs == 1 and self.windows.strides_alone(windows))
        )
        return ((*bottoms[0][: self.axis], self.num_output, *spread),) * len(bottoms)

    def growth(self, blobs: Sequence[Tensor]) -> float:
        sums = blobs[0].detach().abs().transpose(0, int(self.transposed)).flatten(1).sum(1)
        return largest(sums) + sum(map(largest, blobs[1:]))

    def flops(self, bottoms: Sequence[Shape], tops: Sequence[Shape]) -> int:
        """Two for each weight and window."""
        windows = count((bottoms if self.transposed else tops)[0], self.axis + 1)
        return (
            2
            * len(bottoms)
            * count(bottoms[0], 0, self.axis)
            * windows
            * count(self.blobs[0].shape)
        )

    def batched(self, x: Tensor) -> Tensor:
        """``x`` as (N, C, I...), the axes before ``axis`` in one.

        With no spatial axis one of length 1 is added.
        """
        if self.axis != 1:
            x = x.reshape(count(x.shape[: self.axis]), *x.shape[self.axis :])
        return x if self.windows.kernel else x.unsqueeze(-1)

    def unbatched(self, y: Tensor, like: Tensor) -> Tensor:
        """Undo `batched`, with the leading axes of ``like``."""
        if not self.windows.kernel:
            y = y.squeeze(-1)
        return y if self.axis == 1 else y.reshape(*like.shape[: self.axis], *y.shape[1:])
