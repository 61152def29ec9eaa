"""Arguments as scripts give them, checked and brought into one form."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from caffepy.layers.base import TEST, TRAIN
from caffepy.pycaffe.blob import Array
from caffepy.pycaffe.errors import WrongType, WrongValue

Path = str | os.PathLike[str]
TORCH, ONNXRUNTIME = "torch", "onnxruntime"
VARIABLE = "CAFFEPY_ENGINE"


def net_arguments(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[int, int, list[str], Path | None]:
    """Phase, level, stages and weights, as either form of the constructor gives them."""
    old = bool(args) and isinstance(args[0], (str, os.PathLike))
    names = ("weights", "phase") if old else ("phase", "level", "stages", "weights")
    given = dict(zip(names, args))
    wrong = [name for name in kwargs if name in given or name not in names]
    if wrong or len(args) > len(names) or "phase" not in {**given, **kwargs}:
        reason = f"{wrong[0]} is not expected here" if wrong else "too many arguments" if len(args) > len(names) else "no phase given"
        raise WrongType(f"Net: {reason}; needed: Net(network_file, phase, level=0, stages=None, weights=None), phase caffe.TRAIN or TEST")
    given.update(kwargs)
    phase, level, stages, weights = (given.get(name) for name in ("phase", "level", "stages", "weights"))
    if phase not in (TRAIN, TEST):
        raise WrongValue(f"Net: phase is {phase!r}; needed: caffe.TRAIN or caffe.TEST")
    if isinstance(stages, str) or not all(isinstance(stage, str) for stage in stages or ()):
        raise WrongType(f"Net: stages is {stages!r}; needed: a list of names")
    return phase, int(level or 0), list(stages or ()), weights


def chosen_engine(kwargs: dict[str, Any]) -> str:
    """The keyword ``engine``, which is taken out, or what the environment says of it."""
    given = kwargs.pop("engine", None)
    engine = os.environ.get(VARIABLE, TORCH) if given is None else given
    if engine not in (TORCH, ONNXRUNTIME):
        what = f"{VARIABLE} is" if given is None else "Net: engine is"
        raise WrongValue(f"{what} {engine!r}; needed: '{TORCH}' or '{ONNXRUNTIME}'")
    return str(engine)


def file_name(path: Path) -> str:
    """``path`` as text; WrongType if it is no name of a file."""
    if not isinstance(path, (str, os.PathLike)):
        raise WrongType(f"{path!r} is no file name")
    return os.fspath(path)


def fill(what: str, target: Array, array: Any) -> None:
    """Put ``array`` into a blob's memory; it may be smaller only in axes of one element, not in the first."""
    values = np.asarray(array, np.float32)
    if target.ndim and values.shape[:1] != target.shape[:1]:
        raise WrongValue(f"{what} is not batch sized: shape {values.shape}, the blob has {target.shape}; reshape the blob first")
    try:
        target[...] = values
    except ValueError:
        raise WrongValue(f"{what} has shape {values.shape}; needed: {target.shape}, or reshape the blob first") from None
