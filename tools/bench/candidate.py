"""caffepy's side of the benchmarks: a net of `nets` trained on fixed batches, through what ``caffepy train`` runs."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

import caffepy.layers  # noqa: F401  registers them
from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.whole import WholeEngine
from caffepy.layers.random import CaffeRandom
from caffepy.net import compile
from caffepy.net.graph import Graph
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.solver.lr_policy import learning_rate
from caffepy.solver.update import Updater
from tools.bench.nets import net_text, solver_text


def graph_of(text: str) -> Graph:
    """The graph of a net's text for training."""
    message = caffe_pb2.NetParameter()
    parse(text, message, file="bench")
    message.state.phase = caffe_pb2.TRAIN
    return compile(message)


class Candidate:
    """caffepy behind the same calls as `loops.Loop`."""

    def __init__(
        self,
        net: str,
        batches: Sequence[tuple[Tensor, Tensor]],
        *,
        divide: int = 1,
        dropout: bool = True,
        channels_last: bool = True,
    ) -> None:
        text = net_text(net, batches[0][0].shape[0], divide=divide, dropout=dropout)
        self.graph = graph_of(text)
        self.solver = caffe_pb2.SolverParameter()
        parse(solver_text(net, "", max_iter=1000000, constant=True), self.solver, file="bench")
        random = CaffeRandom(1)
        self.arena = Arena(self.graph, channels_last=channels_last)
        initialise(self.graph, self.arena, random)
        self.engine = WholeEngine(self.graph, self.arena, random, channels_last=channels_last)
        self.updater = Updater(self.solver, self.arena)
        self.feeds = [{"data": data, "label": label.float()} for data, label in batches]
        self.iteration = 0
        self.lr_step = 0

    def parameters(self) -> list[Tensor]:
        """Learnable parameters in the order of the layers; BatchNorm's statistics are none."""
        learned = zip(self.arena.learnable, self.graph.learnable, strict=True)
        return [tensor for tensor, index in learned if self.graph.params[index].lr_mult]

    def step(self) -> float:
        """One iteration on the next batch; the loss before the update."""
        self.engine.clear_gradients()
        loss = self.engine.forward_backward(self.feeds[self.iteration % len(self.feeds)])
        rate, self.lr_step = learning_rate(self.solver, self.iteration, self.lr_step)
        self.updater.apply(self.engine.gradients(), rate, self.iteration)
        self.iteration += 1
        return float(loss.item())
