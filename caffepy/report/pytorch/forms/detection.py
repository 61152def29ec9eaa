"""Forms of layers that find things in pictures."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.layers.common.loss import normalization_mode
from caffepy.layers.common.multibox_matching import HARD_EXAMPLE, NO_MINING, PER_PREDICTION
from caffepy.proto import caffe_pb2
from caffepy.report.pytorch.forms.losses import MODES
from caffepy.report.pytorch.helpers import detection as helpers
from caffepy.report.pytorch.helpers import ssd_loss
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
    return Form(
        f"prior_boxes({', '.join(['{0}', '{1}', *options])})", helpers=(helpers.prior_boxes,)
    )


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
    called = (
        helpers.decode_boxes,
        helpers.box_areas,
        helpers.suppress_boxes,
        helpers.detection_output,
    )
    return Form(
        f"detection_output({', '.join(['{0}', '{1}', '{2}', str(layer.classes), *options])})",
        helpers=called,
    )


@form("MultiBoxLoss")
def multibox_loss(at: Site) -> Form:
    """As SSD trains: priors are matched, locations shared, negatives mined or all learnt."""
    layer, p = at.layer, at.param.multibox_loss_param
    _check_multibox(at)
    code = caffe_pb2.PriorBoxParameter.CodeType.Name(p.code_type)
    threshold = number(p.overlap_threshold) if p.match_type == PER_PREDICTION else "None"
    mined = p.mining_type != NO_MINING
    mode = normalization_mode(at.param.loss_param)
    given = {
        "background": (str(layer.param.multibox_loss_param.background_label_id), "0"),
        "threshold": (threshold, "0.5"),
        "negatives": (number(p.neg_pos_ratio) if mined else "None", "3"),
        "neg_overlap": (number(p.neg_overlap), "0.5"),
        "difficult": (str(bool(p.use_difficult_gt)), "True"),
        "code": (f'"{code}"', '"CORNER"'),
        "in_target": (str(bool(p.encode_variance_in_target)), "False"),
        "loc_weight": (number(p.loc_weight if layer.parts[0] else 0.0), "1"),
        "smooth": (str(p.loc_loss_type == p.SMOOTH_L1), "True"),
        "normalization": (f'"{MODES[mode]}"', '"VALID"'),
    }
    options = [f"{name}={value}" for name, (value, default) in given.items() if value != default]
    bottoms = [f"{{{i}}}" for i in range(4)]
    called = (
        ssd_loss.box_overlaps,
        ssd_loss.match_boxes,
        ssd_loss.encode_boxes,
        ssd_loss.multibox_loss,
    )
    return Form(
        f"multibox_loss({', '.join([*bottoms, str(layer.classes), *options])})", helpers=called
    )


def _check_multibox(at: Site) -> None:
    """LayerError for what SSD's own trainings do not have."""
    layer, p = at.layer, at.param.multibox_loss_param
    wrong = {
        "scores of a first stage, bottom 4": len(at.bottoms) > 4,
        "share_location is false": not p.share_location,
        "use_prior_for_matching is false": not p.use_prior_for_matching,
        "conf_loss_type is LOGISTIC": p.conf_loss_type == p.LOGISTIC,
        "mining_type is HARD_EXAMPLE": p.mining_type == HARD_EXAMPLE,
        "nms_param": p.mining_type != NO_MINING
        and p.HasField("nms_param")
        and p.nms_param.nms_threshold > 0,
        "map_object_to_agnostic": p.map_object_to_agnostic,
        "ignore_cross_boundary_bbox": p.ignore_cross_boundary_bbox,
        "bp_inside": p.bp_inside,
        "objectness_score": p.HasField("objectness_score"),
        "propagate_down is false for the scores": not layer.parts[1],
    }
    found = [name for name, is_so in wrong.items() if is_so]
    if found:
        raise at.fail(f"{found[0]}; needed: the loss as SSD's trainings have it")
