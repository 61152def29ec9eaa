from __future__ import annotations

import pytest

from caffepy.data.shard import Shard
from caffepy.errors import LayerError
from caffepy.layers.core.base import TEST, TRAIN, Layer
from caffepy.proto import caffe_pb2
from caffepy.solver.setup.batches import Share, divide_batch


def _layer(batch: int | None, phase: int = TRAIN) -> Layer:
    param = caffe_pb2.LayerParameter(name="d", type="Data")
    if batch is not None:
        param.data_param.batch_size = batch
    return Layer(param, phase)


def test_a_batch_is_divided() -> None:
    layer = _layer(100)
    divide_batch(layer, 4)
    assert layer.param.data_param.batch_size == 25


def test_an_uneven_batch_is_refused_with_one_that_fits() -> None:
    with pytest.raises(LayerError, match="batch_size 100 cannot be divided among 3 ranks; needed: a multiple of 3, such as 99"):
        divide_batch(_layer(100), 3)


def test_a_layer_without_a_batch_size_is_refused() -> None:
    with pytest.raises(LayerError, match="has no batch_size that 3 ranks could divide"):
        divide_batch(_layer(None), 3)


def test_a_test_net_keeps_its_batch() -> None:
    layer = _layer(100, TEST)
    layer.open = lambda shard: shard
    assert Share(tests=Shard(1, 3), divisor=3).open(layer) == Shard(1, 3)
    assert layer.param.data_param.batch_size == 100


@pytest.mark.parametrize(("phase", "found"), [(TRAIN, True), (TEST, False)])
def test_training_nets_are_shuffled(phase: int, found: bool) -> None:
    layer = _layer(100, phase)
    layer.open = lambda shard: shard
    Share(shuffle=True).open(layer)
    assert layer.param.data_param.shuffle is found
