"""The text of a file: its head, helpers, helper modules, the net, its preprocessing and loading."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import caffepy
from caffepy.report.pytorch.attributes import attributes, leaves
from caffepy.report.pytorch.forward import Method
from caffepy.report.pytorch.groups import parameter_groups
from caffepy.report.pytorch.helper_module import SWITCH, HelperModule
from caffepy.report.pytorch.lines import COLUMNS, INDENT, statement, wrapped
from caffepy.report.pytorch.names import camel, identifier, quoted, shown, string, unused
from caffepy.report.pytorch.preprocessing import Preprocessing
from caffepy.report.pytorch.reading import LOAD, PLACE, READ
from caffepy.report.pytorch.step import Module, Step, literal, number
from caffepy.report.pytorch.steps import Program, helpers_of


@dataclass(frozen=True)
class Written:
    """``text``: of the file; ``name``: of the net's class; ``modules``: its attributes."""

    text: str
    name: str
    modules: dict[Module, str]


def write(
    program: Program,
    blocks: Sequence[HelperModule],
    *,
    source: str,
    weights: str,
    prepare: Preprocessing | None,
) -> Written:
    """The file for a net of the prototxt ``source``, with its weights in the file ``weights``."""
    helpers = helpers_of(
        [*(step for block in blocks for step in block.steps), *program.steps, *program.loss_steps]
    )
    taken = {helper.__name__ for helper in helpers} | {block.name for block in blocks}
    name = unused(camel(program.graph.name, "Net"), taken, "")
    net = _Net(program, name, taken, prepare)
    parts = [inspect.getsource(helper) for helper in helpers]
    parts += [_helper_module(block, taken) for block in blocks]
    parts += [net.text(), *([prepare.text] if prepare else []), READ, LOAD.format(name=name)]
    text = "\n\n\n".join(part.strip("\n") for part in parts)
    place = PLACE.format(weights=string(weights))
    head = f"{_head(program, name, source, weights)}\n\n{_imports(text)}\n\n{place}"
    return Written(f"{head}\n\n\n{text}\n", name, net.found)


def _head(program: Program, name: str, source: str, weights: str) -> str:
    inputs, outputs = (
        ", ".join(_blob(program, value) for value in values)
        for values in (program.inputs, program.outputs)
    )
    sentences = [f"Input: {inputs}.  Output: {outputs}."]
    if program.trains:
        beside = ", ".join(_blob(program, value) for value in program.loss_inputs)
        sentences.append(f"The loss takes the outputs{' and ' + beside if beside else ''}.")
    sentences.append(f"Its weights lie beside it, in {quoted(weights)}; load() reads them.")
    first = textwrap.wrap(f'"""{name}, the net of {quoted(source)}.', COLUMNS)
    lines = [line for sentence in sentences for line in textwrap.wrap(sentence, COLUMNS)]
    return "\n".join(
        [
            *first,
            "",
            f"Written by caffepy {caffepy.__version__} (caffepy export -pytorch).",
            *lines,
            '"""',
        ]
    )


def _blob(program: Program, value: int) -> str:
    blob = program.graph.values[value]
    return f"{quoted(blob.name)} {'x'.join(map(str, blob.shape)) or '(a number)'}"


def _imports(text: str) -> str:
    """What the text needs, in the order of ruff."""
    standard = ["import json", *(["import math"] if "math." in text else [])]
    standard += ["from collections.abc import Sequence"] if "Sequence[" in text else []
    standard += ["from pathlib import Path"]
    torch = [
        "import torch",
        *(["import torch.nn.functional as F"] if re.search(r"\bF\.", text) else []),
    ]
    names = [name for name in ("Tensor", "nn") if re.search(rf"(?<![.\w]){name}\b", text)]
    return "\n".join(
        [
            "from __future__ import annotations",
            "",
            *standard,
            "",
            *torch,
            f"from torch import {', '.join(names)}",
        ]
    )


def wishes(program: Program) -> Callable[[int], str]:
    """A name for a value: its blob's."""
    return lambda value: identifier(program.graph.values[value].name, "blob")


class _Net:
    """The net's class."""

    def __init__(
        self, program: Program, name: str, taken: set[str], prepare: Preprocessing | None
    ) -> None:
        self._program, self._name, self._taken, self._prepare = program, name, taken, prepare
        self.found = attributes([*program.steps, *program.loss_steps], ["mean"])

    def text(self) -> str:
        """Constructor, forward and, of a net that trains, its loss and parameter groups."""
        program = self._program
        lines = [
            f"class {self._name}(nn.Module):",
            "    def __init__(self):",
            "        super().__init__()",
        ]
        lines += [f"        {line}" for line in self._constructions()]
        lines += ["", *self._forward()]
        if program.trains:
            lines += ["", *self._loss(), "", *parameter_groups(program.graph, leaves(self.found))]
        return "\n".join(lines)

    def _constructions(self) -> list[str]:
        lines, seen = [], set()
        for step in (*self._program.steps, *self._program.loss_steps):
            if step.module is not None and step.module not in seen:
                seen.add(step.module)
                attribute = self.found[step.module]
                lines += construction(
                    step.module,
                    attribute,
                    attribute if step.module.children else ", ".join(step.layers),
                )
        for module, attribute in self.found.items():
            for name, (other, theirs) in module.ties.items():
                lines.append(
                    f"self.{attribute}.{name} = self.{self.found[other]}.{theirs}  # shared"
                )
        if self._prepare and self._prepare.mean is not None:
            lines.append(f'self.register_buffer("mean", torch.zeros{self._prepare.mean.shape})')
        return lines

    def _forward(self) -> list[str]:
        program = self._program
        names = self._arguments(program.inputs)
        lines = (
            self._method(program.steps, names, program.outputs).write().give_back(program.outputs)
        )
        head = wrapped("def forward(", ["self", *names.values()], "):", indent=4)
        return [*(f"    {line}" for line in head), *(f"        {line}" for line in lines)]

    def _loss(self) -> list[str]:
        """The weighted sum of the losses."""
        program = self._program
        names = self._arguments((*program.outputs, *program.loss_inputs))
        method = self._method(
            program.loss_steps, names, [value for _, value in program.losses]
        ).write()
        shapes = [program.graph.values[value].shape for _, value in program.losses]
        if shapes == [()] and program.losses[0][0] == 1:
            lines = method.give_back([program.losses[0][1]])
        else:
            method.finish()
            sums = [
                f"{method.names[value]}.sum()" if shape else method.names[value]
                for (_, value), shape in zip(program.losses, shapes)
            ]
            terms = [
                s if weight == 1 else f"{number(weight)} * {s}"
                for s, (weight, _) in zip(sums, program.losses)
            ]
            lines = [*method.lines, f"return {' + '.join(terms)}"]
        head = [
            *wrapped("def loss(", ["self", *names.values()], "):", indent=4),
            '    """The loss of what forward() gives."""',
        ]
        return [*(f"    {line}" for line in head), *(f"        {line}" for line in lines)]

    def _arguments(self, values: Sequence[int]) -> dict[int, str]:
        names: dict[int, str] = {}
        for value in values:
            names[value] = unused(wishes(self._program)(value), self._taken | set(names.values()))
        return names

    def _method(
        self, steps: Sequence[Step], names: Mapping[int, str], results: Sequence[int]
    ) -> Method:
        found = self.found
        return Method(
            steps,
            names,
            attribute=lambda module: f"self.{found[module]}",
            wish=wishes(self._program),
            results=results,
            taken=self._taken,
        )


def construction(
    module: Module, attribute: str, original: str, names: Mapping[int, str] | None = None
) -> list[str]:
    """The statement that makes a module, with its layer's name where that is another one."""
    line = f"self.{attribute} = {module.call(names)}"
    if original in (attribute, "*"):
        return statement(line)
    told = len(line) + len(original) + 4 <= COLUMNS - INDENT or attribute != identifier(
        original.replace("*", "_")
    )
    return statement(line, shown(original) if told else "")


def _helper_module(block: HelperModule, taken: set[str]) -> str:
    """The class of a part that the net has several times."""
    places = [shown(call.name) for call in block.calls]
    listed = ", ".join(places if len(places) < 6 else [*places[:2], "...", places[-1]])
    arguments = [
        "self",
        *(
            name if default is None else f"{name}={literal(default)}"
            for name, default in block.arguments
        ),
    ]
    arguments += [f"{SWITCH}=True"] if block.optional else []
    lines = [
        f"class {block.name}(nn.Module):",
        f'    """{quoted(listed)} (* in the comments is what differs)."""',
        "",
    ]
    lines += [f"    {line}" for line in wrapped("def __init__(", arguments, "):", indent=4)]
    lines += [
        "        super().__init__()",
        *([f"        self.{SWITCH} = {SWITCH}", f"        if {SWITCH}:"] if block.optional else []),
    ]
    lines += [f"            {line}" for i in block.optional for line in _member(block, i)]
    lines += [
        f"        {line}"
        for i in range(len(block.steps))
        if i not in block.optional
        for line in _member(block, i)
    ]
    inputs = ["x"] if len(block.inputs) == 1 else [f"x{i}" for i in range(1, len(block.inputs) + 1)]
    method = Method(
        _with_choice(block),
        dict(zip(block.inputs, inputs)),
        attribute=lambda module: f"self.{block.attributes[module]}",
        wish=_local_names(block),
        results=[block.result],
        taken=taken,
        original=lambda step: block.originals.get(step, step.name),
    )
    body = method.write().give_back([block.result])
    lines += [
        "",
        f"    def forward(self, {', '.join(inputs)}):",
        *(f"        {line}" for line in body),
    ]
    return "\n".join(lines)


def _member(block: HelperModule, i: int) -> list[str]:
    step = block.steps[i]
    if step.module is None:
        return []
    return construction(
        step.module, block.attributes[step.module], block.originals[step], block.names_of(i)
    )


def _with_choice(block: HelperModule) -> list[Step]:
    """The steps, the optional ones as one: what they compute, or their input."""
    if not block.optional:
        return block.steps
    text = "{0}"
    for i in block.optional:
        step = block.steps[i]
        text = step.code.replace("{0}", text).replace(
            "{m}", f"self.{block.attributes[step.module]}" if step.module else ""
        )
    first, last = block.steps[block.optional[0]], block.steps[block.optional[-1]]
    choice = Step(
        "shortcut", "shortcut", first.inputs, last.outputs, f"{text} if self.{SWITCH} else {{0}}"
    )
    rest = [step for i, step in enumerate(block.steps) if i not in block.optional]
    place = block.optional[0]
    return [*rest[:place], choice, *rest[place:]]


def _local_names(block: HelperModule) -> Callable[[int], str]:
    """Names of values inside: that of the module that makes them, or works on them last."""
    names: dict[int, str] = {}
    for i, step in enumerate(block.steps):
        for value in step.outputs:
            if i in block.optional:
                names[value] = "shortcut"
            elif step.module is not None:
                names[value] = block.attributes[step.module].removeprefix("conv_")
            elif step.nests and step.inputs and step.inputs[0] in names:
                names[value] = names[step.inputs[0]]
            else:
                names[value] = step.kind.lower()
    return lambda value: identifier(names[value], "y")
