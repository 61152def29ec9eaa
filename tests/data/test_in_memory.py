"""A database in memory is read as the database is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data.shard import MODES, Shard
from caffepy.data.sources.data import DataSource
from caffepy.data.stores import Buffer, Store, open_read
from caffepy.data.stores.in_memory import InMemoryStore
from caffepy.errors import DataError
from tests.data.build import TRAIN, layer, picture, raw, seeded, take, write_database


class Bytes:
    """Memory of this process."""

    def __init__(self, values: bytes) -> None:
        self.values = memoryview(values)

    def read(self, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> list[Buffer]:
        return [self.values[start:end] for start, end in zip(starts, ends)]


def opener(path: str, backend: str) -> Store:
    with open_read(path, backend) as store:
        records = [bytes(value) for _, value in store.items()]
    return InMemoryStore(
        path, backend, Bytes(b"".join(records)), np.cumsum([0, *map(len, records)])
    )


def test_cursors_move_alike(tmp_path: Path) -> None:
    path = write_database(tmp_path / "db", [b"%d" % i for i in range(5)])
    with open_read(path, "lmdb") as store:
        first, second = store.cursor(), opener(path, "lmdb").cursor()
        for kind, n in [
            ("take", 3),
            ("skip", 2),
            ("skip", 0),
            ("take", 5),
            ("skip", 12),
            ("take", 1),
            ("skip", 3),
            ("take", 11),
            ("skip", 1),
        ]:
            for cursor in (first, second):
                found = getattr(cursor, kind)(n)
            assert (first.position, first.wraps) == (second.position, second.wraps), (kind, n)
            del found
        assert [bytes(value) for value in first.take(4)] == [
            bytes(value) for value in second.take(4)
        ]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shuffle", ["true", "false"])
def test_the_same_batches(tmp_path: Path, mode: str, shuffle: str) -> None:
    path = write_database(tmp_path / "db", [raw(picture(i), i) for i in range(7)])
    text = f"top: 'x' top: 'y' data_param {{ source: '{path}' backend: LMDB batch_size: 2 shuffle: {shuffle} }}"
    sources = [
        seeded(DataSource(layer(text), TRAIN, Shard(1, 2, mode, opener=each)))
        for each in (open_read, opener)
    ]
    for a, b in zip(*(take(source, 11) for source in sources)):
        np.testing.assert_array_equal(a, b)
    sources[1].restore(sources[0].state())
    assert take(sources[0], 5)[1].tolist() == take(sources[1], 5)[1].tolist()


def test_a_bad_record_is_named(tmp_path: Path) -> None:
    path = write_database(tmp_path / "db", [raw(picture(0), 0), b"\xff\xff", raw(picture(0), 0)])
    text = f"top: 'x' data_param {{ source: '{path}' backend: LMDB batch_size: 2 }}"
    with pytest.raises(DataError, match=r"db', record 1 \(key '00000001'\)"):
        DataSource(layer(text), TRAIN, Shard(opener=opener)).next()
