"""What a picture of a net shows.

A box for each layer, with the in-place layers of its top in it, and an arrow for each use of a
blob.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from caffepy.proto import caffe_pb2
from caffepy.report.structure import WindowParameter, sizes, steps, type_text

PHASES = ("TRAIN", "TEST")
ALL = "ALL"

DATA = "data"
CONVOLUTION = "convolution"
POOLING = "pooling"
PRODUCT = "product"
NORMALISATION = "normalisation"
MERGE = "merge"
LOSS = "loss"
OTHER = "other"
TYPES = {
    DATA: """
        Input Data ImageData HDF5Data MemoryData WindowData DummyData Parameter
        AnnotatedData DenseImageData ImageLabelmapData ImageSegData VideoData
    """,
    CONVOLUTION: """
        Convolution Convolution3D Deconvolution Im2col ConvolutionDepthwise DepthwiseConvolution
    """,
    POOLING: "Pooling Pooling3D SPP ROIPooling PSROIPooling Unpooling Upsample Interp",
    PRODUCT: "InnerProduct Embed LSTM Lstm RNN Scale Bias",
    NORMALISATION: "LRN BatchNorm MVN Normalize BN",
    MERGE: "Concat Eltwise Slice Crop Axpy",
    LOSS: "Accuracy Softmax",
}
KINDS = {type_name: kind for kind, names in TYPES.items() for type_name in names.split()}
"""By layer type; what ends in ``Loss`` is a loss, the rest is other."""
COLORS = {
    DATA: "#DDE3E8",
    CONVOLUTION: "#F7C3B5",
    POOLING: "#FBE0A6",
    PRODUCT: "#D9C8F0",
    NORMALISATION: "#C2E5D3",
    MERGE: "#C9E3A9",
    LOSS: "#F6B3C6",
    OTHER: "#BFD7F2",
}


@dataclass
class Box:
    """One layer: its name, the phases it is in, and lines about it.

    ``repeats``: the box whose blob this one shows again, where it is no layer.
    """

    name: str
    kind: str
    phases: frozenset[str]
    lines: list[str] = field(default_factory=list)
    repeats: int | None = None


@dataclass(frozen=True)
class Arrow:
    """A blob from the box that makes it to one that reads it, by index.

    ``label``: its name, where that is not the box's.
    """

    source: int
    target: int
    label: str = ""


@dataclass(frozen=True)
class Scene:
    """A picture before it is laid out."""

    name: str
    boxes: list[Box]
    arrows: list[Arrow]


def scene(net: caffe_pb2.NetParameter, *, phase: str = ALL, display_lrm: bool = False) -> Scene:
    """The picture of a NetParameter (upgraded): layers of one phase, or of both.

    ``display_lrm``: with learning rate multipliers.
    """
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    makers: dict[str, list[int]] = {}
    for layer in net.layer:
        if phase != ALL and phase not in phases_of(layer):
            continue
        makes = [top for top in layer.top if top not in layer.bottom]
        if not makes and layer.top and len(layer.bottom) == 1 and layer.bottom[0] in makers:
            for index in makers[layer.bottom[0]]:
                boxes[index].lines.append(one_line(layer))
            continue
        texts = list(lines(layer, phase=phase, display_lrm=display_lrm))
        boxes.append(Box(layer.name, kind(layer.type), phases_of(layer), texts))
        here = len(boxes) - 1
        for bottom in layer.bottom:
            for index in makers.get(bottom, ()):
                if boxes[index].phases & boxes[here].phases:
                    arrows.append(Arrow(index, here, bottom if bottom != boxes[index].name else ""))
        for top in layer.top:
            # two layers make one blob where each is for a phase of its own
            makers.setdefault(top, []).append(here)
            if top in layer.bottom:
                makers[top] = [here]
    return Scene(net.name, boxes, arrows)


def phases_of(layer: caffe_pb2.LayerParameter) -> frozenset[str]:
    """The phases that a layer's rules keep it in; other rules are not looked at."""

    def meets(rules: Iterable[caffe_pb2.NetStateRule], phase: int) -> bool:
        return any(not rule.HasField("phase") or rule.phase == phase for rule in rules)

    if layer.include:
        return frozenset(name for i, name in enumerate(PHASES) if meets(layer.include, i))
    excluded = [rule for rule in layer.exclude if rule.HasField("phase")]
    return frozenset(name for i, name in enumerate(PHASES) if not meets(excluded, i))


def kind(type_name: str) -> str:
    """What a layer type counts as, for its colour."""
    return LOSS if type_name.endswith("Loss") else KINDS.get(type_name, OTHER)


def lines(layer: caffe_pb2.LayerParameter, *, phase: str, display_lrm: bool) -> Iterator[str]:
    """What stands below a layer's name."""
    yield one_line(layer)
    if display_lrm and layer.param:
        yield f"lr {', '.join(f'{param.lr_mult:g}' for param in layer.param)}"
    if phase == ALL and len(phases_of(layer)) == 1:
        yield f"{min(phases_of(layer))} only"


def one_line(layer: caffe_pb2.LayerParameter) -> str:
    """Type and numbers: ``Convolution 3x3/2+1 → 64``, that is kernel, stride, pad and outputs."""
    if layer.type in ("Convolution", "Deconvolution"):
        convolution = layer.convolution_param
        group = f", group {convolution.group}" if convolution.group != 1 else ""
        return f"{layer.type} {_window(convolution)} → {convolution.num_output}{group}"
    if layer.type == "Pooling":
        pooling = layer.pooling_param
        method = pooling.PoolMethod.Name(pooling.pool)
        return f"{method} pooling {'global' if pooling.global_pooling else _window(pooling)}"
    if layer.type == "InnerProduct":
        return f"InnerProduct → {layer.inner_product_param.num_output}"
    if layer.type == "Dropout":
        return f"Dropout {layer.dropout_param.dropout_ratio:g}"
    if layer.type == "Eltwise":
        return f"Eltwise {layer.eltwise_param.EltwiseOp.Name(layer.eltwise_param.operation)}"
    return type_text(layer)


def _window(param: WindowParameter) -> str:
    size = sizes(param, "kernel")
    return (size if "x" in size else f"{size}x{size}") + steps(param)
