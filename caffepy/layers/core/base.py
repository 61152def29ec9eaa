"""What every layer is: a shape rule, parameter blobs, and a forward pass in torch.

A layer object holds what its prototxt says and nothing that changes from pass to pass; phase,
random stream and state arrive with each call in a `Run`. Backward is autograd's, or that of the
layer's own autograd function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.core.traits import Batches, Device, Gradients, Memory, Precision, Quirks

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from caffepy.data.shard import Shard
    from caffepy.data.source import Source
    from caffepy.layers.core.random import CaffeRandom
    from caffepy.proto import caffe_pb2

Shape = tuple[int, ...]
TRAIN, TEST = 0, 1


@dataclass(frozen=True)
class Count:
    """How many bottoms or tops a layer takes: ``least`` to ``most`` (None: any number)."""

    least: int
    most: int | None

    def refusal(self, number: int) -> str | None:
        """What is needed, in words, if ``number`` is not allowed."""
        if number >= self.least and (self.most is None or number <= self.most):
            return None
        if self.most is None:
            return f"at least {self.least}"
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


def exactly(n: int) -> Count:
    """Just ``n`` blobs."""
    return Count(n, n)


def at_least(n: int) -> Count:
    """``n`` blobs or more."""
    return Count(n, None)


def between(least: int, most: int) -> Count:
    """From ``least`` to ``most`` blobs."""
    return Count(least, most)


@dataclass(frozen=True)
class BlobSpec:
    """One parameter blob of a layer: its shape and how it is filled at first (None: zeros).

    ``filler`` is a caffe.FillerParameter message. Without one, ``values`` (an array of that shape)
    or ``constant``.
    """

    shape: Shape
    filler: caffe_pb2.FillerParameter | None = None
    constant: float = 0.0
    values: npt.NDArray[np.float32] | None = field(default=None, compare=False)


@dataclass
class Run:
    """What a layer is given beside its bottoms and parameters.

    There is one object for each node and engine, kept between passes.

    ``inplace``: the layer may overwrite its first bottom, as nothing else reads it.
    ``second_free``: its second.
    ``only_summed``: its tops only ever become terms of sums, where the sign of a zero does not
    matter.
    ``random``: the random stream of this process, as Caffe's ``rng_stream``.
    ``state``: what the node keeps between passes (recurrent state, constant data), private to it.
    ``frozen``: None while the parameters may change from pass to pass. Otherwise a place for what
    the layer derives from them, emptied when they may change again.
    ``mean_count``: where several ranks compute on parts of one batch, a count's mean over them, at
    least 1 for all of them together. ``parts``: how many do.
    ``recorded``: None but in a pass whose operators are recorded for later passes, in which all
    numbers are finite. A layer can add numbers to it: the pass is wrong unless each is below the
    float beside it.
    """

    phase: int
    random: CaffeRandom
    inplace: bool = False
    second_free: bool = False
    only_summed: bool = False
    state: dict[str, Any] = field(default_factory=dict)
    frozen: dict[str, Any] | None = None
    mean_count: Callable[[Tensor], Tensor] | None = None
    parts: int = 1
    recorded: list[tuple[Tensor, float]] | None = None

    def constant(self, key: str, like: Tensor, make: Callable[[], Tensor]) -> Tensor:
        """What ``make`` gives, made once and kept where ``like`` is.

        A CUDA graph cannot record a copy to a GPU.
        """
        tensor: Tensor | None = self.state.get(key)
        if tensor is None or tensor.device != like.device or tensor.dtype != like.dtype:
            tensor = self.state[key] = make().to(like)
        return tensor


class Layer:
    """Base of all layers.

    Subclass it, declare the class attributes, and define `setup`, `reshape` and `forward`. Errors:
    every check of a user's input calls `fail`, which raises LayerError; the net adds file:line and
    layer.
    """

    type: ClassVar[str]
    bottoms: ClassVar[Count] = exactly(1)
    tops: ClassVar[Count] = exactly(1)
    as_many_tops: ClassVar[bool] = False
    """The number of tops must equal the number of bottoms."""
    is_loss: ClassVar[bool] = False
    """A missing top is made up, and the first top has a loss_weight by default.

    That is 1, or 0 where its Caffe takes that (see net/loss_weights.py).
    """
    is_source: ClassVar[bool] = False
    """A data layer: it has `open` in place of `forward`."""
    fork_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields beyond BVLC Caffe's that the layer reads, as ``PoolingParameter.pad_3d``.

    Others are refused.
    """
    offline: bool = False
    """The net is only looked at, never run.

    `setup` then reads no file that shapes do not need, and writes none.
    """
    draws: bool = False
    """Each pass draws random numbers."""

    # What the compiler and the engines need to know of it; see traits.py.
    gradients: Gradients = Gradients()
    memory: Memory = Memory()
    device: Device = Device()
    precision: Precision = Precision()
    batches: Batches = Batches()
    quirks: Quirks = Quirks()

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int) -> None:
        """``param``: the caffe.LayerParameter; ``phase``: TRAIN or TEST."""
        self.param = param
        self.phase = phase
        self.blobs: tuple[BlobSpec, ...] = ()

    @classmethod
    def remembers(cls, param: caffe_pb2.LayerParameter) -> bool:
        """Whether a pass of a test depends on earlier batches, in its tops or in what it writes."""
        return False

    def fail(self, message: str) -> LayerError:
        """The error to raise for a user's mistake.

        ``raise self.fail("kernel_size is 0; needed: at least 1")``
        """
        return LayerError(message)

    def check_counts(self, bottoms: int, tops: int) -> None:
        """Refuse a wrong number of bottoms or tops."""
        for what, count, number in (("bottom", self.bottoms, bottoms), ("top", self.tops, tops)):
            needed = count.refusal(number)
            if needed:
                raise self.fail(f"takes {needed} {what} blob(s), {number} given")
        if self.as_many_tops and bottoms != tops:
            raise self.fail(
                f"makes as many tops as it has bottoms, {bottoms} bottoms and {tops} tops given"
            )

    def check_equal(self, bottoms: Sequence[Shape]) -> None:
        """Refuse bottoms of several shapes."""
        for i, shape in enumerate(bottoms):
            if shape != bottoms[0]:
                raise self.fail(
                    f"bottom {i} is {shape} and bottom 0 {bottoms[0]}; needed: equal shapes"
                )

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Called once, before the first `reshape`: read the fields and set ``self.blobs``."""

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Shapes of the tops for these shapes of the bottoms; raises when they do not fit."""
        raise NotImplementedError

    def open(self, shard: Shard) -> Source:
        """The source of a data layer (``is_source``), for this rank's part of the records."""
        raise NotImplementedError

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The tops. Differentiable by autograd in ``bottoms`` and ``blobs``."""
        raise NotImplementedError

    def state_shapes(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Shapes of the tensors that last from pass to pass; most layers have none.

        `state_tensors` finds memory for them.
        """
        return ()

    def resume(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Tops for a backward pass that no `forward` on these values came before."""
        return self.forward(bottoms, blobs, run)

    def fill_top(self, i: int, random: CaffeRandom) -> Tensor:
        """Values for top ``i``, one of `Memory.filled_once`, on the CPU."""
        raise NotImplementedError

    def prepared(self, bottoms: Sequence[Shape]) -> Forward:
        """`forward` for bottoms of just these shapes, after `reshape`.

        A layer may give one with less to decide in each pass.
        """
        return self.forward

    def growth(self, blobs: Sequence[Tensor]) -> float:
        """How many times larger than 1, and than the largest number of the bottoms, tops can be.

        Asked of layers that are `Batches.traceable`.
        """
        return 1.0

    def weights_warning(self, trained: Sequence[npt.NDArray[np.float32] | None]) -> str:
        """What is odd about the blobs of this layer in a file of weights; empty if nothing is.

        It goes into a warning or an error.
        """
        return ""

    def flops(self, bottoms: Sequence[Shape], tops: Sequence[Shape]) -> int:
        """Multiply-adds times two of one forward pass; 0 where they do not count."""
        return 0

    @property
    def in_place(self) -> bool:
        """The prototxt gives the first top the name of the first bottom.

        Some gradients and one sum depend on it in Caffe.
        """
        return (
            bool(self.param.top and self.param.bottom) and self.param.top[0] == self.param.bottom[0]
        )

    @property
    def top_count(self) -> int:
        """Number of tops that the prototxt names."""
        return len(self.param.top)


def largest(x: Tensor) -> float:
    """The largest absolute value; 0 of nothing."""
    return float(x.detach().abs().max()) if x.numel() else 0.0


Forward = Callable[[Sequence[Tensor], Sequence[Tensor], Run], tuple[Tensor, ...]]


def is_readable(x: Tensor) -> bool:
    """Whether the values of ``x`` can be looked at without waiting for a GPU.

    They can if they are on the CPU, and nobody traces the layer.
    """
    return x.device.type == "cpu" and not torch.compiler.is_compiling()


def canonical_axis(layer: Layer, axis: int, axes: int, name: str = "axis") -> int:
    """``axis`` counted from the front: -1 is the last of ``axes``; LayerError if out of range."""
    if not -axes <= axis < axes:
        raise layer.fail(f"{name} is {axis} for a {axes}-axis blob; needed: {-axes} to {axes - 1}")
    return axis % axes


def count(shape: Sequence[int], start: int = 0, end: int | None = None) -> int:
    """Number of elements of the axes from ``start`` up to ``end``."""
    total = 1
    for n in shape[start:end]:
        total *= n
    return total


def shape_string(shape: Sequence[int]) -> str:
    """A shape as Caffe prints it: ``20 1 5 5 (500)``."""
    return "".join(f"{n} " for n in shape) + f"({count(shape)})"


def as_rows(x: Tensor) -> Tensor:
    """(N, ...) as (N, elements of an item).

    N may be 0, where torch cannot tell what -1 would be.
    """
    return x.reshape(x.shape[0], count(x.shape, 1))


def contiguous_copy(x: Tensor) -> Tensor:
    """``x`` in memory of its own, in the order of its axes.

    It is copied in any case: a following layer may overwrite it.
    """
    return x.clone(memory_format=torch.contiguous_format)
