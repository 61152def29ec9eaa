"""One flat buffer of parameters: where they lie, who shares them, whose gradients they have."""

from __future__ import annotations

import pytest
import torch

from caffepy.engine.arena import ALIGNMENT, Arena, Flat
from caffepy.errors import WeightsError
from tests.engine.build import TEST, built, graph_of
from tests.engine.nets import IMAGE, IP, NETS

CPU = torch.device("cpu")


def test_views_lie_from_the_last_to_the_first_at_aligned_places() -> None:
    flat = Flat([(3, 5), (20,), (1,)], device=CPU, channels_last=[False] * 3)
    assert flat.offsets == [3 * ALIGNMENT, ALIGNMENT, 0]
    assert flat.buffer.numel() == 4 * ALIGNMENT
    flat.views[0].fill_(1)
    flat.views[2].fill_(2)
    assert flat.buffer.sum() == 15 + 2
    assert [tuple(view.shape) for view in flat.views] == [(3, 5), (20,), (1,)]


def test_a_channels_last_view_fills_its_piece_of_the_buffer() -> None:
    flat = Flat([(2, 3, 4, 5)], device=CPU, channels_last=[True])
    view = flat.views[0]
    assert view.is_contiguous(memory_format=torch.channels_last)
    view.copy_(torch.arange(120.0).view(2, 3, 4, 5))
    assert flat.buffer[:120].tolist() == torch.arange(120.0).view(2, 3, 4, 5).permute(0, 2, 3, 1).flatten().tolist()
    assert flat.buffer[120:].tolist() == [0] * 8


def test_like_has_the_same_views_on_zeros_of_its_own() -> None:
    flat = Flat([(2, 3, 4, 5), (7,)], device=CPU, channels_last=[True, False])
    flat.buffer.fill_(3)
    other = flat.like()
    assert other.offsets == flat.offsets
    assert [view.stride() for view in other.views] == [view.stride() for view in flat.views]
    assert other.buffer.abs().sum() == 0


def test_shared_parameters_are_one_tensor() -> None:
    arena = built(NETS["shared"]).arena
    assert arena.data[0] is arena.data[2]
    assert len(arena.learnable) == 4
    assert arena.graph.params[2].lr_mult == 2


def test_a_parameter_shared_in_another_shape_is_seen_in_that_shape() -> None:
    text = f"""{IMAGE}
layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a" param {{ name: "w" }} inner_product_param {{ num_output: 6 }} }}
layer {{ name: "b" type: "InnerProduct" bottom: "data" top: "b" param {{ name: "w" share_mode: PERMISSIVE }}
        inner_product_param {{ num_output: 6 transpose: true }} }}"""
    net = built(text)
    node = net.graph.node("b")
    weight = net.arena.blobs(node)[0]
    assert tuple(weight.shape) == (243, 6)
    assert weight.data_ptr() == net.arena.data[0].data_ptr()


def test_only_learned_parameters_require_a_gradient() -> None:
    arena = built(NETS["frozen_below"]).arena
    assert [tensor.requires_grad for tensor in arena.learnable] == [False, False, True, True]
    node = arena.graph.node("ip")
    assert all(tensor.requires_grad for tensor in arena.blobs(node))


def test_parameters_below_a_stopped_gradient_do_not_require_one() -> None:
    net = built(NETS["propagate_down"])
    assert [tensor.requires_grad for tensor in net.arena.learnable] == [False, False, True, True, True, True]
    assert not any(tensor.requires_grad for tensor in net.arena.blobs(net.graph.node("a")))


def test_writing_one_parameter_does_not_invalidate_another_for_autograd() -> None:
    arena = built(NETS["shared"]).arena
    x = torch.ones(2, 243)
    loss = (x @ arena.data[0].t()).square().sum()
    with torch.no_grad():
        arena.learnable[2].fill_(1)
    loss.backward()
    assert arena.learnable[0].grad is not None


def test_gradients_are_none_until_there_are_some_and_after_clearing() -> None:
    arena = built(NETS["shared"]).arena
    assert arena.gradients() == [None] * 4
    arena.learnable[0].sum().backward()
    gradients = arena.gradients()
    assert gradients[0] is not None
    assert gradients[1:] == [None] * 3
    arena.clear_gradients()
    assert arena.gradients() == [None] * 4


def test_a_test_net_borrows_what_the_training_net_has() -> None:
    train = built(NETS["in_place"])
    own = 'layer { name: "extra" type: "InnerProduct" bottom: "data" top: "extra" inner_product_param { num_output: 2 } }'
    test = built(f"{NETS['in_place']}{own}", TEST, share=train.arena)
    assert test.arena.borrowed == {0, 1, 2, 3}
    for mine, theirs in zip(test.arena.data[:4], train.arena.data):
        assert mine.data_ptr() == theirs.data_ptr()
        assert mine.stride() == theirs.stride()
    assert test.arena.flat.shapes == [(2, 243), (2,)]


def test_borrowing_refuses_another_number_of_parameters() -> None:
    text = NETS["in_place"]
    with pytest.raises(WeightsError, match="Incompatible number of blobs for layer ip: 2 in the net that shares, 1 in this one"):
        built(text.replace(IP, IP.replace("{", "{ bias_term: false", 1)), TEST, share=built(text).arena)


def test_borrowing_from_a_layer_that_shares_in_a_shape_of_its_own() -> None:
    def net(specs: str, other: str) -> str:
        size = "bias_term: false weight_filler { type: 'xavier' }"
        return f"""layer {{ name: "in" type: "Input" top: "x" input_param {{ shape {{ dim: 2 dim: 6 }} }} }}
            layer {{ name: "a" type: "InnerProduct" bottom: "x" top: "a" inner_product_param {{ num_output: 4 {size} }} {specs} }}
            layer {{ name: "b" type: "InnerProduct" bottom: "a" top: "b" inner_product_param {{ num_output: 6 {size} }} {other} }}"""

    shared = 'param { name: "w" share_mode: PERMISSIVE }'
    train = built(net(shared, shared))
    test = built(net("", ""), TEST, share=train.arena)
    assert [tuple(tensor.shape) for tensor in test.arena.data] == [(4, 6), (6, 4)]
    assert {tensor.data_ptr() for tensor in test.arena.data} == {train.arena.data[0].data_ptr()}


def test_borrowing_refuses_another_shape() -> None:
    train = built(NETS["in_place"])
    other = NETS["in_place"].replace(IP, 'inner_product_param { num_output: 9 weight_filler { type: "xavier" } }')
    with pytest.raises(WeightsError, match="Cannot share param 0 weights from layer 'ip'; shape mismatch") as caught:
        Arena(graph_of(other, TEST), share=train.arena)
    assert "Source param shape is 5 96 (480); target param shape is 9 96 (864)" in str(caught.value)
