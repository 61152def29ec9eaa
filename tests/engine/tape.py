"""A recorder that does on the CPU what a CUDA graph does: it keeps every kernel's operands and repeats the kernels, not the Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from caffepy.engine.recorder import WARM_UP_PASSES

T = TypeVar("T")

WAITS = (
    "_local_scalar_dense",
    "equal",
    "is_nonzero",
    "masked_select",
    "nonzero",
    "_unique2",
    "unique_dim",
    "repeat_interleave.Tensor",
    "bincount",
)
"""Operators for which the host waits on a GPU, which a recording does not allow."""


class Tape:
    """Numbers that Python has are baked in, results lie in fixed memory, and recording itself changes nothing.

    A replay spoils what all later recordings of its pool have left: they may have got the memory that it needs in between.
    ``recorded``, ``replayed``: how often that was done.
    """

    def __init__(self) -> None:
        self.recorded = self.replayed = 0
        self._tapes: dict[int, list[_Kernels]] = {}

    def close(self) -> None:
        """See `Recorder`."""

    def record(self, run: Callable[[], T], *, passes: int = WARM_UP_PASSES, pool: int = 0) -> tuple[Callable[[], None], T]:
        """See `Recorder`."""
        for _ in range(passes):
            run()
        kernels = _Kernels()
        try:
            with kernels:
                result = run()
        finally:
            kernels.undo()
        self.recorded += 1
        tapes = self._tapes.setdefault(pool, [])
        tapes.append(kernels)
        later = len(tapes)

        def replay() -> None:
            self.replayed += 1
            for other in tapes[later:]:
                other.spoil()
            kernels.replay()

        return replay, result


class _Kernels(TorchDispatchMode):
    """Those that run while this is in force."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []
        self._before: dict[int, tuple[torch.UntypedStorage, torch.UntypedStorage]] = {}
        self._made: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Run and keep one kernel."""
        kwargs = kwargs or {}
        names = (func.overloadpacket.__name__, f"{func.overloadpacket.__name__}.{func._overloadname}")
        copied = names[0] == "lift_fresh" and args[0].dim()  # torch.tensor(...), a copy from the host
        chosen = names[0].startswith(("index", "_index")) and any(x.dtype == torch.bool for x in tensors_of(args[1]))  # x[mask]
        if any(name in WAITS for name in names) or copied or chosen:
            raise RuntimeError(f"operation not permitted when stream is capturing: {func}")
        if func._schema.is_mutable:
            for tensor in tensors_of((args, kwargs)):
                memory = tensor.untyped_storage()
                if memory.data_ptr() not in self._made and memory.data_ptr() not in self._before:
                    self._before[memory.data_ptr()] = (memory, memory.clone())
        result = func(*args, **kwargs)
        given = {tensor.untyped_storage().data_ptr() for tensor in tensors_of((args, kwargs))}
        self._made |= {tensor.untyped_storage().data_ptr() for tensor in tensors_of(result)} - given
        self._calls.append((func, args, kwargs, result))
        return result

    def undo(self) -> None:
        """What there was before has its old values."""
        for memory, values in self._before.values():
            memory.copy_(values)
        self.spoil()

    def spoil(self) -> None:
        """What was made has no values any more."""
        for *_, result in self._calls:
            for tensor in tensors_of(result):
                if tensor.untyped_storage().data_ptr() in self._made and tensor.is_floating_point():
                    tensor.data.fill_(float("nan"))

    def replay(self) -> None:
        """Repeat all of them with the operands that they had."""
        with torch.no_grad():
            for func, args, kwargs, result in self._calls:
                again = func(*args, **kwargs)
                for old, new in zip(tensors_of(result), tensors_of(again), strict=True):
                    if old.untyped_storage().data_ptr() != new.untyped_storage().data_ptr():
                        old.data.copy_(new.detach())


def tensors_of(values: Any) -> list[Tensor]:
    """All tensors in nested lists, tuples and dicts."""
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, Tensor) and not leaf.is_mkldnn]
