"""Weights of a layer's tops in the loss: ``loss_weight``, or the default of the layer's Caffe."""

from __future__ import annotations

from caffepy import log
from caffepy.layers.core.base import Layer
from caffepy.proto import caffe_pb2

WITHOUT_DEFAULT = {"CenterLoss": "caffe-face", "SmoothL1LossOHEM": "R-FCN"}
"""Losses that count only with a loss_weight.

Their LayerSetUp does not call that of their base class, which adds a 1. Of other forks' losses,
CtcLoss, CTCLoss, MultiBoxLoss, RegionLoss, SoftmaxWithLossOHEM and TripletLoss call it; L1Loss has
none of its own.
"""
SSD_TYPES = frozenset(
    ["AnnotatedData", "DetectionEvaluate", "DetectionOutput", "MultiBoxLoss", "PriorBox"]
)
FAST_RCNN_TYPES = frozenset(
    [
        "BoxAnnotatorOHEM",
        "Proposal",
        "PSROIPooling",
        "ROIPooling",
        "SmoothL1LossOHEM",
        "SoftmaxWithLossOHEM",
    ]
)


def loss_weights(layer: Layer, tops: int, net: caffe_pb2.NetParameter) -> tuple[float, ...]:
    """The weights of the ``tops`` of ``layer``, which is in this NetParameter.

    LayerError if they are given for another number of tops.
    """
    given = tuple(layer.param.loss_weight)
    if not given and layer.is_loss and default_weight(layer.param, net):
        given = (1.0,)
    if given and len(given) != tops:
        raise layer.fail(
            f"loss_weight given {len(given)} time(s) for {tops} top(s); needed: never, or once"
            " per top"
        )
    return given or (0.0,) * tops


def default_weight(param: caffe_pb2.LayerParameter, net: caffe_pb2.NetParameter) -> float:
    """1 or 0, for a loss without a loss_weight; logged if Caffes differ in it."""
    if param.type not in (*WITHOUT_DEFAULT, "SmoothL1Loss"):
        return 1.0
    fork = WITHOUT_DEFAULT.get(param.type) or _fork_of(param, net)
    if fork == "SSD":
        log.info(
            "losses.py:0",
            f"Layer {param.name} has loss weight 1, as in SSD's Caffe; Fast R-CNN's takes 0"
            " where none is given.",
        )
        return 1.0
    log.warning(
        "losses.py:0",
        f"layer '{param.name}' ({param.type}) has loss weight 0, as in {fork}'s Caffe where"
        " none is given: it trains nothing;"
        " with loss_weight: 1 it counts in the loss",
    )
    return 0.0


def _fork_of(param: caffe_pb2.LayerParameter, net: caffe_pb2.NetParameter) -> str:
    """The fork whose SmoothL1Loss it is.

    SSD's has two bottoms and no field. Otherwise the net's other layers decide.
    """
    types = {layer.type for layer in net.layer}
    own = len(param.bottom) > 2 or param.HasField("smooth_l1_loss_param")
    return "Fast R-CNN" if own or (types & FAST_RCNN_TYPES and not types & SSD_TYPES) else "SSD"
