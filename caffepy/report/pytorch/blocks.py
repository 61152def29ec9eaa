"""Finds parts that a net repeats, such as Inception and residual blocks, and makes them classes.

A part is a row of steps with one result. Two are alike if their steps are, in their expressions, in
what reads what, and in all arguments but numbers of channels, strides and groups; small ones may
differ in kernels too. The part that saves most lines becomes a class, its places become calls of
it, and the search begins anew, so that helper modules may hold others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

from caffepy.report.pytorch.helper_module import (
    HelperModule,
    Row,
    differing_arguments,
    helper_module,
)
from caffepy.report.pytorch.step import GROUPS, IN, KERNEL, OUT, PAD, STRIDE, Step
from caffepy.report.pytorch.variants import join_variants

LONGEST, MOST_ARGUMENTS, MOST_INPUTS = 60, 10, 3
SMALL = 4
"""Steps of a part in which kernels may differ."""
HEAD_LINES = 8
"""Of a class, beside its modules and statements."""
LEAST_SAVED = 4
MANY, NEARLY = 20, 0.8
MEETS, MEETING = ("Eltwise", "Concat"), 1.5
"""Where branches meet a part is complete; what that counts for."""
FREE = (IN, OUT, STRIDE, GROUPS)
HEAVY = ("nn.Conv", "nn.Linear", "nn.ConvTranspose")


@dataclass(frozen=True)
class _Part:
    """Steps ``start`` to ``end`` of a row."""

    start: int
    end: int
    inputs: tuple[int, ...]
    result: int


def find_blocks(
    steps: list[Step], kept: Collection[int], taken: set[str]
) -> tuple[list[Step], list[HelperModule]]:
    """The steps with calls of helper modules, and those, in the order of their definition.

    ``kept``: values that are read elsewhere.
    """
    blocks: list[HelperModule] = []
    small = _is_of_small_parts(steps)
    while True:
        whole = {block.name for block in blocks if any(step.kind in MEETS for step in block.steps)}
        parts = _best(steps, set(kept), whole, SMALL if small else LONGEST)
        small = False
        made = (
            helper_module(
                _rows(steps, parts), [(part.inputs, part.result) for part in parts], taken
            )
            if parts
            else None
        )
        if made is None:
            break
        taken.add(made.name)
        blocks.append(made)
        for part, call in sorted(zip(parts, made.calls), key=lambda pair: -pair[0].start):
            steps = [*steps[: part.start], call, *steps[part.end :]]
    return join_variants(steps, blocks, taken)


def _rows(steps: Sequence[Step], parts: Sequence[_Part]) -> list[Row]:
    return [list(steps[part.start : part.end]) for part in parts]


def _is_of_small_parts(steps: Sequence[Step]) -> bool:
    """Nearly every product has a normalisation, and branches are concatenated.

    So it is in later Inceptions, where the two are one module.
    """
    kinds = [step.kind for step in steps]
    products = kinds.count("Convolution")
    return (
        products >= MANY
        and kinds.count("Concat") >= 2
        and kinds.count("BatchNorm") >= NEARLY * products
    )


def _best(steps: Sequence[Step], kept: set[int], whole: set[str], longest: int) -> list[_Part]:
    """The places of the part that saves most lines; none where none saves any.

    ``whole``: classes in which branches meet.
    """
    readers: dict[int, list[int]] = defaultdict(list)
    maker: dict[int, int] = {}
    for i, step in enumerate(steps):
        for value in step.inputs:
            readers[value].append(i)
        for value in step.outputs:
            maker[value] = i
    strict = [_token(step, loose=False) for step in steps]
    loose = [_token(step, loose=True) for step in steps]
    best: list[_Part] = []
    most = float(LEAST_SAVED)
    starts = list(range(len(steps)))
    for length in range(1, min(longest, len(steps) // 2) + 1):
        starts = _repeated(loose, starts, length)
        if not starts:
            break
        if length == 1:
            continue
        groups: dict[Hashable, list[_Part]] = defaultdict(list)
        for start in starts:
            part = _part(steps, start, start + length, readers, maker, kept)
            for kinds in (strict, loose) if length <= SMALL else (strict,):
                tokens = tuple(kinds[start : start + length])
                if part is not None and not _is_repetition(tokens):
                    groups[tokens, _wiring(steps, part, maker)].append(part)
        for parts in groups.values():
            apart = _apart(parts)
            saved = _saved(steps, apart, whole)
            if saved >= most and differing_arguments(_rows(steps, apart)) <= MOST_ARGUMENTS:
                best, most = apart, saved
    return best


def _token(step: Step, *, loose: bool) -> Hashable:
    """What two steps must have in common."""
    module = step.module
    if module is None:
        return step.code, len(step.outputs)
    if module.shared:
        return id(module)
    free = (*FREE, KERNEL, PAD) if loose else FREE
    held = tuple((i, arg.value) for i, arg in enumerate(module.args) if arg.role not in free)
    return step.code, module.cls, len(module.args), held, bool(module.children)


def _repeated(tokens: Sequence[Hashable], starts: Sequence[int], length: int) -> list[int]:
    """Those of the starts whose row of tokens of this length begins elsewhere too."""
    found: dict[Hashable, list[int]] = defaultdict(list)
    for start in starts:
        if start + length <= len(tokens):
            found[tuple(tokens[start : start + length])].append(start)
    return sorted(start for group in found.values() if len(group) > 1 for start in group)


def _is_repetition(tokens: Sequence[Hashable]) -> bool:
    """It is a shorter row several times, and maybe a part of that row once more."""
    return any(tokens[n:] == tokens[:-n] for n in range(1, len(tokens) // 2 + 1))


def _part(
    steps: Sequence[Step],
    start: int,
    end: int,
    readers: dict[int, list[int]],
    maker: dict[int, int],
    kept: set[int],
) -> _Part | None:
    """The steps as a part, if one value of theirs, and no other, is read behind them."""
    given: list[int] = []
    results = []
    for step in steps[start:end]:
        given += [
            value
            for value in step.inputs
            if not start <= maker.get(value, -1) < end and value not in given
        ]
        results += [
            value
            for value in step.outputs
            if value in kept or any(i >= end for i in readers[value])
        ]
    if (
        len(results) != 1
        or results[0] not in steps[end - 1].outputs
        or not 1 <= len(given) <= MOST_INPUTS
    ):
        return None
    if _torn(steps, start, readers, maker) or (
        end < len(steps) and steps[end].kind != "Dropout" and _torn(steps, end, readers, maker)
    ):
        return None
    return _Part(start, end, tuple(given), results[0])


def _torn(
    steps: Sequence[Step], place: int, readers: dict[int, list[int]], maker: dict[int, int]
) -> bool:
    """A border there would part a function from what it alone works on.

    So it is with the normalisation of a product.
    """
    step = steps[place]
    if not step.nests or readers[step.inputs[0]] != [place]:
        return (
            step.nests
            and step.module is None
            and place not in maker.values()
            and step.inputs[0] not in maker
        )
    made = steps[maker[step.inputs[0]]] if step.inputs[0] in maker else None
    return step.module is None or (made is not None and made.kind not in MEETS)


def _wiring(steps: Sequence[Step], part: _Part, maker: dict[int, int]) -> Hashable:
    """Which step of the part each input comes from, or which of the part's own inputs it is.

    And which output of the last is the result.
    """
    wires = []
    for step in steps[part.start : part.end]:
        for value in step.inputs:
            if value in part.inputs:
                wires.append((-1, part.inputs.index(value)))
            else:
                made = maker[value]
                wires.append((made - part.start, steps[made].outputs.index(value)))
    return tuple(wires), steps[part.end - 1].outputs.index(part.result)


def _apart(parts: Sequence[_Part]) -> list[_Part]:
    """Those that do not overlap, from the first on."""
    found: list[_Part] = []
    for part in sorted(parts, key=lambda part: part.start):
        if not found or part.start >= found[-1].end:
            found.append(part)
    return found


def _saved(steps: Sequence[Step], parts: Sequence[_Part], whole: set[str]) -> float:
    """Lines that a class for the parts saves, counted higher where branches meet at its end.

    Below 0 for less than two modules, and for several such parts in a row.
    """
    inside = steps[parts[0].start : parts[0].end]
    modules = [step.module for step in inside if step.module]
    heavy = sum(module.cls.startswith(HEAVY) or bool(module.children) for module in modules)
    sums = sum(step.kind == "Eltwise" for step in inside)
    if (
        len(parts) < 2
        or len(modules) < 2
        or heavy < 1
        or sums > 1
        or any(step.kind in whole for step in inside)
    ):
        return -1
    lines = len(modules) + sum(not step.nests for step in inside)
    saved = len(parts) * (lines - 2) - lines - HEAD_LINES
    return (
        saved * MEETING + LEAST_SAVED if any(step.kind in MEETS for step in inside[-2:]) else saved
    )
