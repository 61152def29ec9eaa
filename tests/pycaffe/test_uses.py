"""What people's scripts and notebooks do, from their first line to their last."""

from __future__ import annotations

import itertools
from pathlib import Path

import caffe
import numpy as np
from google.protobuf import text_format

from tests.pycaffe.nets import DEPLOY, SOLVER, TRAINED, ToFile

CLASSIFIER = """
name: "classifier"
layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 4 kernel_size: 3 weight_filler { type: "xavier" } } }
layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param { pool: MAX kernel_size: 2 stride: 2 } }
layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc" inner_product_param { num_output: 5 weight_filler { type: "xavier" } } }
layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }
"""


def test_net_surgery(to_file: ToFile, tmp_path: Path) -> None:
    """A classifier becomes a net that classifies every place of a larger image: its product turns into a convolution."""
    net = caffe.Net(to_file(CLASSIFIER), caffe.TEST)
    convolutional = CLASSIFIER.replace('name: "fc" type: "InnerProduct"', 'name: "fc-conv" type: "Convolution"').replace(
        "inner_product_param { num_output: 5", "convolution_param { num_output: 5 kernel_size: 3"
    )
    net.save(tmp_path / "classifier.caffemodel")
    full = caffe.Net(to_file(convolutional, "full.prototxt"), str(tmp_path / "classifier.caffemodel"), caffe.TEST)
    full.params["fc-conv"][0].data.flat = net.params["fc"][0].data.flat
    full.params["fc-conv"][1].data[...] = net.params["fc"][1].data
    full.save(tmp_path / "full.caffemodel")
    full = caffe.Net(to_file(convolutional, "full.prototxt"), str(tmp_path / "full.caffemodel"), caffe.TEST)
    image = np.random.default_rng(0).normal(size=(3, 12, 14)).astype(np.float32)
    full.blobs["data"].reshape(1, *image.shape)
    full.blobs["data"].data[0] = image
    scores = full.forward()["prob"][0]
    assert scores.shape == (5, 3, 4)
    for y, x in ((0, 0), (1, 2), (2, 3)):
        window = image[:, 2 * y : 2 * y + 8, 2 * x : 2 * x + 8]
        np.testing.assert_allclose(scores[:, y, x], net.forward(data=window[np.newaxis])["prob"][0], rtol=1e-4)


def test_dreaming(to_file: ToFile) -> None:
    """Climb from an image to one that a layer in the middle answers to more and more, at two sizes."""
    definition = caffe.io.caffe_pb2.NetParameter()
    text_format.Merge(DEPLOY.replace("force_backward: true", ""), definition)
    definition.force_backward = True
    net = caffe.Net(to_file(str(definition)), caffe.TEST)
    source, rng = net.blobs["data"], np.random.default_rng(2)
    for size in (8, 12):
        source.reshape(1, 3, size, size)
        source.data[0] = rng.normal(size=(3, size, size))
        answers = []
        for _ in range(5):
            net.forward(end="pool")
            middle = net.blobs["pool"]
            middle.diff[:] = middle.data
            net.backward(start="pool")
            gradient = source.diff[0]
            source.data[:] += 0.1 / np.abs(gradient).mean() * gradient
            answers.append(float(np.square(middle.data).sum()))
        assert answers == sorted(answers)
        assert answers[-1] > 1.5 * answers[0]


def test_gradients_are_those_of_the_loss(to_file: ToFile) -> None:
    """A script checks a gradient by moving a weight."""
    net = caffe.Net(to_file(TRAINED), caffe.TEST)
    net.forward()
    net.clear_param_diffs()
    net.backward()
    weight = net.params["ip"][0]
    expected = weight.diff.copy()
    found = np.zeros_like(expected)
    for place in np.ndindex(found.shape):
        kept = weight.data[place]
        losses = []
        for step in (-1e-2, 1e-2):
            weight.data[place] = kept + step
            losses.append(float(net.forward()["loss"]))
        weight.data[place] = kept
        found[place] = (losses[1] - losses[0]) / 2e-2
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert np.abs(expected).max() > 0.01


def test_a_training_in_a_notebook(to_file: ToFile, tmp_path: Path) -> None:
    """Step by step, with losses and test scores in arrays, weights looked at between, and a new rate in the middle."""
    solver = caffe.SGDSolver(to_file(SOLVER.format(net=to_file(TRAINED), folder=tmp_path), "solver.prototxt"))
    losses, tests, weights = np.zeros(20), [], []
    for iteration in range(20):
        solver.step(1)
        losses[iteration] = solver.net.blobs["loss"].data
        weights.append(solver.net.params["ip"][0].data.copy())
        if iteration % 5 == 0:
            solver.test_nets[0].forward()
            tests.append(float(solver.test_nets[0].blobs["loss"].data))
        if iteration == 10:
            solver.param.base_lr = 0.1
    assert losses[-1] < losses[0]
    assert tests == sorted(tests, reverse=True)
    moves = [np.abs(after - before).max() for before, after in itertools.pairwise(weights)]
    assert min(moves) > 0
    solver.net.save(tmp_path / "trained.caffemodel")
    deployed = caffe.Net(to_file(TRAINED), str(tmp_path / "trained.caffemodel"), caffe.TEST)
    np.testing.assert_array_equal(deployed.params["ip"][0].data, weights[-1])


def test_features_of_many_images(to_file: ToFile) -> None:
    """In batches, kept as a list of arrays: what was taken must not change with the next batch."""
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    images = np.random.default_rng(3).normal(size=(6, 3, 6, 6)).astype(np.float32)
    features = []
    for start in range(0, 6, 2):
        net.blobs["data"].data[...] = images[start : start + 2]
        net.forward(end="pool")
        features.extend(net.blobs["pool"].data.copy())
    net.blobs["data"].reshape(6, 3, 6, 6)
    np.testing.assert_allclose(net.forward(data=images, blobs=["pool"])["pool"], np.stack(features), rtol=1e-5)
