"""`caffepy train` begins anew with a setting that the C library reads only at a process's start."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence

import caffepy

VARIABLE, NO_CACHE = "GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"
LIBRARY = "glibc"
MENDED = (2, 39)
SCRIPTS = ("caffe", "caffepy", "caffe_main")
MODULES = ("__main__.py", os.path.join("cli", "main.py"))
"""What ``python3 -m`` runs, in the package's folder."""


def restart_without_cache(words: Sequence[str], environ: Mapping[str, str]) -> None:
    """Begin anew if ``words``, the command, train on a CPU, and the setting is not made yet."""
    changed = without_cache(environ)
    if changed == environ or not sys.executable:
        return
    with contextlib.suppress(OSError):  # the work goes on with the cache
        if _trains_on_cpu(words):
            os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], changed)


def without_cache(environ: Mapping[str, str]) -> dict[str, str]:
    """``environ`` for a process without glibc's cache of small blocks.

    Before 2.39 that cache takes what is left over where a tensor's memory is aligned, and keeps it
    from joining free memory again (its bug 30723): a fifth of the memory of ResNet-50's training.
    Nothing changes where the user has set the cache, or the C library is another.
    """
    settings = environ.get(VARIABLE, "")
    if NO_CACHE.partition("=")[0] in settings or not _is_wasteful():
        return dict(environ)
    return {**environ, VARIABLE: f"{settings}:{NO_CACHE}" if settings else NO_CACHE}


def _trains_on_cpu(words: Sequence[str]) -> bool:
    is_gpu = any(word.lstrip("-").startswith("gpu") for word in words if word.startswith("-"))
    return "train" in words[1:] and not is_gpu and _is_all_that_runs(list(words))


def _is_all_that_runs(words: list[str]) -> bool:
    """Whether Python was started for the command ``words``, and for nothing else.

    A script that makes the command has done other work before, which would be done twice; one that
    comes through standard input could not be read again.
    """
    started = getattr(sys.modules["__main__"], "__file__", None) or ""
    if os.path.basename(started) != os.path.basename(words[0]):
        return False
    if os.path.basename(words[0]) in SCRIPTS:
        return sys.orig_argv[-len(words) :] == words
    folder = os.path.dirname(os.path.abspath(caffepy.__file__))
    is_module = os.path.abspath(words[0]) in [os.path.join(folder, name) for name in MODULES]
    return is_module and sys.orig_argv[1 - len(words) :] == words[1:]


def _is_wasteful() -> bool:
    """Whether this process's C library is a glibc before `MENDED`."""
    try:
        library, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
        return library == LIBRARY and tuple(map(int, version.split(".")[:2])) < MENDED
    except (AttributeError, ValueError, OSError):  # other systems and C libraries
        return False
