"""Numbers in fields that a layer cannot compute with."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from caffepy.errors import LayerError
from tests.engine.build import built, feed

PRIORS = """layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 dim: 9 dim: 9 } } }
layer { name: "p" type: "PriorBox" bottom: "data" bottom: "data" top: "p" prior_box_param { FIELDS } }"""
TARGETS = """layer { name: "in" type: "Input" top: "o" top: "s" top: "p" top: "g" input_param {
    shape { dim: 1 dim: 16 } shape { dim: 1 dim: 12 } shape { dim: 1 dim: 2 dim: 16 } shape { dim: 1 dim: 1 dim: 1 dim: 8 } } }
layer { name: "l" type: "MultiBoxLoss" bottom: "o" bottom: "s" bottom: "p" bottom: "g" top: "y"
        multibox_loss_param { num_classes: 3 neg_pos_ratio: NUMBER } }"""


@pytest.mark.parametrize(
    ("fields", "number"),
    [("min_size: NUMBER", "nan"), ("min_size: NUMBER", "inf"), ("min_size: 4 aspect_ratio: 2 aspect_ratio: NUMBER", "inf")],
)
def test_when_a_net_is_built(fields: str, number: str) -> None:
    field = fields.split()[-2].removesuffix(":")
    with pytest.raises(LayerError, match=f"layer 'p' .PriorBox.: {field} is {number}; needed: "):
        built(PRIORS.replace("FIELDS", fields.replace("NUMBER", number)))


@pytest.mark.parametrize("number", ["nan", "inf"])
@pytest.mark.parametrize("engine", ["layerwise", "whole"])
def test_when_a_net_runs(engine: str, number: str) -> None:
    net = built(TARGETS.replace("NUMBER", number))
    labels = torch.tensor([[[[0, 1, 0, 0, 0, 0.4, 0.4, 0]]]])
    arrays = {"o": torch.zeros(1, 16), "s": torch.zeros(1, 12), "p": torch.full((1, 2, 16), 0.4), "g": labels}
    run = partial(net.whole.forward, arrays) if engine == "whole" else feed(net.layerwise, arrays).forward
    with pytest.raises(LayerError, match=f"layer 'l' .MultiBoxLoss.: neg_pos_ratio is {number}; needed: a number that"):
        run()
