"""Which device this process computes on: the -gpu flag, else what a solver asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffepy import log
from caffepy.cli.gpus import gpu_numbers
from caffepy.errors import UsageError

if TYPE_CHECKING:
    import torch

    from caffepy.parallel.communicator import Communicator


def single_device(gpu: str, place: int) -> torch.device:
    """The one device of ``test`` and ``time``: the first that -gpu names, else the CPU. ``place``: Caffe's log line for the CPU."""
    if not gpu:
        log.info(f"caffe.cpp:{place}", "Use CPU.")
        return _cpu()
    number = _available(gpu)[0]
    log.info(f"caffe.cpp:{place - 9}", f"Use GPU with device ID {number}")
    return _use(number)


def training_device(gpu: str, communicator: Communicator) -> torch.device:
    """The device of this rank: each rank of a host takes the next of those that -gpu names."""
    if not gpu:
        log.info("caffe.cpp:197", "Use CPU.")
        return _cpu()
    import torch

    log.info("caffe.cpp:204", f"Using GPUs {gpu}")
    numbers = _available(gpu)
    if communicator.size == 1 and len(numbers) > 1:
        count = len(numbers)
        raise UsageError(
            f"-gpu {gpu}: {count} devices need a process each; start them with: mpirun -n {count} caffepy train -gpu {gpu} ..."
        )
    for number in numbers:
        log.info("caffe.cpp:209", f"GPU {number}: {torch.cuda.get_device_name(number)}")
    return _use(numbers[communicator.local_rank % len(numbers)])


def _available(gpu: str) -> Sequence[int]:
    import torch

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        raise UsageError(f"-gpu {gpu}: Cannot use GPU: torch sees no GPU on this machine; leave -gpu out and set solver_mode: CPU")
    return gpu_numbers(gpu, count)


def _cpu() -> torch.device:
    import torch

    from caffepy.engine.allocator import keep_freed_memory

    keep_freed_memory()
    return torch.device("cpu")


def _use(number: int) -> torch.device:
    import torch

    torch.cuda.set_device(number)
    return torch.device("cuda", number)
