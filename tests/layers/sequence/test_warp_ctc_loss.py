"""CtcLoss."""

from __future__ import annotations

import itertools

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops, values

STEPS, SEQUENCES, CLASSES = 4, 3, 3


def layer(fields: str = "", *, steps: int = STEPS, blank: int = 2, rest: str = "") -> str:
    return (
        f'layer {{ name: "l" type: "CtcLoss" bottom: "x" bottom: "t" top: "y" {rest} '
        f"ctc_loss_param {{ alphabet_size: {CLASSES} time_step: {steps} blank_label: {blank} {fields} }} }}"
    )


def cost(x: torch.Tensor, sequence: list[int], blank: int) -> torch.Tensor:
    """Minus the log of the sum over all ways, one by one, of scores (T, C)."""
    logs, total = x.log_softmax(1), torch.zeros(())
    for way in itertools.product(range(x.shape[1]), repeat=len(x)):
        if [c for i, c in enumerate(way) if c != blank and not (i and c == way[i - 1])] == sequence:
            total = total + logs[range(len(x)), way].sum().exp()
    return -total.log()


@pytest.mark.usefixtures("looked_at")
def test_one_sequence() -> None:
    check_layer(layer(), x=(STEPS, 1, CLASSES), t=[[0, 0, 2]])
    check_layer(layer(steps=3, blank=0), x=(STEPS, 1, CLASSES, 1), t=[[1, 2]])


@pytest.mark.usefixtures("looked_at")
def test_several_sequences() -> None:
    check_layer(layer(), no_gradcheck="it is that of the sum, not of the mean", x=(STEPS, SEQUENCES, CLASSES), t=[[0, 1], [1, 1], [2, 2]])


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize(("steps", "blank"), [(STEPS, 2), (3, 2), (STEPS, 0)])
def test_the_ways_to_emit_the_sequences_add_up(steps: int, blank: int) -> None:
    """Blanks among the labels do not count; steps behind time_step have no part in it."""
    x = values((STEPS, SEQUENCES, CLASSES)).requires_grad_()
    labels = [[0, 0, 2], [2, 1, 2], [2, 2, 0 if blank == 0 else 2]]
    total = torch.stack([cost(x[:steps, n], [c for c in row if c != blank], blank) for n, row in enumerate(labels)]).sum()
    given = {"x": x.detach(), "t": labels}
    torch.testing.assert_close(tops(layer(steps=steps, blank=blank), **given)[0], total.detach() / SEQUENCES)
    wanted = torch.autograd.grad(total, x)[0]
    torch.testing.assert_close(gradients(layer(steps=steps, blank=blank), **given)[0], wanted)
    torch.testing.assert_close(gradients(layer(steps=steps, blank=blank), [0.25], **given)[0], wanted / 4)


@pytest.mark.usefixtures("looked_at")
def test_too_many_labels_count_as_nothing() -> None:
    """Two that are the same need a blank between them."""
    given = {"x": values((STEPS, 1, CLASSES)), "t": [[1, 1]]}
    assert tops(layer(steps=3), **given)[0] > 0
    assert tops(layer(steps=2), **given)[0] == 0
    assert not gradients(layer(steps=2), **given)[0].any()


def test_refusals() -> None:
    x = (STEPS, 1, CLASSES)
    assert "label 3 found; needed: 0 to 2" in refusal(layer(), x=x, t=[[3]])
    assert "label -1 found; needed: 0 to 2" in refusal(layer(), x=x, t=[[0, -1]])
    assert "blank_label is 3 and alphabet_size 3; needed: a class below" in refusal(layer(blank=3), x=x, t=[[0]])
    assert "time_step is 5; needed: 1 to 4" in refusal(layer(steps=5), x=x, t=[[0]])
    assert "time_step is 0; needed: 1 to 4" in refusal(layer(steps=0), x=x, t=[[0]])
    assert "bottom 0 is (4, 1, 2); needed: (time steps, sequences, 3)" in refusal(layer(), x=(4, 1, 2), t=[[0]])
    assert "bottom 1 is (2, 1); needed: (1, labels)" in refusal(layer(), x=x, t=[[0], [1]])
    assert "blank_index is a field of CTCLoss; needed: alphabet_size" in refusal(layer("blank_index: 1"), x=x, t=[[0]])
    other = 'layer { name: "l" type: "CTCLoss" bottom: "x" bottom: "c" bottom: "t" top: "y" ctc_loss_param { blank_label: 2 } }'
    assert "'CTCLossParameter.blank_label' is not BVLC Caffe's (fork: xmfbit/warpctc-caffe)" in refusal(other, x=x, c=(4, 1), t=(2, 1))


def test_a_batch_without_a_label() -> None:
    """One sequence of several may have none."""
    given = {"x": values((STEPS, 2, CLASSES))}
    assert tops(layer(), t=[[2, 2], [0, 2]], **given)[0] > 0
    assert "bottom 1 has no label but blanks (2); needed: at least one in a batch" in refusal(layer(), t=[[2, 2], [2, 2]], **given)
