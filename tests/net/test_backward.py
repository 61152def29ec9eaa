"""Which layers run backward and to which bottoms."""

from __future__ import annotations

from pathlib import Path

from caffepy.net.graph import Graph
from tests.net.build import INPUT, compiled

LABEL = 'layer { name: "label" type: "Input" top: "label" input_param { shape { dim: 4 } } }\n'
LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "%s" bottom: "label" top: "loss" }\n'
REDUCTION = 'layer { name: "l" type: "Reduction" bottom: "%s" top: "l" loss_weight: 1 }\n'


def ip(name: str, bottom: str, more: str = "") -> str:
    return f'layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{name}" inner_product_param {{ num_output: 2 }} {more} }}\n'


def flags(graph: Graph) -> dict[str, tuple[bool, tuple[bool, ...]]]:
    """Of each layer but inputs: does it run backward, and to which bottoms."""
    return {node.name: (node.backward, node.propagate_down) for node in graph.nodes if node.bottoms}


def test_from_the_loss_to_the_first_that_learns(tmp_path: Path) -> None:
    tanh = 'layer { name: "t" type: "TanH" bottom: "data" top: "t" }\n'
    graph = compiled(INPUT + LABEL + tanh + ip("a", "t") + ip("b", "a") + LOSS % "b", tmp_path)
    assert flags(graph) == {
        "t": (False, (False,)),
        "a": (True, (False,)),
        "b": (True, (True,)),
        "loss": (True, (True, False)),
    }
    assert graph.node("a").param_gradients == (True, True)


def test_what_leads_to_no_loss_rests(tmp_path: Path) -> None:
    graph = compiled(INPUT + LABEL + ip("a", "data") + ip("side", "a") + LOSS % "a", tmp_path)
    assert flags(graph)["side"] == (False, (False,))
    assert flags(graph)["a_a_0_split"] == (True, (True,))
    assert not any(
        backward for backward, _ in flags(compiled(INPUT + ip("a", "data"), tmp_path)).values()
    )


def test_rates_of_zero(tmp_path: Path) -> None:
    still = "param { lr_mult: 0 } param { lr_mult: 0 }"
    graph = compiled(INPUT + LABEL + ip("a", "data", still) + ip("b", "a") + LOSS % "b", tmp_path)
    assert flags(graph) == {
        "a": (False, (False,)),
        "b": (True, (False,)),
        "loss": (True, (True, False)),
    }
    assert graph.node("a").param_gradients == (False, False)
    graph = compiled(INPUT + LABEL + ip("a", "data", "param { lr_mult: 0 }") + LOSS % "a", tmp_path)
    assert graph.node("a").param_gradients == (False, True)


def test_propagate_down_false_stops_all_below(tmp_path: Path) -> None:
    graph = compiled(
        INPUT + LABEL + ip("a", "data") + ip("b", "a", "propagate_down: false") + LOSS % "b",
        tmp_path,
    )
    assert flags(graph) == {
        "a": (False, (False,)),
        "b": (True, (False,)),
        "loss": (True, (True, False)),
    }


def test_propagate_down_true_forces_only_a_layer_that_learns(tmp_path: Path) -> None:
    graph = compiled(INPUT + LABEL + ip("a", "data", "propagate_down: true") + LOSS % "a", tmp_path)
    assert flags(graph)["a"] == (True, (True,))
    tanh = 'layer { name: "t" type: "TanH" bottom: "data" top: "t" propagate_down: true }\n'
    graph = compiled(INPUT + tanh + REDUCTION % "t", tmp_path)
    assert flags(graph)["t"][0] is False


def test_force_backward_spares_labels(tmp_path: Path) -> None:
    still = "param { lr_mult: 0 } param { lr_mult: 0 }"
    graph = compiled(
        "force_backward: true " + INPUT + LABEL + ip("a", "data", still) + LOSS % "a", tmp_path
    )
    assert flags(graph) == {"a": (True, (True,)), "loss": (True, (True, False))}
    assert graph.node("a").param_gradients == (True, True)


def test_an_in_place_layer_between(tmp_path: Path) -> None:
    relu = 'layer { name: "r" type: "ReLU" bottom: "a" top: "a" }\n'
    graph = compiled(INPUT + LABEL + ip("a", "data") + relu + LOSS % "a", tmp_path)
    assert flags(graph) == {
        "a": (True, (False,)),
        "r": (True, (True,)),
        "loss": (True, (True, False)),
    }


def test_batch_norm_asks_for_backward_although_nothing_learns(tmp_path: Path) -> None:
    """Its statistics have the default rate when no ParamSpec is given, as in Caffe."""
    norm = 'layer { name: "n" type: "BatchNorm" bottom: "data" top: "n" %s }\n'
    reader = REDUCTION % "n"
    assert flags(compiled(INPUT + norm % "" + reader, tmp_path)) == {
        "n": (True, (False,)),
        "l": (True, (True,)),
    }
    still = "param { lr_mult: 0 } param { lr_mult: 0 } param { lr_mult: 0 }"
    assert flags(compiled(INPUT + norm % still + reader, tmp_path)) == {
        "n": (False, (False,)),
        "l": (False, (False,)),
    }
