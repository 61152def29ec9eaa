"""``caffepy device_query``: what the GPUs are, in the lines of Caffe's own report."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from caffepy import log
from caffepy.cli.devices import gpu_count
from caffepy.cli.gpus import gpu_numbers
from caffepy.cli.options import CaffeFlags, caffe_flags
from caffepy.errors import UsageError

if TYPE_CHECKING:
    from torch.cuda import _CudaDeviceProperties

# numbers of CUDA's driver attributes (enum CUdevice_attribute)
BLOCK_THREADS, BLOCK_DIM, GRID_DIM, SHARED, CONSTANT, WARP, PITCH, REGISTERS, CLOCK, TEXTURE, OVERLAP, TIMEOUT = (
    *(1, (2, 3, 4), (5, 6, 7), 8, 9, 10),
    *(11, 12, 13, 14, 15, 17),
)


@click.command("device_query")
@caffe_flags
def command(*, flags: CaffeFlags) -> None:
    """Show what the GPUs of -gpu are ('all', or numbers separated by commas)."""
    log.info("caffe.cpp:138", f"Querying GPUs {flags.gpu}")
    if not flags.gpu:
        return
    import torch

    count = gpu_count()
    if not count:
        raise UsageError(f"-gpu {flags.gpu}: no GPU can be used here ({why_not(torch.version.cuda, torch.version.hip)})")
    for number in gpu_numbers(flags.gpu, count):
        for name, value in describe(number, torch.cuda.get_device_properties(number), driver_attributes(number)):
            log.info("common.cpp:187", f"{name + ':':31}{value}")


def why_not(cuda: str | None, hip: str | None) -> str:
    """What stands in the way of a GPU, in a few words."""
    if cuda is None and hip is None:
        return "this PyTorch was built for CPUs only; install one with CUDA"
    return "PyTorch has GPU support but finds no device; look at nvidia-smi and CUDA_VISIBLE_DEVICES"


def driver_attributes(number: int) -> Callable[[int], int | None]:
    """Asks the CUDA driver for device attributes by number; answers None where there is no such driver (ROCm)."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return lambda _: None
    device = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), number):
        return lambda _: None

    def ask(attribute: int) -> int | None:
        value = ctypes.c_int()
        return None if driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device) else value.value

    return ask


def describe(number: int, device: _CudaDeviceProperties, ask: Callable[[int], int | None]) -> list[tuple[str, str]]:
    """Caffe's rows about one device. ``ask`` gives a driver attribute or None; what it cannot tell is ``unknown``."""

    def told(attribute: int) -> str:
        value = ask(attribute)
        return "unknown" if value is None else str(value)

    def yes(attribute: int) -> str:
        value = ask(attribute)
        return "unknown" if value is None else ("Yes" if value else "No")

    return [
        ("Device id", str(number)),
        ("Major revision number", str(device.major)),
        ("Minor revision number", str(device.minor)),
        ("Name", device.name),
        ("Total global memory", str(device.total_memory)),
        ("Total shared memory per block", told(SHARED)),
        ("Total registers per block", told(REGISTERS)),
        ("Warp size", told(WARP)),
        ("Maximum memory pitch", told(PITCH)),
        ("Maximum threads per block", told(BLOCK_THREADS)),
        ("Maximum dimension of block", ", ".join(told(axis) for axis in BLOCK_DIM)),
        ("Maximum dimension of grid", ", ".join(told(axis) for axis in GRID_DIM)),
        ("Clock rate", told(CLOCK)),
        ("Total constant memory", told(CONSTANT)),
        ("Texture alignment", told(TEXTURE)),
        ("Concurrent copy and execution", yes(OVERLAP)),
        ("Number of multiprocessors", str(device.multi_processor_count)),
        ("Kernel execution timeout", yes(TIMEOUT)),
    ]
