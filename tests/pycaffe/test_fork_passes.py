"""Passes that pycaffes of forks have."""

from __future__ import annotations

import caffe
import numpy as np
import pytest

from caffepy.errors import CaffeError
from tests.pycaffe.nets import SOLVER, TRAINED, ToFile

NET = """
force_backward: true
layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 } } }
layer { name: "ip1" type: "InnerProduct" bottom: "data" top: "ip1" inner_product_param { num_output: 6 weight_filler { type: "xavier" } } }
layer { name: "relu1" type: "ReLU" bottom: "ip1" top: "RELU" }
layer { name: "ip2" type: "InnerProduct" bottom: "RELU" top: "ip2" inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
layer { name: "ip3" type: "InnerProduct" bottom: "ip2" top: "ip3" inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
"""


@pytest.fixture(params=["relu1", "ip1"], ids=["apart", "in place"])
def net(request: pytest.FixtureRequest, to_file: ToFile) -> caffe.Net:
    """A net after a forward pass."""
    found = caffe.Net(to_file(NET.replace("RELU", request.param)), caffe.TEST)
    found.blobs["data"].data[...] = np.random.default_rng(0).normal(size=(2, 3))
    found.forward()
    return found


def through(net: caffe.Net, diff: object, how: str) -> object:
    """The diff of the data, from that of ip2, by hand."""
    one, two = (net.params[name][0].data for name in ("ip1", "ip2"))
    back = diff @ two
    on = net.blobs["data"].data @ one.T > 0
    return {"plain": back * on, "deconv": back.clip(0), "guided": back.clip(0) * on}[how] @ one


DIFF = np.array([[1, -2, 0.5, 3], [-1, 1, 2, -0.25]], "f4")


def test_backward_from_layer(net: caffe.Net) -> None:
    net.blobs["ip3"].diff[...] = 7
    found = net.backward_from_layer("ip2", DIFF, diffs=["ip1"])
    assert sorted(found) == ["data", "ip1"]
    np.testing.assert_allclose(found["data"], through(net, DIFF, "plain"), rtol=1e-5, atol=1e-6)
    assert (net.blobs["ip3"].diff == 7).all()
    net.backward_from_layer("ip2", DIFF, zero_higher=True)
    assert (net.blobs["ip3"].diff == 0).all()
    assert (net.blobs["ip2"].diff == DIFF).all()


def test_deconv_from_layer(net: caffe.Net) -> None:
    found = net.deconv_from_layer("ip2", DIFF, zero_higher=True)
    np.testing.assert_allclose(found["data"], through(net, DIFF, "deconv"), rtol=1e-5, atol=1e-6)
    found = net.deconv_from_layer("ip2", DIFF, deconv_type="Guided Backprop")
    np.testing.assert_allclose(found["data"], through(net, DIFF, "guided"), rtol=1e-5, atol=1e-6)
    net.blobs["ip3"].diff[...] = 1
    found = net.deconv(["ip2"], ip3=np.ones((2, 2), "f4"))
    np.testing.assert_allclose(found["data"], through(net, found["ip2"], "deconv"), rtol=1e-5, atol=1e-6)


def test_misuse(net: caffe.Net) -> None:
    with pytest.raises(CaffeError, match=r"start_diff has shape \(2,\); needed: \(2, 4\), as blob 'ip2'"):
        net.backward_from_layer("ip2", DIFF[:, 0])
    with pytest.raises(CaffeError, match="deconv_type is 'x'; needed: 'Zeiler & Fergus' or 'Guided Backprop'"):
        net.deconv_from_layer("ip2", DIFF, deconv_type="x")
    with pytest.raises(KeyError, match="'ip9' is no blob of this net; nearest: 'ip1'"):
        net.deconv_from_layer("ip9", DIFF)


def test_simple_passes(net: caffe.Net) -> None:
    net.blobs["ip3"].diff[...] = 1
    assert net.backward_simple() is None
    wanted = np.ones((2, 2), "f4") @ net.params["ip3"][0].data
    np.testing.assert_allclose(net.blobs["ip2"].diff, wanted, rtol=1e-5)
    net.blobs["data"].data[...] = 0
    assert net.forward_simple() is None
    assert (net.blobs["ip3"].data == 0).all()


@pytest.mark.parametrize("first", [True, False])
def test_iterations_that_scripts_count(first: bool, to_file: ToFile, tmp_path) -> None:
    path = to_file(SOLVER.format(net=to_file(TRAINED), folder=tmp_path), "solver.prototxt")
    solver = caffe.get_solver(path)
    for done in range(1, 4):
        if first:
            solver.increment_iter()
        solver.net.forward_simple()
        solver.net.clear_param_diffs()
        solver.net.backward_simple()
        solver.apply_update()
        if not first:
            solver.increment_iter()
        assert solver.iter == done
    other = caffe.get_solver(path)
    other.apply_update()
    other.apply_update()
    assert other.iter == 2  # as in BVLC Caffe
