"""A written file run in a process of its own, beside our own passes on the same values."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor

from caffepy.engine.node_errors import node_errors
from caffepy.errors import NetError
from caffepy.layers.core.base import Run
from caffepy.layers.core.random import CaffeRandom
from caffepy.report.pytorch.export import Exported, save
from caffepy.report.pytorch.samples import samples

Runs: TypeAlias = "Callable[[Exported, Mapping[int, Tensor], bool], dict[str, Any]]"
"""Runs a file on values for its inputs, in float64 where told; its outputs, loss and gradients."""

TOLERANCE = 1e-5
"""Of a blob's scale."""
TIME_S = 3600
GRADIENT = "gradient of "
LEAST_SCALE = 1e-6
"""Of a gradient's scale, as a part of the largest gradient.

A bias before a normalisation has no gradient but for rounding.
"""

RUN = """
import importlib.util, sys
import torch

folder, double, train = sys.argv[1], sys.argv[2] == "double", sys.argv[3] == "train"
spec = importlib.util.spec_from_file_location("exported", folder + "/net.py")
exported = importlib.util.module_from_spec(spec)
spec.loader.exec_module(exported)
net = exported.load()
given = torch.load(folder + "/given.pt")
if double:
    net.double()
found = {}
if train:  # without dropout, whose masks are drawn
    for name in ("dropout", "dropout1d", "dropout2d", "dropout3d"):
        setattr(torch.nn.functional, name, lambda x, *_: x)
    exported.unscaled_dropout = lambda x, *_: x
    net.train()
    outputs = net(*given["inputs"])
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    found["loss"] = net.loss(*outputs, *given["beside"])
    found["loss"].backward()
    found["gradients"] = {name: parameter.grad for name, parameter in net.named_parameters()}
else:
    with torch.no_grad():
        outputs = net(*given["inputs"])
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
found["outputs"] = [x.detach() for x in outputs]
packages = {name.split(".")[0] for name in sys.modules}
assert not packages & {"caffepy", "caffe"}, "it has imported caffepy"
torch.save(found, folder + "/found.pt")
"""


@dataclass(frozen=True)
class Difference:
    """Of a blob or a gradient: name and shape, the largest difference, and the largest value."""

    name: str
    shape: tuple[int, ...]
    largest: float
    scale: float

    @property
    def relative(self) -> float:
        """The largest difference against the scale."""
        return self.largest / self.scale if self.scale else self.largest

    @property
    def fine(self) -> bool:
        """It is rounding."""
        return bool(self.relative <= TOLERANCE)


def compare(
    exported: Exported,
    blobs: Mapping[int, Tensor],
    *,
    double: bool = False,
    run: Runs | None = None,
    feeds: Mapping[int, Tensor] | None = None,
) -> list[Difference]:
    """Compare the outputs of both on the same values, and of a net that trains loss and gradients.

    ``blobs``: the parameters by their index in graph.params. ``run``: by default `run_file`.
    ``feeds``: values for the inputs, those that are not given being random. NetError where the file
    does not run.
    """
    program = exported.program
    feeds = {
        **samples(program.graph, program.nodes, (*program.inputs, *program.loss_inputs)),
        **(feeds or {}),
    }
    if double:
        feeds = {value: x.double() for value, x in feeds.items()}
    theirs = (run or run_file)(exported, feeds, double)
    ours = own_pass(exported, feeds, blobs, double=double)
    names = [program.graph.values[value].name for value in program.outputs]
    found = [
        difference(name, a, b) for name, a, b in zip(names, ours["outputs"], theirs["outputs"])
    ]
    if program.trains:
        found.append(difference("loss", ours["loss"], theirs["loss"]))
        known = [
            float(x.abs().max()) for x in ours["gradients"].values() if x is not None and x.numel()
        ]
        least = LEAST_SCALE * max(known, default=0.0)
        found += [
            difference(f"{GRADIENT}{name}", ours["gradients"][name], b, least)
            for name, b in theirs["gradients"].items()
        ]
    return found


def differences(exported: Exported, blobs: Mapping[int, Tensor]) -> tuple[list[Difference], bool]:
    """Compare in float32 and, where that finds more than rounding should be, in float64.

    The second: whether it is that of float64. NetError where the file computes something else.
    """
    found = compare(exported, blobs)
    if all(one.fine for one in found):
        return found, False
    exact = compare(exported, blobs, double=True)
    for one in exact:
        if not one.fine:
            raise NetError(
                f"the written file gives another '{one.name}', by {one.relative:.2g} of its scale;"
                f" needed: within {TOLERANCE:g}"
            )
    return found, True


def told(found: tuple[list[Difference], bool]) -> list[str]:
    """A line for each output, for the loss, and for the gradient that differs most."""
    differing, rounding = found
    lines = []
    gradients = [one for one in differing if one.name.startswith(GRADIENT)]
    worst = [max(gradients, key=lambda one: one.relative)] if gradients else []
    for one in [*(one for one in differing if one not in gradients), *worst]:
        shape = f" {' x '.join(map(str, one.shape))}" if one.shape else ""
        lines.append(
            f"{one.name}{shape}: differs by {one.largest:.2g} ({one.relative:.2g} of its scale)"
        )
    if rounding:
        lines.append(f"that is rounding of float32: in float64 all is within {TOLERANCE:g}")
    return lines


def run_file(exported: Exported, feeds: Mapping[int, Tensor], double: bool) -> dict[str, Any]:
    """What the file gives in a fresh process."""
    program = exported.program
    with tempfile.TemporaryDirectory(prefix="caffepy-") as folder:
        save(exported, f"{folder}/net.py")
        inputs = [feeds[value] for value in program.inputs]
        torch.save(
            {"inputs": inputs, "beside": [feeds[value] for value in program.loss_inputs]},
            f"{folder}/given.pt",
        )
        words = ["double" if double else "single", "train" if program.trains else "test"]
        command = [sys.executable, "-I", "-c", RUN, folder, *words]
        try:
            ran = subprocess.run(
                command, capture_output=True, text=True, timeout=TIME_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise NetError(
                f"the written file has run for {TIME_S} s without an end;"
                " -nocheck leaves the run out"
            ) from None
        if ran.returncode:
            last = (ran.stderr.strip().splitlines() or [f"exit code {ran.returncode}"])[-1]
            raise NetError(f"the written file does not run: {last}")
        found: dict[str, Any] = torch.load(f"{folder}/found.pt")
    return found


def own_pass(
    exported: Exported, feeds: Mapping[int, Tensor], blobs: Mapping[int, Tensor], *, double: bool
) -> dict[str, Any]:
    """Outputs, loss and gradients of our layers, without dropout."""
    program, params = exported.program, exported.program.graph.params
    own = {i: x.detach().clone() for i, x in blobs.items() if params[i].owner == i}
    if double:
        own = {i: x.double() for i, x in own.items()}
    for blob in exported.learned.values():
        own[params[blob.param].owner].requires_grad_(program.trains)
    values: dict[int, Tensor] = dict(feeds)
    random = CaffeRandom(0)
    with torch.set_grad_enabled(program.trains):
        for node in program.nodes:
            bottoms = [values[value] for value in node.bottoms]
            down = list(node.layer.param.propagate_down)
            bottoms = [
                x if i >= len(down) or down[i] else x.detach() for i, x in enumerate(bottoms)
            ]
            if node.type in ("Dropout", "SpatialDropout") and program.trains:
                values[node.tops[0]] = bottoms[0]
                continue
            with node_errors(node):
                parameters = [own[params[p].owner].reshape(params[p].shape) for p in node.params]
                tops = node.layer.forward(bottoms, parameters, Run(program.graph.phase, random))
            values.update(zip(node.tops, tops))
    found: dict[str, Any] = {"outputs": [values[value].detach() for value in program.outputs]}
    if program.trains:
        loss = _total([weight * values[value].sum() for weight, value in program.losses])
        if loss.requires_grad:
            loss.backward()
        found["loss"] = loss.detach()
        gradients = {
            name: own[params[blob.param].owner].grad for name, blob in exported.learned.items()
        }
        found["gradients"] = {
            name: None if gradient is None else exported.learned[name].view(gradient)
            for name, gradient in gradients.items()
        }
    return found


def _total(terms: Sequence[Tensor]) -> Tensor:
    if not terms:
        raise NetError("the net has no loss; needed: a net for training with a loss layer")
    return torch.stack(list(terms)).sum()


def difference(
    name: str, ours: Tensor | None, theirs: Tensor | None, least: float = 0.0
) -> Difference:
    """How far two results are apart.

    It is infinite where their shapes differ, or one alone is no number. ``least``: of the scale.
    """
    if ours is None or theirs is None:
        known = ours if theirs is None else theirs
        scale = 0.0 if known is None else float(known.abs().max()) if known.numel() else 0.0
        return Difference(name, (), scale, least)
    theirs = theirs.detach().to(ours.dtype)
    if ours.shape != theirs.shape or bool((ours.isfinite() != theirs.isfinite()).any()):
        return Difference(name, tuple(ours.shape), float("inf"), 1.0)
    if not ours.numel():
        return Difference(name, tuple(ours.shape), 0.0, 0.0)
    finite = ours.isfinite()
    apart = (ours.where(finite, 0) - theirs.where(finite, 0)).abs().max()
    return Difference(
        name, tuple(ours.shape), float(apart), max(least, float(ours.where(finite, 0).abs().max()))
    )
