"""Numbers in fields that a layer cannot compute with."""

from __future__ import annotations

import pytest
import torch

from caffepy.errors import LayerError
from caffepy.layers.neuron.sigmoid import SigmoidLayer
from tests.engine.build import built

PRIORS = """layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 dim: 9 dim: 9 } } }
layer { name: "p" type: "PriorBox" bottom: "data" bottom: "data" top: "p" prior_box_param { FIELDS } }"""

SIGMOID = """layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 1 } } }
layer { name: "s" type: "Sigmoid" bottom: "x" top: "y" loss_weight: NUMBER }"""
ONE = {"x": torch.zeros(1)}


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ("min_size: NUMBER", "nan"),
        ("min_size: NUMBER", "inf"),
        ("min_size: 4 aspect_ratio: 2 aspect_ratio: NUMBER", "inf"),
    ],
)
def test_when_a_net_is_built(fields: str, number: str) -> None:
    field = fields.split()[-2].removesuffix(":")
    with pytest.raises(LayerError, match=f"layer 'p' .PriorBox.: {field} is {number}; needed: "):
        built(PRIORS.replace("FIELDS", fields.replace("NUMBER", number)))


@pytest.mark.parametrize(
    "error", [ValueError("a"), OverflowError("a"), ZeroDivisionError("a"), RuntimeError("a")]
)
@pytest.mark.parametrize("engine", ["layerwise", "whole"])
def test_when_a_net_runs(engine: str, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a layer's arithmetic says."""

    def failing(layer: SigmoidLayer, bottoms: object, blobs: object, run: object) -> None:
        raise error

    monkeypatch.setattr(SigmoidLayer, "forward", failing)
    for weight, wanted in (("nan", LayerError), ("1", type(error))):
        net = built(SIGMOID.replace("NUMBER", weight))
        with pytest.raises(
            wanted,
            match="layer 's' .Sigmoid.: loss_weight is nan; needed: a number that .*(a)"
            if weight == "nan"
            else "^a$",
        ):
            net.whole.forward(ONE) if engine == "whole" else net.layerwise.forward()
