"""The engine of a caffe.Net whose whole passes onnxruntime or OpenVINO computes.

Every blob can be looked at as in any other net.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.blob import AwaitedBlob, Blob
from caffepy.engine.layer_step import LayerStep
from caffepy.engine.layerwise import Around, LayerwiseEngine
from caffepy.engine.predictions import fed
from caffepy.engine.watched_blob import WatchedBlob
from caffepy.engine_names import ONNXRUNTIME
from caffepy.layers.core.base import Shape
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.graph import Graph
from caffepy.onnx.onnxruntime_layer import (
    OnnxRuntimeLayer,
    with_runtime,
)


class OnnxRuntimeEngine(LayerwiseEngine):
    """Runs whole forward passes by onnxruntime or OpenVINO, and layer by layer what remains.

    That is: parts of passes, backward, and nets with hooks. After a whole pass the outputs are
    there. The other blobs of that pass are computed layer by layer when somebody looks at one.
    ``runtime``: which of them. It has a copy of the parameters, which is made anew after these were
    changed in any way.
    """

    def __init__(
        self, graph: Graph, arena: Arena, random: CaffeRandom, runtime: str = ONNXRUNTIME
    ) -> None:
        # of the last whole pass, as long as blobs of it may have to be computed
        self._inputs: list[tuple[Blob, Tensor]] | None = None
        shown = with_runtime(graph, arena, runtime)
        self._awaited = {value.name for value in graph.values}
        for node in shown.nodes:
            self._awaited.difference_update(shown.values[value].name for value in node.tops)
        super().__init__(graph, arena, random)
        self._short = LayerwiseEngine(shown, arena, random, beside=self)
        self._layer = next(
            node.layer for node in shown.nodes if isinstance(node.layer, OnnxRuntimeLayer)
        )
        self._given = [
            self.blob(value) for node in graph.nodes if fed(graph, node) for value in node.tops
        ]
        computed = [node for node in shown.nodes if not fed(shown, node)]
        kept = [self.blob(value) for node in computed for value in node.tops]
        self._kept = list({id(blob): blob for blob in kept}.values())
        self._computing = [node.index for node in graph.nodes if node.tops and not fed(graph, node)]
        self._lent = self._unsure = False
        self._sums = {index: blob.checksum() for index, blob in self._parameters()}

    def _new_blob(self, name: str, shape: Shape) -> Blob:
        blob = super()._new_blob(name, shape)
        if name in self._awaited and name in self.blobs and not isinstance(blob, AwaitedBlob):
            blob = self.blobs[name] = AwaitedBlob(blob.data, self.catch_up, self._is_due)
        return blob

    def forward(
        self, start: int = 0, end: int | None = None, *, around: Around | None = None
    ) -> float:
        whole = start == 0 and end in (None, len(self.graph.nodes) - 1)
        if not whole or around or self.on_forward:
            self.catch_up()
            return super().forward(start, end, around=around)
        self._inputs = None
        self.reshape()
        if self._changed():
            self._layer.forget()
        loss = self._short.forward()
        self._inputs = [(blob, blob.data.clone()) for blob in self._given]
        return loss

    def _is_due(self) -> bool:
        """Whether blobs of the last whole pass are still to be computed."""
        return self._inputs is not None

    def catch_up(self) -> None:
        """Compute all blobs of the last whole pass, from the inputs that it had.

        The blobs that it gave, and the inputs, stay as they are.
        """
        if self._inputs is None:
            return
        inputs = self._inputs
        self._inputs = None
        present = [(blob, blob.data) for blob in self._given]
        given = [(blob, blob.data.clone()) for blob in self._kept]
        try:
            for blob, values in inputs:
                blob.data = values
            self._run([self._steps[index] for index in self._computing])
        finally:
            for blob, values in present:
                blob.data = values
            for blob, values in given:
                blob.take(values)

    def backward(
        self,
        start: int | None = None,
        end: int = 0,
        *,
        around: Around | None = None,
        instead: Callable[[LayerStep], bool] | None = None,
    ) -> None:
        self.catch_up()
        super().backward(start, end, around=around, instead=instead)

    def reshape(self) -> None:
        """What blobs of the last pass were not computed yet is lost with their shapes."""
        if any(self.blob(v).shape != self.graph.values[v].shape for v in self._shaped_outside):
            self._inputs = None
            super().reshape()

    def use(self, arena: Arena) -> None:
        super().use(arena)
        self._short.use(arena)
        self._layer.forget(arena)

    def sync(self) -> None:
        """The caller may be about to change the parameters."""
        self._unsure = True

    def lend(self) -> Arena:
        """From now on the parameters may change at any time."""
        self._lent = True
        return super().lend()

    def _new_param(self, data: Tensor) -> Blob:
        return WatchedBlob(data)

    def _parameters(self) -> Iterator[tuple[int, WatchedBlob]]:
        return (
            (index, blob) for index, blob in self._owners.items() if isinstance(blob, WatchedBlob)
        )

    def _changed(self) -> bool:
        """Whether parameters have changed since the last call.

        Only those are compared to which somebody has access.
        """
        everything = self._unsure or self._lent
        self._unsure = False
        sums = {
            index: blob.checksum()
            for index, blob in self._parameters()
            if everything or index in self.arena.borrowed or blob.may_have_changed()
        }
        changed = any(self._sums[index] != value for index, value in sums.items())
        self._sums.update(sums)
        return changed
