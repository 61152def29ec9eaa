"""Boxes that repeat a source beside its readers."""

from __future__ import annotations

from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.report.draw.scene import Arrow, Scene, scene
from caffepy.report.draw.sources import REACH, repeat_sources

CHAIN = "".join(
    f'layer {{ name: "c{i}" type: "Convolution" bottom: "{f"c{i - 1}" if i else "data"}" top: "c{i}" }}\n' for i in range(REACH + 2)
)
LAST = f"c{REACH + 1}"


def drawn(text: str) -> Scene:
    net = caffe_pb2.NetParameter()
    parse(text, net, file="net")
    return repeat_sources(scene(net))


def names(shown: Scene, arrows: list[Arrow]) -> set[tuple[str, str]]:
    return {(shown.boxes[arrow.source].name, shown.boxes[arrow.target].name) for arrow in arrows}


def test_labels_stand_at_their_readers() -> None:
    data = 'layer { name: "d" type: "Data" top: "data" top: "label" include { phase: %s } }\n'
    loss = f'layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "{LAST}" bottom: "label" top: "loss" }}\n'
    accuracy = f'layer {{ name: "acc" type: "Accuracy" bottom: "{LAST}" bottom: "label" top: "acc" include {{ phase: TEST }} }}\n'
    shown = drawn(data % "TRAIN" + data % "TEST" + CHAIN + loss + accuracy)
    chips = [box for box in shown.boxes if box.repeats is not None]
    # one box for both readers, which also read the same, and for the data layers of both phases
    assert [(box.name, box.phases, shown.boxes[box.repeats or 0].name) for box in chips] == [("label", frozenset(("TRAIN", "TEST")), "d")]
    assert {("label", "loss"), ("label", "acc"), ("d", "c0")} <= names(shown, shown.arrows)
    assert not {("d", "loss"), ("d", "acc")} & names(shown, shown.arrows)
    assert len([arrow for arrow in shown.arrows if arrow.source == shown.boxes.index(chips[0])]) == 2


def test_readers_of_other_blobs_have_a_box_each() -> None:
    """As the PriorBox layers of an SSD have, which read the data."""
    data = 'layer { name: "data" type: "Input" top: "data" }\n'
    prior = 'layer {{ name: "p{0}" type: "PriorBox" bottom: "c{0}" bottom: "data" top: "p{0}" }}\n'
    shown = drawn(data + CHAIN + prior.format(REACH) + prior.format(REACH + 1))
    assert [box.name for box in shown.boxes if box.repeats == 0] == ["data", "data"]


def test_what_is_near_keeps_its_arrow() -> None:
    data = 'layer { name: "data" type: "Input" top: "data" }\n'
    near = f'layer {{ name: "sum" type: "Eltwise" bottom: "c{REACH - 1}" bottom: "data" top: "sum" }}\n'
    assert all(box.repeats is None for box in drawn(data + CHAIN + near).boxes)


def test_a_source_that_only_the_end_reads_is_drawn_there() -> None:
    inputs = 'layer { name: "data" type: "Input" top: "data" }\nlayer { name: "label" type: "Input" top: "label" }\n'
    loss = f'layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "{LAST}" bottom: "label" top: "loss" }}\n'
    shown = drawn(inputs + CHAIN + loss)
    assert all(box.repeats is None for box in shown.boxes)
