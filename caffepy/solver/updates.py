"""How a solver's parameters are updated: by its own gradients, or together with other ranks by way of an exchange."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from caffepy.engine.arena import Flat
from caffepy.engine.whole import WholeEngine
from caffepy.parallel.communicator import Communicator
from caffepy.parallel.exchange import Exchange, GradientBuffer, Setting, make_exchange
from caffepy.parallel.sharing import Sharing
from caffepy.solver.engines import Engine
from caffepy.solver.update import Updater


class Updates:
    """One update an iteration: `begin` before its last pass, `finish` after it, `settle` before anybody looks at the parameters."""

    def __init__(self, communicator: Communicator, engine: Engine, updater: Updater, *, sharing: Sharing) -> None:
        self.engine, self.updater = engine, updater
        self._iteration = 0
        self._ask: Callable[[], float] = lambda: 0.0
        self._known: float | None = None
        self._asking = threading.Lock()
        self._shared = None if communicator.size == 1 else SharedUpdate(self, communicator, sharing)

    def begin(self, iteration: int, rate: Callable[[], float]) -> None:
        """The next pass is the last one of ``iteration``. ``rate``: gives its learning rate; asked once, when it is first needed."""
        self._iteration, self._ask, self._known = iteration, rate, None
        if self._shared is not None:
            self._shared.listening = True

    def rate(self) -> float:
        """The learning rate of this iteration.  An exchange may ask from another thread while backward goes on."""
        with self._asking:
            if self._known is None:
                self._known = self._ask()
            return self._known

    def finish(self) -> None:
        """The gradients are there: update, now or when a parameter is next used."""
        if self._shared is not None:
            self._shared.finish()
        else:
            self.apply(self.engine.gradients(), None)

    def settle(self) -> None:
        """Return when all parameters are updated."""
        if self._shared is not None:
            self._shared.exchange.settle()

    def apply(self, gradients: Sequence[Tensor | None], only: Sequence[int] | None) -> None:
        """Update the learnable parameters, or ``only`` those at these places."""
        self.updater.apply(gradients, self.rate(), self._iteration, only=only)


class SharedUpdate:
    """What the exchange calls to update parameters, and what calls the exchange.  It numbers the parameters that gradients reach."""

    def __init__(self, updates: Updates, communicator: Communicator, sharing: Sharing) -> None:
        self._updates, self.arena = updates, updates.engine.arena
        arena, params = self.arena, self.arena.graph.params
        learning = [place for place, index in enumerate(arena.graph.learnable) if params[index].lr_mult]
        self._places = [place for place in learning if arena.learnable[place].requires_grad]
        self._idle = [place for place in learning if not arena.learnable[place].requires_grad]
        self._flat = Flat(
            [arena.flat.shapes[i] for i in self._places],
            device=arena.device,
            channels_last=[arena.flat.channels_last[i] for i in self._places],
        )
        buffer = GradientBuffer(self._flat.buffer, tuple(self._flat.views))
        weights = [arena.learnable[place].detach() for place in self._places]
        self.exchange: Exchange = make_exchange(sharing.exchange, Setting(communicator, buffer, weights, self, average=sharing.average))
        self.listening = False
        if self.exchange.eager and type(updates.engine) is WholeEngine:
            for param, place in enumerate(self._places):
                _on_gradient(arena.learnable[place], self._teller(param))

    @property
    def joint(self) -> bool:
        """Clipping looks at all gradients, and some rates at the loss of this very iteration."""
        return self._updates.updater.needs_all

    def __call__(self, params: Sequence[int], gradients: Sequence[Tensor]) -> None:
        """Update these of the numbered parameters."""
        found: list[Tensor | None] = [None] * len(self.arena.learnable)
        for param, gradient in zip(params, gradients):
            found[self._places[param]] = gradient
        self._updates.apply(found, [self._places[param] for param in params])

    def finish(self) -> None:
        """Hand all gradients over; parameters that none reaches are updated here, as weight decay moves them all the same."""
        self.listening = False
        own = self._updates.engine.gradients()
        sent = []
        for view, place in zip(self._flat.views, self._places):
            gradient = own[place]
            sent.append(view.zero_() if gradient is None else gradient)
        with torch.no_grad():
            self.exchange.finish(sent)
        if self._idle:
            self._updates.apply([None] * len(own), self._idle)

    def _teller(self, param: int) -> Callable[[Tensor], None]:
        """The hook that autograd calls when the gradient of ``param`` is complete."""

        def tell(tensor: Tensor) -> None:
            if self.listening and tensor.grad is not None:
                with torch.no_grad():
                    self.exchange.ready(param, tensor.grad)

        return tell


def _on_gradient(tensor: Any, hook: Callable[[Tensor], None]) -> None:
    """Call ``hook`` whenever backward has completed the tensor's ``grad``."""
    tensor.register_post_accumulate_grad_hook(hook)
