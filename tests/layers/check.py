"""What every layer has to hold to, in one function: `check_layer`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.weights import copy_trained_layers, save, save_hdf5
from caffepy.errors import LayerError
from caffepy.layers.core.base import Layer, Run, Shape
from caffepy.layers.core.random import CaffeRandom
from caffepy.layers.core.registry import LAYERS, layer_class
from caffepy.net import AUTOMATIC, compile
from caffepy.net.graph import Graph, Node
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from tests.golden.engines import DEVICE, ENGINES, SEED, Array, Layerwise, Runner, lossless, weight_of, with_losses
from tests.golden.recorded import difference

TRAIN, TEST = 0, 1
Bottom = Tensor | Sequence[float] | Shape
"""Values, or (a tuple of integers) the shape of random ones."""


@dataclass(frozen=True)
class Subject:
    """A net of Input layers and the one layer under test, its parameters filled."""

    message: Any
    graph: Graph
    arena: Arena
    inputs: Mapping[str, Tensor]

    @property
    def node(self) -> Node:
        """The layer under test."""
        return self.graph.nodes[-1]

    @property
    def layer(self) -> Layer:
        """Its object."""
        return self.node.layer

    def bottoms(self, dtype: torch.dtype = torch.float32) -> list[Tensor]:
        """Copies of its bottoms."""
        return [self.inputs[self.graph.values[v].name].to(dtype, copy=True) for v in self.node.bottoms]

    def blobs(self, dtype: torch.dtype = torch.float32) -> list[Tensor]:
        """Copies of its parameters."""
        return [blob.detach().to(dtype, copy=True) for blob in self.arena.blobs(self.node)]

    def run(self, *, inplace: bool = False, second_free: bool = False) -> Run:
        """A pass with the same draws every time."""
        return Run(self.graph.phase, CaffeRandom(SEED), inplace=inplace, second_free=second_free)

    def forward(self) -> tuple[Tensor, ...]:
        """The tops, in float32."""
        with torch.no_grad():
            return tuple(self.layer.forward(self.bottoms(), self.blobs(), self.run()))

    def prepared(self) -> tuple[Tensor, ...]:
        """The tops as by the engines, which have the layer made ready for the shapes."""
        bottoms = self.bottoms()
        with torch.no_grad():
            return tuple(self.layer.prepared([tuple(x.shape) for x in bottoms])(bottoms, self.blobs(), self.run()))


def values(bottom: Bottom, seed: int = 0) -> Tensor:
    """A float32 tensor; random values are normal."""
    if isinstance(bottom, Tensor):
        return bottom.float()
    if isinstance(bottom, tuple) and all(isinstance(n, int) for n in bottom):
        return torch.randn(bottom, generator=torch.Generator().manual_seed(seed))
    return torch.tensor(bottom, dtype=torch.float32)


def subject(text: str, *, phase: int = TRAIN, **bottoms: Bottom) -> Subject:
    """The layer written in ``text``. Bottoms that can have a gradient come from Parameter layers, others from Input layers."""
    inputs = {name: values(bottom, seed) for seed, (name, bottom) in enumerate(bottoms.items())}
    written = caffe_pb2.NetParameter()
    parse(text, written, file="net.prototxt")
    message = caffe_pb2.NetParameter()
    learned = _learned(written.layer[0], phase)
    for name, tensor in inputs.items():
        given = message.layer.add(name=name, type="Parameter" if name in learned else "Input", top=[name])
        if name in learned:
            given.parameter_param.shape.dim.extend(tensor.shape)
        else:
            given.input_param.shape.add(dim=tensor.shape)
    message.layer.extend(written.layer)
    message.state.phase = phase
    graph = compile(message)
    arena = Arena(graph)
    initialise(graph, arena, CaffeRandom(SEED))
    return Subject(message, graph, arena, inputs)


def _learned(param: Any, phase: int) -> list[str]:
    """The bottoms that gradients go to."""
    layer = layer_class(param.type)(param, phase)
    if not layer.gradients.backward:
        return []
    without = {*layer.gradients.refused, *layer.gradients.unforced}
    return [name for i, name in enumerate(param.bottom) if i not in without]


def tops(text: str, *, phase: int = TRAIN, **bottoms: Bottom) -> tuple[Tensor, ...]:
    """What the layer makes of these bottoms."""
    return subject(text, phase=phase, **bottoms).forward()


def gradients(text: str, top_diff: Bottom | None = None, *, phase: int = TRAIN, **bottoms: Bottom) -> list[Tensor]:
    """Gradient of each bottom that has one and then of each parameter, from ``top_diff`` (ones if it is not given)."""
    it = subject(text, phase=phase, **bottoms)
    inputs, made = _connected(it, torch.float32)
    start = torch.ones_like(made[0]) if top_diff is None else values(top_diff).reshape(made[0].shape)
    return list(torch.autograd.grad(made[0], inputs, start, allow_unused=True, materialize_grads=True))


def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the layers look at no values on the CPU either, as if it were a GPU."""
    tuple(LAYERS.values())  # imports all: one imported later would keep what is set here
    for name, module in list(sys.modules.items()):
        if name.startswith("caffepy.layers.") and hasattr(module, "is_readable"):
            monkeypatch.setattr(module, "is_readable", lambda x: False)


def refusal(text: str, *, phase: int = TRAIN, **bottoms: Bottom) -> str:
    """The error that this layer gives when it is built or run."""

    def attempt() -> None:
        tops(text, phase=phase, **bottoms)

    with pytest.raises(LayerError) as refused:
        attempt()
    return str(refused.value)


def check_layer(text: str, *, phase: int = TRAIN, no_gradcheck: str = "", **bottoms: Bottom) -> Subject:
    """Hold the layer to everything that all layers promise.

    ``no_gradcheck``: why its gradient is not that of its forward (layers that hand none on need no reason).
    """
    it = subject(text, phase=phase, **bottoms)
    check_counts(it)
    check_shapes(it)
    check_needs_no_host(it)
    check_overwriting(it)
    check_memory(it)
    if (it.node.bottoms or it.node.params) and it.layer.gradients.backward and not no_gradcheck:
        check_gradient(it)
    if it.layer.precision.takes_16_bits:
        check_half(it)
    check_saving(it)
    check_engines(it)
    check_follower(text, phase, bottoms)
    return it


def check_counts(it: Subject) -> None:
    """The layer in hand has as many bottoms and tops as its class says, and one less or more is refused."""
    bottoms, found = len(it.node.bottoms), len(it.node.tops)
    it.layer.check_counts(bottoms, found)
    for count, other in ((it.layer.bottoms, lambda n: (n, found)), (it.layer.tops, lambda n: (bottoms, n))):
        for wrong in (count.least - 1, *(() if count.most is None else (count.most + 1,))):
            if wrong >= 0:
                with pytest.raises(LayerError, match=rf"takes .* blob\(s\), {wrong} given"):
                    it.layer.check_counts(*other(wrong))


def check_shapes(it: Subject) -> None:
    """The shape rule and the real tops agree, in single and double precision, and so do the tops' types."""
    wanted = [it.graph.values[v].shape for v in it.node.tops]
    for dtype in (torch.float32, torch.float64):
        made = it.layer.forward(it.bottoms(dtype), it.blobs(dtype), it.run())
        assert [tuple(top.shape) for top in made] == wanted
        if dtype == torch.float32:
            assert [top.dtype for top in made] == [torch.float32] * len(wanted)


def check_needs_no_host(it: Subject) -> None:
    """Forward and backward look at no value, so that nothing has to wait for a GPU (meta tensors have no values)."""
    if it.layer.device.on_host:
        return

    def meta(tensors: Sequence[Tensor]) -> list[Tensor]:
        return [t.to("meta").requires_grad_(t.requires_grad) for t in tensors]

    _, plain = _connected(it, torch.float32)
    bottoms, blobs = meta(it.bottoms()), meta(it.blobs())
    leaves = [t.requires_grad_() for t, wanted in zip(bottoms + blobs, _wanted(it)) if wanted]
    made = [top for top in it.layer.forward(bottoms, blobs, it.run()) if top.requires_grad]
    assert len(made) == len(plain)
    if made:
        torch.autograd.grad(made, leaves, [torch.ones_like(top) for top in made], allow_unused=True)


def check_overwriting(it: Subject) -> None:
    """Where the engine allows the layer to overwrite a bottom, tops and gradients stay the same."""
    inputs, plain = _connected(it, torch.float32)
    wanted = _from_ones(plain, inputs)
    for flags in ({"inplace": True}, {"second_free": True}):
        inputs, made = _connected(it, torch.float32, **flags)
        for top, other in zip(made, plain, strict=True):
            torch.testing.assert_close(top, other, equal_nan=True)
        for gradient, other in zip(_from_ones(made, inputs), wanted, strict=True):
            torch.testing.assert_close(gradient, other, equal_nan=True)


def check_memory(it: Subject) -> None:
    """A top lies in memory of its own, unless the layer says that it may not: the next layer may overwrite it."""
    bottoms, blobs = it.bottoms(), it.blobs()
    taken = {x.untyped_storage().data_ptr() for x in (*bottoms, *blobs) if x.numel()}
    with torch.no_grad():
        made = it.layer.prepared([tuple(x.shape) for x in bottoms])(bottoms, blobs, it.run())
    for top in made:
        assert it.layer.memory.aliases_bottom or top.untyped_storage().data_ptr() not in taken
        if top.numel():
            taken.add(top.untyped_storage().data_ptr())


def check_gradient(it: Subject) -> None:
    """Backward is the derivative of forward, by differences in float64."""
    inputs, made = _connected(it, torch.float64)
    assert made, "the layer hands no gradient on"
    assert torch.autograd.gradcheck(_function(it, torch.float64), inputs, atol=1e-6)


def check_half(it: Subject) -> None:
    """With 16-bit bottoms it computes what it does with float32 ones of the same values, to rounding; places stay float32."""
    for short in (torch.float16, torch.bfloat16):
        rounded = [x.to(short) for x in it.bottoms()]
        made = []
        for dtype in (torch.float32, short):
            leaves = [x.to(dtype).requires_grad_(w) for x, w in zip(rounded, _wanted(it))]
            found = it.layer.prepared([tuple(x.shape) for x in leaves])([x * 1 for x in leaves], it.blobs(), it.run())
            differentiable = [top for top in found if top.requires_grad]
            if differentiable:
                torch.autograd.backward(differentiable, [torch.ones_like(top) for top in differentiable])
            made.append([*found, *(x.grad for x in leaves if x.grad is not None)])
        for ours, plain in zip(made[1], made[0], strict=True):
            assert ours.dtype in (short, torch.float32)
            rough = 0.02 if ours.dtype == short else 0
            torch.testing.assert_close(ours.float(), plain, rtol=rough, atol=rough, equal_nan=True)


def check_saving(it: Subject) -> None:
    """Parameters come back from a caffemodel and from HDF5 as they were."""
    if not it.node.params:
        return
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for blob in it.arena.data:
            blob.copy_(torch.randn(blob.shape, generator=generator))
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("it.caffemodel", save), ("it.caffemodel.h5", save_hdf5)):
            path = str(Path(folder, name))
            write(path, it.graph, it.arena)
            loaded = Arena(it.graph)
            copy_trained_layers(it.graph, loaded, path)
            for ours, theirs in zip(loaded.data, it.arena.data, strict=True):
                assert torch.equal(ours, theirs)


def check_engines(it: Subject) -> None:
    """Both engines, one of them also with the channels last, give the same tops, gradients and parameters over two passes.

    On a GPU so does the one that records, but each has draws of its own.
    """
    if DEVICE.type == "cuda" and any(getattr(node.layer, "draws", False) for node in it.graph.nodes):
        return
    reference: Runner = Layerwise(with_losses(it.message, it.graph))
    runners = {name: engine(it.message) for name, engine in ENGINES.items() if engine is not Layerwise}
    given = {it.graph.values[v].name: it.inputs[it.graph.values[v].name].numpy() for v in it.graph.inputs}
    params = [(param.layer, param.slot) for param in it.graph.params]
    for runner in (reference, *runners.values()):
        for name, _ in params:
            if name in it.inputs:
                runner.set_param(name, 0, it.inputs[name].numpy())
    tops = [name for v in it.node.tops if (name := it.graph.values[v].name) != AUTOMATIC]
    generator = torch.Generator().manual_seed(9)
    for _ in range(2):
        diffs = {name: torch.randn(it.graph.values[v].shape, generator=generator).numpy() for name, v in lossless(it.graph).items()}
        reference.forward(given | {weight_of(name): diff for name, diff in diffs.items()})
        reference.backward({}, {})
        for name, runner in runners.items():
            runner.forward(given)
            runner.backward(given, diffs)
            for blob in tops:
                check_equal(runner.blob(blob), reference.blob(blob), (name, blob))
            for place in params:
                check_equal(runner.param(*place), reference.param(*place), (name, *place))
                check_equal(runner.param_diff(*place), reference.param_diff(*place), (name, *place))


def check_follower(text: str, phase: int, bottoms: Mapping[str, Bottom]) -> None:
    """A layer that works in place on the first top disturbs no gradient."""
    it = subject(text, phase=phase, **bottoms)
    if it.node.tops and not any(it.node.loss_weights):
        top = it.graph.values[it.node.tops[0]].name
        follower = f'layer {{ name: "follower" type: "ReLU" bottom: "{top}" top: "{top}" relu_param {{ negative_slope: 0.5 }} }}'
        check_engines(subject(f"{text} {follower}", phase=phase, **bottoms))


def check_equal(found: Array | None, wanted: Array | None, what: object) -> None:
    """Equal to rounding, beside the largest of them: sums of many terms may cancel."""
    assert found is not None, what
    assert wanted is not None, what
    finite = wanted[np.isfinite(wanted)]
    scale = np.float32(max(1.0, float(np.abs(finite).max(initial=0))))
    assert difference(found / scale, wanted / scale) == "", what


def _wanted(it: Subject) -> list[bool]:
    """For each bottom and then each parameter, whether it gets a gradient."""
    learned = _learned(it.layer.param, it.graph.phase)
    return [*(name in learned for name in it.layer.param.bottom), *it.node.param_gradients]


def _function(it: Subject, dtype: torch.dtype, **flags: bool) -> Callable[..., tuple[Tensor, ...]]:
    """The layer as a function of those bottoms and parameters that get gradients."""
    wanted, count = _wanted(it), len(it.node.bottoms)

    def function(*inputs: Tensor) -> tuple[Tensor, ...]:
        rest = iter(inputs)
        every = [next(rest) * 1 if w else t for t, w in zip(it.bottoms(dtype) + it.blobs(dtype), wanted)]
        made = it.layer.forward(every[:count], every[count:], it.run(**flags))
        return tuple(top for top in made if top.requires_grad)

    return function


def _connected(it: Subject, dtype: torch.dtype, **flags: bool) -> tuple[list[Tensor], tuple[Tensor, ...]]:
    """Leaves, and the tops that depend on them."""
    leaves = [t.requires_grad_() for t, w in zip(it.bottoms(dtype) + it.blobs(dtype), _wanted(it)) if w]
    return leaves, _function(it, dtype, **flags)(*leaves) if leaves else ()


def _from_ones(made: Sequence[Tensor], inputs: Sequence[Tensor]) -> list[Tensor]:
    if not made:
        return []
    return list(torch.autograd.grad(made, inputs, [torch.ones_like(top) for top in made], allow_unused=True, materialize_grads=True))
