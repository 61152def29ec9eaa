"""Nets of 2014 (V1: ``layers { type: CONVOLUTION blobs_lr: 1 }``) to the present format (``layer { type: "Convolution" }``)."""

from __future__ import annotations

from collections.abc import Callable

from caffepy import log
from caffepy.errors import PrototxtError
from caffepy.proto import caffe_pb2
from caffepy.proto.fields import is_message

TYPES = {
    "NONE": "",
    "ABSVAL": "AbsVal",
    "ACCURACY": "Accuracy",
    "ARGMAX": "ArgMax",
    "BN": "BN",
    "BNLL": "BNLL",
    "CONCAT": "Concat",
    "CONTRASTIVE_LOSS": "ContrastiveLoss",
    "CONVOLUTION": "Convolution",
    "DATA": "Data",
    "DECONVOLUTION": "Deconvolution",
    "DROPOUT": "Dropout",
    "DUMMY_DATA": "DummyData",
    "ELTWISE": "Eltwise",
    "EUCLIDEAN_LOSS": "EuclideanLoss",
    "EXP": "Exp",
    "FLATTEN": "Flatten",
    "HDF5_DATA": "HDF5Data",
    "HDF5_OUTPUT": "HDF5Output",
    "HINGE_LOSS": "HingeLoss",
    "IM2COL": "Im2col",
    "IMAGE_DATA": "ImageData",
    "IMAGE_SEG_DATA": "ImageSegData",
    "INFOGAIN_LOSS": "InfogainLoss",
    "INNER_PRODUCT": "InnerProduct",
    "INTERP": "Interp",
    "LRN": "LRN",
    "MEMORY_DATA": "MemoryData",
    "MULTINOMIAL_LOGISTIC_LOSS": "MultinomialLogisticLoss",
    "MVN": "MVN",
    "POOLING": "Pooling",
    "POWER": "Power",
    "RELU": "ReLU",
    "RELU6": "ReLU6",
    "SEG_ACCURACY": "SegAccuracy",
    "SIGMOID": "Sigmoid",
    "SIGMOID_CROSS_ENTROPY_LOSS": "SigmoidCrossEntropyLoss",
    "SILENCE": "Silence",
    "SLICE": "Slice",
    "SOFTMAX": "Softmax",
    "SOFTMAX_LOSS": "SoftmaxWithLoss",
    "SPLIT": "Split",
    "TANH": "TanH",
    "THRESHOLD": "Threshold",
    "UNPOOLING": "Unpooling",
    "WINDOW_DATA": "WindowData",
}
REFUSAL = (
    "Refusing to upgrade inconsistent NetParameter input; the definition includes both 'layer' and 'layers' fields. "
    "Needed: every layer in the current form, layer { type: 'Layer' ... } and not layers { type: LAYER ... }"
)


def upgrade_v1(written: caffe_pb2.NetParameter, place: Callable[..., str]) -> tuple[caffe_pb2.NetParameter, bool]:
    """The present form of a V1 net, layer by layer, and whether nothing was lost.  Raises PrototxtError when both forms stand in it."""
    if written.layer:
        raise PrototxtError(f"{place('layers', 0)}: layer '{written.layers[0].name}': {REFUSAL}")
    net = caffe_pb2.NetParameter()
    net.CopyFrom(written)
    net.ClearField("layers")
    complete = True
    for index, old in enumerate(written.layers):
        _upgrade_layer(old, net.layer.add())
        if old.HasField("layer"):
            log.error("upgrade_proto.cpp:848", "Input NetParameter has V0 layer -- ignoring.")
            log.error("upgrade_proto.cpp:689", f"Upgrade of input layer {index} failed.")
            complete = False
    return net, complete


def _upgrade_layer(old: caffe_pb2.V1LayerParameter, new: caffe_pb2.LayerParameter) -> None:
    if old.HasField("name"):
        new.name = old.name
    if old.HasField("type"):
        new.type = TYPES[caffe_pb2.V1LayerParameter.LayerType.Name(old.type)]
    new.bottom.extend(old.bottom)
    new.top.extend(old.top)
    new.loss_weight.extend(old.loss_weight)
    new.blobs.extend(old.blobs)
    new.include.extend(old.include)
    new.exclude.extend(old.exclude)
    for index, name in enumerate(old.param):
        _param(new, index).name = name
    for index, mode in enumerate(old.blob_share_mode):
        permissive = mode == caffe_pb2.V1LayerParameter.PERMISSIVE
        _param(new, index).share_mode = caffe_pb2.ParamSpec.PERMISSIVE if permissive else caffe_pb2.ParamSpec.STRICT
    for index, rate in enumerate(old.blobs_lr):
        _param(new, index).lr_mult = rate
    for index, decay in enumerate(old.weight_decay):
        _param(new, index).decay_mult = decay
    for field, value in old.ListFields():
        same = new.DESCRIPTOR.fields_by_name.get(field.name)
        if field.name.endswith("_param") and same is not None and is_message(same) and same.message_type is field.message_type:
            getattr(new, field.name).CopyFrom(value)


def _param(layer: caffe_pb2.LayerParameter, index: int) -> caffe_pb2.ParamSpec:
    """The layer's ParamSpec ``index``, made if need be."""
    while len(layer.param) <= index:
        layer.param.add()
    return layer.param[index]
