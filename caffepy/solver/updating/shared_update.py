"""The way of a gradient of several ranks, from the engine that computes it to the update.

    autograd's hook --> `SharedUpdate` --> exchange --> courier, which moves messages
                                                           |
    the solver's `Updater` <-- `SharedUpdate` <-- exchange <-

The states that it goes through are in `update_state`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import torch
from torch import Tensor

from caffepy.engine.arena import Flat
from caffepy.engine.engines import Engine, hookable, replays
from caffepy.engine.whole import WholeEngine
from caffepy.errors import ParallelError
from caffepy.parallel.collective.courier import Courier
from caffepy.parallel.exchange.core.base import Exchange, GradientBuffer, Setting
from caffepy.parallel.exchange.core.buckets import bucket_limit
from caffepy.parallel.exchange.core.registry import make_exchange
from caffepy.parallel.factors.factors import Factors
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator, count_bytes
from caffepy.solver.updating.factors import connect
from caffepy.solver.updating.iteration import Iteration
from caffepy.solver.updating.update_state import UpdateState
from caffepy.solver.updating.updater import Updater

Replay = Callable[[list["Tensor | None"], Collection[int]], None]
"""Makes the update of the parameters at these places by these gradients."""
WIRE = {"none": None, "fp16": torch.float16, "bf16": torch.bfloat16}


class SharedUpdate:
    """Gives gradients to the exchange, and updates parameters when the exchange says so.

    A *place* is the number of a parameter among the net's learnable ones. The exchange numbers
    those that it is given by itself; ``_places`` has the place of each.

    ``_factors``: by place, the parameters whose gradients travel as factors, past the exchange.
    ``_factors_due``: the places of those that are still to be updated.
    ``_from_hooks``: each gradient is sent as soon as autograd has completed it.
    ``_leaves_pending``: a parameter may be updated as late as it is next used.
    ``_copies``: for exchanges whose updates come while this rank computes: what they update, and
    the parameter that it is copied to.
    """

    def __init__(
        self, engine: Engine, updater: Updater, communicator: Communicator, sharing: Sharing
    ) -> None:
        self._engine = engine
        self._arena = engine.arena
        self._updater = updater
        self._communicator = communicator
        self._courier = Courier(threaded=communicator.threaded)
        self._states = UpdateState()
        self._factors = self._connect_factors(sharing)
        self._factors_due: set[int] = set()
        self._places = [place for place in self._trained_places() if place not in self._factors]
        self._copies: list[tuple[Tensor, Tensor]] = []
        self._guesser: Updater | None = None
        if sharing.drift:
            self._make_copies(guess=sharing.staleness > 0)
        self._flat = self._gradient_memory()
        self._exchange = make_exchange(sharing.way, self._setting(sharing))
        _check(self._exchange, updater, factors=bool(self._factors))
        self._replay: Replay | None = None
        self._from_hooks = False
        self._always_from_hooks = engine.hookable
        self._leaves_pending = False
        sends_early = self._always_from_hooks or self.recordable
        if sends_early and (hookable(engine) or replays(engine)):
            self._hook(engine)
            self._leaves_pending = self._exchange.late

    def _trained_places(self) -> list[int]:
        """The parameters that are updated and have a gradient."""
        learnable = self._arena.learnable
        return [place for place in self._updater.places if learnable[place].requires_grad]

    def _connect_factors(self, sharing: Sharing) -> dict[int, Factors]:
        passes = self._updater.param.iter_size
        return connect(
            self._engine,
            self._trained_places(),
            self._communicator,
            self._courier,
            sharing,
            passes=passes,
        )

    def _make_copies(self, *, guess: bool) -> None:
        """Let the exchange update copies, which the parameters take over when they are next used.

        ``guess``: until then, update the parameters by this rank's own gradients.
        """
        for place in self._places:
            weight = self._arena.learnable[place].detach()
            copy = weight.clone()
            self._updater.copies[place] = copy
            self._copies.append((copy, weight))
        if guess and not self.joint:
            self._guesser = Updater(self._updater.param, self._arena)

    def _gradient_memory(self) -> Flat:
        """Memory for the gradients that the exchange is given, in the arena's layout."""
        flat = self._arena.flat
        return Flat(
            [flat.shapes[place] for place in self._places],
            device=self._arena.device,
            channels_last=[flat.channels_last[place] for place in self._places],
        )

    def _setting(self, sharing: Sharing) -> Setting:
        """What the exchange works with."""
        weights = [self._arena.learnable[place].detach() for place in self._places]
        return Setting(
            self._communicator,
            GradientBuffer(self._flat.buffer, tuple(self._flat.views)),
            weights,
            [copy for copy, _ in self._copies] if self._copies else weights,
            self,
            average=sharing.average,
            bucket_bytes=bucket_limit(count_bytes(self._flat.buffer)),
            lazy=sharing.lazy_update,
            serving=sharing.serving,
            wire=WIRE[sharing.compress],
            courier=self._courier,
            guess=self._guess if self._guesser else None,
        )

    @property
    def joint(self) -> bool:
        """Whether no parameter can be updated before all gradients, or the loss, are known."""
        return self._updater.needs_all

    def __call__(
        self, params: Sequence[int], gradients: Sequence[Tensor], iteration: object
    ) -> None:
        """Update these parameters, by the exchange's numbers.

        A joint update includes those whose gradients come as factors.
        """
        by_place = self._by_place(params, gradients)
        if self.joint:
            by_place |= self._take_factors(list(self._factors_due))
        self._update(self._updater, by_place, iteration)

    def _guess(self, params: Sequence[int], gradients: Sequence[Tensor], iteration: object) -> None:
        """Update by this rank's own gradients, until the job's are there."""
        assert self._guesser is not None
        self._update(self._guesser, self._by_place(params, gradients), iteration)

    def _by_place(
        self, params: Sequence[int], gradients: Sequence[Tensor]
    ) -> dict[int, Tensor | None]:
        return {self._places[param]: gradient for param, gradient in zip(params, gradients)}

    @property
    def recordable(self) -> bool:
        """Whether a CUDA graph can hold the exchange and the update."""
        return self._exchange.recordable and not (self._factors or self._copies)

    def begin(self, iteration: Iteration, *, early: bool = False) -> None:
        """The gradients of the next pass are those of ``iteration``.

        ``early``: each may be sent as soon as it is complete, in a recording, too.
        """
        self._from_hooks = early or self._always_from_hooks
        if self._states.all_updated:
            self._refresh_copies()
        self._states.begin(iteration)
        with torch.no_grad():
            self._exchange.begin(iteration)

    def _refresh_copies(self) -> None:
        """Take over changes of the parameters since the last update, such as by a file."""
        for copy, weight in self._copies:
            copy.copy_(weight)
        if self._guesser is not None:
            for guessed, known in zip(self._guesser.flats, self._updater.flats):
                guessed.buffer.copy_(known.buffer)

    def take_over(self, iteration: Iteration) -> None:
        """`begin` after the passes, if it was not called before them."""
        if not self._states.takes_gradients:
            self.begin(iteration)

    def cancel(self) -> None:
        """Undo `begin`: recording the iteration has failed."""
        self._states.cancel()
        self._exchange.forget()

    def record(self, gradients: Sequence[Tensor | None], replay: Replay) -> None:
        """`apply` for a recording, in which ``replay`` makes the updates."""
        self._replay = replay
        try:
            self.apply(gradients)
        finally:
            self._replay = None

    def apply(self, gradients: Sequence[Tensor | None] | None = None) -> None:
        """Give the exchange all gradients; update now what is not left for later.

        ``gradients``: by default those of the engine.
        """
        self._send_first()
        if gradients is None:
            gradients = self._engine.gradients()
        sent = []
        for view, place in zip(self._flat.views, self._places):
            gradient = gradients[place]
            sent.append(view.zero_() if gradient is None else gradient)
        self._factors_due = set(self._factors)
        with torch.no_grad():
            self._exchange.finish(sent)
        self._states.hand_over()
        self._update_without_gradients()
        if not self._leaves_pending:
            self.wait()

    def _update_without_gradients(self) -> None:
        """Update what no gradient reaches, but weight decay or momentum changes."""
        trained = set(self._trained_places())
        places = [place for place in self._updater.places if place not in trained]
        if places:
            self._update(self._updater, dict.fromkeys(places), self._states.current)

    def wait(self) -> None:
        """Return when all parameters are updated."""
        with torch.no_grad():
            self._exchange.settle()
            self._update_factored()
        if self._copies and not self._states.all_updated:
            self.gather_history(everywhere=True)  # for the guesses
        self._states.wait()

    def numbers(self) -> list[tuple[str, float]]:
        """See `IterationUpdates.numbers`."""
        sent = float(self._communicator.traffic.sent_bytes["send"])
        return [
            ("sent_bytes", sent),
            ("hidden_s", self._courier.hidden_s),
            ("waited_s", self._courier.waited_s),
        ]

    def factored(self) -> list[int]:
        """See `IterationUpdates.factored`."""
        return list(self._factors)

    def gather_history(self, *, everywhere: bool = False) -> None:
        """Bring each parameter's history to rank 0 from the rank that keeps it.

        ``everywhere``: to every rank.
        """
        for param, place in enumerate(self._places):
            keeper = self._exchange.keeper(param)
            if keeper == 0 and not everywhere:
                continue
            for flat in self._updater.flats:
                history = flat.views[place].contiguous()
                self._communicator.bcast_(history, root=keeper)
                flat.views[place].copy_(history)

    def _take_factors(self, places: Sequence[int]) -> dict[int, Tensor | None]:
        """The gradients at these places, computed from all ranks' factors."""
        self._factors_due.difference_update(places)
        return {place: self._factors[place].gradient() for place in places}

    def _update_factored(self) -> None:
        """Update the parameters that are due and whose gradients come as factors."""
        if self._factors_due:
            gradients = self._take_factors(list(self._factors_due))
            self._update(self._updater, gradients, self._states.current)

    def _update(
        self, updater: Updater, by_place: Mapping[int, Tensor | None], iteration: object
    ) -> None:
        """Update the parameters at these places by these gradients."""
        assert isinstance(iteration, Iteration)
        gradients: list[Tensor | None] = [None] * len(self._arena.learnable)
        for place, gradient in by_place.items():
            gradients[place] = gradient
        if self._replay is not None:
            self._replay(gradients, by_place.keys())
            return
        updater.apply(gradients, iteration.rate(), iteration.number, only=by_place.keys())

    def _send_first(self) -> None:
        """Finish the updates of the iteration before, if nothing of this one is sent yet."""
        if self._states.nothing_sent:
            with torch.no_grad():
                self._exchange.enter(self._states.coming)
                self._update_factored()
            self._states.send()

    def _hook(self, engine: WholeEngine) -> None:
        """Let the engine send complete gradients, and wait before it uses a parameter."""
        if self._exchange.eager:
            for param, place in enumerate(self._places):
                hook = self._gradient_hook(param)
                self._arena.learnable[place].register_post_accumulate_grad_hook(hook)
        if self._exchange.late:
            engine.before_use = self._use_hook()

    def _gradient_hook(self, param: int) -> Callable[[Tensor], None]:
        """What autograd calls when the gradient of ``param`` is complete."""
        graph = self._arena.graph
        progress = self._engine.progress
        layer = graph.params[graph.learnable[self._places[param]]].layer

        def send(tensor: Tensor) -> None:
            progress.layer = layer
            if self._from_hooks and self._states.takes_gradients and tensor.grad is not None:
                self._send_first()
                with torch.no_grad():
                    self._exchange.ready(param, tensor.grad)

        return send

    def _use_hook(self) -> Callable[[Sequence[int]], None]:
        """What the engine calls before it uses the parameters of these owners in Graph.params."""
        learnable = self._arena.graph.learnable
        params = {learnable[place]: param for param, place in enumerate(self._places)}
        factored = {learnable[place]: place for place in self._factors}

        def wait(owners: Sequence[int]) -> None:
            with torch.no_grad():
                for owner in owners:
                    if owner in params:
                        self._exchange.wait(params[owner])
                    elif factored.get(owner) in self._factors_due:
                        gradients = self._take_factors([factored[owner]])
                        self._update(self._updater, gradients, self._states.current)

        return wait


def _check(exchange: Exchange, updater: Updater, *, factors: bool) -> None:
    """Errors: ParallelError if the exchange updates on one rank only, and that does not suffice."""
    if exchange.everywhere:
        return
    if updater.loss_scale is not None:
        raise ParallelError(
            f"-exchange {exchange.name}: one rank updates, but with float16 each rank has to know "
            "whether gradients overflowed; needed: -exchange allreduce or hierarchical"
        )
    if factors and updater.needs_all:
        raise ParallelError(
            f"-svb with -exchange {exchange.name}: the update needs all gradients at once "
            "(clip_gradients, plateau), on one rank; needed: -svb off, or -exchange allreduce or "
            "hierarchical"
        )
