"""``views``: every layer gives the same numbers behind and before layers that leave elements in an odd order in memory.

``python -m tools.campaign.views -n 20000 -seed 1`` builds so many small random nets, each with a layer of another type behind one or two
that move elements (Permute, Slice, Crop, Reshape ...), often with one more of these behind it, on few items and sizes of 1. The whole
engine, with the channels last or not, and the layerwise one are held to the layerwise engine on contiguous copies of all blobs: outputs
and gradients of a training pass, outputs of a test whose parameters stay as they are. ``-only K`` prints one net.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import torch

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.weights import get
from caffepy.engine.whole import WholeEngine
from caffepy.errors import CaffeError
from caffepy.layers.core.base import TEST, TRAIN
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.graph import Graph
from tools.campaign import report
from tools.campaign.children import in_child
from tools.campaign.comparison import unlike
from tools.campaign.random_nets import Builder
from tools.campaign.random_nets.builder import OPS, Array, Shape, Unfit
from tools.campaign.random_nets.losses import finish

TURNS_AXES = ("Permute", "Transpose")
VIEWS = ("Concat", "Crop", "Flatten", "Reorg", "Reshape", "Reverse", "ShuffleChannel", "Slice", "Split", "Tile")
MAKERS = ("Convolution", "Pooling", "Deconvolution", "BatchNorm")
"""Whose tops lie with their channels last where a net has them so."""
CONTIGUOUS, LAYERWISE, WHOLE, LAST = "contiguous copies", "layerwise", "whole", "whole, channels last"
AT_ONCE = 100
"""Nets in one process."""
TRIES = 12
ROUNDING = 1e-4
"""Of the largest value: what a wrong order never keeps."""
NUDGE, TURNS = 3e-7, 4
Numbers = dict[str, Array]


class InRow(Builder):
    """Layers in a row: each rather reads what the last one made. Many sizes are 1: an axis of length 1 may have any stride."""

    def picture(self) -> Shape:
        """(N, C, H, W)."""
        return (self.n, self.rng.choice((1, 2, 3, 4, 8)), self.rng.choice((1, 1, 3, 4, 6)), self.rng.choice((1, 1, 4, 5, 8)))

    def pick(self, axes: int | None = None, wanted: Callable[[Shape], bool] = bool) -> str:
        """Mostly the newest blob of floats that nobody reads yet, if it is as wanted."""
        newest = next((x for x in reversed(self.free) if self.makers[x] != "HDF5Data" and x in self.floats), None)
        if newest is not None and axes in (None, len(self.shapes[newest])) and wanted(self.shapes[newest]) and self.chance(0.9):
            return newest
        return super().pick(axes, wanted)

    def add(self, kinds: Sequence[str]) -> None:
        """A layer of one of these types, unless none fits."""
        for _ in range(TRIES):
            with suppress(Unfit):
                self.rng.choice(OPS[self.rng.choice(kinds)])[0](self)
                return

    def add_view(self) -> None:
        """Half of them turn axes."""
        self.add(self.rng.choice((TURNS_AXES, VIEWS)))


def net_of(seed: int, kinds: Sequence[str] = ()) -> InRow:
    """The net of a seed, with one of these types, or of all, after the other.

    Its first layer has a parameter for each element, which shows the gradient that arrives there.
    """
    g = InRow(seed, bvlc=False, items=random.Random(seed).choice((1, 1, 2)))
    g.grow("Scale", ["in0"], "scale_param { axis: 0 num_axes: -1 }", named=False)
    if g.chance(0.4):
        g.add(MAKERS)
    for _ in range(g.rng.choice((1, 1, 2))):
        g.add_view()
    kinds = kinds or sorted(OPS)
    g.add([kinds[seed % len(kinds)]])
    if g.chance(0.5):
        g.add_view()
    finish(g)
    return g


def computed(g: Builder, way: str, *, turn: int = 0) -> Numbers:
    """Outputs and gradients of a training pass, outputs of a test; ``turn``: inputs are a few units in the last place off."""
    fed = {}
    for name, values in g.fed.items():
        off = NUDGE * np.random.default_rng(turn).choice((-1, 1), values.shape) if turn and name in g.fed_floats else 0
        fed[name] = torch.from_numpy((values * (1 + off)).astype(np.float32)[: g.shapes[name][0]].copy())
    trained = _pass(g.graph(TRAIN), way, fed, train=True)
    return trained | _pass(g.graph(TEST), way, fed, train=False)


def _pass(graph: Graph, way: str, fed: dict[str, Any], *, train: bool) -> Numbers:
    last = way == LAST
    arena, random = Arena(graph, channels_last=last), CaffeRandom(7)
    initialise(graph, arena, random)
    engine: Any
    if way in (CONTIGUOUS, LAYERWISE):
        engine = LayerwiseEngine(graph, arena, random)
        for name, values in fed.items():
            engine.blobs[name].data.copy_(values)
        if way == CONTIGUOUS:
            for value in range(len(graph.values)):
                engine.blob(value).data_array()  # whose memory then stays the blob's
        loss = engine.forward_backward() if train else engine.forward()
    elif train:
        engine = WholeEngine(graph, arena, random, channels_last=last)
        loss = engine.forward_backward(fed)
    else:
        engine = WholeEngine(graph, arena, random, channels_last=last)
        with engine.frozen():
            loss = engine.forward(fed)
    when = "train" if train else "test"
    found = {f"{when}/{output.name}": output.data.detach().numpy().copy() for output in engine.outputs()}
    found[f"{when}/loss"] = np.array(float(loss), np.float32)
    for index, gradient in zip(graph.learnable, engine.gradients() if train else (), strict=False):
        param = graph.params[index]
        zero = np.zeros(param.shape, np.float32)
        found[f"gradient/{param.layer}/{param.slot}"] = zero if gradient is None else np.array(get(gradient)).reshape(param.shape)
    return found


def judge(seed: int, kinds: Sequence[str] = ()) -> tuple[str, list[str]]:
    """What is wrong with a net, nothing as a rule; and its layers' types."""
    g = net_of(seed, kinds)
    try:
        reference = computed(g, CONTIGUOUS)
    except CaffeError as error:
        return f"refused: {error}", g.types
    for way in (LAYERWISE, WHOLE, LAST):
        found = computed(g, way)
        if unlike(reference, found, [], rounding=ROUNDING) is None:
            continue
        nudged = [computed(g, CONTIGUOUS, turn=turn) for turn in range(1, TURNS + 1)]
        differs = unlike(reference, found, nudged, rounding=ROUNDING)
        if differs is not None:
            return f"unlike: {way}: {differs[0]} is {differs[1]:.3g} off, {differs[2]:.3g} of the largest", g.types
    return "", g.types


def run(n: int, seed: int, kinds: Sequence[str] = ()) -> bool:
    """The campaign; whether all is right."""
    torch.set_num_threads(1)
    log.sink.min_level = log.FATAL
    words: Counter[str] = Counter()
    types: set[str] = set()
    done = 0
    with report.until_interrupted():
        for start in range(seed * 1_000_000, seed * 1_000_000 + n, AT_ONCE):
            some = list(range(start, min(start + AT_ONCE, seed * 1_000_000 + n)))
            _several(some, kinds, words, types)
            done += len(some)
    named = ("unlike", "errors", "crashes", "hangs")
    report.line("views", seed, nets=done, layer_types=len(types), refused=words["refused"], **{word: words[word] for word in named})
    return not any(words[word] for word in named)


def _several(seeds: list[int], kinds: Sequence[str], words: Counter[str], types: set[str]) -> None:
    ended = in_child(lambda at: [judge(seed, kinds) for seed in seeds])
    if ended.value is not None:
        for seed, (text, found) in zip(seeds, ended.value, strict=True):
            types.update(found)
            word = text.split(":")[0]
            words[word] += 1
            if word == "unlike":
                print(f"-only {seed}: {text}", flush=True)
    elif len(seeds) == 1:
        words["hangs" if ended.hang else "crashes" if ended.crash else "errors"] += 1
        print(f"-only {seeds[0]}: {'hang' if ended.hang else ended.crash or ended.error}", flush=True)
    else:
        middle = len(seeds) // 2
        _several(seeds[:middle], kinds, words, types)
        _several(seeds[middle:], kinds, words, types)


def main() -> int:
    """The campaign's exit code."""
    parser = report.options(__doc__ or "", n=20_000, what="random nets")
    parser.add_argument("-only", "--only", type=int, metavar="K", help="only the net of this number, which is printed")
    parser.add_argument("-kinds", "--kinds", nargs="+", default=(), choices=sorted(OPS), metavar="TYPE", help="only layers of these types")
    asked = parser.parse_args()
    if asked.only is None:
        return 0 if run(asked.n, asked.seed, asked.kinds) else 1
    torch.set_num_threads(1)
    log.sink.min_level = log.FATAL
    print(net_of(asked.only, asked.kinds).text())
    found = judge(asked.only, asked.kinds)[0]
    print(found or "alike")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
