"""What the three nets need beside the pictures: lists, labels as plain bytes, class weights.

    python prepare.py OUT --voc VOCdevkit/VOC2012 --camvid SegNet/CamVid

OUT/crops/{train,val}/, OUT/crops_{train,val}.txt   for FCN's classifier: each object of the
                                                    annotations by itself, and its class from 0
OUT/labels/, OUT/deeplab_{train,val}.txt            for DeepLab: VOC's labels without their palette,
                                                    and its lists
OUT/segnet_{train,test}.txt                         for SegNet: its lists
The prototxts in OUT get the number of classes and SegNet's class weights.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
from make_data import CAMVID_VOID, KINDS
from PIL import Image

VOC_CLASSES = [
    "aeroplane",
    "bicycle",
    "bird",
    "boat",
    "bottle",
    "bus",
    "car",
    "cat",
    "chair",
    "cow",
    "diningtable",
    "dog",
    "horse",
    "motorbike",
    "person",
    "pottedplant",
    "sheep",
    "sofa",
    "train",
    "tvmonitor",
]
SHAPES = list(KINDS)
CROP_SIDE = 32


def set_names(voc: Path, split: str) -> list[str]:
    """The pictures' names of ImageSets/Segmentation/SPLIT.txt."""
    return (voc / "ImageSets" / "Segmentation" / f"{split}.txt").read_text().split()


def class_names(voc: Path) -> list[str]:
    """The classes of a folder: the shapes where its first annotation has one, else VOC's."""
    first = ElementTree.parse(voc / "Annotations" / f"{set_names(voc, 'train')[0]}.xml")
    return SHAPES if first.findtext("object/name") in SHAPES else VOC_CLASSES


def object_boxes(annotation: Path) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """Class and box (xmin, ymin, xmax, ymax), in pixels from 0, of each object that is no part."""
    for node in ElementTree.parse(annotation).iterfind("object"):
        box = node.find("bndbox")
        name = node.findtext("name")
        if box is None or name is None:
            continue
        corners = [
            int(float(box.findtext(key, ""))) - 1 for key in ("xmin", "ymin", "xmax", "ymax")
        ]
        yield name, (corners[0], corners[1], corners[2], corners[3])


def square_crop(image: np.ndarray, box: tuple[int, int, int, int]) -> np.ndarray:
    """The square around a box with an eighth of its side more, as far as the image goes."""
    xmin, ymin, xmax, ymax = box
    half = max(xmax - xmin, ymax - ymin, 4) * 0.5625
    x = (xmin + xmax) / 2
    y = (ymin + ymax) / 2
    top = max(0, round(y - half))
    left = max(0, round(x - half))
    return image[top : round(y + half) + 1, left : round(x + half) + 1]


def write_crops(voc: Path, out: Path, split: str, classes: list[str]) -> None:
    """Write each object of a set as a picture of its own, and the list of them."""
    folder = out / "crops" / split
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for name in set_names(voc, split):
        image = cv2.imread(str(voc / "JPEGImages" / f"{name}.jpg"))
        for index, (kind, box) in enumerate(object_boxes(voc / "Annotations" / f"{name}.xml")):
            crop = cv2.resize(square_crop(image, box), (CROP_SIDE, CROP_SIDE))
            cv2.imwrite(str(folder / f"{name}_{index}.png"), crop)
            lines.append(f"{name}_{index}.png {classes.index(kind)}\n")
    (out / f"crops_{split}.txt").write_text("".join(lines))


def write_deeplab(voc: Path, out: Path, split: str) -> None:
    """Write a set's labels as plain bytes, and DeepLab's list of image and label image."""
    (out / "labels").mkdir(exist_ok=True)
    lines = []
    for name in set_names(voc, split):
        with Image.open(voc / "SegmentationClass" / f"{name}.png") as image:
            cv2.imwrite(str(out / "labels" / f"{name}.png"), np.asarray(image))
        lines.append(f"{voc}/JPEGImages/{name}.jpg {out}/labels/{name}.png\n")
    (out / f"deeplab_{split}.txt").write_text("".join(lines))


def write_segnet(camvid: Path, out: Path, split: str) -> list[Path]:
    """Write SegNet's list of a set; gives the label images."""
    images = sorted((camvid / split).glob("*.png"))
    labels = [camvid / f"{split}annot" / image.name for image in images]
    lines = [f"{image} {label}\n" for image, label in zip(images, labels)]
    (out / f"segnet_{split}.txt").write_text("".join(lines))
    return labels


def median_frequency_weights(label_images: list[Path]) -> list[float]:
    """A weight for each class: the median of the classes' frequencies over its own.

    The frequency of a class is its share of the pixels of those images that have it.
    """
    pixels = np.zeros(CAMVID_VOID)
    of_images = np.zeros(CAMVID_VOID)
    for path in label_images:
        labels = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        counts = np.bincount(labels[labels < CAMVID_VOID], minlength=CAMVID_VOID)
        pixels += counts
        of_images[counts > 0] += labels.size
    classes = int(np.flatnonzero(pixels)[-1]) + 1
    frequencies = pixels[:classes] / np.maximum(of_images[:classes], 1)
    median = np.median(frequencies[frequencies > 0])
    return [float(median / one) if one else 0.0 for one in frequencies]


def fill_in(prototxt: Path, classes: int, weights: list[float] | None = None) -> None:
    """Set the number of classes and the class weights where the prototxt's comments ask for it."""
    if not prototxt.is_file():
        return
    text = re.sub(
        r"num_output: \d+(?=.*# one a class)", f"num_output: {classes}", prototxt.read_text()
    )
    if weights is not None:
        lines = "".join(f"    class_weighting: {weight:.4f}\n" for weight in weights)
        text = re.sub(r"( *class_weighting: .*\n)+", lambda _: lines, text)
    prototxt.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--voc", type=Path, required=True, help="VOC's layout, such as VOC2012")
    parser.add_argument("--camvid", type=Path, required=True, help="CamVid's layout")
    options = parser.parse_args()
    out = options.out
    voc_classes = class_names(options.voc)
    for split in ("train", "val"):
        write_crops(options.voc, out, split, voc_classes)
        write_deeplab(options.voc, out, split)
    weights = median_frequency_weights(write_segnet(options.camvid, out, "train"))
    write_segnet(options.camvid, out, "test")
    fill_in(out / "fcn/classifier.prototxt", len(voc_classes))
    fill_in(out / "fcn/train_val.prototxt", len(voc_classes) + 1)
    fill_in(out / "deeplab/train_val.prototxt", len(voc_classes) + 1)
    fill_in(out / "segnet/train_val.prototxt", len(weights), weights)


if __name__ == "__main__":
    main()
