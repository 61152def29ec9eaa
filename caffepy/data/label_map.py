"""Label maps: what the classes of a data set are called, and their numbers."""

from __future__ import annotations

from caffepy.errors import CaffeError, DataError
from caffepy.proto import caffe_pb2
from caffepy.proto.text import read_text


def read_label_map(path: str, *, unique: bool = False) -> dict[str, int]:
    """Number of each class by its name, as annotations have it.  DataError if the file is no label map.

    A name that comes again counts as it comes last; with ``unique`` it is a DataError.
    """
    labels = caffe_pb2.LabelMap()
    try:
        read_text(path, labels)
    except CaffeError as error:
        raise DataError(f"label_map_file: {error}") from None
    found: dict[str, int] = {}
    for item in labels.item:
        if unique and item.name in found:
            raise DataError(f"label_map_file '{path}': There are many duplicates of name: {item.name}; needed: each name once")
        found[item.name] = item.label
    if not found:
        raise DataError(f"label_map_file '{path}' has no item; needed: one for each class")
    return found
