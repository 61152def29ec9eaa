"""``caffepy device_query``: what the GPUs are, in the lines of Caffe's own report."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import TYPE_CHECKING

import click

from caffepy import log
from caffepy.cli.devices import gpu_count
from caffepy.cli.gpus import gpu_numbers
from caffepy.cli.json_output import Json, json_flag, json_object
from caffepy.cli.options import CaffeFlags, caffe_flags
from caffepy.errors import UsageError

if TYPE_CHECKING:
    from torch.cuda import _CudaDeviceProperties

Value = int | bool | str | list[int | None] | None
"""A property of a device; None where it is unknown."""


class Attribute(IntEnum):
    """Numbers of CUDA's driver attributes (enum CUdevice_attribute)."""

    BLOCK_THREADS = 1
    BLOCK_X = 2
    BLOCK_Y = 3
    BLOCK_Z = 4
    GRID_X = 5
    GRID_Y = 6
    GRID_Z = 7
    SHARED_MEMORY = 8
    CONSTANT_MEMORY = 9
    WARP_SIZE = 10
    PITCH = 11
    REGISTERS = 12
    CLOCK_RATE = 13
    TEXTURE_ALIGNMENT = 14
    COPY_OVERLAP = 15
    KERNEL_TIMEOUT = 17


Ask = Callable[[int], int | None]
"""Gives a driver attribute by its number; None where it is unknown."""


@click.command("device_query")
@caffe_flags
@json_flag
def command(*, flags: CaffeFlags, as_json: bool) -> None:
    """Show what the GPUs of -gpu are ('all', or numbers separated by commas)."""
    log.info("caffe.cpp:138", f"Querying GPUs {flags.gpu}")
    with json_object(wanted=as_json) as result:
        devices: list[Json] = []
        for rows in query(flags.gpu):
            for name, value in rows:
                log.info("common.cpp:187", f"{name + ':':31}{in_words(value)}")
            devices.append({name.lower().replace(" ", "_"): value for name, value in rows})
        result["devices"] = devices


def query(gpu: str) -> Iterator[list[tuple[str, Value]]]:
    """The properties of each device that -gpu names.  UsageError where there is no GPU."""
    if not gpu:
        return
    import torch

    count = gpu_count()
    if not count:
        reason = why_not(torch.version.cuda, torch.version.hip)
        raise UsageError(f"-gpu {gpu}: no GPU can be used here ({reason})")
    for number in gpu_numbers(gpu, count):
        properties = torch.cuda.get_device_properties(number)
        yield describe(number, properties, driver_attributes(number))


def why_not(cuda: str | None, hip: str | None) -> str:
    """What stands in the way of a GPU, in a few words."""
    if cuda is None and hip is None:
        return "this PyTorch was built for CPUs only; install one with CUDA"
    return (
        "PyTorch has GPU support but finds no device; look at nvidia-smi and CUDA_VISIBLE_DEVICES"
    )


def driver_attributes(number: int) -> Ask:
    """The attributes that the CUDA driver knows.

    All are unknown where there is no such driver (ROCm).
    """
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return lambda _: None
    device = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), number):
        return lambda _: None

    def ask(attribute: int) -> int | None:
        value = ctypes.c_int()
        failed = driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
        return None if failed else value.value

    return ask


def describe(number: int, device: _CudaDeviceProperties, ask: Ask) -> list[tuple[str, Value]]:
    """Caffe's rows about one device."""
    block = (Attribute.BLOCK_X, Attribute.BLOCK_Y, Attribute.BLOCK_Z)
    grid = (Attribute.GRID_X, Attribute.GRID_Y, Attribute.GRID_Z)
    overlap = ask(Attribute.COPY_OVERLAP)
    timeout = ask(Attribute.KERNEL_TIMEOUT)
    return [
        ("Device id", number),
        ("Major revision number", device.major),
        ("Minor revision number", device.minor),
        ("Name", device.name),
        ("Total global memory", device.total_memory),
        ("Total shared memory per block", ask(Attribute.SHARED_MEMORY)),
        ("Total registers per block", ask(Attribute.REGISTERS)),
        ("Warp size", ask(Attribute.WARP_SIZE)),
        ("Maximum memory pitch", ask(Attribute.PITCH)),
        ("Maximum threads per block", ask(Attribute.BLOCK_THREADS)),
        ("Maximum dimension of block", [ask(axis) for axis in block]),
        ("Maximum dimension of grid", [ask(axis) for axis in grid]),
        ("Clock rate", ask(Attribute.CLOCK_RATE)),
        ("Total constant memory", ask(Attribute.CONSTANT_MEMORY)),
        ("Texture alignment", ask(Attribute.TEXTURE_ALIGNMENT)),
        ("Concurrent copy and execution", None if overlap is None else bool(overlap)),
        ("Number of multiprocessors", device.multi_processor_count),
        ("Kernel execution timeout", None if timeout is None else bool(timeout)),
    ]


def in_words(value: Value) -> str:
    """A property as Caffe's log shows it."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list):
        return ", ".join(in_words(item) for item in value)
    return str(value)
