"""A graph as steps: each layer a statement, with the modules that hold the parameters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from caffepy.engine.predictions import body, fed, predictions
from caffepy.errors import LayerError, NetError
from caffepy.layers.core.base import TRAIN
from caffepy.layers.linear.scale import ScaleLayer
from caffepy.layers.norm.batch_norm import BatchNormLayer
from caffepy.net.graph import Graph, Node
from caffepy.report.pytorch import forms
from caffepy.report.pytorch.registry import FORMS
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import Array, Learned, Module, Step


@dataclass(eq=False)
class Program:
    """What is written: ``steps`` from ``inputs`` to ``outputs``. ``nodes``: the layers that are.

    ``loss_steps``: what a training net computes from the outputs and ``loss_inputs``; ``losses``:
    weights and values that add up.
    """

    graph: Graph
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    steps: list[Step]
    nodes: tuple[Node, ...]
    loss_inputs: tuple[int, ...] = ()
    loss_steps: list[Step] = field(default_factory=list)
    losses: list[tuple[float, int]] = field(default_factory=list)

    @property
    def trains(self) -> bool:
        """It has a loss."""
        return self.graph.phase == TRAIN


def program(graph: Graph, arrays: Mapping[int, Array]) -> Program:
    """The program of a TEST net up to its predictions, or of a TRAIN net with its losses.

    LayerError where a layer has no form.
    """
    if graph.phase != TRAIN:
        part = predictions(graph, afterwards=True)
        writer = _Writer(graph, arrays, part.nodes, part.outputs)
        steps = [step for node in part.nodes for step in writer.steps(node)]
        outputs = tuple(writer.origin[value] for value in part.outputs)
        return Program(graph, part.inputs, outputs, steps, part.nodes)
    part, rest = body(graph)
    counted = [
        (weight, value)
        for node in (*part.nodes, *rest)
        for weight, value in zip(node.loss_weights, node.tops)
        if weight
    ]
    needed = {value for _, value in counted}
    kept: list[Node] = []
    for node in reversed(rest):
        if needed & set(node.tops) and not fed(graph, node):
            kept.insert(0, node)
            needed.update(node.bottoms)
    made = {value for node in kept for value in node.tops}
    outputs = tuple(value for value in part.outputs if value in needed and value not in made)
    if not outputs:
        raise NetError(
            f"net '{graph.name}' has no loss that reads a prediction;"
            " needed: a net for training with a loss layer"
        )
    writer = _Writer(graph, arrays, [*part.nodes, *kept], [*outputs, *needed])
    steps = [step for node in part.nodes for step in writer.steps(node)]
    losses = [step for node in kept for step in writer.steps(node)]
    own = tuple(dict.fromkeys(writer.origin[value] for value in outputs))
    inside = {value for step in (*steps, *losses) for value in step.outputs}
    beside = tuple(
        sorted(
            {
                value
                for step in losses
                for value in step.inputs
                if value not in inside and value not in own
            }
        )
    )
    totals = [(weight, writer.origin[value]) for weight, value in counted]
    return Program(graph, part.inputs, own, steps, (*part.nodes, *kept), beside, losses, totals)


class _Writer:
    """Makes the steps and modules of one net.

    Layers that share all their parameters have one module.
    """

    def __init__(
        self,
        graph: Graph,
        arrays: Mapping[int, Array],
        nodes: Sequence[Node],
        outputs: Collection[int],
    ) -> None:
        self.origin: dict[int, int] = {value: value for value in range(len(graph.values))}
        self._graph, self._arrays = graph, arrays
        self._readers: dict[int, list[Node]] = defaultdict(list)
        self._outputs = set(outputs)
        self._owners: dict[int, tuple[Module, str]] = {}
        self._merged: set[int] = set()
        for node in nodes:
            if node.type not in FORMS:
                raise LayerError(_no_form(node))
            for value in node.bottoms:
                self._readers[value].append(node)

    def steps(self, node: Node) -> list[Step]:
        """The statements of a layer.

        There are none where it hands its bottoms on, or an earlier layer's statement does its work.
        """
        if node.index in self._merged:
            return []
        tops, follower = node.tops, self._scale_behind(node)
        layers: tuple[str, ...] = (node.name,)
        if follower is not None:
            self._merged.add(follower.index)
            tops, layers = follower.tops, (node.name, follower.name)
            written: Form | list[Form] = forms.batch_norm_with_scale(
                self._site(node), self._site(follower)
            )
        else:
            written = FORMS[node.type](self._site(node))
        several = written if isinstance(written, list) else [written]
        groups = [(top,) for top in tops] if isinstance(written, list) else [tops]
        modules: dict[Module, Module] = {}
        made = []
        for one, outputs in zip(several, groups):
            if one.same is not None:
                for top, bottom in zip(outputs, one.same):
                    self.origin[top] = self.origin[node.bottoms[bottom]]
                continue
            module = one.module
            if module is not None and module not in modules:
                modules[module] = self._joined(module, node)
            inputs = tuple(self.origin[value] for value in node.bottoms)
            code = _detached(one.code, node) if self._graph.phase == TRAIN else one.code
            nests = one.nests and "{0}.detach()" not in code
            made.append(
                Step(
                    node.name,
                    node.type,
                    inputs,
                    outputs,
                    code,
                    module and modules[module],
                    one.helpers,
                    nests,
                    layers,
                )
            )
        return [_only_what_it_reads(step) for step in made]

    def _site(self, node: Node) -> Site:
        readers = [
            [reader.type for reader in self._readers[top]] + ["output"] * (top in self._outputs)
            for top in node.tops
        ]
        return Site(self._graph, node, self._arrays, readers)

    def _scale_behind(self, node: Node) -> Node | None:
        """The Scale of each channel that alone reads a BatchNorm: the two are one module."""
        if (
            not isinstance(node.layer, BatchNormLayer)
            or node.layer.scales
            or node.tops[0] in self._outputs
        ):
            return None
        readers = self._readers[node.tops[0]]
        if len(readers) != 1:
            return None
        layer = readers[0].layer
        return readers[0] if isinstance(layer, ScaleLayer) and layer.channel_affine else None

    def _joined(self, module: Module, node: Node) -> Module:
        """``module``, or the earlier one that has all of its parameters.

        Else what it shares is tied to that one's.
        """
        owners = {name: self._owner(learned) for name, learned in module.learned.items()}
        earlier = {
            name: self._owners[owner] for name, owner in owners.items() if owner in self._owners
        }
        others = {other for other, _ in earlier.values()}
        if len(others) == 1 and len(earlier) == len(module.learned):
            other = others.pop()
            names_agree = all(name == theirs for name, (_, theirs) in earlier.items()) and len(
                other.learned
            ) == len(earlier)
            if (
                names_agree
                and (other.cls, other.args) == (module.cls, module.args)
                and not module.buffers
            ):
                other.shared = True
                return other
        for name, (other, theirs) in earlier.items():
            ours, given = module.learned[name], other.learned[theirs]
            if (ours.shape, ours.transposed) != (given.shape, given.transposed):
                where = f"{node.where}: " if node.where else ""
                raise LayerError(
                    f"{where}layer '{node.name}' ({node.type}) cannot be written in torch:"
                    " it shares a parameter in another shape,"
                    f" {ours.shape} beside {given.shape}; needed: one shape"
                )
            module.ties[name] = other, theirs
            module.shared = other.shared = True
        for name, owner in owners.items():
            self._owners.setdefault(owner, (module, name))
        return module

    def _owner(self, learned: Learned) -> int:
        return self._graph.params[learned.param].owner


def _only_what_it_reads(step: Step) -> Step:
    """Without inputs that its expression does not have."""
    used = [i for i in range(len(step.inputs)) if f"{{{i}}}" in step.code]
    if len(used) == len(step.inputs):
        return step
    names = {f"{i}": f"{{{place}}}" for place, i in enumerate(used)}
    code = step.code.format(*(names.get(str(i), "") for i in range(len(step.inputs))), m="{m}")
    return replace(step, inputs=tuple(step.inputs[i] for i in used), code=code)


def _detached(code: str, node: Node) -> str:
    """Without gradients to the bottoms for which the prototxt says ``propagate_down: false``."""
    for i, down in enumerate(node.layer.param.propagate_down):
        if not down:
            code = code.replace(f"{{{i}}}", f"{{{i}}}.detach()")
    return code


def _no_form(node: Node) -> str:
    where = f"{node.where}: " if node.where else ""
    why = "; it is a program of its own, which is in no prototxt" if node.type == "Python" else ""
    return (
        f"{where}layer '{node.name}' ({node.type}) has no form in torch here{why};"
        f" these types have one: {known()}"
    )


def known() -> str:
    """The types that have a form."""
    return ", ".join(sorted(FORMS))


def helpers_of(steps: Iterable[Step]) -> list[Any]:
    """The functions and classes that the steps call, once each."""
    return list(dict.fromkeys(helper for step in steps for helper in step.helpers))
