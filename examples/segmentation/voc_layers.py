"""FCN's data layer: one picture of VOC at a time, at its own size, with its labels."""

from __future__ import annotations

import ast
import random
from pathlib import Path
from typing import Any

import caffe
import cv2
import numpy as np
from PIL import Image


class VOCSegDataLayer(caffe.Layer):
    """Pictures and labels of VOC, one for each pass.

    Tops: data (1, 3, H, W), BGR less the mean, times `scale`; label (1, 1, H, W), 255 where there
    is none.
    param_str: a dict with
        voc_dir: the folder of JPEGImages, SegmentationClass and ImageSets/Segmentation
        split: train, val, ...
        mean: three values, in the order BGR
        scale: a factor (default 1)
        randomize: pictures by chance rather than in order (default: where split is a train set)
        seed: of that chance; None for another one in each run
    On several ranks each draws pictures of its own.
    """

    def setup(self, bottom: Any, top: Any) -> None:
        """Read the list of the split."""
        params = ast.literal_eval(self.param_str)
        if len(top) != 2 or bottom:
            raise ValueError("needed: no bottom and two tops, data and label")
        self.folder = Path(params["voc_dir"])
        split = params["split"]
        names = self.folder / "ImageSets" / "Segmentation" / f"{split}.txt"
        self.names = names.read_text().split()
        self.mean = np.array(params["mean"], np.float32)
        self.scale = float(params.get("scale", 1))
        self.index = 0
        self.random: random.Random | None = None
        if params.get("randomize", "train" in split):
            seed = params.get("seed")
            self.random = random.Random(None if seed is None else seed + caffe.solver_rank())
            self.go_on()

    def go_on(self) -> None:
        """Choose the next picture."""
        if self.random is not None:
            self.index = self.random.randrange(len(self.names))
        else:
            self.index = (self.index + 1) % len(self.names)

    def reshape(self, bottom: Any, top: Any) -> None:
        """Read the picture and take its size."""
        name = self.names[self.index]
        self.data = self.load_image(name)
        self.label = self.load_label(name)
        top[0].reshape(1, *self.data.shape)
        top[1].reshape(1, *self.label.shape)

    def forward(self, bottom: Any, top: Any) -> None:
        """Give what reshape has read, and choose the next: reshape is called once more before."""
        top[0].data[...] = self.data
        top[1].data[...] = self.label
        self.go_on()

    def backward(self, top: Any, propagate_down: Any, bottom: Any) -> None:
        """Nothing: there is no bottom."""

    def load_image(self, name: str) -> np.ndarray:
        """(3, H, W) float32."""
        pixels = cv2.imread(str(self.folder / "JPEGImages" / f"{name}.jpg"))
        if pixels is None:
            raise OSError(f"{self.folder}/JPEGImages/{name}.jpg cannot be read")
        return ((pixels.astype(np.float32) - self.mean) * self.scale).transpose(2, 0, 1)

    def load_label(self, name: str) -> np.ndarray:
        """(1, H, W) uint8: the indices of the palette, not its colours."""
        with Image.open(self.folder / "SegmentationClass" / f"{name}.png") as image:
            return np.asarray(image)[None]
