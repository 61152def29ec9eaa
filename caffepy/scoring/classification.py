"""The likeliest labels of an image by a deploy net, as in Caffe's ``cpp_classification``."""

# H W image, C channels (blue, green, red), h w net

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from caffepy.engine.engines import Setup, open_layerwise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine_names import TORCH
from caffepy.errors import DataError, NetError, UsageError
from caffepy.layers.core.base import TEST
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import lone_definition
from caffepy.net.graph import Graph
from caffepy.scoring.pictures import numbers_in, parse_mean, read_labels, read_pixels


class Classifier:
    """A net with one input of 1 or 3 channels and one output; its mean image and its labels.

    The mean of each channel is subtracted. There is a label for each channel of the output.
    """

    def __init__(
        self,
        model: str,
        weights: str,
        mean: str,
        labels: str,
        *,
        device: torch.device,
        scale: float = 1.0,
        resize: tuple[int, int] | None = None,
        engine: str = TORCH,
    ) -> None:
        """Read the files.  Errors: CaffeError if one is missing or does not fit the net.

        ``mean``: a file, values such as ``104,117,123``, or empty.
        ``scale``: factor of the pixels, after the mean.
        ``resize``: height and width to which images are resized before their centre is cut out;
        None: those of the net's input.
        ``engine``: what computes: torch, onnxruntime, openvino, or auto, the fastest of them.
        """
        setup = Setup(device, CaffeRandom(None))
        definition = lone_definition(model, TEST)
        self._engine = open_layerwise(
            definition,
            [weights],
            setup=setup,
            before_file=lambda graph, _: _check_ends(graph, model),
        )
        shape = self._engine.graph.values[self._engine.graph.inputs[0]].shape
        self._shape = (1, *shape[1:])
        self._mean = self._channel_means(mean)
        self._scale = np.float32(scale)
        self._resize = resize
        if resize is not None and (resize[0] < self._shape[2] or resize[1] < self._shape[3]):
            wanted, (high, wide) = f"{resize[0]}x{resize[1]}", self._shape[2:]
            raise UsageError(f"-crop {wanted} is smaller than the net's input of {high}x{wide}")
        self._labels = read_labels(labels)
        _prepare(self._engine, self._shape)
        if engine != TORCH:
            from caffepy.onnx.choice import blobs_engine_by

            outputs = [output.name for output in self._engine.outputs()]
            self._engine = blobs_engine_by(engine, self._engine, outputs)
        channels = self._output().shape[1:2]
        if tuple(channels) != (len(self._labels),):
            raise DataError(
                f"{labels}: Number of labels is different from the output layer dimension: "
                f"{len(self._labels)} labels, output of shape {tuple(self._output().shape)}"
            )

    def classify(self, image: str, count: int = 5) -> list[tuple[str, float]]:
        """The ``count`` likeliest labels of an image file with their scores, best first.

        Errors: DataError if the file is no image.
        """
        pixels = torch.from_numpy(self._pixels(image))
        self._engine.blob(self._engine.graph.inputs[0]).data.copy_(pixels)
        self._engine.forward()
        scores = self._output().cpu().numpy().ravel()[: len(self._labels)]
        best = np.argsort(-scores, kind="stable")[:count]
        return [(self._labels[i], float(scores[i])) for i in best]

    def _output(self) -> torch.Tensor:
        return self._engine.outputs()[0].data

    def _channel_means(self, mean: str) -> npt.NDArray[np.float32]:
        """The mean of each channel; a single value counts for all of them."""
        channels = self._shape[1]
        means = np.asarray(parse_mean(mean) or [0.0], np.float32)
        is_file = numbers_in(mean) is None
        if len(means) == 1 and not is_file:
            return np.repeat(means, channels)
        if len(means) == channels:
            return means
        if is_file:
            raise DataError(
                f"{mean}: Number of channels of mean file doesn't match input layer: "
                f"{len(means)}, {channels}"
            )
        needed = f"one, or {channels}, as the net's input has channels"
        raise UsageError(f"-mean has {len(means)} values; needed: {needed}")

    def _pixels(self, path: str) -> npt.NDArray[np.float32]:
        """The image as the net takes it, (1, C, h, w)."""
        pixels = read_pixels(path, *self._shape[1:], resize=self._resize)
        return ((pixels - self._mean[:, None, None]) * self._scale)[None]


def _check_ends(graph: Graph, model: str) -> None:
    """Errors: NetError unless the net has one input, of pictures, and one output."""
    for what, values in (("input", graph.inputs), ("output", graph.outputs)):
        if len(values) != 1:
            names = ", ".join(graph.values[v].name for v in values)
            raise NetError(
                f"{model}: Network should have exactly one {what}; found: {names or 'none'}"
            )
    shape = graph.values[graph.inputs[0]].shape
    if len(shape) != 4 or shape[1] not in (1, 3):
        raise NetError(
            f"{model}: Input layer should have 1 or 3 channels; its shape is {shape}; "
            "needed: N x C x H x W"
        )


def _prepare(engine: LayerwiseEngine, shape: tuple[int, ...]) -> None:
    """Give the net's input this shape."""
    engine.blob(engine.graph.inputs[0]).reshape(shape)
    engine.reshape()
