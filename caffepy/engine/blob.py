"""A blob as Caffe has it: values and gradient in memory that scripts may read and write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caffepy.layers.core.base import Shape, count

Array = npt.NDArray[np.float32]


class Blob:
    """Values (``data``) and gradient (``diff``) of one blob, two float32 tensors of one shape.

    ``data_array()`` and ``diff_array()`` return writable arrays that share the tensors' memory.
    After that the blob keeps this memory, and later values are copied to it. Before, a layer's
    result becomes the blob's data without a copy.
    """

    weight: float = 0.0
    """Loss weight of the blob's elements.

    The gradient has this value until something is written to it, and again after the number of
    elements has changed.
    """

    def __init__(self, data: Tensor) -> None:
        self.data = data
        self._diff: Tensor | None = None
        self._shown = False

    @property
    def diff(self) -> Tensor:
        """The gradient of the values, which is made when it is first read."""
        if self._diff is None or self._diff.shape != self.data.shape:
            self._diff = torch.full(self.data.shape, self.weight, device=self.data.device)
        return self._diff

    @property
    def shape(self) -> Shape:
        """Length of each axis. Reading it moves nothing between a GPU and main memory."""
        return tuple(self.data.shape)

    @property
    def device(self) -> torch.device:
        """The device that computes with the values."""
        return self.data.device

    def take(self, values: Tensor) -> None:
        """Make a layer's result the blob's values. Nothing else may write ``values`` afterwards."""
        if not self._shown:
            self.data = values
        elif values.shape == self.data.shape:
            self.data.copy_(values)
        else:
            self.data = values
            self._shown = False

    def sync(self) -> None:
        """Copy what was written to the arrays to the tensors. On the CPU they share memory."""

    def kept(self) -> Tensor:
        """The present values, in memory that no later `take` changes."""
        return self.data.clone() if self._shown else self.data.data

    def present(self) -> Tensor | None:
        """The present values, to be read only; None if they are yet to be computed.

        Nothing is computed by the call, nor copied between a GPU and main memory.
        """
        return self.data.detach()

    def data_array(self) -> Array:
        """The values as an array, contiguous, of the blob's shape."""
        if not self._shown:
            self.data = self.data.contiguous()
            self._shown = True
        array: Array = self.data.numpy()
        return array

    def diff_array(self) -> Array:
        """The gradient as an array."""
        array: Array = self.diff.numpy()
        return array

    def seen_as(self, shape: Shape) -> Blob:
        """This blob, or one of another shape that shares its memory."""
        return self if self.shape == shape else _Reshaped(self, shape)

    def reshape(self, shape: Sequence[int]) -> None:
        """Change the shape.

        As in Caffe, values and gradient are kept unless the number of elements grows.
        """
        if tuple(self.data.shape) == tuple(shape):
            return
        if count(shape) <= self.data.numel():
            self._diff = _fewer(self.diff, shape) if self._diff is not None else None
            self.data = _fewer(self.data, shape)
        else:
            self.data = torch.zeros(tuple(shape), device=self.data.device)
            self._diff = None
            self._shown = False


def _fewer(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    """The first elements of ``tensor`` as a view of another shape."""
    return tensor.contiguous().view(-1)[: count(shape)].view(tuple(shape))


class _Reshaped(Blob):
    """The memory of another blob in another shape."""

    def __init__(self, base: Blob, shape: Shape) -> None:
        self._base = base
        self._shape = shape

    @property
    def data(self) -> Tensor:  # type: ignore[override]  # the base has an attribute
        return self._base.data.view(self._shape)

    @property
    def shape(self) -> Shape:
        return self._shape

    @property
    def device(self) -> torch.device:
        return self._base.device

    @property
    def diff(self) -> Tensor:
        return self._base.diff.view(self._shape)

    def present(self) -> Tensor | None:
        values = self._base.present()
        return None if values is None else values.reshape(self._shape)

    def data_array(self) -> Array:
        return self._base.data_array().reshape(self._shape)

    def diff_array(self) -> Array:
        return self._base.diff_array().reshape(self._shape)


class AwaitedBlob(Blob):
    """A blob whose values are computed when somebody reads them.

    ``ask`` is called before each read. If values are due it computes them and calls `take`.
    ``is_due`` tells whether they are.
    """

    def __init__(self, data: Tensor, ask: Callable[[], None], is_due: Callable[[], bool]) -> None:
        self._ask = ask
        self._is_due = is_due
        super().__init__(data)

    @property
    def data(self) -> Tensor:
        self._ask()
        return self._values

    @data.setter
    def data(self, values: Tensor) -> None:
        self._values = values

    def present(self) -> Tensor | None:
        return None if self._is_due() else self._values.detach()


class MirroredBlob(Blob):
    """A blob on a GPU.

    As in Caffe, scripts read and write a copy in main memory, which is copied back before the GPU
    uses the blob again.
    """

    def __init__(self, data: Tensor) -> None:
        self._data = _Mirrored(data)
        self._gradient: _Mirrored | None = None

    @property
    def data(self) -> Tensor:
        return self._data.on_device()

    @data.setter
    def data(self, values: Tensor) -> None:
        self._data.replace(values)

    @property
    def shape(self) -> Shape:
        return tuple(self._data.tensor.shape)

    @property
    def device(self) -> torch.device:
        return self._data.tensor.device

    @property
    def diff(self) -> Tensor:
        return self._mirrored_diff().on_device()

    def take(self, values: Tensor) -> None:
        self.data = values

    def sync(self) -> None:
        self._data.on_device()
        if self._gradient is not None:
            self._gradient.on_device()

    def kept(self) -> Tensor:
        return self.data.data

    def present(self) -> Tensor | None:
        return self._data.leading()

    def data_array(self) -> Array:
        return self._data.on_host()

    def diff_array(self) -> Array:
        return self._mirrored_diff().on_host()

    def reshape(self, shape: Sequence[int]) -> None:
        if self.shape == tuple(shape):
            return
        fits = count(shape) <= self.data.numel()
        self.data = (
            _fewer(self.data, shape) if fits else torch.zeros(tuple(shape), device=self.device)
        )

    def _mirrored_diff(self) -> _Mirrored:
        data = self._data.tensor
        if self._gradient is None:
            self._gradient = _Mirrored(torch.full_like(data, self.weight))
        elif self._gradient.tensor.shape != data.shape:
            old = self._gradient.on_device()
            self._gradient.replace(
                _fewer(old, data.shape)
                if data.numel() <= old.numel()
                else torch.full_like(data, self.weight)
            )
        return self._gradient


class _Mirrored:
    """A ``tensor`` on a GPU and its copy in main memory. The one asked for last is up to date."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self._host = torch.empty(0)
        self._host_leads = False

    def replace(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self._host_leads = False

    def leading(self) -> Tensor:
        """The one that is up to date; neither is changed."""
        return self._host if self._host_leads else self.tensor

    def on_device(self) -> Tensor:
        if self._host_leads:
            self.tensor.copy_(self._host)
            self._host_leads = False
        return self.tensor

    def on_host(self) -> Array:
        if not self._host_leads:
            if self._host.shape != self.tensor.shape:
                self._host = torch.empty(self.tensor.shape)
            self._host.copy_(self.tensor)
            self._host_leads = True
        array: Array = self._host.numpy()
        return array


def new_blob(data: Tensor) -> Blob:
    """A blob on this tensor's memory."""
    return Blob(data) if data.device.type == "cpu" else MirroredBlob(data)
