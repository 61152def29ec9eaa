"""``caffe._caffe``, Caffe's compiled module.

It has the names of this package, and the list types that scripts ask for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from caffepy.pycaffe.blob import ParamBlobs as BlobVec

RawBlobVec = LayerVec = NetVec = list

__all__ = ["BlobVec", "LayerVec", "NetVec", "RawBlobVec"]


def __getattr__(name: str) -> Any:
    return getattr(import_module(__package__), name)
