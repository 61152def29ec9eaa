"""Source of the HDF5Data layer: rows of datasets in one or more HDF5 files."""

# N batch

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from caffepy import log
from caffepy.data.c_rand import CRand
from caffepy.data.list_files import read_bytes
from caffepy.data.shard import CONTIGUOUS, Shard, Walk
from caffepy.data.source import Batch, Source, State
from caffepy.data.transformer import RandomStream
from caffepy.errors import DataError, nearest
from caffepy.proto import caffe_pb2
from caffepy.proto.as_float32 import as_float32
from caffepy.proto.hdf5 import DAMAGES, check_stored, is_hdf5, open_hdf5

if TYPE_CHECKING:
    import h5py

Floats = npt.NDArray[np.float32]


class HDF5DataSource(Source):
    """One top for each dataset of the top's name.

    Rows are in order, or shuffled anew for each pass through a file.
    """

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with hdf5_data_param.

        DataError if a file cannot be used.
        """
        super().__init__(shard)
        if param.HasField("transform_param"):
            raise DataError("HDF5Data does not transform data.")
        data = param.hdf5_data_param
        self._batch_size = int(data.batch_size)
        self._shuffle = bool(data.shuffle)
        if self._batch_size == 0:
            raise DataError("hdf5_data_param.batch_size is 0; needed: at least 1")
        self._tops = tuple(param.top)
        log.info("hdf5_data_layer.cpp:81", f"Loading list of HDF5 filenames from: {data.source}")
        self._files = read_names(data.source)
        log.info("hdf5_data_layer.cpp:95", f"Number of HDF5 files: {len(self._files)}")
        self._values: list[Floats] = []
        self._held = ""  # the name of their file
        self._random: CRand | None = None  # set by `_start`
        self._file_order = np.arange(len(self._files))
        # ranks that divide the rows need the lengths of files that they do not read
        self._lengths = (
            [] if shard.sharers == 1 else [count_rows(name, self._tops[0]) for name in self._files]
        )
        if self._lengths:
            shard.check(sum(self._lengths), data.source)
        self._walk = Walk(shard, sum(self._lengths))
        self._file = self._first_place = 0
        self._rows: npt.NDArray[np.int64] = np.arange(0)
        self._written: str | None = None  # the rows' order as text, made once a pass
        self.shapes = tuple((self._batch_size, *values.shape[1:]) for values in self._loaded())

    def seed(self, stream: RandomStream) -> None:
        """Begin; no number is drawn.

        Caffe shuffles by C's own ``rand()``, which has no seed and which all layers of a process
        share. Ranks that divide the rows need the same order of them, whatever else each rank
        shuffles. So each of their layers has a generator of its own, and so has a source that reads
        for several ranks.
        """
        shared: CRand | None = getattr(stream, "c_rand", None)
        self._start((shared if self.shard.sharers == 1 else None) or CRand())

    def _start(self, random: CRand | None = None) -> CRand:
        """Shuffle files and rows for the first time, unless that is done."""
        if self._random is None:
            self._random = random or CRand()
            if self._shuffle and len(self._files) > 1:
                self._file_order = self._random.shuffle(self._file_order)
            self._enter()
        return self._random

    def _make(self) -> Batch:
        self._start()
        places = self._walk.take(self._batch_size)
        outs = [self.pool.take(shape) for shape in self.shapes]
        done = 0
        while done < len(places):
            own = places[done:] - self._first_place
            own = self._rows[own[own < len(self._rows)]]
            if not len(own):
                self._first_place += len(self._rows)
                self._next_pass()
                continue
            for top, out, values in zip(self._tops, outs, self._loaded()):
                if values.shape[1:] != out.shape[1:]:
                    raise DataError(
                        f"'{self._name()}', dataset '{top}': rows of {values.shape[1:]},"
                        f" those of the first file are {out.shape[1:]}; "
                        "needed: rows of one shape"
                    )
                np.take(values, own, axis=0, out=out[done : done + len(own)], mode="clip")
            done += len(own)
        if self._walk.passed - self._first_place == len(self._rows) and self._walk.size == 1:
            # Caffe shuffles right after the last row, so before a test that shuffles too
            self._first_place += len(self._rows)
            self._next_pass()
        return tuple(torch.from_numpy(out) for out in outs)

    def skip(self, batches: int) -> None:
        for _ in range(batches):
            self._walk.take(self._batch_size)

    def _next_pass(self) -> None:
        """Go to the next file, or begin this one again if it is the only one."""
        if len(self._files) > 1:
            self._file += 1
            if self._file == len(self._files):
                self._file = 0
                if self._shuffle:
                    self._file_order = self._start().shuffle(self._file_order)
            self._enter()
        if self._shuffle:
            self._rows = self._start().shuffle(self._rows)
            self._written = None

    def _name(self) -> str:
        return self._files[int(self._file_order[self._file])]

    def _enter(self) -> None:
        """Begin with the current file."""
        self._rows = np.arange(self._count())
        self._written = None
        if self._shuffle:
            self._rows = self._start().shuffle(self._rows)

    def _count(self) -> int:
        """Rows of the current file."""
        return (
            self._lengths[int(self._file_order[self._file])]
            if self._lengths
            else len(self._loaded()[0])
        )

    def _loaded(self) -> list[Floats]:
        """The current file's datasets, one for each top."""
        name = self._name()
        if name != self._held:
            self._values = []  # frees the memory first
            self._values = read_file(name, self._tops)
            self._held = name
        return self._values

    def state(self) -> State:
        random = self._start()
        state: State = {
            "passed": self._walk.passed,
            "file": self._file,
            "first_place": self._first_place,
            "ranks": self.shard.size,
        }
        if self._shuffle:
            if self._written is None:
                self._written = base64.b64encode(self._rows.astype("<u4").tobytes()).decode()
            state |= {
                "files": self._file_order.tolist(),
                "rows": self._written,
                "random": random.state(),
            }
        return state

    def restore(self, state: State) -> None:
        random = self._start()
        self._walk.passed, self._file, self._first_place = (
            int(state[name]) for name in ("passed", "file", "first_place")
        )
        if self._shuffle and "rows" in state:
            self._file_order = np.array(state["files"], np.int64)
        if self._file >= len(self._files) or len(self._file_order) != len(self._files):
            raise DataError(
                f"the saved position is in file {self._file + 1}, there are {len(self._files)}"
                " now; the list was changed"
            )
        if self.shard.mode == CONTIGUOUS and state["ranks"] != self.shard.size:
            self._begin_epoch()
        self._enter()
        if self._shuffle and "rows" in state:
            rows = np.frombuffer(base64.b64decode(state["rows"]), "<u4").astype(np.int64)
            if len(rows) != len(self._rows):
                raise DataError(
                    f"the saved order is of {len(rows)} rows, '{self._name()}' has"
                    f" {len(self._rows)} now"
                )
            self._rows = rows
            self._written = state["rows"]
            random.restore(state["random"])

    def _begin_epoch(self) -> None:
        """Begin the epoch again: ranks have other parts than in the saved state."""
        if self._shuffle:
            raise DataError(
                "a shuffled order in contiguous parts goes on only with as many ranks as"
                " before; needed: that, or -shard record"
            )
        self._file = 0
        self._first_place = self._walk.passed // self._walk.length * self._walk.length

    def close(self) -> None:
        self._values = []
        self._held = ""


def read_names(source: str) -> list[str]:
    """File names of a list, separated by white space as in Caffe.

    A line that is the name of an existing file is one name.
    """
    if is_hdf5(source):
        raise DataError(
            f"{source} is an HDF5 file; needed: a text file with the names of HDF5 files, one a"
            " line"
        )
    try:
        content = read_bytes(source)
    except OSError as error:
        raise DataError(
            f"Failed to open source file: {source}: {error.strerror} (looked in {os.getcwd()})"
        ) from error
    names: list[str] = []
    for line in content.splitlines():
        parts = [line.strip()] if os.path.exists(line.strip()) else line.split()
        names += [os.fsdecode(part) for part in parts if part]
    if not names:
        raise DataError(f"Must have at least 1 HDF5 filename listed in {source}")
    return names


def read_file(name: str, datasets: Sequence[str]) -> list[Floats]:
    """The datasets of a file as float32, each (rows, ...).

    DataError if one is missing, contains no numbers, or has another length.
    """
    try:
        with open_hdf5(name) as file:
            values = [_dataset(file, name, dataset) for dataset in datasets]
    except DAMAGES as error:
        if isinstance(error, DataError):
            raise
        reason = " ".join(str(error).split())
        raise DataError(
            f"Failed opening HDF5 file: {name}: {reason} (looked in {os.getcwd()})"
        ) from error
    for dataset, array in zip(datasets, values):
        if len(array) != len(values[0]):
            raise DataError(
                f"HDF5 file '{name}': dataset '{dataset}' has {len(array)} rows,"
                f" '{datasets[0]}' has {len(values[0])}; "
                "needed: the same number"
            )
    if not len(values[0]):
        raise DataError(f"HDF5 file '{name}': dataset '{datasets[0]}' has no rows")
    return values


def count_rows(name: str, dataset: str) -> int:
    """Rows of a dataset, without reading them.  DataError if there are none."""
    import h5py

    try:
        with open_hdf5(name) as file:
            values = file.get(dataset)
            if isinstance(values, h5py.Dataset) and values.ndim and len(values):
                return len(values)
    except DAMAGES:
        pass
    return len(read_file(name, [dataset])[0])  # raises the error


def _dataset(file: h5py.File, name: str, dataset: str) -> Floats:
    import h5py

    values = file.get(dataset)
    if not isinstance(values, h5py.Dataset):
        known = sorted(key for key in file if isinstance(file.get(key), h5py.Dataset))
        groups = sorted(key for key in file if isinstance(file.get(key), h5py.Group))
        inside = (
            f"; groups: {', '.join(groups)}; a top '{groups[0]}/{dataset}' would read from one"
            if groups
            else ""
        )
        raise DataError(
            f"HDF5 file '{name}' has no dataset '{dataset}' for the top of that"
            f" name{nearest(dataset, known)} "
            f"(datasets: {', '.join(known) or 'none'}{inside})"
        )
    if values.ndim < 1:
        raise DataError(
            f"HDF5 file '{name}': dataset '{dataset}' is a single value; needed: at least 1 axis"
        )
    if values.dtype.kind not in "fiub":
        raise DataError(
            f"HDF5 file '{name}': dataset '{dataset}' is of type {values.dtype}; needed: float"
            " or integer"
        )
    check_stored(values)
    return as_float32(values[...])
