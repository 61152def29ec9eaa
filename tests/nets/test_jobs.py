"""The loops by hand that nets of boxes and of sequences are measured by compute what these nets compute."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import tops
from tools.bench.batches import inputs
from tools.bench.box_models import FasterRCNN
from tools.bench.boxes_nets import ANCHORS, COLUMNS, PROPOSAL, ROWS
from tools.bench.candidate import Candidate
from tools.bench.jobs import JOBS
from tools.bench.loops import Loop

STEPS = 3


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("name", JOBS)
def test_the_loop_by_hand_has_the_losses_of_the_net(name: str, channels_last: bool) -> None:
    batches = inputs(name, 1 if name == "faster" else 2)
    ours = Candidate(name, batches, divide=16)
    loop = Loop(name, channels_last=channels_last, divide=16)
    loop.load([parameter.detach().clone() for parameter in ours.parameters()])
    losses: list[float] = []
    ours.steps(STEPS, losses.append)
    by_hand = [loop.step(*batches[i % len(batches)]) for i in range(STEPS)]
    assert by_hand == pytest.approx(losses, rel=1e-4)
    assert len({round(loss, 3) for loss in losses}) == STEPS


def test_the_proposals_by_hand_are_the_layers() -> None:
    generator = torch.Generator().manual_seed(1)
    scores = torch.rand(1, 2 * ANCHORS, ROWS, COLUMNS, generator=generator)
    moved = torch.randn(1, 4 * ANCHORS, ROWS, COLUMNS, generator=generator) / 10
    picture = torch.tensor([[600.0, 1000, 1.6, 1.6]])
    text = f'layer {{ name: "l" type: "Proposal" bottom: "s" bottom: "o" bottom: "p" top: "y" {PROPOSAL} }}'
    (regions,) = tops(text, s=scores, o=moved, p=picture)
    found = FasterRCNN(16).proposals(scores[0, ANCHORS:], moved, picture)
    assert len(found) == 300
    torch.testing.assert_close(found, regions[:, 1:], rtol=1e-4, atol=1e-3)
