"""Passes of a caffe.Net, whole or from one layer to another.

The call may bring values for the inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from caffepy import log
from caffepy.pycaffe.arguments import fill, names
from caffepy.pycaffe.blob import Array
from caffepy.pycaffe.errors import WrongValue
from caffepy.pycaffe.net_parts import NetParts


class NetPasses(NetParts):
    """The net that an engine runs, forward and backward."""

    def _check_order(self, lower: int, upper: int) -> None:
        """Warn of a pass between two layers that runs none, as in Caffe."""
        if lower > upper >= 0:
            behind = self._layer_names[lower]
            before = self._layer_names[upper]
            need = "forward a start before the end, backward one behind it"
            log.warning(
                "net.cpp:0",
                f"layer '{behind}' comes behind '{before}': no layer is run; needed: {need}",
            )

    def forward(
        self,
        blobs: Sequence[str] | None = None,
        start: str | None = None,
        end: str | None = None,
        **kwargs: Any,
    ) -> dict[str, Array]:
        """Run the layers ``start`` to ``end`` (names, inclusive; default: all).

        ``kwargs``: values of every input blob.

        Returns name → values (live views) of the outputs, or of the tops of ``end``, and of
        ``blobs``.
        """
        first = 0 if start is None else self._number(start)
        last = len(self.layers) - 1 if end is None else self._number(end)
        shown = self.outputs if end is None else self.top_names[end]
        if kwargs:
            self._match("Input blob arguments do not match net inputs", kwargs, self.inputs)
            for name, array in kwargs.items():
                fill("Input", name, self.blobs[name].data, array)
        self._check_order(first, last)
        shown = [*shown, *names("forward: blobs", blobs)]
        self._forward(first, last)
        return {name: self.blobs[name].data for name in shown}

    def backward(
        self,
        diffs: Sequence[str] | None = None,
        start: str | None = None,
        end: str | None = None,
        **kwargs: Any,
    ) -> dict[str, Array]:
        """Run backward from layer ``start`` (default: the last) down to ``end``.

        ``kwargs``: diffs of every output blob.

        With ``start``, its tops may be given instead. Returns name → diff (live views) of the
        inputs, or of the bottoms of ``end``, and of ``diffs``.
        """
        return self._run_backward(self._backward, diffs, start, end, kwargs)

    def _run_backward(
        self,
        run: Callable[[int, int], None],
        diffs: Sequence[str] | None,
        start: str | None,
        end: str | None,
        kwargs: dict[str, Any],
    ) -> dict[str, Array]:
        """`backward` by ``run(number of the start, number of the end)``."""
        first = len(self.layers) - 1 if start is None else self._number(start)
        last = 0 if end is None else self._number(end)
        shown = self.inputs if end is None else self.bottom_names[end]
        if kwargs:
            needed = self.outputs
            if start is not None and set(kwargs) == set(self.top_names[start]):
                needed = self.top_names[start]
            self._match("Top diff arguments do not match net outputs", kwargs, needed)
            for name, array in kwargs.items():
                fill("Diff", name, self.blobs[name].diff, array)
        self._check_order(last, first)
        shown = [*shown, *names("backward: diffs", diffs)]
        run(first, last)
        return {name: self.blobs[name].diff for name in shown}

    def _forward(self, start: int, end: int) -> float:
        return self._engine.forward(start, end)

    def _backward(self, start: int, end: int) -> None:
        self._engine.backward(start, end)

    def _match(self, what: str, given: Iterable[str], needed: Iterable[str]) -> None:
        if set(given) != set(needed):
            raise WrongValue(f"{what}: {sorted(given)}; needed: {sorted(needed)}")
