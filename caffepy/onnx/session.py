"""An ONNX model made ready by onnxruntime on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import onnx
import torch
from torch import Tensor

from caffepy.errors import NetError, first_line
from caffepy.layers.core.base import Shape
from caffepy.onnx.model import LARGEST
from caffepy.onnx.site import Array

SMALL = 1 << 14
"""So few numbers are copied sooner than arrays are handed over.

That takes as long as a small layer.
"""
Pass: TypeAlias = Callable[[Sequence[Tensor]], list[Tensor]]


def too_large(model: onnx.ModelProto) -> bool:
    """Whether the model cannot be written to one piece of memory."""
    return bool(model.ByteSize() > LARGEST)


def input_shapes(model: onnx.ModelProto) -> list[list[int | str]]:
    """The shape of each input; an axis of any length has a name in its place."""
    return [
        [dim.dim_param or dim.dim_value for dim in x.type.tensor_type.shape.dim]
        for x in model.graph.input
    ]


class Session:
    """Runs a model with as many threads as torch has. NetError where onnxruntime cannot run it."""

    def __init__(self, model: onnx.ModelProto) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = torch.get_num_threads()
        if too_large(model):
            raise NetError("the model is larger than the 2 GiB that onnxruntime takes at once")
        try:
            self._session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise NetError(f"onnxruntime refuses the model: {first_line(error)}") from error
        self._names = [x.name for x in self._session.get_inputs()]
        self._shapes = [x.shape for x in self._session.get_inputs()]
        self._outputs = [y.name for y in self._session.get_outputs()]

    def takes(self, shapes: Sequence[Shape]) -> bool:
        """Inputs of these shapes fit, whatever their batch where the model allows any."""
        return all(
            len(wanted) == len(shape)
            and all(n == m or isinstance(n, str) for n, m in zip(wanted, shape))
            for wanted, shape in zip(self._shapes, shapes, strict=True)
        )

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs for these inputs."""
        outputs: list[Array] = self._session.run(self._outputs, dict(zip(self._names, inputs)))
        return outputs

    def prepared(self, inputs: Sequence[Tensor]) -> Pass:
        """The fastest way to the outputs, in memory of their own.

        For float32 inputs of the shapes of ``inputs``.
        """
        outputs = self._tensors(inputs)
        sizes = [tensor.numel() for tensor in (*inputs, *outputs)]
        if 0 in sizes or sum(sizes) > SMALL:
            return self._tensors
        binding = self._session.io_binding()
        sources = [torch.empty(tensor.shape) for tensor in inputs]
        targets = [torch.empty(tensor.shape) for tensor in outputs]
        for name, x in zip(self._names, sources, strict=True):
            binding.bind_input(name, "cpu", 0, np.float32, tuple(x.shape), x.data_ptr())
        for name, y in zip(self._outputs, targets, strict=True):
            binding.bind_output(name, "cpu", 0, np.float32, tuple(y.shape), y.data_ptr())

        def run(inputs: Sequence[Tensor]) -> list[Tensor]:
            for source, x in zip(sources, inputs):
                source.copy_(x)
            self._session.run_with_iobinding(binding)
            return [target.clone() for target in targets]

        return run

    def _tensors(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        return [
            torch.from_numpy(y) for y in self.run([x.detach().contiguous().numpy() for x in inputs])
        ]
