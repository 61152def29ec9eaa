"""What LSTM and RNN share: a state that goes from pass to pass."""

from __future__ import annotations

import copy

import pytest
import torch

from tests.layers.check import subject

KINDS = pytest.mark.parametrize("kind", ["LSTM", "RNN"])


def layer(kind: str, fields: str = "") -> str:
    return f"""layer {{ name: "l" type: "{kind}" bottom: "x" bottom: "cont" top: "y" {fields}
               recurrent_param {{ num_output: 2 weight_filler {{ type: "uniform" min: -1 max: 1 }} }} }}"""


@KINDS
def test_the_state_goes_on_in_the_next_pass(kind: str) -> None:
    both, half = subject(layer(kind), x=(4, 2, 3), cont=(4, 2)), subject(layer(kind), x=(2, 2, 3), cont=(2, 2))
    x, cont = both.bottoms()[0], torch.ones(4, 2)
    (wanted,) = both.layer.forward([x, cont], both.blobs(), both.run())
    run = half.run()
    parts = [half.layer.forward([x[t : t + 2], cont[:2]], both.blobs(), run)[0] for t in (0, 2)]
    torch.testing.assert_close(torch.cat(parts), wanted)


@KINDS
def test_of_fewer_streams_the_first_go_on(kind: str) -> None:
    it, run = subject(layer(kind), x=(2, 3, 4), cont=(2, 3)), subject(layer(kind), x=(2, 3, 4), cont=(2, 3)).run()
    x, cont = it.bottoms()[0], torch.ones(2, 3)
    first, one = it.layer.forward([x, cont], it.blobs(), run)[0], copy.deepcopy(run.state)
    (wanted,) = it.layer.forward([x, cont], it.blobs(), run)
    run.state = one
    (found,) = it.layer.forward([x[:, :2], cont[:, :2]], it.blobs(), run)
    torch.testing.assert_close(found, wanted[:, :2])
    assert not torch.allclose(found, first[:, :2])
    (anew,) = it.layer.forward([x, cont], it.blobs(), run)
    torch.testing.assert_close(anew, first)


@KINDS
def test_parameters_that_do_not_learn_have_gradients_beside_others(kind: str) -> None:
    """They count in the length by which gradients are clipped."""
    it = subject(layer(kind, "param { lr_mult: 0 }"), x=(2, 3, 4), cont=(2, 3))
    assert it.node.param_gradients == (True,) * len(it.node.params)
