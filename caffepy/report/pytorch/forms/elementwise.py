"""Forms of layers that work on each value by itself, or on blobs of one shape."""

from __future__ import annotations

from functools import reduce

from caffepy.layers.linear.eltwise import MAX, SUM
from caffepy.report.pytorch.helpers import dropout as dropout_helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import OUT, Arg, number


@form("Split")
def split(at: Site) -> Form:
    return Form(same=(0,) * len(at.tops))


@form("Gather")
def gather(at: Site) -> Form:
    return Form(same=tuple(range(len(at.tops))))


@form("AbsVal")
def absval(at: Site) -> Form:
    return Form("torch.abs({0})", nests=True)


@form("BNLL")
def bnll(at: Site) -> Form:
    return Form("F.softplus({0}, threshold=50)", nests=True)


@form("ReLU")
def relu(at: Site) -> Form:
    slope = at.layer.slope
    return Form(f"F.leaky_relu({{0}}, {number(slope)})" if slope else "F.relu({0})", nests=True)


@form("ReLU6")
def relu6(at: Site) -> Form:
    slope = at.layer.slope
    return Form(
        f"torch.clamp(F.leaky_relu({{0}}, {number(slope)}), max=6)" if slope else "F.relu6({0})",
        nests=True,
    )


@form("PReLU")
def prelu(at: Site) -> Form:
    slopes = 1 if at.layer.param.prelu_param.channel_shared else at.bottoms[0][1]
    module = at.module("nn.PReLU", [Arg(slopes, OUT)], {"weight": at.learned(0, (slopes,))})
    return Form("{m}({0})", module, nests=True)


@form("ELU")
def elu(at: Site) -> Form:
    alpha, scale = float(at.param.elu_param.alpha), at.layer.scale
    call = f"F.elu({{0}}, {number(alpha)})"
    return Form(call, nests=True) if scale == 1 else Form(f"{number(scale)} * {call}")


@form("Sigmoid")
def sigmoid(at: Site) -> Form:
    return Form("torch.sigmoid({0})", nests=True)


@form("TanH")
def tanh(at: Site) -> Form:
    return Form("torch.tanh({0})", nests=True)


@form("Swish")
def swish(at: Site) -> Form:
    beta = float(at.param.swish_param.beta)
    return (
        Form("F.silu({0})", nests=True)
        if beta == 1
        else Form(f"{{0}} * torch.sigmoid({number(beta)} * {{0}})")
    )


@form("Clip")
def clip(at: Site) -> Form:
    p = at.param.clip_param
    return Form(
        f"torch.clamp(torch.clamp({{0}}, max={number(p.max)}), min={number(p.min)})"
        if p.min > p.max
        else f"torch.clamp({{0}}, {number(p.min)}, {number(p.max)})",
        nests=True,
    )


@form("Threshold")
def threshold(at: Site) -> Form:
    return Form(f"({{0}} > {number(at.param.threshold_param.threshold)}).to({{0}}.dtype)")


@form("Exp")
def exp(at: Site) -> Form:
    return Form(_affine(f"torch.exp({_affine('{0}', at.layer.inner, 0)})", at.layer.outer, 0))


@form("Log")
def log(at: Site) -> Form:
    p = at.param.log_param
    return Form(_affine(f"torch.log({_affine('{0}', p.scale, p.shift)})", at.layer.outer, 0))


@form("Power")
def power(at: Site) -> Form:
    layer = at.layer
    if layer.power == 0:
        return Form("torch.ones_like({0})")
    inner = _affine("{0}", layer.scale, layer.shift)
    if layer.power == 1:
        return Form(inner)
    return Form(f"torch.pow({inner}, {number(layer.power)})")


def _affine(x: str, scale: float, shift: float) -> str:
    scaled = x if scale == 1 else f"{number(scale)} * {x}"
    if not shift:
        return scaled
    return f"{scaled} - {number(-shift)}" if shift < 0 else f"{scaled} + {number(shift)}"


@form("Eltwise")
def eltwise(at: Site) -> Form:
    """In place, Caffe's maximum and sum fill the top first and so lose the first bottom."""
    layer, bottoms = at.layer, [f"{{{i}}}" for i in range(len(at.bottoms))]
    if layer.operation == MAX:
        if layer.in_place:
            bottoms = bottoms[1:]
        return Form(reduce(lambda a, b: f"torch.maximum({a}, {b})", bottoms))
    if layer.operation != SUM:
        return Form(" * ".join(bottoms))
    terms = list(zip(bottoms, layer.coeff))[1 if layer.in_place else 0 :]
    text = ""
    for x, coeff in terms:
        term = x if abs(coeff) == 1 else f"{number(abs(coeff))} * {x}"
        sign = "-" if coeff < 0 else "+"
        text += f" {sign} {term}" if text else (f"-{term}" if coeff < 0 else term)
    return Form(text)


@form("Axpy")
def axpy(at: Site) -> Form:
    ones = at.axes and len(at.bottoms[1]) - 2
    return Form(
        f"{{0}}.reshape(*{{1}}.shape[:2], {', '.join('1' * ones)}) * {{1}} + {{2}}"
        if ones
        else "{0} * {1} + {2}"
    )


@form("Dropout", "SpatialDropout")
def dropout(at: Site) -> Form:
    """Torch's own, which does nothing unless the module is training."""
    layer, spatial = at.layer, at.node.type == "SpatialDropout"
    if layer.draws and not at.trains:
        raise at.fail("it draws a mask anew in every pass (sample_weights_test)")
    ratio = number(layer.ratio)
    if not layer.scales:
        if spatial:
            raise at.fail("scale_train is false; needed: true for SpatialDropout")
        return Form(
            f"unscaled_dropout({{0}}, {ratio}, self.training)",
            helpers=(dropout_helpers.unscaled_dropout,),
        )
    if spatial and at.axes < 3:
        return Form(f"F.dropout({{0}}, {ratio}, self.training)", nests=True)
    kind = f"dropout{at.axes - 2}d" if spatial else "dropout"
    return Form(f"F.{kind}({{0}}, {ratio}, self.training)", nests=True)
