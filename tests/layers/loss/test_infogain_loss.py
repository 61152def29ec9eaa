"""InfogainLoss."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from caffepy.proto import caffe_pb2
from tests.layers.check import check_layer, gradients, refusal, tops

MATRIX = torch.tensor([[1.0, 0.1, 0], [0.2, 2, 0], [0, 0, 0.5]])
THIRD = 'bottom: "m"'


def layer(fields: str = "", *, bottoms: str = THIRD, tops: str = 'top: "y"') -> str:
    return f'layer {{ name: "l" type: "InfogainLoss" bottom: "s" bottom: "t" {bottoms} {tops} {fields} }}'


@pytest.mark.parametrize(
    "fields",
    [
        "",
        "loss_param { ignore_label: 1 }",
        "loss_param { normalization: FULL }",
        "loss_param { normalization: BATCH_SIZE }",
        "loss_param { normalization: NONE }",
    ],
)
def test_layer(fields: str) -> None:
    check_layer(layer(fields), s=(4, 3), t=[0, 2, 1, 1], m=MATRIX)


def test_nan_where_the_label_is_ignored_does_not_matter() -> None:
    s = torch.zeros(2, 3)
    s[1, 0] = torch.nan
    assert tops(layer("loss_param { ignore_label: 2 }"), s=s, t=[0, 2], m=MATRIX)[0] == pytest.approx(1.1 * np.log(3))
    assert gradients(layer("loss_param { ignore_label: 2 }"), s=s, t=[0, 2], m=MATRIX)[0][1].tolist() == [0, 0, 0]


def test_axis() -> None:
    check_layer(layer("infogain_loss_param { axis: 2 }"), s=(2, 2, 3), t=torch.tensor([[0, 1], [2, 2]]), m=MATRIX)


def test_the_second_top_is_the_softmax() -> None:
    text = layer("loss_weight: 1 loss_weight: 0", tops='top: "y" top: "p"')
    scores = torch.tensor([[1.0, 2, 3]])
    torch.testing.assert_close(tops(text, s=scores, t=[0], m=MATRIX)[1], scores.softmax(1))


def test_the_identity_is_softmax_loss() -> None:
    scores = torch.randn(5, 3)
    wanted = torch.nn.functional.cross_entropy(scores, torch.tensor([0, 1, 2, 0, 1]))
    torch.testing.assert_close(tops(layer(), s=scores, t=[0, 1, 2, 0, 1], m=torch.eye(3))[0], wanted)


def test_probabilities_count_as_no_less_than_1e_20_but_keep_their_gradient() -> None:
    scores = torch.tensor([[0.0, 200, 0]])
    assert tops(layer(), s=scores, t=[0], m=torch.eye(3))[0] == pytest.approx(-np.log(1e-20))
    assert gradients(layer(), s=scores, t=[0], m=torch.eye(3))[0].tolist() == [[-1, 1, 0]]


def test_no_label_left_gives_0() -> None:
    assert tops(layer("loss_param { ignore_label: 1 }"), s=(2, 3), t=[1, 1], m=MATRIX)[0] == 0


def test_the_matrix_may_come_from_a_file(tmp_path: Path) -> None:
    blob = caffe_pb2.BlobProto(num=1, channels=1, height=3, width=3, data=MATRIX.flatten().tolist())
    (tmp_path / "matrix.binaryproto").write_bytes(blob.SerializeToString())
    text = layer(f'infogain_loss_param {{ source: "{tmp_path}/matrix.binaryproto" }}', bottoms="")
    check_layer(text, s=(2, 3), t=[0, 1])
    scores = torch.randn(2, 3)
    assert torch.equal(tops(text, s=scores, t=[0, 1])[0], tops(layer(), s=scores, t=[0, 1], m=MATRIX)[0])


def test_refusals(tmp_path: Path) -> None:
    assert "there is no matrix" in refusal(layer(bottoms=""), s=(2, 3), t=[0, 1])
    assert "missing.binaryproto" in refusal(layer('infogain_loss_param { source: "missing.binaryproto" }', bottoms=""), s=(2, 3), t=[0, 1])
    assert "the matrix has 4 values; needed: 9" in refusal(layer(), s=(2, 3), t=[0, 1], m=(2, 2))
    assert "normalize is given, which this layer does not take" in refusal(
        layer("loss_param { normalize: true }"), s=(2, 3), t=[0, 1], m=(3, 3)
    )


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU has CUDNN")
def test_the_engine_is_that_of_the_softmax() -> None:
    assert "engine is CUDNN" in refusal(layer("softmax_param { engine: CUDNN }"), s=(2, 3), t=[0, 1], m=MATRIX)
