"""Blobs of made-up values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, at_least, exactly
from caffepy.layers.core.fillers import fill
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches
from caffepy.proto import caffe_pb2

if TYPE_CHECKING:
    from caffepy.layers.core.random import CaffeRandom


@register_layer("DummyData")
class DummyDataLayer(Layer):
    """Tops that fillers fill.  Caffe type ``DummyData``.

    Bottom: none.
    Top:    one or more, of the shapes given. Those with a constant filler are filled once, so a
            program may write other values and shapes to them, as to those of an Input layer. All
            others are filled anew in every pass.
    Params: none
    Proto:  dummy_data_param { data_filler (none: 0; one for all tops; or one for each), shape |
            num, channels, height, width }
    Differs from torch: the values come from Caffe's own random stream.
    Source: BVLC Caffe, dummy_data_layer
    """

    bottoms = exactly(0)
    tops = at_least(1)
    batches = Batches(divisible=False)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shapes that the prototxt gives."""
        p = self.param.dummy_data_param
        tops = self.top_count
        legacy = [list(getattr(p, name)) for name in ("num", "channels", "height", "width")]
        if p.shape and any(legacy):
            raise self.fail(
                "shape and num, channels, height, width are both given; needed: one or the other"
            )
        shapes: list[Shape]
        if p.shape:
            shapes = [tuple(shape.dim) for shape in p.shape]
        else:
            for name, values in zip(("num", "channels", "height", "width"), legacy):
                if len(values) not in (1, tops):
                    raise self.fail(
                        f"{name} is given {len(values)} times for {tops} tops; needed: once,"
                        " or once for each top (or shape)"
                    )
            each = [values if len(values) == tops else values * tops for values in legacy]
            shapes = list(zip(*each))
        fillers = p.data_filler
        for what, times in (("shape", len(shapes)), ("data_filler", len(fillers))):
            if times not in (1, tops) and (times or what == "shape"):
                raise self.fail(
                    f"{what} is given {times} times for {tops} tops; needed: once,"
                    " or once for each top"
                )
        if any(n < 0 for shape in shapes for n in shape):
            raise self.fail(
                f"shape has the negative dim {min(min(shape) for shape in shapes if shape)};"
                " needed: 0 or more"
            )
        self.shapes = tuple(shapes) if len(shapes) == tops else tuple(shapes) * tops
        given = list(fillers) or [caffe_pb2.FillerParameter(type="constant")]
        self.fillers = given if len(given) == tops else given * tops
        constant = tuple(i for i, filler in enumerate(self.fillers) if filler.type == "constant")
        self.draws = len(constant) < len(self.fillers)
        self.memory = replace(self.memory, filled_once=constant)
        self.device = replace(self.device, on_host=self.draws, constant=not self.draws)
        return self.shapes

    def fill_top(self, i: int, random: CaffeRandom) -> Tensor:
        """The values that the filler of top ``i`` draws."""
        top = torch.empty(self.shapes[i])
        fill(top, self.fillers[i], random)
        return top

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """CPU tensors; the constant ones are kept in the node's state."""
        tops = []
        for i, filler in enumerate(self.fillers):
            key = f"top{i}"
            top = run.state.get(key)
            if top is None:
                top = self.fill_top(i, run.random)
                if filler.type == "constant":
                    run.state[key] = top
            tops.append(top)
        return tuple(tops)
