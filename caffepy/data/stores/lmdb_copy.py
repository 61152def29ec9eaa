"""A second copy of the LMDB library, for reading.

The library refuses to open a database twice in a process, and knows what it has opened itself. With
two copies, a script that imports lmdb can read a database that a net reads, or write one, leave it
open and train on it.

Simpler ways do not work: the script's handle cannot be found and shared, another process would have
to copy each record, and a reader of the pages of our own would have to follow what other processes
write meanwhile. If the copy cannot be made, lmdb itself reads, and refuses such scripts.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

import lmdb


@cache
def own_lmdb() -> ModuleType:
    """The copy, or lmdb itself if it cannot be copied.

    It cannot where lmdb has no compiled code, or where memory cannot be executed.
    """
    library = sys.modules.get("lmdb.cpython")
    if library is None or not hasattr(os, "memfd_create"):
        return lmdb
    name = f"{__name__}.cpython"
    try:
        descriptor = os.memfd_create("lmdb")
        with open(descriptor, "wb") as memory:  # closed when loaded: the library stays mapped
            memory.write(Path(str(library.__file__)).read_bytes())
            memory.flush()
            file = f"/proc/self/fd/{descriptor}"
            loader = ExtensionFileLoader(name, file)
            copy = module_from_spec(ModuleSpec(name, loader, origin=file))
            loader.exec_module(copy)
    except (OSError, ImportError):
        return lmdb
    return copy
