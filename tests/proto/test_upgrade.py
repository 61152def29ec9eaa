"""Old formats: what they become, what the log says, and where each layer came from."""

from __future__ import annotations

import json
import re

import pytest

from caffepy import log
from caffepy.errors import PrototxtError
from caffepy.layers.core.registry import LAYERS
from caffepy.proto import caffe_pb2, text
from caffepy.proto.upgrade import (
    net_needs_upgrade,
    set_snapshot_prefix,
    solver_needs_upgrade,
    upgrade_net,
    upgrade_net_fully,
    upgrade_solver,
)
from caffepy.proto.upgrade_v1 import TYPES


@pytest.fixture(autouse=True)
def all_log_lines():
    log.configure(min_level=log.INFO)


def parse(source, kind=caffe_pb2.NetParameter):
    message = kind()
    text.parse(source, message, file="net.prototxt")
    return message


def said(capsys):
    """Severity, place and text of the lines logged so far."""
    return [
        re.sub(r"^([IWEF])\S+ \S+ +\d+ ", r"\1 ", line)
        for line in capsys.readouterr().err.splitlines()
    ]


def test_v0_padding_goes_into_its_reader(capsys):
    old = parse(
        'input: "data" input_dim: 1 input_dim: 2 input_dim: 3 input_dim: 4 debug_info: true\n'
        'layers { layer { name: "pad" type: "padding" pad: 2 } bottom: "data" top: "pad" }\n'
        'layers { layer { name: "c" type: "conv" num_output: 4 kernelsize: 3 blobs_lr: 1 blobs_lr: 2 } bottom: "pad" top: "c" }\n'
        'layers { layer { name: "p" type: "pool" pool: AVE kernelsize: 2 } bottom: "c" top: "p" }\n'
    )
    net, origins = upgrade_net(old, "net.prototxt")
    assert [(layer.name, layer.type) for layer in net.layer] == [
        ("input", "Input"),
        ("c", "Convolution"),
        ("p", "Pooling"),
    ]
    assert origins == (None, 1, 2)
    convolution = net.layer[1].convolution_param
    assert (list(net.layer[1].bottom), list(convolution.pad), list(convolution.kernel_size)) == (
        ["data"],
        [2],
        [3],
    )
    assert [param.lr_mult for param in net.layer[1].param] == [1, 2]
    assert net.layer[2].pooling_param.pool == caffe_pb2.PoolingParameter.AVE
    assert not net.debug_info
    assert len(old.layers) == 3, "the net as written stays as it is"
    assert [line.split("]")[0] for line in said(capsys)] == [
        f"{level} upgrade_proto.cpp:{place}"
        for level, place in (
            ("I", 28),
            ("I", 36),
            ("W", 39),
            ("I", 55),
            ("I", 63),
            ("I", 69),
            ("I", 72),
            ("W", 74),
        )
    ]


def test_v0_settings_without_a_place_are_reported(capsys):
    old = parse(
        'layers { layer { name: "r" type: "relu" num_output: 3 source: "db" shuffle_images: true } bottom: "a" top: "a" }  input: "a"'
    )
    upgraded = upgrade_net_fully(old, "net.prototxt")
    assert not upgraded.complete
    errors = [line for line in said(capsys) if line.startswith("E")]
    assert errors[0] == "E upgrade_proto.cpp:237] Unknown parameter num_output for layer type relu"
    assert errors[1] == "E upgrade_proto.cpp:403] Unknown parameter source for layer type relu"
    assert errors[2] == "E upgrade_proto.cpp:455] Unknown parameter shuffle for layer type relu"
    assert "had one or more problems" in errors[3]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            'layers { layer { type: "konv" } }',
            ":1:1: layer '': Unknown layer name: konv; nearest: 'conv'",
        ),
        (
            'layers { layer { name: "c" type: "conv" } bottom: "pool9" }',
            ":1:43: Unknown blob input pool9 to layer 'c'",
        ),
        (
            'input: "a" layers { layer { type: "padding" } bottom: "a" top: "b" }\nlayers { layer { type: "relu" } bottom: "b" }',
            ":2:1: layer '' reads padding layer '': its type is 'relu', only conv and pool can",
        ),
        (
            'layer { name: "new" }\n layers { type: RELU name: "old" }',
            ":2:2: layer 'old': Refusing to upgrade inconsistent",
        ),
        (
            'input: "a" input: "b" input_dim: 1 input_dim: 2 input_dim: 3 input_dim: 4',
            ":1:1: 2 input field(s) but 4 input_dim",
        ),
        ('input: "a" input_dim: 1', ":1:1: 1 input field(s) but 1 input_dim"),
    ],
)
def test_what_cannot_be_upgraded(source, message):
    net = caffe_pb2.NetParameter()
    places = text.parse(source, net, file="net.prototxt")
    with pytest.raises(PrototxtError, match=re.escape(f"net.prototxt{message}")):
        upgrade_net(net, "net.prototxt", places.where)
    with pytest.raises(PrototxtError, match="^net.prototxt: "):
        upgrade_net(net, "net.prototxt")


def test_a_name_that_is_not_utf8():
    net = caffe_pb2.NetParameter(layers=[{"name": "Q", "type": caffe_pb2.V1LayerParameter.RELU}])
    data = net.SerializeToString().replace(b"Q", b"\xff")
    try:
        net.ParseFromString(data)
    except UnicodeDecodeError:
        pytest.skip("this release of protobuf itself refuses it")
    with pytest.raises(PrototxtError, match="^a.caffemodel: a name in it is not UTF-8: "):
        upgrade_net(net, "a.caffemodel")


def test_v1_layers():
    net, origins = upgrade_net(
        parse(
            'layers { name: "d" type: IMAGE_DATA top: "d" image_data_param { source: "l" scale: 0.5 crop_size: 3 new_height: 9 } }'
            'layers { name: "ip" type: INNER_PRODUCT bottom: "d" top: "ip" blobs_lr: 1 weight_decay: 2 weight_decay: 0 param: "w"'
            "  blob_share_mode: PERMISSIVE include { phase: TEST } inner_product_param { num_output: 2 } loss_weight: 3 }"
            "layers { }"
        ),
        "net.prototxt",
    )
    data, product, nothing = net.layer
    assert (
        data.transform_param.scale,
        data.transform_param.crop_size,
        data.image_data_param.new_height,
    ) == (0.5, 3, 9)
    assert not data.image_data_param.HasField("scale")
    assert [(p.name, p.lr_mult, p.decay_mult, p.share_mode) for p in product.param] == [
        ("w", 1, 2, 1),
        ("", 1, 0, 0),
    ]
    assert (
        product.include[0].phase,
        product.loss_weight[0],
        product.inner_product_param.num_output,
    ) == (caffe_pb2.TEST, 3, 2)
    assert not nothing.HasField("type")
    assert origins == (0, 1, 2)


def test_v1_layers_of_deeplab_and_deconvnet():
    net, _ = upgrade_net(
        parse(
            "layers { type: CONVOLUTION convolution_param { hole: 4 } } layers { type: INTERP interp_param { shrink_factor: 8 } }"
            "layers { type: SEG_ACCURACY seg_accuracy_param { ignore_label: 255 } } layers { type: BN bn_param { bn_mode: INFERENCE } }"
            "layers { type: UNPOOLING unpooling_param { unpool_size: 14 } }"
            "layers { type: IMAGE_SEG_DATA image_data_param { label_type: PIXEL } transform_param { crop_size: 306 } }"
        ),
        "net.prototxt",
    )
    assert [layer.type for layer in net.layer] == [
        "Convolution",
        "Interp",
        "SegAccuracy",
        "BN",
        "Unpooling",
        "ImageSegData",
    ]
    hole, interp, accuracy, bn, unpooling, data = net.layer
    assert (list(hole.convolution_param.hole), interp.interp_param.shrink_factor) == ([4], 8)
    assert (data.image_data_param.label_type, data.transform_param.crop_size) == (
        caffe_pb2.ImageDataParameter.PIXEL,
        306,
    )
    assert (
        list(accuracy.seg_accuracy_param.ignore_label),
        bn.bn_param.bn_mode,
        unpooling.unpooling_param.unpool_size,
    ) == ([255], 1, 14)


def test_every_v1_type_has_a_name():
    for value in caffe_pb2.V1LayerParameter.LayerType.DESCRIPTOR.values:
        net, _ = upgrade_net(parse(f"layers {{ type: {value.name} }}"), "net.prototxt")
        assert bool(net.layer[0].type) == (value.name != "NONE")


def test_surplus_input_shapes_are_left_out_and_no_shapes_make_no_layer():
    net, _ = upgrade_net(
        parse('input: "a" input_shape { dim: 2 } input_shape { dim: 3 }'), "net.prototxt"
    )
    assert [list(shape.dim) for shape in net.layer[0].input_param.shape] == [[2]]
    net, _ = upgrade_net(
        parse('input: "a" input_dim: 1 input_dim: 2 input_dim: 3 input_dim: 4 input_dim: 5'),
        "net.prototxt",
    )
    assert [list(shape.dim) for shape in net.layer[0].input_param.shape] == [[1, 2, 3, 4]]
    net, origins = upgrade_net(parse('input: "a" layer { name: "x" }'), "net.prototxt")
    assert ([layer.name for layer in net.layer], origins, list(net.input)) == (["x"], (0,), [])


def test_three_batch_norm_params_are_stilled(capsys):
    source = 'layer { type: "BatchNorm" param { lr_mult: 1 } param { decay_mult: 1 } param { name: "n" } }'
    net, _ = upgrade_net(parse(source), "net.prototxt")
    assert [(p.lr_mult, p.decay_mult, p.name) for p in net.layer[0].param] == [
        (0, 0, ""),
        (0, 0, ""),
        (0, 0, "n"),
    ]
    assert len(said(capsys)) == 2


def test_a_present_net_stays_and_nothing_is_said(capsys):
    net = parse('layer { name: "a" type: "BatchNorm" } layer { name: "b" }')
    assert not net_needs_upgrade(net)
    assert upgrade_net(net, "net.prototxt") == (net, (0, 1))
    assert not said(capsys)


def test_solver_types():
    solver = parse("solver_type: RMSPROP", caffe_pb2.SolverParameter)
    upgrade_solver(solver, "s")
    assert (solver.type, solver_needs_upgrade(solver)) == ("RMSProp", False)
    with pytest.raises(PrototxtError, match="cannot be both specified"):
        upgrade_solver(parse('solver_type: SGD type: "Adam"', caffe_pb2.SolverParameter), "s")
    with pytest.raises(PrototxtError, match=r"SAG \(fork: NVIDIA/caffe\) is not one of"):
        upgrade_solver(parse("solver_type: SAG", caffe_pb2.SolverParameter), "s")


def test_as_the_real_upgrade_tools(shared, capsys, monkeypatch):
    """The recorded runs of upgrade_net_proto_* and upgrade_solver_proto_text: the same result, the same notes."""
    compared = 0
    for folder in sorted((shared / "golden/cli").glob("upgrade_*")):
        tool, *files = json.loads((folder / "cmd.json").read_text())["argv"]
        if len(files) < 2 or not (folder / files[1]).exists():
            continue
        monkeypatch.chdir(folder)
        message = caffe_pb2.SolverParameter() if "solver" in tool else caffe_pb2.NetParameter()
        if "binary" in tool:
            message.ParseFromString((folder / files[0]).read_bytes())
        else:
            text.read_text(files[0], message)
        if "solver" in tool:
            upgrade_solver(message, files[0])
        else:
            message = upgrade_net_fully(message, files[0]).net
        notes = [
            line
            for line in (folder / "stderr.norm.txt").read_text().splitlines()
            if "upgrade_proto.cpp" in line
        ]
        assert said(capsys) == notes, folder
        if "binary" in tool:
            assert message.SerializeToString() == (folder / files[1]).read_bytes(), folder
        else:
            assert text.to_text(message) == (folder / files[1]).read_text(), folder
        compared += 1
    assert compared >= 15


@pytest.mark.parametrize(
    ("given", "file", "becomes"),
    [
        (None, "solver.prototxt", "solver"),
        (None, "sub/s.v1.prototxt", "sub/s.v1"),
        ("d", "solver.prototxt", "d/solver"),
        ("d/", "sub/s.v1.prototxt", "d/s.v1"),
        (".", "sub/solver.prototxt", "./solver"),
        ("d/x", "solver.prototxt", "d/x"),
        ("inner", "sub/solver.prototxt", "inner"),  # a folder beside the solver's file only
        ("none", "solver.prototxt", "none"),
        ("none/", "solver.prototxt", "none/"),
        ("", "solver.prototxt", ""),
    ],
)
def test_the_prefix_of_snapshots(given, file, becomes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "sub/inner").mkdir(parents=True)
    solver = caffe_pb2.SolverParameter(snapshot_prefix=given)
    set_snapshot_prefix(solver, file)
    assert solver.snapshot_prefix == becomes


V1_VOLUMES = """input: "data" input_dim: 1 input_dim: 3 input_dim: 4 input_dim: 6 input_dim: 6
layers { name: "c" type: CONVOLUTION3D bottom: "data" top: "c" blobs_lr: 1 blobs_lr: 2
  convolution_param { num_output: 2 kernel_size: 3 kernel_depth: 2 pad: 1 temporal_pad: 1
                      stride: 2 temporal_stride: 3 bias_filler { value: 1 } } }
layers { name: "p" type: POOLING3D bottom: "c" top: "p"
  pooling_param { pool: AVE kernel_size: 2 kernel_depth: 1 stride: 2 temporal_stride: 1 pad: 1 } }
"""


def test_volumes_of_c3d():
    net, _ = upgrade_net(parse(V1_VOLUMES), "net.prototxt")
    data, c, p = net.layer
    assert list(data.input_param.shape[0].dim) == [1, 3, 4, 6, 6]
    assert (c.type, p.type, c.HasField("convolution_param"), p.HasField("pooling_param")) == (
        "Convolution3D",
        "Pooling3D",
        False,
        False,
    )
    own = c.convolution3d_param
    assert (own.num_output, own.kernel_size, own.kernel_depth, own.pad, own.temporal_pad) == (
        2,
        3,
        2,
        1,
        1,
    )
    assert (
        own.stride,
        own.temporal_stride,
        own.bias_filler.value,
        [param.lr_mult for param in c.param],
    ) == (2, 3, 1, [1, 2])
    own = p.pooling3d_param
    assert (
        own.pool,
        own.kernel_size,
        own.kernel_depth,
        own.stride,
        own.temporal_stride,
        own.pad,
    ) == (own.AVE, 2, 1, 2, 1, 1)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            "CONVOLUTION3D convolution_param { kernel_h: 3 }",
            ":1:32: layer 'c': kernel_h is none of C3D's fields for a Convolution3D",
        ),
        (
            "CONVOLUTION3D convolution_param { pad: 3 pad: 2 }",
            ":1:39: layer 'c': pad is given twice; C3D takes one number",
        ),
        (
            "POOLING3D pooling_param { pool: STOCHASTIC }",
            ":1:24: layer 'c': pool STOCHASTIC is none of C3D's for a Pooling3D",
        ),
    ],
)
def test_volumes_that_are_none_of_c3ds(fields, words):
    written = caffe_pb2.NetParameter()
    places = text.parse(f"layers {{ name: 'c' type: {fields} }}", written, file="net.prototxt")
    with pytest.raises(PrototxtError, match=re.escape(words[words.index("layer") :])) as refused:
        upgrade_net(written, "net.prototxt", places.where)
    assert str(refused.value).startswith("net.prototxt:1:")


@pytest.mark.parametrize(
    ("name", "param", "type_name"),
    [
        ("ROI_POOLING", "roi_pooling_param { pooled_h: 2 }", "ROIPooling"),
        ("CROP", "crop_param { axis: 1 }", "Crop"),
        ("SMOOTH_L1_LOSS", "smooth_l1_loss_param { sigma: 2 }", "SmoothL1Loss"),
        ("UPSAMPLE", "upsample_param { scale: 3 }", "Upsample"),
        ("DENSE_IMAGE_DATA", "dense_image_data_param { batch_size: 2 }", "DenseImageData"),
        ("PRELU", "prelu_param { channel_shared: true }", "PReLU"),
        ("SPP", "spp_param { pyramid_height: 2 }", "SPP"),
        ("RESHAPE", "reshape_param { axis: 1 }", "Reshape"),
        ("BATCH_NORM", "batch_norm_param { eps: 1 }", "BatchNorm"),
        ("PYTHON", "python_param { module: 'm' }", "Python"),
    ],
)
def test_layers_that_forks_had_in_v1(name, param, type_name):
    net, _ = upgrade_net(parse(f"layers {{ name: 'l' type: {name} {param} }}"), "net.prototxt")
    (layer,) = net.layer
    assert layer.type == type_name
    assert getattr(layer, param.split()[0]) == getattr(
        parse(f"layer {{ {param} }}").layer[0], param.split()[0]
    )
    assert len(layer.ListFields()) == 3


def test_each_layer_here_has_a_v1_name():
    """As docs/architecture.md asks of a new layer."""
    others = {"CtcLoss", "Lstm"}  # the names of CTCLoss and LSTM, in capitals
    assert set(LAYERS) - set(TYPES.values()) == others
    assert set(TYPES.values()) <= {"", *LAYERS}
    assert set(TYPES) == set(caffe_pb2.V1LayerParameter.LayerType.keys())
