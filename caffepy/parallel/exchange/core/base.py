"""How gradients become updates on all ranks.

An exchange is a strategy behind three calls, so that the solver's loop is the same for all of them.
In the last of an iteration's ``iter_size`` passes `Exchange.ready` is called as each parameter's
gradient becomes final, then `Exchange.finish`. Before a parameter is used again, `Exchange.wait`
is. The exchange calls the solver's `Update` with the gradients that are to be applied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

import torch

from caffepy.parallel.collective.courier import Courier

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.exchange.core.network import Model, Network
    from caffepy.parallel.transport.communicator import Communicator

BUCKET_BYTES = 4 << 20


class Update(Protocol):
    """The solver's arithmetic.

    ``joint``: it needs all gradients in one call, as with clip_gradients.
    """

    @property
    def joint(self) -> bool:
        """All parameters have to be updated in one call."""

    def __call__(
        self, params: Sequence[int], gradients: Sequence[Tensor], iteration: object
    ) -> None:
        """Update these parameters by these gradients, which it may overwrite.

        ``iteration``: the one that the gradients are of, see `Exchange.enter`.
        """


@dataclass(frozen=True)
class GradientBuffer:
    """One flat float32 tensor, and a view of it for each parameter, of that parameter's shape.

    Views lie in the order in which gradients become final: from the last layer to the first. Gaps
    and padding between them are allowed. What is in those travels too and means nothing.
    """

    flat: Tensor
    views: tuple[Tensor, ...]

    def moved(self, memory: Tensor) -> GradientBuffer:
        """The same layout in another memory."""
        return GradientBuffer(
            memory,
            tuple(
                memory.as_strided(view.shape, view.stride(), view.storage_offset())
                for view in self.views
            ),
        )


@dataclass(frozen=True)
class Serving:
    """How a parameter server works.

    ``staleness``: updates that a parameter may lack when it is used.
    ``groups``: groups of ranks whose members stay equal; 0: each rank is a group.
    ``servers``: ranks that own parameters; 0: all.
    ``timeout_s``: how long an owner waits for late gradients; 0: until they have come.
    ``bytes_per_s``: what a rank may send to owners, and as an owner; 0: no limit.
    """

    staleness: int = 0
    groups: int = 0
    servers: int = 0
    timeout_s: float = 0.0
    bytes_per_s: float = 0.0

    @property
    def drift(self) -> int:
        """Iterations by which ranks may be apart."""
        return max(self.staleness, 1 if self.timeout_s else 0)


@dataclass(frozen=True)
class Setting:
    """What an exchange works with.

    ``buffer``: where gradients are collected.
    ``weights``: the parameters, numbered like the buffer's views.
    ``masters``: what ``update`` changes: the parameters themselves, or copies of them. In the
    second case a rank takes the parameters from the copies when it next uses them.
    ``average``: the job's gradient is the mean over the ranks, as BVLC Caffe's; else their sum.
    ``bucket_bytes``: gradients travel in buckets of about this size, whole parameters each.
    ``lazy``: a parameter is updated when it is next used, so that the last gradients travel behind
    the next forward pass.
    ``guess``: like ``update``, but of ``weights`` and with a history of its own: for a rank that
    goes on before the job's update has come.
    ``serving``: of the parameter server.
    ``wire``: a 16-bit type in which gradients travel between hosts, for exchanges that are rings.
    ``courier``: moves the messages.
    """

    communicator: Communicator
    buffer: GradientBuffer
    weights: Sequence[Tensor]
    masters: Sequence[Tensor]
    update: Update
    average: bool = True
    bucket_bytes: int = BUCKET_BYTES
    lazy: bool = False
    guess: Callable[[Sequence[int], Sequence[Tensor], object], None] | None = None
    serving: Serving = Serving()
    wire: torch.dtype | None = None
    courier: Courier = field(default_factory=Courier)


class Exchange:
    """Base of all exchanges.

    Parameters are numbered as in the buffer's views. Every rank makes the same calls.
    """

    name: ClassVar[str]
    everywhere: ClassVar[bool] = True
    """Every rank makes every update; else one rank does, and sends the others the result."""
    compresses: ClassVar[bool] = False
    """It knows `Setting.wire`."""
    on_gpu: ClassVar[bool] = True
    """It can move tensors of a GPU."""
    serves: ClassVar[bool] = False
    """It knows `Setting.serving`."""
    relayed: ClassVar[bool] = False
    """Ranks send on what they receive, and begin with the first of several pieces."""
    automatic: ClassVar[frozenset[str]] = frozenset()
    """Kinds of device on which ``-exchange auto`` may choose it."""
    complexity: ClassVar[int | None] = None
    """Of exchanges predicted to be about as fast, the least complex is recommended.

    None: it is not predicted.
    """
    variants: ClassVar[tuple[Serving, ...]] = ()
    """It is predicted with these, beside the default."""
    eager: bool = False
    """It wants `ready` to be called."""
    late: bool = False
    """It wants `wait` to be called: updates may be due after `finish`."""
    recordable: bool = False
    """The GPU does all of it, so that it can be a part of a CUDA graph."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.communicator = setting.communicator
        self.buffer = setting.buffer
        self.update = setting.update
        self.scale = 1.0 / setting.communicator.size if setting.average else 1.0
        self.iteration: object = None

    def begin(self, iteration: object) -> None:
        """The gradients of ``iteration`` are about to be computed."""

    def enter(self, iteration: object) -> None:
        """The gradients that come next are of ``iteration``, which `Update` is told.

        By default all earlier updates are made now.
        """
        self.settle()
        self.iteration = iteration

    @classmethod
    def link_bytes(cls, buffer_bytes: int, groups: Sequence[Sequence[int]]) -> float:
        """Bytes that cross the link of the busiest host in an iteration, in the busier direction.

        Where there is one host: the link of a rank. ``groups``: the ranks by host.
        """
        return 0.0

    @classmethod
    def model(cls, network: Network, sizes: Sequence[int], serving: Serving) -> Model:
        """What buckets of these ``sizes`` in bytes ask of ``network``.

        For exchanges that have a ``complexity``.
        """
        raise NotImplementedError

    def ready(self, param: int, gradient: Tensor) -> None:
        """The ``gradient`` of parameter ``param`` is final in this iteration: it may travel."""

    def finish(self, gradients: Sequence[Tensor]) -> None:
        """All ``gradients`` of this rank are final, one for each parameter.

        Parameters are updated now, or at the latest by `wait`. A gradient may be the buffer's own
        view. The next iteration may overwrite them all.
        """
        raise NotImplementedError

    def wait(self, param: int) -> None:
        """Return when parameter ``param`` is updated and may be used."""

    def keeper(self, param: int) -> int:
        """The rank whose solver history of ``param`` counts; rank 0 where all ranks have it."""
        return 0

    def collect(self, gradients: Sequence[Tensor]) -> None:
        """Copy into the buffer the gradients that were not computed right into it."""
        loose = [
            (view, gradient)
            for view, gradient in zip(self.buffer.views, gradients)
            if not same_memory(view, gradient)
        ]
        if loose:
            torch._foreach_copy_([view for view, _ in loose], [gradient for _, gradient in loose])

    def forget(self) -> None:
        """The iteration that has begun is not going to be: its recording has failed.

        For exchanges that are ``recordable``.
        """

    def settle(self) -> None:
        """Return when all parameters are updated, and are equal on all ranks."""
        for param in range(len(self.buffer.views)):
            self.wait(param)


def same_memory(view: Tensor, gradient: Tensor) -> bool:
    """The gradient was computed right into its view."""
    return view.data_ptr() == gradient.data_ptr() and view.stride() == gradient.stride()
