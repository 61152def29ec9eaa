"""What LSTM and RNN share: a state that goes from pass to pass."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import subject


@pytest.mark.parametrize("kind", ["LSTM", "RNN"])
def test_the_state_goes_on_in_the_next_pass(kind: str) -> None:
    layer = f"""layer {{ name: "l" type: "{kind}" bottom: "x" bottom: "cont" top: "y"
                recurrent_param {{ num_output: 2 weight_filler {{ type: "uniform" min: -1 max: 1 }} }} }}"""
    both, half = subject(layer, x=(4, 2, 3), cont=(4, 2)), subject(layer, x=(2, 2, 3), cont=(2, 2))
    x, cont = both.bottoms()[0], torch.ones(4, 2)
    (wanted,) = both.layer.forward([x, cont], both.blobs(), both.run())
    run = half.run()
    parts = [half.layer.forward([x[t : t + 2], cont[:2]], both.blobs(), run)[0] for t in (0, 2)]
    torch.testing.assert_close(torch.cat(parts), wanted)
