"""Forms of layers that look at windows of planes."""

from __future__ import annotations

from typing import Any

from caffepy.layers.common.base_conv import Windows
from caffepy.layers.windows.pooling import AVE, MAX, PoolingSpec
from caffepy.report.pytorch.helpers import pooling as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import (
    GROUPS,
    IN,
    KERNEL,
    OTHER,
    OUT,
    PAD,
    STRIDE,
    Arg,
    literal,
    same,
)


@form("Convolution", "ConvolutionDepthwise", "DepthwiseConvolution")
def convolution(at: Site) -> list[Form]:
    """One for each bottom."""
    windows = _windows(at)
    module = at.module(
        f"nn.Conv{len(windows.kernel)}d", _arguments(at, at.layer.group), at.weight_and_bias()
    )
    short = windows.overhang(at.bottoms[0][2:])
    return [Form(f"{{m}}({_longer(f'{{{i}}}', short)})", module) for i in range(len(at.bottoms))]


@form("Convolution3D")
def convolution3d(at: Site) -> Form:
    learned = at.weight_and_bias()
    if learned["bias"]:
        learned["bias"] = at.learned(1, (at.layer.num_output,))
    module = at.module("nn.Conv3d", _arguments(at, at.layer.group), learned)
    return Form(f"{{m}}({_longer('{0}', at.layer.windows.overhang(at.bottoms[0][2:]))})", module)


@form("Deconvolution")
def deconvolution(at: Site) -> list[Form]:
    """Likewise, transposed."""
    module = at.module(
        f"nn.ConvTranspose{len(_windows(at).kernel)}d",
        _arguments(at, at.layer.group),
        at.weight_and_bias(),
    )
    return [Form(f"{{m}}({{{i}}})", module) for i in range(len(at.bottoms))]


def _windows(at: Site) -> Windows:
    windows: Windows = at.layer.windows
    if at.layer.axis != 1 or not 1 <= len(windows.kernel) <= 3:
        raise at.fail(
            f"axis is {at.layer.axis} with {len(windows.kernel)} spatial axes;"
            " needed: axis 1 and 1 to 3 of them"
        )
    return windows


def _arguments(at: Site, group: int) -> list[Arg]:
    windows = _windows(at)
    return [
        Arg(at.layer.channels, IN),
        Arg(at.layer.num_output, OUT),
        Arg(same(windows.kernel), KERNEL),
        Arg(same(windows.stride), STRIDE, "stride", 1),
        Arg(same(windows.pad), PAD, "padding", 0),
        Arg(same(windows.dilation), PAD, "dilation", 1),
        Arg(group, GROUPS, "groups", 1),
        Arg(len(at.node.params) > 1, OTHER, "bias", True),
    ]


def _longer(x: str, short: list[int]) -> str:
    """``x`` with zeros behind its end, for a kernel that reaches beyond the padding."""
    return f"F.pad({x}, {[n for s in reversed(short) for n in (0, s)]})" if any(short) else x


@form("Pooling", "Pooling3D")
def pooling(at: Site) -> Form:
    """Torch's own where that has Caffe's windows, else a helper."""
    spec: PoolingSpec = at.layer.spec
    if spec.method not in (MAX, AVE):
        raise at.fail("STOCHASTIC pooling; needed: MAX or AVE")
    return _pooled(at, spec, masked=len(at.tops) > 1)


def _pooled(at: Site, spec: PoolingSpec, *, masked: bool = False) -> Form:
    size = at.bottoms[0][2:]
    if not spec.kernel:
        return _global(at, spec, masked)
    kind = "max" if spec.method == MAX else "avg"
    if not spec.torch_agrees(size) or not spec.inside:
        if masked:
            raise at.fail(
                "a mask of windows beyond the bottom, or padding of more than half the kernel"
            )
        if not spec.counts_pad:
            raise at.fail("windows beyond the bottom, with padding that does not count")
        return _by_helper(spec, kind)
    arguments = [literal(same(spec.kernel))]
    arguments += [f"stride={literal(same(spec.stride))}"] if spec.stride != spec.kernel else []
    arguments += [f"padding={literal(same(spec.pad))}"] if any(spec.pad) else []
    arguments += ["ceil_mode=True"] if spec.ceil and any(n > 1 for n in spec.stride) else []
    arguments += ["return_indices=True"] if masked else []
    arguments += [] if spec.counts_pad else ["count_include_pad=False"]
    code = f"F.{kind}_pool{len(size)}d({{0}}, {', '.join(arguments)})"
    if masked and set(at.readers[1]) - {"Upsample", "Unpooling"}:
        return Form(f"as_floats({code})", helpers=(helpers.as_floats,))
    return Form(code)


@form("SPP")
def spp(at: Site) -> Form:
    """A pooling for each level, in one row."""
    levels = [_pooled(at, spec) for spec in at.layer.specs]
    called = tuple(dict.fromkeys(helper for level in levels for helper in level.helpers))
    if len(levels) == 1:
        return Form(levels[0].code, helpers=called)
    rows = ", ".join(f"torch.flatten({level.code}, 1)" for level in levels)
    return Form(f"torch.cat([{rows}], 1)", helpers=called)


@form("Interp")
def interp(at: Site) -> Form:
    """The corners stay; negative paddings cut the bottom first."""
    p = at.param.interp_param
    x = "{0}"
    if p.pad_beg or p.pad_end:
        ends = f"{-p.pad_beg or ''}:{p.pad_end or ''}"
        x = f"{{0}}[:, :, {ends}, {ends}]"
    return Form(f'F.interpolate({x}, {tuple(at.layer.size)}, mode="bilinear", align_corners=True)')


@form("Unpooling")
def unpooling(at: Site) -> Form:
    if at.layer.spreads or len(at.bottoms) < 2:
        raise at.fail("it has no mask, or spreads its values; needed: MAX and a mask")
    return _unpooled(at)


def _global(at: Site, spec: PoolingSpec, masked: bool) -> Form:
    axes = tuple(range(2, at.axes))
    if masked:
        raise at.fail("a mask of global pooling")
    call = (
        f"torch.amax({{0}}, {axes}, keepdim=True)"
        if spec.method == MAX
        else f"torch.mean({{0}}, {axes}, keepdim=True)"
    )
    return Form(call)


def _by_helper(spec: PoolingSpec, kind: str) -> Form:
    helper: Any = helpers.caffe_max_pool if kind == "max" else helpers.caffe_avg_pool
    ceil = "" if spec.ceil else ", ceil_mode=False"
    figures = ", ".join(str(tuple(values)) for values in (spec.kernel, spec.stride, spec.pad))
    return Form(
        f"{helper.__name__}({{0}}, {figures}{ceil})", helpers=(helpers.caffe_windows, helper)
    )


@form("Crop")
def crop(at: Site) -> Form:
    """A slice of the second bottom's size."""
    places = [":"] * at.axes
    for axis, first, _ in at.layer.parts:
        size = f"{{1}}.shape[{axis}]"
        places[axis] = f"{first} : {first} + {size}" if first else f":{size}"
    return Form(f"{{0}}[{', '.join(places)}]")


@form("Upsample")
def upsample(at: Site) -> Form:
    """By a pooling's mask, or by copies."""
    if len(at.bottoms) > 1:
        return _unpooled(at)
    scale = [new // old for old, new in zip(at.bottoms[0][2:], at.tops[0][2:])]
    if [n * s for n, s in zip(at.bottoms[0][2:], scale)] != list(at.tops[0][2:]):
        raise at.fail(
            f"a top of {at.tops[0][2:]} from a bottom of {at.bottoms[0][2:]};"
            " needed: a whole number of times as large"
        )
    return Form(f"F.interpolate({{0}}, scale_factor={tuple(scale)})")


def _unpooled(at: Site) -> Form:
    return Form(f"unpool({{0}}, {{1}}, {tuple(at.tops[0][2:])})", helpers=(helpers.unpool,))


@form("Im2col")
def im2col(at: Site) -> Form:
    """Torch's, with the windows in two axes again."""
    windows: Windows = at.layer.windows
    if at.layer.axis != 1 or at.axes != 4:
        raise at.fail(
            f"axis is {at.layer.axis} of a bottom with {at.axes} axes; needed: axis 1 of 4"
        )
    figures = [str(tuple(windows.kernel))]
    given = {
        "dilation": (windows.dilation, 1),
        "padding": (windows.pad, 0),
        "stride": (windows.stride, 1),
    }
    figures += [
        f"{name}={literal(same(n))}" for name, (n, usual) in given.items() if same(n) != usual
    ]
    x = _longer("{0}", windows.overhang(at.bottoms[0][2:]))
    return Form(f"F.unfold({x}, {', '.join(figures)}).unflatten(2, {tuple(at.tops[0][2:])})")
