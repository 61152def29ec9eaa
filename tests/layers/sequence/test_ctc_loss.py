"""CTCLoss."""

from __future__ import annotations

import itertools

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, gradients, refusal, tops, values

STEPS, SEQUENCES, CLASSES = 4, 2, 3


def layer(fields: str = "", rest: str = "") -> str:
    return f'layer {{ name: "l" type: "CTCLoss" bottom: "x" bottom: "c" bottom: "t" top: "y" {rest} ctc_loss_param {{ {fields} }} }}'


UNSCALED = "nothing that comes from above scales the gradient"


def begins(*lengths: int) -> torch.Tensor:
    """Indicators (T, N) for sequences of these lengths."""
    marks = torch.ones(STEPS, len(lengths))
    marks[0] = 0
    for n, length in enumerate(lengths):
        marks[length : length + 1, n] = 0
    return marks


def labels(*sequences: list[int]) -> torch.Tensor:
    found = torch.full((STEPS, len(sequences)), -1.0)
    for n, row in enumerate(sequences):
        found[: len(row), n] = torch.tensor(row, dtype=torch.float32)
    return found


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("fields", ["", "blank_index: 0", "ctc_merge_repeated: false", "preprocess_collapse_repeated: true"])
def test_one_sequence(fields: str) -> None:
    given = [1, 1] if "blank" not in fields else [1, 2]
    check_layer(layer(fields), no_gradcheck=UNSCALED, x=(STEPS, 1, CLASSES), c=begins(STEPS), t=labels(given))


@pytest.mark.usefixtures("looked_at")
def test_several_sequences() -> None:
    check_layer(layer(), no_gradcheck=UNSCALED, x=(STEPS, SEQUENCES, CLASSES, 1), c=begins(4, 3), t=labels([0, 1], [1]))


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("sequence", [[0], [0, 1], [1, 1], [0, 0]])
def test_the_ways_to_emit_a_sequence_add_up(sequence: list[int], merge: bool) -> None:
    x = values((STEPS, 1, CLASSES)).requires_grad_()
    logs, total = x[:, 0].log_softmax(1), torch.zeros(())
    for way in itertools.product(range(CLASSES), repeat=STEPS):
        emitted = [c for i, c in enumerate(way) if c != CLASSES - 1 and not (merge and i and c == way[i - 1])]
        if emitted == sequence:
            total = total + logs[range(STEPS), way].sum().exp()
    text, given = layer(f"ctc_merge_repeated: {str(merge).lower()}"), {"x": x.detach(), "c": begins(STEPS), "t": labels(sequence)}
    wanted = -total.log()
    torch.testing.assert_close(tops(text, **given)[0], wanted.detach())
    torch.testing.assert_close(gradients(text, **given)[0], torch.autograd.grad(wanted, x)[0])


@pytest.mark.usefixtures("looked_at")
def test_it_is_torchs_with_the_sum_by_the_number_of_sequences() -> None:
    x = values((STEPS, SEQUENCES, CLASSES))
    wanted = F.ctc_loss(x.log_softmax(2), torch.tensor([[0, 1], [1, 0]]), [4, 3], [2, 1], blank=2, reduction="sum") / SEQUENCES
    torch.testing.assert_close(tops(layer(), x=x, c=begins(4, 3), t=labels([0, 1], [1]))[0], wanted)


@pytest.mark.usefixtures("looked_at")
def test_the_loss_weight_does_not_scale_the_gradient() -> None:
    given = {"x": values((STEPS, SEQUENCES, CLASSES)), "c": begins(4, 3), "t": labels([0, 1], [1])}
    one, other = (gradients(layer(), [weight], **given)[0] for weight in (1, 0.25))
    assert torch.equal(one, other)
    assert one[3, 1].abs().sum() == 0


@pytest.mark.usefixtures("looked_at")
def test_time_steps_before_the_delay_are_passed_over() -> None:
    x, rest = values((STEPS, 1, CLASSES)), {"t": labels([0, 1])}
    delayed = layer("output_delay: 1")
    gradient = gradients(delayed, x=x, c=begins(4), **rest)[0]
    assert gradient[0].abs().sum() == 0
    later = {"x": x[1:], "c": begins(3)[:3], "t": rest["t"][:3]}
    torch.testing.assert_close(gradient[1:], gradients(layer(), **later)[0])
    assert tops(delayed, x=x, c=begins(4), **rest)[0] == tops(layer(), **later)[0]


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("null", [2, 7])
def test_blanks_and_what_is_no_class_end_a_sequence(null: int) -> None:
    given = {"x": values((STEPS, 1, CLASSES)), "c": begins(4)}
    assert tops(layer(), **given, t=labels([0, null, null]))[0] == tops(layer(), **given, t=labels([0]))[0]
    nothing = -given["x"].log_softmax(2)[:, 0, 2].sum()
    torch.testing.assert_close(tops(layer(), **given, t=labels([null]))[0], nothing)


@pytest.mark.usefixtures("looked_at")
def test_labels_that_need_more_time_than_there_is_cost_infinitely_much_and_pull_all_scores_down() -> None:
    given = {"x": values((STEPS, SEQUENCES, CLASSES)), "c": begins(2, 4), "t": labels([1, 1], [0])}
    assert tops(layer(), **given)[0] == torch.inf
    gradient = gradients(layer(), **given)[0]
    torch.testing.assert_close(gradient[:2, 0], given["x"][:2, 0].softmax(1))
    assert gradient[2:, 0].abs().sum() == 0
    torch.testing.assert_close(gradient[:, 1], gradients(layer(), **given | {"t": labels([1], [0])})[0][:, 1])
    assert tops(layer("ctc_merge_repeated: false"), **given)[0].isfinite()


@pytest.mark.usefixtures("looked_at")
def test_labels_are_rounded() -> None:
    given = {"x": values((STEPS, 1, CLASSES)), "c": begins(4)}
    near = torch.tensor([[0.3], [0.6], [-0.1], [-1]])
    assert tops(layer(), **given, t=near)[0] == tops(layer(), **given, t=labels([0, 1]))[0]


@pytest.mark.usefixtures("looked_at")
def test_a_sequence_without_labels_is_passed_over() -> None:
    given = {"x": values((STEPS, SEQUENCES, CLASSES)), "c": begins(4, 4)}
    assert gradients(layer(), **given, t=labels([], [1]))[0][:, 0].abs().sum() == 0
    assert tops(layer(), **given, t=labels([], []))[0] == 0


def test_refusals() -> None:
    x = (STEPS, 1, CLASSES)
    assert "sequence 0 has 2 labels and 1 time steps" in refusal(layer(), x=x, c=begins(1), t=labels([0, 1]))
    assert "label 2 before 1; needed: 0 to 2 other than the blank, 2" in refusal(layer(), x=x, c=begins(4), t=labels([0, 2, 1]))
    assert "blank_index is 3" in refusal(layer("blank_index: 3"), x=x, c=begins(4), t=labels([0]))
    assert "has 2 labels and 1 time steps" in refusal(layer("output_delay: 3"), x=x, c=begins(4), t=labels([0, 1]))
    assert "output_delay is -1" in refusal(layer("output_delay: -1"), x=x, c=begins(4), t=labels([0]))
    assert "bottom 1 is (4, 2); needed: (4, 1)" in refusal(layer(), x=x, c=(4, 2), t=labels([0]))
    assert "bottom 2 is (4, 2)" in refusal(layer(), x=x, c=begins(4), t=(4, 2))
