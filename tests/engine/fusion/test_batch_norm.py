"""A BatchNorm and the Scale behind it in one step."""

from __future__ import annotations

import pytest
import torch

from tests.engine.build import TRAIN, built, feed, feeds
from tests.engine.nets import IMAGE

NORM = 'layer {{ name: "n" type: "BatchNorm" bottom: "data" top: "n" batch_norm_param {{ {0} }} }}\n'
SCALE = 'layer {{ name: "s" type: "Scale" bottom: "n" top: "s" scale_param {{ {0} }} }}\n'


def steps(norm: str, scale: str) -> list[str]:
    engine = built(IMAGE + NORM.format(norm) + SCALE.format(scale), TRAIN).whole
    return [step.node.name for step in engine._steps]


@pytest.mark.parametrize("bias", ["true", "false"])
def test_both_give_what_each_by_itself_gives(bias: str) -> None:
    filler = 'filler { type: "uniform" min: 1 max: 2 } bias_filler { type: "uniform" min: -1 max: 1 }'
    net = built(IMAGE + NORM.format("") + SCALE.format(f"bias_term: {bias} {filler}"), TRAIN)
    reference = feed(net.layerwise, feeds())
    reference.forward()
    expected = reference.outputs()[0].data.clone()
    statistics = [net.arena.data[i].detach().clone() for i in net.graph.node("n").params]
    for i in net.graph.node("n").params:
        net.arena.data[i].detach().zero_()
    engine = net.whole
    engine.forward(feeds())
    torch.testing.assert_close(engine.outputs()[0].data, expected, rtol=1e-5, atol=1e-5)
    for i, blob in zip(net.graph.node("n").params, statistics):
        torch.testing.assert_close(net.arena.data[i].detach(), blob)


def test_a_scale_of_the_channels_goes_together_with_the_normalisation() -> None:
    assert "s" not in steps("", "bias_term: true")


@pytest.mark.parametrize(
    ("norm", "scale"),
    [
        ("scale_bias: true", ""),  # it has a scale of its own
        ("", "axis: 2"),  # not of the channels
        ("", "num_axes: 2"),
    ],
)
def test_others_stay_apart(norm: str, scale: str) -> None:
    assert "s" in steps(norm, scale)
