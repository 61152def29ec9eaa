"""Which records each rank reads: over an epoch every one once, whatever the ranks, the mode and the kind of source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caffepy.data.shard import BATCH, CONTIGUOUS, FILES, MODES, RECORD, Shard, Walk, own_source
from caffepy.data.source import Source
from caffepy.data.sources.data import DataSource
from caffepy.data.sources.hdf5_data import HDF5DataSource
from caffepy.data.sources.image_data import ImageDataSource
from caffepy.errors import DataError
from caffepy.net import compile as compile_net
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from tests.data.build import TRAIN, layer, picture, raw, seeded, take, write_database, write_images

RECORDS = 11
"""A multiple of no number of ranks."""
Opener = Callable[[Path, Shard, bool], Source]


def open_data(folder: Path, shard: Shard, shuffle: bool) -> Source:
    if not (folder / "db").exists():
        write_database(folder / "db", [raw(picture(i), i) for i in range(RECORDS)])
    text = f"data_param {{ source: '{folder}/db' backend: LMDB batch_size: 2 shuffle: {str(shuffle).lower()} }}"
    return DataSource(layer(f"top: 'data' top: 'label' {text}"), TRAIN, shard)


def open_images(folder: Path, shard: Shard, shuffle: bool) -> Source:
    if not (folder / "list.txt").exists():
        write_images(folder, RECORDS)
    text = f"source: '{folder}/list.txt' root_folder: '{folder}/' batch_size: 2 shuffle: {str(shuffle).lower()}"
    return ImageDataSource(
        layer(f"top: 'data' top: 'label' image_data_param {{ {text} }}"), TRAIN, shard
    )


def open_hdf5(folder: Path, shard: Shard, shuffle: bool) -> Source:
    if not (folder / "list.txt").exists():
        for name, rows in (("a", range(4)), ("b", range(4, 9)), ("c", range(9, RECORDS))):
            with h5py.File(folder / f"{name}.h5", "w") as file:
                file["label"] = np.array(rows, np.float32)
        (folder / "list.txt").write_text("\n".join(f"{folder}/{name}.h5" for name in "abc"))
    text = f"hdf5_data_param {{ source: '{folder}/list.txt' batch_size: 2 shuffle: {str(shuffle).lower()} }}"
    return HDF5DataSource(layer(f"top: 'label' {text}"), TRAIN, shard)


def batches(
    opener: Opener,
    folder: Path,
    size: int,
    mode: str,
    *,
    shuffle: bool = False,
    count: int = 3 * RECORDS,
) -> list[list[int]]:
    """The records of every rank, one after another."""
    sources = [seeded(opener(folder, Shard(rank, size, mode), shuffle)) for rank in range(size)]
    first = 10 if opener is open_images else 0
    return [[int(label) - first for label in take(source, count)[-1]] for source in sources]


def pieces(found: list[list[int]]) -> list[list[int]]:
    """What all ranks read of each batch."""
    return [
        sorted(label for rank in found for label in rank[start : start + 2])
        for start in range(0, len(found[0]), 2)
    ]


@given(
    size=st.integers(1, 6),
    more=st.integers(0, 20),
    n=st.integers(1, 5),
    mode=st.sampled_from([RECORD, BATCH, CONTIGUOUS]),
)
def test_no_place_is_left_out_or_taken_twice(size: int, more: int, n: int, mode: str) -> None:
    length = size + more
    walks = [Walk(Shard(rank, size, mode), length) for rank in range(size)]
    rounds = [[walk.take(n) for walk in walks] for _ in range(2 * length)]
    assert all(
        (np.diff(np.concatenate([one[rank] for one in rounds])) > 0).all() for rank in range(size)
    ), "ascending"
    everything = np.sort(np.concatenate([places for one in rounds for places in one]))
    whole = len(everything) // length * length
    assert (everything[:whole] == np.arange(whole)).all()
    if mode != CONTIGUOUS:
        assert (everything == np.arange(len(everything))).all()
    assert {walk.passed for walk in walks} == {2 * length * n * size}


def test_the_modes() -> None:
    ranks = {
        mode: [Walk(Shard(rank, 2, mode), 8).take(4).tolist() for rank in (0, 1)] for mode in MODES
    }
    assert ranks[RECORD] == [[0, 2, 4, 6], [1, 3, 5, 7]]
    assert ranks[BATCH] == ranks[CONTIGUOUS] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert ranks[FILES] == [[0, 1, 2, 3], [0, 1, 2, 3]]
    part = Walk(Shard(1, 2, CONTIGUOUS), 7)
    assert [place % 7 for place in part.take(7).tolist()] == [4, 5, 6, 3, 4, 5, 6], (
        "7 records: the middle one belongs to each in turn"
    )


@pytest.mark.parametrize("opener", [open_data, open_images, open_hdf5])
@pytest.mark.parametrize("mode", [RECORD, BATCH, CONTIGUOUS])
@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("shuffle", [False, True])
def test_every_epoch_has_each_record_once(
    tmp_path: Path, opener: Opener, mode: str, size: int, shuffle: bool
) -> None:
    found = batches(opener, tmp_path, size, mode, shuffle=shuffle)
    counts = np.unique([label for rank in found for label in rank], return_counts=True)[1]
    assert (counts == 2 * 3 * size).all(), "3 batches for each record of 11 make 6 epochs a rank"
    rounds = pieces(found)
    if mode != CONTIGUOUS:
        whole = batches(opener, tmp_path, 1, RECORD, shuffle=shuffle, count=3 * RECORDS * size)[0]
        assert rounds == [
            sorted(whole[start : start + 2 * size]) for start in range(0, len(whole), 2 * size)
        ]
    elif not shuffle:
        bounds = [rank * RECORDS // size for rank in range(size + 1)]
        for rank, labels in enumerate(found):
            assert set(labels) <= set(range(bounds[rank] - 1, bounds[rank + 1] + 2)), (
                "its part, but for a record at each end"
            )


@pytest.mark.parametrize("opener", [open_data, open_images, open_hdf5])
@pytest.mark.parametrize("shuffle", [False, True])
def test_passing_batches_over(tmp_path: Path, opener: Opener, shuffle: bool) -> None:
    for mode in (RECORD, BATCH, CONTIGUOUS):
        first, second = (seeded(opener(tmp_path, Shard(1, 2, mode), shuffle)) for _ in range(2))
        take(first, 7)
        second.skip(7)
        assert take(first, 9)[-1].tolist() == take(second, 9)[-1].tolist()


@pytest.mark.parametrize("opener", [open_data, open_images, open_hdf5])
@pytest.mark.parametrize("mode", [RECORD, BATCH, CONTIGUOUS])
@pytest.mark.parametrize("shuffle", [False, True])
def test_going_on(tmp_path: Path, opener: Opener, mode: str, shuffle: bool) -> None:
    first, second = (seeded(opener(tmp_path, Shard(1, 2, mode), shuffle), seed) for seed in (1, 2))
    take(first, 8)
    second.restore(first.state())
    assert take(first, 9)[-1].tolist() == take(second, 9)[-1].tolist()


@pytest.mark.parametrize("opener", [open_data, open_images, open_hdf5])
def test_another_number_of_ranks_goes_on_at_the_same_record(tmp_path: Path, opener: Opener) -> None:
    two = [seeded(opener(tmp_path, Shard(rank, 2), True)) for rank in range(2)]
    before = [label for source in two for label in take(source, 4)[-1].tolist()]
    three = [seeded(opener(tmp_path, Shard(rank, 3), True), 9) for rank in range(3)]
    for source in three:
        source.restore(two[0].state())
    after = [label for source in three for label in take(source, 3)[-1].tolist()]
    whole = take(seeded(opener(tmp_path, Shard(), True)), 17)[-1].tolist()
    assert sorted(before) == sorted(whole[:16])
    assert sorted(after) == sorted(whole[16:34])


@pytest.mark.parametrize("opener", [open_data, open_images, open_hdf5])
def test_more_ranks_than_records(tmp_path: Path, opener: Opener) -> None:
    assert take(opener(tmp_path, Shard(10, RECORDS), False), 1)
    with pytest.raises(
        DataError, match="has 11 record.* for 12 ranks; needed: at least one for each rank"
    ):
        opener(tmp_path, Shard(3, 12), False)


def source_param(name: str, more: str = "") -> object:
    return layer(f"data_param {{ source: '{name}' batch_size: 2 {more} }}")


def test_sources_of_ranks(tmp_path: Path) -> None:
    for name in ("db_1", "part2of3"):
        (tmp_path / name).mkdir()
    param, shard = own_source(source_param(f"{tmp_path}/db/"), Shard(1, 3, FILES))
    assert (param.data_param.source, shard.sharers) == (f"{tmp_path}/db_1", 1)
    param, shard = own_source(source_param(f"{tmp_path}/part%#of%*"), Shard(2, 3))
    assert (param.data_param.source, shard.sharers) == (f"{tmp_path}/part2of3", 1)
    param, shard = own_source(
        source_param(f"{tmp_path}/db", "shared_file_system: true"), Shard(1, 3, FILES)
    )
    assert (param.data_param.source, shard.sharers) == (f"{tmp_path}/db", 3)
    param, shard = own_source(source_param(f"{tmp_path}/db"), Shard(0, 1, FILES))
    assert param.data_param.source == f"{tmp_path}/db"


@pytest.mark.parametrize(("rank", "size", "told"), [(0, 2, True), (1, 2, False), (0, 3, False)])
def test_a_source_that_no_rank_reads(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], rank: int, size: int, told: bool
) -> None:
    for number in range(3):
        (tmp_path / f"db_{number}").mkdir()
    own_source(source_param(f"{tmp_path}/db"), Shard(rank, size, FILES))
    assert (
        f"'{tmp_path}/db_2' is there, too, and no rank reads it: there are 2 ranks"
        in capfd.readouterr().err
    ) == told


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="db_2' of rank 2 does not exist.*caffepy partition_data"):
        own_source(source_param(f"{tmp_path}/db"), Shard(2, 3, FILES))
    with pytest.raises(
        DataError,
        match="names a file for each rank, and there is one process; needed: several ranks, or a plain name",
    ):
        own_source(source_param(f"{tmp_path}/db%#"), Shard())


def test_nets_may_ask_for_it(tmp_path: Path) -> None:
    """Intel Caffe's and PMLS-Caffe's fields of data layers, which a net of BVLC Caffe does not have."""
    path = write_database(tmp_path / "db", [raw(picture(i), i) for i in range(RECORDS)])
    text = f"source: '{path}' backend: LMDB batch_size: {RECORDS} shuffle: true shared_file_system: true"
    net = caffe_pb2.NetParameter()
    parse(
        f"layer {{ name: 'x' type: 'Data' top: 'x' top: 'y' data_param {{ {text} }} }}",
        net,
        file="net",
    )
    (source,) = compile_net(net).sources.values()
    labels = take(seeded(source), 1)[1].tolist()
    assert sorted(labels) == list(range(RECORDS)) != labels
    source.close()
