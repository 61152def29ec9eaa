"""A net that grows by one random layer after the other, each kept if caffepy can build it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from caffepy.errors import CaffeError
from caffepy.net import compile
from caffepy.net.graph import Graph
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse

Array = NDArray[np.float32]
Shape = tuple[int, ...]
BATCHES = 3
"""In the file of data, so that no iteration repeats the one before."""
MOST_ELEMENTS = 20_000
SAFE = (
    "Convolution",
    "Deconvolution",
    "InnerProduct",
    "Pooling",
    "Eltwise",
    "BatchNorm",
    "Scale",
    "Bias",
    "Dropout",
    "Crop",
    "Tile",
)
"""Types whose top the real Caffe may overwrite in place: their backward does not read it, and no other blob lies there."""
SHARED = ("Convolution", "InnerProduct", "Deconvolution", "Scale", "Bias", "PReLU")
FILLERS = (
    'type: "gaussian" std: 0.3',
    'type: "uniform" min: -0.5 max: 0.5',
    'type: "xavier"',
    'type: "xavier" variance_norm: FAN_OUT',
    'type: "msra"',
    'type: "msra" variance_norm: AVERAGE',
    'type: "gaussian" std: 0.5 mean: 0.1',
    'type: "gaussian" std: 0.4 sparse: 2',
    'type: "positive_unitball"',
    'type: "constant" value: 0.3',
)


@dataclass
class Case:
    """A net and a solver as files, and what they are made of.  ``floats``: the fed blobs whose values may change a little."""

    net: str
    solver: str
    fed: dict[str, Array]
    floats: list[str]
    types: list[str]
    bvlc: bool
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Nets that end with a layer that caffepy would not have, and what it said; the net is without these layers."""

    def write(self, folder: Path) -> None:
        """Files ``net``, ``solver``, ``data.h5`` and ``list``."""
        (folder / "net").write_text(self.net)
        (folder / "solver").write_text(self.solver)
        (folder / "list").write_text("data.h5\n")
        write_data(folder / "data.h5", self.fed)


def write_data(path: Path, fed: dict[str, Array]) -> None:
    """The HDF5 file that a net's data layer reads."""
    with h5py.File(path, "w") as file:
        for name, values in fed.items():
            file[name] = values


class Builder:
    """The net so far.  ``shapes``: of the blobs that are there; ``free``: those that nobody reads yet;
    ``ends``: type, bottoms, fields, number of tops of layers that come last.  ``items``: of a batch; 0: any."""

    def __init__(self, seed: int, *, bvlc: bool, items: int = 0) -> None:
        self.rng, self.bvlc = random.Random(seed), bvlc
        self.values = np.random.default_rng(seed)
        self.fed_floats: list[str] = []
        self.n = items or self.rng.choice((1, 2, 2, 3, 4))
        self.fed: dict[str, Array] = {}
        self.floats: set[str] = set()
        self.shapes: dict[str, Shape] = {}
        self.makers: dict[str, str] = {}
        self.free: list[str] = []
        self.texts: list[str] = []
        self.types: list[str] = []
        self.refused: list[tuple[str, str]] = []
        self.ends: list[tuple[str, list[str], str, int]] = []
        self.head = f'name: "net {seed}" {"force_backward: true" if self.chance(0.1) else ""}'
        self.named: list[tuple[str, str, str]] = []
        self._message = caffe_pb2.NetParameter()
        self.feed_floats(self.picture())

    # numbers

    def chance(self, share: float) -> bool:
        """True so often."""
        return self.rng.random() < share

    def number(self, low: float, high: float) -> float:
        """A number of few digits, which text holds exactly."""
        return round(self.rng.uniform(low, high), 3)

    def picture(self) -> Shape:
        """(N, C, H, W), also with sizes of 1."""
        return (self.n, self.rng.choice((1, 2, 3, 4, 6, 8)), self.rng.choice((1, 3, 5, 6, 8, 9)), self.rng.choice((1, 4, 5, 7, 8)))

    def filler(self, name: str) -> str:
        """A field of this name, or nothing."""
        return f"{name} {{ {self.rng.choice(FILLERS)} }}" if self.chance(0.8) else ""

    # blobs

    def feed(self, values: Array) -> str:
        """A new blob of the data layer; ``values``: BATCHES times N rows."""
        name = f"in{len(self.fed)}"
        self.fed[name] = values.astype(np.float32)
        self.shapes[name] = (self.n, *values.shape[1:])
        self.makers[name] = "HDF5Data"
        self._message.layer.add(name=name, type="Input", top=[name]).input_param.shape.add(dim=self.shapes[name])
        return name

    def feed_floats(self, shape: Shape, *, scale: float = 1.0) -> str:
        """Normal numbers, free for any layer."""
        name = self.feed(scale * self.values.standard_normal((BATCHES * self.n, *shape[1:])))
        self.floats.add(name)
        self.fed_floats.append(name)
        self.free.append(name)
        return name

    def feed_integers(self, shape: Shape, most: int) -> str:
        """Whole numbers from 0 to below ``most``, as labels and indices are."""
        return self.feed(self.values.integers(0, max(1, most), (BATCHES * self.n, *shape[1:])))

    def pick(self, axes: int | None = None, wanted: Callable[[Shape], bool] = bool) -> str:
        """A blob of floats with so many axes, rather a new one; one is fed where there is none. By itself it has an axis."""
        found = [x for x in self.floats if x in self.shapes and (axes is None or len(self.shapes[x]) == axes) and wanted(self.shapes[x])]
        found.sort()
        fresh = [x for x in found if x in self.free]
        made = [x for x in fresh if self.makers[x] != "HDF5Data"]
        for some in (made, fresh):
            if some and self.chance(0.6):
                return self.rng.choice(some)
        if found:
            return self.rng.choice(found)
        for _ in range(50):
            shape = (*self.picture(), 3, 4)[: axes or 4]
            if wanted(shape):
                return self.feed_floats(shape)
        raise Unfit

    def sliced(self, name: str) -> str:
        """The first item of a blob."""
        if self.shapes[name][0] == 1:
            return name
        return self.grow("Slice", [name], "slice_param { axis: 0 slice_point: 1 }", tops=2)[0]

    def alike(self, name: str) -> str:
        """Another blob of the shape of ``name``."""
        shape = self.shapes[name]
        others = sorted(x for x in self.floats if self.shapes.get(x) == shape and x != name)
        if others and self.chance(0.7):
            return self.rng.choice(others)
        if shape and shape[0] == self.n:
            return self.feed_floats(shape)
        return self.rng.choice(others) if others else name

    def text(self, more: Sequence[str] = ()) -> str:
        """The net, with these layers at its end."""
        names = " ".join(f'top: "{name}"' for name in self.fed)
        data = f'layer {{ name: "data" type: "HDF5Data" {names} hdf5_data_param {{ source: "list" batch_size: {self.n} }} }}'
        return "\n".join([self.head, data, *self.texts, *more, ""])

    def graph(self, phase: int) -> Graph:
        """The compiled net, with Input layers in place of data."""
        message = caffe_pb2.NetParameter()
        message.CopyFrom(self._message)
        message.state.phase = phase
        return compile(message)

    # layers

    def grow(
        self,
        kind: str,
        bottoms: Sequence[str],
        body: str = "",
        *,
        tops: int = 1,
        inplace: bool = False,
        floats: bool = True,
        named: bool = True,
    ) -> list[str]:
        """Add a layer; its tops.  Errors: Unfit where caffepy refuses it.

        ``inplace``: the first top may be the first bottom. ``floats``: layers that want any numbers may read it.
        ``named``: its parameters may get names and other rates.
        """
        name = f"l{len(self.texts)}"
        made = [f"{name}_{i}" for i in range(tops)]
        if inplace and self.chance(0.4) and self._may_overwrite(bottoms[0]):
            made[0] = bottoms[0]
        wires = [f'bottom: "{x}"' for x in bottoms] + [f'top: "{x}"' for x in made]
        # BVLC's Scale writes to a bottom's diff also where it is told to hand nothing on
        if bottoms and "propagate_down" not in body and not (self.bvlc and kind == "Scale") and self.chance(0.04):
            wires += [f"propagate_down: {self.rng.choice(('true', 'false'))}" for _ in bottoms]
        text = f'layer {{ name: "{name}" type: "{kind}" {" ".join(wires)} {body} }}'
        try:
            message, graph = self._built(text)
            params = sum(param.layer == name for param in graph.params)
            if params and named and kind != "BatchNorm" and self.chance(0.5):
                shared = kind in SHARED and len(bottoms) == 1 and self.chance(0.6)
                specs = " ".join(self._spec(f"{name}_p{i}" if shared else "") for i in range(params))
                text = f"{text[:-1]}{specs} }}"
                message, graph = self._built(text)
                if shared:
                    self.named.append((kind, bottoms[0], f"{body} {specs}"))
        except CaffeError as error:
            self.refused.append((self.text([text]), f"{text}: {error}"))
            raise Unfit from error
        tops_of = {graph.values[v].name: graph.values[v].shape for v in graph.nodes[-1].tops}
        if any(int(np.prod(shape)) > MOST_ELEMENTS for shape in tops_of.values()):
            raise Unfit
        self._message = message
        self.texts.append(text)
        self.types.append(kind)
        self.free = [x for x in self.free if x not in bottoms]
        for top in made:
            self.shapes[top], self.makers[top] = tops_of[top], kind
            if floats:
                self.floats.add(top)
            self.free.append(top)
        return made

    def _built(self, text: str) -> tuple[Any, Graph]:
        message = caffe_pb2.NetParameter()
        message.CopyFrom(self._message)
        layer = caffe_pb2.NetParameter()
        parse(text, layer, file="net")
        message.layer.extend(layer.layer)
        return message, compile(message)

    def _spec(self, name: str) -> str:
        rate = self.rng.choice(("", "lr_mult: 0", "lr_mult: 2", "lr_mult: 0.5"))
        decay = self.rng.choice(("", "decay_mult: 0", "decay_mult: 2"))
        return " ".join(["param {", f'name: "{name}"' if name else "", rate, decay, "}"])

    def _may_overwrite(self, blob: str) -> bool:
        return blob in self.free and (not self.bvlc or self.makers[blob] in SAFE)

    def share(self) -> None:
        """Repeat a layer on its bottom or another one of that shape, with the same parameters."""
        if not self.named:
            raise Unfit
        kind, bottom, body = self.rng.choice(self.named)
        if bottom not in self.shapes:
            raise Unfit
        self.grow(kind, [self.alike(bottom)], body, named=False)


class Unfit(Exception):
    """The layer does not fit here."""


Op = Callable[[Builder], object]
OPS: dict[str, list[tuple[Op, bool]]] = {}


def op(kind: str, *, bvlc: bool = True) -> Callable[[Op], Op]:
    """Decorator: this function adds a layer of that type; ``bvlc``: one that BVLC Caffe has, with fields that it has."""

    def register(function: Op) -> Op:
        OPS.setdefault(kind, []).append((function, bvlc))
        return function

    return register


def make_case(seed: int, *, bvlc: bool, layers: int = 8) -> Case:
    """The net and the solver of a seed."""
    from tools.campaign.random_nets.losses import finish
    from tools.campaign.random_nets.solvers import solver_text

    builder = Builder(seed, bvlc=bvlc)
    kinds = sorted(kind for kind, ops in OPS.items() if not bvlc or any(plain for _, plain in ops))
    wanted = builder.rng.randint(1, layers)
    if builder.chance(0.7):  # gradients that arrive at the first layer show what the others hand on
        builder.grow("Scale", ["in0"], "scale_param { axis: 1 bias_term: true }")
    for _ in range(wanted * 3):
        if len(builder.texts) >= wanted:
            break
        ops = [function for function, plain in OPS[builder.rng.choice(kinds)] if plain or not bvlc]
        try:
            builder.rng.choice(ops)(builder)
            if builder.chance(0.1):
                builder.share()
        except Unfit:
            continue
    finish(builder)
    return Case(builder.text(), solver_text(builder), builder.fed, builder.fed_floats, builder.types, bvlc, builder.refused)
