"""Memory of freed tensors stays with the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from caffepy.engine import allocator

CODE = '''
import resource, sys
import torch
from caffepy.engine.allocator import keep_freed_memory

def faults():
    """Page faults of five passes with four large tensors each, after five that show the allocator what is needed."""
    def passes():
        for _ in range(5):
            tensors = [torch.ones(size << 20) for size in (8, 4, 16, 2)]
            del tensors
    passes()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    passes()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

by_itself = faults()
assert keep_freed_memory()
print(by_itself, faults())
'''


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's allocator is what is told")
def test_large_tensors_cause_no_page_faults_any_more() -> None:
    shown = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True).stdout
    before, after = map(int, shown.split())
    assert after * 10 < before


def test_other_systems_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not allocator.keep_freed_memory()


def test_a_c_library_without_mallopt_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(allocator.ctypes, "CDLL", lambda name: object())
    assert not allocator.keep_freed_memory()
