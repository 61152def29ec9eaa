"""Other packages of the name ``caffe`` beside caffepy's.

In scripts ``import caffe`` gives a compiled Caffe if there is one, whatever the order of paths. In
layers that users wrote, which caffepy runs, it gives caffepy's own. `which` tells what it gives
elsewhere.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from glob import escape, glob
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from caffepy import log

PLACE = "caffe/__init__.py:0"
NAME = "caffe"
INSTEAD = "import caffepy.pycaffe as caffe"


def step_aside(name: str, own: Iterable[str]) -> bool:
    """Replace the module ``name`` of the folders ``own`` by a compiled Caffe; whether there is one.

    caffepy's own programs keep caffepy, since the layers that users wrote for them need its
    classes. A Caffe that cannot be loaded (made for another Python, say) does not count. A log line
    tells what was done.
    """
    asked_by_us = "caffepy.cli" in sys.modules or any(isinstance(finder, OwnCaffe) for finder in sys.meta_path)
    spec = None if asked_by_us else find(name, own, sys.path)
    if spec is None or spec.loader is None:
        return False
    shim = sys.modules[name]
    before = set(sys.modules)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        for loaded in set(sys.modules) - before:
            if loaded.startswith(f"{name}."):
                del sys.modules[loaded]
        sys.modules[name] = shim
        reason = f"The Caffe at {spec.origin} cannot be loaded ({error})"
        log.warning(PLACE, f"{reason}: `import {name}` gives caffepy")
        return False
    told = f"There is a real Caffe at {spec.origin}: `import {name}` gives that one"
    log.warning(PLACE, f"{told}; for caffepy: {INSTEAD}")
    return True


def find(name: str, own: Iterable[str], path: Sequence[str]) -> ModuleSpec | None:
    """The package ``name`` with a compiled ``_caffe`` in a folder of ``path``, except ``own``."""
    taken = {os.path.realpath(folder) for folder in own}
    try:
        here = os.getcwd()
    except FileNotFoundError:  # it was deleted
        here = os.devnull
    for folder in path:
        package = os.path.join(here, folder, name)
        compiled = glob(os.path.join(escape(package), "_caffe*.so"))
        if compiled and os.path.realpath(package) not in taken:
            init = os.path.join(package, "__init__.py")
            return importlib.util.spec_from_file_location(
                name,
                init,
                submodule_search_locations=[package],
            )
    return None


class OwnCaffe(MetaPathFinder):
    """Finds caffepy's own package for ``import caffe``, whatever comes before it on the path."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        folder = own_folder() if fullname == NAME else None
        if folder is None:
            return None
        return importlib.util.spec_from_file_location(NAME, folder / "__init__.py", submodule_search_locations=[str(folder)])


@contextmanager
def own_first() -> Iterator[None]:
    """Inside, ``import caffe`` gives caffepy's own, unless another one was imported before."""
    finder = OwnCaffe()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def own_folder() -> Path | None:
    """The folder of caffepy's own package: in a checkout within caffepy, else installed beside it."""
    package = Path(__file__).parent
    return next((folder for folder in (package / "pycaffe" / "shim" / NAME, package.parent / NAME) if is_own(folder)), None)


def is_own(folder: Path) -> bool:
    """Whether the package in a folder is caffepy's."""
    try:
        return "from caffepy.real_caffe import" in (folder / "__init__.py").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def other_note() -> str:
    """For the end of an error line: the other ``caffe`` that this process has imported; empty if there is none."""
    loaded = sys.modules.get(NAME)
    places = list(getattr(loaded, "__path__", [])) or [getattr(loaded, "__file__", None) or "a built-in module"]
    if loaded is None or is_own(Path(places[0])):
        return ""
    return f"; this process has imported another caffe, {places[0]}: for layers that caffepy runs, {INSTEAD}"


def which(path: Sequence[str]) -> str:
    """One line: what ``import caffe`` gives with this search path, and what to do where that is not caffepy's."""
    before = sys.path[:]
    sys.path[:] = path
    try:
        found = importlib.util.find_spec(NAME)
    finally:
        sys.path[:] = before
    if found is None:
        return f"`import {NAME}` finds nothing; for caffepy: {INSTEAD}"
    folder = Path(found.origin).parent if found.origin else Path(next(iter(found.submodule_search_locations or ["?"])))
    if is_own(folder):
        return f"`import {NAME}` gives caffepy: {folder}"
    if found.origin is None:
        kind = "a folder without code"
    elif glob(os.path.join(escape(str(folder)), "_caffe*.so")):
        kind = "a compiled Caffe"
    elif (folder / "pycaffe.py").exists():
        kind = "the source of Caffe, which is not compiled"
    else:
        kind = "another module of that name"
        folder = folder if found.submodule_search_locations else Path(found.origin)
    return f"`import {NAME}` gives {folder}, {kind}; for caffepy: {INSTEAD}, or take {folder.parent} off PYTHONPATH and sys.path"
