"""What objects show of themselves as text: short, whatever they hold, and without any effect."""

from __future__ import annotations

from pathlib import Path

import caffe
import numpy as np
import pytest
import torch
from caffe import layers as L

from caffepy.engine import layerwise
from caffepy.engine.blob import AwaitedBlob, MirroredBlob
from caffepy.layers.common.array_text import MOST_READ
from caffepy.layers.common.python_blob import PythonBlob
from caffepy.pycaffe.blob import Blob
from tests.pycaffe.nets import DEPLOY, SOLVER, TRAINED, ToFile


def chain(length: int) -> caffe.NetSpec:
    """A net of so many layers in a row."""
    spec = caffe.NetSpec()
    spec.data = L.Input(shape={"dim": [1, 3, 8, 8]})
    for i in range(1, length):
        spec[f"relu{i}"] = L.ReLU(spec.vals()[-1])
    return spec


def blob_of(*values: float, shape: tuple[int, ...] | None = None) -> Blob:
    from caffepy.engine.blob import Blob as EngineBlob

    return Blob(EngineBlob(torch.tensor(values).reshape(len(values) if shape is None else shape)))


def test_a_net(to_file: ToFile) -> None:
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    assert repr(net).splitlines() == [
        "<Net 'deploy', TEST, 6 layers, 137 parameters, in: data 2x3x6x6, out: prob 2x5x2x2>",
        "  in     Input        data 2x3x6x6",
        "  conv   Convolution  conv 2x4x4x4   112",
        "  relu   ReLU         conv 2x4x4x4",
        "  pool   Pooling      pool 2x4x2x2",
        "  score  Convolution  score 2x5x2x2  25",
        "  prob   Softmax      prob 2x5x2x2",
    ]
    net.blobs["data"].reshape(7, 3, 6, 6)
    net.reshape()
    assert "in: data 7x3x6x6, out: prob 7x5x2x2" in repr(net)
    assert repr(net.params).splitlines() == ["<2 layers with parameters, by name>", "  conv   4x3x3x3, 4", "  score  5x4x1x1, 5"]
    assert repr(net.layers[1]) == "<Layer 'conv', Convolution, parameters 4x3x3x3, 4>"
    assert repr(net.top_names).splitlines()[:2] == ["<6 layers, by name>", "  in     ['data']"]


def test_a_net_that_was_never_built() -> None:
    """A debugger shows it when its constructor has failed."""
    assert repr(caffe.Net.__new__(caffe.Net)) == "<Net, which was not built>"
    assert repr(caffe.SGDSolver.__new__(caffe.SGDSolver)) == "<SGDSolver, which was not built>"


def test_a_long_net_is_short(to_file: ToFile) -> None:
    spec = chain(1000)
    net = caffe.Net(to_file(str(spec.to_proto())), caffe.TEST)
    for shown in (net, net.blobs, net.layer_dict, spec):
        lines = repr(shown).splitlines()
        assert len(lines) == 26
        assert lines[17] == "  … 976 more …"
        assert max(map(len, lines)) < 160
    assert repr(spec).splitlines()[-1] == "  relu999  ReLU   relu998"


@pytest.mark.parametrize(
    ("blob", "said"),
    [
        (blob_of(-1.5, 2), "<Blob 2, -1.5 to 2>"),
        (blob_of(0, 0, 0), "<Blob 3, all 0>"),
        (blob_of(0.25, shape=()), "<Blob scalar, 0.25>"),
        (blob_of(shape=(0, 3)), "<Blob 0x3, no elements>"),
        (blob_of(1, float("nan"), 2, float("-inf")), "<Blob 4, 1 to 2, 2 NaN or infinite>"),
        (blob_of(float("nan"), float("nan")), "<Blob 2, all NaN or infinite>"),
        (PythonBlob((2, 1)), "<Blob 2x1, all 0>"),
    ],
)
def test_blobs(blob: object, said: str) -> None:
    assert repr(blob) == said


def test_a_huge_blob_is_not_read() -> None:
    one = torch.zeros(1).expand(MOST_READ + 1)  # no memory behind it
    from caffepy.engine.blob import Blob as EngineBlob

    assert repr(Blob(EngineBlob(one))) == "<Blob 16777217, 16,777,217 elements>"


def test_to_be_shown_has_no_effect(to_file: ToFile, monkeypatch: pytest.MonkeyPatch) -> None:
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    net.blobs["data"].reshape(1, 3, 6, 6)
    for method in ("forward", "backward", "reshape", "_run"):
        monkeypatch.setattr(layerwise.LayerwiseEngine, method, lambda *_, **__: pytest.fail("a pass"))
    before = [(blob._blob._shown, blob._blob._diff) for blob in net.blobs.values()]
    for shown in (net, net.blobs, net.params, net.layers, net.blobs["conv"], net.params["conv"][0]):
        assert repr(shown)
    assert [(blob._blob._shown, blob._blob._diff) for blob in net.blobs.values()] == before


def test_a_blob_that_is_computed_when_it_is_looked_at() -> None:
    due = [True]
    blob = AwaitedBlob(torch.zeros(2), lambda: due.clear(), lambda: bool(due))
    assert repr(Blob(blob)) == "<Blob to be computed when it is looked at>"
    assert due == [True]
    assert blob.data.tolist() == [0, 0]
    assert repr(Blob(blob)) == "<Blob 2, all 0>"


def test_a_blob_of_a_gpu_keeps_the_copy_that_leads() -> None:
    blob = MirroredBlob(torch.zeros(2))
    assert repr(Blob(blob)) == "<Blob 2, all 0>"
    assert not blob._data._host_leads
    blob.data_array()[...] = 3
    assert repr(Blob(blob)) == "<Blob 2, all 3>"
    assert blob._data._host_leads


def test_a_solver(to_file: ToFile, tmp_path: Path) -> None:
    solver = caffe.get_solver(to_file(SOLVER.format(net=to_file(TRAINED), folder="here"), "solver.prototxt"))
    state = solver._loop._policy
    solver.iter  # noqa: B018 - a look
    words = "iteration 0 of 20, base_lr 0.01 (fixed), net 'trained', 3 layers, test nets 1, snapshots 'here/model'"
    assert repr(solver) == f"<SGDSolver, {words}>"
    assert solver._loop._policy == state


def test_a_net_in_python() -> None:
    spec = caffe.NetSpec()
    spec.data, spec.label = L.Data(source="a\nb", batch_size=4, ntop=2)
    spec["ip/1"] = L.InnerProduct(spec.data, num_output=2, weight_filler={"type": "xavier"})
    spec.quiet = L.Silence(spec.label, ntop=0)
    assert repr(spec).splitlines() == [
        "<NetSpec, 4 tops>",
        r"  data   Data                 source='a\nb', batch_size=4",
        r"  label  Data                 source='a\nb', batch_size=4",
        "  ip/1   InnerProduct  data   num_output=2, weight_filler={'type': 'xavier'}",
        "  quiet  Silence       label",
    ]
    assert repr(spec.label) == r"<Top, top 1 of Data(source='a\nb', batch_size=4)>"
    assert repr(spec.quiet) == "<Function, Silence(1 bottom)>"
    assert repr(caffe.NetSpec()) == "<NetSpec, 0 tops>"


def test_a_layer_in_python() -> None:
    class Mine(caffe.Layer):
        pass

    assert repr(Mine()) == "<Mine, a layer in Python>"
    assert repr(Mine.__new__(Mine)) == "<Mine, a layer in Python>"
    assert repr(Mine(caffe.caffe_pb2.LayerParameter(name="m"))) == "<Mine 'm', a layer in Python>"


def test_names_stay_on_their_line(to_file: ToFile) -> None:
    spec = caffe.NetSpec()
    spec["a\x1b[31m\nb"] = L.Input(shape={"dim": [1]})
    net = caffe.Net(to_file(str(spec.to_proto())), caffe.TEST)
    for shown in (net, net.blobs, net.layers[0], spec):
        assert "\x1b" not in repr(shown)
        assert len(repr(shown).splitlines()) < 3
    assert np.isfinite(net.blobs["a\x1b[31m\nb"].data).all()


def test_a_net_that_onnxruntime_computes(to_file: ToFile) -> None:
    """Blobs inside are computed when somebody reads them, not when they are shown."""
    pytest.importorskip("onnxruntime", reason="onnxruntime comes with the extra 'onnx'")
    pytest.importorskip("onnx", reason="onnx comes with the extra 'onnx'")
    net = caffe.Net(to_file(DEPLOY), caffe.TEST, engine="onnxruntime")
    net.forward(data=np.ones((2, 3, 6, 6)))
    assert "conv   to be computed when it is looked at" in repr(net.blobs)
    assert "to be computed" in net.blobs["conv"]._repr_html_()
    assert "prob   2x5x2x2, " in repr(net.blobs)
    assert net.blobs["conv"].data.any()
    assert "to be computed" not in repr(net.blobs)
