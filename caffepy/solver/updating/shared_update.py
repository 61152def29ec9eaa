"""The way of a gradient of several ranks: what stands between a solver's arithmetic and the exchange.

    autograd's hook --> `SharedUpdate` --> exchange --> courier, which moves messages
                                                           |
    the solver's `Updater` <-- `SharedUpdate` <-- exchange <-

`update_state` has the states of it.
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
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator, count_bytes
from caffepy.solver.updating.factors import connect
from caffepy.solver.updating.iteration import Iteration
from caffepy.solver.updating.update_state import UpdateState
from caffepy.solver.updating.updater import Updater

Make = Callable[[list["Tensor | None"], Collection[int]], None]
"""Makes an update by gradients, of the parameters at these places."""
WIRE = {"none": None, "fp16": torch.float16, "bf16": torch.bfloat16}


class SharedUpdate:
    """What the exchange calls to update parameters, and what calls the exchange.

    ``_places``: of the parameters that it numbers, among the learnable ones. ``_factors``: by place, those whose gradients travel
    as factors instead; ``_factors_due``: those of them whose update is due. ``_by_hooks``: gradients leave as they are made.
    ``_leaves_pending``: updates may wait until a parameter is used.
    """

    def __init__(
        self, engine: Engine, updater: Updater, communicator: Communicator, sharing: Sharing
    ) -> None:
        self._engine, self._updater, self._arena, self._communicator = (
            engine,
            updater,
            engine.arena,
            communicator,
        )
        courier = self._courier = Courier(threaded=communicator.threaded)
        arena = engine.arena
        reached = [place for place in updater.places if arena.learnable[place].requires_grad]
        self._factors = connect(
            engine, reached, communicator, courier, sharing, passes=updater.param.iter_size
        )
        self._factors_due: set[int] = set()
        self._states = UpdateState()
        self._places = [place for place in reached if place not in self._factors]
        self._flat = Flat(
            [arena.flat.shapes[i] for i in self._places],
            device=arena.device,
            channels_last=[arena.flat.channels_last[i] for i in self._places],
        )
        weights = [arena.learnable[place].detach() for place in self._places]
        masters, self._guesser = weights, None
        if sharing.drift:  # updates come while this rank computes with the parameters
            masters = [weight.clone() for weight in weights]
            self._guesser = (
                Updater(updater.param, arena) if sharing.staleness and not self.joint else None
            )
            for place, master in zip(self._places, masters):
                updater.copies[place] = master
        self._copies = list(zip(masters, weights)) if sharing.drift else []
        setting = Setting(
            communicator,
            GradientBuffer(self._flat.buffer, tuple(self._flat.views)),
            weights,
            masters,
            self,
            average=sharing.average,
            bucket_bytes=bucket_limit(count_bytes(self._flat.buffer)),
            lazy=sharing.lazy_update,
            serving=sharing.serving,
            wire=WIRE[sharing.compress],
            courier=courier,
            guess=self._guess if self._guesser else None,
        )
        self._exchange: Exchange = make_exchange(sharing.way, setting)
        _check(self._exchange, updater, factors=bool(self._factors))
        self._by_hooks = False
        self._make: Make | None = None
        self._always_by_hooks = engine.hookable
        self._leaves_pending = False
        if (hookable(engine) or replays(engine)) and (self._always_by_hooks or self.recordable):
            self._hook(engine)
            self._leaves_pending = self._exchange.late

    @property
    def joint(self) -> bool:
        """Clipping looks at all gradients, and some rates at the loss of this very iteration."""
        return self._updater.needs_all

    def __call__(
        self, params: Sequence[int], gradients: Sequence[Tensor], iteration: object
    ) -> None:
        """Update these of the numbered parameters, and with a joint update those whose gradients come as factors."""
        found: dict[int, Tensor | None] = {
            self._places[param]: gradient for param, gradient in zip(params, gradients)
        }
        if self.joint:
            found |= self._take(list(self._factors_due))
        self._apply(self._updater, found, iteration)

    def _guess(self, params: Sequence[int], gradients: Sequence[Tensor], iteration: object) -> None:
        """Update by this rank's own gradients what waits for the job's."""
        assert self._guesser is not None
        self._apply(
            self._guesser,
            {self._places[param]: gradient for param, gradient in zip(params, gradients)},
            iteration,
        )

    @property
    def recordable(self) -> bool:
        """A CUDA graph can have the exchange and the update."""
        return self._exchange.recordable and not (self._factors or self._copies)

    def announce(self, iteration: Iteration, *, early: bool = False) -> None:
        """The gradients of the pass that comes are those of ``iteration``.

        ``early``: they may leave as they are made, in a recording, too.
        """
        self._by_hooks = early or self._always_by_hooks
        if self._states.is_settled:
            for (
                master,
                weight,
            ) in self._copies:  # somebody may have changed the parameters since the last update
                master.copy_(weight)
            for mine, theirs in zip(
                self._guesser.flats if self._guesser else (), self._updater.flats
            ):
                mine.buffer.copy_(theirs.buffer)
        self._states.announce(iteration)
        with torch.no_grad():
            self._exchange.begin(iteration)

    def take_over(self, iteration: Iteration) -> None:
        """The gradients that are there are those of ``iteration``, of which nothing may have been announced before its passes."""
        if not self._states.takes_gradients:
            self.announce(iteration)

    def forget(self) -> None:
        """What `announce` has begun is not going to be."""
        self._states.forget()
        self._exchange.forget()

    def record(self, gradients: Sequence[Tensor | None], make: Make) -> None:
        """`finish` for a recording, with updates by ``make``."""
        self._make = make
        try:
            self.finish(gradients)
        finally:
            self._make = None

    def finish(self, gradients: Sequence[Tensor | None] | None = None) -> None:
        """Hand all gradients over, the engine's, or these; update now what is not left for later."""
        self._enter()
        own = self._engine.gradients() if gradients is None else gradients
        sent = []
        for view, place in zip(self._flat.views, self._places):
            gradient = own[place]
            sent.append(view.zero_() if gradient is None else gradient)
        self._factors_due = set(self._factors)
        with torch.no_grad():
            self._exchange.finish(sent)
        self._states.hand_over()
        if idle := [
            place
            for place in self._updater.places
            if not self._arena.learnable[place].requires_grad
        ]:
            # no gradient reaches them, but weight decay and momentum do
            self._apply(self._updater, dict.fromkeys(idle), self._states.current)
        if not self._leaves_pending:
            self.settle()

    def settle(self) -> None:
        """Return when all parameters are updated."""
        with torch.no_grad():
            self._exchange.settle()
            self._update_factored()
        if self._copies and not self._states.is_settled:
            self.gather_history(everywhere=True)  # for the guesses
        self._states.settle()

    def numbers(self) -> list[tuple[str, float]]:
        """See `Updates.numbers`."""
        sent = float(self._communicator.traffic.sent_bytes["send"])
        return [
            ("sent_bytes", sent),
            ("hidden_s", self._courier.hidden_s),
            ("waited_s", self._courier.waited_s),
        ]

    def factored(self) -> list[int]:
        """See `Updates.factored`."""
        return list(self._factors)

    def gather_history(self, *, everywhere: bool = False) -> None:
        """Each parameter's history, from the rank that keeps it, to rank 0; ``everywhere``: to every rank."""
        for param, place in enumerate(self._places):
            keeper = self._exchange.keeper(param)
            for flat in self._updater.flats if keeper or everywhere else ():
                history = flat.views[place].contiguous()
                self._communicator.bcast_(history, root=keeper)
                flat.views[place].copy_(history)

    def _take(self, places: Sequence[int]) -> dict[int, Tensor | None]:
        """Gradients that come as factors."""
        self._factors_due.difference_update(places)
        return {place: self._factors[place].gradient() for place in places}

    def _update_factored(self) -> None:
        """Update what is due of the parameters whose gradients come as factors."""
        if self._factors_due:
            self._apply(self._updater, self._take(list(self._factors_due)), self._states.current)

    def _apply(
        self, updater: Updater, gradients: Mapping[int, Tensor | None], iteration: object
    ) -> None:
        """Update the parameters at these places."""
        assert isinstance(iteration, Iteration)
        found: list[Tensor | None] = [None] * len(self._arena.learnable)
        for place, gradient in gradients.items():
            found[place] = gradient
        if self._make is not None:
            self._make(found, gradients.keys())
            return
        updater.apply(found, iteration.rate(), iteration.number, only=gradients.keys())

    def _enter(self) -> None:
        """From now on gradients are those of the iteration that was announced."""
        if self._states.is_announced:
            with torch.no_grad():
                self._exchange.enter(self._states.announced)
                self._update_factored()
            self._states.enter()

    def _hook(self, engine: WholeEngine) -> None:
        """Let the engine tell when a gradient is ready and wait before a parameter is used."""
        if self._exchange.eager:
            for param, place in enumerate(self._places):
                self._arena.learnable[place].register_post_accumulate_grad_hook(self._teller(param))
        if self._exchange.late:
            engine.before_use = self._waiter()

    def _teller(self, param: int) -> Callable[[Tensor], None]:
        """The hook that autograd calls when the gradient of ``param`` is complete."""
        progress, layer = (
            self._engine.progress,
            self._engine.graph.params[self._arena.graph.learnable[self._places[param]]].layer,
        )

        def tell(tensor: Tensor) -> None:
            progress.layer = layer
            if self._by_hooks and self._states.takes_gradients and tensor.grad is not None:
                self._enter()
                with torch.no_grad():
                    self._exchange.ready(param, tensor.grad)

        return tell

    def _waiter(self) -> Callable[[Sequence[int]], None]:
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
                        self._apply(
                            self._updater, self._take([factored[owner]]), self._states.current
                        )

        return wait


def _check(exchange: Exchange, updater: Updater, *, factors: bool) -> None:
    """ParallelError for what an exchange that updates on one rank only cannot do."""
    if exchange.everywhere:
        return
    if updater.loss_scale is not None:
        raise ParallelError(
            f"-exchange {exchange.name}: one rank updates, but the loss is scaled by what every rank learns from its updates; "
            "needed with float16: -exchange allreduce or hierarchical"
        )
    if factors and updater.needs_all:
        raise ParallelError(
            f"-svb with -exchange {exchange.name}: the update needs all gradients at once (clip_gradients, plateau), on one rank; "
            "needed: -svb off, or -exchange allreduce or hierarchical"
        )
