"""A compiled net as boxes."""

from __future__ import annotations

from pathlib import Path

from caffepy.report.view.net_scene import LONGEST_NAME, boxes_of, origins, shortened
from tests.report.view.nets import LONG, NET, graph_of


def test_boxes_hold_layers_in_place_and_shapes(tmp_path: Path) -> None:
    graph = graph_of(NET, tmp_path)
    boxes = boxes_of(graph)
    found = {box.name: box.lines for box in boxes.picture.scene.boxes}
    assert found["conv1"] == ["Convolution 3x3 → 8", "ReLU", "4 x 8 x 10 x 10"]
    assert found["data"] == ["Data", "4 x 3 x 12 x 12, 4"]
    layers = [[graph.nodes[index].name for index in inside] for inside in boxes.layers]
    assert layers == [["data"], ["conv1", "relu1"], ["conv2"], ["pool"], ["ip"], ["accuracy"], ["loss"], []]
    assert boxes.picture.scene.boxes[-1].repeats == 0


def test_automatic_splits_are_left_out(tmp_path: Path) -> None:
    graph = graph_of(NET, tmp_path)
    assert any(node.is_automatic_split for node in graph.nodes)
    copied = [value for node in graph.nodes if node.is_automatic_split for value in node.tops]
    assert {graph.values[origins(graph)[value]].name for value in copied} == {"ip", "label"}
    scene = boxes_of(graph).picture.scene
    assert not [box for box in scene.boxes if "split" in box.name]
    assert not [arrow for arrow in scene.arrows if "split" in arrow.label]


def test_long_names_are_cut() -> None:
    assert shortened("conv1") == "conv1"
    assert len(shortened(LONG)) <= LONGEST_NAME
    assert shortened("a" * 50 + "b" * 50)[0::42] == "ab"
