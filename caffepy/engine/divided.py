"""Passes with gradients of small nets in equal parts of the batch, each by a thread of its own.

Threads that share each operator wait for one another after each, and read from each other's caches
what the operator before has left there. A thread that takes some of the items through the whole net
has them in its own cache. A part is one graph of torch's operators (TorchScript's), forward and
backward, so that threads need not wait for Python's lock either.
"""

from __future__ import annotations

import math
import os
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread, current_thread
from typing import TypeAlias

import torch
from torch import Tensor

from caffepy.engine.engines import Engine, hookable, replays
from caffepy.engine.layer_sizes import compute_little
from caffepy.engine.learning_forms import Backward, Diffs, form, softmax_loss
from caffepy.engine.node_errors import node_errors
from caffepy.engine.operator_program import Name, Program
from caffepy.engine.threads import one_thread, set_threads
from caffepy.engine.whole import WholeEngine
from caffepy.layers.common.loss import normalizer
from caffepy.layers.core.base import TRAIN, Shape
from caffepy.layers.loss.softmax_loss import SoftmaxWithLossLayer
from caffepy.net.graph import Graph, Node

LARGE_FLOPS = 1_000_000_000
"""Of a layer. Larger ones keep several threads busy."""
MOST_THREADS = 4
LEAST_ITEMS = 16
"""Of a part. With fewer, products take longer for each item."""

Function: TypeAlias = Callable[..., tuple[Tensor, ...]]
Failure: TypeAlias = BaseException
Outcome: TypeAlias = tuple[Tensor, ...] | Failure
Work: TypeAlias = tuple[int, Function, Sequence[Tensor]]


@dataclass(frozen=True)
class Learn:
    """Layers as one ``function``.

    (data, labels as a column of integers, the ``parameters``) → (loss, a number, the ``gradients``
    of these parameters, by index in Graph.params). All is wrong where the number is not finite.
    """

    function: Function
    parameters: Sequence[int]
    gradients: Sequence[int]


class DividedPass:
    """What `WholeEngine.in_parts` calls."""

    def __init__(
        self, engine: WholeEngine, chain: Sequence[Node], learn: Learn, parts: int
    ) -> None:
        """``chain``: all nodes but the source, each on the top of the one before it."""
        self._engine = weakref.ref(engine)
        graph = engine.graph
        ((self._index, self._source),) = graph.sources.items()
        self._shape = graph.values[chain[0].bottoms[0]].shape  # of the data
        self._loss = chain[-1].tops[0]
        self._weight = chain[-1].loss_weights[0]
        self._data_first = graph.nodes[self._index].tops[0] == chain[0].bottoms[0]
        self._channels_last = engine.channels_last
        self._learn = learn
        self._helpers = [_Helper() for _ in range(parts - 1)]
        self._process = os.getpid()

    def __call__(self) -> tuple[Tensor, dict[int, Tensor]] | None:
        """Gradients add up in the arena. Returns the loss and the outputs, by value.

        None for a batch that the layers have to compute. It waits in ``drawn`` of the engine.
        """
        engine = self._engine()
        assert engine is not None
        if self._process != os.getpid():
            return None  # the threads are the parent's
        node = engine.graph.nodes[self._index]
        engine.progress.backward = False
        engine.progress.layer = node.name
        with node_errors(node):
            batch = list(self._source.next())[:2]
        data, labels = batch if self._data_first else reversed(batch)
        found = None
        if _fits(data, labels, self._shape):
            with one_thread(), torch.no_grad():
                parameters = [engine.arena.data[index].detach() for index in self._learn.parameters]
                found = self._learnt(data, labels.reshape(-1, 1).long(), parameters)
        if found is None:
            engine.drawn[self._index] = batch
            return None
        losses, gradients = found
        for index, gradient in zip(self._learn.gradients, gradients):
            parameter = engine.arena.data[index]
            if parameter.grad is None:
                parameter.grad = gradient
            else:
                parameter.grad.add_(gradient)
        return losses * self._weight, {self._loss: losses}

    def _learnt(
        self, data: Tensor, labels: Tensor, parameters: Sequence[Tensor]
    ) -> tuple[Tensor, list[Tensor]] | None:
        """The loss and the gradients of the whole batch, or None."""
        parts = len(self._helpers) + 1
        if self._channels_last and data.dim() == 4:
            data = data.contiguous(memory_format=torch.channels_last)
        inputs = [(x, y, *parameters) for x, y in zip(data.chunk(parts), labels.chunk(parts))]
        for helper, given in zip(self._helpers, inputs[1:]):
            helper.begin(self._learn.function, given)
        results = [_outcome(self._learn.function, inputs[0])]
        results += [helper.end() for helper in self._helpers]
        learnt: list[tuple[Tensor, ...]] = []
        for result in results:
            if isinstance(result, RuntimeError):
                return None  # a label that is no class: its layer says which
            if isinstance(result, Failure):
                raise result
            learnt.append(result)
        if not math.isfinite(sum(result[1].item() for result in learnt)):
            return None
        loss, _, *gradients = learnt[0]
        for other in learnt[1:]:
            loss = loss + other[0]
            if gradients:
                torch._foreach_add_(gradients, other[2:])
        return loss, gradients


def _program(engine: WholeEngine, chain: Sequence[Node]) -> Learn | None:
    """The chain of layers as one function; None where one of them has no form."""
    graph = engine.graph
    *layers, last = chain
    program = Program(2 + sum(len(node.params) for node in chain))
    x, index, *parameters = program.inputs
    checked: list[Name] = []
    backwards: list[Backward] = []
    for node in layers:
        made = form(node, graph.values[node.bottoms[0]].shape, engine.runs[node.index], checked)
        if made is None:
            return None
        x, backward = made(program, x, parameters[: len(node.params)])
        backwards.append(backward)
        del parameters[: len(node.params)]
    divisor = _divisor(last, engine)
    loss, diff = softmax_loss(program, x, index, divisor=divisor, weight=last.loss_weights[0])
    diffs = Diffs(diff)
    gradients: list[Name] = []
    learnt: list[int] = []
    for node, backward in zip(reversed(layers), reversed(backwards)):
        diffs = backward(diffs)
        gradients[:0] = diffs.own
        learnt[:0] = [p for p, wanted in zip(node.params, node.param_gradients) if wanted]
        if not node.writes_down[0]:
            break
    total = loss
    for number in checked:
        total = program.call("aten::add", total, number, 1)
    try:
        function = program.function([loss, total, *gradients])
        _try(function, chain, engine)
    except (AttributeError, RuntimeError):
        return None  # torch's operators may change
    return Learn(function, [p for node in chain for p in node.params], learnt)


def _try(function: Function, chain: Sequence[Node], engine: WholeEngine) -> None:
    """RuntimeError where torch lacks one of the operators, which only a call tells."""
    shape = engine.graph.values[chain[0].bottoms[0]].shape
    parameters = [engine.arena.data[p].detach() for node in chain for p in node.params]
    with torch.no_grad():
        function(torch.zeros(shape), torch.zeros(shape[0], 1, dtype=torch.long), *parameters)


def _divisor(last: Node, engine: WholeEngine) -> float:
    """Of the loss of the whole batch."""
    layer = last.layer
    assert isinstance(layer, SoftmaxWithLossLayer)
    divisor = normalizer(
        layer.mode,
        outer=layer.outer,
        inner=layer.inner,
        valid=None,
        run=engine.runs[last.index],
        fixed=layer.param.loss_param.pre_fixed_normalizer,
    )
    return float(divisor)


class _Helper:
    """A thread that computes parts."""

    def __init__(self) -> None:
        self._number = 0  # of the work
        self._given: SimpleQueue[Work | None] = SimpleQueue()
        self._found: SimpleQueue[tuple[int, Outcome]] = SimpleQueue()
        arguments = (self._given, self._found)
        thread = Thread(target=_serve, args=arguments, name="part of a batch", daemon=True)
        thread.start()
        weakref.finalize(self, _end, thread, self._given)  # also at the end of the process

    def begin(self, function: Function, inputs: Sequence[Tensor]) -> None:
        """Have it compute."""
        self._number += 1
        self._given.put((self._number, function, inputs))

    def end(self) -> Outcome:
        """What came out, or what went wrong."""
        while True:
            number, outcome = self._found.get()
            if number == self._number:  # others are of passes that were interrupted
                return outcome


def _end(thread: Thread, given: SimpleQueue[Work | None]) -> None:
    given.put(None)
    if thread is not current_thread():
        thread.join()


def _serve(given: SimpleQueue[Work | None], found: SimpleQueue[tuple[int, Outcome]]) -> None:
    set_threads(1)  # of this thread; torch itself would give it the last number set by any
    with torch.no_grad():
        while (work := given.get()) is not None:
            number, function, inputs = work
            found.put((number, _outcome(function, inputs)))


def _outcome(function: Function, inputs: Sequence[Tensor]) -> Outcome:
    try:
        return function(*inputs)
    except Exception as error:  # noqa: BLE001 (whoever waits for it raises it)
        return error


def _fits(data: Tensor, labels: Tensor, shape: Shape) -> bool:
    return data.shape == shape and data.dtype == torch.float32 and labels.numel() == data.shape[0]


def divide(engine: Engine, threads: int) -> bool:
    """Have passes of a TRAIN net run in so many parts, where it is a chain that is worth it."""
    if not hookable(engine) or replays(engine):
        return False
    if engine.in_parts is None:
        engine.in_parts = _divided(engine, threads)
    return engine.in_parts is not None


def _divided(engine: WholeEngine, threads: int) -> DividedPass | None:
    graph = engine.graph
    if not 1 < threads <= MOST_THREADS or engine.arena.device.type != "cpu":
        return None
    if graph.phase != TRAIN or not engine.is_plain or not torch.backends.mkldnn.is_available():
        return None
    chain = _chain(graph)
    if not chain or not compute_little(chain, graph, LARGE_FLOPS):
        return None
    items = graph.values[chain[0].bottoms[0]].shape[0]
    if items % threads or items < threads * LEAST_ITEMS:
        return None
    learn = _program(engine, chain)
    return DividedPass(engine, chain, learn, threads) if learn else None


def _chain(graph: Graph) -> list[Node]:
    """All nodes but the source, if each has its only number from the one before it; else none.

    The last one is a SoftmaxWithLoss on the source's labels, the only output.
    """
    if len(graph.sources) != 1:
        return []
    ((index, _),) = graph.sources.items()
    source = graph.nodes[index]
    chain = [node for node in graph.nodes if node is not source]
    ends = not all(node.bottoms and node.tops for node in chain)  # DummyData, Silence
    if len(source.tops) != 2 or len(chain) < 2 or ends:
        return []
    last = chain[-1]
    value = chain[0].bottoms[0]
    for node in chain:
        if node.bottoms[:1] != (value,) or any(graph.params[p].owner != p for p in node.params):
            return []
        value = node.tops[0]
    labelled = set(source.tops) == {chain[0].bottoms[0], *last.bottoms[1:]}
    batches = last.layer.batches
    plain = type(last.layer) is SoftmaxWithLossLayer and batches.traceable
    only = graph.outputs == last.tops and not any(w for n in chain[:-1] for w in n.loss_weights)
    return chain if labelled and plain and only and last.backward else []
