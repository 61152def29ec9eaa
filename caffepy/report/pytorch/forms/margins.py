"""Forms of the losses and scores of faces."""

from __future__ import annotations

from caffepy.report.pytorch.helpers import margins as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import IN, OTHER, OUT, Arg, number


@form("CenterLoss")
def center_loss(at: Site) -> Form:
    layer = at.layer
    classes, inputs = layer.blobs[0].shape
    x = "{0}" if at.axes - layer.axis == 1 == layer.axis else f"{{0}}.reshape(-1, {inputs})"
    arguments = [
        Arg(inputs, IN),
        Arg(classes, OUT),
        Arg(at.node.loss_weights[0] or 1.0, OTHER, "weight", 1.0),
    ]
    module = at.module("CenterLoss", arguments, {"centers": at.learned(0)})
    return Form(f"{{m}}({x}, {{1}})", module, helpers=(helpers.CenterLoss,))


@form("LabelSpecificAdd")
def label_specific_add(at: Site) -> Form | list[Form]:
    """In training; else it does nothing."""
    p = at.param.label_specific_add_param
    if not at.trains:
        bias: list[Form] = [Form("{0}.new_zeros(1)")]
        return [Form(same=(0,)), *bias][: len(at.tops)]
    if p.HasField("bias_base"):
        raise at.fail("bias_base, by which the bias changes with the iteration; needed: bias")
    called = (helpers.label_margin,)
    forms = [Form(f"label_margin({{0}}, {{1}}, {number(p.bias)})", helpers=called)]
    return [*forms, Form(f"{{0}}.new_full((1,), {number(p.bias)})")][: len(at.tops)]
