"""Which fork a field, a value or a type is of, and what of forks a message holds."""

from __future__ import annotations

import re

import pytest
from google.protobuf import text_format

from caffepy.layers.core.registry import LAYERS
from caffepy.proto import caffe_pb2, forks

PROPER = {"Caffes", "NetSpec", "Python", "Squeeze"}
"""Words of ways with a capital that are no layer types."""


def test_the_table_is_made_from_the_schema(root):
    """As tools/dev/make_proto makes it."""
    scope, rows = [], []
    for line in (root / "proto/caffe.proto").read_text().splitlines():
        if found := re.match(r" *(message|enum) (\w+)", line):
            scope.append(found[2])
        elif re.match(r" *}", line):
            scope.pop()
        elif scope and (found := re.search(r"(\w+) *= *-?\d+.*; *// ([a-z0-9. -]+)$", line)):
            rows.append(f"{'.'.join(scope)}.{found[1]}\t{found[2]}\n")
    assert "".join(rows) == (root / "caffepy/proto/forks.tsv").read_text()
    assert {key for row in rows for key in row.split()[1:]} <= {*forks.FORKS, "caffepy"}


def test_what_is_listed_by_hand_is_nowhere_else():
    for names in forks.FIELDS.values():
        for name in names.split():
            message, *_, field = name.split(".")
            assert field not in caffe_pb2.DESCRIPTOR.message_types_by_name[message].fields_by_name
    assert {*forks.FIELDS} <= {*forks.FORKS}


def test_types_of_forks():
    for name, (keys, way) in forks.fork_types().items():
        assert keys, name
        assert {*keys} <= {*forks.FORKS}
        assert len(set(keys)) == len(keys)
        assert not (way and name in LAYERS), f"{name} is here: it needs no nearest way"
        for other in re.findall(r"\b[A-Z]\w+", way):
            if other.isupper() or other in PROPER:
                continue
            assert other in LAYERS, f"{name}: {way}"


def test_forks_of_types_and_fields():
    assert forks.forks_of_type("PSROIPooling").startswith("daijifeng001/caffe-rfcn, intel/caffe")
    assert "hujie-frank/SENet" in forks.forks_of_type("Axpy")
    assert "lmb-freiburg/flownet2" in forks.forks_of_type("DataAugmentation")
    assert forks.forks_of_type("LabelSpecificAdd") == "happynear/caffe-windows"
    assert forks.forks_of_type("MalisLoss") == "naibaf7/caffe"
    assert forks.forks_of("BatchNormParameter.scale_bias") == "NVIDIA/caffe"
    assert forks.forks_of("SolverParameter.multinode_param") == "intel/caffe"
    assert forks.forks_of("LayerParameter.binary_data_param") == "Alibaba PAI-Caffe"
    assert forks.forks_of("MemoryDataParameter.dim") == "naibaf7/caffe"
    for name in ("Convolution", "NoSuchType"):
        assert forks.forks_of_type(name) == ""
    assert (
        forks.forks_of("ConvolutionParameter.kernel_size")
        == forks.forks_of("SolverState.run_state")
        == ""
    )


def test_fields_of_forks_in_a_message():
    layer = text_format.Parse(
        "loss_weight: 1 pooling_param { pool: AVE_TF pad_3d: 1 engine: MKL2017 }"
        " transform_param { mirror: true emit_constraint { emit_type: CENTER } }",
        caffe_pb2.LayerParameter(),
    )
    found = list(forks.fork_fields(layer, frozenset(["PoolingParameter.pad_3d"])))
    assert [field.path for field in found] == [
        ("transform_param", "emit_constraint"),
        ("pooling_param", "pool"),
    ]
    assert str(found[0]).startswith(
        "'TransformationParameter.emit_constraint' is not BVLC Caffe's (fork: weiliu89/caffe@ssd, "
    )
    net = caffe_pb2.NetParameter(
        layer=[caffe_pb2.LayerParameter(), layer], eltwise_mem_sharing=False
    )
    assert [field.path for field in forks.fork_fields(net)][1:] == [
        ("layer", 1, "transform_param", "emit_constraint"),
        ("layer", 1, "pooling_param", "pool"),
        ("layer", 1, "pooling_param", "pad_3d", 0),
    ]
    assert [field.name for field in forks.fork_fields(net, skip=frozenset(["layer"]))] == [
        "NetParameter.eltwise_mem_sharing"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "transform_param { flow: false }",
        "transform_param { min_contrast: 0.8 max_contrast: 1.2 }",
        "batch_norm_param { use_weight_bias: true relu: false }",
        "pooling_param { avg_include_pad: true }",
        "reshape_every_iter: true",
    ],
)
def test_a_field_at_its_default_passes(text):
    layer = text_format.Parse(text, caffe_pb2.LayerParameter())
    assert list(forks.fork_fields(layer)) == []


@pytest.mark.parametrize(
    "text",
    [
        "transform_param { flow: true }",
        "pooling_param { avg_include_pad: false }",
        "batch_norm_param { update_global_stats: false }",
        "loss_param { pre_fixed_normalizer: 0 }",
    ],
)
def test_others_do_not(text):
    layer = text_format.Parse(text, caffe_pb2.LayerParameter())
    assert len(list(forks.fork_fields(layer))) == 1


@pytest.mark.parametrize(
    "text",
    [
        *(f"convolution_param {{ engine: {name} }}" for name in ("LIBDNN", "INTEL_SPATIAL", "FFT")),
        "pooling_param { engine: LIBDNN }",
    ],
)
def test_libraries_of_opencl_caffe_are_passed_over(text):
    layer = text_format.Parse(text, caffe_pb2.LayerParameter())
    assert list(forks.fork_fields(layer)) == []
