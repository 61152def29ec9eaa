"""caffe.model_libs: the nets are those that SSD's own functions write, and a script like SSD's trains with them."""

from __future__ import annotations

import math
import os
import runpy
import subprocess
from pathlib import Path
from typing import Any

import caffe
import numpy as np
import pytest
from caffe import model_libs
from caffe.model_libs import ConvBNLayer, CreateAnnotatedDataLayer, CreateMultiBoxHead, L, VGGNetBody, caffe_pb2

from caffepy.net import compile
from caffepy.net.graph import Graph
from caffepy.proto.text import read_net
from caffepy.pycaffe.errors import Unfit
from tests.data.build import png, write_database
from tests.warm.start import python

NAMES = {
    *("ConvBNLayer", "CreateAnnotatedDataLayer", "CreateMultiBoxHead", "InceptionTower", "InceptionV3Body", "ResBody", "ResNet101Body"),
    *("ResNet152Body", "UnpackVariable", "VGGNetBody", "ZFNetBody", "check_if_exist", "make_if_not_exist", "L", "P", "caffe_pb2", "os"),
}
SOURCES = ["conv4_3", "fc7", "conv6_2", "conv7_2", "conv8_2", "conv9_2"]
EXTRA = [
    *(("conv6_1", 256, 1, 0, 1), ("conv6_2", 512, 3, 1, 2), ("conv7_1", 128, 1, 0, 1), ("conv7_2", 256, 3, 1, 2)),
    *(("conv8_1", 128, 1, 0, 1), ("conv8_2", 256, 3, 0, 1), ("conv9_1", 128, 1, 0, 1), ("conv9_2", 256, 3, 0, 1)),
]


def start(size: int = 300) -> caffe.NetSpec:
    net = caffe.NetSpec()
    net.data = L.Input(shape={"dim": [1, 3, size, size]})
    return net


def ssd300(net: caffe.NetSpec) -> list[Any]:
    """What examples/ssd/ssd_pascal.py builds."""
    VGGNetBody(net, from_layer="data", fully_conv=True, reduced=True, dilated=True, dropout=False)
    last = net.keys()[-1]
    for name, *window in EXTRA:
        ConvBNLayer(net, last, name, False, True, *window, lr_mult=1)
        last = name
    sizes = [30.0, 60.0, 111.0, 162.0, 213.0, 264.0, 315.0]
    return CreateMultiBoxHead(
        net,
        data_layer="data",
        from_layers=SOURCES,
        use_batchnorm=False,
        min_sizes=sizes[:-1],
        max_sizes=sizes[1:],
        aspect_ratios=[[2], [2, 3], [2, 3], [2, 3], [2], [2]],
        steps=[8, 16, 32, 64, 100, 300],
        normalizations=[20, -1, -1, -1, -1, -1],
        num_classes=21,
        share_location=True,
        flip=True,
        clip=False,
        prior_variance=[0.1, 0.1, 0.2, 0.2],
        kernel_size=3,
        pad=1,
        lr_mult=1,
    )


def graph_of(net: caffe.NetSpec, folder: Path) -> Graph:
    path = folder / "net.prototxt"
    path.write_text(str(net.to_proto()))
    message, places = read_net(str(path))
    message.state.phase = caffe_pb2.TEST
    return compile(message, where=places.where)


def shapes(graph: Graph) -> dict[str, tuple[int, ...]]:
    return {value.name: value.shape for value in graph.values}


def test_what_scripts_get() -> None:
    space: dict[str, Any] = {}
    exec("from caffe.model_libs import *", space)
    assert space.keys() - {"__builtins__"} == NAMES


def test_ssd300_is_the_net_that_ssd_published(shared: Path, tmp_path: Path) -> None:
    net = caffe.NetSpec()
    net.data, net.label = CreateAnnotatedDataLayer("x", batch_size=2)
    tops = ssd300(net)
    assert tops == [net.mbox_loc, net.mbox_conf, net.mbox_priorbox]
    theirs, _ = read_net(str(shared / "wild/prototxt/intel/ssd_vgg_voc0712_train.prototxt"))
    ours = net.to_proto()
    assert ours.layer[0].name == "data"
    assert list(ours.layer)[1:] == list(theirs.layer)[1:-1]
    plain = start()
    ssd300(plain)
    found = shapes(graph_of(plain, tmp_path))
    assert found["mbox_loc"] == (1, 8732 * 4)
    assert found["mbox_conf"] == (1, 8732 * 21)
    assert found["mbox_priorbox"] == (1, 2, 8732 * 4)


def test_the_data_layer() -> None:
    train = CreateAnnotatedDataLayer("db", 8, label_map_file="map", transform_param={"mirror": True}, batch_sampler=[{"max_sample": 1}])
    test = CreateAnnotatedDataLayer("db", train=False, output_label=False, anno_type=caffe_pb2.AnnotatedDatum.BBOX)
    first, other = train[0].to_proto().layer[0], test.to_proto().layer[0]
    assert (first.name, len(first.top), first.include[0].phase, first.transform_param.mirror) == ("data", 2, caffe_pb2.TRAIN, True)
    assert (first.data_param.source, first.data_param.batch_size, first.data_param.backend) == ("db", 8, caffe_pb2.DataParameter.LMDB)
    assert (first.annotated_data_param.label_map_file, first.annotated_data_param.batch_sampler[0].max_sample) == ("map", 1)
    assert not first.annotated_data_param.HasField("anno_type")
    assert (len(other.top), other.include[0].phase, other.data_param.batch_size) == (1, caffe_pb2.TEST, 32)
    assert other.annotated_data_param.HasField("anno_type")
    assert len(other.annotated_data_param.batch_sampler) == 1


FROZEN = [(0.0, 0.0)] * 3


@pytest.mark.parametrize(
    ("more", "types", "rates"),
    [
        ({"use_bn": False}, ["Convolution", "ReLU"], [[(3, 1), (6, 0)], []]),
        ({"use_relu": False}, ["Convolution", "BatchNorm", "Scale"], [[(3, 1)], FROZEN, [(3, 0)] * 2]),
        ({"use_scale": False}, ["Convolution", "BatchNorm", "Bias", "ReLU"], [[(3, 1)], FROZEN, [(3, 0)], []]),
        ({"use_global_stats": True}, ["Convolution", "BatchNorm", "Scale", "ReLU"], [[(3, 1)], FROZEN, [(0, 0)] * 2, []]),
    ],
)
def test_a_convolution_and_what_follows_it(more: dict[str, Any], types: list[str], rates: list[list[tuple[float, float]]]) -> None:
    net = start()
    given = {"use_bn": True, "use_relu": True, "num_output": 4, "kernel_size": [1, 7], "pad": [0, 3], "stride": 1, "lr_mult": 3, **more}
    ConvBNLayer(net, "data", "c", dilation=2, conv_prefix="a_", bn_prefix="b_", bn_postfix="", scale_prefix="s_", **given)
    found = list(net.to_proto().layer)[1:]
    assert [layer.type for layer in found] == types
    assert [[(spec.lr_mult, spec.decay_mult) for spec in layer.param] for layer in found] == rates
    window = found[0].convolution_param
    assert (window.kernel_h, window.kernel_w, window.pad_h, window.pad_w, window.stride_h, window.stride_w) == (1, 7, 0, 3, 1, 1)
    assert list(window.dilation) == [2]
    names = {"Convolution": "a_c", "BatchNorm": "b_c", "Scale": "s_c_scale", "Bias": "c_bias", "ReLU": "a_c_relu"}
    assert [layer.name for layer in found] == [names[kind] for kind in types]
    assert {layer.top[0] for layer in found} == {"a_c"}
    norm = next((layer.batch_norm_param for layer in found if layer.type == "BatchNorm"), None)
    if norm is not None:
        stats = "use_global_stats" in more
        assert (norm.eps, norm.HasField("use_global_stats"), norm.HasField("moving_average_fraction")) == (
            pytest.approx(0.001), stats, not stats,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "size", "more", "top", "shape"),
    [
        ("VGGNetBody", 224, {}, "fc7", (1, 4096)),
        ("VGGNetBody", 224, {"need_fc": False}, "conv5_3", (1, 512, 14, 14)),
        ("VGGNetBody", 224, {"fully_conv": True}, "fc7", (1, 4096, 7, 7)),
        ("VGGNetBody", 224, {"fully_conv": True, "reduced": True, "dilated": True, "dilate_pool4": True}, "fc7", (1, 1024, 28, 28)),
        ("VGGNetBody", 224, {"fully_conv": True, "reduced": True, "nopool": True}, "fc7", (1, 1024, 7, 7)),
        ("ZFNetBody", 224, {"need_fc8": True}, "prob", (1, 1000)),
        ("ZFNetBody", 224, {"need_fc8": True, "fully_conv": True, "reduced": True}, "prob", (1, 1000, 8, 8)),
        ("ZFNetBody", 224, {"fully_conv": True, "dilated": True}, "fc7", (1, 4096, 15, 15)),
        ("ResNet101Body", 224, {"use_global_stats": True}, "pool5", (1, 2048, 1, 1)),
        ("ResNet152Body", 224, {"use_pool5": False, "use_dilation_conv5": True}, "res5c", (1, 2048, 14, 14)),
        ("InceptionV3Body", 299, {"output_pred": True}, "softmax_prob", (1, 1008)),
    ],
)
def test_bodies(body: str, size: int, more: dict[str, Any], top: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    net = start(size)
    assert getattr(model_libs, body)(net, from_layer="data", **more) is net
    assert shapes(graph_of(net, tmp_path))[top] == shape


def test_layers_of_the_residual_nets_and_of_inception() -> None:
    def kinds(body: str, *names: str, **more: Any) -> list[int]:
        net = getattr(model_libs, body)(start(), "data", **more)
        assert set(names) <= set(net.keys())
        return [sum(layer.type == kind for layer in net.to_proto().layer) for kind in ("Convolution", "Eltwise", "Concat", "Pooling")]

    assert kinds("ResNet101Body", "bn_conv1", "scale_conv1", "res3b3_branch2c", "bn4b22_branch2a", "res5c_relu") == [104, 33, 0, 2]
    assert kinds("ResNet152Body", "res3b7", "res4b35", "scale5a_branch1") == [155, 50, 0, 2]
    names = (
        "mixed/tower_2/conv",
        "mixed_3/pool",
        "mixed_7/tower_1/conv_4_bn",
        "mixed_8/tower/conv_1",
        "mixed_10/tower_1/mixed/conv_1_bias",
    )
    assert kinds("InceptionV3Body", *names) == [94, 0, 15, 13]


def test_frozen_layers_learn_nothing() -> None:
    net = VGGNetBody(start(), "data", freeze_layers=["conv1_1", "nowhere"])
    rates = {layer.name: [spec.lr_mult for spec in layer.param] for layer in net.to_proto().layer}
    assert (rates["conv1_1"], rates["conv1_2"]) == ([0, 0], [1, 2])


def test_more_of_the_predictions(tmp_path: Path) -> None:
    net = start(64)
    ConvBNLayer(net, "data", "c", True, True, 8, 3, 1, 8)
    more = {"inter_layer_depth": [6], "use_objectness": True, "share_location": False, "img_height": 64, "img_width": 32}
    tops = CreateMultiBoxHead(
        net, num_classes=3, from_layers=["c"], min_sizes=[[8, 16]], aspect_ratios=[2], loc_postfix="_l", conf_postfix="_c", **more
    )
    assert len(tops) == 4
    found, by_name = shapes(graph_of(net, tmp_path)), {layer.name: layer for layer in net.to_proto().layer}
    assert found["c_inter"] == (1, 6, 8, 8)
    assert found["c_inter_mbox_loc_l"][1] == 2 * 3 * 4 * 3
    assert found["c_inter_mbox_conf_c"][1] == 2 * 3 * 3
    assert found["mbox_objectness"] == (1, 2 * 3 * 2 * 64)
    prior = by_name["c_inter_mbox_priorbox"].prior_box_param
    assert (prior.img_h, prior.img_w, prior.flip, prior.clip, prior.offset) == (64, 32, True, True, 0.5)
    assert list(prior.variance) == pytest.approx([0.1])


def test_refusals() -> None:
    head = {"num_classes": 2, "from_layers": ["data"], "min_sizes": [1]}
    for more, words in (
        ({"num_classes": 0}, "num_classes 0; needed: a positive number"),
        ({"min_sizes": []}, "min_sizes for 0 layers, from_layers are 1; needed: as many"),
        ({"steps": [1, 2]}, "steps for 2 layers, from_layers are 1; needed: as many, or none"),
        ({"max_sizes": [[2, 3]]}, r"max_sizes \[2, 3\] of 'data' for min_sizes \[1\]; needed: as many"),
        ({"data_layer": "date"}, "data_layer 'date' is none of the net's; there are: data"),
    ):
        with pytest.raises(Unfit, match=words):
            CreateMultiBoxHead(start(), **{**head, **more})
    with pytest.raises(AssertionError, match="from_layer 'date' is none of the net's"):
        VGGNetBody(start(), "date")
    with pytest.raises(AssertionError, match=r"\[1, 2\]; needed: a list of 3, or of one"):
        model_libs.UnpackVariable([1, 2], 3)
    assert model_libs.UnpackVariable([4], 2) == model_libs.UnpackVariable(4, 2) == [4, 4]


SCRIPT = """
from __future__ import print_function
import caffe
from caffe.model_libs import *
from google.protobuf import text_format

import math

save_dir = "models/tiny"
make_if_not_exist(save_dir)
assert check_if_exist("db")
solver_param = {
    'base_lr': 0.01, 'lr_policy': "multistep", 'stepvalue': [4], 'gamma': 0.1, 'iter_size': int(math.ceil(8.0 / 4)), 'max_iter': 6,
    'snapshot_after_train': True, 'display': 1, 'type': "SGD", 'solver_mode': P.Solver.CPU, 'test_iter': [2], 'test_interval': 6,
    'eval_type': "detection", 'ap_version': "11point", 'test_initialization': False, 'random_seed': 1,
}
resize = {'prob': 1, 'resize_mode': P.Resize.WARP, 'height': 32, 'width': 32, 'interp_mode': [P.Resize.LINEAR]}
sampler = [{'sampler': {'min_scale': 0.8}, 'sample_constraint': {'min_jaccard_overlap': 0.5}, 'max_trials': 5, 'max_sample': 1}]
transform = {'scale': 0.01, 'resize_param': resize, 'emit_constraint': {'emit_type': caffe_pb2.EmitConstraint.CENTER}}


def body(net):
    from_layer = net.keys()[0]
    for out_layer in ["conv1", "conv2", "conv3"]:
        ConvBNLayer(net, from_layer, out_layer, True, True, 8, 3, 1, 2)
        from_layer = out_layer
    return CreateMultiBoxHead(
        net, data_layer='data', num_classes=3, from_layers=["conv2", "conv3"], min_sizes=[8, 16], max_sizes=[16, 24],
        aspect_ratios=[[2], [2]], normalizations=[20, -1], use_batchnorm=False, steps=[4, 8], kernel_size=3, pad=1, clip=False,
        prior_variance=[0.1, 0.1, 0.2, 0.2])


net = caffe.NetSpec()
net.data, net.label = CreateAnnotatedDataLayer("db", batch_size=4, transform_param=transform, batch_sampler=sampler)
mbox_layers = body(net)
mbox_layers.append(net.label)
net["mbox_loss"] = L.MultiBoxLoss(*mbox_layers, multibox_loss_param={'num_classes': 3, 'conf_loss_type': P.MultiBoxLoss.SOFTMAX},
        loss_param={'normalization': P.Loss.VALID}, include=dict(phase=caffe_pb2.Phase.Value('TRAIN')),
        propagate_down=[True, True, False, False])
with open(save_dir + "/train.prototxt", 'w') as f:
    print('name: "{}_train"'.format("tiny"), file=f)
    print(net.to_proto(), file=f)

net = caffe.NetSpec()
net.data, net.label = CreateAnnotatedDataLayer("db", batch_size=4, train=False, transform_param=transform)
mbox_layers = body(net)
net.scores = L.Softmax(L.Reshape(net.mbox_conf, shape=dict(dim=[0, -1, 3])), axis=2)
mbox_layers[1] = L.Flatten(net.scores, axis=1)
net.detection_out = L.DetectionOutput(*mbox_layers, include=dict(phase=caffe_pb2.Phase.Value('TEST')),
        detection_output_param={'num_classes': 3, 'nms_param': {'nms_threshold': 0.45, 'top_k': 400}, 'keep_top_k': 200})
net.detection_eval = L.DetectionEvaluate(net.detection_out, net.label, detection_evaluate_param={'num_classes': 3},
        include=dict(phase=caffe_pb2.Phase.Value('TEST')))
with open(save_dir + "/test.prototxt", 'w') as f:
    print(net.to_proto(), file=f)

solver = caffe_pb2.SolverParameter(train_net=save_dir + "/train.prototxt", test_net=[save_dir + "/test.prototxt"],
        snapshot_prefix=save_dir + "/tiny", **solver_param)
with open(save_dir + "/solver.prototxt", 'w') as f:
    print(solver, file=f)
"""


def test_a_script_like_ssds_trains(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    generator, records = np.random.default_rng(0), []
    for label in (1, 2, 1, 2):
        pixels = generator.integers(0, 255, (40, 40, 3), np.uint8)
        record = caffe_pb2.AnnotatedDatum(type=caffe_pb2.AnnotatedDatum.BBOX, datum=caffe_pb2.Datum.FromString(png(pixels, 0)))
        box = record.annotation_group.add(group_label=label).annotation.add().bbox
        box.xmin, box.ymin, box.xmax, box.ymax = 0.25, 0.25, 0.75, 0.75
        records.append(record.SerializeToString())
    write_database(tmp_path / "db", records)
    Path("ssd_tiny.py").write_text(SCRIPT)
    runpy.run_path("ssd_tiny.py", run_name="__main__")
    command = [*python(), "-m", "caffepy", "train", "--solver=models/tiny/solver.prototxt"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert Path("models/tiny/tiny_iter_6.caffemodel").exists()
    (score,) = (line for line in done.stderr.splitlines() if "Test net output #0: detection_eval = " in line)
    assert 0 <= float(score.split("= ")[1]) <= 1
    losses = [float(line.split("mbox_loss = ")[1].split()[0]) for line in done.stderr.splitlines() if "Train net output" in line]
    assert len(losses) == 6
    assert all(math.isfinite(loss) for loss in losses)
