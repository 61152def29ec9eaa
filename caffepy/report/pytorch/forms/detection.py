"""Forms of layers that find things in pictures."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.proto import caffe_pb2
from caffepy.report.pytorch.helpers import detection as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import number


@form("PriorBox")
def prior_box(at: Site) -> Form:
    """As the prototxt says it."""
    layer, p = at.layer, at.param.prior_box_param
    options = [_numbers("min_sizes", p.min_size)]
    options += [_numbers("max_sizes", p.max_size)] if p.max_size else []
    options += [_numbers("ratios", p.aspect_ratio)] if p.aspect_ratio else []
    options += [_numbers("variances", layer.variances)] if set(layer.variances) != {0.1} else []
    options += ["flip=False"] if p.aspect_ratio and not p.flip else []
    options += ["clip=True"] if p.clip else []
    options += [f"size={_pair(layer.picture)}"] if layer.picture else []
    options += [f"step={_pair(layer.step)}"] if layer.step else []
    options += [f"offset={number(p.offset)}"] if p.offset != 0.5 else []
    return Form(f"prior_boxes({', '.join(['{0}', '{1}', *options])})", helpers=(helpers.prior_boxes,))


def _numbers(name: str, values: Sequence[float]) -> str:
    return f"{name}=[{', '.join(number(value) for value in values)}]"


def _pair(values: Sequence[float]) -> str:
    return f"({', '.join(number(value) for value in values)})"


@form("DetectionOutput")
def detection_output(at: Site) -> Form:
    """The files of save_output_param are left out."""
    layer, p = at.layer, at.param.detection_output_param
    if len(at.bottoms) > 3:
        raise at.fail("a first stage of RefineDet, bottoms 3 and 4; needed: three bottoms")
    code = caffe_pb2.PriorBoxParameter.CodeType.Name(p.code_type)
    given = {
        "background": (p.background_label_id, 0),
        "share_location": (bool(p.share_location), True),
        "threshold": (number(layer.least) if p.HasField("confidence_threshold") else None, None),
        "nms_threshold": (number(p.nms_param.nms_threshold), "0.3"),
        "top_k": (layer.top_k, -1),
        "eta": (number(p.nms_param.eta), "1"),
        "keep_top_k": (p.keep_top_k, -1),
        "code": (f'"{code}"', '"CORNER"'),
        "in_target": (bool(p.variance_encoded_in_target), False),
    }
    options = [f"{name}={value}" for name, (value, default) in given.items() if value != default]
    called = (helpers.decode_boxes, helpers.box_areas, helpers.suppress_boxes, helpers.detection_output)
    return Form(f"detection_output({', '.join(['{0}', '{1}', '{2}', str(layer.classes), *options])})", helpers=called)


@form("ROIPooling")
def roi_pooling(at: Site) -> Form:
    p = at.param.roi_pooling_param
    figures = f"{p.pooled_h}, {p.pooled_w}, {number(p.spatial_scale)}"
    return Form(f"roi_pool({{0}}, {{1}}, {figures})", helpers=(helpers.roi_cell, helpers.roi_pool))
