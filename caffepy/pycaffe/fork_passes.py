"""Passes of a caffe.Net that forks' pycaffes have.

They start from a layer in the middle, rectify gradients, or take no arguments.

``backward_from_layer``, ``deconv`` and ``deconv_from_layer`` are those of the Deep Visualization
Toolbox's Caffe (yosinski/caffe, branch deconv-deep-vis-toolbox; ``deconv_type`` from those who went
on with it), ``forward_simple`` and ``backward_simple`` of caffe-fr-chairs (branch deepsim).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from caffepy.engine.layer_step import LayerStep
from caffepy.layers.neuron.relu import ReLULayer
from caffepy.pycaffe.blob import Array
from caffepy.pycaffe.errors import WrongValue
from caffepy.pycaffe.net_passes import NetPasses

ZEILER = "Zeiler & Fergus"
GUIDED = "Guided Backprop"


class ForkPasses(NetPasses):
    """Caffe's own passes, and these."""

    def forward_simple(self) -> None:
        """Run all layers forward, without arguments or results."""
        self._forward(0, len(self.layers) - 1)

    def backward_simple(self) -> None:
        """Run all layers backward, from the diffs that are there."""
        self._backward(len(self.layers) - 1, 0)

    def backward_from_layer(
        self,
        start_name: str,
        start_diff: Array,
        diffs: Sequence[str] | None = None,
        zero_higher: bool = False,
    ) -> dict[str, Array]:
        """Run backward from a layer, the diff of the blob of its name being ``start_diff``.

        ``zero_higher``: the blobs behind get zeros, their true gradient, and do not keep what they
        have. Returns name → diff (live views) of the inputs and of ``diffs``.
        """
        _put(self, start_name, start_diff, zero_higher=zero_higher)
        return self.backward(diffs, start=start_name)

    def deconv(
        self,
        diffs: Sequence[str] | None = None,
        start: str | None = None,
        end: str | None = None,
        deconv_type: str = ZEILER,
        **kwargs: Any,
    ) -> dict[str, Array]:
        """`Net.backward`, but ReLU layers pass on the positive part of a gradient.

        This is done whatever their bottoms were (Zeiler and Fergus 2013).

        With ``deconv_type`` "Guided Backprop" only where their bottoms were positive too
        (Springenberg et al. 2014).
        """
        if deconv_type not in (ZEILER, GUIDED):
            raise WrongValue(f"deconv_type is {deconv_type!r}; needed: {ZEILER!r} or {GUIDED!r}")
        passes = partial(self._engine.backward, instead=_rectified(guided=deconv_type == GUIDED))
        return self._run_backward(passes, diffs, start, end, kwargs)

    def deconv_from_layer(
        self,
        start_name: str,
        start_diff: Array,
        diffs: Sequence[str] | None = None,
        zero_higher: bool = False,
        deconv_type: str = ZEILER,
    ) -> dict[str, Array]:
        """`deconv` from a layer, as `backward_from_layer`."""
        _put(self, start_name, start_diff, zero_higher=zero_higher)
        return self.deconv(diffs, start_name, deconv_type=deconv_type)


def _put(net: NetPasses, start: str, diff: Array, *, zero_higher: bool) -> None:
    """Let the blob of this name have this diff."""
    blob = net.blobs[start]
    if np.shape(diff) != tuple(blob.diff.shape):
        raise WrongValue(
            f"start_diff has shape {np.shape(diff)}; needed: {tuple(blob.diff.shape)}, as"
            f" blob '{start}'"
        )
    blob.diff[...] = diff
    names = list(net.blobs)
    for name in names[names.index(start) + 1 :] if zero_higher else ():
        net.blobs[name].diff[...] = 0


def _rectified(*, guided: bool) -> Callable[[LayerStep], bool]:
    """What a ReLU layer does in place of its backward; others do theirs."""

    def instead(step: LayerStep) -> bool:
        if not isinstance(step.node.layer, ReLULayer):
            return False
        (top,) = step.tops
        (bottom,) = step.bottoms
        diff = top.diff.clamp(min=0)
        bottom.diff.copy_(torch.where(bottom.data > 0, diff, 0) if guided else diff)
        return True

    return instead
