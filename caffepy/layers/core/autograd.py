"""The one place where torch's untyped way of calling an autograd function is typed."""

from __future__ import annotations

from typing import Any

import torch


def apply(function: type[torch.autograd.Function], *arguments: Any) -> Any:
    """``function.apply(*arguments)``: its forward now, its backward when autograd comes to it."""
    return function.apply(*arguments)
