"""Helper modules that differ in a chain from the input alone, made one with a switch.

Residual blocks with and without a projection are such.
"""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.report.pytorch.helper_module import HelperModule, Row, helper_module
from caffepy.report.pytorch.step import Step


def join_variants(
    steps: list[Step], blocks: list[HelperModule], taken: set[str]
) -> tuple[list[Step], list[HelperModule]]:
    """The steps and helper modules with one in place of two that go together.

    The names that are free again leave ``taken``.
    """
    for larger in blocks:
        for smaller in blocks:
            joined = _joined(larger, smaller, taken)
            if joined is not None:
                calls = dict(zip([*larger.calls, *smaller.calls], joined.calls))
                taken -= {larger.name, smaller.name}
                taken.add(joined.name)
                place = min(blocks.index(larger), blocks.index(smaller))
                rest = [block for block in blocks if block not in (larger, smaller)]
                return join_variants(
                    [calls.get(step, step) for step in steps],
                    [*rest[:place], joined, *rest[place:]],
                    taken,
                )
    return steps, blocks


def _joined(larger: HelperModule, smaller: HelperModule, taken: set[str]) -> HelperModule | None:
    more = len(larger.steps) - len(smaller.steps)
    if (
        more < 1
        or len(larger.inputs) != 1
        or len(smaller.inputs) != 1
        or larger.optional
        or smaller.optional
    ):
        return None
    for start in range(len(larger.steps) - more):
        chain = tuple(range(start, start + more))
        if _is_chain(larger, chain) and _is_like(larger, smaller, chain):
            break
    else:
        return None
    rows: list[Row] = list(larger.rows)
    for row in smaller.rows:
        rows.append([*row[: chain[0]], *[None] * more, *row[chain[0] :]])
    ends = [(call.inputs, call.outputs[0]) for call in (*larger.calls, *smaller.calls)]
    return helper_module(rows, ends, taken - {larger.name, smaller.name}, chain)


def _is_chain(block: HelperModule, chain: Sequence[int]) -> bool:
    """Each of the steps reads the one before it alone, the first the block's input."""
    value = block.inputs[0]
    for i in chain:
        step = block.steps[i]
        if step.inputs != (value,) or len(step.outputs) != 1:
            return False
        value = step.outputs[0]
    inner = {block.steps[i].outputs[0] for i in chain[:-1]}
    return not any(
        value in inner
        for i, step in enumerate(block.steps)
        if i not in chain
        for value in step.inputs
    )


def _is_like(larger: HelperModule, smaller: HelperModule, chain: Sequence[int]) -> bool:
    """Without the chain, its result being its input, the steps are those of the smaller one."""
    values = {
        larger.inputs[0]: smaller.inputs[0],
        larger.steps[chain[-1]].outputs[0]: smaller.inputs[0],
    }
    rest = [step for i, step in enumerate(larger.steps) if i not in chain]
    for step, other in zip(rest, smaller.steps):
        if step.code != other.code or [values.get(value) for value in step.inputs] != list(
            other.inputs
        ):
            return False
        if (step.module is None) != (other.module is None):
            return False
        if (
            step.module
            and other.module
            and (step.module.cls, len(step.module.args))
            != (other.module.cls, len(other.module.args))
        ):
            return False
        values |= dict(zip(step.outputs, other.outputs))
    return True
