"""Parameters as the page shows them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from caffepy.report.view.weights import weights_data
from tests.report.view.nets import NET, graph_of


def test_weights(tmp_path: Path) -> None:
    graph = graph_of(NET, tmp_path)
    arrays = {i: np.ones(param.shape, np.float32) for i, param in enumerate(graph.params)}
    conv1, conv2, ip = graph.node("conv1").params[0], graph.node("conv2").params[0], graph.node("ip").params[0]
    arrays[conv1][[2, 5]] *= 1e-4
    arrays[ip][3] = 0
    arrays[conv2][0, 0, 0, 0] = np.nan
    names = [node.name for node in graph.nodes if not node.is_automatic_split]
    found = dict(zip(names, weights_data(graph, arrays), strict=True))
    assert found["relu1"] == found["data"] == {}
    assert found["conv1"]["dead"] == {"channels": [2, 5], "of": 8}
    assert found["ip"]["dead"] == {"channels": [3], "of": 6}
    assert found["conv2"]["dead"]["channels"] == []
    assert found["conv2"]["statistics"][0]["notFinite"] == 1
    # only filters that read the image's channels can be looked at
    assert found["conv1"]["filters"]["shown"] == 8
    assert "filters" not in found["conv2"]


def test_a_layer_without_any_weight_but_zero(tmp_path: Path) -> None:
    graph = graph_of(NET, tmp_path)
    arrays = {i: np.zeros(param.shape, np.float32) for i, param in enumerate(graph.params)}
    assert weights_data(graph, arrays)[1]["dead"]["channels"] == list(range(8))
