"""Functions of tensors written operator by operator, which run without Python (TorchScript's)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from torch import Tensor


class Name(str):
    """A tensor of a program."""

    __slots__ = ()


Constant: TypeAlias = "int | float | bool | str | Sequence[int] | Sequence[bool] | None"


class Program:
    """Calls of torch's operators, in the order in which they are added."""

    def __init__(self, inputs: int) -> None:
        """``inputs``: how many tensors the function takes."""
        self.inputs = [Name(f"%input{i}") for i in range(inputs)]
        self._lines: list[str] = []
        self._number = 0

    def call(self, operator: str, *arguments: Name | Constant) -> Name:
        """Add a call, with all arguments of the operator's schema. Returns its result."""
        return self.calls(operator, *arguments, results=1)[0]

    def calls(self, operator: str, *arguments: Name | Constant, results: int) -> list[Name]:
        """Add a call of an operator that gives several tensors."""
        given = [a if isinstance(a, Name) else self._constant(a) for a in arguments]
        tops = [self._name() for _ in range(results)]
        typed = ", ".join(f"{top} : Tensor" for top in tops)
        self._lines.append(f"{typed} = {operator}({', '.join(given)})")
        return tops

    def product(self, rows: Name, weight: Name, bias: Name | None) -> Name:
        """(M, K), (N, K) and (N,) → (M, N), as `products` has it of large matrices."""
        scalars = self._add("Scalar?[]", "prim::ListConstruct()")
        algorithm = self._add("str?", "prim::Constant()")
        return self.call(
            "mkldnn::_linear_pointwise", rows, weight, bias, "none", scalars, algorithm
        )

    def function(self, results: Sequence[Name]) -> Callable[..., tuple[Tensor, ...]]:
        """The function. RuntimeError where torch has other operators."""
        head = f"graph({', '.join(f'{name} : Tensor' for name in self.inputs)}):"
        types = ", ".join("Tensor" for _ in results)
        end = f"%results : ({types}) = prim::TupleConstruct({', '.join(results)})"
        text = "\n  ".join([head, *self._lines, end, "return (%results)"])
        graph = torch._C.parse_ir(text)
        made: Callable[..., tuple[Tensor, ...]]
        made = torch._C._create_function_from_graph("one_pass", graph)
        return made

    def _constant(self, value: Constant) -> Name:
        if value is None:
            return self._add("NoneType", "prim::Constant()")
        if isinstance(value, str):
            return self._add("str", f'prim::Constant[value="{value}"]()')
        if isinstance(value, bool):
            return self._add("bool", f"prim::Constant[value={int(value)}]()")
        if isinstance(value, int | float):
            return self._add(type(value).__name__, f"prim::Constant[value={value!r}]()")
        kind = "bool" if isinstance(value[0], bool) else "int"
        items = ", ".join(self._constant(each) for each in value)
        return self._add(f"{kind}[]", f"prim::ListConstruct({items})")

    def _add(self, kind: str, expression: str) -> Name:
        name = self._name()
        self._lines.append(f"{name} : {kind} = {expression}")
        return name

    def _name(self) -> Name:
        self._number += 1
        return Name(f"%{self._number}")
