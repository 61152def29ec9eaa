"""The MemoryData layer's source."""

from __future__ import annotations

import numpy as np
import pytest

from caffepy.data.sources.memory_data import MemoryDataSource
from caffepy.errors import DataError
from tests.data.build import TRAIN, layer, take

LAYER = 'type: "MemoryData" top: "data" top: "label" memory_data_param { batch_size: 2 channels: 1 height: 2 width: 2 }'


def items(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(4 * n, dtype=np.float32).reshape(n, 1, 2, 2), np.arange(n, dtype=np.float32)


def test_arrays_are_gone_through_over_and_over() -> None:
    source = MemoryDataSource(layer(LAYER), TRAIN)
    assert source.shapes == ((2, 1, 2, 2), (2,))
    data, label = items(4)
    source.set_arrays(data, label)
    got_data, got_label = take(source, 3)
    assert got_label.shape == (6, 1, 1, 1)
    assert got_label.flatten().tolist() == [0, 1, 2, 3, 0, 1]
    np.testing.assert_array_equal(got_data, data[got_label.flatten().astype(int)])
    state = source.state()
    after = take(source, 1)[1].flatten().tolist()
    source.restore(state)
    assert take(source, 1)[1].flatten().tolist() == after == [2, 3]


def test_what_is_written_to_the_arrays_is_seen() -> None:
    source = MemoryDataSource(layer(LAYER), TRAIN)
    data, label = items(2)
    source.set_arrays(data, label)
    data[0] = 7
    assert source.next()[0][0].unique().tolist() == [7]


def test_refusals() -> None:
    source = MemoryDataSource(layer(LAYER), TRAIN)
    with pytest.raises(DataError, match="needs to be initialized"):
        source.next()
    data, label = items(4)
    for wrong_data, wrong_label, says in (
        (data[:3], label[:3], "3 items; needed: a multiple of the batch size 2"),
        (data[:0], label[:0], "0 items"),
        (data, label[:3], "3 labels for 4 items"),
        (data[:, 0], label, r"the data array is \(4, 2, 2\); needed"),
        (data.reshape(4, 1, 1, 4), label, r"needed: \(items, 1, 2, 2\)"),
    ):
        with pytest.raises(DataError, match=says):
            source.set_arrays(wrong_data, wrong_label)
    with pytest.raises(
        DataError,
        match="batch_size, channels, height, and width must be specified and positive.*2, 1, 2, 0",
    ):
        MemoryDataSource(layer(LAYER.replace("width: 2", "width: 0")), TRAIN)
