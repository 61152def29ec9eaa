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
        mean: npt.ArrayLike | None = None,
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
        """Scores of windows. ``images_windows``: image files, each with its windows.

        Gives a dict with ``window``, ``prediction`` and ``filename`` for each window.
        """
        pairs = [(filename, list(windows)) for filename, windows in images_windows]
        crops = []
        for filename, windows in pairs:
            image = io.load_image(filename)
            crops += [self.crop(image, np.asarray(window)) for window in windows]
        if not crops:
            return []
        predictions = iter(self.predictions(crops))
        detections = []
        for filename, windows in pairs:
            for window in windows:
                prediction = next(predictions)
                detections.append(
                    {"window": window, "prediction": prediction, "filename": filename}
                )
        return detections

    def detect_selective_search(self, image_fnames: Sequence[str]) -> list[dict[str, Any]]:
        """`detect_windows` on the windows that selective search proposes.

        UnknownName without the package ``selective_search_ijcv_with_python``, which runs MATLAB.
        """
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
        """Set ``context_pad``.

        What lies outside an image is then filled with the mean, in the units of the image.
        """
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

    def crop(self, im: npt.NDArray[Any], window: Window) -> Floats:
        """The part of an image (H, W, C) inside a window.

        With its surroundings if ``context_pad`` is set.
        """
        height, width = im.shape[:2]
        sides = [int(n) for n in window] if np.shape(window) == (4,) else [0, 0, 0, 0]
        top, left, bottom, right = sides
        if not (0 <= top < min(bottom, height) and 0 <= left < min(right, width)):
            raise WrongValue(
                f"window {np.asarray(window).tolist()} of an image of {height}x{width}; needed:"
                " ymin, xmin, ymax, xmax inside it"
            )
        if not self.context_pad:
            return np.asarray(im[top:bottom, left:right], np.float32)
        return self._with_context(im, np.asarray(window, float))

    def _with_context(self, im: npt.NDArray[Any], window: npt.NDArray[np.floating]) -> Floats:
        """A crop of the net's size with the window in the middle.

        Around the window is what surrounds it in the image, and beyond the image the mean.
        """
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
        y0, x0, y1, x1 = inside.astype(int)
        pad_y, pad_x = pad
        crop = self.crop_mean.copy()
        resized = io.resize_image(im[y0:y1, x0:x1], extent)
        crop[pad_y : pad_y + extent[0], pad_x : pad_x + extent[1]] = resized
        return crop
