"""Forms of layers that propose regions and pool them."""

from __future__ import annotations

from caffepy.report.pytorch.helpers import detection
from caffepy.report.pytorch.helpers import regions as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import number


@form("ROIPooling")
def roi_pooling(at: Site) -> Form:
    p = at.param.roi_pooling_param
    figures = f"{p.pooled_h}, {p.pooled_w}, {number(p.spatial_scale)}"
    return Form(
        f"roi_pool({{0}}, {{1}}, {figures})", helpers=(detection.roi_cell, detection.roi_pool)
    )


@form("PSROIPooling")
def psroi_pooling(at: Site) -> Form:
    layer = at.layer
    figures = f"{number(layer.scale)}, {layer.outputs}, {layer.group}"
    return Form(
        f"psroi_pool({{0}}, {{1}}, {figures})", helpers=(helpers.cell_mask, helpers.psroi_pool)
    )


@form("ROIAlign")
def roi_align(at: Site) -> Form:
    layer = at.layer
    figures = [str(n) for n in layer.pooled] + [number(layer.scale)]
    figures += [f"points={layer.points}"] if layer.points > 0 else []
    figures += ["aligned=True"] if layer.aligned else []
    called = (helpers.cell_means, helpers.point_weights, helpers.roi_align)
    return Form(f"roi_align({{0}}, {{1}}, {', '.join(figures)})", helpers=called)


@form("Proposal")
def proposal(at: Site) -> Form | list[Form]:
    """Regions, and with a second top their scores."""
    p = at.param.proposal_param
    lists = [f"[{', '.join(number(n) for n in values)}]" for values in (p.ratio, p.scale)]
    given = {
        "stride": (str(p.feat_stride), "16"),
        "min_size": (number(p.min_size), "16"),
        "before": (str(p.pre_nms_topn), "6000"),
        "after": (str(p.post_nms_topn), "300"),
        "threshold": (number(p.nms_thresh), "0.7"),
    }
    options = [f"{name}={value}" for name, (value, default) in given.items() if value != default]
    arguments = ["{0}", "{1}", "{2}", str(p.base_size), *lists, *options]
    called = (helpers.proposal_anchors, helpers.pixel_overlaps, helpers.proposals)
    first = "" if len(at.tops) > 1 else "[0]"
    return Form(f"proposals({', '.join(arguments)}){first}", helpers=called)
