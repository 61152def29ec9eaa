"""Lstm."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, subject, tops, values

CLIP = torch.tensor([0.0, 1, 1, 0, 1, 1])
WEIGHTS = 'weight_filler { type: "uniform" min: -1 max: 1 } bias_filler { type: "uniform" min: -1 max: 1 }'


def layer(fields: str = "", bottoms: str = 'bottom: "x"', num_output: int = 2) -> str:
    return f'layer {{ name: "l" type: "Lstm" {bottoms} top: "y" lstm_param {{ num_output: {num_output} {WEIGHTS} {fields} }} }}'


TWO = 'bottom: "x" bottom: "clip"'


def test_layer() -> None:
    it = check_layer(layer(), x=(3, 2, 4))
    assert [blob.shape for blob in it.layer.blobs] == [(8, 4), (8, 2), (8,)]
    assert it.forward()[0].shape == (3, 2, 2)


def test_time_and_streams_along_one_axis() -> None:
    x = values((6, 4))
    check_layer(layer("batch_size: 2"), x=x)
    (apart,) = tops(layer(), x=x.view(3, 2, 4))
    (along,) = tops(layer("batch_size: 2"), x=x)
    assert torch.equal(along, apart.view(6, 2))
    assert tops(layer(), x=x.view(6, 4, 1, 1))[0].shape == (6, 2)


def test_sequences_that_begin_inside() -> None:
    why = "weights learn from the states before a beginning, too"
    check_layer(layer(bottoms=TWO), no_gradcheck=why, x=(3, 2, 4), clip=CLIP)
    check_layer(layer("batch_size: 2", TWO), no_gradcheck=why, x=(6, 4), clip=CLIP.view(6, 1))
    check_layer(layer(bottoms=TWO), x=(3, 2, 4), clip=torch.ones(6))


def test_weights_learn_from_the_states_before_a_beginning() -> None:
    """Where a sequence begins, the gradient of its gates times the state before is added, although that state counted for nothing."""
    it = subject(layer(bottoms=TWO), x=(2, 1, 3), clip=torch.tensor([0.0, 0.0]))
    x, clip = it.bottoms()
    w_x, w_h, b = (blob.requires_grad_() for blob in it.blobs())
    (y,) = it.layer.forward([x, clip], [w_x, w_h, b], it.run())
    (found,) = torch.autograd.grad(y.sum(), [w_h], retain_graph=True)
    (second,) = torch.autograd.grad(y[1].sum(), [b])  # the gradient of the second step's gates
    torch.testing.assert_close(found, torch.outer(second, y[0, 0].detach()))


def test_a_bottom_of_one_stream_may_have_many_axes() -> None:
    """CTPN's (T, 1, C, H)."""
    x = values((3, 1, 2, 2))
    check_layer(layer(), x=x)
    (found,) = tops(layer(), x=x)
    assert found.shape == (3, 1, 2)
    assert torch.equal(found, tops(layer(), x=x.view(3, 1, 4))[0])
    assert tops(layer(), x=values((3, 2, 2, 2)))[0].shape == (3, 2)


def test_it_computes_what_caffes_own_lstm_does() -> None:
    it = subject(layer(bottoms=TWO), x=(3, 2, 4), clip=CLIP)
    w_x, w_h, b = it.blobs()
    other = subject(
        'layer { name: "l" type: "LSTM" bottom: "x" bottom: "c" top: "y" recurrent_param { num_output: 2 } }',
        x=(3, 2, 4),
        c=CLIP.view(3, 2),
    )
    (expected,) = other.layer.forward([it.bottoms()[0], CLIP.view(3, 2)], [w_x, b, w_h], other.run())
    torch.testing.assert_close(it.forward()[0], expected)


def test_states_go_on_only_with_a_second_bottom() -> None:
    x, ones = values((3, 2, 4)), torch.ones(6)
    for bottoms, goes_on in ((TWO, True), ('bottom: "x"', False)):
        it = subject(layer(bottoms=bottoms), **{"x": x, "clip": ones} if goes_on else {"x": x})
        run = it.run()
        first, second = (it.layer.forward(it.bottoms(), it.blobs(), run)[0] for _ in range(2))
        assert torch.equal(first, second) is not goes_on
        assert type(it.layer).remembers(it.layer.param) is goes_on


def test_gradients_of_gates_are_kept_within_the_threshold() -> None:
    x, dy = torch.ones(1, 1, 1), torch.full((1, 1, 2), 100.0)
    free, bound = (gradients(layer(fields), dy, x=x)[1:] for fields in ("", "clipping_threshold: 0.5"))
    bias_free, bias_bound = free[-1], bound[-1]
    assert bias_free.abs().max() > 1
    torch.testing.assert_close(bias_bound, bias_free.clamp(-0.5, 0.5))


def test_flops() -> None:
    it = subject(layer(), x=(3, 2, 5))
    assert it.layer.flops([(3, 2, 5)], [(3, 2, 2)]) == 2 * 3 * 2 * (8 * 5 + 8 * 2)


@pytest.mark.parametrize(
    ("text", "x", "clip", "message"),
    [
        (layer(num_output=0), (3, 2, 4), (6,), "num_output is 0"),
        (layer(bottoms=TWO), (3, 2, 4), (9,), "bottom 1 is (9,); needed: (6,), one number for each stream of each time step"),
        (layer(bottoms=TWO), (3, 2, 4), (3, 2), "bottom 1 is (3, 2); needed: (6,)"),
        (layer("batch_size: 4"), (6, 4), (6,), "bottom 0 is (6, 4) and batch_size 4; needed: a multiple"),
        (layer("batch_size: 0"), (6, 4), (6,), "batch_size 0"),
        (layer(), (0, 2, 4), (6,), "needed: at least 1 time step"),
    ],
)
def test_refusals(text: str, x: tuple[int, ...], clip: tuple[int, ...], message: str) -> None:
    assert message in refusal(text, x=x, clip=clip)
