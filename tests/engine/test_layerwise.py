"""The reference engine: every blob's data and diff, parts of passes, shapes that change."""

from __future__ import annotations

import pytest
import torch

from caffepy.errors import LayerError
from caffepy.net.graph import Node
from tests.engine.build import TEST, built, feed, feeds
from tests.engine.nets import CONV, IMAGE, NETS

LINEAR = f"""{IMAGE}
layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a"
        inner_product_param {{ num_output: 3 weight_filler {{ type: "constant" value: 0.5 }} }} }}
layer {{ name: "sum" type: "Reduction" bottom: "a" top: "sum" loss_weight: 2 }}
"""


def test_data_and_diff_of_blobs_and_parameters() -> None:
    engine = feed(built(LINEAR).layerwise, feeds())
    data = feeds()["data"]
    loss = engine.forward()
    rows = data.flatten(1).sum(1) * 0.5
    torch.testing.assert_close(engine.blobs["a"].data, rows[:, None].expand(4, 3))
    assert loss == pytest.approx(2 * 3 * float(rows.sum()), rel=1e-5)
    assert engine.blobs["sum"].diff.tolist() == 2.0
    engine.backward()
    assert engine.blobs["a"].diff.tolist() == [[2.0] * 3] * 4
    torch.testing.assert_close(engine.params[0].diff, 2 * data.flatten(1).sum(0)[None].expand(3, 243))
    assert engine.params[1].diff.tolist() == [8.0] * 3


def test_a_recurrent_layer_writes_the_diff_of_its_input_in_any_case() -> None:
    layer = """layer { name: "l" type: "LSTM" bottom: "data" bottom: "label" top: "y" loss_weight: 1
               recurrent_param { num_output: 2 weight_filler { type: "constant" value: 0.5 } } }"""
    inputs = """layer { name: "in" type: "Input" top: "data" top: "label"
                input_param { shape { dim: 2 dim: 1 dim: 3 } shape { dim: 2 dim: 1 } } }"""
    diffs = []
    for force in ("", "force_backward: true"):
        engine = built(f"{force} {inputs} {layer}").layerwise
        engine.blobs["data"].data.fill_(1)
        engine.forward()
        engine.backward()
        diffs.append(engine.blobs["data"].diff)
    assert diffs[0].abs().min() > 0
    torch.testing.assert_close(*diffs)


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("Softmax", True),
        ("MVN", True),
        ("Im2col", True),
        ("LRN", True),
        ("WithinLRN", False),
        ("Pooling", False),
    ],
)
def test_some_layers_do_not_ask_whether_a_diff_is_wanted(kind: str, written: bool) -> None:
    fields = {
        "Im2col": "convolution_param { kernel_size: 1 }",
        "WithinLRN": "lrn_param { norm_region: WITHIN_CHANNEL }",
        "Pooling": "pooling_param { kernel_size: 2 }",
    }
    diffs = []
    for down in (True, False):
        engine = built(f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c"
        convolution_param {{ num_output: 2 kernel_size: 2 weight_filler {{ type: "gaussian" }} }} }}
layer {{ name: "l" type: "{kind.removeprefix("Within")}" bottom: "c" top: "l" propagate_down: {str(down).lower()} {fields.get(kind, "")} }}
layer {{ name: "cube" type: "Power" bottom: "l" top: "cube" loss_weight: 1 power_param {{ power: 3 }} }}""").layerwise
        feed(engine, feeds()).forward()
        engine.backward()
        assert bool(engine.params[0].diff.any()) is down
        diffs.append(engine.blobs["c"].diff)
    assert diffs[0].abs().max() > 1e-3
    assert torch.equal(diffs[1], diffs[0] if written else torch.zeros_like(diffs[0]))


def test_batch_norm_writes_the_diff_of_its_input_unless_its_parameters_do_not_learn() -> None:
    """Its blobs have lr_mult 0 in any case, but only what the net's file says decides whether it runs backward."""
    diffs = []
    for force, specs in (("", ""), ("force_backward: true", ""), ("", "param { lr_mult: 0 } " * 3)):
        engine = built(f"""{force} layer {{ name: "in" type: "Input" top: "x" input_param {{ shape {{ dim: 2 dim: 1 }} }} }}
                           layer {{ name: "l" type: "BatchNorm" bottom: "x" top: "y" {specs} batch_norm_param {{ eps: 1 }} }}
                           layer {{ name: "ip" type: "InnerProduct" bottom: "y" top: "z" loss_weight: 1
                                   inner_product_param {{ num_output: 1 weight_filler {{ value: 3 }} }} }}""").layerwise
        engine.blobs["x"].data.copy_(torch.tensor([[1.0], [3]]))
        engine.forward()
        engine.blobs["z"].diff.copy_(torch.tensor([[1.0], [2]]))
        engine.backward()
        diffs.append(engine.blobs["x"].diff.flatten().tolist())
    assert diffs[0] == diffs[1] == pytest.approx([-0.53033, 0.53033], rel=1e-4)
    assert diffs[2] == [0, 0]


def test_parameter_diffs_add_up_and_those_of_blobs_do_not() -> None:
    engine = feed(built(LINEAR).layerwise, feeds())
    engine.forward_backward()
    engine.forward_backward()
    assert engine.params[1].diff.tolist() == [16.0] * 3
    assert engine.blobs["a"].diff.tolist() == [[2.0] * 3] * 4
    engine.clear_gradients()
    assert engine.params[1].diff.tolist() == [0.0] * 3


def test_a_pass_over_some_layers_starts_from_what_lies_in_the_blobs() -> None:
    engine = feed(built(LINEAR).layerwise, feeds())
    engine.forward()
    engine.blobs["a"].data.fill_(1)
    names = [node.name for node in engine.graph.nodes]
    assert engine.forward(names.index("sum")) == pytest.approx(24)
    engine.blobs["a"].diff.fill_(3)
    engine.forward()
    engine.backward(names.index("a"), names.index("a"))
    assert engine.params[1].diff.tolist() == [12.0] * 3


def test_an_in_place_layer_leaves_its_values_in_the_blob() -> None:
    engine = feed(built(NETS["in_place"]).layerwise, feeds())
    engine.forward()
    assert float(engine.blobs["c"].data.min()) == 0
    assert list(engine.blobs) == [
        "data",
        "label",
        "label_in_1_split_0",
        "label_in_1_split_1",
        "c",
        "top",
        "ip",
        "ip_ip_0_split_0",
        "ip_ip_0_split_1",
        "acc",
        "loss",
    ]


def test_around_is_called_before_and_after_every_layer() -> None:
    engine = feed(built(NETS["in_place"]).layerwise, feeds())
    seen: list[tuple[str, bool]] = []

    def around(node: Node, done: bool) -> None:
        seen.append((node.name, done))

    engine.forward(around=around)
    names = [node.name for node in engine.graph.nodes]
    assert seen == [(name, done) for name in names for done in (False, True)]
    seen.clear()
    engine.backward(around=around)
    assert [name for name, done in seen if done] == ["loss", "ip_ip_0_split", "ip", "top", "r", "c"]


def test_other_input_shapes_go_through_the_net() -> None:
    engine = built(NETS["in_place"], TEST).layerwise
    arrays = feeds(6)
    for name, tensor in arrays.items():
        engine.blobs[name].reshape(tensor.shape)
    engine.reshape()
    feed(engine, arrays)
    engine.forward()
    assert tuple(engine.blobs["c"].data.shape) == (6, 6, 9, 9)
    assert tuple(engine.blobs["ip"].data.shape) == (6, 5)


@pytest.mark.parametrize("told", [False, True])
def test_a_loss_keeps_its_weight_in_another_size(*, told: bool) -> None:
    """Smaller, larger and as at first; Caffe's has no weight any more once it was larger."""
    engine = built("""layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 } } }
                      layer { name: "l" type: "Power" bottom: "x" top: "y" power_param { scale: 3 } loss_weight: 5 }
                      force_backward: true""").layerwise
    for size in (1, 4, 2):
        engine.blobs["x"].reshape((size,))
        if told:
            engine.reshape()
        engine.blobs["x"].data.fill_(1)
        assert engine.forward() == 15 * size
        engine.backward()
        assert engine.blobs["x"].diff.tolist() == [15] * size


DUMMIES = """layer { name: "d" type: "DummyData" top: "x" top: "drawn" dummy_data_param { shape { dim: 2 }
               data_filler { value: 3 } data_filler { type: "uniform" } } }"""
TWICE = 'layer { name: "p" type: "Power" bottom: "x" top: "y" power_param { scale: 2 } }'


def test_constants_of_dummy_data_are_filled_before_the_first_pass_and_by_none() -> None:
    engine = built(DUMMIES + TWICE).layerwise
    assert engine.blobs["x"].data.tolist() == [3, 3]
    assert engine.blobs["drawn"].data.tolist() == [0, 0]
    engine.blobs["x"].data_array()[...] = 5
    seen = []
    for _ in range(2):
        engine.forward()
        assert engine.blobs["y"].data.tolist() == [10, 10]
        seen.append(engine.blobs["drawn"].data.tolist())
    assert seen[0] != seen[1]


@pytest.mark.parametrize("told", [False, True])
def test_constants_of_dummy_data_can_have_another_size(*, told: bool) -> None:
    engine = built(DUMMIES + TWICE).layerwise
    engine.forward()
    engine.blobs["x"].reshape((3,))
    if told:
        engine.reshape()
    engine.blobs["x"].data.fill_(7)
    engine.forward()
    assert engine.blobs["y"].data.tolist() == [14, 14, 14]
    assert engine.blobs["drawn"].shape == (2,)


def test_a_layer_in_place_on_constants_goes_on_from_what_it_left() -> None:
    engine = built(DUMMIES + TWICE.replace('"y"', '"x"')).layerwise
    for wanted in (6, 12, 24):
        engine.forward()
        assert engine.blobs["x"].data.tolist() == [wanted] * 2


def test_shapes_that_do_not_fit_are_refused_with_the_layers_name() -> None:
    engine = built(NETS["in_place"], TEST).layerwise
    engine.blobs["data"].reshape((4, 2, 9, 9))
    with pytest.raises(LayerError, match=r"layer 'c' \(Convolution\): bottom 0 has 2 channels"):
        engine.reshape()


def test_layers_that_follow_their_bottoms_refuse_the_same_shapes() -> None:
    engine = built(NETS["in_place"], TEST).layerwise
    engine.blobs["data"].reshape((4, 3, 0, 9))
    with pytest.raises(LayerError, match=r"layer 'c' \(Convolution\): bottom 0 has shape \(4, 3, 0, 9\); needed: at least 1 in every axis"):
        engine.forward()


def test_a_gradient_to_a_label_is_refused() -> None:
    text = f"""force_backward: true {IMAGE}
layer {{ name: "f" type: "Split" bottom: "label" top: "f" }}
layer {{ name: "top" type: "Convolution" bottom: "data" top: "top" {CONV} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "top" top: "ip" inner_product_param {{ num_output: 5 }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "f" propagate_down: true propagate_down: true }}"""
    engine = feed(built(text).layerwise, feeds())
    engine.forward()
    with pytest.raises(LayerError, match=r"layer 'loss' \(SoftmaxWithLoss\): cannot backpropagate to bottom 1 'f'"):
        engine.backward()


def test_shared_parameters_have_one_diff() -> None:
    text = f"""{IMAGE}
layer {{ name: "a" type: "Reduction" bottom: "data" top: "a" reduction_param {{ axis: 1 }} }}
layer {{ name: "s" type: "Scale" bottom: "a" top: "s" param {{ name: "w" }} scale_param {{ axis: 0 num_axes: 0 }} }}
layer {{ name: "t" type: "Scale" bottom: "a" top: "t" param {{ name: "w" }} scale_param {{ axis: 0 num_axes: 0 }} loss_weight: 1 }}
layer {{ name: "u" type: "Power" bottom: "s" top: "u" power_param {{ scale: 3 }} loss_weight: 1 }}"""
    engine = feed(built(text).layerwise, feeds())
    engine.forward_backward()
    assert engine.params[0] is engine.params[1]
    torch.testing.assert_close(engine.params[0].diff, 4 * feeds()["data"].sum())


def test_the_gradient_of_a_bias_survives_that_of_the_bottom_it_was_added_to() -> None:
    text = f"""{IMAGE}
layer {{ name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param {{ num_output: 5 }} }}
layer {{ name: "s" type: "Scale" bottom: "ip" top: "ip"
        scale_param {{ axis: 0 num_axes: -1 bias_term: true filler {{ type: "constant" value: 3 }} }} }}
layer {{ name: "u" type: "Reduction" bottom: "ip" top: "u" loss_weight: 2 }}"""
    engine = feed(built(text).layerwise, feeds())
    engine.forward_backward()
    assert engine.params[3].diff.tolist() == [[2.0] * 5] * 4
    assert engine.blobs["ip"].diff.tolist() == [[6.0] * 5] * 4


def test_outputs_stand_in_the_order_of_their_names() -> None:
    engine = feed(built(NETS["in_place"].replace('top: "loss"', 'top: "Loss"'), TEST).layerwise, feeds())
    engine.forward()
    assert [(output.name, output.loss_weight) for output in engine.outputs()] == [("Loss", 1), ("acc", 0)]
