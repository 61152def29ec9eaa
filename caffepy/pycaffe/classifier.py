"""caffe.Classifier: class scores of images of any size."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.pycaffe import io
from caffepy.pycaffe.errors import WrongValue
from caffepy.pycaffe.image_net import ImageNet

Floats = npt.NDArray[np.float32]


class Classifier(ImageNet):
    """A deploy net that classifies images.

    ``image_dims``: (height, width) to which images are resized before they are cropped to the net's
    input; by default that of the input. The other arguments: see `ImageNet`. ``crop_dims``: size of
    the input.
    """

    def __init__(
        self,
        model_file: str,
        pretrained_file: str,
        image_dims: Sequence[int] | None = None,
        mean: npt.ArrayLike | None = None,
        input_scale: float | None = None,
        raw_scale: float | None = None,
        channel_swap: Sequence[int] | None = None,
    ) -> None:
        super().__init__(model_file, pretrained_file, mean, input_scale, raw_scale, channel_swap)
        self.crop_dims = np.array(self.blobs[self.image_input].shape[2:])
        self.image_dims = self.crop_dims if image_dims is None else np.array(image_dims)
        if (
            self.image_dims.shape != (2,)
            or self.image_dims.dtype.kind not in "iu"
            or (self.image_dims < self.crop_dims).any()
        ):
            needed = tuple(map(int, self.crop_dims))
            raise WrongValue(
                f"image_dims is {image_dims}; needed: (height, width), at least the input's"
                f" {needed}"
            )

    def predict(self, inputs: Sequence[Any], oversample: bool = True) -> Floats:
        """Scores (N, classes) of N images (H, W, C).

        ``oversample``: the mean over ten crops, corners and centre and their mirror images; else
        the centre crop.
        """
        if isinstance(inputs, str) or not isinstance(inputs, Sized) or len(inputs) == 0:
            raise WrongValue(
                "predict: no images given; needed: a list of at least one image (height,"
                " width, channels)"
            )
        images = [io.resize_image(image, self.image_dims) for image in inputs]
        if oversample:
            crops = self.predictions(io.oversample(images, self.crop_dims))
            means: Floats = crops.reshape(len(crops) // 10, 10, -1).mean(1)
            return means
        top, left = ((self.image_dims - self.crop_dims) / 2).astype(int)
        height, width = self.crop_dims
        return self.predictions(
            [image[top : top + height, left : left + width] for image in images]
        )
