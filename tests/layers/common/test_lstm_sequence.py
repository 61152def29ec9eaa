"""LSTM in one call beside LSTM step by step."""

# T time steps, N streams, D elements of an input, H num_output

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from caffepy.layers.common import lstm_sequence
from caffepy.layers.common.lstm_sequence import runs_of
from tests.layers.check import gradients, tops, values

T, N, D, H = 9, 3, 4, 5
FILLERS = 'weight_filler { type: "gaussian" std: 0.5 } bias_filler { type: "gaussian" std: 0.5 }'
TEXT = f'layer {{ name: "l" type: "LSTM" bottom: "x" bottom: "cont" top: "y" recurrent_param {{ num_output: {H} {FILLERS} }} }}'


def cont(*begins: tuple[int, int]) -> Tensor:
    """1, but 0 in the first time step and at these steps of these streams."""
    made = torch.ones(T, N)
    made[0] = 0
    for step, stream in begins:
        made[step, stream] = 0
    return made


def test_runs_end_where_a_sequence_begins() -> None:
    assert runs_of(cont()) == [0]
    assert runs_of(cont((4, 1))) == [0, 4]
    assert runs_of(cont((4, 1), (6, 0))) is None  # too short
    assert runs_of(cont() * 0.5) is None


@pytest.mark.parametrize("begins", [[], [(5, 1)]])
def test_one_call_computes_what_the_steps_compute(begins: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = {"x": values((T, N, D)), "cont": cont(*begins)}
    diff = values((T, N, H), 1)
    made: dict[bool, list[Tensor]] = {}
    for onednn in (True, False):
        monkeypatch.setattr(lstm_sequence, "_has_onednn", lambda has=onednn: has)
        made[onednn] = [*tops(TEXT, **blobs), *gradients(TEXT, diff, **blobs)]
    assert any(not torch.equal(a, b) for a, b in zip(made[True], made[False], strict=True))
    torch.testing.assert_close(made[True], made[False], rtol=1e-4, atol=1e-5)
