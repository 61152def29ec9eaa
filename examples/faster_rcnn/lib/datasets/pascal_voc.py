"""Pictures and boxes in the layout of PASCAL VOC."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np


@dataclass(frozen=True)
class Entry:
    """One picture and its objects."""

    image: Path
    width: int
    boxes: np.ndarray  # (G, 4) float32: x1, y1, x2, y2 in pixels from 0
    classes: np.ndarray  # (G,) int, from 1
    difficult: np.ndarray  # (G,) bool
    flipped: bool = False

    def read(self) -> np.ndarray:
        """The picture, BGR."""
        image = cv2.imread(str(self.image))
        if image is None:
            raise FileNotFoundError(f"{self.image} is no picture that OpenCV reads")
        return image[:, ::-1] if self.flipped else image

    def flip(self) -> Entry:
        """The picture and its boxes with left and right exchanged."""
        boxes = self.boxes.copy()
        boxes[:, 0] = self.width - 1 - self.boxes[:, 2]
        boxes[:, 2] = self.width - 1 - self.boxes[:, 0]
        return replace(self, boxes=boxes, flipped=not self.flipped)

    def without_difficult(self) -> Entry:
        keep = ~self.difficult
        return replace(
            self,
            boxes=self.boxes[keep],
            classes=self.classes[keep],
            difficult=self.difficult[keep],
        )


def read_set(folder: str | Path, image_set: str, classes: tuple[str, ...]) -> list[Entry]:
    """The pictures of ImageSets/Main/IMAGE_SET.txt. Objects of other classes are left out."""
    folder = Path(folder)
    names = (folder / "ImageSets/Main" / f"{image_set}.txt").read_text().split("\n")
    return [read_entry(folder, line.split()[0], classes) for line in names if line.strip()]


def read_entry(folder: Path, name: str, classes: tuple[str, ...]) -> Entry:
    """One picture by its name."""
    tree = ElementTree.parse(folder / "Annotations" / f"{name}.xml")
    boxes = []
    labels = []
    difficult = []
    for node in tree.findall("object"):
        kind = (node.findtext("name") or "").strip()
        if kind not in classes:
            continue
        # VOC counts from 1
        boxes.append([_number(node, f"bndbox/{side}") - 1 for side in SIDES])
        labels.append(classes.index(kind) + 1)
        difficult.append((node.findtext("difficult") or "0").strip() == "1")
    return Entry(
        folder / "JPEGImages" / f"{name}.jpg",
        int(_number(tree.getroot(), "size/width")),
        np.array(boxes, np.float32).reshape(-1, 4),
        np.array(labels, int),
        np.array(difficult, bool),
    )


SIDES = ("xmin", "ymin", "xmax", "ymax")


def _number(node: ElementTree.Element, path: str) -> float:
    return float(node.findtext(path) or 0)
