"""Files of detections in the formats of COCO's, VOC's and ILSVRC's evaluations."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np

from caffepy.errors import CaffeError, DataError
from caffepy.proto import caffe_pb2
from caffepy.proto.atomic import atomic_write
from caffepy.proto.text import read_text

FORMATS = ("VOC", "COCO", "ILSVRC")


@dataclass(frozen=True)
class Picture:
    """One line of a name_size_file: an image's name and its size in pixels."""

    name: str
    height: int
    width: int


@dataclass(frozen=True)
class Detection:
    """One box (xmin, ymin, width, height) in pixels of its image.

    Values have two decimals in float32; VOC and ILSVRC files have integers.
    """

    picture: str
    label: int
    score: float
    box: tuple[float, ...]


def read_pictures(path: str) -> list[Picture]:
    """The lines ``name height width`` of a file.

    DataError if it cannot be read or has other lines.
    """
    try:
        words = Path(path).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as e:
        raise DataError(f"name_size_file '{path}' cannot be read: {e}") from None
    try:
        return [
            Picture(name, int(height), int(width))
            for name, height, width in zip(words[::3], words[1::3], words[2::3], strict=True)
        ]
    except ValueError:
        raise DataError(f"{path}: needed: a name, a height and a width for each picture") from None


class DetectionFiles:
    """Collects the detections of one image after the other, and writes all files after the last."""

    def __init__(self, p: caffe_pb2.SaveOutputParameter, *, background: int) -> None:
        """``p``: SaveOutputParameter with output_directory, label_map_file and name_size_file.

        DataError if they cannot be used.
        """
        if p.output_format not in FORMATS:
            raise DataError(f"output_format is '{p.output_format}'; needed: {', '.join(FORMATS)}")
        self.folder = Path(p.output_directory)
        self._prefix = p.output_name_prefix
        self._format = p.output_format
        labels = caffe_pb2.LabelMap()
        try:
            read_text(p.label_map_file, labels)
        except CaffeError as e:
            raise DataError(f"label_map_file: {e}") from None
        self._names = {item.label: item.name for item in labels.item}
        if len(self._names) < len(labels.item):
            raise DataError(
                f"label_map_file '{p.label_map_file}' gives a label twice; needed: each label once"
            )
        self._background = background
        self._pictures = read_pictures(p.name_size_file)
        wanted = p.num_test_image if p.HasField("num_test_image") else len(self._pictures)
        if not 1 <= wanted <= len(self._pictures):
            raise DataError(
                f"num_test_image is {wanted}; needed: 1 to {len(self._pictures)}, the pictures"
                f" in {p.name_size_file}"
            )
        self._pictures = self._pictures[:wanted]
        self._found: list[Detection] = []
        self._seen = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise DataError(
                f"output_directory '{self.folder}' cannot be made: {e.strerror}"
            ) from None

    @property
    def picture(self) -> Picture:
        """The image whose detections come next."""
        return self._pictures[self._seen]

    def add(self, rows: Sequence[Sequence[float]]) -> None:
        """The detections of `picture`: label, score, xmin, ymin, xmax, ymax in pixels."""
        for label, score, left, top, right, bottom in rows:
            if int(label) not in self._names:
                raise DataError(
                    f"label {int(label)} is not in label_map_file; needed: {sorted(self._names)}"
                )
            values = np.array([left, top, right - left, bottom - top], np.float32) * np.float32(100)
            box = (np.trunc(values + np.copysign(0.5, values)) / 100).astype(np.float32)
            self._found.append(Detection(self.picture.name, int(label), score, tuple(box.tolist())))
        self._seen += 1
        if self._seen == len(self._pictures):
            for name, text in self._texts():
                with atomic_write(
                    self.folder / f"{self._prefix}{name}", error=DataError
                ) as temporary:
                    temporary.write_text(text, encoding="utf-8")
            self._found = []
            self._seen = 0

    def _texts(self) -> Iterator[tuple[str, str]]:
        """The name, after the prefix, and the content of each file."""
        if self._format == "COCO":
            entries = [
                {
                    "image_id": _number(d.picture),
                    "category_id": _number(self._names[d.label]),
                    "bbox": [_short(edge) for edge in d.box],
                    "score": _short(d.score),
                }
                for d in self._found
            ]
            yield ".json", _laid_out(entries)
            return
        lines: dict[str, list[str]] = defaultdict(list)
        if self._format == "VOC":
            lines |= {
                f"{name}.txt": []
                for label, name in self._names.items()
                if label != self._background
            }
        for d in self._found:
            left, top, width, height = map(int, d.box)
            edges = f"{d.score:g} {left} {top} {left + width} {top + height}"
            if self._format == "VOC":
                lines[f"{self._names[d.label]}.txt"].append(f"{d.picture} {edges}\n")
            else:
                lines[".txt"].append(f"{d.picture} {d.label} {edges}\n")
        yield from ((name, "".join(text)) for name, text in lines.items())


def _laid_out(entries: list[dict[str, Any]]) -> str:
    """The entries in SSD's layout, which it cuts out of a larger text."""
    if not entries:
        return "[]\n"
    return indent(json.dumps(entries, indent=4), " " * 4)[4:-1] + "\n]\n"


def _short(value: float) -> int | float:
    """The shortest decimal number for a float32."""
    number = float(f"{value:.9g}")
    return int(number) if number.is_integer() else number


def _number(text: str) -> int | str:
    """A number where the text is one, as COCO has them for images and categories."""
    return int(text) if text.lstrip("-").isdigit() else text
