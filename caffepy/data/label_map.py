"""Label maps: the names of the classes of a data set, and their numbers."""

from __future__ import annotations

import re

from caffepy import log
from caffepy.data.list_files import read_bytes
from caffepy.errors import CaffeError, DataError
from caffepy.proto import caffe_pb2
from caffepy.proto.output_files import refuse_overwriting
from caffepy.proto.text import read_text, write_text

BACKGROUND = {"name": "none_of_the_above", "label": 0, "display_name": "background"}
MOST_FIELDS = 3


def read_label_map(path: str, *, unique: bool = False) -> dict[str, int]:
    """The number of each class by its name in annotations.

    DataError if the file is no label map. If a name comes twice, the last one counts; with
    ``unique`` it is a DataError.
    """
    labels = caffe_pb2.LabelMap()
    try:
        read_text(path, labels)
    except CaffeError as error:
        raise DataError(f"label_map_file: {error}") from None
    labels_by_name: dict[str, int] = {}
    for item in labels.item:
        if unique and item.name in labels_by_name:
            raise DataError(
                f"label_map_file '{path}': There are many duplicates of name: {item.name};"
                " needed: each name once"
            )
        labels_by_name[item.name] = item.label
    if not labels_by_name:
        raise DataError(f"label_map_file '{path}' has no item; needed: one for each class")
    return labels_by_name


def write_label_map(
    list_file: str, out_file: str, *, background: bool = False, delimiter: str = " "
) -> None:
    """Write a label map from a list with a line for each class.

    A line has a name, a number and a display name, or the first one or two of these. A class
    without a number gets the next one. ``background``: class 0 comes before the list.
    ``delimiter``: each of its characters ends a field.

    DataError for a list that cannot be read, with another number of fields, or with fields that are
    no numbers.
    """
    refuse_overwriting(out_file, list_file)
    try:
        lines = read_bytes(list_file).decode("utf-8", errors="surrogateescape").splitlines()
    except OSError as error:
        raise DataError(f"label list '{list_file}' cannot be read: {error.strerror}") from error
    labels = caffe_pb2.LabelMap(item=[BACKGROUND] if background else [])
    first: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        fields: list[str] = re.split(f"[{re.escape(delimiter)}]", line) if delimiter else [line]
        first = first or fields
        if len(fields) != len(first) or len(fields) > MOST_FIELDS:
            needed = (
                f"{len(first)}, as in the first"
                if len(first) <= MOST_FIELDS
                else f"1 to {MOST_FIELDS}"
            )
            raise DataError(
                f"{list_file}:{number}: a line of {len(fields)} fields; needed: {needed} (name,"
                " number, what to show)"
            )
        name, label, shown = fields + [str(len(labels.item)), fields[0]][len(fields) - 1 :]
        try:
            labels.item.add(name=name, label=int(label), display_name=shown)
        except ValueError as error:
            raise DataError(
                f"{list_file}:{number}: '{line}' is no class: {error}; needed: UTF-8, and an"
                " integer in field 2"
            ) from None
    if not labels.item:
        log.warning(
            "create_label_map.cpp:0",
            f"{list_file} has no line, and so {out_file} no class; needed: a line for each class",
        )
    write_text(out_file, labels)
