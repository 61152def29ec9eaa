"""caffe.get_solver and the solver classes: a solver that scripts drive step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NoReturn, SupportsIndex

from caffepy.data.shard import Shard
from caffepy.engine.engines import Engine, shows_blobs
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.parallel.launch.environment import alone
from caffepy.parallel.transport.single import Single
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.proto.source_map import SourceMap
from caffepy.pycaffe.arguments import Path, file_name, whole
from caffepy.pycaffe.errors import WrongType, WrongValue
from caffepy.pycaffe.net import Net
from caffepy.pycaffe.state import state
from caffepy.solver.loop.observers import Callback
from caffepy.solver.setup.definition import load_solver
from caffepy.solver.solver import Solver as Loop


@dataclass(frozen=True)
class _Pair:
    """Two functions as a solver's callback."""

    on_start: Callable[[], object]
    on_gradients_ready: Callable[[], object]


class _Process(Single):
    """One of several processes of a script.

    It has a rank, but only an `NCCL` lets the processes exchange anything.
    """

    def __init__(self, rank: int) -> None:
        super().__init__(alone())
        self.rank = rank


class Solver:
    """A solver.

    ``net``: the train net; ``test_nets``: list of nets; ``iter``: iterations done; ``lr``: the
    rate; ``param``: the SolverParameter.

    A test net has parameters of its own until its first test, and those of ``net`` from then on, as
    in Caffe. Of several processes (`set_solver_count`) each reads its share of the records;
    gradients travel by `NCCL`.
    """

    type: ClassVar[str] = ""
    _counted = 0
    """Calls of `apply_update` that counted as iterations."""
    _counts_itself = False

    def __init__(self, solver_file: Path) -> None:
        self._start(*load_solver(file_name(solver_file)))

    def _start(self, param: SolverParameter, places: SourceMap) -> None:
        if not state.solver_rank < state.solver_count:
            raise WrongValue(
                f"solver_rank is {state.solver_rank} of {state.solver_count} solvers;"
                " needed: set_solver_count before"
            )
        if self.type:
            param.type = self.type
        self._loop = Loop(
            param,
            places,
            communicator=_Process(state.solver_rank),
            device=state.device,
            random=state.random,
            engine="layerwise",
            shard=Shard(state.solver_rank, state.solver_count),
            apart=True,
        )
        self.net = Net.of_engine(
            _layerwise(self._loop.train_engine), moved=partial(setattr, self._loop.updater, "arena")
        )
        self.test_nets = [Net.of_engine(_layerwise(engine)) for engine in self._loop.test_engines]

    def _facts(self) -> dict[str, str]:
        """What it is at, by words; empty if it was never built."""
        if not hasattr(self, "net"):
            return {}
        param = self.param
        graph = self.net._graph
        layers = sum(not node.is_automatic_split for node in graph.nodes)
        facts = {
            "iteration": f"{self.iter} of {param.max_iter}",
            "base_lr": f"{param.base_lr:g} ({param.lr_policy or 'no lr_policy'})",
            "net": f"{graph.name!r}, {layers} layers",
            "test nets": str(len(self.test_nets)),
        }
        if param.snapshot_prefix:
            facts["snapshots"] = ascii(param.snapshot_prefix)
        return facts

    def __repr__(self) -> str:
        from caffepy.pycaffe.repr_text import solver_text

        return solver_text(type(self).__name__, self._facts())

    def _repr_html_(self) -> str:
        """What a notebook shows: the iteration, the rate, the nets."""
        from caffepy.pycaffe.repr_html import solver_html

        return solver_html(type(self).__name__, self._facts())

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise WrongType(
            "a solver can be neither pickled nor copied; needed: snapshot, and restore in"
            " another solver of the same prototxt"
        )

    @property
    def iter(self) -> int:
        """The number of iterations that are done."""
        return self._loop.iteration

    @property
    def param(self) -> SolverParameter:
        """The SolverParameter.

        A new base_lr, max_iter or display counts from the next iteration on.
        """
        return self._loop.param

    @property
    def lr(self) -> float:
        """The learning rate of the next update."""
        return float(self._loop.rate())

    def step(self, iterations: int) -> None:
        """Train for so many iterations, with display, tests and snapshots as the solver says."""
        self._loop.step(whole("step: iterations", iterations))

    def solve(self, resume_file: Path | None = None) -> None:
        """Train to max_iter, from the state in ``resume_file`` if given."""
        if resume_file is not None:
            self.restore(resume_file)
        self._loop.solve()

    def restore(self, state_file: Path) -> None:
        """Go on from a .solverstate or .solverstate.h5 file.

        The data start at the beginning, as in Caffe.
        """
        self._loop.restore(file_name(state_file), exact=False)
        self._counted = 0

    def snapshot(self) -> None:
        """Write model and state now."""
        self._loop.snapshot()

    def apply_update(self) -> None:
        """Update the parameters with the diffs that they have now; counts as an iteration."""
        self.net._engine.sync()
        self._loop.apply_update()
        if self._counts_itself:
            self._loop.iteration -= 1
        else:
            self._counted += 1

    def increment_iter(self) -> None:
        """Count an iteration, as caffe-fr-chairs has it.

        From the first call on these calls are counted, and not those of `apply_update`.
        """
        if not self._counts_itself:
            self._counts_itself = True
            self._loop.iteration -= self._counted
        self._loop.iteration += 1

    def add_callback(
        self,
        on_start: Callable[[], object] | Callback,
        on_gradients_ready: Callable[[], object] | None = None,
    ) -> None:
        """Call functions before and after the passes of each iteration.

        ``on_start`` may also be an `NCCL`, alone.
        """
        if callable(on_gradients_ready) and (
            callable(on_start) or not on_start
        ):  # Caffe's train.py gives '' for nothing to do
            self._loop.callbacks.append(
                _Pair(on_start if callable(on_start) else _nothing, on_gradients_ready)
            )
        elif isinstance(on_start, Callback) and on_gradients_ready is None:
            self._loop.callbacks.append(on_start)
        else:
            raise WrongType(
                "add_callback takes two functions, on_start and on_gradients_ready, or one"
                " NCCL object"
            )

    def share_weights(self, net: Net) -> None:
        """Let ``net`` compute with the parameters of this solver's net."""
        if not isinstance(net, Net):
            raise WrongType(f"share_weights({net!r}); needed: a Net")
        net.share_with(self.net)


def _nothing() -> None:
    """For a callback that has nothing to do before the passes."""


def _layerwise(engine: Engine) -> LayerwiseEngine:
    if not shows_blobs(engine):
        raise TypeError(f"{engine} shows no blobs")
    return engine


class SGDSolver(Solver):
    """Stochastic gradient descent with momentum, whatever type the file names."""

    type = "SGD"


class NesterovSolver(Solver):
    """Nesterov's accelerated gradient."""

    type = "Nesterov"


class AdaGradSolver(Solver):
    """AdaGrad: the rate is divided by the root of the sum of squared gradients."""

    type = "AdaGrad"


class RMSPropSolver(Solver):
    """RMSProp: the rate is divided by the root of a moving mean of squared gradients."""

    type = "RMSProp"


class AdaDeltaSolver(Solver):
    """AdaDelta: steps have the size of earlier steps, relative to that of gradients."""

    type = "AdaDelta"


class AdamSolver(Solver):
    """Adam: moving means of the gradient and of its square give the step."""

    type = "Adam"


def get_solver(solver_file: Path) -> Solver:
    """The solver that a solver prototxt describes, of the class that goes with its type."""
    param, places = load_solver(file_name(solver_file))
    classes: dict[str, type[Solver]] = {cls.type: cls for cls in Solver.__subclasses__()}
    cls = classes.get(param.type, Solver)
    solver = cls.__new__(cls)
    solver._start(param, places)
    return solver
