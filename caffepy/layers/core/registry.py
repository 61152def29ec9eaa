"""Which class stands for which Caffe layer type: one table, which the files of layers make, and one decorator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from caffepy import log
from caffepy.errors import LayerError, nearest
from caffepy.proto.forks import fork_note, forks_of_type, way_around
from caffepy.registry import Registry

if TYPE_CHECKING:
    from caffepy.layers.core.base import Layer

L = TypeVar("L", bound="type[Layer]")
REGISTERS = re.compile(rb'^@register_layer\("(\w+)"\)', re.MULTILINE)


class LayerTypes(Mapping[str, "type[Layer]"]):
    """The class of each type that a file of ``package`` registers; the file is imported when the class is first asked for."""

    def __init__(self, package: str, folder: Path) -> None:
        self.package = package
        self.folder = folder
        self._classes: Registry[type[Layer]] = Registry("layer type")

    @cached_property
    def modules(self) -> dict[str, str]:
        """The module of each type: found by the text of the files, so that none of them is imported."""
        found: dict[str, str] = {}
        for path in sorted(self.folder.glob("*/*.py")):
            for name in REGISTERS.findall(path.read_bytes()):
                found[name.decode()] = f"{self.package}.{path.parent.name}.{path.stem}"
        return found

    def add(self, name: str, layer: type[Layer]) -> None:
        """ValueError if the name is taken."""
        if self.modules.get(name, layer.__module__) != layer.__module__:
            import_module(self.modules[name])  # the other one is there first
        self._classes.add(name, layer)

    def __getitem__(self, name: str) -> type[Layer]:
        if name not in self._classes and name in self.modules:
            import_module(self.modules[name])
        return self._classes[name]

    def __contains__(self, name: object) -> bool:
        return name in self._classes or name in self.modules

    def __iter__(self) -> Iterator[str]:
        return iter({**self.modules, **self._classes})

    def __len__(self) -> int:
        return len({**self.modules, **self._classes})


LAYERS = LayerTypes("caffepy.layers", Path(__file__).parents[1])


def register_layer(type_name: str) -> Callable[[L], L]:
    """Class decorator: the class computes layers of this prototxt ``type``."""

    def register(cls: L) -> L:
        LAYERS.add(type_name, cls)
        cls.type = type_name
        return cls

    return register


def log_creation(param: Any) -> None:
    """Caffe's line for the layer of this caffe.LayerParameter, which comes once more where it makes another layer for its own use."""
    log.info("layer_factory.hpp:77", f"Creating layer {param.name}")


def layer_class(type_name: str) -> type[Layer]:
    """The class for a prototxt ``type``; LayerError naming the known types if there is none."""
    if type_name not in LAYERS:
        fork, known = fork_note(forks_of_type(type_name)), ", ".join(sorted(LAYERS))
        hint = way_around(type_name) or nearest(type_name, LAYERS)
        raise LayerError(f"Unknown layer type: {type_name}{fork} (known types: {known}){hint}", ("type",))
    return LAYERS[type_name]
