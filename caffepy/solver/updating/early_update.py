"""Updates large parameters within the backward pass, so that each gradient is freed at once."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Sequence

from torch import Tensor

from caffepy.engine.whole import WholeEngine
from caffepy.solver.updating.updater import Updater

LARGE = 1 << 19
"""Elements of a parameter whose gradient takes more memory than a call takes time."""


class EarlyUpdate:
    """Makes a part of each update within the backward pass, and the rest after it.

    The large parameters of layers that multiply by them are updated as soon as autograd has their
    gradients. Nothing reads them any more in this pass, as each is used by one layer only.
    """

    def __init__(self, engine: WholeEngine, updater: Updater) -> None:
        self._parameters = len(engine.arena.learnable)
        self._updater = updater
        self._rate: Callable[[], float] | None = None  # None: gradients are not final
        self._iteration = 0
        self._updated: set[int] = set()  # places
        for place in large_places(engine, least=LARGE):
            engine.arena.learnable[place].register_post_accumulate_grad_hook(self._hook(place))

    def forget(self) -> None:
        """No update is under way: it is made, or the pass that was to complete it failed."""
        self._rate = None
        self._updated.clear()

    def begin(self, iteration: int, rate: Callable[[], float] | None) -> None:
        """The next pass completes the gradients. ``rate``: computes the rate; None: not yet."""
        self._iteration = iteration
        self._rate = rate if self._allowed else None

    def apply(self, gradients: Sequence[Tensor | None], rate: float, iteration: int) -> None:
        """Update what is not updated yet."""
        rest = None
        if self._updated:
            rest = [place for place in self._updater.places if place not in self._updated]
        self.forget()
        self._updater.apply(gradients, rate, iteration, only=rest)

    @property
    def _allowed(self) -> bool:
        return not (self._updater.needs_all or self._updater.keeps_updates)

    def _hook(self, place: int) -> Callable[[Tensor], None]:
        """What autograd calls when the gradient at ``place`` is complete."""
        # the parameter keeps the hook, and so must not keep the engine
        here = weakref.ref(self)

        def update(parameter: Tensor) -> None:
            early = here()
            if early is not None:
                early._update(place, parameter)

        return update

    def _update(self, place: int, parameter: Tensor) -> None:
        if self._rate is None or place in self._updated:
            return
        gradients: list[Tensor | None] = [None] * self._parameters
        gradients[place] = parameter.grad
        parameter.grad = None
        self._updater.apply(gradients, self._rate(), self._iteration, only=(place,))
        self._updated.add(place)


def large_places(engine: WholeEngine, *, least: int) -> list[int]:
    """The places of the parameters that one layer alone uses, for sums of products.

    ``least``: their elements.
    """
    graph = engine.graph
    uses = Counter(graph.params[index].owner for node in graph.nodes for index in node.params)
    multiplied = {
        index for node in graph.nodes if node.layer.precision.sums_products for index in node.params
    }
    return [
        place
        for place, index in enumerate(graph.learnable)
        if engine.arena.learnable[place].requires_grad
        and engine.arena.learnable[place].numel() >= least
        and uses[index] == 1
        and index in multiplied
    ]
