"""Forms of losses: numbers of 0 axes."""

from __future__ import annotations

from typing import Any

from caffepy.layers.common.loss import BATCH_SIZE, FULL, NONE, PRE_FIXED, VALID, normalization_mode
from caffepy.layers.loss.hinge_loss import L2
from caffepy.report.pytorch.helpers import losses as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import OUT, Arg, number

MODES: dict[int, str] = {FULL: "FULL", VALID: "VALID", BATCH_SIZE: "BATCH_SIZE", NONE: "NONE"}


@form("SoftmaxWithLoss")
def softmax_loss(at: Site) -> Form:
    return cross_entropy(at)


def cross_entropy(at: Site) -> Form:
    """Torch's own where every label counts alike; else a helper."""
    layer, p = at.layer, at.param.loss_param
    if p.weight_by_label_freqs:
        weights = ", ".join(number(w) for w in p.class_weighting[: at.bottoms[0][layer.axis]])
    else:
        weights = ""
    mean = layer.mode in (VALID, FULL) or (layer.mode == BATCH_SIZE and layer.inner == 1)
    if layer.axis == 1 and layer.ignore is None and mean and not weights:
        label = (
            "{1}.flatten().long()"
            if at.axes == 2
            else "{1}.reshape({0}.shape[0], *{0}.shape[2:]).long()"
        )
        return Form(f"F.cross_entropy({{0}}, {label})")
    options = [f"axis={layer.axis}"] * (layer.axis != 1)
    options += [f"ignore={layer.ignore}"] * (layer.ignore is not None)
    options += [f"weights=[{weights}]"] * bool(weights)
    options += [_mode(at, layer.mode)] * (layer.mode != VALID)
    return Form(
        f"softmax_loss({', '.join(['{0}', '{1}', *options])})",
        helpers=(helpers.divisor, helpers.softmax_loss),
    )


def _mode(at: Site, mode: int) -> str:
    if mode == PRE_FIXED:
        return f"normalization={number(max(1.0, at.param.loss_param.pre_fixed_normalizer))}"
    return f'normalization="{MODES[mode]}"'


@form("SigmoidCrossEntropyLoss")
def sigmoid_cross_entropy_loss(at: Site) -> Form:
    """By the batch unless told otherwise."""
    p = at.param.loss_param
    if p.balance_labels:
        raise at.fail("balance_labels; needed: none")
    mode = normalization_mode(p, default=BATCH_SIZE)
    target = "{1}" if at.bottoms[0] == at.bottoms[1] else "{1}.reshape({0}.shape)"
    if mode == BATCH_SIZE and not p.HasField("ignore_label"):
        return Form(
            f'F.binary_cross_entropy_with_logits({{0}}, {target}, reduction="sum") / {{0}}.shape[0]'
        )
    options = [f"ignore={p.ignore_label}"] * p.HasField("ignore_label") + [_mode(at, mode)]
    text = f"sigmoid_cross_entropy_loss({{0}}, {target}, {', '.join(options)})"
    return Form(text, helpers=(helpers.divisor, helpers.sigmoid_cross_entropy_loss))


@form("EuclideanLoss")
def euclidean_loss(at: Site) -> Form:
    return Form(f"torch.sum(torch.square({_difference(at)})) / (2 * {{0}}.shape[0])")


@form("L1Loss")
def l1_loss(at: Site) -> Form:
    """NVIDIA's."""
    if at.layer.of_flow:
        raise at.fail("FlowNet's fields or a single bottom; needed: two bottoms, no l1_loss_param")
    return Form(f"torch.sum(torch.abs({_difference(at)})) / {{0}}.shape[0]")


def _difference(at: Site) -> str:
    return "{0} - {1}" if at.bottoms[0] == at.bottoms[1] else "{0} - {1}.reshape({0}.shape)"


@form("SmoothL1Loss")
def smooth_l1_loss(at: Site) -> Form:
    """With none or two of its weights."""
    if len(at.bottoms) == 3:
        raise at.fail("three bottoms; needed: two, or four")
    texts = []
    for i, shape in enumerate(at.bottoms):
        texts.append(f"{{{i}}}" if shape == at.bottoms[0] else f"{{{i}}}.reshape({{0}}.shape)")
    texts.append(f"sigma={number(at.param.smooth_l1_loss_param.sigma)}")
    return Form(f"smooth_l1_loss({', '.join(texts)})", helpers=(helpers.smooth_l1_loss,))


@form("HingeLoss")
def hinge_loss(at: Site) -> Form:
    power = 2 if at.param.hinge_loss_param.norm == L2 else 1
    x = "{0}" if at.axes == 2 else "torch.flatten({0}, 1)"
    return Form(f"hinge_loss({x}, {{1}}, power={power})", helpers=(helpers.hinge_loss,))


@form("ContrastiveLoss")
def contrastive_loss(at: Site) -> Form:
    p = at.param.contrastive_loss_param
    if p.legacy_version:
        raise at.fail("legacy_version; needed: none")
    bottoms = [
        f"{{{i}}}" if len(shape) == 2 else f"torch.flatten({{{i}}}, 1)"
        for i, shape in enumerate(at.bottoms[:2])
    ]
    return Form(
        f"contrastive_loss({', '.join(bottoms)}, {{2}}, margin={number(p.margin)})",
        helpers=(helpers.contrastive_loss,),
    )


@form("TripletLoss")
def triplet_loss(at: Site) -> Form:
    margin = number(at.param.triplet_loss_param.margin)
    return Form(f"triplet_loss({{0}}, {{1}}, {{2}}, {margin})", helpers=(helpers.triplet_loss,))


@form("MultinomialLogisticLoss")
def multinomial_logistic_loss(at: Site) -> Form:
    called = (helpers.multinomial_logistic_loss,)
    return Form("multinomial_logistic_loss({0}, {1})", helpers=called)


@form("InfogainLoss")
def infogain_loss(at: Site) -> list[Form]:
    """The matrix of a file is saved with the weights."""
    layer = at.layer
    classes = at.bottoms[0][layer.axis]
    called: list[Any] = [helpers.divisor, helpers.infogain_loss]
    module, matrix = None, "{2}"
    if len(at.bottoms) < 3:
        if layer.matrix is None:
            raise at.fail("its matrix was not read; needed: the file of infogain_loss_param.source")
        values = layer.matrix.reshape(classes, classes).numpy()
        module = at.module(
            "Constant", [Arg(classes, OUT), Arg(classes, OUT)], {}, {"values": values}
        )
        matrix = "{m}.values"
        called.insert(0, helpers.Constant)
    options = [f"axis={layer.axis}"] if layer.axis != 1 else []
    options += [f"ignore={layer.ignore}"] if layer.ignore is not None else []
    options += [_mode(at, layer.mode)] if layer.mode != VALID else []
    code = f"infogain_loss({', '.join(['{0}', '{1}', matrix, *options])})"
    loss = Form(code, module, helpers=tuple(called))
    return [loss, Form(f"torch.softmax({{0}}.detach(), {layer.axis})")][: len(at.tops)]
