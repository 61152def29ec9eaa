"""The flag that lets onnxruntime compute nets of the TEST phase."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from caffepy.errors import UsageError

TORCH = "torch"
ONNXRUNTIME = "onnxruntime"
ENGINES = (TORCH, ONNXRUNTIME)


def engine_flag(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator below ``@click.command``: adds -engine, passed on as the keyword ``engine``."""
    option = click.option(
        "-engine",
        "--engine",
        default=TORCH,
        metavar="NAME",
        help="What computes: torch, or onnxruntime, on the CPU, where it can run the net.",
    )
    return option(function)


def wants_onnxruntime(engine: str, *, gpu: bool, precision: str = "fp32") -> bool:
    """Whether -engine says onnxruntime.

    UsageError where it names no engine, or one that the other flags rule out.
    """
    if engine not in ENGINES:
        raise UsageError(f"-engine {engine}; needed: {' or '.join(ENGINES)}")
    if engine == ONNXRUNTIME and gpu:
        raise UsageError(
            "-engine onnxruntime computes on the CPU; needed: no GPU, or -engine torch"
        )
    if engine == ONNXRUNTIME and precision != "fp32":
        raise UsageError(
            "-engine onnxruntime computes in fp32;"
            f" needed: no -precision {precision}, or -engine torch"
        )
    return engine == ONNXRUNTIME
