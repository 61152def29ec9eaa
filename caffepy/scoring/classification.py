"""The likeliest labels of an image by a deploy net, as in Caffe's ``cpp_classification``."""

# H W image, C channels (blue, green, red), h w net

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from caffepy.data.mean_file import read_mean
from caffepy.engine.engines import Setup, open_layerwise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.errors import DataError, NetError
from caffepy.layers.core.base import TEST
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import lone_definition
from caffepy.net.graph import Graph
from caffepy.scoring.pictures import read_labels, read_pixels


class Classifier:
    """A net with one input of 1 or 3 channels and one output; its mean image and its labels.

    The mean of each channel is subtracted. There is a label for each channel of the output.
    """

    def __init__(
        self, model: str, weights: str, mean: str, labels: str, *, device: torch.device
    ) -> None:
        """Read the four files.  Errors: CaffeError if one is missing or does not fit the net."""
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
        self._labels = read_labels(labels)
        _prepare(self._engine, self._shape)
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

    def _channel_means(self, path: str) -> npt.NDArray[np.float32]:
        mean = read_mean(path)
        if len(mean) != self._shape[1]:
            raise DataError(
                f"{path}: Number of channels of mean file doesn't match input layer: "
                f"{len(mean)}, {self._shape[1]}"
            )
        means: npt.NDArray[np.float32] = mean.mean(axis=(1, 2), dtype=np.float64).astype(np.float32)
        return means

    def _pixels(self, path: str) -> npt.NDArray[np.float32]:
        """The image as the net takes it, (1, C, h, w)."""
        pixels = read_pixels(path, *self._shape[1:])
        return (pixels - self._mean[:, None, None])[None]


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
