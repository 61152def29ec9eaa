"""First values: drawn layer by layer, so that a seed gives the same net whatever is shared or borrowed."""

from __future__ import annotations

import torch

from caffepy.layers.random import CaffeRandom
from tests.engine.build import TEST, built
from tests.engine.nets import IMAGE, NETS

UNIFORM = 'weight_filler { type: "uniform" min: -1 max: 1 }'


def test_fillers_draw_in_the_order_of_the_layers() -> None:
    text = f"""{IMAGE}
layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a" inner_product_param {{ num_output: 2 {UNIFORM} }} }}
layer {{ name: "b" type: "InnerProduct" bottom: "a" top: "b" inner_product_param {{ num_output: 3 {UNIFORM}
        bias_filler {{ type: "constant" value: 0.5 }} }} }}"""
    net = built(text, seed=11)
    stream = CaffeRandom(11)
    first, second = stream.uniform(2 * 243, -1, 1), stream.uniform(3 * 2, -1, 1)
    assert net.arena.data[0].flatten().tolist() == first.tolist()
    assert net.arena.data[1].tolist() == [0, 0]
    assert net.arena.data[2].flatten().tolist() == second.tolist()
    assert net.arena.data[3].tolist() == [0.5] * 3
    assert net.random.uniform(1, 0, 1).tolist() == stream.uniform(1, 0, 1).tolist()


def test_the_values_do_not_depend_on_the_layout() -> None:
    plain, last = built(NETS["residual"]), built(NETS["residual"], channels_last=True)
    for ours, theirs in zip(plain.arena.learnable, last.arena.learnable):
        assert torch.equal(ours, theirs)
    assert any(ours.stride() != theirs.stride() for ours, theirs in zip(plain.arena.learnable, last.arena.learnable))


def test_a_shared_blob_keeps_its_owners_values_and_is_drawn_all_the_same() -> None:
    alone, shared = built(NETS["shared"].replace('param { name: "w" }', 'param { name: "v" }')), built(NETS["shared"])
    assert torch.equal(shared.arena.data[0], alone.arena.data[0])
    assert shared.random.uniform(1, 0, 1).tolist() == alone.random.uniform(1, 0, 1).tolist()


def test_a_test_net_draws_for_borrowed_blobs_without_changing_them() -> None:
    train = built(NETS["in_place"], seed=3)
    before = train.arena.flat.buffer.clone()
    test = built(NETS["in_place"], TEST, share=train.arena, seed=3)
    assert torch.equal(train.arena.flat.buffer, before)
    assert test.random.uniform(1, 0, 1).tolist() == train.random.uniform(1, 0, 1).tolist()


def test_constants_that_a_layer_states_without_a_filler() -> None:
    text = f"""{IMAGE}
layer {{ name: "s" type: "Scale" bottom: "data" top: "s" }}
layer {{ name: "p" type: "PReLU" bottom: "s" top: "p" }}"""
    arena = built(text).arena
    assert arena.data[0].tolist() == [1] * 3
    assert arena.data[1].tolist() == [0.25] * 3
