"""Entries by name: layers, fillers, solver types, policies, exchanges, ONNX converters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class Registry(dict[str, T]):
    """Entries by name, in the order of their registration.

    ``kind``: what one of them is called in messages.
    """

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


class FileRegistry(Mapping[str, T]):
    """Entries in files of their own, which are imported when an entry is first asked for.

    The names are read from the text of the files, in lines ``@decorator("name")``. So they are
    known before anything is imported.
    """

    def __init__(self, kind: str, *, decorator: str, package: str, files: str = "*.py") -> None:
        """``package``: the folder of the files, as a module.

        ``files``: a pattern for them in there.
        """
        self.loaded: Registry[T] = Registry(kind)
        self.package = package
        self.folder = Path(__file__).parent.joinpath(*package.split(".")[1:])
        self._files = files
        self._line = re.compile(rf'^@{decorator}\("(\w+)"\)', re.MULTILINE)

    @cached_property
    def modules(self) -> dict[str, str]:
        """The module of each name."""
        modules: dict[str, str] = {}
        for path in sorted(self.folder.glob(self._files)):
            inside = path.relative_to(self.folder).with_suffix("")
            for name in self._line.findall(path.read_text(encoding="utf-8")):
                modules[name] = ".".join((self.package, *inside.parts))
        return modules

    def add(self, name: str, entry: T, module: str) -> None:
        """Called by the decorator; ``module``: the one that it stands in.

        ValueError if the name is taken.
        """
        if self.modules.get(name, module) != module:
            import_module(self.modules[name])  # the other one is there first
        self.loaded.add(name, entry)

    def __getitem__(self, name: str) -> T:
        if name not in self.loaded and name in self.modules:
            import_module(self.modules[name])
        return self.loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self.loaded or name in self.modules

    def __iter__(self) -> Iterator[str]:
        return iter({**self.modules, **self.loaded})

    def __len__(self) -> int:
        return len({**self.modules, **self.loaded})
