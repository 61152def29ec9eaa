"""What stands for a name in a prototxt or a flag: layers, fillers, solver types, policies, exchanges, ONNX converters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Registry(dict[str, T]):
    """Entries by name, in the order of their registration.  ``kind``: what one of them is called in messages."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def add(self, name: str, entry: T) -> None:
        """ValueError if the name is taken."""
        if name in self:
            raise ValueError(f"{self.kind} {name} is registered twice: {self[name]} and {entry}")
        self[name] = entry

    def named(self, *names: str) -> Callable[[T], T]:
        """Decorator: what follows is the entry of these names."""

        def register(entry: T) -> T:
            for name in names:
                self.add(name, entry)
            return entry

        return register
