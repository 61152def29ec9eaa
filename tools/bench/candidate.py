"""caffepy's side of the benchmarks: a net of `nets` trained on arrays in memory by the Solver of ``caffepy train``."""

# N batch, C channels, H W picture

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.data.shard import Shard
from caffepy.data.source import Batch, Source, State
from caffepy.data.transformer import RandomStream
from caffepy.engine.allocator import keep_freed_memory
from caffepy.engine.engines import AUTO, WHOLE, Engine, Setup, open_net
from caffepy.engine.numerics import Numerics
from caffepy.engine.predictions import predictions
from caffepy.engine.weights import arrays_of
from caffepy.layers.core.base import TEST
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import Definition
from caffepy.parallel.transport.communicator import Communicator
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.report.summary import row
from caffepy.solver.solver import Solver
from tools.bench.jobs import JOBS, figures
from tools.bench.nets import figures_text, net_text
from tools.bench.prototxt import blocks


def solver_on(
    net: str,
    figures: str,
    batches: Sequence[tuple[Tensor, ...]],
    *,
    engine: str = AUTO,
    device: str = "cpu",
    numerics: Numerics = Numerics(),
    communicator: Communicator | None = None,
) -> Solver:
    """A solver of the net text ``net``, whose data layer is MemoryData, and the other fields ``figures``; its nets read ``batches``."""
    param = caffe_pb2.SolverParameter()
    places = parse(f"net_param {{ {net} }}\n{figures}", param, file="solver")
    solver = Solver(param, places, engine=engine, device=torch.device(device), numerics=numerics, communicator=communicator)
    for built in (solver.train_engine, *solver.test_engines):
        give(built, batches)
    return solver


class Given(Source):
    """The same tensors for an Input layer's top, in turn."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        super().__init__(Shard())
        self.shapes = (tuple(tensors[0].shape),)
        self._tensors = cycle(tensors)

    def seed(self, stream: RandomStream) -> None:
        """Nothing is drawn."""

    def _make(self) -> Batch:
        return (next(self._tensors),)

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        """There is nothing to go on from."""

    def close(self) -> None:
        """Nothing is open."""


def give(engine: Engine, batches: Sequence[tuple[Tensor, ...]]) -> None:
    """Let the MemoryData layers of a net read these batches in turn, (N, C, H, W) and (N,); or its Input layers, a tensor each."""
    inputs = [node.index for node in engine.graph.nodes if node.type == "Input"]
    for index, *tensors in zip(inputs, *batches) if inputs else ():
        engine.graph.sources[index] = Given(tensors)
    if inputs:
        return
    data, labels = torch.cat([data for data, _ in batches]), torch.cat([label for _, label in batches]).float()
    if engine.arena.device.type == "cuda":
        data, labels = data.pin_memory(), labels.pin_memory()
    for source in engine.graph.sources.values():
        source.set_arrays(data.numpy(), labels.numpy())


class Candidate:
    """caffepy behind the same calls as `loops.Loop`."""

    def __init__(
        self,
        net: str,
        batches: Sequence[tuple[Tensor, ...]],
        *,
        divide: int = 1,
        dropout: bool = True,
        weights: Sequence[str] = (),
        seeded: bool = True,
        engine: str = AUTO,
        device: str = "cpu",
        numerics: Numerics = Numerics(),
        more: str = "",
    ) -> None:
        """``more``: fields of the solver beside those of `solver_text`."""
        if device == "cpu":
            keep_freed_memory()  # as caffepy train does
        batch = len(batches[0][0])
        text = JOBS[net].text(batch, divide=divide) if net in JOBS else net_text(net, batch, divide=divide, dropout=dropout)
        fields = figures_text(figures(net), seeded=seeded) + "".join(f'weights: "{file}"\n' for file in weights) + more
        if net in JOBS and engine == AUTO:
            engine = WHOLE  # as it is where data layers stand in place of Input
        self.solver = solver_on(text, fields, batches, engine=engine, device=device, numerics=numerics)

    def parameters(self) -> list[Tensor]:
        """Learnable parameters in the order of the layers; BatchNorm's statistics are none."""
        return learned(self.solver.train_engine)

    def flops(self) -> int:
        """Of one iteration: as many for each gradient of a layer, of its bottom and of its parameters, as for its tops."""
        graph = self.solver.train_engine.graph
        return sum(row(graph, node).flops * (1 + any(node.writes_down) + any(node.param_gradients)) for node in graph.nodes)

    def steps(self, number: int, tick: Callable[[float], object]) -> None:
        """So many iterations in a row; ``tick`` is told each one's loss before the update."""

        def told(solver: Solver) -> None:
            tick(solver.losses.value())

        self.solver.watchers.append(told)
        self.solver.step(number)
        self.solver.watchers.remove(told)


class Scorer:
    """``caffepy test`` behind the same calls as `loops.TestLoop`."""

    def __init__(self, net: str, batches: Sequence[tuple[Tensor, Tensor]], *, engine: str = "torch") -> None:
        """``engine``: as behind ``caffepy test -engine``."""
        keep_freed_memory()  # as caffepy test does
        message = caffe_pb2.NetParameter()
        pieces = blocks(net_text(net, len(batches[0][0])))
        text = "".join(piece for piece in pieces if 'type: "Accuracy"' not in piece)  # the modules compute none
        places = parse(text, message, file="net")
        message.state.phase = TEST
        self.engine = open_net(Definition(message, places.where, "net"), setup=Setup(torch.device("cpu"), CaffeRandom(1)))
        give(self.engine, batches)
        for node in self.engine.graph.nodes:
            if node.type == "BatchNorm":  # statistics as those of a new torch module: mean 0, variance 1
                for index, value in zip(node.params, (0, 1, 1), strict=True):
                    self.engine.arena.data[index].detach().fill_(value)
            if node.type == "Scale":  # small, or untrained residual blocks would add up beyond all bounds
                self.engine.arena.data[node.params[0]].detach().fill_(0.2)
        if engine != "torch":
            from caffepy.onnx.choice import engine_by

            self.engine = engine_by(engine, self.engine)
        self._frozen = self.engine.frozen()
        self._frozen.__enter__()

    def parameters(self) -> list[Tensor]:
        """See `Candidate`."""
        return learned(self.engine)

    def steps(self, number: int, tick: Callable[[float], object]) -> None:
        """So many batches; ``tick`` is told each one's loss."""
        for _ in range(number):
            tick(float(self.engine.forward()))


class Runtime:
    """onnxruntime or OpenVINO by hand: the exported net, and the loss of what it predicts."""

    def __init__(self, net: str, batches: Sequence[tuple[Tensor, Tensor]], runtime: str) -> None:
        from caffepy.onnx.model import to_onnx
        from caffepy.onnx.openvino_session import OpenVinoSession
        from caffepy.onnx.session import Session

        engine = Scorer(net, batches).engine
        graph, part = engine.graph, predictions(engine.graph)
        self.session = (OpenVinoSession if runtime == "openvino" else Session)(to_onnx(part, arrays_of(engine.arena)).model)
        self.weights = [node.loss_weights[0] for node in graph.nodes if node.layer.is_loss]

    def step(self, data: Tensor, label: Tensor) -> float:
        """The loss of (N, C, H, W) float32 and (N,) int64."""
        found = self.session.run([data.numpy()])
        losses = [F.cross_entropy(torch.from_numpy(y).flatten(1), label) for y in found]
        return sum(weight * float(loss) for weight, loss in zip(self.weights, losses, strict=True))


def learned(engine: Engine) -> list[Tensor]:
    """Parameters with a learning rate, in the order of the layers."""
    graph = engine.graph
    return [tensor for tensor, index in zip(engine.arena.learnable, graph.learnable, strict=True) if graph.params[index].lr_mult]
