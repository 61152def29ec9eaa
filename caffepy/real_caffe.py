"""A compiled Caffe beside caffepy: ``import caffe`` then means that one, whichever comes first on the path."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Sequence
from glob import escape, glob
from importlib.machinery import ModuleSpec

from caffepy import log

PLACE = "caffe/__init__.py:0"


def step_aside(name: str, own: Iterable[str]) -> bool:
    """Put a compiled Caffe in the place of the module ``name``, which lies in the folders ``own``; whether there is one.

    caffepy's own programs stay with caffepy, since the layers that users wrote for them need its
    classes. A Caffe that cannot be loaded (made for another Python, say) does not count. What was
    done is told in one line.
    """
    spec = None if "caffepy.cli" in sys.modules else find(name, own, sys.path)
    if spec is None or spec.loader is None:
        return False
    shim, before = sys.modules[name], set(sys.modules)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        for loaded in set(sys.modules) - before:
            if loaded.startswith(f"{name}."):
                del sys.modules[loaded]
        sys.modules[name] = shim
        log.warning(PLACE, (f"The Caffe at {spec.origin} cannot be loaded ({error}): `import {name}` gives caffepy"))
        return False
    log.warning(
        PLACE, (f"There is a real Caffe at {spec.origin}: `import {name}` gives that one; for caffepy: import caffepy.pycaffe as {name}")
    )
    return True


def find(name: str, own: Iterable[str], path: Sequence[str]) -> ModuleSpec | None:
    """The package ``name`` with a compiled ``_caffe`` in a folder of ``path``, other than ``own``."""
    taken = {os.path.realpath(folder) for folder in own}
    try:
        here = os.getcwd()
    except FileNotFoundError:  # it has been deleted, and holds nothing
        here = os.devnull
    for folder in path:
        package = os.path.join(here, folder, name)
        if os.path.realpath(package) not in taken and glob(os.path.join(escape(package), "_caffe*.so")):
            init = os.path.join(package, "__init__.py")
            return importlib.util.spec_from_file_location(name, init, submodule_search_locations=[package])
    return None
