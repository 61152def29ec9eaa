"""Nets used in ways that cannot be meant: each is a CaffeError, and what scripts for Caffe catch there."""

from __future__ import annotations

import copy
import operator
import pickle

import caffe
import numpy as np
import pytest

from caffepy.errors import CaffeError
from tests.pycaffe.nets import DEPLOY, ToFile


@pytest.mark.parametrize(
    ("misuse", "kind", "words"),
    [
        (lambda net: net.blobs["convv"], KeyError, "'convv' is no blob of this net; nearest: 'conv'"),
        (lambda net: net.params["relu"], KeyError, "'relu' is no layer with parameters"),
        (lambda net: net.layer_dict["x"], KeyError, "'x' is no layer of this net"),
        (lambda net: net.forward(start="pol"), ValueError, "'pol' is no layer of this net; nearest: 'pool'"),
        (lambda net: net.forward(end="pol"), ValueError, "'pol' is no layer"),
        (lambda net: net.backward(start="pol"), ValueError, "'pol' is no layer"),
        (lambda net: net.forward(blobs=["no"]), KeyError, "'no' is no blob"),
        (lambda net: net.forward(image=1), ValueError, r"Input blob arguments do not match net inputs: \['image'\]; needed: \['data'\]"),
        (lambda net: net.forward(data=np.zeros((3, 3, 6, 6))), ValueError, "not batch sized"),
        (lambda net: net.forward(data=np.zeros((2, 3, 5, 6))), ValueError, r"needed: \(2, 3, 6, 6\)"),
        (lambda net: net.backward(score=1), ValueError, "Top diff arguments do not match net outputs"),
        (lambda net: net.forward_all(x=1), ValueError, "do not match net inputs"),
        (lambda net: net.forward_all(data=np.zeros((0, 3, 6, 6))), ValueError, "at least one"),
        (lambda net: net.blobs["data"].reshape(1, height=3), TypeError, "takes no kwargs"),
        (lambda net: net.blobs["data"].reshape((1, 3)), TypeError, "whole numbers"),
        (lambda net: net.blobs["data"].reshape(1, 3, 2.5, 2), TypeError, "whole numbers"),
        (lambda net: net.blobs["data"].reshape(-1, 3), ValueError, "no negative length"),
        (lambda net: net.blobs["data"].reshape(2**20, 2**20), ValueError, "at most 2147483647"),
        (lambda net: net.params["conv"][0].reshape(3, 3), ValueError, "of a parameter"),
        (lambda net: net.share_with("x"), TypeError, "needed: a Net"),
        (lambda net: net.set_input_arrays(1, 2), RuntimeError, "MemoryDataLayer"),
        (lambda net: net.copy_from("nothing.caffemodel"), RuntimeError, "nothing.caffemodel"),
        (lambda net: net.save("/no/such/folder/x.caffemodel"), RuntimeError, "/no/such/folder"),
        (lambda net: net.before_forward(3), TypeError, "cannot be called"),
        (lambda net: caffe.Net("none.prototxt", caffe.TEST), RuntimeError, "none.prototxt"),
        (lambda net: caffe.Net("none.prototxt"), TypeError, "no phase given"),
        (lambda net: caffe.Net("none.prototxt", 7), ValueError, "phase is 7"),
        (lambda net: caffe.Net("none.prototxt", caffe.TEST, stages="abc"), TypeError, "list of names"),
        (lambda net: caffe.Net("none.prototxt", caffe.TEST, wieghts="x"), TypeError, "wieghts is not expected"),
        (lambda net: caffe.Net("none.prototxt", "w", caffe.TEST, 3), TypeError, "too many arguments"),
        (lambda net: caffe.Net(3, caffe.TEST), TypeError, "3 is no file name"),
        (lambda net: caffe.Net("a\0b", caffe.TEST), ValueError, "without a zero character"),
        (lambda net: caffe.Net("none.prototxt", caffe.TEST, stages=5), TypeError, "stages is 5; needed: a list of names"),
        (lambda net: caffe.Net("none.prototxt", caffe.TEST, level="all"), TypeError, "level is 'all'; needed: a whole number"),
        (
            lambda net: caffe.Net("none.prototxt", caffe.TEST, level=2**40),
            ValueError,
            "level is 1099511627776; needed: -2147483648 to 2147483647",
        ),
        (lambda net: net.forward(start=["conv"]), ValueError, "is no name of a layer"),
        (lambda net: net.forward(blobs="conv"), TypeError, "blobs is 'conv'; needed: a list of names"),
        (lambda net: net.backward(diffs=3), TypeError, "diffs is 3; needed: a list of names"),
        (lambda net: net.forward(data="x.jpg"), ValueError, "Input 'data' cannot be read as an array of numbers"),
        (lambda net: net.forward(data=None), ValueError, "it is nothing"),
        (lambda net: net.forward(data=[[1, 2], [3]]), ValueError, "cannot be read as an array"),
        (lambda net: net.forward(data=np.full((2, 3, 6, 6), 1j)), ValueError, "it is complex"),
        (lambda net: net.forward_all(data="x"), ValueError, "'data' cannot be read as an array"),
        (lambda net: net.forward_backward_all(data=np.ones((4, 3, 6, 6)), prob=np.ones((2, 5, 2, 2))), ValueError, "as many for each"),
        (lambda net: net.params["conv"][2], IndexError, "2 parameter blobs has none at index 2"),
        (lambda net: setattr(net.blobs["data"], "data", 1), AttributeError, r"needed: blob.data\[...\] = values"),
        (lambda net: setattr(net.blobs["data"], "diff", 1), AttributeError, r"needed: blob.diff\[...\] = values"),
        (lambda net: operator.setitem(net.blobs, "data", 1), TypeError, r"\['data'\].data\[...\] = values"),
        (lambda net: operator.setitem(net.params["conv"], 0, 1), TypeError, r"needed: params\[...\]\[0\].data\[...\] = values"),
        (lambda net: pickle.dumps(net), TypeError, "neither pickled nor copied"),
        (lambda net: copy.deepcopy(net), TypeError, "neither pickled nor copied"),
    ],
)
def test_misuse_raises_what_scripts_catch(to_file: ToFile, misuse, kind: type[Exception], words: str) -> None:
    with pytest.raises(CaffeError, match=words) as raised:
        misuse(caffe.Net(to_file(DEPLOY), caffe.TEST))
    assert isinstance(raised.value, kind)
    assert isinstance(raised.value, RuntimeError)


def test_blobs_can_be_pickled(to_file: ToFile) -> None:
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    params = pickle.loads(pickle.dumps(net.params))
    assert list(params) == list(net.params)
    np.testing.assert_array_equal(params["conv"][0].data, net.params["conv"][0].data)


def test_a_parameter_seen_in_another_shape(to_file: ToFile) -> None:
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    before = net.forward(data=np.ones((2, 3, 6, 6)))["prob"].copy()
    net.params["score"][0].reshape(5, 4)
    net.params["score"][0].data[...] += 0
    np.testing.assert_array_equal(net.forward()["prob"], before)
    net.params["score"][0].data[0] += 1
    assert not np.array_equal(net.forward()["prob"], before)


def test_a_script_may_name_the_net(to_file: ToFile) -> None:
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    assert net.name == "deploy"
    net.name = "vgg16"
    assert net.name == "vgg16"


def test_numbers_of_blobs(to_file: ToFile) -> None:
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    assert [net._blob_names[i] for i in net._top_ids(3)] == net.top_names["pool"]
    assert [net._blob_names[i] for i in net._bottom_ids(3)] == net.bottom_names["pool"]
