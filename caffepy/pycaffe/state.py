"""What Caffe keeps for the whole process: the mode, the random stream, the solver's rank."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from caffepy.errors import UsageError
from caffepy.layers.random import CaffeRandom


@dataclass
class State:
    """Mode and random stream of this process. One object, `state`, as Caffe has one."""

    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    device_id: int = 0
    random: CaffeRandom = field(default_factory=lambda: CaffeRandom(None))


state = State()


def set_mode_cpu() -> None:
    """Nets that are built from now on compute on the CPU."""
    state.device = torch.device("cpu")


def set_mode_gpu() -> None:
    """Nets that are built from now on compute on the GPU of `set_device`; UsageError where there is none."""
    if not torch.cuda.is_available():
        raise UsageError("set_mode_gpu: torch sees no GPU on this machine; needed: a CUDA build of torch and a GPU, or set_mode_cpu")
    state.device = torch.device("cuda", state.device_id)


def set_device(device_id: int) -> None:
    """Choose the GPU for `set_mode_gpu`."""
    state.device_id = int(device_id)
    if state.device.type == "cuda":
        set_mode_gpu()


def set_random_seed(seed: int) -> None:
    """Start the random stream of fillers, dropout and data anew."""
    state.random = CaffeRandom(int(seed))
