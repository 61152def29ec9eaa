"""The training loop: learn, show, update, test, snapshot, in Caffe's order with its log lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

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
from caffepy.engine.places import check_places
from caffepy.layers.core.random import CaffeRandom
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.launch.environment import alone
from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.single import Single
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.proto.text import SourceMap, to_text
from caffepy.scoring.dividing import Passes
from caffepy.scoring.scores import scores
from caffepy.scoring.testing import log_ignored_layers, score, share_trained_layers
from caffepy.solver.loop.loss import SmoothedLoss, warn_of_lost_loss
from caffepy.solver.loop.observers import Callback, MetricRecorder
from caffepy.solver.loop.position import Position, PositionInTest
from caffepy.solver.loop.ranks import Ranks
from caffepy.solver.loop.signals import Action, Requests, Signals
from caffepy.solver.loop.speed import Speed
from caffepy.solver.setup.batches import Share
from caffepy.solver.setup.building import make_nets, seeded
from caffepy.solver.setup.checks import check, check_alike, with_timeout
from caffepy.solver.setup.definition import load_solver
from caffepy.solver.setup.feeding import Feed, Feeding
from caffepy.solver.setup.job_summary import log_setup
from caffepy.solver.snapshots import run_state, snapshot
from caffepy.solver.snapshots.background import Background
from caffepy.solver.update_rules.lr_policy import PolicyState, check_policy, learning_rate
from caffepy.solver.updating.iteration_updates import IterationUpdates
from caffepy.solver.updating.loss_scale import loss_scale
from caffepy.solver.updating.updater import Updater


class Solver:
    """Trains a net.

    ``train_engine``, ``test_engines``: its nets. ``iteration``: how many updates are done.
    ``stopped``: a signal has asked for the end.
    ``watchers``: called with the solver after each iteration. ``callbacks``: called within it.
    ``recorders``: called with the numbers that the log shows.
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
        """``param``, ``places``: from `load_solver`.

        ``random``: the process's random stream, by default a new one.
        ``engine``: auto, whole or layerwise.
        ``sharing``: how several ranks train together.
        ``feeding``: how records are divided among them; ``shard``: the records, instead of that.
        ``numerics``: in which types of numbers the nets compute.
        ``apart``: each test net has its own parameters until its first test, as scripts find in
        Caffe.

        Errors: CaffeError.
        """
        communicator = communicator or Single(alone())
        device = device or torch.device("cpu")
        self.param = param
        self.iteration = 0
        self.stopped = False
        self.watchers: list[Callable[[Solver], None]] = []
        self.recorders: list[MetricRecorder] = []
        self.callbacks: list[Callback] = []
        self._file = places.file
        self._root = communicator.is_root
        self._requests = Requests(signals)
        self._policy = PolicyState()
        self._position = communicator.place = Position()
        self._background = Background()
        self.losses = SmoothedLoss(param.average_loss)
        self.speed = Speed()
        self._has_warned_of_loss = False
        log.info("solver.cpp:45", f"Initializing solver from parameters: \n{to_text(param)}")
        check(param, places)
        check_alike(communicator, param, file=places.file)
        sharing = with_timeout(sharing, param, ranks=communicator.size)
        sharing = sharing.chosen(communicator, on_gpu=device.type == "cuda")
        self.random = seeded(random, param.random_seed, communicator.rank)
        if shard is None:
            self._feed = feeding.start(communicator, sharing)
        else:
            self._feed = Feed(Share(shard))
        kind = LAYERWISE if param.debug_info else engine
        setup = Setup(device, self.random, kind, self._feed.share.open, numerics)
        nets = make_nets(param, places, setup, communicator, complete=shard is None, apart=apart)
        self.train_engine = nets.train
        self.test_engines = nets.tests
        self._passes = nets.passes
        self.updater = Updater(
            param,
            self.train_engine.arena,
            file=places.file,
            keep_updates=engine == LAYERWISE or param.snapshot_diff,
            loss_scale=loss_scale(self.train_engine, numerics),
        )
        self._connect(communicator, sharing)
        log_setup(communicator, sharing, param, self.train_engine, feeding=feeding)
        if self._root:
            snapshot.warn_of_size(param, self.train_engine.graph, self.updater.history)
        log.info("solver.cpp:57", "Solver scaffolding done.")

    def _connect(self, communicator: Communicator, sharing: Sharing) -> None:
        """Connect the ranks, and give all of them rank 0's parameters."""
        self.ranks = Ranks(communicator, self.train_engine.arena)
        self.ranks.configure(self.train_engine)
        self._drift = 0 if communicator.size == 1 else sharing.drift
        self.updates = IterationUpdates(
            communicator, self.train_engine, self.updater, sharing=sharing
        )
        nets = [self.train_engine]
        nets += [engine for engine, passes in self._tests if passes.divided]
        self.ranks.broadcast([engine.arena.flat.buffer for engine in nets])
        self.ranks.check("at the start")

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
        passes = self.param.iter_size * self.ranks.communicator.size
        return images_per_pass(self.train_engine.graph) * passes

    def solve(self) -> None:
        """Train to max_iter, then snapshot, show and test for the last time."""
        log.info("solver.cpp:289", f"Solving {self.train_engine.graph.name}")
        log.info("solver.cpp:290", f"Learning Rate Policy: {self.param.lr_policy}")
        self.stopped = False
        if self.param.snapshot_after_train and self._root:
            snapshot.check_prefix(self.param, file=self._file)
        self.step(self.param.max_iter - self.iteration)
        if self.param.snapshot_after_train and not self._due(self.param.snapshot):
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
            self._snapshot_if_asked()
            self._background.wait()
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
            action = self.ranks.agreed()
            if action is Action.SNAPSHOT:
                self._snapshot()
            self.stopped = self.stopped or action is Action.STOP
            if self.stopped:
                self._snapshot_if_asked()
            self.losses.value()  # waits for a GPU, whose work is part of the time
            check_places(self.train_engine)
        self._background.wait()

    def _iterate(self) -> None:
        self._background.check()  # a snapshot that failed is told now, not at the next one
        self._position.iteration = self.iteration
        self.train_engine.clear_gradients()
        tests_now = self._due(self.param.test_interval)
        if tests_now and (self.iteration or self.param.test_initialization):
            with self.speed.paused():
                self.test_all()
            if self.stopped:
                return
        self._train_once()
        self.iteration += 1
        self.speed.iterations += 1
        action = self._agree()
        self.ranks.compare(f"at iteration {self.iteration}", self.updates.wait)
        if action is Action.SNAPSHOT:
            self._requests.snapshot_begins()
        if self._due(self.param.snapshot) or action is Action.SNAPSHOT:
            with self.speed.paused():
                self._snapshot()
        self.stopped = action is Action.STOP
        for watcher in self.watchers:
            watcher(self)

    def _due(self, interval: int) -> bool:
        return bool(interval) and self.iteration % interval == 0

    def _train_once(self) -> None:
        """The passes and the update of an iteration, with what the log shows of them."""
        for callback in self.callbacks:
            callback.on_start()
        shown = self._due(self.param.display)
        held = bool(self.callbacks)  # they see the gradients before other ranks do
        with self._position.at("", self.train_engine.progress):
            self._learn(debug=shown and self.param.debug_info, held=held)
        numbers = self._show() if shown else []
        for callback in self.callbacks:
            callback.on_gradients_ready()
        if held:
            self.updates.begin(self.iteration, self._rate)
        numbers.append(("lr", self._update(shown)))
        if shown:
            images_per_s = self.speed.rate * self.images_per_iteration
            if images_per_s:
                numbers.append(("images_per_s", images_per_s))
            self._record("train", [*numbers, *self.updates.numbers()])

    def _agree(self) -> Action:
        """What any rank was asked for.

        Agreeing makes ranks wait for each other. Those that may drift apart agree as rarely as
        their drift allows, and act on it one time later, when all have come as far.
        """
        if not self._due(self._drift + 1):
            return Action.NONE
        return self.ranks.agree(self._requests.take(), later=self._drift > 0)

    def _learn(self, *, debug: bool, held: bool) -> None:
        """Compute the gradients and the mean loss of iter_size batches.

        A GPU may make the update, too. ``held``: nothing of the update begins here.
        """
        if not (debug or held):
            loss = self.updates.run_recorded(self.iteration, self._rate, self._rate_ahead)
            if loss is not None:
                self.losses.add(loss)
                return
        losses = []
        self.updates.forget()
        for pass_ in range(self.param.iter_size):
            if pass_ == self.param.iter_size - 1 and not held:
                self.updates.begin(self.iteration, self._rate, self._rate_ahead)
            losses.append(forward_backward(self.train_engine, debug=debug))
        self.losses.add(sum(losses[1:], losses[0]) / len(losses) if len(losses) > 1 else losses[0])

    def _rate(self, policy: PolicyState | None = None) -> float:
        return learning_rate(
            self.param,
            self.iteration,
            policy or self._policy,
            lambda: self.ranks.mean(self.losses.value()),
        )

    def _rate_ahead(self) -> float:
        """The rate of this iteration before it is due, which nothing remembers or logs."""
        return self._rate(self._policy.ahead())

    def _show(self) -> list[tuple[str, float]]:
        """Log the loss and the outputs, and return them for `_record`."""
        rate = self.speed.lap(self.iteration, self.param.display)
        check_places(self.train_engine)
        loss = self.ranks.mean(self.losses.value())
        self.updates.log_reports(before=self.iteration)
        if not (self._has_warned_of_loss or math.isfinite(loss)):
            self._has_warned_of_loss = True
            warn_of_lost_loss(self.iteration, self.ranks.each(self.losses.value()))
        log.info(
            "solver.cpp:239", f"Iteration {self.iteration} ({rate}), loss = {log.number(loss)}"
        )
        numbers = [("smoothed_loss", loss)]
        for place, output in enumerate(scores(self.train_engine.outputs())):
            log.info("solver.cpp:258", f"    Train net output #{place}: {output}")
            numbers.append((output.name, output.value))
        return numbers

    def _record(self, net: str, numbers: Sequence[tuple[str, float]]) -> None:
        for recorder in self.recorders:
            recorder(self.iteration, net, numbers)

    def rate(self) -> float:
        """The learning rate of the next update.

        Asking counts as a look of the policy at this iteration, as in Caffe.
        """
        check_policy(self.param, file=self._file)
        return self._rate()

    def apply_update(self) -> None:
        """Update the parameters by the gradients that are there; counts as an iteration."""
        check_policy(self.param, file=self._file)
        self.updates.begin(self.iteration, self._rate)
        self._update(self._due(self.param.display))
        self.updates.wait()
        self.iteration += 1

    def _update(self, shown: bool) -> float:
        """Make the iteration's update; returns its learning rate."""
        rate = self.updates.rate()
        if shown:
            log.info("sgd_solver.cpp:112", f"Iteration {self.iteration}, lr = {log.number(rate)}")
        self.updates.apply()
        return rate

    def test_all(self) -> None:
        """Score every test net; rank 0 has the scores."""
        self.updates.wait()
        self.ranks.average_statistics()
        for number, (engine, passes) in enumerate(self._tests):
            log.info("solver.cpp:347", f"Iteration {self.iteration}, Testing net (#{number})")
            share_trained_layers(engine, self.train_engine)
            log_ignored_layers(self.train_engine.graph, engine.graph)
            position = PositionInTest(passes, engine.progress)
            with self._position.at(f"test net (#{number})", position):
                means = score(
                    engine,
                    self.param.test_iter[number],
                    passes,
                    self.param,
                    interrupted=self._requests.stop,
                )
            if means is None:
                self.stopped = True
                break
            self._record(f"test{number or ''}", [(mean.name, mean.value) for mean in means])
        self.stopped = self.ranks.from_root(self.stopped)

    def snapshot(self) -> None:
        """Write the model and the state, on rank 0; returns when they are written."""
        self._snapshot()
        with self._position.at("snapshot"):
            self._background.wait()
            self.ranks.barrier()

    def _snapshot(self) -> None:
        """Begin to write the model and the state; training goes on meanwhile."""
        self._position.iteration = self.iteration
        with self._position.at("snapshot"):
            check_places(self.train_engine)
            self.updates.wait()
            self.updates.gather_history()
            self.ranks.average_statistics()
            self.ranks.check(f"at iteration {self.iteration}")
            engine = self.train_engine
            own_state = run_state.own_state(self._parts())
            states = self.ranks.communicator.gather_object(own_state)
            if self._root:
                snapshot.write(
                    self.param,
                    snapshot.Progress(self.iteration, self._policy, {"ranks": states}),
                    engine.graph,
                    engine.arena,
                    self.updater.history,
                    diffs=self.updates.kept() if self.param.snapshot_diff else None,
                    background=self._background,
                )

    def _snapshot_if_asked(self) -> None:
        """Write what a signal asked for during a test that no iteration follows."""
        if self.ranks.any(self._requests.waiting()):
            self._snapshot()

    def restore(self, path: str, *, exact: bool = True) -> None:
        """Go on from a solverstate.

        ``exact``: also from its position in the data and its random streams, as if the training had
        not been interrupted. Without them, and from a state of the real Caffe, which has none, the
        data start at the beginning.
        """
        engine = self.train_engine
        progress: snapshot.Progress | None = None
        if self._root or self.ranks.alone:
            progress = snapshot.restore(path, engine.graph, engine.arena, self.updater.history)
        progress = self.ranks.from_root(progress)
        history = [flat.buffer for flat in self.updater.flats]
        self.ranks.broadcast([engine.arena.flat.buffer, *history])
        self.updater.regroup()
        if progress is None:
            return
        self.iteration = progress.iteration
        self._policy = progress.policy
        if exact and progress.run_state is not None:
            communicator = self.ranks.communicator
            states = progress.run_state["ranks"]
            run_state.restore_state(
                self._parts(), states, communicator.rank, size=communicator.size
            )

    def _parts(self) -> run_state.Parts:
        return run_state.Parts(
            self.train_engine, self._tests, self.random, self.losses, self.updater.loss_scale
        )

    def close(self) -> None:
        """Close files and end threads."""
        self.updates.close()
        for engine in (self.train_engine, *self.test_engines):
            close(engine)
        self._feed.close()
        self._background.wait()
