"""Backward passes that no forward pass came before, or one on other shapes."""

from __future__ import annotations

import caffe
import numpy as np
import pytest

from caffepy.errors import LayerError
from tests.pycaffe.nets import DEPLOY, SIMPLE, ToFile

POOLED = """
force_backward: true
layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }
layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { pool: AVE global_pooling: true } }
"""
NORMED = """
layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 } } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "norm" type: "BatchNorm" bottom: "ip" top: "norm" }
layer { name: "drop" type: "Dropout" bottom: "norm" top: "drop" }
"""


def test_one_layer_backward_without_any_forward(to_file: ToFile) -> None:
    net = caffe.Net(to_file(SIMPLE), caffe.TRAIN)
    inputs, diffs = np.random.default_rng(1).normal(size=(2, 5, 11 * 8 * 9)).astype("f4"), np.ones((5, 13), "f4")
    net.blobs["conv"].data[...] = inputs[0].reshape(net.blobs["conv"].shape)
    assert list(net.backward(start="ip", end="ip", ip_blob=diffs)) == ["conv"]
    np.testing.assert_allclose(net.blobs["conv"].diff.reshape(5, -1), diffs @ net.params["ip"][0].data, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(net.params["ip"][0].diff, diffs.T @ inputs[0], rtol=1e-5, atol=1e-5)


def test_layers_that_the_forward_pass_left_out(to_file: ToFile) -> None:
    net = caffe.Net(to_file(SIMPLE), caffe.TRAIN)
    net.forward()
    net.backward()
    wanted = net.blobs["data"].diff.copy()
    other = caffe.Net(to_file(SIMPLE), caffe.TRAIN)
    other.share_with(net)
    for name in ("data", "label", "conv", "ip_blob"):
        other.blobs[name].data[...] = net.blobs[name].data
    other.forward(start="ip")
    other.backward()
    np.testing.assert_allclose(other.blobs["data"].diff, wanted, rtol=1e-5, atol=1e-6)


def test_such_a_pass_changes_neither_statistics_nor_the_random_stream(to_file: ToFile) -> None:
    net, twin = (caffe.Net(to_file(NORMED), caffe.TRAIN) for _ in range(2))
    data = np.random.default_rng(1).normal(size=(4, 3))
    caffe.set_random_seed(3)
    expected = twin.forward(data=data)["drop"]
    caffe.set_random_seed(3)
    net.forward(end="ip", data=data)
    net.backward(drop=np.ones((4, 2)))
    assert all((blob.data == 0).all() for blob in net.params["norm"])
    np.testing.assert_array_equal(net.forward()["drop"] == 0, expected == 0)


def test_a_layer_in_place_takes_the_present_values_for_its_bottom(to_file: ToFile) -> None:
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    data = np.random.default_rng(1).normal(size=(2, 3, 6, 6))
    net.forward(data=data, end="conv")
    net.blobs["conv"].diff[...] = 1
    below = net.blobs["conv"].data < 0
    net.backward(start="relu", end="relu")
    assert below.any()
    assert (net.blobs["conv"].diff == ~below).all()


@pytest.mark.parametrize("at_once", [True, False])
def test_a_bottom_reshaped_since_the_forward_pass(to_file: ToFile, at_once: bool) -> None:
    net = caffe.Net(to_file(POOLED), caffe.TEST)
    net.forward()
    net.blobs["data"].reshape(1, 3, 5, 5)
    if at_once:
        net.reshape()
    with pytest.raises(LayerError, match="layer 'pool'.*reshaped since the last forward pass"):
        net.backward()
    net.forward()
    assert net.backward(pool=np.ones((1, 3, 1, 1)))["data"].sum() == pytest.approx(3)
