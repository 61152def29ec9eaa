"""The steps of a net: which layers go together, what may be overwritten, how long values live."""

from __future__ import annotations

import pytest

from caffepy.engine.plan import plan
from caffepy.layers.core.base import Run
from tests.engine.build import TEST, TRAIN, Built, built, feeds
from tests.engine.nets import CONV, HEAD, IMAGE, NETS


class Plan:
    """The plan of a net, with names for numbers."""

    def __init__(self, text: str, phase: int = TRAIN) -> None:
        self.net: Built = built(text, phase)
        graph = self.net.graph
        self.runs = [Run(graph.phase, self.net.random) for _ in graph.nodes]
        self.steps = {step.node.name: step for step in plan(graph, self.net.arena, self.runs)}

    def run(self, name: str) -> Run:
        """The Run of a layer."""
        return self.runs[self.net.graph.node(name).index]

    def names(self, values: list[int]) -> list[str]:
        """Blob names of values."""
        return [self.net.graph.values[value].name for value in values]


def test_steps_stand_in_the_order_of_the_layers() -> None:
    found = Plan(NETS["in_place"])
    assert list(found.steps) == ["in", "label_in_1_split", "c", "r", "top", "ip", "ip_ip_0_split", "acc", "loss"]


def test_a_scale_goes_together_with_its_normalisation() -> None:
    found = Plan(NETS["residual"])
    assert "s1" not in found.steps
    step = found.steps["n1"]
    assert len(step.blobs) == 5
    assert found.names(list(step.tops)) == ["c1"]
    assert step.tops == found.net.graph.node("s1").tops


def test_a_normalisation_that_is_read_twice_stays_alone() -> None:
    text = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
layer {{ name: "n" type: "BatchNorm" bottom: "c" top: "n" }}
layer {{ name: "s" type: "Scale" bottom: "n" top: "s" }}
layer {{ name: "top" type: "Eltwise" bottom: "n" bottom: "s" top: "top" }}
{HEAD}"""
    assert {"n", "s"} <= set(Plan(text).steps)


def test_an_output_is_not_taken_together_with_what_follows() -> None:
    text = f"""{IMAGE}
layer {{ name: "n" type: "BatchNorm" bottom: "data" top: "n" loss_weight: 1 }}
layer {{ name: "s" type: "Scale" bottom: "n" top: "s" }}"""
    assert {"n", "s"} <= set(Plan(text).steps)


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        ("r", True),  # the convolution's top has no other reader, and its backward does not read it
        ("d", False),  # the ReLU's backward reads its top
        ("top", True),
        ("c", False),  # a batch is not ours
    ],
)
def test_what_may_be_overwritten(layer: str, expected: bool) -> None:
    text = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
layer {{ name: "r" type: "ReLU" bottom: "c" top: "c" }}
layer {{ name: "d" type: "Dropout" bottom: "c" top: "c" }}
layer {{ name: "top" type: "Pooling" bottom: "c" top: "top" pooling_param {{ kernel_size: 3 stride: 2 }} }}
{HEAD}"""
    assert Plan(text).run(layer).inplace is expected


@pytest.mark.parametrize(
    "maker",
    [
        'layer { name: "a" type: "Flatten" bottom: "c" top: "a" }',  # shares the memory of its bottom
        'layer { name: "a" type: "TanH" bottom: "c" top: "a" }',  # reads its top again
        'layer { name: "a" type: "Power" bottom: "c" top: "a" loss_weight: 1 }',  # its values count in the loss
    ],
)
def test_what_may_not_be_overwritten(maker: str) -> None:
    text = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
{maker}
layer {{ name: "r" type: "ReLU" bottom: "a" top: "top" }}
{HEAD}"""
    assert not Plan(text).run("r").inplace


def test_the_sum_may_go_into_its_second_bottom() -> None:
    found = Plan(NETS["residual"])
    assert not found.run("e").inplace
    assert found.run("e").second_free


def test_a_value_is_freed_by_the_last_step_that_reads_it() -> None:
    found = Plan(NETS["residual"])
    freed = {name: found.names(step.frees) for name, step in found.steps.items()}
    assert freed["c1"] == ["data"]
    assert freed["c2"] == ["c1_r1_0_split_0"]
    assert set(freed["e"]) == {"c1_r1_0_split_1", "c2"}
    every = [value for step in found.steps.values() for value in step.frees]
    assert len(every) == len(set(every))
    skipped = set(found.net.graph.node("n1").tops) | set(found.net.graph.node("n2").tops)  # never made: Scale goes with them
    assert set(every) == set(range(len(found.net.graph.values))) - skipped


def test_output_values_are_kept() -> None:
    found = Plan(NETS["in_place"], TEST)
    kept = {name: found.names(step.keeps) for name, step in found.steps.items() if step.keeps}
    assert kept == {"acc": ["acc"], "loss": ["loss"]}


def losses(name: str) -> dict[str, list[tuple[float, bool]]]:
    """(weight, whether it starts a gradient) of the steps that add to the loss."""
    steps = Plan(NETS[name]).steps
    return {
        layer: [(weight, (value, weight) in step.seeds) for value, weight in step.losses] for layer, step in steps.items() if step.losses
    }


def test_every_loss_starts_a_gradient() -> None:
    assert losses("weighted_losses") == {
        "s_s_0_split": [(0.25, True)],
        "loss": [(1, True)],
        "half": [(0.5, True)],
        "anonymous": [(1, True)],
    }


def test_a_loss_whose_reader_sends_a_gradient_starts_none() -> None:
    assert losses("loss_read_again") == {"l": [(1, False)], "l_l_0_split": [(3, True)], "loss": [(1, True)]}


def test_a_value_is_gone_after_the_pass() -> None:
    engine = built(NETS["residual"]).whole
    engine.forward(feeds())
    assert engine._values == [None] * len(engine.graph.values)
