"""The flag that says what computes nets of the TEST phase."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import click

from caffepy.engine_names import AUTO, ENGINES, RUNTIMES, TORCH
from caffepy.errors import UsageError
from caffepy.extras import command_for


def engine_flag(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator below ``@click.command``: adds -engine, passed on as the keyword ``engine``."""
    option = click.option(
        "-engine",
        "--engine",
        default=TORCH,
        metavar="NAME",
        help="What computes: torch, or on the CPU onnxruntime or openvino, where it can run the net;"
        " auto: the fastest of those that are installed, by a trial at the start.",
    )
    return option(function)


def checked_engine(engine: str, *, gpu: bool, precision: str = "fp32") -> str:
    """What -engine says; torch for auto where the other flags leave only that.

    UsageError where it names no engine, one that is not installed, or one that the other flags rule
    out.
    """
    if engine not in ENGINES:
        raise UsageError(f"-engine {engine}; needed: {', '.join(ENGINES[:-1])} or {ENGINES[-1]}")
    if engine in RUNTIMES and importlib.util.find_spec(engine) is None:
        install = command_for(engine)
        raise UsageError(
            f"-engine {engine}: the Python package '{engine}' is not installed; needed:"
            f" {f'{install}, or ' if install else ''}-engine torch"
        )
    if engine == AUTO and (gpu or precision != "fp32"):
        return TORCH
    if engine != TORCH and gpu:
        raise UsageError(f"-engine {engine} computes on the CPU; needed: no GPU, or -engine torch")
    if engine != TORCH and precision != "fp32":
        raise UsageError(
            f"-engine {engine} computes in fp32;"
            f" needed: no -precision {precision}, or -engine torch"
        )
    return engine
