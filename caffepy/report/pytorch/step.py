"""What a file is written from: statements and modules, in place of layers and blobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from torch import Tensor

Array: TypeAlias = npt.NDArray[Any]
Literal: TypeAlias = "bool | int | float | str | tuple[int, ...] | None"

IN, OUT, STRIDE, GROUPS, KERNEL, PAD, OTHER = (
    "in",
    "out",
    "stride",
    "groups",
    "kernel",
    "pad",
    "other",
)
"""What an argument is.

Helper modules take the first four as arguments of their own where these differ, small ones the
next two as well.
"""


@dataclass(frozen=True)
class Arg:
    """An argument of a module's constructor.

    ``name``: its keyword (empty: by position); ``default``: what need not be written.
    """

    value: Literal
    role: str = OTHER
    name: str = ""
    default: Literal = None

    @property
    def written(self) -> bool:
        """It differs from its default."""
        return not self.name or self.value != self.default

    def text(self, value: str) -> str:
        """The argument with this expression as its value."""
        return f"{self.name}={value}" if self.name else value


@dataclass(frozen=True)
class Learned:
    """A parameter of a module: its index in Graph.params and its shape there.

    ``transposed``: the blob has rows and columns swapped.
    """

    param: int
    shape: tuple[int, ...]
    transposed: bool = False

    def view(self, blob: Tensor) -> Tensor:
        """The blob, or its gradient, as the module has it."""
        return blob.reshape(self.shape[::-1]).t() if self.transposed else blob.reshape(self.shape)


@dataclass(eq=False)
class Module:
    """An object that the net has as an attribute.

    ``buffers``: values by name that are not learned. ``children``: of an instance of a helper
    module, by their attributes there. ``ties``: parameters, by name, whose memory is that of
    another module, with that module and its name for it.
    """

    cls: str
    args: tuple[Arg, ...] = ()
    learned: Mapping[str, Learned] = field(default_factory=dict)
    buffers: Mapping[str, Array] = field(default_factory=dict)
    children: Sequence[tuple[str, Module]] = ()
    ties: dict[str, tuple[Module, str]] = field(default_factory=dict)
    shared: bool = False

    def call(self, names: Mapping[int, str] | None = None) -> str:
        """The constructor's call.

        ``names``: expressions for arguments, by their place, in place of their values.
        """
        texts = []
        for place, arg in enumerate(self.args):
            given = (names or {}).get(place)
            if given is not None or arg.written:
                texts.append(arg.text(given if given is not None else literal(arg.value)))
        return f"{self.cls}({', '.join(texts)})"


@dataclass(eq=False)
class Step:
    """One statement: ``code`` with {0}, {1}... for its inputs and {m} for its module.

    ``nests``: it may be written around the expression of its first input. ``layers``: Caffe's names
    of all that it does. ``kind``: the layer's type, or the class of a helper module.
    """

    name: str
    kind: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    code: str
    module: Module | None = None
    helpers: tuple[Any, ...] = ()
    nests: bool = False
    layers: tuple[str, ...] = ()


def literal(value: Literal) -> str:
    """A number as Python writes it; text is an expression already."""
    if isinstance(value, float):
        return number(value)
    return value if isinstance(value, str) else repr(value)


def short(value: float) -> float:
    """The float of the shortest text that is this float32: a field's 1e-5 equals torch's then."""
    return float(str(np.float32(value)))


def number(value: float) -> str:
    """The shortest text that is this float32."""
    single = np.float32(value)
    if not np.isfinite(single):
        return f'float("{value}")'
    plain = float(str(single))
    return repr(int(plain)) if plain == int(plain) and abs(plain) < 1e6 else repr(plain)


def same(values: Sequence[int]) -> int | tuple[int, ...]:
    """One number where all axes have it."""
    return int(values[0]) if len(set(values)) == 1 else tuple(int(n) for n in values)
