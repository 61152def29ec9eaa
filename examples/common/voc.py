"""Scenes in the layout of PASCAL VOC, so that every script made for VOC takes them.

FOLDER/JPEGImages/000001.jpg        quality 95
FOLDER/Annotations/000001.xml       boxes from 1, as VOC counts; `difficult` where a quarter is covered
FOLDER/SegmentationClass/000001.png labels with VOC's palette, if asked for
FOLDER/ImageSets/Main/{train,test}.txt
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
from shapes import Scene


def write_scene(folder: Path, name: str, scene: Scene, *, segmentation: bool = False) -> None:
    """Write one scene's picture, annotation, and with `segmentation` its labels."""
    for part in ("JPEGImages", "Annotations"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    picture = folder / "JPEGImages" / f"{name}.jpg"
    cv2.imwrite(str(picture), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    tree = annotation(name, scene)
    ElementTree.indent(tree)
    tree.write(folder / "Annotations" / f"{name}.xml")
    if segmentation:
        (folder / "SegmentationClass").mkdir(exist_ok=True)
        write_labels(folder / "SegmentationClass" / f"{name}.png", scene.labels())


def write_list(folder: Path, name: str, names: list[str]) -> None:
    """Write ImageSets/Main/NAME.txt."""
    (folder / "ImageSets" / "Main").mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{one}\n" for one in names)
    (folder / "ImageSets" / "Main" / f"{name}.txt").write_text(lines)


def annotation(name: str, scene: Scene) -> ElementTree.ElementTree:
    """VOC's XML of a scene."""
    root = ElementTree.Element("annotation")
    _add(root, "folder", "VOC2007")
    _add(root, "filename", f"{name}.jpg")
    size = ElementTree.SubElement(root, "size")
    height, width = scene.image.shape[:2]
    for key, value in (("width", width), ("height", height), ("depth", 3)):
        _add(size, key, value)
    _add(root, "segmented", 0)
    for shape in scene.shapes:
        node = ElementTree.SubElement(root, "object")
        _add(node, "name", shape.kind)
        _add(node, "pose", "Unspecified")
        _add(node, "truncated", int(shape.difficult))
        _add(node, "difficult", int(shape.difficult))
        box = ElementTree.SubElement(node, "bndbox")
        for key, value in zip(("xmin", "ymin", "xmax", "ymax"), shape.box):
            _add(box, key, value + 1)
    return ElementTree.ElementTree(root)


def palette() -> np.ndarray:
    """VOC's colours, (256, 3) uint8, RGB: the bits of a label, spread over the three channels."""
    colours = np.zeros((256, 3), np.uint8)
    for label in range(256):
        rest = label
        for bit in range(7, -1, -1):
            for channel in range(3):
                colours[label, channel] |= (rest >> channel & 1) << bit
            rest >>= 3
    return colours


def write_labels(path: Path, labels: np.ndarray) -> None:
    """Write labels (H, W) uint8 as a PNG with VOC's palette, as VOC's own files are."""
    from PIL import Image  # comes with matplotlib

    image = Image.fromarray(labels, mode="P")
    image.putpalette(palette().tobytes())
    image.save(path)


def _add(parent: ElementTree.Element, name: str, value: object) -> None:
    ElementTree.SubElement(parent, name).text = str(value)
