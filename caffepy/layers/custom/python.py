"""Layers that users write in Python: ``import caffe; class L(caffe.Layer)``."""

from __future__ import annotations

import importlib
import os
import sys
import sysconfig
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from caffepy.errors import CaffeError, LayerError
from caffepy.layers.common.python_blob import Array, PythonBlob, PythonBlobs
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import BlobSpec, Layer, Run, Shape, at_least
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Device, Memory
from caffepy.proto import caffe_pb2
from caffepy.real_caffe import other_note, own_first

LIBRARIES = tuple(
    os.path.join(folder, "")
    for folder in (
        str(Path(__file__).parents[1]),
        *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")),
    )
)
"""Folders whose code is not the user's."""


class Phase(int):
    """0 or 1, as in BVLC Caffe, whose text is TRAIN or TEST.

    The layers of py-faster-rcnn look up ``cfg[str(self.phase)]``.
    """

    def __str__(self) -> str:
        return ("TRAIN", "TEST")[self]


class UserLayer:
    """Base of users' layers, ``caffe.Layer``.

    They define ``setup(bottom, top)``, ``reshape(bottom, top)``, ``forward(bottom, top)`` and
    ``backward(top, propagate_down, bottom)``, and find ``param_str``, ``phase`` and ``blobs`` here.
    """

    type: str = "Python"
    param_str: str = ""
    phase: int = Phase(0)
    blobs: PythonBlobs

    def __init__(self, param: caffe_pb2.LayerParameter | None = None) -> None:
        self.layer_param = param
        self.blobs = PythonBlobs()

    def __repr__(self) -> str:
        # a class of the user's own may not have called __init__
        param = getattr(self, "layer_param", None)
        name = "" if param is None else f" {param.name!r}"
        return f"<{type(self).__name__}{name}, a layer in Python>"

    def setup(self, bottom: Sequence[PythonBlob], top: Sequence[PythonBlob]) -> None:
        """Called once, before anything else."""

    def reshape(self, bottom: Sequence[PythonBlob], top: Sequence[PythonBlob]) -> None:
        """Give the tops their shapes; called before each forward."""

    def forward(self, bottom: Sequence[PythonBlob], top: Sequence[PythonBlob]) -> None:
        """Fill the tops' data."""
        raise NotImplementedError("needed: a method forward(self, bottom, top)")

    def backward(
        self,
        top: Sequence[PythonBlob],
        propagate_down: Sequence[bool],
        bottom: Sequence[PythonBlob],
    ) -> None:
        """Fill the diffs of bottoms, where wanted, and add to the diffs of parameters."""
        raise NotImplementedError("needed: a method backward(self, top, propagate_down, bottom)")


class _Call(torch.autograd.Function):
    """A forward pass of a user's layer; the gradient is the user's backward pass.

    If ``passes`` is false the tops are what the last forward pass left.
    """

    @staticmethod
    def forward(
        ctx: Context, layer: PythonLayer, count: int, passes: bool, *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        overwritten = layer.overwritten
        bottoms = [
            PythonBlob(data=_array(t).copy() if i in overwritten else _array(t))
            for i, t in enumerate(tensors[:count])
        ]
        tops = layer.tops_for(bottoms)
        layer.lend(tensors[count:])
        if passes:
            layer.call("reshape", bottoms, tops)
            layer.call("forward", bottoms, tops)
            layer.take_back()
        ctx.layer = layer
        ctx.bottoms = bottoms
        ctx.tops = tops
        ctx.count = count
        ctx.inputs = [(t.shape, t.device) for t in tensors]
        device = tensors[0].device if tensors else torch.device("cpu")
        return tuple(torch.from_numpy(np.array(top.data, np.float32)).to(device) for top in tops)

    @staticmethod
    def backward(ctx: Context, *diffs: Tensor) -> tuple[Tensor | None, ...]:
        layer = ctx.layer
        count = ctx.count
        wanted = list(ctx.needs_input_grad[3:])
        for top, diff in zip(ctx.tops, diffs):
            top.diff[...] = _array(diff)
        for blob in layer.instance.blobs:
            blob.diff.fill(0)
        layer.call("backward", ctx.tops, wanted[:count], ctx.bottoms)
        layer.take_back()
        made = [blob.diff for blob in (*ctx.bottoms, *layer.instance.blobs)]
        for i, (diff, (shape, _)) in enumerate(zip(made, ctx.inputs)):
            if diff.size != shape.numel():
                what = f"bottom[{i}]" if i < count else f"blobs[{i - count}]"
                raise layer.fail(
                    f"its {what} was reshaped to {diff.size} elements, needed:"
                    f" the {shape.numel()} that there are"
                )
        return (
            None,
            None,
            None,
            *(
                torch.from_numpy(np.array(diff, np.float32)).reshape(shape).to(device)
                if want
                else None
                for diff, want, (shape, device) in zip(made, wanted, ctx.inputs)
            ),
        )


def _array(tensor: Tensor) -> Array:
    # Not ascontiguousarray, which gives a loss without axes one axis.
    return np.asarray(tensor.detach().cpu().numpy(), order="C")


@register_layer("Python")
class PythonLayer(Layer):
    """A layer written by the user in Python.  Caffe type ``Python``.

    Bottom: any number, as the user's layer expects.
    Top:    any number, shaped by its ``reshape``.
    Params: what its ``setup`` (or first ``reshape``) adds by ``self.blobs.add_blob(*shape)``
    Proto:  python_param { module, layer, param_str, share_in_parallel (ignored, as in Caffe) }
    Differs from torch: computes in numpy on the CPU; the working folder is searched for the module,
            as under Caffe's PYTHONPATH.
    Source: BVLC Caffe, python_layer
    """

    bottoms = at_least(0)
    tops = at_least(0)
    memory = Memory(saves_top=True, aliases_bottom=True)
    device = Device(on_host=True)

    @classmethod
    def remembers(cls, param: caffe_pb2.LayerParameter) -> bool:
        return True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Import the module, make the object, run its ``setup`` and its first ``reshape``.

        Both may add parameters.
        """
        p = self.param.python_param
        self.instance = self._new(p.module, p.layer)
        if not hasattr(self.instance, "blobs"):
            self.instance.blobs = PythonBlobs()
        # param_str_ is an older name.
        self.instance.param_str = self.instance.param_str_ = p.param_str
        self.instance.phase = Phase(self.phase)
        # The tops stay the same objects, as a user's layer may read what it wrote to them before.
        self.tops_kept = [PythonBlob() for _ in range(self.top_count)]
        given = [PythonBlob(shape) for shape in bottoms]
        for method in ("setup", "reshape"):
            self.call(method, given, self.tops_for(given))
        self._shaped = True
        for blob in self.instance.blobs:
            blob.note_references()
        self.blobs = tuple(
            BlobSpec(blob.shape, values=blob.data.copy()) for blob in self.instance.blobs
        )

    def _new(self, module: str, name: str) -> Any:
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        try:
            with own_first():
                user_class = getattr(importlib.import_module(module), name, None)
        except Exception as e:
            inside = "/" in module or module.endswith(".py")
            advice = "; needed: a name as after import, without folders and .py" if inside else ""
            said = (
                f"python_param.module '{module}' cannot be imported: {type(e).__name__}:"
                f" {e}{advice}{other_note()}"
            )
            raise _told(e, said) from e
        if not (isinstance(user_class, type) and hasattr(user_class, "forward")):
            said = (
                f"module '{module}' has no class '{name}';"
                f" needed: a subclass of caffe.Layer of that name{other_note()}"
            )
            raise _told(AttributeError(), said)
        try:
            return user_class(self.param)
        except Exception as e:
            raise self._raised(f"{name}.__init__", e, other_note()) from e

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shapes that the user's ``reshape`` gives the tops."""
        if not self._shaped:
            given = [PythonBlob(shape) for shape in bottoms]
            self.call("reshape", given, self.tops_for(given))
        self._shaped = False
        return tuple(top.shape for top in self.tops_kept)

    @property
    def overwritten(self) -> list[int]:
        """Indices of the tops that are one blob with the bottom of the same index, by name."""
        return [
            i
            for i, (top, bottom) in enumerate(zip(self.param.top, self.param.bottom))
            if top == bottom
        ]

    def tops_for(self, bottoms: Sequence[PythonBlob]) -> list[PythonBlob]:
        """The tops that the user's layer gets; a top in place is the bottom itself."""
        for i in self.overwritten:
            self.tops_kept[i] = bottoms[i]
        return list(self.tops_kept)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Call ``reshape`` and ``forward`` of the user's layer."""
        tops: tuple[Tensor, ...] = apply(_Call, self, len(bottoms), True, *bottoms, *blobs)
        return tops

    def resume(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The present values of the tops; the user's layer is not called."""
        tops: tuple[Tensor, ...] = apply(_Call, self, len(bottoms), False, *bottoms, *blobs)
        return tops

    def lend(self, tensors: Sequence[Tensor]) -> None:
        """Let the user's layer read and write its parameters in the memory of ``tensors``."""
        self._lent = tuple(tensors)
        for blob, tensor in zip(self.instance.blobs, tensors):
            blob.use_memory(tensor.detach().cpu().numpy())

    def take_back(self) -> None:
        """Copy what the layer wrote to parameters that do not share their tensor's memory."""
        for blob, tensor in zip(self.instance.blobs, self._lent):
            if (blob.kept or tensor.device.type != "cpu") and blob.count == tensor.numel():
                tensor.data.copy_(torch.from_numpy(blob.data).reshape(tensor.shape))

    def call(self, method: str, *arguments: object) -> None:
        """Call a method of the user's layer, which may use PyTorch.

        An error that it raises becomes a LayerError that names the method and the user's line.
        """
        try:
            with torch.enable_grad():
                getattr(self.instance, method)(*arguments)
        except Exception as e:
            raise self._raised(f"{type(self.instance).__name__}.{method}", e) from e

    def _raised(self, what: str, error: Exception, note: str = "") -> LayerError:
        frames = traceback.extract_tb(error.__traceback__)
        users = [frame for frame in frames if not frame.filename.startswith(LIBRARIES)]
        line = "".join(f" ({frame.filename}:{frame.lineno})" for frame in users[-1:])
        return _told(error, f"{what} raised {type(error).__name__}: {error}{line}{note}")


def _told(error: Exception, message: str) -> LayerError:
    """A LayerError that is also of the class that the user's code raised.

    Scripts may catch that class, as Caffe's module lets errors pass through.
    """
    try:
        return _kind(type(error))(message)
    except Exception:  # noqa: BLE001 - errors of its class are made in some other way
        return LayerError(message)


def _kind(raised: type[Exception]) -> type[LayerError]:
    if issubclass(raised, (CaffeError, StopIteration)) or issubclass(LayerError, raised):
        return LayerError
    return type(
        "LayerError", (LayerError, raised), {"__module__": __name__, "__str__": Exception.__str__}
    )
