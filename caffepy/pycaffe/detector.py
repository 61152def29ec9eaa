"""caffe.Detector: class scores of windows of images, warped to the net's input (R-CNN)."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.pycaffe import io
from caffepy.pycaffe.errors import UnknownName, WrongValue
from caffepy.pycaffe.image_net import ImageNet

Floats = npt.NDArray[np.float32]
Window = Sequence[float] | npt.NDArray[Any]
"""ymin, xmin, ymax, xmax."""


class Detector(ImageNet):
    """A deploy net that scores windows of images.

    ``context_pad``: pixels of the net's (square) input on each side that show what surrounds a
    window. The other arguments: see `ImageNet`.
    """

    def __init__(
        self,
        model_file: str,
        pretrained_file: str,
        mean: Any = None,
        input_scale: float | None = None,
        raw_scale: float | None = None,
        channel_swap: Sequence[int] | None = None,
        context_pad: int | None = None,
    ) -> None:
        super().__init__(model_file, pretrained_file, mean, input_scale, raw_scale, channel_swap)
        self.configure_crop(context_pad)

    def detect_windows(
        self, images_windows: Iterable[tuple[str, Sequence[Window]]]
    ) -> list[dict[str, Any]]:
        """Scores of each window of each (image file, windows): dicts with ``window``, ``prediction`` and ``filename``."""
        pairs = [(filename, list(windows)) for filename, windows in images_windows]
        crops = []
        for filename, windows in pairs:
            image = io.load_image(filename)
            crops += [self.crop(image, np.asarray(window)) for window in windows]
        if not crops:
            return []
        predictions = iter(self.predictions(crops))
        return [
            {"window": window, "prediction": next(predictions), "filename": filename}
            for filename, windows in pairs
            for window in windows
        ]

    def detect_selective_search(self, image_fnames: Sequence[str]) -> list[dict[str, Any]]:
        """`detect_windows` on the windows of the package ``selective_search_ijcv_with_python`` (MATLAB); UnknownName without it."""
        try:
            search = importlib.import_module("selective_search_ijcv_with_python")
        except ImportError as error:
            raise UnknownName(
                "selective search needs the module selective_search_ijcv_with_python (and"
                " MATLAB); give windows to detect_windows instead"
            ) from error
        files = [os.path.abspath(name) for name in image_fnames]  # MATLAB runs elsewhere
        return self.detect_windows(
            zip(files, search.get_windows(files, cmd="selective_search_rcnn"))
        )

    def configure_crop(self, context_pad: int | None) -> None:
        """Set ``context_pad``; what lies outside the image is then filled with the mean, as the image's own values show it."""
        channels, height, width = self.blobs[self.image_input].shape[1:]
        self.context_pad = context_pad or 0
        self.crop_dims = np.array((height, width, channels))
        if not self.context_pad:
            return
        if height != width or 2 * self.context_pad >= width:
            raise WrongValue(
                f"context_pad is {context_pad} with an input of {height}x{width}; needed: a"
                " square input more than twice as wide"
            )
        nothing = np.zeros((1, channels, height, width))
        self.crop_mean = self.transformer.deprocess(self.image_input, nothing).astype(np.float32)

    def crop(self, im: Any, window: Window) -> Floats:
        """The part of an image (H, W, C) inside a window, with its surroundings if ``context_pad`` is set."""
        top, left, bottom, right = (
            (int(n) for n in window) if np.shape(window) == (4,) else (0, 0, 0, 0)
        )
        if not (
            0 <= top < bottom and 0 <= left < right and top < im.shape[0] and left < im.shape[1]
        ):
            raise WrongValue(
                f"window {np.asarray(window).tolist()} of an image of"
                f" {im.shape[0]}x{im.shape[1]}; needed: ymin, xmin, ymax, xmax inside it"
            )
        if not self.context_pad:
            return np.asarray(im[top:bottom, left:right], np.float32)
        return self._with_context(im, np.asarray(window, float))

    def _with_context(self, im: Any, window: npt.NDArray[np.floating]) -> Floats:
        """A crop of the net's size: the window without its pad in the middle, the image around it, the mean beyond the image."""
        size = int(self.crop_dims[0])
        half = (window[2:] - window[:2] + 1) / 2
        reach = half * size / (size - 2 * self.context_pad)
        centre = window[:2] + half
        box = np.round(np.concatenate([centre - reach, centre + reach]))
        scale = size / (box[2:] - box[:2] + 1)
        pad = np.round(np.maximum(0, -box[:2]) * scale).astype(int)
        inside = np.clip(box, 0, [*im.shape[:2], *im.shape[:2]])
        extent = np.round((inside[2:] - inside[:2] + 1) * scale).astype(int)
        extent = np.minimum(extent, size - pad)
        (y0, x0, y1, x1), (pad_y, pad_x) = inside.astype(int), pad
        crop = self.crop_mean.copy()
        crop[pad_y : pad_y + extent[0], pad_x : pad_x + extent[1]] = io.resize_image(
            im[y0:y1, x0:x1], extent
        )
        return crop
