"""Places of fields, in all the ways they can be written."""

from __future__ import annotations

from caffepy.proto.source_map import SourceMap, Upgrade

TEXT = """# layer { in a comment }
name: "a # b { \\" " 'c'
layer: [ {name: "x"}, {name: 'y'
  bottom: ["p", "q"] } ]
layer < name: "z" loss_weight: -1.5e3 bottom: "r"; >, top { }
"""


def test_scalars_lists_and_brackets():
    places = SourceMap("f", TEXT)
    assert places.where("name") == "f:2:1"
    assert places.where("layer", 0) == "f:3:10"
    assert places.where("layer", 1, "name") == "f:3:24"
    assert places.where("layer", 1, "bottom", 1) == "f:4:17"
    assert places.where("layer", 2, "bottom") == "f:5:39"
    assert places.where("top") == "f:5:55"


def test_what_is_not_written_stands_at_the_message_around_it():
    places = SourceMap("f", TEXT)
    assert places.where("layer", 2, "pooling_param", "pad") == "f:5:1"
    assert places.where("layer", 9) == "f:1:1"
    assert SourceMap("f", "").where("layer", 0) == "f:1:1"


def test_maps_of_inner_and_upgraded_nets():
    places = SourceMap(
        "f", 's: 1\nnet_param { input: "i"\nlayers { name: "a" }\nlayers { name: "b" } }'
    )
    inner = places.upgraded(("net_param",), Upgrade((None, 1, 0), "layers")).within("net_param")
    assert inner.where("layer", 0) == "f:2:13"
    assert inner.where("layer", 1, "name") == "f:4:10"
    assert inner.where("layer", 2) == "f:3:1"
    assert inner.where("input", 0) == "f:2:13"
