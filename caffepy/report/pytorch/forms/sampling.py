"""Forms of layers that read planes between their pixels."""

from __future__ import annotations

from typing import Any

from caffepy.layers.windows.correlation import SUBTRACT
from caffepy.proto import caffe_pb2
from caffepy.report.pytorch.helpers import sampling as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import literal, number


@form("FlowWarp")
def flow_warp(at: Site) -> Form:
    p = at.param.flow_warp_param
    fill = ', fill=float("nan")' if p.fill_value == p.NOT_A_NUMBER else ""
    return Form(f"flow_warp({{0}}, {{1}}{fill})", helpers=(helpers.flow_warp,))


@form("SpatialTransformer")
def spatial_transformer(at: Site) -> Form:
    """Theta whole, or with the numbers of st_param."""
    layer = at.layer
    image = "{0}" if at.param.st_param.to_compute_dU else "{0}.detach()"
    theta = "{1}"
    called: list[Any] = [helpers.spatial_transform]
    if any(value is not None for value in layer.given):
        given = ", ".join("None" if value is None else number(value) for value in layer.given)
        theta = f"whole_theta({{1}}, [{given}])"
        called.insert(0, helpers.whole_theta)
    height, width = layer.size
    return Form(f"spatial_transform({image}, {theta}, {height}, {width})", helpers=tuple(called))


@form("Correlation")
def correlation(at: Site) -> Form:
    """That of products."""
    p = at.param.correlation_param
    if p.correlation_type == SUBTRACT:
        raise at.fail("correlation_type is SUBTRACT; needed: MULTIPLY")
    given = {"pad": (p.pad, 0), "stride_1": (p.stride_1, 1), "stride_2": (p.stride_2, 1)}
    options = [f"{name}={value}" for name, (value, default) in given.items() if value != default]
    figures = [str(p.kernel_size), str(p.max_displacement), *options]
    return Form(f"correlation({{0}}, {{1}}, {', '.join(figures)})", helpers=(helpers.correlation,))


@form("Resample")
def resample(at: Site) -> Form:
    p, (height, width) = at.param.resample_param, at.layer.size
    kind = caffe_pb2.ResampleParameter.ResampleType.Name(p.type)
    option = "" if p.antialias else ", antialias=False"
    called = (helpers.resample_weights, helpers.resample)
    return Form(f'resample({{0}}, {height}, {width}, "{kind}"{option})', helpers=called)


@form("Downsample")
def downsample(at: Site) -> Form:
    size = tuple(at.layer.size)
    if size != at.bottoms[0][2:] and 1 in at.bottoms[0][2:]:
        raise at.fail(
            f"{at.bottoms[0][2:]} becomes {size}; needed: more than one pixel in each axis"
        )
    called = (helpers.downsample_weights, helpers.downsample)
    return Form(f"downsample({{0}}, {literal(size)[1:-1]})", helpers=called)
