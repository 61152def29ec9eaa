"""The two engines behind one face: set parameters, run a pass on given inputs, look at what came out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.initialise import initialise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.numerics import Numerics
from caffepy.engine.weights import copy_trained_layers
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import compile
from caffepy.net.graph import Graph
from caffepy.proto import caffe_pb2

SEED = 1701
DEVICE = torch.device(os.environ.get("CAFFEPY_GOLDEN_DEVICE", "cpu"))
"""Where the engines compute; `tools/dev/gpu_check` replays the cases on a GPU."""
Numerics().prepare(DEVICE)
Array = npt.NDArray[np.float32]
Arrays = Mapping[str, Array]


def message_for(net: Any, phase: int, level: int = 0, stages: tuple[str, ...] = ()) -> Any:
    """A copy of the NetParameter with its state set as a caller of Caffe sets it."""
    message = caffe_pb2.NetParameter()
    message.CopyFrom(net)
    message.state.phase = phase
    message.state.level = level
    message.state.stage.extend(stages)
    return message


class Runner(Protocol):
    """What a test asks of an engine."""

    graph: Graph

    def param(self, layer: str, slot: int) -> Array:
        """Values of a parameter."""

    def set_param(self, layer: str, slot: int, values: Array) -> None:
        """Give a parameter these values."""

    def copy_from(self, weights: Path) -> None:
        """Load a caffemodel."""

    def forward(self, inputs: Arrays) -> float:
        """One pass; the loss."""

    def blob(self, name: str) -> Array | None:
        """Values of a blob after `forward`; None where the engine does not show it."""

    def backward(self, inputs: Arrays, top_diffs: Arrays) -> None:
        """The gradients of that same pass, from these diffs of outputs that are no losses; parameters' ones add up."""

    def clear_gradients(self) -> None:
        """Begin a new sum."""

    def set_arrays(self, data: Array, labels: Array) -> None:
        """Feed the MemoryData layer that the net begins with."""

    def bottom_diff(self, name: str) -> Array | None:
        """Gradient of an input blob; None where the engine does not show it."""

    def param_diff(self, layer: str, slot: int) -> Array:
        """Gradient of a parameter."""


def slots(graph: Graph) -> Iterator[tuple[str, int, int]]:
    """Layer, slot and index in Graph.params of every parameter."""
    for index, param in enumerate(graph.params):
        yield param.layer, param.slot, index


def _array(tensor: Tensor) -> Array:
    found: Array = tensor.detach().cpu().numpy()
    return found


def _index(graph: Graph, layer: str, slot: int) -> int:
    return next(index for name, place, index in slots(graph) if (name, place) == (layer, slot))


class Layerwise:
    """`LayerwiseEngine`, every blob visible."""

    def __init__(self, message: Any) -> None:
        self.graph = compile(message)
        self._arena, random = Arena(self.graph, device=DEVICE), CaffeRandom(SEED)
        initialise(self.graph, self._arena, random)
        self._engine = LayerwiseEngine(self.graph, self._arena, random)

    def param(self, layer: str, slot: int) -> Array:
        return _array(self._engine.params[_index(self.graph, layer, slot)].data)

    def set_param(self, layer: str, slot: int, values: Array) -> None:
        self._engine.params[_index(self.graph, layer, slot)].data.copy_(torch.from_numpy(values))

    def copy_from(self, weights: Path) -> None:
        copy_trained_layers(self.graph, self._arena, str(weights))

    def forward(self, inputs: Arrays) -> float:
        for name, array in inputs.items():
            self._engine.blobs[name].reshape(array.shape)
        self._engine.reshape()
        for name, array in inputs.items():
            self._engine.blobs[name].data.copy_(torch.from_numpy(array))
        return self._engine.forward()

    def blob(self, name: str) -> Array | None:
        return _array(self._engine.blobs[name].data) if name in self._engine.blobs else None

    def backward(self, inputs: Arrays, top_diffs: Arrays) -> None:
        for name, array in top_diffs.items():
            self._engine.blobs[name].diff.copy_(torch.from_numpy(array))
        self._engine.backward()

    def clear_gradients(self) -> None:
        self._engine.clear_gradients()

    def set_arrays(self, data: Array, labels: Array) -> None:
        self.graph.sources[0].set_arrays(data, labels)

    def bottom_diff(self, name: str) -> Array | None:
        return _array(self._engine.blobs[name].diff)

    def param_diff(self, layer: str, slot: int) -> Array:
        return _array(self._engine.params[_index(self.graph, layer, slot)].diff)


class Whole:
    """`WholeEngine`, twice: the net as it is, for its outputs; and with its outputs made losses, for gradients from any top diff."""

    def __init__(self, message: Any, *, channels_last: bool = False, half: torch.dtype | None = None) -> None:
        self._channels_last, self._half = channels_last, half
        self._plain = self._build(message)
        self.graph = self._plain.graph
        self._learner = self._build(with_losses(message, self.graph))
        self._leaves: dict[str, Tensor] = {}
        self._top_diffs: dict[str, Array] = {}

    def _build(self, message: Any) -> WholeEngine:
        graph, random = compile(message), CaffeRandom(SEED)
        arena = Arena(graph, device=DEVICE, channels_last=self._channels_last)
        initialise(graph, arena, random)
        return self._made(graph, arena, random)

    def _made(self, graph: Graph, arena: Arena, random: CaffeRandom) -> WholeEngine:
        return WholeEngine(graph, arena, random, channels_last=self._channels_last, half=self._half)

    def param(self, layer: str, slot: int) -> Array:
        index = _index(self.graph, layer, slot)
        return _array(self._plain.arena.data[index].reshape(self.graph.params[index].shape))

    def set_param(self, layer: str, slot: int, values: Array) -> None:
        for engine in (self._plain, self._learner):
            tensor = engine.arena.data[_index(engine.graph, layer, slot)]
            tensor.detach().copy_(torch.from_numpy(values).reshape(tensor.shape))

    def copy_from(self, weights: Path) -> None:
        for engine in (self._plain, self._learner):
            copy_trained_layers(engine.graph, engine.arena, str(weights))

    def forward(self, inputs: Arrays) -> float:
        return float(self._plain.forward(self._feeds(inputs)))

    def blob(self, name: str) -> Array | None:
        found = [output.data for output in self._plain.outputs() if output.name == name]
        return _array(found[0]) if found else None

    def backward(self, inputs: Arrays, top_diffs: Arrays) -> None:
        self._top_diffs = dict(top_diffs)
        self._leaves = {name: self._leaf(tensor) for name, tensor in self._feeds(inputs).items()}
        weights = {weight_of(name): torch.from_numpy(array) for name, array in top_diffs.items()}
        for name, value in lossless(self.graph).items():
            weights.setdefault(weight_of(name), torch.zeros(self.graph.values[value].shape))
        self._learner.forward_backward({**self._leaves, **weights})

    def _leaf(self, tensor: Tensor) -> Tensor:
        """An input whose gradient will be asked for."""
        return tensor.clone().requires_grad_()

    def _feeds(self, inputs: Arrays) -> dict[str, Tensor]:
        """Zeros for what is not given, as in Caffe."""
        values = [self.graph.values[v] for v in self.graph.inputs]
        zeros = {value.name: torch.zeros(value.shape) for value in values if value.name not in inputs}
        return zeros | {name: torch.from_numpy(array) for name, array in inputs.items()}

    def clear_gradients(self) -> None:
        self._learner.clear_gradients()

    def set_arrays(self, data: Array, labels: Array) -> None:
        for engine in (self._plain, self._learner):
            engine.graph.sources[0].set_arrays(data, labels)

    def bottom_diff(self, name: str) -> Array | None:
        leaf = self._leaves[name]
        if leaf.grad is None:  # nobody reads it: its diff stays what was put there
            return self._top_diffs.get(name, np.zeros(leaf.shape, np.float32))
        return _array(leaf.grad)

    def param_diff(self, layer: str, slot: int) -> Array:
        index = _index(self.graph, layer, slot)
        tensor = self._learner.arena.data[index]
        found = self._gradient(index)
        gradient = torch.zeros_like(tensor) if found is None else found
        return _array(gradient.reshape(self.graph.params[index].shape))

    def _gradient(self, index: int) -> Tensor | None:
        return self._learner.arena.data[index].grad


class Captured(Whole):
    """`CapturedEngine` as it records on a GPU. Gradients of inputs are not asked for: in a training nobody does."""

    def _made(self, graph: Graph, arena: Arena, random: CaffeRandom) -> WholeEngine:
        return CapturedEngine(graph, arena, random, channels_last=self._channels_last, half=self._half)

    def obstacles(self) -> list[str]:
        """Why passes without and with gradients are not recorded as a whole; empty: they are."""
        engines = [engine for engine in (self._plain, self._learner) if isinstance(engine, CapturedEngine)]
        return [engine.apart if engine.partitions else engine.obstacle for engine in engines]

    def _leaf(self, tensor: Tensor) -> Tensor:
        return tensor.clone()

    def bottom_diff(self, name: str) -> Array | None:
        return None

    def _gradient(self, index: int) -> Tensor | None:
        place = self.graph.learnable.index(self.graph.params[index].owner)
        return self._learner.gradients()[place]


def lossless(graph: Graph) -> dict[str, int]:
    """Output blobs that are no losses and that a gradient can start from; from a loss of weight 0 none does, unless it is forced to."""
    makers = {value: node for node in graph.nodes for value in node.tops}
    return {
        graph.values[v].name: v
        for v in graph.outputs
        if not graph.loss_weight(v)
        and (makers[v].bottoms or makers[v].params)
        and makers[v].layer.gradients.backward
        and (makers[v].backward or not makers[v].layer.is_loss)
    }


def weight_of(blob: str) -> str:
    """Name of the input that weights an output's elements in the loss."""
    return f"{blob} (top diff)"


def with_losses(message: Any, graph: Graph) -> Any:
    """The net with a loss sum(weight * output) for each output, so that the gradient at an output is its weight."""
    weighted = caffe_pb2.NetParameter()
    weighted.CopyFrom(message)
    for blob, value in lossless(graph).items():
        weight, product = weight_of(blob), f"{blob} (product)"
        given = weighted.layer.add(name=weight, type="Input", top=[weight])
        given.input_param.shape.add(dim=graph.values[value].shape)
        weighted.layer.add(name=product, type="Eltwise", bottom=[blob, weight], top=[product], propagate_down=[True, False])
        weighted.layer[-1].eltwise_param.operation = caffe_pb2.EltwiseParameter.PROD
        weighted.layer.add(name=f"{blob} (sum)", type="Reduction", bottom=[product], top=[f"{blob} (sum)"], loss_weight=[1])
    return weighted


ENGINES: dict[str, Callable[[Any], Runner]] = {
    "layerwise": Layerwise,
    "whole": Whole,
    "whole, channels last": lambda message: Whole(message, channels_last=True),
}
if DEVICE.type == "cuda":
    ENGINES["captured"] = Captured
    ENGINES["captured, channels last"] = lambda message: Captured(message, channels_last=True)
