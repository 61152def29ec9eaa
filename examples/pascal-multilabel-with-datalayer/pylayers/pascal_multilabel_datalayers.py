"""A data layer in Python: pictures in VOC's layout, with a number for each class that says whether it is there.

`param_str` is a dict as text, as NetSpec writes it:
pascal_root (the folder with JPEGImages, Annotations and ImageSets), split, classes, im_shape
(height, width), batch_size, and seed, if the order of the pictures is to be drawn at random.
"""

from __future__ import annotations

import ast
from pathlib import Path
from xml.etree import ElementTree

import caffe
import cv2
import numpy as np

MEAN = 128.0
SCALE = 1 / 128


class PascalMultilabelDataLayerSync(caffe.Layer):
    """Tops: pictures (N, 3, H, W), BGR less `MEAN` times `SCALE`, and labels (N, classes) of 0 and 1."""

    def setup(self, bottom: list[object], top: list[caffe.Blob]) -> None:
        """Read ``param_str`` and the list of the split."""
        settings = ast.literal_eval(self.param_str)
        self.root = Path(settings["pascal_root"])
        self.classes = list(settings["classes"])
        self.shape = tuple(settings["im_shape"])
        self.batch = settings["batch_size"]
        names = self.root / "ImageSets" / "Main" / f"{settings['split']}.txt"
        self.names = names.read_text().split()
        self.random = None
        if "seed" in settings:  # each rank has an order of its own
            self.random = np.random.default_rng([settings["seed"], caffe.solver_rank()])
        self.next = 0
        top[0].reshape(self.batch, 3, *self.shape)
        top[1].reshape(self.batch, len(self.classes))

    def reshape(self, bottom: list[object], top: list[caffe.Blob]) -> None:
        """The tops keep their shapes."""

    def forward(self, bottom: list[object], top: list[caffe.Blob]) -> None:
        """Give the next pictures; after the last one the order is drawn anew."""
        for place in range(self.batch):
            if self.next == 0 and self.random is not None:
                self.random.shuffle(self.names)
            name = self.names[self.next]
            self.next = (self.next + 1) % len(self.names)
            picture = cv2.imread(str(self.root / "JPEGImages" / f"{name}.jpg"))
            height, width = self.shape
            resized = cv2.resize(picture, (width, height)).astype(np.float32)
            if self.random is not None and self.random.random() < 0.5:
                resized = resized[:, ::-1]
            top[0].data[place] = (resized.transpose(2, 0, 1) - MEAN) * SCALE
            top[1].data[place] = labels(self.root / "Annotations" / f"{name}.xml", self.classes)

    def backward(self, top: list[object], propagate: list[bool], bottom: list[object]) -> None:
        """Data have no gradient."""


def labels(annotation: Path, classes: list[str]) -> np.ndarray:
    """1 for each of the classes that VOC's XML names, else 0; objects that are `difficult` do not count."""
    found = np.zeros(len(classes), np.float32)
    for node in ElementTree.parse(annotation).findall("object"):
        name = node.findtext("name")
        if name in classes and node.findtext("difficult", "0") != "1":
            found[classes.index(name)] = 1
    return found
