"""What is left of the memory that ``ulimit -v`` allows."""

from __future__ import annotations

import errno
import importlib
import sys

import pytest

from caffepy import memory_limit

resource = pytest.importorskip("resource", reason="not a Unix")


def test_without_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, resource.RLIM_INFINITY)
    assert memory_limit.limit_bytes() is memory_limit.left_bytes() is None
    assert memory_limit.limit_note() == ""
    finders = list(sys.meta_path)
    memory_limit.check_memory_before_imports()
    assert sys.meta_path == finders


def limited(monkeypatch: pytest.MonkeyPatch, allowed: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda what: (allowed, resource.RLIM_INFINITY))


def test_the_limit_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, 61_440_000)
    assert memory_limit.limit_note() == "; ulimit -v allows this process 61 MB"
    assert memory_limit.memory_note(OSError(errno.ENOMEM, "Cannot allocate memory")) == memory_limit.limit_note()
    assert memory_limit.memory_note(OSError(errno.ENOSPC, "No space left on device")) == ""


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell what a process has")
def test_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, 1 << 62)
    left = memory_limit.left_bytes()
    assert left is not None
    assert 0 < left < 1 << 62


@pytest.mark.parametrize("package", ["torch", "numpy"])
def test_a_package_whose_libraries_do_not_fit(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [memory_limit.MemoryCheck(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, package, raising=False)
    monkeypatch.setattr(memory_limit, "libraries_bytes", lambda name: 5_000_000)
    monkeypatch.setattr(memory_limit, "left_bytes", lambda: 4_000_000)
    with pytest.raises(MemoryError, match=f"the libraries of {package} take about 5 MB, and 4 MB are left"):
        importlib.import_module(package)


def test_what_libraries_take(monkeypatch: pytest.MonkeyPatch) -> None:
    assert memory_limit.libraries_bytes("torch") > 100 * memory_limit.MB
    monkeypatch.setitem(memory_limit.LIBRARIES, "no_such_package", ("a", 1))
    assert memory_limit.libraries_bytes("no_such_package") == 0


def test_threads_of_openblas() -> None:
    most = memory_limit.threads({})
    assert most >= 1
    assert memory_limit.threads({"OMP_NUM_THREADS": "1"}) == 1
    assert memory_limit.threads({"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "2"}) == 1
    for word in ("1000000", "a", "²", "9" * 5000):
        assert memory_limit.threads({"OMP_NUM_THREADS": word}) == most
