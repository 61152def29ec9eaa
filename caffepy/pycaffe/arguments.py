"""Arguments as scripts give them, checked and brought into one form."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

import numpy as np

from caffepy import log
from caffepy.engine_names import ENGINES, TORCH
from caffepy.errors import CaffeError
from caffepy.layers.core.base import TEST, TRAIN
from caffepy.proto.atomic import not_found
from caffepy.pycaffe.blob import Array
from caffepy.pycaffe.errors import WrongType, WrongValue

Path = str | bytes | os.PathLike[str]
VARIABLE = "CAFFEPY_ENGINE"
INT32 = range(-(2**31), 2**31)


def net_arguments(
    network_file: Path, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[int, int, list[str], Path | None]:
    """Phase, level, stages and weights, as either form of the constructor gives them.

    A line in the log speaks of the old one.
    """
    old = bool(args) and isinstance(args[0], (str, bytes, os.PathLike))
    takes = ("weights", "phase") if old else ("phase", "level", "stages", "weights")
    given = dict(zip(takes, args))
    wrong = [name for name in kwargs if name in given or name not in takes]
    if wrong or len(args) > len(takes) or "phase" not in {**given, **kwargs}:
        reason = "no phase given"
        if wrong:
            reason = f"{wrong[0]} is not expected here"
        elif len(args) > len(takes):
            reason = "too many arguments"
        raise WrongType(
            f"Net: {reason}; needed: Net(network_file, phase, level=0, stages=None,"
            " weights=None), phase caffe.TRAIN or TEST"
        )
    given.update(kwargs)
    phase = given.get("phase")
    level = given.get("level")
    if phase not in (TRAIN, TEST):
        raise WrongValue(f"Net: phase is {phase!r}; needed: caffe.TRAIN or caffe.TEST")
    if old:
        log.warning("_caffe.cpp:139", "DEPRECATION WARNING - deprecated use of Python interface")
        log.warning("_caffe.cpp:140", 'Use this instead (with the named "weights" parameter):')
        log.warning(
            "_caffe.cpp:142",
            f"Net('{file_name(network_file)}', {phase}, weights='{file_name(args[0])}')",
        )
    return (
        phase,
        whole("Net: level", 0 if level is None else level, INT32),
        names("Net: stages", given.get("stages")),
        given.get("weights"),
    )


def names(what: str, given: object) -> list[str]:
    """A list of names, empty for None; WrongType for anything else."""
    if given is None:
        return []
    if (
        not isinstance(given, Iterable)
        or isinstance(given, (str, bytes))
        or not all(isinstance(name, str) for name in given)
    ):
        raise WrongType(f"{what} is {given!r}; needed: a list of names")
    return list(given)


def whole(what: str, number: Any, allowed: range | None = None) -> int:
    """A whole number; WrongType for any other, WrongValue for one that is not ``allowed``."""
    try:
        given = index(number)
    except TypeError:
        raise WrongType(f"{what} is {number!r}; needed: a whole number") from None
    if allowed is not None and given not in allowed:
        raise WrongValue(f"{what} is {given}; needed: {allowed.start} to {allowed.stop - 1}")
    return given


def chosen_engine(kwargs: dict[str, Any]) -> str:
    """The keyword ``engine``, which is taken out, or what the environment says of it."""
    given = kwargs.pop("engine", None)
    engine = (os.environ.get(VARIABLE) or TORCH) if given is None else given
    if engine not in ENGINES:
        what = f"{VARIABLE} is" if given is None else "Net: engine is"
        raise WrongValue(
            f"{what} {engine!r}; needed: {', '.join(map(repr, ENGINES[:-1]))} or {ENGINES[-1]!r}"
        )
    return str(engine)


def file_name(path: object) -> str:
    """``path`` as text; WrongType if it is no name of a file."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise WrongType(f"{path!r} is no file name")
    name = os.fsdecode(path)
    if "\0" in name:
        raise WrongValue(f"{name!r} is no file name; needed: text without a zero character")
    return name


def readable_file(path: Path, error: type[CaffeError]) -> str:
    """``path`` as text, of a file that is there and may be read; ``error`` where none is."""
    name = file_name(path)
    if not os.access(name, os.R_OK):
        raise error(
            f"Could not open file {name}:"
            f" {'no right to read it' if os.path.exists(name) else not_found(name)}"
        )
    return name


def floats(what: str, array: object) -> Array:
    """``array`` as float32. WrongValue where it holds anything but real numbers."""
    try:
        values = np.asarray(array)
        if array is None or np.iscomplexobj(values):
            raise ValueError(f"it is {'nothing' if array is None else 'complex'}")
        return np.asarray(values, np.float32)
    except (TypeError, ValueError, RuntimeError) as error:
        raise WrongValue(f"{what} cannot be read as an array of numbers: {error}") from None


def fill(what: str, name: str, target: Array, array: object) -> None:
    """Put ``array`` into the memory of blob ``name``.

    It may be smaller only in axes of one element, not in the first.
    """
    values = floats(f"{what} '{name}'", array)
    if target.ndim and values.shape[:1] != target.shape[:1]:
        raise WrongValue(
            f"{what} is not batch sized: '{name}' of shape {values.shape}, the blob has"
            f" {target.shape}; reshape the blob first"
        )
    try:
        target[...] = values
    except ValueError:
        raise WrongValue(
            f"{what} '{name}' has shape {values.shape}; needed: {target.shape}, or reshape"
            " the blob first"
        ) from None


def plane(what: str, dims: Any) -> tuple[int, int]:
    """Height and width; WrongValue for anything but two whole numbers."""
    if np.shape(dims) != (2,):
        raise WrongValue(f"{what} is {dims!r}; needed: (height, width)")
    return whole(what, dims[0]), whole(what, dims[1])


def ordering(what: str, order: object, length: int, of: str, *, once: bool) -> tuple[int, ...]:
    """Numbers of some of the ``length`` axes or channels, as many as these; each ``once``."""
    given = tuple(whole(what, n) for n in order) if isinstance(order, Iterable) else ()
    repeats = len(set(given)) != length
    if len(given) != length or not set(given) <= set(range(length)) or (once and repeats):
        numbers = f"numbers from 0 to {length - 1}{', each once' if once else ''}"
        raise WrongValue(
            f"{what} {order!r} needs to have the same number of dimensions as the {of}:"
            f" {length} {numbers}"
        )
    return given


def factor(what: str, scale: object) -> float:
    """One real number; WrongValue for anything else."""
    value = floats(what, scale)
    if value.ndim:
        raise WrongValue(f"{what} is {scale!r}; needed: a number")
    return scale if isinstance(scale, (int, float)) else float(value)
