"""Weights and solver states in HDF5, in Caffe's own layout.

Weights: ``/data/<layer>/<i>`` float32, a group for every layer, with or without blobs; diffs
likewise under ``/diff``.  A shared blob stands only with its owner.  A layer called ``/conv1//3x3``
has the group ``conv1/3x3``, with its name in the attribute ``name``. States: ``iter`` and
``current_step`` (int32, shape (1,)), ``learned_net`` (a fixed-length string), ``history/<i>``; and,
unknown to the real Caffe and skipped by it, ``run_state`` (bytes).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from caffepy.errors import CaffeError, WeightsError
from caffepy.extras import why_not_imported
from caffepy.proto.as_float32 import as_float32
from caffepy.proto.atomic import MAPPED_BYTES, atomic_write, is_pipe, refuse_pipe
from caffepy.proto.file_contents import Array, LayerBlobs, SavedState

if TYPE_CHECKING:
    import h5py

NUMBER = re.compile(r"[0-9]{1,4}")
ALWAYS_READ_BYTES, MOST_PACKED = 1 << 28, 1100
"""Limits against damaged files.

A dataset of up to ``ALWAYS_READ_BYTES`` bytes is read whatever its file says. Of a larger one, a
stored byte stands for at most ``MOST_PACKED`` bytes, which is gzip's best.
"""
MOST_SLASHES = 16
"""Most slashes in the name of a layer, since damaged groups can contain each other."""
DAMAGES = (OSError, RuntimeError, LookupError, ValueError, TypeError)
"""Exceptions that h5py raises for a damaged file."""
SIGNATURE = b"\x89HDF\r\n\x1a\n"
Arrays = Sequence[npt.NDArray[np.generic] | None]


def is_hdf5(path: str | os.PathLike[str]) -> bool:
    """Whether the file is HDF5, by its first bytes.

    False for a file that cannot be opened, and for a pipe, whose bytes come only once.
    """
    if is_pipe(path):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE
    except OSError:
        return False


def read_net(path: str | os.PathLike[str]) -> list[LayerBlobs]:
    """Every layer in a ``.caffemodel.h5``, in name order."""
    with _opened(path) as file:
        if "data" not in file:
            advice = (
                "; it holds a solver's state: the weights are in the .caffemodel.h5 beside it"
                if "history" in file
                else ""
            )
            raise WeightsError(
                f"{os.fspath(path)}: Error reading weights: the file has no group 'data'{advice}"
            )
        return [
            LayerBlobs(str(group.attrs.get("name", name)), "", _numbered(group))
            for name, group in _layers(_group(file, "data"), "")
        ]


def write_net(
    path: str | os.PathLike[str],
    layers: Sequence[tuple[str, Arrays]],
    *,
    diffs: Sequence[Arrays] | None = None,
) -> None:
    """Write layers by name; None is left out."""
    check_names([(name, len(arrays)) for name, arrays in layers], path=path)
    with created(path) as file:
        for index, (name, arrays) in enumerate(layers):
            group = _write_numbered(file, f"data/{_group_name(name)}", arrays)
            if name != _group_name(name):
                group.attrs["name"] = name
            if diffs is not None:
                _write_numbered(file, f"diff/{_group_name(name)}", diffs[index])


def check_names(layers: Sequence[tuple[str, int]], *, path: str | os.PathLike[str]) -> None:
    """WeightsError if two layers would have the same place in an HDF5 file.

    ``layers``: name and number of blobs of each.
    """
    owners: dict[str, str] = {}
    for name, count in layers:
        for place in (f"{_group_name(name)}/{i}" for i in range(count)):
            if place in owners:
                raise _clash(path, owners[place], name)
            owners[place] = name
    for name, _ in layers:
        for place in accumulate(_group_name(name).split("/"), "{}/{}".format):
            if place in owners:
                raise _clash(path, owners[place], name)


def _group_name(layer: str) -> str:
    """The path that HDF5 makes of a layer's name."""
    return (
        "/".join(part for part in layer.partition("\0")[0].split("/") if part not in ("", "."))
        or "unnamed"
    )


def _clash(path: str | os.PathLike[str], one: str, other: str) -> WeightsError:
    return WeightsError(
        f"{os.fspath(path)}: the layers '{one}' and '{other}' have one place in an HDF5"
        " file; needed: other names, or a binary file"
    )


def read_state(path: str | os.PathLike[str]) -> SavedState:
    """Read a ``.solverstate.h5``."""
    with _opened(path) as file:
        if "iter" not in file or "history" not in file:
            advice = (
                "; it holds weights; needed: the .solverstate.h5 of a snapshot"
                if "data" in file
                else ""
            )
            raise WeightsError(
                f"{os.fspath(path)}: not a solver's state: no 'iter' and 'history'{advice}"
            )
        learned = file["learned_net"][()] if "learned_net" in file else b""
        return SavedState(
            iter=_integer(file, "iter"),
            learned_net=learned.decode(errors="surrogateescape")
            if isinstance(learned, bytes)
            else str(learned),
            current_step=_integer(file, "current_step"),
            history=[array for array in _numbered(_group(file, "history")) if array is not None],
            minimum_loss=float(_first(file, "minimum_loss")) if "minimum_loss" in file else None,
            iter_last_event=_integer(file, "iter_last_event"),
            run_state=bytes(_array(file, "run_state").astype(np.uint8))
            if "run_state" in file
            else b"",
        )


def write_state(path: str | os.PathLike[str], state: SavedState) -> None:
    """Write a ``.solverstate.h5``."""
    with created(path) as file:
        file["iter"] = np.array([state.iter], np.int32)
        _write_string(file, "learned_net", state.learned_net.encode(errors="surrogateescape"))
        file["current_step"] = np.array([state.current_step], np.int32)
        if state.minimum_loss is not None:
            file["minimum_loss"] = np.array([state.minimum_loss], np.float32)
            file["iter_last_event"] = np.array([state.iter_last_event], np.int32)
        _write_numbered(file, "history", state.history)
        if state.run_state:
            file["run_state"] = np.frombuffer(state.run_state, np.uint8)


def _integer(file: h5py.File, name: str) -> int:
    """An int32 dataset of one value; 0 when the file has none."""
    return int(_first(file, name)) if name in file else 0


def _first(file: h5py.File, name: str) -> np.generic:
    value: np.generic = _array(file, name).flat[0]
    return value


def _h5py(path: str | os.PathLike[str]) -> ModuleType:
    try:
        import h5py
    except ImportError as error:
        raise WeightsError(f"{os.fspath(path)}, an HDF5 file: {why_not_imported(error)}") from error
    module: ModuleType = h5py
    return module


def open_hdf5(path: str | os.PathLike[str]) -> h5py.File:
    """Open an h5py.File for reading.

    OSError, or another of `DAMAGES`, if that is not possible.
    """
    import h5py

    refuse_pipe(path)
    return h5py.File(path, "r")


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[h5py.File]:
    _h5py(path)
    try:
        with open_hdf5(path) as file:
            yield file
    except DAMAGES as error:
        if isinstance(error, WeightsError):
            raise
        said = (str(error) or type(error).__name__).splitlines()[0]
        raise WeightsError(
            f"{os.fspath(path)}: Couldn't open or read the HDF5 file: {said}"
        ) from error


@contextmanager
def created(
    path: str | os.PathLike[str], *, error: type[CaffeError] = WeightsError
) -> Iterator[h5py.File]:
    """An h5py.File to fill, which gets its name when it is complete.

    ``error`` if it cannot be written.
    """
    h5py = _h5py(path)
    # a stream of ours: where HDF5 itself meets a full disk, the process may end with a segmentation
    # fault
    with atomic_write(path, error=error) as temporary, open(temporary, "w+b") as stream:
        try:
            with h5py.File(stream, "w") as file:
                yield file
        except (
            RuntimeError,
            SystemError,
        ) as failure:  # h5py's ways to report a full disk, the second with Python 3.13
            raise _error_of_the_disk(failure) from failure


def _error_of_the_disk(failure: BaseException) -> OSError:
    """The error of the file that h5py's came from, or one with h5py's words."""
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno is not None:
            return OSError(cause.errno, cause.strerror)
        cause = cause.__cause__ or cause.__context__
    return OSError(str(failure))


def _layers(group: h5py.Group, name: str) -> Iterator[tuple[str, h5py.Group]]:
    """The groups of layers; a layer called ``conv1/7x7`` is a group in a group."""
    groups = [(key, child) for key, child in group.items() if hasattr(child, "items")]
    if name and (len(groups) < len(group) or not groups):
        yield name, group
    for key, child in groups if name.count("/") < MOST_SLASHES else ():
        yield from _layers(child, f"{name}/{key}" if name else key)


def _group(file: h5py.File, name: str) -> h5py.Group:
    if not hasattr(file[name], "items"):
        raise ValueError(f"'{name}' is not a group")
    return file[name]


def _numbered(group: h5py.Group) -> list[Array | None]:
    """Datasets 0, 1, ... of a group as float32; None for a number left out."""
    arrays = {int(key): _array(group, key) for key in group if NUMBER.fullmatch(key)}
    return [
        as_float32(arrays[index]) if index in arrays else None
        for index in range(max(arrays, default=-1) + 1)
    ]


def _array(group: h5py.Group, name: str) -> npt.NDArray[Any]:
    """The values of a dataset.

    ValueError if it is no array of numbers, or is larger than its file can hold.
    """
    dataset = group[name]
    if getattr(dataset, "shape", None) is None or dataset.dtype.kind not in "fiu":
        raise ValueError(f"'{group.name}/{name}' is not a dataset of numbers")
    check_stored(dataset)
    mapped = _mapped(dataset) if dataset.nbytes >= MAPPED_BYTES else None
    return np.asarray(dataset[()]) if mapped is None else mapped


def _mapped(dataset: h5py.Dataset) -> Array | None:
    """The values as a map of the file, if they are float32, contiguous and not compressed."""
    offset = dataset.id.get_offset()
    if offset is None or not dataset.id.get_type().equal(
        _h5py(dataset.file.filename).h5t.IEEE_F32LE
    ):
        return None
    with suppress(
        OSError, ValueError
    ):  # a file system that maps no files; a file that ends too soon, which h5py can tell of
        return np.asarray(
            np.memmap(dataset.file.filename, np.dtype("<f4"), "r", offset, dataset.shape)
        )
    return None


def check_stored(dataset: h5py.Dataset) -> None:
    """ValueError for a damaged dataset that claims far more values than are stored."""
    size = dataset.size * dataset.dtype.itemsize
    stored = dataset.id.get_storage_size()
    if size > ALWAYS_READ_BYTES + MOST_PACKED * stored:
        raise ValueError(
            f"dataset '{dataset.name}' of shape {dataset.shape} has {stored} bytes in the"
            f" file; needed: about {size}"
        )


def _write_numbered(file: h5py.File, name: str, arrays: Arrays) -> h5py.Group:
    group = file.require_group(name)
    for index, array in enumerate(arrays):
        if array is not None:
            group.create_dataset(str(index), data=np.asarray(array, np.float32))
    return group


def _write_string(file: h5py.File, name: str, value: bytes) -> None:
    """Write a scalar string that ends with a NUL, which Caffe needs and h5py leaves out."""
    h5py = _h5py(name)
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(len(value) + 1)
    kind.set_strpad(h5py.h5t.STR_NULLTERM)
    dataset = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR))
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array(value, f"S{len(value) + 1}"), kind)
