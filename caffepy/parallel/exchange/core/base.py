"""How gradients become updates on all ranks: a strategy behind three calls, so that the solver's loop does not know which one runs.

In the last of an iteration's ``iter_size`` passes, `Exchange.ready` is called as each parameter's gradient becomes final, then
`Exchange.finish`; before a parameter is used again, `Exchange.wait`. The exchange calls the solver's `Update` with what is to be applied.
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
    """The solver's arithmetic.  ``joint``: it needs all gradients at once, as clip_gradients does."""

    @property
    def joint(self) -> bool:
        """All parameters have to be updated in one call."""

    def __call__(
        self, params: Sequence[int], gradients: Sequence[Tensor], iteration: object
    ) -> None:
        """Update these parameters by these gradients, which are used up.  ``iteration``: of which, see `Exchange.enter`."""


@dataclass(frozen=True)
class GradientBuffer:
    """One flat float32 tensor, and a view of it for each parameter, of that parameter's shape.

    Gradients become final from the last layer to the first, and lie in that order. Gaps and padding between the
    views are allowed; what they hold travels too and means nothing.
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
    """How a parameter server serves.

    ``staleness``: updates that a parameter may lack when it is used. ``groups``: of ranks that stay equal; 0: each rank is one.
    ``servers``: ranks that own parameters; 0: all. ``timeout_s``: how long an owner waits for late gradients; 0: until they are there.
    ``bytes_per_s``: what a rank may send to owners, and as an owner, in a second; 0: no limit.
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

    ``buffer``: where gradients are collected. ``weights``: the parameters, numbered alike. ``masters``: what ``update`` changes: the
    parameters themselves, or copies from which they are taken when they are next used.
    ``average``: the job's gradient is the ranks' mean, as BVLC Caffe's; else their sum.
    ``bucket_bytes``: gradients travel in buckets of about this size, whole parameters each.
    ``lazy``: a parameter is updated when it is next used, so that the last gradients travel behind the next forward pass.
    ``guess``: an update of ``weights``, with a history of its own, called like ``update``, for whoever does not wait for the job's.
    ``serving``: of the parameter server; the others never let parameters be stale.
    ``wire``: a 16-bit type in which gradients travel between hosts, for the exchanges that are rings.
    ``courier``: who moves the messages on.
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
    """Base of all exchanges.  Parameters are numbered as in the buffer's views; every rank makes the same calls.

    ``everywhere``: every rank makes every update; else one does and tells the others. ``compresses``: it knows ``wire``.
    ``on_gpu``: it can move a GPU's tensors.
    ``serves``: it knows ``serving``. ``automatic``: ``-exchange auto`` may choose it, on these kinds of device.
    ``complexity``: of exchanges that are predicted to be about as fast the least complex is recommended; None: none is predicted.
    ``variants``: of ``serving``, with which it is predicted beside the default.
    ``eager``: it wants `ready`. ``late``: it wants `wait`, as updates may be due after `finish`. ``recordable``: all of it is a GPU's work,
    that a CUDA graph can have.
    """

    name: ClassVar[str]
    everywhere: ClassVar[bool] = True
    compresses: ClassVar[bool] = False
    on_gpu: ClassVar[bool] = True
    serves: ClassVar[bool] = False
    automatic: ClassVar[frozenset[str]] = frozenset()
    complexity: ClassVar[int | None] = None
    variants: ClassVar[tuple[Serving, ...]] = ()
    eager: bool = False
    late: bool = False
    recordable: bool = False

    def __init__(self, setting: Setting) -> None:
        self.setting, self.communicator, self.buffer, self.update = (
            setting,
            setting.communicator,
            setting.buffer,
            setting.update,
        )
        self.scale = 1.0 / setting.communicator.size if setting.average else 1.0
        self.iteration: object = None

    def begin(self, iteration: object) -> None:
        """The gradients of ``iteration`` are about to be computed."""

    def enter(self, iteration: object) -> None:
        """The gradients that come next are of ``iteration``, which their update is told; by default all earlier updates are made now."""
        self.settle()
        self.iteration = iteration

    @classmethod
    def link_bytes(cls, buffer_bytes: int, groups: Sequence[Sequence[int]]) -> float:
        """What crosses the busiest host's link in an iteration, in the direction that carries more; of one host: a rank's.

        ``groups``: the ranks by host.
        """
        return 0.0

    @classmethod
    def model(cls, network: Network, sizes: Sequence[int], serving: Serving) -> Model:
        """What it asks of ``network`` for buckets of these ``sizes`` in bytes; for those that have a ``complexity``."""
        raise NotImplementedError

    def ready(self, param: int, gradient: Tensor) -> None:
        """``gradient`` of parameter ``param`` is final for this iteration: it may begin to travel."""

    def finish(self, gradients: Sequence[Tensor]) -> None:
        """This rank's ``gradients``, one a parameter, are all there.  Parameters are updated now, or at the latest by `wait`.

        A tensor may be the buffer's own view. The next iteration may overwrite them all.
        """
        raise NotImplementedError

    def wait(self, param: int) -> None:
        """Return when parameter ``param`` may be used: it is updated."""

    def keeper(self, param: int) -> int:
        """The rank whose solver history of ``param`` counts; where all have it, rank 0."""
        return 0

    def collect(self, gradients: Sequence[Tensor]) -> None:
        """Copy into the buffer what was not computed right into it."""
        loose = [
            (view, gradient)
            for view, gradient in zip(self.buffer.views, gradients)
            if not same_memory(view, gradient)
        ]
        if loose:
            torch._foreach_copy_([view for view, _ in loose], [gradient for _, gradient in loose])

    def forget(self) -> None:
        """What has begun of an iteration is not going to be: its recording has failed.  Where it is ``recordable``."""

    def settle(self) -> None:
        """Return when all parameters are updated, on all ranks alike."""
        for param in range(len(self.buffer.views)):
            self.wait(param)


def same_memory(view: Tensor, gradient: Tensor) -> bool:
    """The gradient was computed right into its view."""
    return view.data_ptr() == gradient.data_ptr() and view.stride() == gradient.stride()
