"""CUDA graphs of the stand-in GPU: they keep every kernel's operands and repeat the kernels, not the Python."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

_native: Any = None
_on_stream: Callable[[Any], AbstractContextManager[None]]
_alive: weakref.WeakSet[CUDAGraph] = weakref.WeakSet()
_capturing = False
_kept: list[Kernels] = []
"""That of the capture at hand."""
PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "convolution", "convolution_backward", "linear", "addmv")
"""Operators that work in memory which cuBLAS keeps for the stream."""


def use(native: Any, on_stream: Callable[[Any], AbstractContextManager[None]]) -> None:
    """The native part, and torch.cuda.stream."""
    global _native, _on_stream
    _native, _on_stream = native, on_stream


def keep(call: Callable[[], object]) -> None:
    """A part of the capture at hand that is none of torch's operators."""
    _kept[-1].keep(call)


def is_capturing() -> bool:
    """Whether a capture goes on."""
    return _capturing


@contextmanager
def quietly() -> Iterator[None]:
    """No kernel counts."""
    _native.standin_quiet(1)
    try:
        yield
    finally:
        _native.standin_quiet(-1)


class Kernels(TorchDispatchMode):
    """Those of a capture."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []
        self._before: dict[int, tuple[torch.UntypedStorage, bytes]] = {}
        self._made: set[int] = set()
        self.multiplies = False

    def __torch_dispatch__(self, func: Any, types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Run and keep one kernel. What the host does by itself happens, and is not repeated."""
        kwargs = kwargs or {}
        given = tensors_of((args, kwargs))
        if not (any(t.is_cuda for t in given) or str(kwargs.get("device", "")).startswith("cuda")):
            return func(*args, **kwargs)
        if func._schema.is_mutable:
            for memory in (t.untyped_storage() for t in given):
                if memory.data_ptr() not in self._made and memory.data_ptr() not in self._before:
                    self._before[memory.data_ptr()] = (memory, ctypes.string_at(memory.data_ptr(), memory.nbytes()))
        result = func(*args, **kwargs)
        known = {t.untyped_storage().data_ptr() for t in given}
        self._made |= {t.untyped_storage().data_ptr() for t in tensors_of(result)} - known
        self._calls.append((func, *tree_map_only(Tensor, Tensor.detach, (args, kwargs, result))))  # a graph keeps nothing of autograd's
        self.multiplies |= func.overloadpacket.__name__ in PRODUCTS
        return result

    def keep(self, call: Callable[[], object]) -> None:
        """Have something else done among the kernels by each replay; it is not done now."""
        self._calls.append((lambda: call() and None, (), {}, ()))

    def undo(self) -> None:
        """A capture does nothing of what was asked for."""
        for memory, values in self._before.values():
            ctypes.memmove(memory.data_ptr(), values, len(values))
        for *_, result in self._calls:
            for t in tensors_of(result):
                if t.untyped_storage().data_ptr() in self._made and t.is_floating_point():
                    t.data.fill_(float("nan"))

    def repeat(self) -> None:
        """All of them, with the operands that they had."""
        with torch.no_grad():
            for func, args, kwargs, result in self._calls:
                again = func(*args, **kwargs)
                for old, new in zip(tensors_of(result), tensors_of(again), strict=True):
                    if old.untyped_storage().data_ptr() != new.untyped_storage().data_ptr():
                        old.data.copy_(new.detach())


class CUDAGraph:
    """torch.cuda.CUDAGraph.  ``replays``: of all of them."""

    replays = 0

    def __init__(self, keep_graph: bool = False) -> None:
        self.kernels: Kernels | None = None
        self.stream: Any = None
        self.broken = ""
        _alive.add(self)

    def replay(self) -> None:
        """Ask for all kernels again, at the cost of one."""
        if self.broken or self.kernels is None:
            raise RuntimeError(self.broken or "Called CUDAGraph::replay without a preceding successful capture.")
        _native.standin_count_launch()
        CUDAGraph.replays += 1
        with quietly():
            self.kernels.repeat()

    def reset(self) -> None:
        """Destroy it: torch 2.13 and later free cuBLAS's memory of the stream, in which other graphs work, too."""
        if self.stream is not None:
            for other in _alive:
                if other is not self and other.stream == self.stream and other.kernels is not None and other.kernels.multiplies:
                    other.broken = "stand-in GPU: another graph of the stream was destroyed, and cuBLAS's memory for it was freed"
        self.kernels = self.stream = None

    def __del__(self) -> None:
        self.reset()


@contextmanager
def capture(graph: CUDAGraph, pool: object = None, stream: Any = None, capture_error_mode: str = "global", **_: object) -> Iterator[None]:
    """torch.cuda.graph."""
    global _capturing
    if capture_error_mode not in ("global", "thread_local", "relaxed"):
        raise ValueError(f"unknown capture_error_mode {capture_error_mode}")
    stream = stream or torch.cuda.Stream()
    torch.cuda.synchronize()
    with _on_stream(stream):
        kernels = Kernels()
        graph.stream = stream  # the capture has touched the stream's memory even if it fails
        _native.standin_capture(stream.device.index, stream.id)
        _capturing = True
        _kept.append(kernels)
        try:
            with kernels:
                yield
        except Exception as error:
            raise RuntimeError("CUDA error: operation failed due to a previous error during capture") from error
        finally:
            _capturing = False
            _kept.clear()
            with quietly():
                kernels.undo()
            _native.standin_capture(0, -1)
        graph.kernels = kernels


def tensors_of(values: Any) -> list[Tensor]:
    """All tensors in nested lists, tuples and dicts."""
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, Tensor)]
