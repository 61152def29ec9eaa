"""Losses without a loss_weight."""

from __future__ import annotations

import pytest

from caffepy import log
from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse

INPUT = 'layer { name: "i" type: "Input" top: "a" top: "b" top: "w" input_param { shape { dim: 2 dim: 4 } } }'
LABEL = 'layer { name: "j" type: "Input" top: "t" input_param { shape { dim: 2 } } }'
ROI = """layer { name: "p" type: "Input" top: "p" top: "r" input_param { shape { dim: 1 dim: 1 dim: 4 dim: 4 } shape { dim: 1 dim: 5 } } }
layer { name: "roi" type: "ROIPooling" bottom: "p" bottom: "r" top: "roi" roi_pooling_param { pooled_h: 1 pooled_w: 1 } }"""
PRIOR = """layer { name: "q" type: "Input" top: "q" top: "s" input_param { shape { dim: 1 dim: 1 dim: 4 dim: 4 } } }
layer { name: "prior" type: "PriorBox" bottom: "q" bottom: "s" top: "prior" prior_box_param { min_size: 2 } }"""


def smooth(bottoms: str = "ab", more: str = "") -> str:
    """A SmoothL1Loss."""
    names = " ".join(f'bottom: "{name}"' for name in bottoms)
    return f'layer {{ name: "l" type: "SmoothL1Loss" {names} top: "y" {more} }}'


CENTER = 'layer { name: "l" type: "CenterLoss" bottom: "a" bottom: "t" top: "y" center_loss_param { num_output: 3 } MORE }'


def weights(*layers: str) -> tuple[float, ...]:
    """Those of layer ``l`` in a net of these layers."""
    message = caffe_pb2.NetParameter()
    parse("\n".join((INPUT, LABEL, *layers)), message, file="net.prototxt")
    graph = compile(message)
    return next(node for node in graph.nodes if node.name == "l").loss_weights


@pytest.mark.parametrize(
    "layer", [smooth("abw"), smooth("abww"), smooth("ab", "smooth_l1_loss_param { sigma: 3 }")]
)
def test_fast_rcnns_own_have_weight_0(layer: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert weights(layer) == (0,)
    assert weights(PRIOR, layer) == (0,)
    assert (
        "layer 'l' (SmoothL1Loss) has loss weight 0, as in Fast R-CNN's Caffe where none is given"
        in capfd.readouterr().err
    )


def test_other_layers_tell_whose_a_plain_one_is(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    assert weights(smooth()) == (1,)
    assert weights(PRIOR, smooth()) == (1,)
    assert weights(PRIOR, ROI, smooth()) == (1,)
    said = capfd.readouterr().err.splitlines()
    assert (
        len([line for line in said if "Layer l has loss weight 1, as in SSD's Caffe" in line]) == 3
    )
    assert weights(ROI, smooth()) == (0,)


@pytest.mark.parametrize(
    ("fork", "layer"),
    [("caffe-face", CENTER), ("R-FCN", smooth("ab").replace("SmoothL1Loss", "SmoothL1LossOHEM"))],
)
def test_others_without(fork: str, layer: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert weights(layer.replace("MORE", "")) == (0,)
    assert f"as in {fork}'s Caffe where none is given: it trains nothing" in capfd.readouterr().err


@pytest.mark.parametrize(
    "layer", [smooth("abw", "loss_weight: 2"), CENTER.replace("MORE", "loss_weight: 2")]
)
def test_a_given_weight_is_taken(layer: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert weights(layer) == (2,)
    assert "where none is given" not in capfd.readouterr().err


def test_a_loss_of_weight_0_without_tops_named() -> None:
    layer = CENTER.replace('top: "y"', "").replace("MORE", "")
    assert weights(layer) == (0,)
