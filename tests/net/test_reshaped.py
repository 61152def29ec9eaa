"""Other shapes of inputs, carried through a compiled net."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.errors import LayerError
from caffepy.net import reshaped
from tests.net.build import INPUT, compiled, shape

CONV = 'layer { name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 2 kernel_size: 3 } }\n'
RELU = 'layer { name: "r" type: "ReLU" bottom: "c" top: "c" }\n'


def test_shapes_follow_the_input(tmp_path: Path) -> None:
    graph = compiled(INPUT + CONV + RELU, tmp_path)
    other = reshaped(graph, {graph.inputs[0]: (1, 3, 20, 11)})
    assert (shape(other, "data"), shape(other, "c")) == ((1, 3, 20, 11), (1, 2, 18, 9))
    assert [other.values[v].shape for v in other.node("r").tops] == [(1, 2, 18, 9)]
    assert shape(graph, "c") == (4, 2, 6, 6), "the graph itself stays as it is"
    assert other.params == graph.params
    assert reshaped(other, {graph.inputs[0]: (4, 3, 8, 8)}) == graph


@pytest.mark.parametrize(
    ("layers", "size", "said"),
    [
        (CONV, (4, 3, 2, 8), r"net.prototxt:2:1: layer 'c' \(Convolution\): "),
        (CONV, (4, 1, 8, 8), r"layer 'c' \(Convolution\): "),
        (
            'layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 } }',
            (4, 3, 8, 9),
            r"layer 'ip' \(InnerProduct\): .*216.*192",
        ),
        (
            CONV + 'layer { name: "e" type: "Eltwise" bottom: "c" bottom: "o" top: "e" }',
            (4, 3, 9, 8),
            r"net.prototxt:4:1: layer 'e' \(Eltwise\): bottom 1 is \(4, 2, 6, 6\) and bottom 0 \(4, 2, 7, 6\); needed: equal shapes",
        ),
    ],
)
def test_shapes_that_do_not_fit(
    layers: str, size: tuple[int, ...], said: str, tmp_path: Path
) -> None:
    other = 'layer { name: "o" type: "Input" top: "o" input_param { shape { dim: 4 dim: 2 dim: 6 dim: 6 } } }\n'
    graph = compiled(INPUT + (other if '"o"' in layers else "") + layers, tmp_path)
    with pytest.raises(LayerError, match=said):
        reshaped(graph, {graph.inputs[0]: size})
