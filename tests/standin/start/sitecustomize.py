"""With this folder on PYTHONPATH every Python that imports torch finds the stand-in GPU, in processes that others start, too."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

sys.path.append(str(Path(__file__).resolve().parents[3]))


class _Loader(Loader):
    """Loads the native part, then torch, then what stands for parts of torch.cuda."""

    def __init__(self, own: Loader) -> None:
        self._own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As torch wants it."""
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """In this order, as torch asks only once whether there is a GPU."""
        from tests.standin.build import loaded

        native = loaded()
        self._own.exec_module(module)
        from tests.standin.cuda import install

        install(native)


class _Finder(MetaPathFinder):
    """Finds torch."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Torch as it is found on ``sys.path``, with another loader."""
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


sys.meta_path.insert(0, _Finder())
