"""The class of a part that a net repeats: its attributes, its arguments, and calls of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from caffepy.report.pytorch.attributes import prefix_of
from caffepy.report.pytorch.common_names import common_names, kind_of_block, pattern
from caffepy.report.pytorch.names import camel, identifier, unused
from caffepy.report.pytorch.step import GROUPS, IN, OTHER, OUT, Arg, Literal, Module, Step

Row: TypeAlias = "list[Step | None]"
"""The steps of one place, None where it lacks one."""
Values: TypeAlias = "tuple[Literal, ...]"
"""Of one argument, in each place; None in a place that does not have it."""
Use: TypeAlias = tuple[int, int]
"""A step, and the place of an argument of its module."""

SWITCH = "project"
"""The argument that says whether a place has the optional steps."""


@dataclass(eq=False)
class HelperModule:
    """A class: ``steps`` from the values ``inputs`` to ``result``.

    ``optional``: those of the steps, a chain from the input, that places may lack. ``attributes``:
    of each module. ``originals``: Caffe's names, * for what differs. ``arguments``: names with
    defaults (None: none). ``given``: for a step and a place of an argument of its module the name
    of the class's argument that stands there. ``rows``, ``calls``: the steps of each place, and the
    step that takes their place.
    """

    name: str
    steps: list[Step]
    inputs: tuple[int, ...]
    result: int
    optional: tuple[int, ...] = ()
    attributes: dict[Module, str] = field(default_factory=dict)
    originals: dict[Step, str] = field(default_factory=dict)
    arguments: list[tuple[str, Literal]] = field(default_factory=list)
    given: dict[Use, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    calls: list[Step] = field(default_factory=list)

    def names_of(self, step: int) -> dict[int, str]:
        """The class's arguments among those of a step's module, by their places."""
        return {place: name for (i, place), name in self.given.items() if i == step}


def helper_module(
    rows: Sequence[Row],
    ends: Sequence[tuple[tuple[int, ...], int]],
    taken: set[str],
    optional: tuple[int, ...] = (),
) -> HelperModule | None:
    """The class of these places; the first has every step.

    ``ends``: inputs and result of each. None where arguments do not go together.
    """
    own = [step for step in rows[0] if step is not None]
    differing = _differing(rows)
    if differing is None:
        return None
    block = HelperModule(
        unused(camel(kind_of_block(own), "Block"), taken, ""),
        own,
        *ends[0],
        optional,
        rows=list(rows),
    )
    members = [i for i, step in enumerate(own) if step.module and i not in optional]
    commons, instances = common_names(
        [[step.name for i in members if (step := row[i])] for row in rows]
    )
    names = dict(zip(members, commons))
    extra = [i for i, step in enumerate(own) if step.module and i in optional]
    if extra:
        full = [[step.name for i in extra if (step := row[i])] for row in rows]
        names |= dict(zip(extra, common_names([row for row in full if row])[0]))
    for i, step in enumerate(own):
        if step.module:
            prefix, used = prefix_of(step), {SWITCH, *block.attributes.values()}
            block.attributes[step.module] = unused(identifier(names[i] or prefix, prefix), used)
        block.originals[step] = pattern([other.name for row in rows if (other := row[i])])
    values = _name_arguments(block, differing)
    for number, (row, (inputs, result), instance) in enumerate(zip(rows, ends, instances)):
        block.calls.append(_call(block, number, row, inputs, result, instance, values))
    return block


def _call(
    block: HelperModule,
    number: int,
    row: Row,
    inputs: tuple[int, ...],
    result: int,
    instance: str,
    values: dict[str, Values],
) -> Step:
    args = [
        Arg(values[name][number], _role(block, name), "" if default is None else name, default)
        for name, default in block.arguments
    ]
    present = [(step, other) for step, other in zip(block.steps, row) if other is not None]
    if block.optional:
        args.append(Arg(len(present) == len(block.steps), OTHER, SWITCH, True))
    children = [
        (block.attributes[step.module], other.module)
        for step, other in present
        if step.module and other.module
    ]
    code = f"{{m}}({', '.join(f'{{{i}}}' for i in range(len(inputs)))})"
    layers = tuple(layer for _, other in present for layer in other.layers)
    return Step(
        instance,
        block.name,
        inputs,
        (result,),
        code,
        Module(block.name, tuple(args), children=children),
        layers=layers,
    )


def differing_arguments(rows: Sequence[Row]) -> int:
    """How many arguments a class of these places has."""
    return len(_differing(rows) or {})


def _differing(rows: Sequence[Row]) -> dict[Values, list[Use]] | None:
    """Arguments that are not the same in all places: their values, and where they stand.

    None where one stands in optional steps alone.
    """
    found: dict[Values, list[Use]] = {}
    partly: list[tuple[Values, Use]] = []
    for i, step in enumerate(rows[0]):
        if step is None or step.module is None:
            continue
        modules = [other.module if (other := row[i]) else None for row in rows]
        for place in range(len(step.module.args)):
            values = tuple(module.args[place].value if module else None for module in modules)
            if len(set(values) - {None}) <= 1:
                continue
            if None in modules:
                partly.append((values, (i, place)))
            else:
                found.setdefault(values, []).append((i, place))
    for values, use in partly:
        like = [whole for whole in found if all(a is None or a == b for a, b in zip(values, whole))]
        if not like:
            return None
        found[like[0]].append(use)
    return found


def _name_arguments(block: HelperModule, differing: dict[Values, list[Use]]) -> dict[str, Values]:
    """Name the class's arguments, channels first; the values of each."""
    own = block.steps
    first, last = _first_input(own), _last_product(own)
    widths = [values for values, uses in differing.items() if _is_width(own, uses, first, last)]
    used = {"x", SWITCH, *block.attributes.values()}
    named: dict[str, Values] = {}
    channels = (IN, OUT, GROUPS)
    for values, uses in sorted(
        differing.items(), key=lambda item: (_role_of(own, item[1]) not in channels, min(item[1]))
    ):
        default: Literal = None
        if _role_of(own, uses) in channels:
            wish = _channels_name(block, uses, first, last, alone=len(widths) == 1)
        else:
            keyword = _keyword(own, uses[0])
            others = [other for other in differing.values() if _role_of(own, other) not in channels]
            alone = sum(_keyword(own, other[0]) == keyword for other in others) == 1
            wish = keyword if alone else f"{keyword}_{block.attributes[_module(own, uses[0])]}"
            plain = _module(own, uses[0]).args[uses[0][1]].default
            default = plain if plain in values else None
        name = unused(wish, used)
        used.add(name)
        named[name] = values
        block.arguments.append((name, default))
        block.given |= dict.fromkeys(uses, name)
    block.arguments.sort(key=lambda argument: argument[1] is not None)
    return named


def _channels_name(
    block: HelperModule, uses: Sequence[Use], first: Use, last: Use, *, alone: bool
) -> str:
    """``in_channels``, ``out_channels``, or ``channels`` where these are equal.

    The only other number is ``width``; several are named by the layers that make them.
    """
    own = block.steps
    if first in uses:
        return "channels" if last in uses else "in_channels"
    if last in uses:
        return "out_channels"
    if alone:
        return "width"
    makers = [use for use in uses if _module(own, use).args[use[1]].role == OUT] or list(uses)
    return f"n_{block.attributes[_module(own, makers[0])].removeprefix('conv_')}"


def _is_width(own: Sequence[Step], uses: Sequence[Use], first: Use, last: Use) -> bool:
    return _role_of(own, uses) == OUT and first not in uses and last not in uses


def _module(own: Sequence[Step], use: Use) -> Module:
    module = own[use[0]].module
    assert module is not None  # a use is of a module's argument
    return module


def _keyword(own: Sequence[Step], use: Use) -> str:
    return _module(own, use).args[use[1]].name or "kernel"


def _role_of(own: Sequence[Step], uses: Sequence[Use]) -> str:
    roles = [_module(own, use).args[use[1]].role for use in uses]
    return OUT if OUT in roles else roles[0]


def _role(block: HelperModule, argument: str) -> str:
    return _role_of(block.steps, [use for use, name in block.given.items() if name == argument])


def _first_input(own: Sequence[Step]) -> Use:
    """Where the channels of the first product stand, that is those of what comes in."""
    for i, step in enumerate(own):
        for place, arg in enumerate(step.module.args if step.module else ()):
            if arg.role == IN:
                return i, place
    return -1, -1


def _last_product(own: Sequence[Step]) -> Use:
    """Where the channels of the result stand; nowhere if it is put together."""
    if own[-1].kind == "Concat":
        return -1, -1
    for i in reversed(range(len(own))):
        module = own[i].module
        roles = [arg.role for arg in module.args] if module else []
        if IN in roles and OUT in roles:
            return i, roles.index(OUT)
    return -1, -1
