"""What of torch.cuda the CPU's torch lacks, for the stand-in GPU: devices, streams, events, random numbers, memory."""

from __future__ import annotations

import ctypes
import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch

from tests.standin import nccl
from tests.standin.graphs import CUDAGraph, capture, is_capturing, use

DEVICES = 2
MEMORY_BYTES = 1 << 34
_pools = itertools.count(1)
_native: Any = None


def index_of(device: Any = None) -> int:
    """The number of a device given in any of torch's ways; None: the current one."""
    if device is None:
        return int(_native.standin_device())
    if isinstance(device, int):
        return device
    index = torch.device(device).index
    return int(_native.standin_device()) if index is None else index


class Event:
    """A place among a stream's kernels."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self._native, self._at = _native.standin_event(), 0.0

    def __del__(self) -> None:
        _native.standin_drop_event(self._native)

    def record(self, stream: Stream | None = None) -> None:
        """Behind what ``stream`` was asked for so far."""
        stream = stream or current_stream()
        self._at = time.perf_counter()
        _native.standin_record(self._native, stream.device.index, stream.id)

    def wait(self, stream: Stream | None = None) -> None:
        """``stream`` waits."""
        stream = stream or current_stream()
        _native.standin_stream_waits(self._native, stream.device.index, stream.id)

    def synchronize(self) -> None:
        """The host waits."""
        _host_waits("Event.synchronize", self._native)

    def query(self) -> bool:
        """Whether it is reached; here what has been asked for is done, and the host now knows it."""
        _host_knows(self._native)
        return True

    def elapsed_time(self, other: Event) -> float:
        """Milliseconds."""
        return (other._at - self._at) * 1e3


class Stream:
    """Kernels in order, beside those of other streams."""

    made = 0

    def __init__(self, device: Any = None, priority: int = 0, *, number: int | None = None) -> None:
        if number is None:
            Stream.made += 1
        self.id = Stream.made if number is None else number
        self.device = torch.device("cuda", index_of(device))
        self.device_index, self.stream_id, self.device_type, self.cuda_stream = self.device.index, self.id, 1, self.id

    def wait_stream(self, other: Stream) -> None:
        """What is asked for here next waits for what ``other`` was asked for so far."""
        self.wait_event(other.record_event())

    def wait_event(self, event: Event) -> None:
        """The same for an event."""
        event.wait(self)

    def record_event(self, event: Event | None = None) -> Event:
        """One behind what was asked for so far."""
        event = event or Event()
        event.record(self)
        return event

    def synchronize(self) -> None:
        """The host waits."""
        event = self.record_event()
        _host_waits("Stream.synchronize", event._native)

    def query(self) -> bool:
        """See `Event.query`."""
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (other.id, other.device) == (self.id, self.device)

    def __hash__(self) -> int:
        return hash((self.id, self.device))


def _host_waits(what: str, event: int | None) -> None:
    if is_capturing():
        raise RuntimeError(f"CUDA error: operation not permitted when stream is capturing ({what})")
    _native.standin_count_wait(what.encode())
    _host_knows(event)


def _host_knows(event: int | None) -> None:
    if _native.standin_host_waits(event):
        raise RuntimeError("stand-in GPU: memory of the host has changed while it was copied to the device")


def current_stream(device: Any = None) -> Stream:
    """That of this thread."""
    index = index_of(device)
    return Stream(index, number=_native.standin_stream(index))


@contextmanager
def on_stream(stream: Stream | None) -> Iterator[None]:
    """torch.cuda.stream."""
    if stream is None:
        yield
        return
    device, index = _native.standin_device(), stream.device.index
    before = _native.standin_stream(index)
    _native.standin_set_device(index)
    _native.standin_set_stream(index, stream.id)
    try:
        yield
    finally:
        _native.standin_set_stream(index, before)
        _native.standin_set_device(device)


@contextmanager
def on_device(device: Any) -> Iterator[None]:
    """torch.cuda.device."""
    before = _native.standin_device()
    _native.standin_set_device(index_of(device))
    try:
        yield
    finally:
        _native.standin_set_device(before)


def counts() -> tuple[int, int, int, int]:
    """So far in this process: launches of kernels (one for a graph), waits of the host, copies between host and device, replays."""
    found = (ctypes.c_int64 * 3)()
    _native.standin_counts(found)
    return found[0], found[1], found[2], CUDAGraph.replays


def properties(device: Any = None) -> SimpleNamespace:
    """torch.cuda.get_device_properties, as far as it is asked for."""
    index = index_of(device)
    if not 0 <= index < DEVICES:
        raise AssertionError("Invalid device id")
    facts = {"name": "stand-in GPU", "major": 9, "minor": 0, "total_memory": MEMORY_BYTES, "multi_processor_count": 1}
    return SimpleNamespace(**facts, uuid=f"stand-in-{index}", warp_size=32, max_threads_per_multi_processor=2048, L2_cache_size=1 << 20)


def _used_on(self: torch.Tensor, stream: Stream) -> None:
    _native.standin_used_on(self.untyped_storage().data_ptr(), stream.device.index, stream.id)


def install(native: Any) -> None:
    """Put all of this into torch.cuda."""
    global _native
    _native = native
    native.standin_cover()
    if torch.distributed.is_available():
        nccl.install()
    use(native, on_stream)
    torch._C._set_warnAlways(True)  # a warning that one test has seen must not be lost to the others
    torch.Tensor.record_stream = _used_on
    for name in ("_cuda_endAllocateToPool", "_cuda_endAllocateCurrentStreamToPool", "_cuda_releasePool"):
        setattr(torch._C, name, lambda device, pool: None)
    nothing = dict.fromkeys(("memory_reserved", "memory_allocated", "max_memory_allocated", "max_memory_reserved"), lambda device=None: 0)
    for name, value in {
        **nothing,
        "_lazy_init": lambda: None,
        "_initialized": True,
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "device_count": lambda: DEVICES,
        "current_device": index_of,
        "set_device": lambda device: native.standin_set_device(index_of(device)),
        "device": on_device,
        "synchronize": lambda device=None: _host_waits("torch.cuda.synchronize", None),
        "empty_cache": lambda: None,
        "get_device_name": lambda device=None: properties(device).name,
        "get_device_properties": properties,
        "get_device_capability": lambda device=None: (9, 0),
        "mem_get_info": lambda device=None: (MEMORY_BYTES, MEMORY_BYTES),
        "reset_peak_memory_stats": lambda device=None: None,
        "manual_seed_all": lambda seed: None,  # the CPU's generator draws
        "get_rng_state": lambda device=None: torch.get_rng_state(),
        "set_rng_state": lambda state, device=None: torch.set_rng_state(state),
        "Stream": Stream,
        "Event": Event,
        "current_stream": current_stream,
        "default_stream": lambda device=None: Stream(device, number=0),
        "stream": on_stream,
        "CUDAGraph": CUDAGraph,
        "graph": capture,
        "graph_pool_handle": lambda: (0, next(_pools)),
        "is_current_stream_capturing": is_capturing,
        "counts": counts,
    }.items():
        setattr(torch.cuda, name, value)
