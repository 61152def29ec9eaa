"""Annotation files of one image, as SSD's ``convert_annoset`` reads them.

Their formats are VOC's xml, COCO's json and plain text.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias
from xml.etree import ElementTree

import numpy as np

from caffepy import log
from caffepy.errors import DataError, nearest
from caffepy.proto import caffe_pb2

PLACE = "io.cpp:300"
MOST_LABEL = (1 << 31) - 1
ENCODING = re.compile(rb"""<\?xml[^>]*encoding=["']([\w.-]+)""")
Classes: TypeAlias = Mapping[str, int]
Size: TypeAlias = tuple[int, int]
"""Height, width."""


@dataclass(frozen=True)
class Object:
    """One object of an image: its class, its edges in pixels, and whether it is difficult."""

    label: int
    box: tuple[float, float, float, float]
    difficult: bool = False


Reader: TypeAlias = Callable[[bytes, "Annotations"], Iterator[Object]]


@dataclass
class Annotations:
    """A file being read.

    ``size``: the image's size in pixels; the file may have another.
    """

    path: str
    size: Size
    classes: Classes

    def label(self, name: str) -> int:
        """The number of a class.  DataError if the label map does not have it."""
        if name not in self.classes:
            raise DataError(
                f"{self.path}: Unknown name: {name}; needed: one of the label"
                f" map{nearest(name, self.classes)}"
            )
        return self.classes[name]

    def take_size(self, height: object, width: object) -> None:
        """Use the size in the file, and warn if the image has another.

        DataError for a size of 0.
        """
        try:
            size = int(str(height)), int(str(width))
        except ValueError:
            log.warning(
                PLACE, f"{self.path} does not say the size of the image; it is taken from the image"
            )
            return
        for name, said, real in zip(("height", "width"), size, self.size):
            if said != real:
                log.warning(
                    PLACE,
                    f"{self.path} inconsistent image {name}: {said}, the image has {real};"
                    " boxes are in parts of the former",
                )
        if 0 in size:
            raise DataError(f"{self.path} no valid image width/height: {size[1]}x{size[0]}")
        self.size = size


def read_annotations(
    path: str, kind: str, size: Size, classes: Classes
) -> caffe_pb2.AnnotatedDatum:
    """An AnnotatedDatum of type BBOX with the objects of a file, and no datum.

    Without the file it has no objects. ``kind``: one of `READERS`; ``size``: (H, W) of the image.
    DataError names the file.
    """
    annotated = caffe_pb2.AnnotatedDatum(type=caffe_pb2.AnnotatedDatum.BBOX)
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        log.warning(
            PLACE,
            f"annotation file {path} does not exist (looked in {os.getcwd()}); its image is"
            " stored without boxes",
        )
        return annotated
    except OSError as error:
        raise DataError(f"annotation file {path} cannot be read: {error.strerror}") from error
    annotations = Annotations(path, size, classes)
    groups: dict[int, caffe_pb2.AnnotationGroup] = {}
    # edges beyond float32 become infinite, as in C++
    with np.errstate(over="ignore", invalid="ignore"):
        for item in READERS[kind](content, annotations):
            if item.label not in groups:
                groups[item.label] = annotated.annotation_group.add(group_label=item.label)
            _add(groups[item.label], item, annotations)
    return annotated


def _add(group: caffe_pb2.AnnotationGroup, item: Object, annotations: Annotations) -> None:
    height, width = annotations.size
    left, top, right, bottom = item.box
    if min(item.box) < 0 or max(left, right) > width or max(top, bottom) > height:
        log.warning(PLACE, f"{annotations.path} bounding box exceeds image boundary.")
    if left > right or top > bottom:
        log.warning(PLACE, f"{annotations.path} bounding box irregular.")
    edges = np.array(item.box, np.float32) / np.array([width, height] * 2, np.float32)
    bbox = group.annotation.add(instance_id=len(group.annotation)).bbox
    bbox.xmin, bbox.ymin, bbox.xmax, bbox.ymax = edges.tolist()
    bbox.difficult = item.difficult


def _xml(content: bytes, annotations: Annotations) -> Iterator[Object]:
    """``annotation/object``: name, difficult, bndbox with whole pixels."""
    root = _root(content, annotations.path)
    if root.tag != "annotation":
        raise DataError(f"{annotations.path}: its root is '{root.tag}'; needed: annotation")
    annotations.take_size(root.findtext("size/height"), root.findtext("size/width"))
    for item in root.iter("object"):
        name = item.findtext("name")
        box = item.find("bndbox")
        if name is None or box is None:
            raise DataError(
                f"{annotations.path}: an object has no {'name' if name is None else 'bndbox'}"
            )
        left, top, right, bottom = (
            _edge(box.findtext(side), side, annotations.path)
            for side in ("xmin", "ymin", "xmax", "ymax")
        )
        yield Object(
            annotations.label(name), (left, top, right, bottom), item.findtext("difficult") == "1"
        )


def _root(content: bytes, path: str) -> ElementTree.Element:
    """The root element.

    SSD's program reads files of any encoding, known or not, declared or not.
    """
    try:
        return ElementTree.fromstring(content)
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        try:
            return ElementTree.fromstring(_decoded(content))
        except ElementTree.ParseError:
            raise DataError(f"{path}: it is no XML: {error}") from error


def _decoded(content: bytes) -> str:
    declared = ENCODING.match(content)
    try:
        return content.decode(declared[1].decode() if declared else "utf-8", errors="replace")
    except LookupError:
        return content.decode(errors="replace")


def _edge(text: str | None, side: str, path: str) -> float:
    try:
        value = float(text or "")
        whole = int(value)
    except (ValueError, OverflowError):
        raise DataError(f"{path}: {side} is {text!r}; needed: a number of pixels") from None
    if value != whole:
        log.warning(PLACE, f"{path}: {side} is {value:g}; {whole} is taken (SSD's program takes 0)")
    return whole


def _json(content: bytes, annotations: Annotations) -> Iterator[Object]:
    """``image`` and ``annotation``, as SSD's scripts write them for COCO.

    category_id is a name of the label map.
    """
    try:
        root = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{annotations.path}: it is no JSON: {error}") from error
    try:
        image = root.get("image", {})
        annotations.take_size(image.get("height"), image.get("width"))
        items = []
        for item in root["annotation"]:
            box = [float(edge) for edge in item["bbox"]]
            items.append((str(item["category_id"]), box, bool(int(item.get("iscrowd", 0)))))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        found = f"{type(error).__name__}: {error}"
        raise DataError(
            f"{annotations.path}: needed: image, and annotation with category_id and bbox for"
            f" each object ({found})"
        ) from error
    for name, box, crowd in items:
        if len(box) != 4:
            raise DataError(
                f"{annotations.path}: a bbox has {len(box)} numbers; needed: 4, x, y, width, height"
            )
        left, top, width, height = (np.float32(edge) for edge in box)
        edges = float(left), float(top), float(left + width), float(top + height)
        yield Object(annotations.label(name), edges, crowd)


def _txt(content: bytes, annotations: Annotations) -> Iterator[Object]:
    """``label xmin ymin xmax ymax`` for each object.

    The label is a number; the label map is not used.
    """
    words = content.split()
    if len(words) % 5:
        raise DataError(
            f"{annotations.path} has {len(words)} words; needed: label, xmin, ymin, xmax, ymax"
            " for each object"
        )
    for start in range(0, len(words), 5):
        label, *edges = words[start : start + 5]
        try:
            left, top, right, bottom = (float(edge) for edge in edges)
            number = int(label)
            if abs(number) > MOST_LABEL:
                raise ValueError(label)
        except ValueError:
            text = b" ".join([label, *edges]).decode(errors="replace")
            raise DataError(
                f"{annotations.path}: '{text}'; needed: an integer label and four numbers"
            ) from None
        yield Object(number, (left, top, right, bottom))


READERS: dict[str, Reader] = {"xml": _xml, "json": _json, "txt": _txt}
