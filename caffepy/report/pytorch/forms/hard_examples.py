"""Forms of R-FCN's layers that choose hard examples."""

from __future__ import annotations

from caffepy.layers.common.loss import BATCH_SIZE, NONE, PRE_FIXED, normalization_mode
from caffepy.layers.core.base import count
from caffepy.report.pytorch.forms.losses import cross_entropy
from caffepy.report.pytorch.helpers import hard_examples as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import number


@form("SmoothL1LossOHEM")
def smooth_l1_loss_ohem(at: Site) -> list[Form]:
    """The loss, and that of each box."""
    texts = []
    for i, shape in enumerate(at.bottoms):
        texts.append(f"{{{i}}}" if shape == at.bottoms[0] else f"{{{i}}}.reshape({{0}}.shape)")
    each = f"box_losses({', '.join(texts)})"
    ones = "[..., None, None]" if at.axes == 2 else "[..., None]" if at.axes == 3 else ""
    called = (helpers.box_losses,)
    forms = [
        Form(f"{each}.sum(){_divided(at)}", helpers=called),
        Form(f"{each}.detach(){ones}", helpers=called),
    ]
    return forms[: len(at.tops)]


def _divided(at: Site) -> str:
    """What follows the sum: a division by boxes, items, a number or nothing."""
    p = at.param.loss_param
    mode = normalization_mode(p)
    inner = count(at.bottoms[0], 2)
    if mode == NONE:
        return ""
    if mode == PRE_FIXED:
        return f" / {number(max(1.0, p.pre_fixed_normalizer))}"
    if mode == BATCH_SIZE or inner == 1:
        return " / {0}.shape[0]"
    return f" / ({{0}}.shape[0] * {inner})"


@form("SoftmaxWithLossOHEM")
def softmax_loss_ohem(at: Site) -> Form | list[Form]:
    """SoftmaxWithLoss's; with three tops the second is zeros, as in the fork."""
    if at.layer.ignore is not None:
        raise at.fail("ignore_label, with which its loss leaves some labels out; needed: none")
    loss = cross_entropy(at)
    if len(at.tops) < 2:
        return loss
    if len(at.tops) < 3:
        return [loss, Form(f"torch.softmax({{0}}.detach(), {at.layer.axis})")]
    axis = at.layer.axis
    index = f"{{1}}.reshape(*{{0}}.shape[:{axis}], 1, *{{0}}.shape[{axis + 1}:]).long()"
    each = f"-torch.log_softmax({{0}}.detach(), {axis}).gather({axis}, {index})"
    return [loss, Form("torch.zeros_like({0})"), Form(f"({each}).reshape({{1}}.shape)")]


@form("BoxAnnotatorOHEM")
def box_annotator_ohem(at: Site) -> list[Form]:
    """Labels and weights of hard boxes; other labels are ignored, other weights 0."""
    p = at.param.box_annotator_ohem_param
    chosen = f"hard_boxes({{0}}, {{1}}, {p.roi_per_img})"
    called = (helpers.hard_boxes,)
    weights = (
        "{3}"
        if len(at.bottoms[3]) == 4
        else f"{{3}}.reshape({{3}}.shape[0], {at.tops[1][1]}, 1, 1)"
    )
    return [
        Form(
            f"{{2}}.reshape(-1, 1, 1, 1).masked_fill(~{chosen}, {p.ignore_label})", helpers=called
        ),
        Form(f"{weights} * {chosen}", helpers=called),
    ]
