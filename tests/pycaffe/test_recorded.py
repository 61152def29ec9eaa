"""What the real Caffe's module was seen to do: names, numbers and exceptions of the recorded cases."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import caffe
import numpy as np
import pytest
from caffe import coord_map
from caffe import layers as L
from caffe import params as P
from google.protobuf import text_format

CaseOf = Callable[[str], tuple[dict[str, Any], dict[str, np.ndarray]]]


@pytest.fixture
def case_of(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CaseOf:
    """A function that gives what is recorded of a case, and makes a copy of its files the working folder."""

    def read(name: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        folder = tmp_path / name
        shutil.copytree(shared / "golden" / "pycaffe" / name, folder, copy_function=shutil.copyfile)
        monkeypatch.chdir(folder)
        arrays = dict(np.load("data.npz")) if Path("data.npz").exists() else {}
        return json.loads(Path("case.json").read_text(encoding="utf-8")), arrays

    return read


def close(found: Any, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def filled(data: dict[str, np.ndarray], file: str = "net.prototxt") -> caffe.Net:
    net = caffe.Net(file, caffe.TRAIN)
    for key, values in data.items():
        if key.startswith("param/"):
            layer, slot = key[6:].rsplit("/", 1)
            net.params[layer][int(slot)].data[...] = values
    return net


def test_net(case_of: CaseOf) -> None:
    case, data = case_of("net_api")
    net = filled(data)
    assert list(net.blobs) == case["blob_names"]
    assert list(net._layer_names) == case["layer_names"]
    assert [layer.type for layer in net.layers] == case["layer_types"]
    assert (net.inputs, net.outputs) == (case["inputs"], case["outputs"])
    assert (dict(net.top_names), dict(net.bottom_names)) == (case["top_names"], case["bottom_names"])
    assert dict(net.blob_loss_weights) == case["blob_loss_weights"]
    assert list(net.blobs["x"].shape) == case["blob_shape"]
    x = net.blobs["x"]
    assert [x.num, x.channels, x.height, x.width, x.count] == case["nchw_legacy"]
    found = net.forward(x=data["x"], l=data["l"])
    assert sorted(found) == case["forward_keys"]
    close(found["prob"], data["forward/prob"])
    close(found["loss"], data["forward/loss"])
    assert sorted(net.forward(blobs=["ip1"])) == case["forward_blobs_keys"]
    close(net.blobs["ip1"].data, data["ip1"])
    assert sorted(net.forward(end="relu")) == case["forward_end_keys"]
    found = net.forward(start="ip2", end="ip2")
    assert list(found) == case["forward_start_end_keys"]
    close(found["ip2"], data["start_end_ip2"])
    assert {name: list(net.blobs[name].shape) for name in net.blobs}.keys() == case["after_reshape"].keys()
    net.blobs["x"].reshape(2, 3)
    net.blobs["l"].reshape(2)
    net.reshape()
    assert {name: list(blob.shape) for name, blob in net.blobs.items()} == case["after_reshape"]


def test_saved_nets_are_read(case_of: CaseOf) -> None:
    _, data = case_of("net_api")
    for weights in ("saved.caffemodel", "saved.caffemodel.h5"):
        net = caffe.Net("net.prototxt", caffe.TRAIN, weights=weights)
        close(net.params["ip1"][0].data, data["param/ip1/0"])


def test_all_items(case_of: CaseOf) -> None:
    case, data = case_of("net_api")
    net = filled(data, "net2.prototxt")
    found = net.forward_all(x=data["xx"], blobs=["ip1"])
    assert sorted(found) == case["forward_all_blobs_keys"]
    close(found["prob"], data["forward_all/prob"])
    close(found["ip1"], data["forward_all/ip1"])
    blobs, diffs = net.forward_backward_all(x=data["xx"], prob=data["fba_prob_diff"])
    assert [sorted(blobs), sorted(diffs)] == case["fba_keys"]
    close(diffs["x"], data["fba/x"])


def test_exceptions(case_of: CaseOf) -> None:
    """Where the real module raises, so does this one, an exception of that kind, whose message begins with the same words."""
    case, data = case_of("net_api")
    net = filled(data)
    wrong = {
        "err_backward_partial": lambda: net.backward(prob=np.zeros((4, 3))),
        "err_backward_unknown": lambda: net.backward(q=np.zeros((4, 3))),
        "err_data_shape": lambda: net.blobs["x"].data.__setitem__(Ellipsis, np.zeros((2, 2))),
        "err_missing_file": lambda: caffe.Net("nofile.prototxt", caffe.TRAIN),
        "err_missing_weights": lambda: caffe.Net("net.prototxt", "no.caffemodel", caffe.TRAIN),
        "err_no_phase": lambda: caffe.Net("net.prototxt"),
        "err_reshape_kw": lambda: net.blobs["x"].reshape(num=3),
        "err_unknown_blob": lambda: net.blobs["q"],
        "err_unknown_input": lambda: net.forward(q=data["x"]),
        "err_wrong_batch": lambda: net.forward(x=data["x"][:2], l=data["l"][:2]),
    }
    kinds = {
        "Exception": Exception,
        "ValueError": ValueError,
        "RuntimeError": RuntimeError,
        "KeyError": KeyError,
        "ArgumentError": TypeError,
    }
    for name, misuse in wrong.items():
        kind, _, words = case[name].partition(": ")
        with pytest.raises(kinds[kind]) as raised:
            misuse()
        if kind != "ArgumentError":
            assert str(raised.value).startswith(words.rstrip(".")), name


def test_hooks(case_of: CaseOf) -> None:
    case, _ = case_of("net_callbacks")
    net = caffe.Net("net.prototxt", caffe.TRAIN)
    seen: list[list[Any]] = []
    for short, name in (("bf", "before_forward"), ("af", "after_forward"), ("bb", "before_backward"), ("ab", "after_backward")):
        getattr(net, name)(lambda layer, short=short: seen.append([short, layer]))
    net.forward()
    net.backward()
    assert seen == case["callback_log"]


@pytest.mark.parametrize(
    "name",
    ["auto_names", "bad_input", "bad_param", "basic", "more", "names", "params", "slice_silence", "unknown_type"],
)
def test_net_spec(case_of: CaseOf, name: str) -> None:
    case, _ = case_of(f"netspec_{name}")
    names: dict[str, Any] = {"caffe": caffe, "L": L, "P": P}
    program = Path("program.py.txt").read_text(encoding="utf-8")
    if "exception" in case:
        kind = {"TypeError": TypeError, "AttributeError": AttributeError}[case["exception"].split(":")[0]]
        with pytest.raises(kind, match=case["exception"].split(": ")[1].split(" (")[0]):
            exec(program, names)
        return
    exec(program, names)
    expected = caffe.proto.caffe_pb2.NetParameter()
    text_format.Parse(Path("expected.prototxt").read_text(encoding="utf-8"), expected)
    assert names["out"] == expected


def test_crops(case_of: CaseOf) -> None:
    case, _ = case_of("coord_map")
    for expected in case["results"]:
        n = caffe.NetSpec()
        n.data = L.Input(shape={"dim": [2, 1, 100, 100]})
        n.conv = L.Convolution(n.data, num_output=10, kernel_size=expected["kernel"], stride=expected["stride"], pad=expected["pad"])
        n.pool = L.Pooling(n.conv, pool=P.Pooling.MAX, kernel_size=2, stride=2)
        kernel, stride, pad = (expected[f"deconv_{name}"] for name in ("kernel", "stride", "pad"))
        n.deconv = L.Deconvolution(n.pool, convolution_param={"num_output": 5, "kernel_size": kernel, "stride": stride, "pad": pad})
        axis, scale, offset = coord_map.coord_map_from_to(n.deconv, n.data)
        assert (str(axis), list(scale), list(offset)) == (expected["axis"], expected["scale"], expected["offset"])
        if "crop" in expected:
            n.crop = coord_map.crop(n.deconv, n.data)
            assert text_format.MessageToString(n.to_proto()) == expected["crop"]
        else:
            with pytest.raises(AssertionError) as raised:
                coord_map.crop(n.deconv, n.data)
            assert str(raised.value) == expected["crop_exception"].removeprefix("AssertionError: ")


def test_datums_and_blob_protos(case_of: CaseOf) -> None:
    _, data = case_of("datum_conversions")
    assert caffe.io.array_to_datum(data["a"], 7).SerializeToString() == data["datum"].tobytes()
    assert caffe.io.array_to_datum(data["f"]).SerializeToString() == data["datum_float"].tobytes()
    np.testing.assert_array_equal(
        caffe.io.datum_to_array(caffe.proto.caffe_pb2.Datum.FromString(data["datum_float"].tobytes())), data["back"]
    )
    blob = caffe.io.array_to_blobproto(data["blobproto_in"])
    assert blob.SerializeToString() == data["blobproto"].tobytes()
    found = caffe.io.blobproto_to_array(blob)
    assert found.dtype == data["blobproto_back"].dtype
    np.testing.assert_array_equal(found, data["blobproto_back"])


@pytest.mark.parametrize("name", ["rgb", "gray", "5ch", "const"])
def test_resized_images(case_of: CaseOf, name: str) -> None:
    case, data = case_of(f"resize_{name}")
    found = caffe.io.resize_image(data["image"], case["dims"])
    assert found.dtype == np.float32
    close(found, data["resized"])


def test_oversample(case_of: CaseOf) -> None:
    _, data = case_of("oversample")
    np.testing.assert_array_equal(caffe.io.oversample(data["images"], data["crops"].shape[1:3]), data["crops"])


@pytest.fixture
def smoothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resize as beside the scikit-image of the recordings, which smooths."""
    monkeypatch.setattr(caffe.io, "resize_image", partial(caffe.io.resize_image, anti_aliasing=True))


@pytest.mark.usefixtures("smoothing")
@pytest.mark.parametrize("name", ["mean_full", "mean_resize", "resize_down", "resize_up"])
def test_transformer(case_of: CaseOf, name: str) -> None:
    case, data = case_of(f"transformer_{name}")
    transformer = caffe.io.Transformer({"data": case["shape"]})
    for option, value in case["options"].items():
        getattr(transformer, f"set_{option}")("data", value)
    image = data["image"]
    if "mean" in data:
        transformer.set_mean("data", data["mean"])
        close(transformer.mean["data"], data["mean_stored"])
        image = image + data["mean_stored"].transpose(1, 2, 0)  # Caffe subtracts it from the caller's own image
    close(transformer.preprocess("data", image), data["preprocess"])
    close(transformer.deprocess("data", data["preprocess"]), data["deprocess"])


@pytest.mark.usefixtures("smoothing")
@pytest.mark.parametrize("name", ["center", "nodims", "oversample"])
def test_classifier(case_of: CaseOf, name: str) -> None:
    case, data = case_of(f"classifier_{name}")
    options = {"raw_scale": 255, "channel_swap": (2, 1, 0), "mean": np.array([104.0, 117, 123])}
    net = caffe.Classifier("deploy.prototxt", "net.caffemodel", image_dims=case["image_dims"], **options)
    close(net.predict(data["images"], oversample=case["oversample"]), data["pred"])
