"""caffe.Net: blobs and parameters to look at and to write, parts of passes, shapes, files, hooks, and what is refused."""

from __future__ import annotations

import gc
from pathlib import Path

import caffe
import numpy as np
import pytest

from caffepy import log
from caffepy.engine import weights
from caffepy.errors import CaffeError
from tests.pycaffe.nets import DEPLOY, SIMPLE, ToFile


@pytest.fixture
def net(to_file: ToFile) -> caffe.Net:
    """SIMPLE with labels."""
    found = caffe.Net(to_file(SIMPLE), caffe.TRAIN)
    found.blobs["label"].data[...] = np.random.default_rng(0).integers(13, size=found.blobs["label"].data.shape)
    return found


@pytest.fixture
def deploy(to_file: ToFile) -> caffe.Net:
    """DEPLOY in the TEST phase."""
    return caffe.Net(to_file(DEPLOY), caffe.TEST)


def images(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape).astype(np.float32)


def test_labels_written_before_the_first_pass_stay(net: caffe.Net) -> None:
    """DummyData fills constants once, when the net is built."""
    labels = net.blobs["label"].data.copy()
    assert labels.any()
    for _ in range(2):
        net.forward()
        assert np.array_equal(net.blobs["label"].data, labels)


def test_views_outlive_the_net(net: caffe.Net) -> None:
    params = [blob for blobs in net.params.values() for blob in blobs]
    blobs = list(net.blobs.values())
    kept = [view for blob in (*params, *blobs) for view in (blob.data, blob.diff)]
    del net, params, blobs
    gc.collect()
    assert np.isfinite(sum(float(view.sum()) for view in kept))


def test_names(net: caffe.Net) -> None:
    assert list(net.layer_dict) == list(net._layer_names) == ["data", "conv", "ip", "loss"]
    assert [layer.type for layer in net.layers] == ["DummyData", "Convolution", "InnerProduct", "SoftmaxWithLoss"]
    assert net.layer_dict["conv"] is net.layers[1]
    assert net.top_names["data"] == ["data", "label"]
    assert net.bottom_names["loss"] == ["ip_blob", "label"]
    assert net.outputs == ["loss"]
    assert net.inputs == []
    assert dict(net.blob_loss_weights) == {"data": 0, "label": 0, "conv": 0, "ip_blob": 0, "loss": 1}
    assert [net._blob_names[i] for i in net._outputs] == ["loss"]
    assert net._blob_loss_weights == [0, 0, 0, 0, 1]


def test_forward_backward(net: caffe.Net) -> None:
    assert net.forward().keys() == {"loss"}
    net.backward()
    assert all(np.abs(blob.diff).max() > 0 for blobs in net.params.values() for blob in blobs)


def test_parts_of_the_forward_pass(net: caffe.Net) -> None:
    conv = net.blobs["conv"]
    assert list(net.forward(end="ip")) == ["ip_blob"]
    kept = net.blobs["ip_blob"].data.copy()
    conv.data[...] *= 2
    found = net.forward(start="ip", end="ip", blobs=["conv"])
    assert list(found) == ["ip_blob", "conv"]
    weight, bias = (blob.data for blob in net.params["ip"])
    np.testing.assert_allclose(found["ip_blob"], conv.data.reshape(5, -1) @ weight.T + bias, rtol=1e-4, atol=1e-4)
    assert not np.allclose(found["ip_blob"], kept)


def test_parts_of_the_backward_pass(deploy: caffe.Net) -> None:
    """Gradients of a layer in the middle, as those who make pictures of what it sees want them."""
    deploy.forward(data=images(2, 3, 6, 6), end="conv")
    deploy.blobs["conv"].diff[...] = 0
    deploy.blobs["conv"].diff[:, 2] = 1
    found = deploy.backward(start="conv")
    assert list(found) == ["data"]
    kernel = deploy.params["conv"][0].data[2]
    expected = np.zeros((3, 6, 6), np.float32)
    for y in range(4):
        for x in range(4):
            expected[:, y : y + 3, x : x + 3] += kernel
    np.testing.assert_allclose(found["data"], np.stack([expected] * 2), rtol=1e-5, atol=1e-6)
    assert list(deploy.backward(start="conv", end="conv", diffs=["conv"])) == ["data", "conv"]
    assert list(deploy.backward(start="score", score=np.ones((2, 5, 2, 2)))) == ["data"]


def test_shapes_in_the_middle_go_their_own_way(to_file: ToFile) -> None:
    """A layer above that takes one size only does not matter to those below."""
    text = DEPLOY + 'layer { name: "ip" type: "InnerProduct" bottom: "score" top: "ip" inner_product_param { num_output: 2 } }'
    net = caffe.Net(to_file(text), caffe.TEST)
    net.blobs["data"].reshape(1, 3, 10, 12)
    assert net.forward(end="pool")["pool"].shape == (1, 4, 4, 5)
    net.blobs["pool"].diff[...] = 1
    assert net.backward(start="pool")["data"].shape == (1, 3, 10, 12)
    with pytest.raises(CaffeError, match=r"layer 'ip' \(InnerProduct\)"):
        net.forward()
    net.blobs["data"].reshape(2, 3, 6, 6)
    assert net.forward()["ip"].shape == (2, 2)


@pytest.mark.parametrize("at_once", [False, True])
def test_reshape_between_passes(deploy: caffe.Net, at_once: bool) -> None:
    small, seen = images(1, 3, 6, 6), []
    for shape in ((1, 3, 6, 6), (3, 3, 9, 8), (1, 3, 6, 6), (4, 3, 5, 20)):
        deploy.blobs["data"].reshape(*shape)
        if at_once:
            deploy.reshape()
            assert deploy.blobs["conv"].data.shape == (shape[0], 4, shape[2] - 2, shape[3] - 2)
        deploy.blobs["data"].data[...] = 0
        deploy.blobs["data"].data[:, :, :5, :6] = small[:, :, :5]
        prob = deploy.forward()["prob"]
        assert prob.shape == (shape[0], 5, *deploy.blobs["pool"].shape[2:])
        if shape == (1, 3, 6, 6):
            seen.append(prob.copy())
    np.testing.assert_array_equal(*seen)


def test_views_stay_live(deploy: caffe.Net) -> None:
    """An array that was taken once shows the values of later passes, and writing to it counts."""
    deploy.forward(data=images(2, 3, 6, 6))
    conv, prob, data = (deploy.blobs[name].data for name in ("conv", "prob", "data"))
    kept = conv.copy()
    data[...] = 0
    deploy.forward()
    np.testing.assert_allclose(conv, np.full_like(conv, 0.1), rtol=1e-6)
    assert not np.allclose(conv, kept)
    assert deploy.blobs["conv"].data.base is not None
    assert np.shares_memory(conv, deploy.blobs["conv"].data)
    assert np.shares_memory(prob, deploy.forward()["prob"])
    conv[...] = kept
    np.testing.assert_allclose(deploy.forward(start="pool")["prob"].sum(axis=1), 1, rtol=1e-5)
    assert float(deploy.blobs["pool"].data.max()) == float(kept.max())


def test_weights_can_be_edited(deploy: caffe.Net) -> None:
    deploy.blobs["data"].data[...] = images(2, 3, 6, 6)
    deploy.params["conv"][0].data[...] = 0
    deploy.params["conv"][1].data[...] = [1, -1, 2, -2]
    deploy.forward()
    assert deploy.blobs["conv"].data[0, :, 0, 0].tolist() == [1, 0, 2, 0]
    assert deploy.layers[1].blobs[1].data.tolist() == [1, -1, 2, -2]


def test_param_diffs_add_up_until_cleared(net: caffe.Net) -> None:
    net.forward()
    net.backward()
    once = net.params["ip"][1].diff.copy()
    net.backward()
    np.testing.assert_allclose(net.params["ip"][1].diff, 2 * once, rtol=1e-5)
    net.clear_param_diffs()
    assert all(not blob.diff.any() for blobs in net.params.values() for blob in blobs)


@pytest.mark.parametrize("hdf5", [False, True])
def test_save_and_read(net: caffe.Net, tmp_path: Path, to_file: ToFile, hdf5: bool) -> None:
    path = tmp_path / ("saved.caffemodel.h5" if hdf5 else "saved.caffemodel")
    (net.save_hdf5 if hdf5 else net.save)(path)
    again = [
        caffe.Net(to_file(SIMPLE), caffe.TRAIN, weights=str(path)),
        caffe.Net(to_file(SIMPLE), str(path), caffe.TRAIN),
        caffe.Net(network_file=to_file(SIMPLE), phase=caffe.TRAIN),
    ]
    (again[2].load_hdf5 if hdf5 else again[2].copy_from)(path)
    for other in again:
        for name, blobs in net.params.items():
            for mine, theirs in zip(blobs, other.params[name]):
                np.testing.assert_array_equal(mine.data, theirs.data)


def test_the_diffs_of_a_snapshot_come_with_its_weights(net: caffe.Net, tmp_path: Path, to_file: ToFile) -> None:
    """As snapshot_diff has them written."""
    path, half = tmp_path / "saved.caffemodel", to_file(SIMPLE)
    net.save(path)
    message = caffe.proto.caffe_pb2.NetParameter.FromString(path.read_bytes())
    for layer in message.layer:
        if layer.name == "ip":
            layer.blobs[1].diff.extend(range(13))
    path.write_bytes(message.SerializeToString())
    found = [caffe.Net(half, caffe.TEST, weights=str(path)), caffe.Net(half, caffe.TRAIN)]
    for blob in found[1].params["ip"]:
        blob.diff[...] = 5
    found[1].copy_from(path)
    for other in found:
        assert other.params["ip"][1].diff.tolist() == list(range(13))
    assert not found[0].params["ip"][0].diff.any()
    assert (found[1].params["ip"][0].diff == 5).all()  # the file has none


def test_the_old_form_tells_of_the_new(net: caffe.Net, tmp_path: Path, to_file: ToFile, capsys: pytest.CaptureFixture[str]) -> None:
    path, saved = to_file(SIMPLE), str(tmp_path / "saved.caffemodel")
    net.save(saved)
    caffe.Net(path, caffe.TEST, weights=saved)
    assert "DEPRECATION" not in capsys.readouterr().err
    caffe.Net(path, saved, caffe.TEST)
    lines = [line.split("] ", 1)[1] for line in capsys.readouterr().err.splitlines() if line.startswith("W")]
    assert lines == [
        "DEPRECATION WARNING - deprecated use of Python interface",
        'Use this instead (with the named "weights" parameter):',
        f"Net('{path}', 1, weights='{saved}')",
    ]


LEVELS = """
layer { name: "data" type: "DummyData" top: "data" dummy_data_param { shape { dim: 1 dim: 10 } } }
layer { name: "NoLevel" type: "InnerProduct" bottom: "data" top: "NoLevel" inner_product_param { num_output: 1 } }
layer { name: "Level0Only" type: "InnerProduct" bottom: "data" top: "Level0Only"
  include { min_level: 0 max_level: 0 } inner_product_param { num_output: 1 } }
layer { name: "Level>=1" type: "InnerProduct" bottom: "data" top: "Level>=1" include { min_level: 1 }
  inner_product_param { num_output: 1 } }
layer { name: "A" type: "InnerProduct" bottom: "data" top: "A" include { stage: "a" } inner_product_param { num_output: 1 } }
layer { name: "AB" type: "InnerProduct" bottom: "data" top: "AB" include { stage: "a" stage: "b" } inner_product_param { num_output: 1 } }
layer { name: "Test" type: "InnerProduct" bottom: "data" top: "Test" include { phase: TEST } inner_product_param { num_output: 1 } }
"""


@pytest.mark.parametrize(
    ("arguments", "keywords", "expected"),
    [
        ((caffe.TRAIN,), {}, {"Level0Only"}),
        ((caffe.TEST,), {}, {"Level0Only", "Test"}),
        ((caffe.TRAIN,), {"level": 0}, {"Level0Only"}),
        ((caffe.TRAIN, 1), {}, {"Level>=1"}),
        ((caffe.TRAIN,), {"level": 2, "stages": ["a"]}, {"Level>=1", "A"}),
        ((caffe.TRAIN, 0, ["a", "b"]), {}, {"Level0Only", "A", "AB"}),
        ((), {"phase": caffe.TEST, "stages": ("b",)}, {"Level0Only", "Test"}),
    ],
)
def test_levels_and_stages(to_file: ToFile, arguments: tuple, keywords: dict, expected: set[str]) -> None:
    net = caffe.Net(to_file(LEVELS), *arguments, **keywords)
    assert set(net.params) == expected | {"NoLevel"}


def test_forward_all_fills_the_last_batch_up(deploy: caffe.Net) -> None:
    many = images(5, 3, 6, 6)
    found = deploy.forward_all(blobs=["pool"], data=many)
    assert {name: array.shape for name, array in found.items()} == {"prob": (5, 5, 2, 2), "pool": (5, 4, 2, 2)}
    deploy.blobs["data"].reshape(5, 3, 6, 6)
    np.testing.assert_allclose(deploy.forward(data=many)["prob"], found["prob"], rtol=1e-5)


def test_forward_backward_all(deploy: caffe.Net) -> None:
    blobs, diffs = deploy.forward_backward_all(data=images(3, 3, 6, 6), prob=np.ones((3, 5, 2, 2)), diffs=["pool"])
    assert blobs["prob"].shape == (3, 5, 2, 2)
    assert {name: array.shape for name, array in diffs.items()} == {"data": (3, 3, 6, 6), "pool": (3, 4, 2, 2)}


def test_outputs_without_batch_axis_give_one_value_a_batch(to_file: ToFile) -> None:
    text = DEPLOY + 'layer { name: "sum" type: "Reduction" bottom: "prob" top: "sum" }'
    net = caffe.Net(to_file(text), caffe.TEST)
    assert net.forward_all(data=images(4, 3, 6, 6))["sum"] == pytest.approx([8, 8])


def test_share_with(deploy: caffe.Net, to_file: ToFile, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    other = caffe.Net(to_file(DEPLOY.replace('"score"', '"other"'), "other.prototxt"), caffe.TEST)
    own, hooked = other.params["other"][0].data.copy(), []
    other.before_forward(hooked.append)
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    other.share_with(deploy)
    assert "net.cpp:661] Ignoring source layer score" in capsys.readouterr().err
    deploy.params["conv"][0].data[0, 0, 0, 0] = 42
    assert other.params["conv"][0].data[0, 0, 0, 0] == 42
    assert np.shares_memory(other.params["conv"][0].data, deploy.params["conv"][0].data)
    np.testing.assert_array_equal(other.params["other"][0].data, own)
    other.forward()
    assert hooked == [0, 1, 2, 3, 4, 5]


def test_debug_info_of_the_net_is_heeded(to_file: ToFile, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    net = caffe.Net(to_file("debug_info: true " + DEPLOY), caffe.TEST)
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    net.forward(end="conv")
    net.backward(start="conv")
    lines = [line.split("] ", 1)[1].strip() for line in capsys.readouterr().err.splitlines()]
    assert [line.split(": ")[0] for line in lines] == [
        *("[Forward] Layer in, top blob data data", "[Forward] Layer conv, top blob conv data"),
        *("[Forward] Layer conv, param blob 0 data", "[Forward] Layer conv, param blob 1 data"),
        *("[Backward] Layer conv, bottom blob data diff", "[Backward] Layer conv, param blob 0 diff"),
        "[Backward] Layer conv, param blob 1 diff",
    ]


def test_hooks_get_the_number_of_each_layer(deploy: caffe.Net) -> None:
    seen: list[tuple[str, int]] = []
    for name in ("before_forward", "after_forward", "before_backward", "after_backward"):
        getattr(deploy, name)(lambda layer, name=name: seen.append((name, layer)))
    deploy.forward()
    deploy.backward()
    assert seen == [(f"{when}_{way}", i) for way, order in (("forward", range(6)), ("backward", range(5, -1, -1))) for i in order
                    for when in ("before", "after")]  # fmt: skip


def test_a_hook_may_change_what_the_next_layer_reads(deploy: caffe.Net) -> None:
    def change(layer: int) -> None:
        if deploy._layer_names[layer] == "pool":
            deploy.blobs["pool"].data[...] = 0

    deploy.after_forward(change)
    deploy.forward(data=images(2, 3, 6, 6))
    assert not deploy.blobs["score"].data.any()


def test_input_arrays(to_file: ToFile) -> None:
    text = """layer { name: "m" type: "MemoryData" top: "data" top: "label"
        memory_data_param { batch_size: 2 channels: 1 height: 2 width: 2 } }
        layer { name: "p" type: "Power" bottom: "data" top: "p" power_param { scale: 2 } }"""
    net = caffe.Net(to_file(text), caffe.TRAIN)
    data = images(4, 1, 2, 2)
    net.set_input_arrays(data, np.arange(4, dtype=np.float32))
    assert net.blobs["label"].data.shape == (2,)
    for batch in (data[:2], data[2:], data[:2]):
        np.testing.assert_allclose(net.forward()["p"], 2 * batch)
    assert net.blobs["label"].data.shape == (2, 1, 1, 1)
    assert net.blobs["label"].data.flatten().tolist() == [0, 1]
    with pytest.raises(CaffeError, match="labels"):
        net.set_input_arrays(data, np.zeros(3, np.float32))
    net._set_input_arrays(data[:2], np.full((2, 1, 1, 1), 7, np.float32))
    net.forward()
    assert net.blobs["label"].data.flatten().tolist() == [7, 7]


def test_losses_take_labels_of_input_arrays(to_file: ToFile) -> None:
    """They have other axes after the first pass than before it."""
    text = """layer { name: "m" type: "MemoryData" top: "data" top: "label"
        memory_data_param { batch_size: 2 channels: 3 height: 1 width: 1 } }
        layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 4 } }
        layer { name: "one" type: "InnerProduct" bottom: "data" top: "one" inner_product_param { num_output: 1 } }
        layer { name: "l" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "l" }
        layer { name: "a" type: "Accuracy" bottom: "ip" bottom: "label" top: "a" }
        layer { name: "e" type: "EuclideanLoss" bottom: "one" bottom: "label" top: "e" }"""
    net = caffe.Net(to_file(text), caffe.TRAIN)
    net.set_input_arrays(images(4, 3, 1, 1), np.array([1, 2, 3, 0], np.float32))
    for euclidean in ((1 + 4) / 4, 9 / 4) * 2:
        found = net.forward()
        net.backward()
        assert float(found["e"]) == euclidean
        assert net.params["ip"][0].diff.any()
        net.reshape()


def test_blob_shapes(net: caffe.Net) -> None:
    blob = net.blobs["ip_blob"]
    assert (blob.shape, blob.count) == ((5, 13), 65)
    assert (blob.num, blob.channels, blob.height, blob.width) == (5, 13, 1, 1)
    net.blobs["data"].reshape(np.int64(2), 2, 3, 4)
    assert list(net.blobs["data"].shape) == [2, 2, 3, 4]


def test_a_backward_pass_on_other_shapes_than_the_forward_pass(deploy: caffe.Net) -> None:
    deploy.forward(data=images(2, 3, 6, 6))
    deploy.blobs["data"].reshape(1, 3, 8, 8)
    deploy.reshape()
    with pytest.raises(CaffeError, match="needed: a forward pass before"):
        deploy.backward()


def test_a_spatial_transformer_begins_with_the_map_of_a_file(to_file: ToFile) -> None:
    """As in the nets that its authors give."""
    bias = to_file("1 0 0 0 1 0\n", "bias_init.txt")
    net = caffe.Net(
        to_file(f"""
            layer {{ name: "in" type: "Input" top: "x" input_param {{ shape {{ dim: 2 dim: 3 dim: 4 dim: 5 }} }} }}
            layer {{ name: "loc_reg" type: "InnerProduct" bottom: "x" top: "theta" inner_product_param {{ num_output: 6
              weight_filler {{ type: "constant" value: 0 }} bias_filler {{ type: "file" file: "{bias}" }} }} }}
            layer {{ name: "st" type: "SpatialTransformer" bottom: "x" bottom: "theta" top: "y" }}
        """),
        caffe.TEST,
    )
    x = images(2, 3, 4, 5)
    np.testing.assert_allclose(net.forward(x=x)["y"], x, atol=1e-5)


def test_a_file_that_only_this_program_reads_is_told(
    to_file: ToFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    caffe.init_log()
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    net.save(tmp_path / "small.caffemodel")
    assert "GB" not in capsys.readouterr().err
    monkeypatch.setattr(weights, "PROTOBUF_BYTES", 10)
    net.save(tmp_path / "big.caffemodel")
    assert "big.caffemodel: 0.0 GB; protobuf's libraries, and so Caffe, read no more than" in capsys.readouterr().err
    net.copy_from(tmp_path / "big.caffemodel")


def test_a_pass_between_layers_in_the_wrong_order_runs_none(net: caffe.Net, capsys: pytest.CaptureFixture[str]) -> None:
    """As in Caffe, which gives the blobs as they are; the log says so."""
    caffe.init_log()
    net.forward()
    net.backward()
    first, last = net._layer_names[1], net._layer_names[-1]
    kept = {name: (blob.data.copy(), blob.diff.copy()) for name, blob in net.blobs.items()}
    calls: list[int] = []
    net.before_forward(calls.append)
    net.before_backward(calls.append)
    net.blobs["data"].data[...] += 1
    assert set(net.forward(start=last, end=first)) == set(net.top_names[first])
    assert f"layer '{last}' comes behind '{first}': no layer is run" in capsys.readouterr().err
    assert set(net.backward(start=first, end=last)) == set(net.bottom_names[last])
    assert "no layer is run" in capsys.readouterr().err
    assert calls == []
    for name in set(kept) - {"data"}:
        np.testing.assert_array_equal(net.blobs[name].data, kept[name][0])
        np.testing.assert_array_equal(net.blobs[name].diff, kept[name][1])


def test_names_of_files_in_bytes(to_file: ToFile, tmp_path: Path) -> None:
    """Boost.Python takes them for text."""
    file, weights_file = to_file(DEPLOY).encode(), str(tmp_path / "w.caffemodel").encode()
    first = caffe.Net(file, caffe.TEST)
    first.save(weights_file)
    copied = caffe.Net(file, caffe.TEST)
    copied.copy_from(weights_file)
    for made in (caffe.Net(file, weights_file, caffe.TEST), caffe.Net(file, caffe.TEST, weights=weights_file), copied):
        for name, blobs in first.params.items():
            for ours, theirs in zip(made.params[name], blobs, strict=True):
                np.testing.assert_array_equal(ours.data, theirs.data)


def test_all_items_of_a_net_without_inputs(to_file: ToFile) -> None:
    net = caffe.Net(to_file('layer { name: "d" type: "DummyData" top: "d" dummy_data_param { shape { dim: 1 } } }'), caffe.TEST)
    for call in (net.forward_all, net.forward_backward_all):
        with pytest.raises(CaffeError, match="needed: .*forward"):
            call()


def test_batches_of_any_number_of_items(net: caffe.Net) -> None:
    size = net.blobs["data"].shape[0]
    items = np.ones((size + 1, *net.blobs["data"].shape[1:]), np.float32)
    first, last = net._batch({"data": items})
    assert (len(first["data"]), len(last["data"]), last["data"][1:].any()) == (size, size, False)


@pytest.mark.parametrize(
    ("layer", "shared"),
    [
        ("type: 'Slice' top: 'y'", True),
        ("type: 'Slice' top: 'y' top: 'z'", False),
        ("type: 'Permute' top: 'y' permute_param { order: 0 order: 1 order: 2 order: 3 }", True),
        ("type: 'Permute' top: 'y' permute_param { order: 0 order: 2 order: 3 order: 1 }", False),
        ("type: 'Flatten' top: 'y'", True),
        ("type: 'Crop' bottom: 'x' top: 'y'", False),
        ("type: 'Dropout' top: 'y'", False),
    ],
)
def test_a_top_has_the_memory_that_it_has_in_caffe(layer: str, shared: bool, to_file: ToFile) -> None:
    """A permuted blob whose moved axes have length 1 can be seen in its bottom's memory, but Caffe copies it."""
    shape = "input_param { shape { dim: 1 dim: 4 dim: 1 dim: 1 } }"
    text = f"layer {{ name: 'in' type: 'Input' top: 'x' {shape} }} layer {{ name: 'l' bottom: 'x' {layer} }}"
    net = caffe.Net(to_file(text), caffe.TEST)
    net.blobs["x"].data[...] = 1
    net.forward()
    net.blobs["y"].data[...] = 5
    assert (net.blobs["x"].data == 5).any() == shared


def test_boxes_that_a_user_overwrites_are_made_again_in_the_next_pass(to_file: ToFile) -> None:
    text = (
        "layer { name: 'in' type: 'Input' top: 'x' input_param { shape { dim: 1 dim: 3 dim: 4 dim: 4 } } }"
        "layer { name: 'p' type: 'PriorBox' bottom: 'x' bottom: 'x' top: 'p' prior_box_param { min_size: 2 } }"
    )
    net = caffe.Net(to_file(text), caffe.TEST)
    boxes = net.forward()["p"].copy()
    net.blobs["p"].data[...] = 0
    np.testing.assert_array_equal(net.forward()["p"], boxes)
    assert boxes.any()
