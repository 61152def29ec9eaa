"""What the names of a net's repeated layers have in common.

Attributes, instances and classes are named by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from caffepy.report.pytorch.step import Step

SEPARATORS = "/_-. "


def common_names(rows: Sequence[Sequence[str]]) -> tuple[list[str], list[str]]:
    """What is common to the names of each layer, and a name for each place.

    ``rows``: the names of one place's layers.
    """
    starts = [_start(row) for row in rows]
    rests = [tuple(name[len(start) :] for name in row) for row, start in zip(rows, starts)]
    if all(starts) and len(set(rests)) == 1 and all(rests[0]):
        return list(rests[0]), [start.strip(SEPARATORS) for start in starts]
    columns = [[row[i] for row in rows] for i in range(len(rows[0]))]
    middles = [[_middle(name, column) for name, column in zip(row, columns)] for row in rows]
    if all(len(set(middle)) == 1 and middle[0] for middle in middles):
        front = "".join(_ends(columns[0])[0])
        instances = [f"{front}{middle[0]}" for middle in middles]
    else:
        instances = [row[0] for row in rows]
    return [_common(column) for column in columns], instances


def pattern(names: Sequence[str]) -> str:
    """The names as one, with * where they differ."""
    front, back = ("".join(part) for part in _ends(names))
    return names[0] if len(set(names)) == 1 else f"{front}*{back}"


def _start(names: Sequence[str]) -> str:
    """What all the names begin with, up to a separator; nothing for a single one."""
    if len(names) < 2:
        return ""
    start = _common_prefix(names)
    if start in names:  # one name may be the start of the others
        start = start[:-1]
    end = max((start.rfind(c) for c in SEPARATORS), default=-1)
    return start[: end + 1]


def _common_prefix(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    length = 0
    while length < len(first) and first[length] == last[length]:
        length += 1
    return first[:length]


def _tokens(name: str) -> list[str]:
    return re.findall(r"[A-Za-z]+|[0-9]+|[^A-Za-z0-9]", name)


def _ends(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Tokens at the start and at the end that all have."""
    tokens = [_tokens(name) for name in names]
    least = min(map(len, tokens))
    front = 0
    while front < least and len({row[front] for row in tokens}) == 1:
        front += 1
    back = 0
    while back < least - front and len({row[-1 - back] for row in tokens}) == 1:
        back += 1
    return tokens[0][:front], tokens[0][len(tokens[0]) - back :]


def _common(names: Sequence[str]) -> str:
    front, back = ("".join(part) for part in _ends(names))
    return f"{front.rstrip(SEPARATORS)}_{back.lstrip(SEPARATORS)}".strip("_")


def _middle(name: str, names: Sequence[str]) -> str:
    front, back = ("".join(part) for part in _ends(names))
    return name[len(front) : len(name) - len(back)]


def kind_of_block(steps: Sequence[Step]) -> str:
    """A name for the class of these steps."""
    kinds = [step.kind for step in steps]
    convolutions = [
        step.module for step in steps if step.kind.endswith("Convolution") and step.module
    ]
    kernels = [module.args[2].value for module in convolutions if len(module.args) > 2]
    if "Concat" in kinds[-2:]:
        count = next(step.code.count("{") for step in reversed(steps) if step.kind == "Concat")
        return (
            "Fire"
            if count == 2 and len(convolutions) == 3
            else "Inception"
            if count > 2
            else "Merge"
        )
    if "Eltwise" in kinds[-3:]:
        return "Bottleneck" if kernels.count(1) >= 2 and len(kernels) >= 3 else "BasicBlock"
    depthwise = [
        m
        for m in convolutions
        if len(m.args) > 6
        and m.args[6].value not in (1, None)
        and m.args[6].value == m.args[0].value
    ]
    if depthwise and len(convolutions) == 2:
        return "DepthwiseSeparable"
    if len(convolutions) == 1 and "BatchNorm" in kinds:
        return "ConvBatchNorm"
    if len(convolutions) > 1 and not any(step.module and step.module.children for step in steps):
        return "ConvStack"
    return "Block"
