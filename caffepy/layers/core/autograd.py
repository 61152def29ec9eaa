"""Types for autograd functions, which torch leaves without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import FunctionCtx


class Context(FunctionCtx):
    """``ctx`` of an autograd function: forward leaves there what backward needs."""

    if TYPE_CHECKING:
        saved_tensors: tuple[Any, ...]  # each a Tensor, or None
        needs_input_grad: tuple[bool, ...]

        def save_for_backward(self, *tensors: Tensor | None) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: object) -> None: ...


def apply(function: type[Function], *arguments: object) -> Any:
    """``function.apply(*arguments)``: its forward now, its backward when autograd comes to it."""
    return function.apply(*arguments)
