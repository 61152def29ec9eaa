"""ONNX operators of layers that work on each value by itself, or on blobs of one shape."""

from __future__ import annotations

from functools import reduce

from caffepy.layers.core.half import LEAST
from caffepy.layers.linear.eltwise import MAX, SUM
from caffepy.onnx.registry import converts
from caffepy.onnx.site import FLOAT, Site


@converts("AbsVal")
def absval(at: Site) -> str:
    return at.op("Abs", at.x)


@converts("BNLL")
def bnll(at: Site) -> str:
    return at.op("Softplus", at.x)


@converts("Clip")
def clip(at: Site) -> str:
    p = at.layer.param.clip_param
    return at.op(
        "Max", at.op("Min", at.x, at.floats(p.max)), at.floats(p.min)
    )  # min wins where it is above max


@converts("Split")
def same(at: Site) -> list[str]:
    return [at.x] * len(at.tops)


@converts("Gather")
def gather(at: Site) -> list[str]:
    return list(at.inputs)


@converts("Dropout", "SpatialDropout")
def dropout(at: Site) -> str:
    if at.layer.draws:
        raise at.fail("it draws a mask anew in every pass (sample_weights_test)")
    return at.x if at.layer.scales else at.affine(at.x, 1 - at.layer.ratio, 0)


@converts("ELU")
def elu(at: Site) -> str:
    return at.affine(
        at.op("Elu", at.x, alpha=float(at.layer.param.elu_param.alpha)), at.layer.scale, 0
    )


@converts("Eltwise")
def eltwise(at: Site) -> str:
    layer = at.layer
    # in place, Caffe's maximum and sum fill the top first and so lose the first bottom
    if layer.operation == MAX:
        return at.op("Max", *([at.floats(LEAST), *at.inputs[1:]] if layer.in_place else at.inputs))
    if layer.operation == SUM:
        terms = [at.affine(x, c, 0) for x, c in zip(at.inputs, layer.coeff)]
        return reduce(lambda a, b: at.op("Add", a, b), terms[1:] if layer.in_place else terms)
    return reduce(lambda a, b: at.op("Mul", a, b), at.inputs)


@converts("Axpy")
def axpy(at: Site) -> str:
    a, x, y = at.inputs
    flat = at.reshape(a, [*at.bottoms[1][:2], *(1,) * (len(at.bottoms[1]) - 2)])
    return at.op("Add", at.op("Mul", flat, x), y)


@converts("Exp")
def exp(at: Site) -> str:
    return at.affine(at.op("Exp", at.affine(at.x, at.layer.inner, 0)), at.layer.outer, 0)


@converts("Log")
def log(at: Site) -> str:
    p = at.layer.param.log_param
    return at.affine(at.op("Log", at.affine(at.x, p.scale, p.shift)), at.layer.outer, 0)


@converts("Power")
def power(at: Site) -> str:
    layer = at.layer
    y = at.affine(at.x, layer.scale, layer.shift)
    return y if layer.power == 1 else at.op("Pow", y, at.floats(layer.power))


@converts("PReLU")
def prelu(at: Site) -> str:
    return at.op("PRelu", at.x, at.learned(0))


@converts("ReLU")
def relu(at: Site) -> str:
    return at.op("LeakyRelu", at.x, alpha=at.layer.slope) if at.layer.slope else at.op("Relu", at.x)


@converts("ReLU6")
def relu6(at: Site) -> str:
    y = at.op("LeakyRelu", at.x, alpha=at.layer.slope) if at.layer.slope else at.op("Relu", at.x)
    return at.op("Min", y, at.floats(6))


@converts("Sigmoid")
def sigmoid(at: Site) -> str:
    return at.op("Sigmoid", at.x)


@converts("Swish")
def swish(at: Site) -> str:
    return at.op("Mul", at.x, at.op("Sigmoid", at.affine(at.x, at.layer.param.swish_param.beta, 0)))


@converts("TanH")
def tanh(at: Site) -> str:
    return at.op("Tanh", at.x)


@converts("Threshold")
def threshold(at: Site) -> str:
    return at.op(
        "Cast",
        at.op("Greater", at.x, at.floats(at.layer.param.threshold_param.threshold)),
        to=FLOAT,
    )
