"""Values of parameters that the net's own file has."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.engine.weights import save
from caffepy.errors import LayerError
from caffepy.proto.weights import read_net_weights
from tests.engine.build import Built, built
from tests.net.build import compiled

X = 'layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 1 dim: 3 dim: 1 dim: 1 } } }\n'
WEIGHT = "blobs { shape { dim: 2 dim: 3 dim: 1 dim: 1 } data: [1, 2, 3, 4, 5, 6] }"
BIAS = "blobs { shape { dim: 2 } double_data: [7, 8] }"
OTHER = """layer { name: "d" type: "Convolution" bottom: "y" top: "z" convolution_param { num_output: 1 kernel_size: 1
             weight_filler { type: "gaussian" } } }"""


def conv(blobs: str) -> str:
    return f"""{X} layer {{ name: "c" type: "Convolution" bottom: "x" top: "y" {blobs}
                convolution_param {{ num_output: 2 kernel_size: 1 weight_filler {{ type: "xavier" }} }} }}\n"""


def values(it: Built) -> list[list[float]]:
    return [blob.detach().flatten().tolist() for blob in it.arena.data]


@pytest.mark.parametrize(
    "bias", [BIAS, "blobs { num: 1 channels: 1 height: 1 width: 2 data: 7 data: 8 }"]
)
def test_parameters_begin_with_the_values_in_the_net(bias: str) -> None:
    assert values(built(conv(WEIGHT + bias))) == [[1, 2, 3, 4, 5, 6], [7, 8]]


def test_no_filler_draws_for_them() -> None:
    filled, written = (built(conv(blobs) + OTHER, seed=7) for blobs in ("", WEIGHT + BIAS))
    alone = built(
        'layer { name: "in" type: "Input" top: "y" input_param { shape { dim: 1 dim: 2 dim: 1 dim: 1 } } }'
        + OTHER,
        seed=7,
    )
    assert values(written)[2:] == values(alone)
    assert values(filled)[2:] != values(alone)


def test_a_saved_net_has_the_values_of_then_and_each_once(tmp_path: Path) -> None:
    it = built(conv(WEIGHT + BIAS))
    it.arena.data[1].detach().fill_(9)
    save(str(tmp_path / "it.caffemodel"), it.graph, it.arena)
    (layer,) = (
        layer for layer in read_net_weights(tmp_path / "it.caffemodel") if layer.name == "c"
    )
    assert [blob.flatten().tolist() for blob in layer.blobs] == [[1, 2, 3, 4, 5, 6], [9, 9]]


def test_old_layers_bring_theirs_along(tmp_path: Path) -> None:
    old = 'layers { name: "c" type: INNER_PRODUCT bottom: "x" top: "y" inner_product_param { num_output: 1 bias_term: false } BLOBS }'
    blobs = "blobs { num: 1 channels: 1 height: 1 width: 3 data: [1, 2, 3] }"
    graph = compiled(
        'input: "x" input_shape { dim: 1 dim: 3 } ' + old.replace("BLOBS", blobs), tmp_path
    )
    assert graph.params[0].spec.values.tolist() == [[1, 2, 3]]


def test_a_layer_without_parameters_leaves_them_alone(tmp_path: Path) -> None:
    graph = compiled(
        f'{X} layer {{ name: "r" type: "ReLU" bottom: "x" top: "y" {BIAS} }}', tmp_path
    )
    assert graph.params == ()


@pytest.mark.parametrize(
    ("blobs", "words"),
    [
        (WEIGHT, "Incorrect number of weight blobs: 1 in the net's file; needed: 2"),
        (
            BIAS + BIAS,
            r"Incorrect shape of blob 0: expected shape 2 3 1 1 \(6\); instead, shape was 2 \(2\)",
        ),
        (
            WEIGHT + "blobs { shape { dim: 2 } data: 1 }",
            r"a blob of shape \(2,\) has 1 of its 2 values",
        ),
    ],
)
def test_what_does_not_fit_is_refused(blobs: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(
        LayerError, match=rf"net.prototxt:\d+:\d+: layer 'c' \(Convolution\): {words}"
    ):
        compiled(conv(blobs), tmp_path)
