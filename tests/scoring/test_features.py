"""Features: which blobs there are, and what of them is written under which keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from caffepy.data.datum import decode
from caffepy.engine.engines import Setup, open_layerwise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.errors import DataError, NetError
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import lone_definition
from caffepy.scoring import features

Lines = Callable[[], list[str]]
NET = """
layer { name: "d" type: "DummyData" top: "x" top: "t"
  dummy_data_param { shape { dim: 2 dim: 3 } shape { dim: 5 } data_filler { value: 4 } } }
layer { name: "both" type: "Slice" bottom: "x" top: "left" top: "right" slice_param { axis: 1 slice_point: 1 } }
layer { name: "quiet" type: "Silence" bottom: "t" }
"""


class Kept(dict[bytes, bytes]):
    """A database in memory."""

    put = dict.__setitem__


@pytest.fixture
def engine(tmp_path: Path) -> LayerwiseEngine:
    (tmp_path / "n.prototxt").write_text(NET)
    definition = lone_definition(str(tmp_path / "n.prototxt"), 1)
    return open_layerwise(definition, setup=Setup(torch.device("cpu"), CaffeRandom(1)))


def test_the_blobs_of_a_net(engine: LayerwiseEngine) -> None:
    features.check_blobs(engine, ["x", "left", "t"], "n.prototxt")
    with pytest.raises(NetError, match=r"Unknown feature blob name lefd in the network n\.prototxt; nearest: 'left'"):
        features.check_blobs(engine, ["x", "lefd"], "n.prototxt")
    with pytest.raises(NetError, match=r"name both in the network n\.prototxt; it is a layer, which makes 'left', 'right'$"):
        features.check_blobs(engine, ["both"], "n.prototxt")


def test_items_have_running_numbers_over_all_batches(engine: LayerwiseEngine) -> None:
    left, t = Kept(), Kept()
    progress: list[tuple[int, int]] = []
    features.extract(engine, [("left", left), ("t", t)], 3, lambda *done: progress.append(done))
    assert list(left) == [b"%010d" % i for i in range(6)]
    assert list(t) == [b"%010d" % i for i in range(15)], "a batch has more items of one blob than of another"
    assert progress == [(2, 6), (4, 6), (6, 6)]
    assert {decode(value).image().item() for value in t.values()} == {4.0}


def test_lines_of_long_runs(engine: LayerwiseEngine, lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "LOG_EVERY", 4)
    lines()
    features.extract(engine, [("x", Kept())], 5, lambda done, total: None)
    counts = [line.split()[3] for line in lines() if line.startswith("Extracted features of")]
    assert counts == ["4", "8", "10"]


@pytest.mark.parametrize(
    ("shape", "item"),
    [((3,), (1, 1, 1)), ((3, 2), (2, 1, 1)), ((3, 2, 4), (2, 4, 1)), ((3, 2, 4, 5), (2, 4, 5))],
    ids=lambda shape: "x".join(map(str, shape)),
)
def test_axes_that_are_missing_are_1(shape: tuple[int, ...], item: tuple[int, ...]) -> None:
    values = torch.arange(int(np.prod(shape)), dtype=torch.float32).reshape(shape)
    records = [decode(record) for record in features.records("b", values)]
    assert [(d.channels, d.height, d.width) for d in records] == [item] * 3
    np.testing.assert_array_equal(np.stack([d.image() for d in records]).ravel(), values.ravel())


def test_a_blob_with_too_many_axes() -> None:
    with pytest.raises(DataError, match=r"blob 'b' has 5 axes; needed: at most 4 \(a Datum has channels, height and width\)"):
        features.records("b", torch.zeros(1, 1, 1, 1, 1))
