"""MultiBoxLoss."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import blind, check_layer, gradients, refusal, tops, values

BOXES = torch.tensor([[0.0, 0, 0.4, 0.4], [0, 0, 0.4, 0.5], [0.5, 0.5, 0.9, 0.9], [0.6, 0.6, 1, 1]])
PRIORS = torch.stack((BOXES.flatten(), torch.tensor([0.1, 0.1, 0.2, 0.2]).repeat(4))).unsqueeze(0)
OBJECTS = torch.tensor([[0, 1, 0, 0, 0, 0.4, 0.42, 0], [1, 2, 0, 0.5, 0.5, 0.8, 0.8, 1]])[None, None]
NO_OBJECT = torch.full((1, 1, 1, 8), -1.0)


def layer(fields: str = "", rest: str = "") -> str:
    return f"""layer {{ name: "l" type: "MultiBoxLoss" bottom: "o" bottom: "s" bottom: "p" bottom: "g" top: "y" {rest}
                multibox_loss_param {{ num_classes: 3 {fields} }} }}"""


def bottoms(classes: int = 1) -> dict[str, torch.Tensor]:
    return {"o": values((2, 16 * classes), 1), "s": values((2, 12), 2), "p": PRIORS, "g": OBJECTS}


@pytest.mark.parametrize(
    "fields",
    [
        "",
        "code_type: CENTER_SIZE loc_weight: 2 mining_type: HARD_EXAMPLE sample_size: 3",
        "loc_loss_type: L2 conf_loss_type: LOGISTIC neg_pos_ratio: 1",
        "mining_type: NONE",
        "do_neg_mining: false code_type: CORNER_SIZE",
        "use_prior_for_matching: false",
        "map_object_to_agnostic: true mining_type: NONE",
        "bp_inside: true ignore_cross_boundary_bbox: true use_difficult_gt: false",
    ],
)
def test_layer(fields: str) -> None:
    check_layer(layer(fields), **bottoms())


@pytest.mark.parametrize("matching", ["true", "false"])
def test_locations_for_each_class(matching: str) -> None:
    check_layer(layer(f"share_location: false mining_type: NONE use_prior_for_matching: {matching}"), **bottoms(3))


def test_variances_in_the_target_do_not_scale_the_gradient() -> None:
    check_layer(layer("encode_variance_in_target: true"), no_gradcheck="as in SSD", **bottoms())


def test_logistic_without_mining_misplaces_the_targets_of_the_second_picture() -> None:
    check_layer(layer("mining_type: NONE conf_loss_type: LOGISTIC"), **bottoms())


@pytest.mark.parametrize("background", [0, 2, 9])
def test_logistic_takes_the_label_of_the_background_for_the_target_of_what_is_not_there(background: int) -> None:
    """As in SSD; a background beyond the classes is the target of none."""
    given = bottoms() | {"o": torch.zeros(2, 16), "g": torch.tensor([[[[0, 1, 0, 0, 0, 0.4, 0.5, 0.0]]]])}
    text = layer(f"overlap_threshold: 0.9 neg_pos_ratio: 3 conf_loss_type: LOGISTIC background_label_id: {background}")
    targets = torch.full((3, 3), float(background))
    targets[0, 1] = 1
    targets[1:, background:][:, :1] = 1
    wanted = F.binary_cross_entropy_with_logits(given["s"].reshape(2, 4, 3)[0, 1:], targets, reduction="sum")
    torch.testing.assert_close(tops(text, **given)[0], wanted)


def test_one_match() -> None:
    """Prior 1 covers the object best; with two negatives and a loss of 0 of the location the rest is softmax loss."""
    given = bottoms() | {"o": torch.zeros(2, 16), "g": torch.tensor([[[[0, 1, 0, 0, 0, 0.4, 0.5, 0.0]]]])}
    text = layer("overlap_threshold: 0.9 neg_pos_ratio: 3")
    scores = given["s"].reshape(2, 4, 3)[0]
    wanted = F.cross_entropy(scores, torch.tensor([0, 1, 0, 0]), reduction="none")
    negatives = wanted[[2, 3]].sum()  # prior 0 overlaps too much
    torch.testing.assert_close(tops(text, **given)[0], wanted[1] + negatives)


@pytest.mark.parametrize(("mode", "divisor"), [("VALID", 2), ("FULL", 8), ("BATCH_SIZE", 2), ("NONE", 1)])
def test_divisor(mode: str, divisor: int) -> None:
    plain = tops(layer("overlap_threshold: 0.99", "loss_param { normalization: NONE }"), **bottoms())[0]
    torch.testing.assert_close(
        tops(layer("overlap_threshold: 0.99", f"loss_param {{ normalization: {mode} }}"), **bottoms())[0], plain / divisor
    )


def test_a_part_that_does_not_propagate_down_is_left_out() -> None:
    whole, location, confidence = (
        tops(layer(rest="".join(f" propagate_down: {down}" for down in (first, second, "false", "false"))), **bottoms())[0]
        for first, second in (("true", "true"), ("true", "false"), ("false", "true"))
    )
    torch.testing.assert_close(location + confidence, whole)


def test_objects_of_all_labels_teach_the_class_behind_the_background() -> None:
    text = layer("map_object_to_agnostic: true").replace("num_classes: 3", "num_classes: 2")
    given = bottoms() | {"s": values((2, 8), 2)}
    same = given | {"g": OBJECTS.where(torch.arange(8) != 1, torch.ones(()))}
    assert torch.equal(tops(text, **given)[0], tops(layer().replace("num_classes: 3", "num_classes: 2"), **same)[0])


def test_a_probability_counts_as_no_less_than_the_least_float() -> None:
    given = bottoms() | {"o": torch.zeros(2, 16), "s": torch.tensor([200.0, 0, 0]).repeat(2, 4)}
    (loss,) = tops(layer("loc_weight: 0 mining_type: NONE overlap_threshold: 0.99", "loss_param { normalization: NONE }"), **given)
    assert loss == pytest.approx(2 * 87.33654)


def test_without_objects_there_is_nothing_to_learn() -> None:
    given = bottoms() | {"g": NO_OBJECT}
    assert tops(layer(), **given)[0] == 0
    assert all(gradient.abs().sum() == 0 for gradient in gradients(layer(), **given))


def staged(fields: str = "", rest: str = "") -> str:
    """Behind RefineDet's first stage: scores a, offsets b."""
    return layer(f"objectness_score: 0.4 {fields}", rest).replace('bottom: "g"', 'bottom: "g" bottom: "a" bottom: "b"')


LIKELY = torch.tensor([[0.5, 0.5], [0.3, 0.7], [0.9, 0.1], [0.6, 0.4]]).flatten().expand(2, 8).contiguous()
DOWN = "propagate_down: true propagate_down: true" + " propagate_down: false" * 4


@pytest.mark.parametrize(
    "fields",
    [
        "",
        "code_type: CENTER_SIZE mining_type: HARD_EXAMPLE sample_size: 2",
        "mining_type: NONE bp_inside: true",
        "use_prior_for_matching: false bp_inside: true",
        "share_location: true encode_variance_in_target: false code_type: CORNER_SIZE mining_type: NONE",
    ],
)
def test_layer_behind_a_first_stage(fields: str) -> None:
    check_layer(staged(fields, DOWN), **bottoms(), a=LIKELY, b=values((2, 16), 3) / 4)


@pytest.mark.parametrize("code", ["CORNER", "CENTER_SIZE"])
def test_priors_are_matched_and_learn_as_a_first_stage_has_moved_them(code: str) -> None:
    """As if PriorBox had made the moved ones."""
    steps = values((16,), 3) / 4
    offsets, boxes, sides = steps.reshape(4, 4) * PRIORS[0, 1].reshape(4, 4), BOXES, BOXES[:, 2:] - BOXES[:, :2]
    if code == "CORNER":
        moved = boxes + offsets
    else:
        centers, half = (boxes[:, :2] + boxes[:, 2:]) / 2 + offsets[:, :2] * sides, offsets[:, 2:].exp() * sides / 2
        moved = torch.cat((centers - half, centers + half), 1)
    fields = f"code_type: {code} mining_type: NONE overlap_threshold: 0.3"
    given = bottoms() | {"g": OBJECTS.where(torch.arange(8) != 7, torch.zeros(()))}
    behind = given | {"a": LIKELY, "b": steps.expand(2, 16).contiguous()}
    alone = given | {"p": torch.stack((moved.flatten(), PRIORS[0, 1])).unsqueeze(0)}
    torch.testing.assert_close(tops(staged(fields), **behind)[0], tops(layer(fields), **alone)[0])
    for ours, wanted in zip(gradients(staged(fields), **behind)[:2], gradients(layer(fields), **alone)[:2]):
        torch.testing.assert_close(ours, wanted)
    assert tops(layer(fields), **given)[0] != tops(layer(fields), **alone)[0]


def test_only_where_a_first_stage_saw_something_is_a_negative_learnt() -> None:
    """Of priors 2 and 3, which no object overlaps, prior 2 has 0.1 for an object."""
    given = bottoms() | {"o": torch.zeros(2, 16), "g": torch.tensor([[[[0, 1, 0, 0, 0, 0.4, 0.5, 0.0]]]])}
    text = staged("overlap_threshold: 0.9 neg_pos_ratio: 3")
    wanted = F.cross_entropy(given["s"].reshape(2, 4, 3)[0], torch.tensor([0, 1, 0, 0]), reduction="none")
    torch.testing.assert_close(tops(text, **given, a=LIKELY, b=torch.zeros(2, 16))[0], wanted[1] + wanted[3])


def test_objects_of_all_labels_are_one_class_in_a_first_stage() -> None:
    two = layer().replace("num_classes: 3", "num_classes: 2 objectness_score: 0.01")
    given = bottoms() | {"s": values((2, 8), 2), "g": OBJECTS.where(torch.arange(8) != 1, torch.full((), 17.0))}
    same = given | {"g": OBJECTS.where(torch.arange(8) != 1, torch.ones(()))}
    assert torch.equal(tops(two, **given)[0], tops(two.replace("objectness_score: 0.01", ""), **same)[0])
    assert "an object of picture 0 has label 17" in refusal(two.replace("objectness_score: 0.01", ""), **given)


@pytest.mark.parametrize(
    "fields",
    [
        "overlap_threshold: 0.3",
        "overlap_threshold: 0.3 neg_overlap: 0.2 neg_pos_ratio: 1 use_difficult_gt: false code_type: CENTER_SIZE",
        "mining_type: HARD_EXAMPLE sample_size: 5 bp_inside: true code_type: CORNER_SIZE",
        "mining_type: HARD_EXAMPLE sample_size: 3 encode_variance_in_target: true loc_loss_type: L2 conf_loss_type: LOGISTIC",
        "use_prior_for_matching: false overlap_threshold: 0.3 bp_inside: true",
        "mining_type: NONE share_location: false overlap_threshold: 0.2 ignore_cross_boundary_bbox: true",
        "mining_type: NONE share_location: false overlap_threshold: 0.2 use_prior_for_matching: false conf_loss_type: LOGISTIC",
        "mining_type: NONE match_type: BIPARTITE conf_loss_type: LOGISTIC use_difficult_gt: false",
        "map_object_to_agnostic: true overlap_threshold: 0.3 ignore_cross_boundary_bbox: true",
    ],
)
def test_without_looking_at_values_it_computes_the_same(fields: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of random objects, some difficult, some equal, some the same as priors, in pictures with many, one, none, and difficult ones only."""
    generator = torch.Generator().manual_seed(5)
    priors = torch.rand(30, 2, 2, generator=generator).sort(1).values.flatten(1) * 1.1
    rows = torch.zeros(16, 8)
    rows[:, 0] = torch.tensor([0.0, 0, 0, 0, 0, 0, 1, 3, 3, -1, 0, -1, 0, 0, 0, -1])
    rows[:, 1] = torch.randint(1, 3, (16,), generator=generator)
    rows[:, 3:7] = priors[torch.randint(0, 30, (16,), generator=generator)] / 1.1
    rows[4, 3:7], rows[5, 3:7], rows[6, 3:7] = rows[3, 3:7], priors[7], priors[8]
    rows[7:9, 7] = rows[2, 7] = 1
    shared = "share_location: false" not in fields
    given = {
        "o": torch.randn(4, 30 * 4 * (1 if shared else 3), generator=generator),
        "s": torch.randn(4, 90, generator=generator).round(decimals=1),  # so that losses are equal
        "p": torch.stack((priors.flatten(), torch.tensor([0.1, 0.1, 0.2, 0.2]).repeat(30))).unsqueeze(0),
        "g": rows.view(1, 1, 16, 8),
    }
    wanted = [tops(layer(fields), **given)[0], *gradients(layer(fields), **given)]
    none = given | {"g": torch.full((1, 1, 2, 8), -1.0)}
    nothing = [tops(layer(fields), **none)[0], *gradients(layer(fields), **none)]
    assert wanted[0] > 0
    blind(monkeypatch)
    for ours, other in zip([tops(layer(fields), **given)[0], *gradients(layer(fields), **given)], wanted, strict=True):
        torch.testing.assert_close(ours, other)
    for ours, other in zip([tops(layer(fields), **none)[0], *gradients(layer(fields), **none)], nothing, strict=True):
        torch.testing.assert_close(ours, other)


def test_refusals() -> None:
    for name in ("neg_pos_ratio", "neg_overlap", "overlap_threshold"):
        assert f"{name} is nan; needed: a finite number" in refusal(layer(f"{name}: nan"), **bottoms())
    assert "share_location is false with mining" in refusal(layer("share_location: false"), **bottoms(3))
    for fields, message in (
        ("do_neg_mining: true mining_type: NONE", "do_neg_mining and mining_type contradict one another"),
        ("mining_type: HARD_EXAMPLE sample_size: 0", "sample_size is 0; needed: at least 1"),
        ("background_label_id: 3", "background_label_id is 3; needed: 0 to 2 for SOFTMAX"),
        ("map_object_to_agnostic: true background_label_id: 2", "map_object_to_agnostic needs class 3"),
    ):
        assert message in refusal(layer(fields), **bottoms())
    assert "bottom 0 is (2, 12); needed: (N, 16)" in refusal(layer(), **bottoms() | {"o": torch.zeros(2, 12)})
    assert "bottom 3 is (1, 2, 8)" in refusal(layer(), **bottoms() | {"g": torch.zeros(1, 2, 8)})
    bad = torch.tensor([[[[0, 3, 0, 0, 0, 0.4, 0.5, 0.0]]]])
    assert "an object of picture 0 has label 3" in refusal(layer(), **bottoms() | {"g": bad})
    first = {"a": LIKELY, "b": torch.zeros(2, 16)}
    assert "bottom 4 is (2, 4); needed: (2, 8)" in refusal(staged(), **bottoms(), **first | {"a": torch.zeros(2, 4)})
    assert "bottom 5 is (2, 8); needed: (2, 16)" in refusal(staged(), **bottoms(), **first | {"b": torch.zeros(2, 8)})
    assert "nms_param is given beside scores of a first stage" in refusal(staged("nms_param { nms_threshold: 0.5 }"), **bottoms(), **first)
