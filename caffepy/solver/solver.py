"""The training loop: learn, show, update, test, snapshot, in Caffe's order and with its log lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import torch

from caffepy import log
from caffepy.data.shard import Shard
from caffepy.engine.engines import (
    AUTO,
    LAYERWISE,
    Engine,
    Setup,
    close,
    forward,
    forward_backward,
    images_per_pass,
)
from caffepy.engine.numerics import Numerics
from caffepy.engine.outside import tell_outside
from caffepy.layers.core.random import CaffeRandom
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.launch.environment import alone
from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.single import Single
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.proto.text import SourceMap, read_solver, to_text
from caffepy.proto.upgrade import set_snapshot_prefix
from caffepy.scoring.dividing import Passes, can_divide
from caffepy.scoring.scores import scores
from caffepy.scoring.testing import score, share_trained_layers, tell_ignored
from caffepy.solver.loop.loss import SmoothedLoss, tell_lost
from caffepy.solver.loop.position import Position, PositionInTest
from caffepy.solver.loop.ranks import Ranks
from caffepy.solver.loop.signals import Action, Requests, Signals
from caffepy.solver.loop.speed import Speed
from caffepy.solver.setup.batches import Share
from caffepy.solver.setup.building import make_tests, make_train, seeded
from caffepy.solver.setup.checks import check, check_alike, check_names, with_timeout
from caffepy.solver.setup.feeding import Feed, Feeding
from caffepy.solver.setup.job_summary import log_summary, warn_of_sums
from caffepy.solver.setup.nets import test_definitions
from caffepy.solver.snapshots import run_state, snapshot
from caffepy.solver.snapshots.background import Background
from caffepy.solver.update_rules.lr_policy import PolicyState, check_policy, learning_rate
from caffepy.solver.updating.iteration_updates import IterationUpdates
from caffepy.solver.updating.loss_scale import loss_scale
from caffepy.solver.updating.updater import Updater

Recorder: TypeAlias = Callable[[int, str, Sequence[tuple[str, float]]], None]
"""Told of an iteration, of ``train``, ``test``, ``test1``..., and of the numbers that the log shows of that net, with their names."""


def load_solver(path: str, sets: Sequence[str] = ()) -> tuple[SolverParameter, SourceMap]:
    """A SolverParameter as Caffe reads it: upgraded, with its snapshot_prefix; and where its fields stand.

    ``sets``: fields set from outside the file, as `read_solver` takes them.
    """
    param, places = read_solver(path, sets)
    set_snapshot_prefix(param, path)
    return param, places


@runtime_checkable
class Callback(Protocol):
    """What is called within each iteration."""

    def on_start(self) -> object:
        """Before the forward pass."""

    def on_gradients_ready(self) -> object:
        """Between the backward pass and the update."""


class Solver:
    """Trains a net.  ``train_engine``, ``test_engines``: its nets; ``iteration``: updates done.

    ``watchers``: called with the solver after each iteration. ``callbacks``: within it. ``recorders``: told
    of the numbers that the log shows. ``stopped``: a signal asked for the end.
    """

    def __init__(
        self,
        param: SolverParameter,
        places: SourceMap,
        *,
        communicator: Communicator | None = None,
        device: torch.device | None = None,
        random: CaffeRandom | None = None,
        engine: str = AUTO,
        sharing: Sharing = Sharing(),
        signals: Signals | None = None,
        feeding: Feeding = Feeding(),
        shard: Shard | None = None,
        numerics: Numerics = Numerics(),
        apart: bool = False,
    ) -> None:
        """``param``: a SolverParameter from `load_solver`. ``random``: the process's random stream, by default a new one.

        ``engine``: auto, whole or layerwise. ``sharing``: what several ranks mean by an iteration. ``feeding``: how they get records;
        ``shard``: in its place, those to learn from. ``numerics``: in which numbers the nets compute. ``apart``: until its first test
        each test net has parameters of its own, as whoever looks at it finds in Caffe. Errors: CaffeError.
        """
        self.param, self._file, self._requests = param, places.file, Requests(signals)
        communicator = communicator or Single(alone())
        self._root = communicator.is_root
        self._position = communicator.place = Position()
        self.iteration, self._policy, self.stopped = 0, PolicyState(), False
        self.watchers: list[Callable[[Solver], None]] = []
        self.recorders: list[Recorder] = []
        self.callbacks: list[Callback] = []
        log.info("solver.cpp:45", f"Initializing solver from parameters: \n{to_text(param)}")
        check(param, places)
        check_alike(communicator, param, file=places.file)
        sharing = with_timeout(sharing, param, ranks=communicator.size)
        sharing = sharing.chosen(communicator, on_gpu=device is not None and device.type == "cuda")
        self.random = seeded(random, param.random_seed, communicator.rank)
        kind = LAYERWISE if param.debug_info else engine
        self._feed = feeding.start(communicator, sharing) if shard is None else Feed(Share(shard))
        setup = Setup(
            device or torch.device("cpu"), self.random, kind, self._feed.share.open, numerics
        )
        self.train_engine = make_train(param, places, setup, weights=self._root)
        check_names(param, self.train_engine.graph, file=places.file)
        definitions = test_definitions(param, places)
        divided = can_divide(definitions, communicator)
        tested = definitions if divided or self._root else []
        self.test_engines = make_tests(
            tested,
            param,
            setup,
            self.train_engine,
            divided=divided or (communicator.size == 1 and shard is None),
            apart=apart,
        )
        self._passes = [Passes(communicator, divided) for _ in tested]
        keep = engine == LAYERWISE or param.snapshot_diff
        scale = loss_scale(self.train_engine, numerics)
        self.updater = Updater(
            param, self.train_engine.arena, file=places.file, keep_updates=keep, loss_scale=scale
        )
        self.ranks = Ranks(communicator, self.train_engine.arena)
        self.ranks.configure(self.train_engine)
        self._drift = 0 if communicator.size == 1 else sharing.drift
        self.updates = IterationUpdates(
            communicator, self.train_engine, self.updater, sharing=sharing
        )
        self.ranks.share(
            [
                self.train_engine.arena.flat.buffer,
                *(e.arena.flat.buffer for e in self.test_engines if divided),
            ]
        )
        self.ranks.check("at the start")
        images = images_per_pass(self.train_engine.graph)
        log_summary(
            communicator,
            sharing,
            param,
            images=images,
            device=str(self.train_engine.arena.device),
            feeding=feeding,
        )
        if self._root:
            snapshot.tell_size(param, self.train_engine.graph, self.updater.history)
        warn_of_sums(communicator, sharing, self.train_engine.graph)
        self._aside = Background()
        self.losses = SmoothedLoss(param.average_loss)
        self.speed = Speed()
        self._told_lost = False
        log.info("solver.cpp:57", "Solver scaffolding done.")

    @classmethod
    def from_file(cls, path: str, **options: Any) -> Solver:
        """The solver that a prototxt describes; ``options``: see `__init__`."""
        return cls(*load_solver(path), **options)

    @property
    def _tests(self) -> list[tuple[Engine, Passes]]:
        return list(zip(self.test_engines, self._passes))

    @property
    def images_per_iteration(self) -> int:
        """Items that all ranks together learn from in one iteration; 0 if unknown."""
        passes: int = self.param.iter_size * self.ranks.communicator.size
        return images_per_pass(self.train_engine.graph) * passes

    def solve(self) -> None:
        """Train to max_iter, then snapshot, show and test for the last time."""
        log.info("solver.cpp:289", f"Solving {self.train_engine.graph.name}")
        log.info("solver.cpp:290", f"Learning Rate Policy: {self.param.lr_policy}")
        self.stopped = False
        if self.param.snapshot_after_train and self._root:
            snapshot.check_prefix(self.param, file=self._file)
        self.step(self.param.max_iter - self.iteration)
        if self.param.snapshot_after_train and not (
            self.param.snapshot and self._due(self.param.snapshot)
        ):
            self.snapshot()
        if self.stopped:
            log.info("solver.cpp:311", "Optimization stopped early.")
            return
        if self._due(self.param.display):
            debug = self.param.debug_info and self.param.display == 1  # as in the last iteration
            self.losses.add(forward(self.train_engine, debug=debug))
            loss = self.ranks.mean(self.losses.value())
            log.info("solver.cpp:327", f"Iteration {self.iteration}, loss = {log.number(loss)}")
            self._record("train", [("smoothed_loss", loss)])
        if self._due(self.param.test_interval):
            self.test_all()
            self._snapshot_late()
            self._aside.wait()
        log.info("solver.cpp:332", "Optimization Done.")

    def step(self, iterations: int) -> None:
        """Train for so many iterations, or until a signal stops it."""
        if iterations > 0:
            check_policy(self.param, file=self._file)
        end = self.iteration + iterations
        self.losses.restart()
        self.speed.restart(self.iteration)
        with self.speed.counted():
            while self.iteration < end and not self.stopped:
                self._iterate()
            self.updates.wait()
            last = self.ranks.agreed()
            if last is Action.SNAPSHOT:
                self._snapshot()
            self.stopped = self.stopped or last is Action.STOP
            if self.stopped:
                self._snapshot_late()
            self.losses.value()  # what a GPU still has to do is part of the time
            tell_outside(self.train_engine)
        self._aside.wait()

    def _iterate(self) -> None:
        self._aside.check()  # hours may lie between a snapshot that failed and the next one
        self._position.iteration = self.iteration
        self.train_engine.clear_gradients()
        if self._due(self.param.test_interval) and (
            self.iteration or self.param.test_initialization
        ):
            with self.speed.paused():
                self.test_all()
            if self.stopped:
                return
        for callback in self.callbacks:
            callback.on_start()
        shown = self._due(self.param.display)
        held = bool(
            self.callbacks
        )  # no gradient leaves for other ranks before they have looked at it
        with self._position.at("", self.train_engine.progress):
            self._learn(debug=shown and self.param.debug_info, held=held)
        found = self._show() if shown else []
        for callback in self.callbacks:
            callback.on_gradients_ready()
        if held:
            self.updates.begin(self.iteration, self._rate)
        rate = self._update(shown)
        if shown:
            speed = (
                [("images_per_s", self.speed.rate * self.images_per_iteration)]
                if self.speed.rate and self.images_per_iteration
                else []
            )
            self._record("train", [*found, ("lr", rate), *speed, *self.updates.numbers()])
        self.iteration += 1
        self.speed.iterations += 1
        # agreeing holds the ranks together; what those say that may drift apart counts when all have come as far
        asked = self._due(self._drift + 1)
        request = (
            self.ranks.agree(self._requests.take(), later=self._drift > 0) if asked else Action.NONE
        )
        self.ranks.compare(f"at iteration {self.iteration}", self.updates.wait)
        if request is Action.SNAPSHOT:
            self._requests.snapshot_begins()
        if self._due(self.param.snapshot) or request is Action.SNAPSHOT:
            with self.speed.paused():
                self._snapshot()
        self.stopped = request is Action.STOP
        for watcher in self.watchers:
            watcher(self)

    def _due(self, interval: int) -> bool:
        return bool(interval) and self.iteration % interval == 0

    def _learn(self, *, debug: bool, held: bool) -> None:
        """Gradients of iter_size batches, and their mean loss; the update, too, where nobody is to look before it.

        ``held``: nothing of the update begins before the caller says so.
        """
        if not (debug or held):
            loss = self.updates.run_recorded(
                self.iteration, self._rate, lambda: self._rate(self._policy.ahead())
            )
            if loss is not None:
                self.losses.add(loss)
                return
        losses = [
            forward_backward(self.train_engine, debug=debug)
            for _ in range(self.param.iter_size - 1)
        ]
        if not held:
            self.updates.begin(self.iteration, self._rate)
        losses.append(forward_backward(self.train_engine, debug=debug))
        self.losses.add(sum(losses[1:], losses[0]) / len(losses) if len(losses) > 1 else losses[0])

    def _rate(self, policy: PolicyState | None = None) -> float:
        return learning_rate(
            self.param,
            self.iteration,
            policy or self._policy,
            lambda: self.ranks.mean(self.losses.value()),
        )

    def _show(self) -> list[tuple[str, float]]:
        """Log the loss and the outputs; both for `_record`."""
        rate = self.speed.lap(self.iteration, self.param.display)
        tell_outside(self.train_engine)
        loss = self.ranks.mean(self.losses.value())
        self.updates.log_reports(before=self.iteration)
        if not (self._told_lost or math.isfinite(loss)):
            self._told_lost = True
            tell_lost(self.iteration, self.ranks.each(self.losses.value()))
        log.info(
            "solver.cpp:239", f"Iteration {self.iteration} ({rate}), loss = {log.number(loss)}"
        )
        outputs = list(scores(self.train_engine.outputs()))
        for number, found in enumerate(outputs):
            log.info("solver.cpp:258", f"    Train net output #{number}: {found}")
        return [("smoothed_loss", loss), *((found.name, found.value) for found in outputs)]

    def _record(self, net: str, values: Sequence[tuple[str, float]]) -> None:
        for recorder in self.recorders:
            recorder(self.iteration, net, values)

    def rate(self) -> float:
        """The learning rate of the next update; asking for it counts as a look of the policy at this iteration, as in Caffe."""
        check_policy(self.param, file=self._file)
        return self._rate()

    def apply_update(self) -> None:
        """Update the parameters with the gradients that are there, as an iteration does at its end."""
        check_policy(self.param, file=self._file)
        self.updates.begin(self.iteration, self._rate)
        self._update(self._due(self.param.display))
        self.updates.wait()
        self.iteration += 1

    def _update(self, shown: bool) -> float:
        """Finish the iteration's update; its learning rate."""
        rate = self.updates.rate()
        if shown:
            log.info("sgd_solver.cpp:112", f"Iteration {self.iteration}, lr = {log.number(rate)}")
        self.updates.apply()
        return rate

    def test_all(self) -> None:
        """Score every test net; rank 0 has the scores."""
        self.updates.wait()
        self.ranks.average_statistics()
        for number, (engine, batches, passes) in enumerate(
            zip(self.test_engines, self.param.test_iter, self._passes)
        ):
            log.info("solver.cpp:347", f"Iteration {self.iteration}, Testing net (#{number})")
            share_trained_layers(engine, self.train_engine)
            tell_ignored(self.train_engine.graph, engine.graph)
            with self._position.at(
                f"test net (#{number})", PositionInTest(passes, engine.progress)
            ):
                means = score(engine, batches, passes, self.param, interrupted=self._requests.stop)
            if means is None:
                self.stopped = True
                break
            self._record(f"test{number or ''}", [(mean.name, mean.value) for mean in means])
        self.stopped = self.ranks.tell(self.stopped)

    def snapshot(self) -> None:
        """Write the model and the state, on rank 0; returns when they are there."""
        self._snapshot()
        with self._position.at("snapshot"):
            self._aside.wait()
            self.ranks.barrier()

    def _snapshot(self) -> None:
        self._position.iteration = self.iteration
        with self._position.at("snapshot"):
            tell_outside(self.train_engine)
            self.updates.wait()
            self.updates.gather_history()
            self.ranks.average_statistics()
            self.ranks.check(f"at iteration {self.iteration}")
            states = self.ranks.communicator.gather_object(
                run_state.own_state(
                    self.train_engine,
                    self._tests,
                    self.random,
                    losses=self.losses,
                    scale=self.updater.loss_scale,
                )
            )
            if self._root:
                engine = self.train_engine
                progress = snapshot.Progress(self.iteration, self._policy, {"ranks": states})
                diffs = self.updates.kept() if self.param.snapshot_diff else None
                snapshot.write(
                    self.param,
                    progress,
                    engine.graph,
                    engine.arena,
                    self.updater.history,
                    diffs=diffs,
                    aside=self._aside,
                )

    def _snapshot_late(self) -> None:
        """Write what a signal asked for during a test that no iteration follows."""
        if self.ranks.any(self._requests.waiting()):
            self._snapshot()

    def restore(self, path: str, *, exact: bool = True) -> None:
        """Go on from a solverstate. ``exact``: from its data positions and random streams too, as if there had been no interruption.

        Without them, and from a state of the real Caffe, which has none, the data start at the beginning.
        """
        engine = self.train_engine
        own = self._root or self.ranks.alone
        progress = (
            snapshot.restore(path, engine.graph, engine.arena, self.updater.history)
            if own
            else None
        )
        progress = self.ranks.tell(progress)
        self.ranks.share([engine.arena.flat.buffer, *(flat.buffer for flat in self.updater.flats)])
        self.updater.regroup()
        if progress is None:
            return
        self.iteration, self._policy = progress.iteration, progress.policy
        if exact and progress.run_state is not None:
            rank, size = self.ranks.communicator.rank, self.ranks.communicator.size
            states, scale = progress.run_state["ranks"], self.updater.loss_scale
            run_state.restore_state(
                states,
                rank,
                engine,
                self._tests,
                self.random,
                size=size,
                losses=self.losses,
                scale=scale,
            )

    def close(self) -> None:
        """Give back files and threads."""
        self.updates.close()
        for engine in (self.train_engine, *self.test_engines):
            close(engine)
        self._feed.close()
        self._aside.wait()
