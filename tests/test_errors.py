"""What an error offers in place of a name that there is not."""

from __future__ import annotations

import pytest

from caffepy.errors import nearest
from caffepy.layers.core.registry import LAYERS
from caffepy.proto import caffe_pb2

FIELDS = list(caffe_pb2.LayerParameter.DESCRIPTOR.fields_by_name)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Covnolution", "Convolution"),
        ("Relu", "ReLU"),
        ("RoiPooling", "ROIPooling"),
        ("LSTM2", "LSTM"),
        ("BatchNormalization", "BatchNorm"),
        ("InnerProdct", "InnerProduct"),
        ("Pooling2", "Pooling"),
    ],
)
def test_near_names(name: str, found: str) -> None:
    assert nearest(name, LAYERS) == f"; nearest: '{found}'"


STRANGE = ("", "Pushin", "Mish", "HardSwish", "DeformableConvolution", "Dense", "PixelShuffle")


@pytest.mark.parametrize("name", [name for name in STRANGE if name not in LAYERS])
def test_nothing_is_near(name: str) -> None:
    assert nearest(name, LAYERS) == ""


@pytest.mark.parametrize(
    ("name", "found"), [("pushin_param", ""), ("tau_param", ""), ("pool_param", "pooling_param"), ("poling_param", "pooling_param")]
)
def test_what_all_fields_share_makes_none_near(name: str, found: str) -> None:
    assert nearest(name, FIELDS) == (f"; nearest: '{found}'" if found else "")


def test_names_of_blobs() -> None:
    assert nearest("pool9", ["data", "pool2", "conv2"]) == "; nearest: 'pool2'"
    assert nearest("a", ["b", "c"]) == nearest("x", []) == ""
    assert nearest("res2a_branch2b", ["res2a_branch2a", "res5c_relu"]) == "; nearest: 'res2a_branch2a'"
