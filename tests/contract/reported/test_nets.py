"""Faults that people reported of data layers, layers and net definitions."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from caffepy.proto.weights import write_blob
from tests.contract.reported.kit import caffe, h5_layer, save_h5, save_lmdb, save_weights, score_net

INPUT = 'layer {{ name: "in" type: "DummyData" top: "x" dummy_data_param {{ shape {{ {} }} }} }}\n'


def lmdb_layer(transform: str, *, source: str = "db") -> str:
    return (
        f'layer {{ name: "d" type: "Data" top: "data" data_param {{ source: "{source}" batch_size: 1 backend: LMDB }} '
        f"transform_param {{ {transform} }} }}"
    )


def dims(*shape: int) -> str:
    return " ".join(f"dim: {n}" for n in shape)


def test_number_of_mean_values() -> None:
    save_lmdb("db", [np.full((1, 2, 2), 150)])
    three = score_net(lmdb_layer("mean_value: 104 mean_value: 117 mean_value: 123"))
    assert "'db', record 0 (key '0'): Specify either 1 mean_value or as many as channels: 1" in three.refusal
    assert score_net(lmdb_layer("mean_value: 100")).values("data") == [50] * 4
    write_blob("mean.binaryproto", np.zeros((1, 1, 2, 2), np.float32))
    both = score_net(lmdb_layer('mean_value: 100 mean_file: "mean.binaryproto"'))
    assert "Cannot specify mean_file and mean_value at the same time" in both.refusal


@pytest.mark.parametrize("phase", ["TRAIN", "TEST"])
def test_crop_of_the_whole_image(phase: str) -> None:
    save_lmdb("db", [np.full((1, 3, 3), 7)])
    Path("net.prototxt").write_text(lmdb_layer("crop_size: 3"))
    assert caffe("time", "-model", "net.prototxt", "-phase", phase, "-iterations", "1").code == 0
    assert score_net(lmdb_layer("crop_size: 3")).values("data") == [7] * 9


def test_crop_larger_than_the_image() -> None:
    save_lmdb("db", [np.zeros((240, 8, 3))])
    refusal = score_net(lmdb_layer("crop_size: 8")).refusal
    assert "crop_size 8 is larger than the image, 240x8x3" in refusal
    assert "a height x width x channels array?" in refusal


def test_transforms_of_hdf5_data() -> None:
    save_h5("list", {"data": np.zeros((2, 1))})
    assert "HDF5Data does not transform data." in score_net(h5_layer("list", "data", batch=1, more="transform_param { scale: 2 }")).refusal


def test_hdf5_batches_cross_files_and_wrap() -> None:
    parts = [{"data": np.float64(part) + 0.5, "label": np.uint8(part)} for part in ([0, 1], [2], [3, 4, 5, 6])]
    save_h5("list", *parts)
    said = score_net(h5_layer("list", "data", "label", batch=3), iterations=4)
    assert [said.values("label", batch=i) for i in range(4)] == [[0, 1, 2], [3, 4, 5], [6, 0, 1], [2, 3, 4]]
    assert said.values("data", batch=2) == [6.5, 0.5, 1.5]


def test_a_database_read_by_two_nets_and_one_that_is_missing() -> None:
    save_lmdb("db", [np.full((1, 1, 1), value) for value in (1, 2)])
    twice = lmdb_layer("scale: 1") + lmdb_layer("scale: 1").replace('"d"', '"e"').replace('"data"', '"more"')
    said = score_net(twice, iterations=2)
    assert (said.values("data"), said.values("more")) == ([1.5], [1.5])
    assert f"LMDB 'nowhere' does not exist (looked in {Path.cwd()})" in score_net(lmdb_layer("scale: 1", source="nowhere")).refusal


def test_normalisation_of_sigmoid_cross_entropy() -> None:
    x, t = np.float32([[1, -2], [0.5, 3]]), np.float32([[1, 0], [-1, 0.5]])
    save_h5("list", {"x": x, "t": t})
    layers = h5_layer("list", "x", "t", batch=2)
    for name, more in (("sum", ""), ("valid", "loss_param { normalization: VALID ignore_label: -1 }")):
        layers += f'layer {{ name: "{name}" type: "SigmoidCrossEntropyLoss" bottom: "x" bottom: "t" top: "{name}" {more} }}'
    each = np.log1p(np.exp(x)) - x * t
    said = score_net(layers)
    np.testing.assert_allclose(said.values("sum"), [each.sum() / 2], rtol=1e-5)
    np.testing.assert_allclose(said.values("valid"), [each[t != -1].sum() / 3], rtol=1e-5)


def test_accuracy_of_ties_and_absent_classes() -> None:
    scores = np.zeros((4, 4))
    scores[3, 2] = 1
    save_h5("list", {"x": scores, "t": [0, 1, 2, 2]})
    layers = h5_layer("list", "x", "t", batch=4) + 'layer { name: "a" type: "Accuracy" bottom: "x" bottom: "t" top: "a" top: "each" }'
    said = score_net(layers)
    assert (said.values("a"), said.values("each")) == ([0.25], [0, 0, 0.5, 0])


def test_predictions_and_labels_of_other_ranks() -> None:
    save_h5("list", {"x": [[1], [2], [4]], "t": [1, 1, 2]})
    layers = h5_layer("list", "x", "t", batch=3)
    euclidean = score_net(layers + 'layer { name: "l" type: "EuclideanLoss" bottom: "x" bottom: "t" top: "l" }')
    np.testing.assert_allclose(euclidean.values("l"), [5 / 6], rtol=1e-5)
    assert "'sub' (Eltwise)" in score_net(layers + 'layer { name: "sub" type: "Eltwise" bottom: "x" bottom: "t" top: "s" }').refusal


@pytest.mark.parametrize("batch", [1, 3])
def test_batch_norm_does_not_look_at_the_test_batch(batch: int) -> None:
    rows = np.float32([[1, 5], [2, 7], [9, 1]])
    save_h5("list", {"x": rows})
    save_weights("bn.caffemodel", {"bn": [np.float32([2, 4]), np.float32([8, 18]), np.float32([2])]})
    layer = 'layer { name: "bn" type: "BatchNorm" bottom: "x" top: "y" }'
    said = score_net(h5_layer("list", "x", batch=batch) + layer, weights="bn.caffemodel", iterations=3 // batch)
    found = [value for i in range(3 // batch) for value in said.values("y", batch=i)]
    np.testing.assert_allclose(found, ((rows - [1, 2]) / np.sqrt(np.float32([4, 9]) + 1e-5)).ravel(), rtol=1e-5)
    own = layer.replace("top:", "batch_norm_param { use_global_stats: false } top:")
    assert score_net(h5_layer("list", "x", batch=1) + own, weights="bn.caffemodel").values("y") == [0, 0]


def test_batch_norm_of_forks_and_without_counts() -> None:
    save_h5("list", {"x": [[1], [2]]})
    net = h5_layer("list", "x", batch=2) + 'layer { name: "bn" type: "BatchNorm" bottom: "x" top: "y" }'
    save_weights("five.caffemodel", {"bn": [np.float32([1])] * 5})
    refusal = score_net(net, weights="five.caffemodel").refusal
    assert "Incompatible number of blobs for layer bn: 5 in the file, 3 in the net" in refusal
    assert "scale_bias: true in batch_norm_param takes them" in refusal
    save_weights("zero.caffemodel", {"bn": [np.float32([1]), np.float32([1]), np.float32([0])]})
    zero = score_net(net, weights="zero.caffemodel")
    np.testing.assert_allclose(zero.values("y"), [316.228, 632.456], rtol=1e-5)
    assert any("layer bn: the moving-average factor is 0" in line for line in zero.lines)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "pad", "pooled", "convolved"),
    [(112, 3, 2, 0, 56, 55), (112, 3, 2, 1, 57, 56), (6, 2, 3, 0, 3, 2), (28, 3, 2, 1, 15, 14), (7, 7, 1, 0, 1, 1), (5, 2, 2, 1, 3, 3)],
)
def test_pooling_rounds_up(size: int, kernel: int, stride: int, pad: int, pooled: int, convolved: int) -> None:
    window = f"kernel_size: {kernel} stride: {stride} pad: {pad}"
    Path("net.prototxt").write_text(
        INPUT.format(dims(1, 1, size, size))
        + f'layer {{ name: "p" type: "Pooling" bottom: "x" top: "p" pooling_param {{ {window} }} }}\n'
        + f'layer {{ name: "c" type: "Convolution" bottom: "x" top: "c" convolution_param {{ num_output: 1 {window} }} }}\n'
    )
    said = caffe("time", "-model", "net.prototxt", "-iterations", "1")
    shapes = re.findall(r"Setting up ([pc])\n(?:.*\n)?Top shape: 1 1 (\d+) ", "\n".join(said.lines))
    assert shapes == [("p", str(pooled)), ("c", str(convolved))]


def test_crop_leaves_the_axes_before_it() -> None:
    values = np.arange(2 * 4 * 5, dtype=np.float32).reshape(1, 2, 4, 5)
    save_h5("list", {"x": values, "like": np.zeros((1, 3, 2, 3))})
    crop = 'layer {{ name: "c" type: "Crop" bottom: "x" bottom: "like" top: "c" crop_param {{ {} }} }}'
    said = score_net(h5_layer("list", "x", "like", batch=1) + crop.format("offset: 1 offset: 2"))
    assert said.values("c") == values[:, :, 1:3, 2:5].ravel().tolist()
    assert "layer 'c' (Crop)" in score_net(h5_layer("list", "x", "like", batch=1) + crop.format("axis: 1")).refusal


V1 = 'layers { name: "d" type: DUMMY_DATA top: "x" dummy_data_param { num: 1 channels: 1 height: 1 width: 1 } }\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('layers { name: "d" type: "DummyData" top: "x" }', "net.prototxt:1:26: layer 'd'"),
        ('layer { name: "d" type: DUMMY_DATA top: "x" }', "net.prototxt:1:25: layer 'd' (DUMMY_DATA): expected a string"),
        (V1 + 'layer { name: "r" type: "ReLU" bottom: "x" top: "x" }', "the definition includes both 'layer' and 'layers'"),
        (INPUT.format("dim: 1") * 2, "Top blob 'x' produced by multiple sources"),
        (INPUT.format("dim: 1") + 'layer { name: "l" type: "EuclideanLoss" bottom: "x" bottom: "label" }', "Unknown bottom blob 'label'"),
    ],
)
def test_definitions_that_are_wrong(text: str, message: str) -> None:
    Path("net.prototxt").write_text(text)
    said = caffe("time", "-model", "net.prototxt", "-phase", "TEST", "-iterations", "1")
    assert message in said.refusal
    assert said.refusal.startswith("net.prototxt:")


def test_old_definitions_and_names_that_rules_tell_apart() -> None:
    for text in (V1, INPUT.format("dim: 1") + INPUT.replace("top:", "include {{ phase: TRAIN }} top:").format("dim: 2")):
        Path("net.prototxt").write_text(text)
        assert caffe("time", "-model", "net.prototxt", "-phase", "TEST", "-iterations", "1").code == 0
