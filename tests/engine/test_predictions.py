"""The part of a net that predicts."""

from __future__ import annotations

import pytest
import torch

from caffepy.engine.predictions import Part
from caffepy.errors import NetError
from tests.report.nets import inputs, part_of

TRAIN_VAL = """
layer { name: "d" type: "HDF5Data" top: "x" top: "t" hdf5_data_param { source: "none" batch_size: 2 } }
layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "y" top: "y" }
layer { name: "side" type: "Power" bottom: "y" top: "side" power_param { scale: 2 } }
layer { name: "acc" type: "Accuracy" bottom: "y" bottom: "t" top: "acc" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "y" bottom: "t" top: "loss" }
layer { name: "more" type: "Power" bottom: "loss" top: "more" }
layer { name: "lost" type: "Power" bottom: "t" top: "lost" }
layer { name: "quiet" type: "Silence" bottom: "lost" }
"""


def names(part: Part, values: tuple[int, ...]) -> list[str]:
    return [part.name(value) for value in values]


def test_cut_at_the_loss() -> None:
    part, _ = part_of(TRAIN_VAL, {"x": (2, 4), "t": (2,)})
    assert [node.name for node in part.nodes] == ["ip", "relu", "side"]
    assert (names(part, part.inputs), names(part, part.outputs)) == (["x"], ["side", "y"])
    assert part.outputs[1] == part.nodes[1].tops[0]  # after the ReLU in place


def test_deploy_nets_stay_whole() -> None:
    part, _ = part_of(inputs(x=(2, 3)) + 'layer { name: "s" type: "Softmax" bottom: "x" top: "p" }')
    assert (names(part, part.inputs), names(part, part.outputs)) == (["x"], ["p"])


def test_a_net_that_is_only_scored_predicts_what_is_scored() -> None:
    """SqueezeNet's train_val has its loss in TRAIN alone."""
    text = TRAIN_VAL.replace('type: "SoftmaxWithLoss"', 'include { phase: TRAIN } type: "SoftmaxWithLoss"')
    kept = "\n".join(line for line in text.splitlines() if '"side"' not in line and '"more"' not in line)
    part, _ = part_of(kept, {"x": (2, 4), "t": (2,)})
    assert names(part, part.outputs) == ["y"]


def test_nothing_left() -> None:
    with pytest.raises(NetError, match="computes no prediction"):
        part_of(inputs(x=(2, 1), t=(2, 1)) + 'layer { name: "l" type: "EuclideanLoss" bottom: "x" bottom: "t" }')


def test_shapes_of_another_batch() -> None:
    part, _ = part_of(
        inputs(x=(2, 3), y=(2, 1), z=(5, 3)) + 'layer { name: "c" type: "Concat" bottom: "x" bottom: "y" top: "c" }\n'
        'layer { name: "q" type: "Softmax" bottom: "z" top: "q" }'
    )
    assert list(part.input_shapes(more=3).values()) == [(5, 3), (5, 1), (5, 3)]
    assert list(part.input_shapes(more=1, axis=1).values()) == [(2, 4), (2, 1), (5, 4)]


def test_forward() -> None:
    part, blobs = part_of(TRAIN_VAL, {"x": (2, 4), "t": (2,)})
    x = torch.randn(2, 4)
    found = part.forward({part.inputs[0]: x}, blobs)
    weight, bias = blobs[part.nodes[0].params[0]], blobs[part.nodes[0].params[1]]
    torch.testing.assert_close(found[part.outputs[1]], torch.relu(x @ weight.T + bias))
    torch.testing.assert_close(found[part.outputs[0]], 2 * found[part.outputs[1]])
