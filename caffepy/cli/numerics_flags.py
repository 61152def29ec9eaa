"""The flags about the numbers that nets compute in, as one value for the commands that run them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

PRECISION = (
    "fp32, tf32 (a GPU's products in 19 bits), bf16 or fp16"
    " (products in 16 bits, the loss scaled for fp16; parameters stay 32 bits)."
)


def numerics_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator below ``@click.command``: adds these flags.

    They are passed on as the keyword ``numerics``, a dict for ``Numerics``.
    """

    @click.option("-precision", "--precision", default="fp32", metavar="NAME", help=PRECISION)
    @click.option(
        "-deterministic",
        "--deterministic",
        is_flag=True,
        help="The same bits from the same start, where torch can.",
    )
    @functools.wraps(function)
    def wrapper(*, precision: str, deterministic: bool, **given: object) -> object:
        return function(numerics={"precision": precision, "deterministic": deterministic}, **given)

    return wrapper
