"""Nets and pages for the tests of ``caffepy view``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from caffepy.cli.net_options import NetChoice
from caffepy.net.graph import Graph

NET = """
name: "small"
layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "nowhere" batch_size: 4 backend: LMDB }
        transform_param { crop_size: 12 scale: 0.5 mean_value: 10 } }
layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1" param { lr_mult: 2 }
        convolution_param { num_output: 8 kernel_size: 3 weight_filler { type: "xavier" } } }
layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }
layer { name: "conv2" type: "Convolution" bottom: "conv1" top: "conv2"
        convolution_param { num_output: 4 kernel_size: 3 weight_filler { type: "xavier" } } }
layer { name: "pool" type: "Pooling" bottom: "conv2" top: "pool" pooling_param { pool: MAX kernel_size: 2 stride: 2 } }
layer { name: "ip" type: "InnerProduct" bottom: "pool" top: "ip" inner_product_param { num_output: 6 weight_filler { type: "xavier" } } }
layer { name: "accuracy" type: "Accuracy" bottom: "ip" bottom: "label" top: "accuracy" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"""
DEPLOY = (
    NET[: NET.index("layer {")] + 'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 12 dim: 12 } } }\n'
)
DEPLOY += NET[NET.index('layer { name: "conv1"') : NET.index('layer { name: "accuracy"')]
DEPLOY += 'layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" }\n'

EVIL = "</script><script>alert(1)</script>"
OTHER_EVIL = "{{SCRIPT}} <!-- &amp; \u2028 <img src=x onerror=alert(2)>"
LONG = "x" * 400
ATTACK = f"""
name: "{EVIL}"
layer {{ name: "{OTHER_EVIL}" type: "Input" top: "__proto__" input_param {{ shape {{ dim: 1 dim: 3 dim: 8 dim: 8 }} }} }}
layer {{ name: "{EVIL}" type: "Convolution" bottom: "__proto__" top: "{LONG}" convolution_param {{ num_output: 2 kernel_size: 3 }} }}
layer {{ name: "constructor" type: "ReLU" bottom: "{LONG}" top: "{EVIL}" }}
"""


def graph_of(text: str, folder: Path, *, phase: str = "TEST") -> Graph:
    """The compiled net of a text, as the commands that look at nets have it."""
    (folder / "net.prototxt").write_text(text, encoding="utf-8")
    return NetChoice(phase, 0, "", ()).graph(str(folder / "net.prototxt"))[0]


def data_in(text: str) -> Any:
    """The data that a page holds."""
    found = re.search(r'<script type="application/json" id="data">([^<]*)</script>', text)
    assert found is not None
    return json.loads(found[1])
