"""Parameters of one name: one memory, one rate, shapes that agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.errors import LayerError
from caffepy.net.graph import Graph, Param
from tests.net.build import INPUT, compiled


def ip(name: str, size: str, specs: str) -> str:
    return f'layer {{ name: "{name}" type: "InnerProduct" bottom: "data" top: "{name}" inner_product_param {{ {size} }} {specs} }}\n'


def two(first: str, second: str, *, size: str = "num_output: 6 bias_term: false") -> str:
    """Two InnerProduct layers: 192 -> 6 and 192 -> ``size``, with these ParamSpecs."""
    return INPUT + ip("a", "num_output: 6 bias_term: false", first) + ip("b", size, second)


def params(graph: Graph) -> list[Param]:
    return list(graph.params)


def test_anonymous_parameters_are_their_own(tmp_path: Path) -> None:
    graph = compiled(two("param { lr_mult: 2 decay_mult: 3 }", ""), tmp_path)
    assert [p.owner for p in params(graph)] == [0, 1]
    assert [(p.lr_mult, p.decay_mult) for p in params(graph)] == [(2, 3), (1, 1)]
    assert graph.learnable == (0, 1)


def test_one_name_is_one_memory(tmp_path: Path) -> None:
    graph = compiled(two('param { name: "w" lr_mult: 2 }', 'param { name: "w" }'), tmp_path)
    assert [(p.owner, p.name, p.layer) for p in params(graph)] == [(0, "w", "a"), (0, "w", "b")]
    assert [p.lr_mult for p in params(graph)] == [2, 2]
    assert graph.learnable == (0,)


def test_a_later_layer_sets_what_the_owner_left_open(tmp_path: Path) -> None:
    graph = compiled(
        two('param { name: "w" }', 'param { name: "w" lr_mult: 5 decay_mult: 0 }'), tmp_path
    )
    assert [(p.lr_mult, p.decay_mult) for p in params(graph)] == [(5, 0), (5, 0)]


@pytest.mark.parametrize("field", ["lr_mult", "decay_mult"])
def test_rates_that_differ(field: str, tmp_path: Path) -> None:
    text = two(f'param {{ name: "w" {field}: 1 }}', f'param {{ name: "w" {field}: 2 }}')
    with pytest.raises(
        LayerError,
        match=rf"net.prototxt:3:1: layer 'b' \(InnerProduct\): Shared param 'w' has mismatched {field}: 2 here, 1 in layer 'a'",
    ):
        compiled(text, tmp_path)
    compiled(
        two(f'param {{ name: "w" {field}: 2 }}', f'param {{ name: "w" {field}: 2 }}'), tmp_path
    )


def test_shapes_that_differ(tmp_path: Path) -> None:
    other = "num_output: 192 bias_term: false"
    reader = two('param { name: "w" }', 'param { name: "w" }', size=other).replace(
        'bottom: "data" top: "b"', 'bottom: "a" top: "b"'
    )
    with pytest.raises(
        LayerError,
        match=r"layer 'b' .*: parameter 'w' has shape \(192, 6\) but its owner, layer 'a', has \(6, 192\);",
    ):
        compiled(reader, tmp_path)
    graph = compiled(reader.replace('name: "w" }', 'name: "w" share_mode: PERMISSIVE }'), tmp_path)
    assert [p.shape for p in params(graph)] == [(6, 192), (192, 6)]
    assert [p.owner for p in params(graph)] == [0, 0]


def test_permissive_counts_that_differ(tmp_path: Path) -> None:
    text = two(
        'param { name: "w" }',
        'param { name: "w" share_mode: PERMISSIVE }',
        size="num_output: 7 bias_term: false",
    )
    with pytest.raises(LayerError, match=r"as many elements \(share_mode PERMISSIVE\)"):
        compiled(text, tmp_path)


def test_permissive_counts_for_the_layer_that_shares(tmp_path: Path) -> None:
    """The owner's share_mode says nothing about others."""
    text = two(
        'param { name: "w" share_mode: PERMISSIVE }',
        'param { name: "w" }',
        size="num_output: 7 bias_term: false",
    )
    with pytest.raises(LayerError, match="needed: the same shape"):
        compiled(text, tmp_path)


def test_within_one_layer(tmp_path: Path) -> None:
    text = (
        INPUT
        + 'layer { name: "s" type: "Scale" bottom: "data" top: "s" scale_param { bias_term: true }'
        ' param { name: "w" } param { name: "w" } }'
    )
    graph = compiled(text, tmp_path)
    assert [p.owner for p in params(graph)] == [0, 0]


def test_a_layer_that_does_not_learn_a_shared_parameter(tmp_path: Path) -> None:
    """Its own lr_mult of 0 keeps it from adding to the gradient; the owner's rate stands."""
    loss = 'layer { name: "c" type: "EuclideanLoss" bottom: "a" bottom: "b" }'
    graph = compiled(two('param { name: "w" }', 'param { name: "w" lr_mult: 0 }') + loss, tmp_path)
    assert [graph.node(name).param_gradients for name in ("a", "b")] == [(True,), (False,)]
    assert [p.lr_mult for p in params(graph)] == [0, 0]


def test_more_specs_than_parameters(tmp_path: Path) -> None:
    with pytest.raises(
        LayerError, match=r"layer 'b' \(InnerProduct\): 2 param specs for 1 parameter blob"
    ):
        compiled(two("", "param { } param { }"), tmp_path)
