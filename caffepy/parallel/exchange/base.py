"""How gradients travel between ranks: a strategy behind three calls, so that the solver's loop does not know which one runs.

In the last of an iteration's ``iter_size`` passes, the engine calls `Exchange.ready` as each parameter's gradient becomes final;
the solver then calls `Exchange.finish` and gets the gradients of the whole job; before a parameter is next used, `Exchange.wait`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.communicator import Communicator


@dataclass(frozen=True)
class GradientBuffer:
    """One flat float32 tensor, and a view of it for each learnable parameter, of that parameter's shape and in the same order.

    Gaps and padding between the views are allowed; what they hold travels too and means nothing.
    """

    flat: Tensor
    views: tuple[Tensor, ...]


@dataclass(frozen=True)
class Setting:
    """What an exchange works with.  ``average``: the job's gradient is the ranks' mean, as BVLC Caffe's; else their sum."""

    communicator: Communicator
    buffer: GradientBuffer
    average: bool = True


class Exchange:
    """Base of all exchanges.  Parameters are numbered as in the buffer's views; every rank makes the same calls."""

    name: ClassVar[str]

    def __init__(self, setting: Setting) -> None:
        self.communicator = setting.communicator
        self.buffer = setting.buffer
        self.scale = 1.0 / setting.communicator.size if setting.average else 1.0

    def ready(self, param: int, gradient: Tensor) -> None:
        """``gradient`` of parameter ``param`` is final for this iteration: it may begin to travel."""

    def wait(self, param: int) -> None:
        """Return when parameter ``param`` may be used: its update has arrived."""

    def finish(self, iteration: int, gradients: Sequence[Tensor]) -> Sequence[Tensor]:
        """The job's gradients, from this rank's ``gradients``, one a parameter.

        The tensors handed back may be ``gradients`` themselves or the buffer's views, which the next `finish` overwrites.
        """
        raise NotImplementedError
