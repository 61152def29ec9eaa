"""The fillers against values recorded from Caffe with seed 1701, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from google.protobuf import text_format

from caffepy.errors import LayerError
from caffepy.layers.core.fillers import FILLERS, Fans, fill, filler_function, register_filler
from caffepy.layers.core.random import CaffeRandom
from caffepy.proto import caffe_pb2
from tests.golden.recorded import folder

GOLDEN = folder() / "fillers"
KERNELS, WEIGHTS = (20, 8, 3, 3), (40, 60)


def message(text: str) -> Any:
    return text_format.Parse(text, caffe_pb2.FillerParameter())


def filled(text: str, *shape: int) -> np.ndarray:
    tensor = torch.full(shape, torch.nan)
    fill(tensor, message(text), CaffeRandom(1701))
    return tensor.numpy()


RECORDED = [
    ('type: "gaussian" mean: 0.5 std: 0.2', KERNELS, [0.47814682, 0.16561195, 0.45904475], [0.7228428, 0.47771242]),
    ('type: "uniform"', KERNELS, [0.08943324, 0.51873916, 0.1153777], None),
    ('type: "positive_unitball"', KERNELS, [0.0023700155, 0.013746789, 0.0030575537], [0.01780019, 0.019625487]),
    ('type: "xavier"', KERNELS, [-0.1676132, 0.0076502077, -0.1570214], [0.07661245, 0.1054002]),
    ('type: "xavier" variance_norm: AVERAGE', WEIGHTS, [-0.20113581, 0.009180264, -0.18842568], [0.16498157, 0.13667035]),
    ('type: "msra" variance_norm: FAN_OUT', KERNELS, [-0.01151764, -0.17623797, -0.021585312], [0.11744848, -0.011746589]),
    # a Deconvolution's weights are (inputs, outputs, kernel), and the fans follow the shape
    ('type: "msra" variance_norm: AVERAGE', (8, 20, 3, 3), [-0.013766212, -0.21064466, -0.02579938], [0.14037777, -0.014039858]),
]


@pytest.mark.parametrize(("text", "shape", "first", "last"), RECORDED)
def test_values_are_caffes(text: str, shape: tuple[int, ...], first: list[float], last: list[float] | None) -> None:
    values = filled(text, *shape).ravel()
    assert np.array_equal(values[:3], np.array(first, np.float32))
    assert last is None or np.array_equal(values[-2:], np.array(last, np.float32))


@pytest.mark.parametrize("case", sorted(path.name for path in GOLDEN.iterdir()))
def test_golden(case: str) -> None:
    """Weights, then biases, of one layer from one stream: bit by bit."""
    net = text_format.Parse((GOLDEN / case / "net.prototxt").read_text(), caffe_pb2.NetParameter())
    layer, random = net.layer[-1], CaffeRandom(1701)
    with np.load(GOLDEN / case / "data.npz") as recorded:
        if layer.type == "DummyData":
            expected = [(layer.dummy_data_param.data_filler[0], recorded["s0/out/y"])]
        else:
            spec = layer.inner_product_param if layer.type == "InnerProduct" else layer.convolution_param
            expected = [(spec.weight_filler, recorded["param/L/0"]), (spec.bias_filler, recorded["param/L/1"])]
    for filler, values in expected:
        tensor = torch.empty(values.shape)
        fill(tensor, filler, random)
        assert np.array_equal(tensor.numpy(), values)
    stats = json.loads((GOLDEN / case / "case.json").read_text()).get("stats")
    if stats:
        assert [*expected[0][1].shape] == stats["shape"]


def test_default_filler_is_constant_zero() -> None:
    assert not filled("", 3, 4).any()
    assert (filled('type: "constant" value: 0.7', 3) == np.float32(0.7)).all()


def test_sparse_keeps_that_many_inputs_of_an_output_on_average() -> None:
    values = filled('type: "gaussian" sparse: 5', *WEIGHTS)
    assert np.count_nonzero(values) == 282  # of an expected 2400 * 5 / 40
    plain = filled('type: "gaussian"', *WEIGHTS)
    assert np.array_equal(values[values != 0], plain[values != 0])
    assert not filled('type: "gaussian" sparse: 0', *WEIGHTS).any()


def test_unitball_rows_sum_to_one() -> None:
    assert filled('type: "positive_unitball"', 7, 11).sum(axis=1) == pytest.approx(np.ones(7), rel=1e-6)


def test_bilinear_is_a_tent_in_every_plane() -> None:
    values = filled('type: "bilinear"', 2, 3, 4, 4)
    assert np.array_equal(values[1, 2], np.outer([0.25, 0.75, 0.75, 0.25], [0.25, 0.75, 0.75, 0.25]))
    assert (values == values[0, 0]).all()
    assert np.array_equal(filled('type: "bilinear"', 1, 1, 3, 3)[0, 0, 1], [0.5, 1, 0.5])


def test_fans_follow_the_shape() -> None:
    assert Fans.of((20, 8, 3, 3)) == (72, 180)
    assert Fans.of((40, 60)) == (60, 40)
    assert Fans.of((5,)) == (1, 5)
    assert Fans.of((4, 3, 2, 2, 2)) == (24, 32)


@pytest.mark.parametrize(
    "text", [text for text, *_ in RECORDED] + ['type: "constant" value: 2', 'type: "bilinear"', 'type: "gaussian" sparse: 1']
)
def test_any_layout_and_dtype_gets_the_same_values(text: str) -> None:
    expected = torch.from_numpy(filled(text, 2, 3, 4, 4))
    for tensor in (
        torch.empty(2, 3, 4, 4, dtype=torch.float64),
        torch.empty(2, 3, 4, 4).contiguous(memory_format=torch.channels_last),
        torch.empty(4, 4, 3, 2).permute(3, 2, 0, 1),
        torch.nn.Parameter(torch.empty(2, 3, 4, 4)),
    ):
        fill(tensor, message(text), CaffeRandom(1701))
        assert torch.equal(tensor.detach().float(), expected)


def test_part_of_a_flat_tensor_is_written_in_place() -> None:
    flat = torch.zeros(20)
    fill(flat[5:15].view(2, 5), message('type: "gaussian"'), CaffeRandom(1701))
    assert np.array_equal(flat[5:15].numpy(), filled('type: "gaussian"', 10))
    assert not flat[:5].any()
    assert not flat[15:].any()


def test_the_numbers_of_a_file(tmp_path: Path) -> None:
    """Of which a blob takes as many as it has."""
    path = tmp_path / "bias_init.txt"
    path.write_text("1 0 0\n0 1e-1\t-2 7 and more\n")
    assert np.array_equal(filled(f'type: "file" file: "{path}"', 2, 3), np.float32([[1, 0, 0], [0, 0.1, -2]]))
    for text, shape, said in (
        (f'type: "file" file: "{path}"', (8,), "bias_init.txt: could not convert string to float: 'and'; needed: numbers"),
        (f'type: "file" file: "{path}x"', (8,), "file filler: .*bias_init.txtx: cannot read it: No such file or directory"),
        ('type: "file"', (8,), "file filler: there is no file; needed: file, the name of a text with the values"),
    ):
        with pytest.raises(LayerError, match=said):
            filled(text, *shape)
    path.write_text("1 2")
    with pytest.raises(LayerError, match=r"bias_init.txt has 2 numbers; needed: 6, the values of the blob \(2, 3\)"):
        filled(f'type: "file" file: "{path}"', 2, 3)


def test_scalar_blob() -> None:
    assert filled('type: "gaussian"') == np.float32(-0.10926592)
    assert filled('type: "constant" value: 3') == 3


@pytest.mark.parametrize(
    ("text", "shape", "said"),
    [
        ('type: "xaver"', (2, 2), r"Unknown filler name: xaver \(known fillers: bilinear, constant, .*\); nearest: 'xavier'"),
        ('type: "bilinear"', (2, 3), r"bilinear filler: the blob \(2, 3\) has 2 axes; needed: 4 axes"),
        ('type: "bilinear"', (1, 1, 2, 3), "2 by 3; needed: square"),
        ('type: "gaussian" std: 0', (2,), "std is 0; needed: more than 0"),
        ('type: "gaussian" std: nan', (2,), "std is nan; needed: more than 0"),
        ('type: "gaussian" sparse: 3', (2, 9), "sparse is 3; needed: 0 to 2"),
        ('type: "gaussian" sparse: -2', (2, 9), "sparse is -2; needed"),
        ('type: "gaussian" sparse: 0', (), "0 axes; needed: at least 1"),
        ('type: "uniform" min: 2 max: 1', (2,), "min is 2 and max is 1; needed: min <= max"),
        ('type: "uniform" min: -inf', (2,), "min is -inf and max is 1; needed: finite"),
        ('type: "uniform" min: nan', (2,), "min is nan and max is 1; needed: min <= max"),
        ('type: "constant" sparse: 1', (2,), "constant filler: sparse is 1; needed: no sparse"),
        ('type: "xavier" sparse: 1', (2,), "xavier filler: sparse is 1"),
        ('type: "msra"', (), "msra filler: the blob has 0 axes"),
        ('type: "constant"', (2, 0), r"the blob \(2, 0\) has no elements"),
    ],
)
def test_refusals(text: str, shape: tuple[int, ...], said: str) -> None:
    with pytest.raises(LayerError, match=said):
        filled(text, *shape)


def test_registry() -> None:
    assert sorted(FILLERS) == ["bilinear", "constant", "file", "gaussian", "msra", "positive_unitball", "uniform", "xavier"]
    assert filler_function("msra") is FILLERS["msra"]
    with pytest.raises(ValueError, match="registered twice"):
        register_filler("msra")(FILLERS["msra"])
