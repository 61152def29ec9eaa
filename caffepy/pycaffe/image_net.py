"""What Classifier and Detector share: a deploy net whose first input takes preprocessed images."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy import log
from caffepy.layers.core.base import TEST
from caffepy.pycaffe.arguments import file_name
from caffepy.pycaffe.errors import WrongValue
from caffepy.pycaffe.io import Transformer
from caffepy.pycaffe.net import Net
from caffepy.scoring.training_input import warning

Floats = npt.NDArray[np.float32]


class ImageNet(Net):
    """A net in the TEST phase.

    ``transformer``: turns images (H, W, C) into items of its first input.

    ``mean``, ``raw_scale``, ``input_scale``, ``channel_swap``: see `Transformer`.
    """

    def __init__(
        self,
        model_file: str,
        pretrained_file: str,
        mean: npt.ArrayLike | None = None,
        input_scale: float | None = None,
        raw_scale: float | None = None,
        channel_swap: Sequence[int] | None = None,
    ) -> None:
        super().__init__(model_file, TEST, weights=pretrained_file)
        if not self.inputs or len(self.blobs[self.inputs[0]].shape) != 4:
            raise WrongValue(
                f"{model_file}: the first input is no batch of images; needed: an input of"
                " shape N x C x H x W"
            )
        self.image_input = self.inputs[0]
        self.transformer = Transformer({self.image_input: self.blobs[self.image_input].shape})
        self.transformer.set_transpose(self.image_input, (2, 0, 1))
        if mean is not None:
            self.transformer.set_mean(self.image_input, mean)
        if input_scale is not None:
            self.transformer.set_input_scale(self.image_input, input_scale)
        if raw_scale is not None:
            self.transformer.set_raw_scale(self.image_input, raw_scale)
        if channel_swap is not None:
            self.transformer.set_channel_swap(self.image_input, channel_swap)
        self._unchecked_files: tuple[str, str] | None = (
            file_name(model_file),
            file_name(pretrained_file),
        )

    def _warn_of_another_input(self) -> None:
        """Warn, once, where the training scaled images or subtracted a mean, and this does not.

        It is looked at when images come, since scripts may set up the transformer until then.
        """
        if self._unchecked_files is None:
            return
        model, weights = self._unchecked_files
        self._unchecked_files = None
        transformer = self.transformer
        name = self.image_input
        factor = transformer.input_scale.get(name, 1.0)
        raw = transformer.raw_scale.get(name, 1.0)
        # images may have values from 0 to 1, as load_image gives them, or from 0 to 255
        scales = (factor * raw / 255, factor * raw)
        differs = warning(model, weights, mean_given=name in transformer.mean, scales=scales)
        if differs:
            log.warning("classifier.py:0", f"{differs}; see mean, raw_scale and input_scale")

    def predictions(self, images: Iterable[Any]) -> Floats:
        """The first output for each image (H, W, C), any number of them."""
        self._warn_of_another_input()
        images = list(images)
        channels = self.blobs[self.image_input].shape[1]
        for image in images:
            if np.ndim(image) != 3 or np.shape(image)[2] != channels:
                raise WrongValue(
                    f"an image of shape {np.shape(image)}; needed: (height, width,"
                    f" {channels}), as the net takes it"
                )
        items: dict[str, Any] = {
            self.image_input: np.stack(
                [self.transformer.preprocess(self.image_input, image) for image in images]
            )
        }
        return self.forward_all(**items)[self.outputs[0]]
