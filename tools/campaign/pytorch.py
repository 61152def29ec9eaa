"""``pytorch``: random nets as Python files compute what the nets do.

``python -m tools.campaign.pytorch -n 5000 -seed 1`` writes so many small random nets of the layers
that have a form in torch as files, in both phases, runs them in this process on the nets' data and
compares, in float64: the outputs of a TEST net; outputs and loss of a TRAIN net. Layers that Caffe
differentiates by a rule of its own, such as an Eltwise in place, have torch's gradients in a file,
so that gradients are counted where they differ, and are no find. ``refused``: nets with a field
that has no form. ``-only K`` prints one net and its files.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.weights import arrays_of, tensors_of
from caffepy.errors import CaffeError
from caffepy.layers.core.base import TEST, TRAIN
from caffepy.layers.core.random import CaffeRandom
from caffepy.report.pytorch.check import GRADIENT, compare
from caffepy.report.pytorch.export import Exported, to_pytorch
from caffepy.report.pytorch.registry import FORMS
from tools.campaign import report
from tools.campaign.random_nets import Builder
from tools.campaign.random_nets.builder import OPS, Unfit
from tools.campaign.random_nets.losses import finish

MOST_LAYERS, TRIES = 10, 3
TOLERANCE = 1e-5
"""Of a blob's scale; nothing is rounded in float64 but the fields that a file has in decimals."""
LEAST = 1e-6
"""A scale: what is less has cancelled out."""


def module_of(made: Exported) -> Any:
    """The net of a file, with its weights; ``namespace``: what the file defines."""
    namespace: dict[str, Any] = {"__name__": "exported", "__file__": "/nowhere/exported.py"}
    exec(compile(made.text, "exported.py", "exec"), namespace)
    net = namespace[made.name]()
    net.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in made.state.items()})
    return net.train(made.program.trains)


def run_here(made: Exported, feeds: Mapping[int, Tensor], double: bool) -> dict[str, Any]:
    """As `run_file`, in this process; the net must have no Dropout that draws."""
    net, program = module_of(made), made.program
    if double:
        net.double()
    outputs = net(*(feeds[value] for value in program.inputs))
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    found: dict[str, Any] = {"outputs": [x.detach() for x in outputs]}
    if program.trains:
        found["loss"] = net.loss(*outputs, *(feeds[value] for value in program.loss_inputs))
        if found["loss"].requires_grad:
            found["loss"].backward()
        found["gradients"] = {name: parameter.grad for name, parameter in net.named_parameters()}
    return found


def net_of(seed: int) -> Builder:
    """The net of a seed."""
    builder = Builder(seed, bvlc=False)
    kinds = sorted(set(OPS) & set(FORMS) - {"Dropout", "SpatialDropout"})
    wanted = builder.rng.randint(1, MOST_LAYERS)
    for _ in range(wanted * TRIES):
        if len(builder.texts) < wanted:
            with suppress(Unfit):
                builder.rng.choice(OPS[builder.rng.choice(kinds)])[0](builder)
                if builder.chance(0.1):
                    builder.share()
    finish(builder)
    return builder


def judge(builder: Builder, phase: int) -> tuple[str, str]:
    """ "" or what differs, or ``refused: ...``; and the worst of gradients, if one differs."""
    graph = builder.graph(phase)
    arena = Arena(graph)
    try:
        initialise(graph, arena, CaffeRandom(1))
        made = to_pytorch(graph, arrays_of(arena), source="net.prototxt", weights="net.safetensors")
    except CaffeError as error:
        return f"refused: {error}", ""
    names = {value: graph.values[value].name for value in range(len(graph.values))}
    program = made.program
    feeds = {}
    for value in (*program.inputs, *program.loss_inputs):
        if names[value] in builder.fed:
            feeds[value] = torch.from_numpy(builder.fed[names[value]][: builder.n])
    try:
        found = compare(made, tensors_of(arena), double=True, run=run_here, feeds=feeds)
    except CaffeError as error:
        return f"refused: {error}", ""
    apart = [one for one in found if not one.largest <= TOLERANCE * max(one.scale, LEAST)]
    gradients = [one for one in apart if one.name.startswith(GRADIENT)]
    others = [one for one in apart if one not in gradients]
    return (f"unlike: {others[0]}" if others else ""), (str(gradients[0]) if gradients else "")


def run(n: int, seed: int, only: int | None = None) -> bool:
    """Whether every file computed what its net does."""
    log.sink.min_level = log.ERROR
    torch.set_num_threads(1)
    figures: Counter[str] = Counter()
    types: set[str] = set()
    with report.until_interrupted():
        for number in range(n) if only is None else [only]:
            builder = net_of(seed * 1_000_000 + number)
            figures["nets"] += 1
            for phase in (TEST, TRAIN):
                try:
                    found, gradient = judge(builder, phase)
                except Exception as error:  # noqa: BLE001 - a file that does not run is what the campaign looks for
                    found, gradient = f"error: {type(error).__name__}: {error}", ""
                kind = found.partition(":")[0] or "alike"
                figures[kind] += 1
                figures["gradients unlike"] += bool(gradient)
                if kind == "alike":
                    types |= set(builder.types)
                if kind in ("unlike", "error") or only is not None:
                    print(f"-seed {seed} -only {number}, {('TRAIN', 'TEST')[phase]}: {found} {gradient}", flush=True)
                if only is not None:
                    show(builder, phase)
    names = ("nets", "alike", "refused", "gradients unlike", "unlike", "error")
    report.line("pytorch", seed, layer_types=len(types), **{name.replace(" ", "_"): figures[name] for name in names})
    return not figures["unlike"] and not figures["error"]


def show(builder: Builder, phase: int) -> None:
    """Print a net and its file."""
    graph = builder.graph(phase)
    print(builder.text())
    with suppress(CaffeError):
        print(to_pytorch(graph, arrays_of(Arena(graph)), source="net.prototxt", weights="net.safetensors").text)


def main() -> int:
    """The campaign's exit code."""
    parser = report.options(__doc__ or "", n=5000, what="random nets")
    parser.add_argument("-only", "--only", type=int, metavar="K", help="only the net of this number")
    asked = parser.parse_args()
    return 0 if run(asked.n, asked.seed, asked.only) else 1


if __name__ == "__main__":
    sys.exit(main())
