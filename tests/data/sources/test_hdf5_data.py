"""The HDF5Data layer's source."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest

from caffepy.data.c_rand import CRand
from caffepy.data.shard import Shard
from caffepy.data.sources.hdf5_data import HDF5DataSource, read_names
from caffepy.errors import DataError
from caffepy.layers.core.random import CaffeRandom
from caffepy.solver.solver import Solver
from tests.data.build import TRAIN, layer, take

LAYER = 'type: "HDF5Data" {} hdf5_data_param {{ source: "{}" batch_size: {} shuffle: {} }} {}'


def write(path: Path, **datasets: object) -> Path:
    with h5py.File(path, "w") as file:
        for name, values in datasets.items():
            file[name] = values
    return path


def write_files(folder: Path, *rows: int) -> Path:
    """``part0.h5``, ... with so many rows, their labels counting on, and data = label + 0.5.

    The list of them.
    """
    names, first = [], 0
    for i, n in enumerate(rows):
        label = np.arange(first, first + n)
        names.append(
            str(
                write(
                    folder / f"part{i}.h5",
                    label=label,
                    data=(label[:, None] + np.array([0.5, 0.25])),
                )
            )
        )
        first += n
    (folder / "list.txt").write_text("\n".join(names) + "\n")
    return folder / "list.txt"


def open_source(
    listed: Path,
    batch: int = 3,
    *,
    shuffle: bool = False,
    tops: str = 'top: "data" top: "label"',
    more: str = "",
    shard: Shard = Shard(),
) -> HDF5DataSource:
    return HDF5DataSource(
        layer(LAYER.format(tops, listed, batch, str(shuffle).lower(), more)), TRAIN, shard
    )


def test_batches_go_across_files_and_round(tmp_path: Path) -> None:
    source = open_source(write_files(tmp_path, 2, 1, 4))
    assert source.shapes == ((3, 2), (3,))
    data, label = take(source, 5)
    assert label.tolist() == [i % 7 for i in range(15)]
    np.testing.assert_array_equal(data, label[:, None] + np.array([0.5, 0.25], np.float32))


@pytest.mark.parametrize("dtype", ["u1", "i1", "i4", "i8", "u4", "f2", "f4", "f8", ">f4", "bool"])
def test_numbers_of_every_kind(tmp_path: Path, dtype: str) -> None:
    values = np.array([[0, 1], [1, 1]]).astype(dtype)
    (tmp_path / "list.txt").write_text(str(write(tmp_path / "a.h5", data=values)))
    np.testing.assert_array_equal(
        take(open_source(tmp_path / "list.txt", 2, tops='top: "data"'), 1)[0],
        values.astype(np.float32),
    )


def test_doubles_beyond_float32_are_infinite(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(
        str(write(tmp_path / "a.h5", data=np.array([[1e300], [-1e300]])))
    )
    assert take(open_source(tmp_path / "list.txt", 2, tops='top: "data"'), 1)[0].tolist() == [
        [np.inf],
        [-np.inf],
    ]


def test_compressed(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("data", data=np.ones((4, 3)), compression="gzip", chunks=(2, 3))
    (tmp_path / "list.txt").write_text(str(tmp_path / "a.h5"))
    assert take(open_source(tmp_path / "list.txt", 4, tops='top: "data"'), 1)[0].sum() == 12


def test_one_file_is_shuffled_anew_each_pass_by_cs_own_generator(tmp_path: Path) -> None:
    source, random = open_source(write_files(tmp_path, 5), 5, shuffle=True), CRand()
    random.shuffle(np.arange(1))  # the files' order
    rows = np.arange(5)
    for _ in range(3):
        rows = random.shuffle(rows)
        assert take(source, 1)[1].tolist() == rows.tolist()


def test_files_are_shuffled_as_well(tmp_path: Path) -> None:
    labels = take(open_source(write_files(tmp_path, 4, 4, 4), 4, shuffle=True), 30)[1].reshape(
        10, 12
    )
    assert all(sorted(one) == list(range(12)) for one in labels.tolist())
    assert all(
        len({int(label) // 4 for label in file}) == 1
        for one in labels
        for file in one.reshape(3, 4)
    ), "file by file"
    assert len({tuple(one) for one in labels.tolist()}) > 5


@pytest.mark.parametrize("shuffle", [False, True])
def test_ranks_share_the_rows(tmp_path: Path, shuffle: bool) -> None:
    listed = write_files(tmp_path, 5, 4)
    whole = take(open_source(listed, 9, shuffle=shuffle), 2)[1].tolist()
    parts = [
        take(open_source(listed, 3, shuffle=shuffle, shard=Shard(rank, 2)), 3)[1].tolist()
        for rank in (0, 1)
    ]
    assert parts == [whole[::2], whole[1::2]]


@pytest.mark.parametrize("shuffle", [False, True])
def test_going_on_from_a_state(tmp_path: Path, shuffle: bool) -> None:
    listed = write_files(tmp_path, 5, 4)
    first = open_source(listed, shuffle=shuffle)
    take(first, 5)
    second = open_source(listed, shuffle=shuffle)
    second.restore(first.state())
    np.testing.assert_array_equal(take(first, 7)[1], take(second, 7)[1])
    listed.write_text(str(tmp_path / "part0.h5"))
    if not shuffle:
        return
    with pytest.raises(DataError, match="the list was changed"):
        open_source(listed, shuffle=True).restore(first.state())


def test_lists_of_names(tmp_path: Path) -> None:
    spaced = write(tmp_path / "a b.h5", data=[1])
    (tmp_path / "list.txt").write_bytes(
        b"\xef\xbb\xbfx.h5\r\n\r\n  y.h5 z.h5\n"
        + str(spaced).encode()
        + b"\r\ngr\xc3\xb6\xc3\x9fe.h5"
    )
    assert read_names(str(tmp_path / "list.txt")) == [
        "x.h5",
        "y.h5",
        "z.h5",
        str(spaced),
        "größe.h5",
    ]


@pytest.mark.parametrize(
    ("datasets", "says"),
    [
        ({"data": [1.0]}, "has no dataset 'label' for the top of that name .*datasets: data"),
        (
            {"a/data": [1.0], "a/label": [1.0]},
            r"no dataset 'data' .*\(datasets: none; groups: a; a top 'a/data' would read from one\)",
        ),
        ({"data": [1.0], "lable": [1.0]}, "has no dataset 'label'.*nearest: 'lable'"),
        (
            {"data": [1.0, 2.0], "label": [1.0]},
            "'label' has 1 rows, 'data' has 2; needed: the same number",
        ),
        ({"data": np.empty((0, 2)), "label": np.empty(0)}, "'data' has no rows"),
        ({"data": 3.0, "label": [1.0]}, "'data' is a single value; needed: at least 1 axis"),
        ({"data": ["a"], "label": [1.0]}, "'data' is of type .*needed: float or integer"),
    ],
)
def test_datasets_that_do_not_fit(tmp_path: Path, datasets: dict[str, object], says: str) -> None:
    (tmp_path / "list.txt").write_text(str(write(tmp_path / "a.h5", **datasets)))
    with pytest.raises(DataError, match=f"a.h5.*{says}"):
        open_source(tmp_path / "list.txt")


def test_ragged_datasets(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        rows = file.create_dataset("data", (2,), h5py.vlen_dtype(np.float32))
        rows[0], rows[1] = [1, 2, 3], [4]
        file["label"] = [0, 1]
    (tmp_path / "list.txt").write_text(str(tmp_path / "a.h5"))
    with pytest.raises(
        DataError, match="a.h5': dataset 'data' is of type object; needed: float or integer"
    ):
        open_source(tmp_path / "list.txt")


def test_a_later_file_with_rows_of_another_shape(tmp_path: Path) -> None:
    one, other = (
        write(tmp_path / "a.h5", data=np.ones((2, 3))),
        write(tmp_path / "b.h5", data=np.ones((2, 4))),
    )
    (tmp_path / "list.txt").write_text(f"{one}\n{other}\n")
    source = open_source(tmp_path / "list.txt", 3, tops='top: "data"')
    with pytest.raises(
        DataError,
        match=r"b.h5', dataset 'data': rows of \(4,\), those of the first file are \(3,\)",
    ):
        source.next()


@pytest.mark.parametrize("content", [None, b"", b"not HDF5 at all"])
def test_files_that_are_none(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "a.h5").write_bytes(content)
    (tmp_path / "list.txt").write_text(str(tmp_path / "a.h5"))
    with pytest.raises(DataError, match="Failed opening HDF5 file: .*a.h5: .*looked in /"):
        open_source(tmp_path / "list.txt")


def test_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.h5")
    (tmp_path / "list.txt").write_text(str(tmp_path / "a.h5"))
    with pytest.raises(
        DataError, match="Failed opening HDF5 file: .*a.h5: .*it is a pipe; needed: a file"
    ):
        open_source(tmp_path / "list.txt")


def test_a_cut_off_file(tmp_path: Path) -> None:
    path = write(tmp_path / "a.h5", data=np.ones((100, 100)), label=np.ones(100))
    path.write_bytes(path.read_bytes()[:3000])
    (tmp_path / "list.txt").write_text(str(path))
    with pytest.raises(DataError, match="Failed opening HDF5 file: .*a.h5: .*truncated"):
        open_source(tmp_path / "list.txt")


def test_refusals(tmp_path: Path) -> None:
    listed = write_files(tmp_path, 2)
    with pytest.raises(DataError, match="HDF5Data does not transform data"):
        open_source(listed, more="transform_param { scale: 2 }")
    with pytest.raises(DataError, match="batch_size is 0"):
        open_source(listed, 0)
    with pytest.raises(DataError, match="Failed to open source file: nowhere.txt: No such file"):
        open_source(Path("nowhere.txt"))
    with pytest.raises(
        DataError, match="part0.h5 is an HDF5 file; needed: a text file with the names"
    ):
        open_source(tmp_path / "part0.h5")
    listed.write_text("\n  \r\n")
    with pytest.raises(DataError, match="Must have at least 1 HDF5 filename"):
        open_source(listed)


def test_layers_of_one_stream_share_cs_generator_in_the_order_of_their_calls(
    tmp_path: Path,
) -> None:
    """Caffe's ``std::random_shuffle`` draws from the ``rand()`` of the process, at once when a layer has handed out its last row."""
    listed, stream, random = write_files(tmp_path, 6), CaffeRandom(1), CRand()
    sources = [open_source(listed, 3, shuffle=True) for _ in range(2)]
    for source in sources:
        source.seed(stream)
    rows = [random.shuffle(np.arange(6)) for _ in sources]
    turns = [0, 0, 1, 0, 1, 0, 0, 1, 1]
    for turn, which in enumerate(turns):
        half = turns[:turn].count(which) % 2
        assert take(sources[which], 1)[1].tolist() == rows[which][3 * half : 3 * half + 3].tolist()
        if half:
            rows[which] = random.shuffle(rows[which])


def test_sources_that_share_a_generator_go_on_from_their_states(tmp_path: Path) -> None:
    listed = write_files(tmp_path, 5, 4)

    def opened() -> list[HDF5DataSource]:
        sources, stream = [open_source(listed, shuffle=True) for _ in range(2)], CaffeRandom(1)
        for source in sources:
            source.seed(stream)
        return sources

    def taken(sources: list[HDF5DataSource]) -> list[list[float]]:
        return [take(sources[which], 2)[1].tolist() for which in (0, 1, 1, 0, 1, 0)]

    first, second = opened(), opened()
    drawn = taken(first)
    assert drawn[0] != drawn[1]  # as they would be with a generator each
    for source, other in zip(second, first, strict=True):
        source.restore(other.state())
    assert taken(second) == taken(first)


def test_losses_of_a_net_that_is_shuffled_in_training_and_tests(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real Caffe's."""
    for file in ("a.h5", "list.txt", "net.prototxt", "solver.prototxt"):
        shutil.copy(shared / "wild/bugs_2/hdf5_shuffle_train_and_test" / file, tmp_path)
    monkeypatch.chdir(tmp_path)
    solver = Solver.from_file("solver.prototxt")
    losses = []
    for _ in range(9):
        solver.step(1)  # with a test before every third
        losses.append(float(solver.train_engine.outputs()[0].data))
    solver.close()
    wanted = [2.6705, 3.27488, 3.0731, 4.30059, 3.8472, 1.19468, 3.00039, 2.18941, 2.54599]
    np.testing.assert_allclose(losses, wanted, rtol=1e-5)
