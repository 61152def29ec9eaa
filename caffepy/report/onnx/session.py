"""An ONNX model made ready by onnxruntime on the CPU."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
import torch

from caffepy.errors import NetError
from caffepy.layers.base import Shape
from caffepy.report.onnx.model import LARGEST
from caffepy.report.onnx.site import Array


class Session:
    """Runs a model with as many threads as torch has. NetError where onnxruntime cannot run it."""

    def __init__(self, model: onnx.ModelProto) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = torch.get_num_threads()
        if model.ByteSize() > LARGEST:
            raise NetError("the model is larger than the 2 GiB that onnxruntime takes at once")
        try:
            self._session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise NetError(f"onnxruntime refuses the model: {str(error).strip().splitlines()[0]}") from error
        found = self._session.get_inputs()
        self._names, self._shapes = [x.name for x in found], [x.shape for x in found]

    def takes(self, shapes: Sequence[Shape]) -> bool:
        """Inputs of these shapes fit, whatever their batch where the model allows any."""
        return all(
            len(wanted) == len(shape) and all(n == m or isinstance(n, str) for n, m in zip(wanted, shape))
            for wanted, shape in zip(self._shapes, shapes, strict=True)
        )

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs."""
        outputs: list[Array] = self._session.run(None, dict(zip(self._names, inputs)))
        return outputs
