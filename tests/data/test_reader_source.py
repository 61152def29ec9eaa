"""Batches from reader processes: the very same, whatever their number.

And what happens when one dies.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest

from caffepy import log
from caffepy.data.shard import Reader, Shard
from caffepy.data.source import Source
from caffepy.errors import DataError
from caffepy.layers.core.base import TRAIN
from caffepy.layers.core.registry import layer_class
from caffepy.parallel.job.readers import Readers
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.single import Single
from tests.data.build import layer, picture, png, raw, seeded, take, write_database, write_images

CROP = "transform_param { crop_size: 4 mirror: true }"


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    """Two processes."""
    found = Readers(Single(Launch("single", 0, 1, 0, 1, "")), 2)
    yield found
    found.close()


def open_source(text: str, readers: tuple[Reader, ...], *, rank: int = 0, size: int = 1) -> Source:
    param = layer(f"name: 'x' top: 'data' top: 'label' {text}")
    source: Source = layer_class(param.type)(param, TRAIN).open(Shard(rank, size, readers=readers))
    return source


def database(folder: Path) -> str:
    write_database(folder / "db", [(png if i % 2 else raw)(picture(i), i) for i in range(7)])
    return f"type: 'Data' data_param {{ source: '{folder}/db' backend: LMDB batch_size: 4 shuffle: true }} {CROP}"


def images(folder: Path) -> str:
    listed = write_images(folder, 7)
    return f"type: 'ImageData' image_data_param {{ source: '{listed}' root_folder: '{folder}/' batch_size: 3 shuffle: true }} {CROP}"


def rows(folder: Path) -> str:
    """Of files whose ends fall into batches, and into those that another reader makes."""
    names = [str(folder / f"{i}.h5") for i in range(3)]
    for i, name in enumerate(names):
        with h5py.File(name, "w") as file:
            file["data"] = np.arange(10 * i, 10 * i + 5 + i)
            file["label"] = np.arange(5 + i)
    (folder / "list.txt").write_text("\n".join(names))
    return f"type: 'HDF5Data' hdf5_data_param {{ source: '{folder}/list.txt' batch_size: 4 shuffle: true }}"


@pytest.mark.parametrize("text", [database, images, rows])
@pytest.mark.parametrize("count", [1, 2])
def test_the_same_batches(
    tmp_path: Path, readers: Readers, text: Callable[[Path], str], count: int
) -> None:
    words = text(tmp_path)
    plain, read = (
        seeded(open_source(words, (), rank=1, size=2)),
        seeded(open_source(words, readers.mine[:count], rank=1, size=2)),
    )
    assert read.shapes == plain.shapes
    for expected, found in zip(take(plain, 9), take(read, 9)):
        np.testing.assert_array_equal(found, expected)
    assert read.state() == plain.state()
    again = seeded(open_source(words, readers.mine[:count], rank=1, size=2), 5)
    beginning = again.state()
    take(again, 2)
    again.restore(read.state())
    for expected, found in zip(take(plain, 5), take(again, 5)):
        np.testing.assert_array_equal(found, expected)
    again.restore(beginning)
    assert again.state() == beginning
    assert again.clock().made == 7
    for source in (plain, read, again):
        source.close()


def test_log_lines_are_written_here(
    tmp_path: Path, readers: Readers, capsys: pytest.CaptureFixture[str]
) -> None:
    words = images(tmp_path)
    log.configure()
    open_source(words, readers.mine[:1]).close()
    assert "image_data_layer.cpp:63] A total of 7 images." in capsys.readouterr().err


def test_errors_are_those_of_the_source(tmp_path: Path, readers: Readers) -> None:
    with pytest.raises(DataError, match="'none' does not exist"):
        open_source(
            "type: 'Data' data_param { source: 'none' backend: LMDB batch_size: 1 }", readers.mine
        )
    words = images(tmp_path).replace("shuffle: true", "")
    (tmp_path / "5.png").unlink()
    source = seeded(open_source(words, readers.mine))
    source.next()
    for _ in range(2):
        with pytest.raises(DataError, match=r"line 6 \('5.png'\): Could not load"):
            source.next()
    source.close()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_reader_that_dies(tmp_path: Path, moment: str) -> None:
    words = images(tmp_path)
    readers = Readers(Single(Launch("single", 0, 1, 0, 1, "")), 1)
    (reader,) = readers.mine
    if moment == "before":
        os.kill(reader.process, signal.SIGKILL)
        readers._processes[0].wait(5)
        with pytest.raises(DataError, match=f"reader process {reader.process} on .* has died"):
            open_source(words, readers.mine)
    else:
        source = seeded(open_source(words, readers.mine))
        take(source, 1)
        os.kill(reader.process, signal.SIGKILL)
        with pytest.raises(DataError, match=f"reader process {reader.process} on .* has died"):
            take(source, 50)
    readers.close()


def test_readers_end_with_those_who_started_them() -> None:
    readers = Readers(Single(Launch("single", 0, 1, 0, 1, "")), 1)
    (process,) = readers._processes
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    readers.close()
    assert process.returncode == 0, "not by the signals, which are for the ranks"
