"""Which class stands for which Caffe layer type.

The files of layers make the table, with one decorator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from caffepy import log
from caffepy.errors import LayerError, nearest
from caffepy.proto.forks import fork_note, forks_of_type, way_around_type
from caffepy.registry import FileRegistry

if TYPE_CHECKING:
    from caffepy.layers.core.base import Layer
    from caffepy.proto import caffe_pb2

L = TypeVar("L", bound="type[Layer]")


LAYERS: FileRegistry[type[Layer]] = FileRegistry(
    "layer type", decorator="register_layer", package="caffepy.layers", files="*/*.py"
)


def register_layer(type_name: str) -> Callable[[L], L]:
    """Class decorator: the class computes layers of this prototxt ``type``."""

    def register(cls: L) -> L:
        LAYERS.add(type_name, cls, cls.__module__)
        cls.type = type_name
        return cls

    return register


def log_creation(param: caffe_pb2.LayerParameter) -> None:
    """Log Caffe's line for the layer of this message.

    It comes once more where the layer makes another for its own use.
    """
    log.info("layer_factory.hpp:77", f"Creating layer {param.name}")


def layer_class(type_name: str) -> type[Layer]:
    """The class for a prototxt ``type``; LayerError naming the known types if there is none."""
    if type_name not in LAYERS:
        fork = fork_note(forks_of_type(type_name))
        known = ", ".join(sorted(LAYERS))
        hint = way_around_type(type_name) or nearest(type_name, LAYERS)
        raise LayerError(
            f"Unknown layer type: {type_name}{fork} (known types: {known}){hint}", ("type",)
        )
    return LAYERS[type_name]
