"""Copies batches from the host's memory to the device while the device computes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import torch
from torch import Tensor

AHEAD = 4
"""Batches whose copies may be unfinished at once.

With as many the host waits, so that it does not get far ahead of the device.
"""


class Feeder:
    """Puts tensors on ``device``, those with four axes in ``memory_format``.

    To a GPU they are copied on a stream of its own, and the GPU changes the memory format. Host
    tensors are referenced until they are copied, so that their memory is not reused before.
    """

    def __init__(self, device: torch.device, memory_format: torch.memory_format) -> None:
        self._device = device
        self._format = memory_format
        self._stream = torch.cuda.Stream(device) if device.type == "cuda" else None
        self._moving: deque[tuple[torch.cuda.Event, Sequence[Tensor]]] = deque()

    def place(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The tensors on the device.

        The device's next operations wait for the copies; the host does not.
        """
        if self._stream is None or all(tensor.device == self._device for tensor in tensors):
            return [self._moved(tensor) for tensor in tensors]
        while len(self._moving) >= AHEAD:
            reached, _ = self._moving.popleft()
            if not reached.query():
                reached.synchronize()
        current = torch.cuda.current_stream(self._device)
        tensors = [_pinned(tensor) for tensor in tensors]
        with torch.cuda.stream(self._stream):
            placed = [self._moved(tensor) for tensor in tensors]
        current.wait_stream(self._stream)
        for tensor in placed:
            tensor.record_stream(current)
        reached = torch.cuda.Event()
        # It is reached when these are copied and all earlier operations are done.
        reached.record(current)
        self._moving.append((reached, tensors))
        return placed

    def _moved(self, tensor: Tensor) -> Tensor:
        moved = (
            tensor if tensor.device == self._device else tensor.to(self._device, non_blocking=True)
        )
        return moved.contiguous(memory_format=self._format) if moved.dim() == 4 else moved


def _pinned(tensor: Tensor) -> Tensor:
    """``tensor`` in pinned memory, from which the host need not wait for a copy to a GPU.

    Labels, and tensors that a user gives, are not in pinned memory.
    """
    return tensor if tensor.device.type != "cpu" or tensor.is_pinned() else tensor.pin_memory()
