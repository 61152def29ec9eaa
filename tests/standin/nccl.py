"""NCCL of the stand-in GPU: its collectives as a kernel of the current stream, carried by gloo between the ranks' host memory."""

from __future__ import annotations

import atexit
import ctypes
import sys
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

UNPARTED = "destroy_process_group() was not called before the program ended"
"""What NCCL warns of, too."""
_groups: list[Any] = []


def _host_view(tensor: Tensor) -> Tensor:
    """The tensor's memory as the CPU's; the kernel that NCCL launches reads and writes it in the order of the current stream."""
    tensor.view(-1).add_(0)
    size = tensor.numel() * tensor.element_size()
    memory = (ctypes.c_char * size).from_address(tensor.data_ptr())
    return torch.frombuffer(memory, dtype=tensor.dtype).view(tensor.shape) if size else torch.empty(0, dtype=tensor.dtype)


def _carried(collective: Callable[..., Any]) -> Callable[..., Any]:
    def call(tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
        if not tensor.is_cuda:
            return collective(tensor, *args, **kwargs)
        if not tensor.is_contiguous():
            raise ValueError("Tensors must be contiguous")
        if not _groups:
            raise RuntimeError("No backend type associated with device type cuda")
        return collective(_host_view(tensor), *args, **kwargs)

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
