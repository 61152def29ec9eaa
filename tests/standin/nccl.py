"""NCCL of the stand-in GPU: its collectives as kernels of a stream of their own, carried by gloo between the ranks' host memory."""

from __future__ import annotations

import atexit
import ctypes
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from tests.standin.graphs import is_capturing, keep

UNPARTED = "destroy_process_group() was not called before the program ended"
"""What NCCL warns of, too."""
_groups: list[Any] = []


def _host_view(tensor: Tensor) -> Tensor:
    """The tensor's memory as the CPU's; the kernel that NCCL launches reads and writes it in the order of the current stream."""
    tensor.view(-1).add_(0)
    size = tensor.numel() * tensor.element_size()
    memory = (ctypes.c_char * size).from_address(tensor.data_ptr())
    return torch.frombuffer(memory, dtype=tensor.dtype).view(tensor.shape) if size else torch.empty(0, dtype=tensor.dtype)


class _Work:
    """A collective under way on the stream of NCCL's own."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def wait(self) -> bool:
        """What is asked of the current stream next comes behind it."""
        if self._stream is not None:
            torch.cuda.current_stream(self._stream.device).wait_stream(self._stream)
        return True


@lru_cache
def _stream(device: torch.device) -> Any:
    return torch.cuda.Stream(device)


def _carried(collective: Callable[..., Any]) -> Callable[..., Any]:
    """``collective`` for tensors of the device, too: on a stream of its own behind the current one, or a part of the capture at hand."""

    def call(tensor: Tensor, *args: Any, async_op: bool = False, **kwargs: Any) -> Any:
        if not tensor.is_cuda:
            return collective(tensor, *args, async_op=async_op, **kwargs)
        if not tensor.is_contiguous():
            raise ValueError("Tensors must be contiguous")
        if not _groups:
            raise RuntimeError("No backend type associated with device type cuda")

        def carry() -> None:
            collective(_host_view(tensor), *args, **kwargs)

        work = _Work(None)
        if is_capturing():
            keep(carry)
        else:
            stream = _stream(tensor.device)
            stream.wait_stream(torch.cuda.current_stream(tensor.device))
            with torch.cuda.stream(stream):
                carry()
            work = _Work(stream)
        if async_op:
            return work
        work.wait()
        return None

    return call


def install() -> None:
    """Put all of this into torch.distributed."""
    begin, more, end = dist.init_process_group, dist.new_group, dist.destroy_process_group

    def init_process_group(backend: str | None = None, *args: Any, device_id: Any = None, **kwargs: Any) -> None:
        begin("gloo" if backend == "nccl" else backend, *args, **kwargs)
        if backend == "nccl":
            _groups.append(None)

    def new_group(*args: Any, backend: str | None = None, **kwargs: Any) -> Any:
        group = more(*args, backend="gloo" if backend == "nccl" else backend, **kwargs)
        if backend == "nccl":
            _groups.append(group)
        return group

    def destroy_process_group(group: Any = None) -> None:
        if group in _groups:
            _groups.remove(group)
        end(group)

    for name, value in {
        "is_nccl_available": lambda: True,
        "init_process_group": init_process_group,
        "new_group": new_group,
        "destroy_process_group": destroy_process_group,
        "all_reduce": _carried(dist.all_reduce),
        "broadcast": _carried(dist.broadcast),
    }.items():
        setattr(dist, name, value)
    atexit.register(lambda: _groups and print(f"stand-in GPU: {UNPARTED}", file=sys.stderr))
