"""An ONNX model made ready by OpenVINO on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor

from caffepy.errors import NetError, first_line
from caffepy.layers.core.base import Shape
from caffepy.onnx.session import Pass, input_shapes, too_large
from caffepy.onnx.site import Array


class OpenVinoSession:
    """Runs a model for the shapes of its first inputs, with as many threads as torch has.

    OpenVINO takes more time for a model of any batch. NetError where it cannot run the model.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        import openvino

        if too_large(model):
            raise NetError("the model is larger than the 2 GiB that OpenVINO takes at once")
        self._openvino = openvino
        self._core = openvino.Core()
        self._shapes = input_shapes(model)
        self._fixed: list[tuple[int, ...]] | None = None
        try:
            self._model = self._core.read_model(model.SerializeToString())
        except Exception as error:
            raise NetError(f"OpenVINO refuses the model: {first_line(error)}") from error

    def takes(self, shapes: Sequence[Shape]) -> bool:
        """Inputs of these shapes fit."""
        if self._fixed is not None:
            return self._fixed == [tuple(shape) for shape in shapes]
        return all(
            len(wanted) == len(shape)
            and all(n == m or isinstance(n, str) for n, m in zip(wanted, shape))
            for wanted, shape in zip(self._shapes, shapes, strict=True)
        )

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs for these inputs."""
        if self._fixed is None:
            self._compile([array.shape for array in inputs])
        found = self._request.infer(list(inputs), share_inputs=True)
        outputs: list[Array] = [np.array(found[output]) for output in self._compiled.outputs]
        return outputs

    def prepared(self, inputs: Sequence[Tensor]) -> Pass:
        """The fastest way to the outputs, in memory of their own.

        For float32 inputs of the shapes of ``inputs``.
        """
        if self._fixed is None:
            self._compile([tuple(x.shape) for x in inputs])
        sources = [torch.empty(x.shape) for x in inputs]
        for i, source in enumerate(sources):
            shared = self._openvino.Tensor(source.numpy(), shared_memory=True)
            self._request.set_input_tensor(i, shared)
        targets = [
            torch.from_numpy(self._request.get_output_tensor(i).data)
            for i in range(len(self._compiled.outputs))
        ]

        def run(inputs: Sequence[Tensor]) -> list[Tensor]:
            for source, x in zip(sources, inputs):
                source.copy_(x)
            self._request.infer()
            return [target.clone() for target in targets]

        return run

    def _compile(self, shapes: Sequence[Shape]) -> None:
        settings = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": torch.get_num_threads(),
            "INFERENCE_PRECISION_HINT": "f32",  # by itself it takes 16 bits where the CPU has them
        }
        self._fixed = [tuple(shape) for shape in shapes]
        try:
            self._model.reshape({i: list(shape) for i, shape in enumerate(self._fixed)})
            self._compiled: Any = self._core.compile_model(self._model, "CPU", settings)
        except Exception as error:
            raise NetError(f"OpenVINO refuses the model: {first_line(error)}") from error
        self._request: Any = self._compiled.create_infer_request()
