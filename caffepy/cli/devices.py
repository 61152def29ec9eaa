"""Which device this process computes on: the -gpu flag, else what a solver asks for."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffepy import log
from caffepy.cli.gpus import gpu_numbers
from caffepy.errors import UsageError

if TYPE_CHECKING:
    import torch

    from caffepy.parallel.transport.communicator import Communicator


GPU = "-gpu"
AUTO = re.compile(r"auto(?:-([1-9]\d*))?")


def single_device(gpu: str, place: int, *, flag: str = GPU) -> torch.device:
    """The one device of ``test`` and ``time``: the first that -gpu names, else the CPU.

    ``place``: Caffe's log line for the CPU. ``flag``: the word that the number comes with.
    """
    if not gpu:
        log.info(f"caffe.cpp:{place}", "Use CPU.")
        return cpu()
    number = available(gpu, flag=flag)[0]
    log.info(f"caffe.cpp:{place - 9}", f"Use GPU with device ID {number}")
    return _use(number)


def training_device(gpu: str, communicator: Communicator) -> torch.device:
    """The device of this rank: each rank of a host takes the next of those that -gpu names.

    ``auto``: of all there are; ``auto-4``: of the first 4; and the CPU where there is none. These
    are CaffeGPI's words.
    """
    match = AUTO.fullmatch(gpu)
    if match:
        gpu = ",".join(map(str, range(min(gpu_count(), int(match[1] or 1 << 16)))))
    if not gpu:
        log.info("caffe.cpp:197", "Use CPU.")
        return cpu()
    import torch

    log.info("caffe.cpp:204", f"Using GPUs {gpu}")
    numbers = available(gpu)
    for number in numbers:
        log.info("caffe.cpp:209", f"GPU {number}: {torch.cuda.get_device_name(number)}")
    return _use(numbers[communicator.local_rank % len(numbers)])


def available(gpu: str, *, flag: str = GPU) -> Sequence[int]:
    """The devices that -gpu names.  UsageError where there are none."""
    count = gpu_count()
    if not count:
        advice = "leave -gpu out and set solver_mode: CPU" if flag == GPU else "needed: CPU"
        raise UsageError(
            f"{flag} {gpu}: Cannot use GPU: torch sees no GPU on this machine; {advice}"
        )
    return gpu_numbers(gpu, count, flag=flag)


def gpu_count() -> int:
    """How many GPUs torch can use."""
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def cpu() -> torch.device:
    """The CPU, for a process that computes on it.

    A warning tells where the environment asks for a number of threads that it cannot have.
    """
    import torch

    from caffepy.engine.allocator import keep_freed_memory
    from caffepy.parallel.job.threads import doubt

    keep_freed_memory()
    if wrong := doubt(os.environ, torch.get_num_threads()):
        log.warning("threads.py:0", wrong)
    return torch.device("cpu")


def _use(number: int) -> torch.device:
    import torch

    from caffepy.engine.numerics import Numerics

    torch.cuda.set_device(number)
    device = torch.device("cuda", number)
    Numerics().prepare(device)  # a command may ask for others
    return device
