"""Which function writes a layer type in torch: one dict and one decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from caffepy.registry import Registry
from caffepy.report.pytorch.site import Form, Site

Writes: TypeAlias = Callable[[Site], "Form | list[Form]"]
"""The statement of a layer, or one for each of its tops."""

FORMS: Registry[Writes] = Registry("torch form of layer type")


def form(*types: str) -> Callable[[Writes], Writes]:
    """Decorator: the function writes layers of these types."""
    return FORMS.named(*types)
