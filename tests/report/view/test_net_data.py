"""What the page knows of a net."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caffepy.report.view.net_data import net_data
from tests.report.view.nets import NET, graph_of


def test_layers(tmp_path: Path) -> None:
    data = net_data(graph_of(NET, tmp_path), ["a note"])
    assert (data["name"], data["phase"], data["notes"]) == ("small", "TEST", ["a note"])
    layers = {layer["name"]: layer for layer in data["layers"]}
    conv = layers["conv1"]
    assert conv["bottoms"] == [["data", "4 x 3 x 12 x 12"]]
    assert conv["tops"] == [["conv1", "4 x 8 x 10 x 10"]]
    assert [(p["shape"], p["count"], p["rates"]) for p in conv["params"]] == [
        ("8 x 3 x 3 x 3", 216, "lr_mult 2, decay_mult 1"),
        ("8", 8, "lr_mult 1, decay_mult 1"),
    ]
    assert (conv["parameters"], conv["flops"]) == (224, 2 * 4 * 8 * 100 * 27)
    assert conv["where"].endswith("net.prototxt:5:1")
    assert "kernel_size: 3" in conv["fields"]
    assert layers["relu1"]["inPlace"]
    assert layers["loss"]["bottoms"] == [["ip", "4 x 6"], ["label", "4"]]
    assert 'bottom: "ip"\n' in layers["loss"]["fields"]  # not the automatic Split layer's top


def test_places(tmp_path: Path) -> None:
    """Each layer is in one box, boxes do not meet, and arrows lead from box to box."""
    data = net_data(graph_of(NET, tmp_path))
    assert sorted(index for box in data["boxes"] for index in box["layers"]) == list(range(len(data["layers"])))
    boxes = data["boxes"]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert abs(a["x"] - b["x"]) >= (a["w"] + b["w"]) / 2 or abs(a["y"] - b["y"]) >= (a["h"] + b["h"]) / 2
    for arrow in data["arrows"]:
        x, y = arrow["curve"][-2:]
        target = boxes[arrow["to"]]
        assert (x, y) == pytest.approx((target["x"], target["y"] - target["h"] / 2), abs=0.11)
        assert len(arrow["curve"]) % 6 == 2


def test_shared_parameters_name_their_owner(tmp_path: Path) -> None:
    shared = 'param { name: "w" } inner_product_param { num_output: 12 bias_term: false } }\n'
    text = 'layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 1 dim: 12 } } }\n'
    text += 'layer { name: "a" type: "InnerProduct" bottom: "x" top: "a" ' + shared
    text += 'layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" ' + shared
    layers = net_data(graph_of(text, tmp_path))["layers"]
    assert [[(p["name"], p["shared"]) for p in layer["params"]] for layer in layers] == [[], [("w", "")], [("w", "a.0")]]


def test_a_net_of_a_thousand_layers(tmp_path: Path) -> None:
    """Its data are about a kilobyte a layer."""
    text = 'layer { name: "x0" type: "Input" top: "x0" input_param { shape { dim: 1 dim: 4 } } }\n'
    for i in range(1, 1000):
        more = f' bottom: "x{i - 3}"' if i % 3 == 0 else ""
        text += f'layer {{ name: "x{i}" type: "{"Eltwise" if more else "Power"}" bottom: "x{i - 1}"{more} top: "x{i}" }}\n'
    data = net_data(graph_of(text, tmp_path))
    assert len(data["layers"]) == len(data["boxes"]) == 1000
    assert len(json.dumps(data)) < 1_200_000
