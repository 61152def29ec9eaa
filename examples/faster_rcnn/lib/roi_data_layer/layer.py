"""Pictures and their boxes for training."""

# G boxes

from __future__ import annotations

from collections.abc import Sequence

import caffe
import cv2
import numpy as np

from datasets.pascal_voc import Entry, read_set
from fast_rcnn.config import Config, cfg
from fast_rcnn.sampling import generator
from fast_rcnn.settings import read_settings


class RoIDataLayer(caffe.Layer):
    """One picture at a time, in an order that is new each time round.

    Top: the picture (1, 3, height, width), less PIXEL_MEANS and scaled; im_info (1, 3): height,
         width, scale; boxes (G, 5): x1, y1, x2, y2 in the scaled picture, class.
    The pictures are those of DATA, IMAGE_SET and CLASSES in the settings, or set_roidb's.
    Each of several ranks reads pictures of its own.
    param_str: num_classes, which is not needed here; im_info, the number of its columns: with more
               than 3 the scale comes again, as PVANet's Proposal wants it.
    """

    def setup(self, bottom, top) -> None:
        self.columns = read_settings(self.param_str).get("im_info", 3)
        self.entries: Sequence[Entry] = ()
        self.order: list[int] = []
        self.random = generator()
        top[0].reshape(1, 3, max(cfg.TRAIN.SCALES), cfg.TRAIN.MAX_SIZE)
        top[1].reshape(1, self.columns)
        top[2].reshape(1, 5)

    def set_roidb(self, entries: Sequence[Entry]) -> None:
        """Read these pictures."""
        self.entries = entries
        self.order = []

    def reshape(self, bottom, top) -> None:
        pass  # forward does it

    def forward(self, bottom, top) -> None:
        if not self.entries:
            self.set_roidb(training_set(cfg))
        entry = self.entries[self.next_place()]
        image, scale = scaled(
            entry.read(), self.random.choice(cfg.TRAIN.SCALES), cfg.TRAIN.MAX_SIZE
        )
        boxes = np.hstack([entry.boxes * scale, entry.classes[:, None]])
        info = [[*image.shape[2:], *[scale] * (self.columns - 2)]]
        for blob, value in zip(top, (image, info, boxes)):
            blob.reshape(*np.shape(value))
            blob.data[...] = value

    def next_place(self) -> int:
        """The place of the next picture. All ranks shuffle alike, and each takes its share."""
        if not self.order:
            places = np.random.default_rng([cfg.RNG_SEED, self.rounds]).permutation(
                len(self.entries)
            )
            self.rounds += 1
            self.order = places[caffe.solver_rank() :: caffe.solver_count()].tolist()
        return self.order.pop()

    rounds = 0

    def backward(self, top, propagate_down, bottom) -> None:
        pass  # data has no gradient


def training_set(config: Config) -> list[Entry]:
    """The pictures with an object that is not difficult, and their mirror images."""
    if not config.DATA:
        raise ValueError(
            "there are no pictures to train with; needed: a file of settings in RCNN_CFG whose DATA"
            " is a folder in VOC's layout, or set_roidb"
        )
    entries = read_set(config.DATA, config.TRAIN.IMAGE_SET, config.CLASSES)
    entries = [entry.without_difficult() for entry in entries]
    entries = [entry for entry in entries if len(entry.boxes)]
    if not entries:
        raise ValueError(
            f"no picture of {config.TRAIN.IMAGE_SET} in {config.DATA} has an object of a class of"
            f" CLASSES: {', '.join(config.CLASSES)}"
        )
    if config.TRAIN.USE_FLIPPED:
        entries += [entry.flip() for entry in entries]
    return entries


def scaled(image: np.ndarray, size: int, most: int) -> tuple[np.ndarray, float]:
    """A picture as the net takes it, (1, 3, height, width), and the factor of its sides.

    The shorter side becomes `size`, if the longer one stays within `most`.
    """
    shorter, longer = sorted(image.shape[:2])
    scale = size / shorter
    if round(scale * longer) > most:
        scale = most / longer
    values = image.astype(np.float32) - np.float32(cfg.PIXEL_MEANS)
    values = cv2.resize(values, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
    return values.transpose(2, 0, 1)[None], scale
