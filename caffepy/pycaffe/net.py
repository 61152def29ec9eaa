"""caffe.Net: a net whose every blob can be read, written and run through, forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn, SupportsIndex, overload

from caffepy import log
from caffepy.engine import debug_info
from caffepy.engine.arena import Arena
from caffepy.engine.engines import Setup, open_layerwise
from caffepy.engine.layerwise import Around, LayerwiseEngine
from caffepy.engine.one_call_engine import one_call_engine
from caffepy.engine.weights import copy_trained_layers, save, save_hdf5, stored_bytes, too_big
from caffepy.engine_names import TORCH
from caffepy.errors import PrototxtError, UsageError, WeightsError
from caffepy.layers.core.base import TRAIN
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import Definition
from caffepy.net.graph import Graph, Node
from caffepy.proto import caffe_pb2
from caffepy.proto.text import read_net
from caffepy.pycaffe import batches
from caffepy.pycaffe.arguments import (
    Path,
    chosen_engine,
    file_name,
    names,
    net_arguments,
    readable_file,
)
from caffepy.pycaffe.blob import Array
from caffepy.pycaffe.errors import WrongType
from caffepy.pycaffe.fork_passes import ForkPasses
from caffepy.pycaffe.state import state
from caffepy.scoring.testing import log_ignored_layers

Hook = Callable[[int], object]


class Net(ForkPasses):
    """A net for one phase.

    ``Net(network_file, phase, level=0, stages=None, weights=None)`` or, as in old scripts,
    ``Net(network_file, weights, phase)``. ``engine='onnxruntime'`` (or ``'openvino'``) behind
    either lets onnxruntime compute whole passes of a TEST net (see `OnnxRuntimeEngine`), and so
    does the environment variable ``CAFFEPY_ENGINE=onnxruntime`` for all TEST nets; where it cannot,
    a line in the log says why. ``'auto'`` takes the fastest engine by a trial.

    ``name``: that in the prototxt, until a script gives it another. ``blobs``: name →
    Blob. ``params``: layer name → list of Blob. ``layers``: every layer, the automatic Split ones
    included; of a Python layer the user's own object. Errors: CaffeError.
    """

    _moved: Callable[[Arena], None] | None = None

    @overload
    def __init__(
        self,
        network_file: Path,
        phase: int,
        level: int | None = 0,
        stages: Sequence[str] | None = None,
        weights: Path | None = None,
        *,
        engine: str | None = None,
    ) -> None: ...

    @overload
    def __init__(
        self, network_file: Path, weights: Path, phase: int, *, engine: str | None = None
    ) -> None: ...

    def __init__(self, network_file: Path, *args: object, **kwargs: object) -> None:
        engine = chosen_engine(kwargs)
        phase, level, stages, weights = net_arguments(network_file, args, kwargs)
        message, places = read_net(readable_file(network_file, PrototxtError))
        message.state.phase = caffe_pb2.TRAIN if phase == TRAIN else caffe_pb2.TEST
        message.state.level = level
        message.state.stage.extend(stages)
        trained = () if weights is None else (readable_file(weights, WeightsError),)
        setup = Setup(state.device, state.random, layerwise=_maker(engine))
        definition = Definition(message, places.where, file_name(network_file))
        net_engine = open_layerwise(definition, trained, setup=setup)
        debug_info.heed(net_engine)
        self._show(net_engine)

    @classmethod
    def of_engine(
        cls, engine: LayerwiseEngine, *, moved: Callable[[Arena], None] | None = None
    ) -> Net:
        """The net of a running solver.

        ``moved``: told when its parameters come to lie in another arena.
        """
        net = cls.__new__(cls)
        net._show(engine)
        net._moved = moved
        return net

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise WrongType(
            "a Net can be neither pickled nor copied; needed: Net.save, and another Net of"
            " the same prototxt"
        )

    def forward_all(self, blobs: Sequence[str] | None = None, **kwargs: Any) -> dict[str, Array]:
        """Run any number of items, batch by batch; see `batches.forward_all`."""
        self._match("Input blob arguments do not match net inputs", kwargs, self.inputs)
        return batches.forward_all(self, names("forward_all: blobs", blobs), kwargs)

    def forward_backward_all(
        self, blobs: Sequence[str] | None = None, diffs: Sequence[str] | None = None, **kwargs: Any
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """Run any number of items forward and backward.

        ``kwargs``: values of the inputs and diffs of the outputs.
        """
        inputs = {name: kwargs[name] for name in self.inputs if name in kwargs}
        tops = {name: kwargs[name] for name in self.outputs if name in kwargs}
        self._match("Arguments do not match net inputs and outputs", kwargs, [*inputs, *tops])
        return batches.forward_backward_all(
            self,
            names("forward_backward_all: blobs", blobs),
            names("forward_backward_all: diffs", diffs),
            inputs,
            tops,
        )

    def _batch(self, blobs: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Arrays of any number of items as batches of the net's size.

        The last one is filled up with zeros.
        """
        return batches.split(self, blobs)

    def reshape(self) -> None:
        """Carry the shapes of the input blobs through the net."""
        self._engine.reshape()

    def clear_param_diffs(self) -> None:
        """Zero the diffs of all parameters."""
        self._engine.clear_gradients()

    def copy_from(self, weights: Path) -> None:
        """Take the parameters of layers of the same names from a caffemodel (binary or HDF5).

        From a binary one also the diffs that it has.
        """
        self._engine.sync()
        self._engine.put_diffs(
            copy_trained_layers(self._graph, self._engine.arena, file_name(weights))
        )

    load_hdf5 = copy_from

    def save(self, path: Path) -> None:
        """Write the net and its parameters as a caffemodel."""
        self._engine.sync()
        if line := too_big(file_name(path), stored_bytes(self._graph), "Net.save_hdf5"):
            log.warning("net.cpp:0", line)
        save(file_name(path), self._graph, self._engine.arena)

    def save_hdf5(self, path: Path) -> None:
        """Write the parameters as HDF5."""
        self._engine.sync()
        save_hdf5(file_name(path), self._graph, self._engine.arena)

    def share_with(self, other: Net) -> None:
        """Use the parameters of ``other`` for the layers with the same names, from now on."""
        if not isinstance(other, Net):
            raise WrongType(f"share_with({other!r}); needed: a Net")
        log_ignored_layers(other._graph, self._graph)
        self._engine.share(other._engine.lend())
        if self._moved is not None:
            self._moved(self._engine.arena)

    def set_input_arrays(self, data: Array, labels: Array) -> None:
        """Feed the first layer, a MemoryData layer, from arrays (M, C, H, W) and (M,)."""
        source = self._graph.sources.get(0)
        if source is None or not hasattr(source, "set_arrays"):
            raise UsageError(
                "set_input_arrays may only be called if the first layer is a MemoryDataLayer"
            )
        source.set_arrays(data, labels)

    _set_input_arrays = set_input_arrays

    def before_forward(self, hook: Hook) -> None:
        """Call ``hook(number of the layer)`` before each layer's forward."""
        self._engine.on_forward = _hooked(self._engine.on_forward, hook, done=False)

    def after_forward(self, hook: Hook) -> None:
        """Call ``hook(number of the layer)`` after each layer's forward."""
        self._engine.on_forward = _hooked(self._engine.on_forward, hook, done=True)

    def before_backward(self, hook: Hook) -> None:
        """Call ``hook(number of the layer)`` before each layer's backward, of all layers."""
        self._engine.on_backward = _hooked(self._engine.on_backward, hook, done=False)

    def after_backward(self, hook: Hook) -> None:
        """Call ``hook(number of the layer)`` after each layer's backward, of all layers."""
        self._engine.on_backward = _hooked(self._engine.on_backward, hook, done=True)


def _hooked(earlier: Around | None, hook: Hook, *, done: bool) -> Around:
    """What calls the hooks that there were, and ``hook``."""
    if not callable(hook):
        raise WrongType(
            f"{hook!r} cannot be called; needed: a function that takes the number of a layer"
        )

    def around(node: Node, over: bool) -> None:
        if earlier is not None:
            earlier(node, over)
        if over == done:
            hook(node.index)

    return around


def _maker(kind: str) -> Callable[[Graph, Arena, CaffeRandom], LayerwiseEngine]:
    """Makes the engine of this kind."""
    if kind == TORCH:
        return one_call_engine
    from caffepy.onnx.choice import net_engine  # who has no use for it does not wait for it

    return partial(net_engine, name=kind)
