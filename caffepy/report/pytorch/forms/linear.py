"""Forms of layers with learned weights that are no convolution."""

from __future__ import annotations

from caffepy.report.pytorch.helpers import linear as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import IN, OTHER, OUT, Arg


@form("InnerProduct")
def inner_product(at: Site) -> Form:
    """Rows times a matrix."""
    layer = at.layer
    x = "{0}" if at.axes - layer.axis == 1 else f"torch.flatten({{0}}, {layer.axis})"
    if len(at.bottoms) > 1:
        shape = (
            (layer.inputs, layer.num_output)
            if layer.transpose
            else (layer.num_output, layer.inputs)
        )
        weight = "{1}" if at.bottoms[1] == shape else f"{{1}}.reshape{shape}"
        return Form(f"F.linear({x}, {weight}{'.t()' if layer.transpose else ''})")
    learned = at.weight_and_bias()
    learned["weight"] = at.learned(0, (layer.num_output, layer.inputs), transposed=layer.transpose)
    arguments = [
        Arg(layer.inputs, IN),
        Arg(layer.num_output, OUT),
        Arg(bool(learned["bias"]), OTHER, "bias", True),
    ]
    if not layer.normalize:
        return Form(f"{{m}}({x})", at.module("nn.Linear", arguments, learned))
    if layer.transpose:
        raise at.fail("normalize with transpose; needed: one of them")
    return Form(
        f"{{m}}({x})",
        at.module("NormalizedLinear", arguments, learned),
        helpers=(helpers.NormalizedLinear,),
    )


@form("Embed")
def embed(at: Site) -> Form:
    """Rows of a table."""
    learned = at.weight_and_bias()
    arguments = [
        Arg(at.layer.input_dim, IN),
        Arg(at.layer.num_output, OUT),
        Arg(bool(learned["bias"]), OTHER, "bias", True),
    ]
    return Form("{m}({0})", at.module("Embed", arguments, learned), helpers=(helpers.Embed,))


@form("Scale")
def scale(at: Site) -> Form:
    """The axes of the second operand are matched from ``axis`` on."""
    p, axis = at.param.scale_param, at.layer.axis
    if len(at.bottoms) > 1 and not p.bias_term:
        return Form(f"{{0}} * {_broadcast('{1}', at, axis)}")
    if len(at.bottoms) > 1:
        bias = at.module("Bias", _shape(at, axis), {"bias": at.learned(0, _padded(at, axis))})
        return Form(f"{{m}}({{0}} * {_broadcast('{1}', at, axis)})", bias, helpers=(helpers.Bias,))
    shape = _padded(at, axis)
    learned = {
        "weight": at.learned(0, shape),
        "bias": at.learned(1, shape) if p.bias_term else None,
    }
    module = at.module(
        "Scale", [*_shape(at, axis), Arg(bool(p.bias_term), OTHER, "bias", True)], learned
    )
    return Form("{m}({0})", module, nests=True, helpers=(helpers.Scale,))


@form("Bias")
def bias(at: Site) -> Form:
    axis = at.layer.axis
    if len(at.bottoms) > 1:
        return Form(f"{{0}} + {_broadcast('{1}', at, axis)}")
    module = at.module("Bias", _shape(at, axis), {"bias": at.learned(0, _padded(at, axis))})
    return Form("{m}({0})", module, nests=True, helpers=(helpers.Bias,))


def _padded(at: Site, axis: int) -> tuple[int, ...]:
    """The first blob's shape with axes of 1 behind it, so that it broadcasts."""
    shape = at.arrays[0].shape
    return (*shape, *(1,) * (at.axes - axis - len(shape))) if shape else ()


def _shape(at: Site, axis: int) -> list[Arg]:
    """The padded shape as arguments."""
    return [Arg(n, OUT) for n in _padded(at, axis)]


def _broadcast(x: str, at: Site, axis: int) -> str:
    ones = at.axes - axis - len(at.bottoms[1]) if at.bottoms[1] else 0
    return f"{x}[(...,{' None,' * ones})]" if ones else x


@form("Parameter")
def parameter(at: Site) -> Form:
    module = at.module("Parameter", [Arg(n, OUT) for n in at.tops[0]], at.weight_and_bias())
    return Form("{m}()", module, helpers=(helpers.Parameter,))
