"""NetSpec: nets as Python expressions."""

from __future__ import annotations

import copy
import operator
from pathlib import Path

import caffe
import pytest
from caffe import layers as L
from caffe import params as P
from caffe.proto import caffe_pb2

from caffepy.errors import CaffeError
from caffepy.proto.printer import to_text
from tests.pycaffe.nets import ToFile


def lenet(batch: int) -> caffe.NetSpec:
    n = caffe.NetSpec()
    n.data, n.label = L.DummyData(
        shape=[{"dim": [batch, 1, 28, 28]}, {"dim": [batch, 1, 1, 1]}], transform_param={"scale": 1.0 / 255}, ntop=2
    )
    n.conv1 = L.Convolution(n.data, kernel_size=5, num_output=20, weight_filler={"type": "xavier"})
    n.pool1 = L.Pooling(n.conv1, kernel_size=2, stride=2, pool=P.Pooling.MAX)
    n.ip1 = L.InnerProduct(n.pool1, num_output=500, weight_filler={"type": "xavier"})
    n.relu1 = L.ReLU(n.ip1, in_place=True)
    n.ip2 = L.InnerProduct(n.relu1, num_output=10, weight_filler={"type": "xavier"})
    n.loss = L.SoftmaxWithLoss(n.ip2, n.label)
    return n


def anonymous(batch: int) -> caffe.proto.caffe_pb2.NetParameter:
    data, label = L.DummyData(shape=[{"dim": [batch, 1, 28, 28]}, {"dim": [batch, 1, 1, 1]}], transform_param={"scale": 1.0 / 255}, ntop=2)
    conv1 = L.Convolution(data, kernel_size=5, num_output=20, weight_filler={"type": "xavier"})
    pool1 = L.Pooling(conv1, kernel_size=2, stride=2, pool=P.Pooling.MAX)
    ip1 = L.InnerProduct(pool1, num_output=500, weight_filler={"type": "xavier"})
    relu1 = L.ReLU(ip1, in_place=True)
    ip2 = L.InnerProduct(relu1, num_output=10, weight_filler={"type": "xavier"})
    return L.SoftmaxWithLoss(ip2, label).to_proto()


def load(proto: caffe.proto.caffe_pb2.NetParameter, to_file: ToFile) -> caffe.Net:
    return caffe.Net(to_file(to_text(proto)), caffe.TEST)


def test_a_net_with_names(to_file: ToFile) -> None:
    proto = lenet(50).to_proto()
    assert [(layer.name, list(layer.top)) for layer in proto.layer][4] == ("relu1", ["ip1"])
    net = load(proto, to_file)
    assert list(net.params) == ["conv1", "ip1", "ip2"]
    assert net.blobs["ip2"].shape == (50, 10)


def test_a_net_without_names(to_file: ToFile) -> None:
    """Tops are numbered, and one that another reads has its layer before it."""
    net = load(anonymous(50), to_file)
    assert [layer.type for layer in net.layers] == [layer.type for layer in load(lenet(50).to_proto(), to_file).layers]
    assert list(net.params) == ["Convolution1", "InnerProduct1", "InnerProduct2"]


def test_a_layer_without_tops(to_file: ToFile) -> None:
    n = caffe.NetSpec()
    n.data1, n.data2 = L.DummyData(shape={"dim": 3}, ntop=2)
    n.silence_data1 = L.Silence(n.data1, ntop=0)
    n.silence_data2 = L.Silence(n.data2, ntop=0)
    net = load(n.to_proto(), to_file)
    assert list(net.layer_dict) == ["data1", "silence_data1", "silence_data2"]
    assert [line.type for line in net.layers][1] == "Silence"


def test_names_that_are_no_attributes() -> None:
    n = caffe.NetSpec()
    n["data/a"] = L.Input(shape={"dim": [1, 2]})
    n.b = L.Power(n["data/a"], power=2)
    assert n.keys() == ["data/a", "b"]
    assert n.vals() == [n["data/a"], n.b]
    n.c = L.Power(n.b)
    del n["b"]
    assert n.keys()[-1] == "c"
    assert n.items() == [("data/a", n["data/a"]), ("c", n.c)]
    # the layer is there as c reads it, under a name of its own
    assert [layer.name for layer in n.to_proto().layer] == ["data/a", "Power1", "c"]
    assert copy.copy(n).keys() == ["data/a", "c"]


def test_parameters_that_come_later() -> None:
    """Scripts freeze layers in this way when all others stand behind them."""
    n = caffe.NetSpec()
    n.data = L.Input(shape={"dim": [1, 3]})
    n.ip = L.InnerProduct(n.data, num_output=2, param=[{"lr_mult": 1}, {"lr_mult": 2}])
    n.quiet = L.Silence(n.ip, ntop=0)
    n.update("ip", {"param": [{"lr_mult": 0}], "bias_term": False})
    n.update("quiet", {"name": "other"})
    ip, quiet = n.to_proto().layer[1:]
    assert ([p.lr_mult for p in ip.param], ip.inner_product_param.num_output, ip.inner_product_param.bias_term) == ([0], 2, False)
    assert quiet.name == "other"
    with pytest.raises(KeyError, match="nothing: no such top"):
        n.update("nothing", {})


def test_a_message_without_fields_is_not_there() -> None:
    n = caffe.NetSpec()
    n.data = L.Input(shape=[{}])
    n.conv = L.Convolution(n.data, num_output=2, weight_filler={}, relu_param={})
    data, conv = n.to_proto().layer
    assert len(data.input_param.shape) == 1
    assert not conv.convolution_param.HasField("weight_filler")
    assert not conv.HasField("relu_param")


def test_a_layer_in_place_takes_one_number() -> None:
    x = L.Input(ntop=2)
    y = L.Split(*x, in_place=True, ntop=2)
    assert [layer.name for layer in caffe.to_proto(L.Split(y[1])).layer] == ["Input1", "Split1", "Split2"]


def test_both_kinds_of_fields() -> None:
    """Fields of the layer's own parameter, and those of every layer."""
    n = caffe.NetSpec()
    n.d = L.Input(input_param={"shape": {"dim": [1, 3, 4, 4]}})
    n.c = L.Convolution(n.d, num_output=2, kernel_size=[3, 1], param=[{"lr_mult": 1}, {"lr_mult": 2}], propagate_down=False, name="other")
    n.drop = L.Dropout(n.c, dropout_ratio=0.25, include={"phase": caffe.TRAIN}, in_place=True)
    conv, drop = n.to_proto().layer[1:]
    assert (conv.name, list(conv.top), list(conv.convolution_param.kernel_size)) == ("other", ["c"], [3, 1])
    assert ([p.lr_mult for p in conv.param], list(conv.propagate_down)) == ([1, 2], [False])
    assert (drop.dropout_param.dropout_ratio, drop.include[0].phase, list(drop.top)) == (0.25, caffe.TRAIN, ["c"])


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda d: L.Convolution(d, num_outputs=3), AttributeError, "num_outputs: .* no such field"),
        (lambda d: L.Deconvolution(d, num_output=3), AttributeError, r"needed: a whole message, like convolution_param=dict\(...\)"),
        (lambda d: L.Convolution(d, num_outputs=3), AttributeError, "nearest: 'num_output'"),
        (lambda d: L.Convolution(d, num_output="many"), TypeError, "ConvolutionParameter.num_output = 'many'"),
        (lambda d: L.Convolution(d, num_output=-1), ValueError, "ConvolutionParameter.num_output = -1: Value out of range"),
        (lambda d: L.Pooling(d, pool="MAXIMUM"), ValueError, "PoolingParameter.pool = 'MAXIMUM'"),
        (lambda d: L.Convolution(d, weight_filler="xavier"), AttributeError, r"needed: a FillerParameter, as weight_filler=dict\(...\)"),
        (lambda d: L.Convolution(d, convolution_param={"kernel": 3}), AttributeError, "kernel: ConvolutionParameter has no such field"),
        (lambda d: L.ReLU("data"), TypeError, r"ReLU input 0 is not a Top \(type is <class 'str'>\)"),
        (lambda d: P.Pooling.MAXIMUM, AttributeError, "MAXIMUM: PoolingParameter has no such value; nearest: 'MAX'"),
        (lambda d: P.Nothing.MAX, AttributeError, "no NothingParameter"),
    ],
)
def test_misuse(make, kind: type[Exception], words: str) -> None:
    n = caffe.NetSpec()
    n.data = L.Input(shape={"dim": [1, 3]})
    with pytest.raises(CaffeError, match=words) as raised:
        caffe.to_proto(make(n.data))
    assert isinstance(raised.value, kind)


@pytest.mark.parametrize("value", [5, None, L.Input(ntop=2)])
def test_what_is_no_top(value: object) -> None:
    n = caffe.NetSpec()
    for write in (lambda: setattr(n, "data", value), lambda: operator.setitem(n, "data", value)):
        with pytest.raises(CaffeError, match="data = .*; needed: one top") as raised:
            write()
        assert isinstance(raised.value, TypeError)


def test_scripts_add_the_parameters_of_a_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(caffe.net_spec._param_names, "Deconvolution", "convolution")
    net = caffe.to_proto(L.Deconvolution(L.Input(), num_output=3))
    assert net.layer[1].convolution_param.num_output == 3


def test_an_unknown_top() -> None:
    n = caffe.NetSpec()
    n.data = L.Input(shape={"dim": [1, 3]})
    assert not hasattr(n, "label")
    for read in (lambda: n.dat, lambda: n["dat"]):
        with pytest.raises(CaffeError, match="dat: no such top was assigned; nearest: 'data'") as raised:
            read()
        assert isinstance(raised.value, KeyError)


def bvlc_fields() -> list[tuple[str, str, str]]:
    """Type, field of LayerParameter and the fields of that, as the real Caffe's NetSpec and schema have them."""
    lines = Path(__file__).with_name("bvlc_fields.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return [(kind, field, name) for kind, field, names in (line.split("\t") for line in lines) for name in names.split()]


def a_value(kind: str, name: str) -> object:
    field = getattr(caffe_pb2, f"{kind}Parameter").DESCRIPTOR.fields_by_name[name]
    if field.message_type is not None:
        return {"dim": 1} if field.message_type.name == "BlobShape" else {"type": "xavier"}
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    return "a" if isinstance(field.default_value, str) else 1


@pytest.mark.parametrize("kind", sorted({kind for kind, _, _ in bvlc_fields()}))
def test_every_field_stands_where_the_real_one_puts_it(kind: str) -> None:
    for _, field, name in (row for row in bvlc_fields() if row[0] == kind):
        (layer,) = caffe.to_proto(getattr(L, kind)(**{name: a_value(kind, name)})).layer
        assert [each.name for each, _ in layer.ListFields()] == ["name", "type", "top", field]
        assert [each.name for each, _ in getattr(layer, field).ListFields()] == [name]


def test_scripts_that_look_fields_up_by_their_types() -> None:
    """Converters carry a copy of Caffe's `param_name_dict`, which reads the descriptor; no fork's field may take the place of Caffe's."""
    layer = caffe_pb2.LayerParameter()
    fields = [field.name for field in layer.DESCRIPTOR.fields if field.name.endswith("_param")]
    types = [type(getattr(layer, name)).__name__ for name in fields]
    assert [name for name in types if types.count(name) > 1] == []
    found = dict(zip(types, fields))
    assert {(kind, field) for kind, field, _ in bvlc_fields()} <= {(kind.removesuffix("Parameter"), name) for kind, name in found.items()}


@pytest.mark.parametrize(
    ("kind", "field", "values"),
    [
        ("ReLU6", "relu6_param", {"negative_slope": 0.5}),
        ("CtcLoss", "ctc_loss_param", {"alphabet_size": 5, "time_step": 4, "blank_label": 0}),
        ("CTCLoss", "ctc_loss_param", {"blank_index": 2}),
        ("Normalize", "norm_param", {"across_spatial": False}),
        ("Normalize", "normalize_param", {"normalize_type": "L2"}),
    ],
)
def test_fields_of_forks(kind: str, field: str, values: dict[str, object]) -> None:
    (layer,) = caffe.to_proto(getattr(L, kind)(**values)).layer
    assert {each.name: value for each, value in getattr(layer, field).ListFields()} == values


def test_a_leaky_relu_runs(to_file: ToFile) -> None:
    n = caffe.NetSpec()
    n.data = L.Input(shape={"dim": [1, 2]})
    n.r = L.ReLU(n.data, negative_slope=0.1)
    net = load(n.to_proto(), to_file)
    net.blobs["data"].data[...] = [-1, 1]
    assert net.forward()["r"].tolist() == [pytest.approx([-0.1, 1])]
