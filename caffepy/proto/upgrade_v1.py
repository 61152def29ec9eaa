"""Upgrades nets of 2014 (V1) to the present format.

``layers { type: CONVOLUTION blobs_lr: 1 }`` becomes ``layer { type: "Convolution" }``.
"""

from __future__ import annotations

from collections.abc import Callable

from caffepy import log
from caffepy.errors import PrototxtError
from caffepy.proto import caffe_pb2
from caffepy.proto.fields import is_message, set_fields

TYPES = {
    "NONE": "",
    "ABSVAL": "AbsVal",
    "ACCURACY": "Accuracy",
    "ANNOTATED_DATA": "AnnotatedData",
    "ARGMAX": "ArgMax",
    "AXPY": "Axpy",
    "BATCH_NORM": "BatchNorm",
    "BATCH_REINDEX": "BatchReindex",
    "BIAS": "Bias",
    "BN": "BN",
    "BNLL": "BNLL",
    "BOX_ANNOTATOR_OHEM": "BoxAnnotatorOHEM",
    "CENTER_LOSS": "CenterLoss",
    "CHANNEL_NORM": "ChannelNorm",
    "CLIP": "Clip",
    "CONCAT": "Concat",
    "CONTINUATION_INDICATOR": "ContinuationIndicator",
    "CONTRASTIVE_LOSS": "ContrastiveLoss",
    "CONVOLUTION": "Convolution",
    "CONVOLUTION3D": "Convolution3D",
    "CONVOLUTION_DEPTHWISE": "ConvolutionDepthwise",
    "CORRELATION": "Correlation",
    "CROP": "Crop",
    "CTC_GREEDY_DECODER": "CTCGreedyDecoder",
    "CTC_LOSS": "CTCLoss",
    "DATA": "Data",
    "DECONVOLUTION": "Deconvolution",
    "DENSE_IMAGE_DATA": "DenseImageData",
    "DEPTHWISE_CONVOLUTION": "DepthwiseConvolution",
    "DETECTION_EVALUATE": "DetectionEvaluate",
    "DETECTION_OUTPUT": "DetectionOutput",
    "DETECTNET_TRANSFORMATION": "DetectNetTransformation",
    "DOWNSAMPLE": "Downsample",
    "DROPOUT": "Dropout",
    "DUMMY_DATA": "DummyData",
    "ELTWISE": "Eltwise",
    "ELU": "ELU",
    "EMBED": "Embed",
    "EUCLIDEAN_LOSS": "EuclideanLoss",
    "EXP": "Exp",
    "FILTER": "Filter",
    "FLATTEN": "Flatten",
    "FLOW_WARP": "FlowWarp",
    "GATHER": "Gather",
    "HDF5_DATA": "HDF5Data",
    "HDF5_OUTPUT": "HDF5Output",
    "HINGE_LOSS": "HingeLoss",
    "IM2COL": "Im2col",
    "IMAGE_DATA": "ImageData",
    "IMAGE_LABELMAP_DATA": "ImageLabelmapData",
    "IMAGE_SEG_DATA": "ImageSegData",
    "INFOGAIN_LOSS": "InfogainLoss",
    "INNER_PRODUCT": "InnerProduct",
    "INPUT": "Input",
    "INTERP": "Interp",
    "L1_LOSS": "L1Loss",
    "LABELSEQUENCE_ACCURACY": "LabelsequenceAccuracy",
    "LABEL_SPECIFIC_ADD": "LabelSpecificAdd",
    "LOG": "Log",
    "LRN": "LRN",
    "LSTM": "LSTM",
    "LSTM_UNIT": "LSTMUnit",
    "MARGIN_INNER_PRODUCT": "MarginInnerProduct",
    "MEMORY_DATA": "MemoryData",
    "MULTIBOX_LOSS": "MultiBoxLoss",
    "MULTINOMIAL_LOGISTIC_LOSS": "MultinomialLogisticLoss",
    "MVN": "MVN",
    "NORMALIZE": "Normalize",
    "PARALLEL_DATA": "ParallelData",
    "PARALLEL_INMEM_DATA": "ParallelInMemData",
    "PARAMETER": "Parameter",
    "PERMUTE": "Permute",
    "POOLING": "Pooling",
    "POOLING3D": "Pooling3D",
    "POWER": "Power",
    "PRELU": "PReLU",
    "PRIOR_BOX": "PriorBox",
    "PROPOSAL": "Proposal",
    "PSROI_POOLING": "PSROIPooling",
    "PYTHON": "Python",
    "REDUCTION": "Reduction",
    "REGION_LOSS": "RegionLoss",
    "RELU": "ReLU",
    "RELU6": "ReLU6",
    "REORG": "Reorg",
    "RESAMPLE": "Resample",
    "RESHAPE": "Reshape",
    "REVERSE": "Reverse",
    "RNN": "RNN",
    "ROI_ALIGN": "ROIAlign",
    "ROI_POOLING": "ROIPooling",
    "SCALE": "Scale",
    "SEG_ACCURACY": "SegAccuracy",
    "SHUFFLE_CHANNEL": "ShuffleChannel",
    "SIGMOID": "Sigmoid",
    "SIGMOID_CROSS_ENTROPY_LOSS": "SigmoidCrossEntropyLoss",
    "SILENCE": "Silence",
    "SLICE": "Slice",
    "SMOOTH_L1_LOSS": "SmoothL1Loss",
    "SMOOTH_L1_LOSS_OHEM": "SmoothL1LossOHEM",
    "SOFTMAX": "Softmax",
    "SOFTMAX_LOSS": "SoftmaxWithLoss",
    "SOFTMAX_WITH_LOSS_OHEM": "SoftmaxWithLossOHEM",
    "SPATIAL_DROPOUT": "SpatialDropout",
    "SPATIAL_TRANSFORMER": "SpatialTransformer",
    "SPLIT": "Split",
    "SPP": "SPP",
    "SWISH": "Swish",
    "TANH": "TanH",
    "THRESHOLD": "Threshold",
    "TILE": "Tile",
    "TRANSPOSE": "Transpose",
    "TRIPLET_LOSS": "TripletLoss",
    "UNPOOLING": "Unpooling",
    "UPSAMPLE": "Upsample",
    "VIDEO_DATA": "VideoData",
    "WINDOW_DATA": "WindowData",
    "YOLOV3": "Yolov3",
    "YOLOV3_DETECTION_OUTPUT": "Yolov3DetectionOutput",
    "YOLO_DETECTION_OUTPUT": "YoloDetectionOutput",
}
VOLUMES = {
    "Convolution3D": ("convolution_param", "convolution3d_param"),
    "Pooling3D": ("pooling_param", "pooling3d_param"),
}
"""By type: the message in which C3D v1.0 has its fields, and that of C3D v1.1."""
REFUSAL = (
    "Refusing to upgrade inconsistent NetParameter input; the definition includes both"
    " 'layer' and 'layers' fields. "
    "Needed: every layer in the current form, layer { type: 'Layer' ... } and not layers {"
    " type: LAYER ... }"
)


def upgrade_v1(
    written: caffe_pb2.NetParameter, place: Callable[..., str]
) -> tuple[caffe_pb2.NetParameter, bool]:
    """The present form of a V1 net, layer by layer, and whether every setting was kept.

    Raises PrototxtError if the net has layers of both forms.
    """
    if written.layer:
        raise PrototxtError(f"{place('layers', 0)}: layer '{written.layers[0].name}': {REFUSAL}")
    net = caffe_pb2.NetParameter()
    net.CopyFrom(written)
    net.ClearField("layers")
    complete = True
    for index, old in enumerate(written.layers):
        new = net.layer.add()
        _upgrade_layer(old, new)
        if new.type in VOLUMES:
            _take_volumes(new, lambda *path, index=index: place("layers", index, *path))
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
        _param(new, index).share_mode = (
            caffe_pb2.ParamSpec.PERMISSIVE if permissive else caffe_pb2.ParamSpec.STRICT
        )
    for index, rate in enumerate(old.blobs_lr):
        _param(new, index).lr_mult = rate
    for index, decay in enumerate(old.weight_decay):
        _param(new, index).decay_mult = decay
    for field, value in old.ListFields():
        same = new.DESCRIPTOR.fields_by_name.get(field.name)
        if (
            field.name.endswith("_param")
            and same is not None
            and is_message(same)
            and same.message_type is field.message_type
        ):
            getattr(new, field.name).CopyFrom(value)


def _take_volumes(layer: caffe_pb2.LayerParameter, place: Callable[..., str]) -> None:
    """Move fields of C3D v1.0's layers for volumes to the messages that C3D v1.1 has for them."""
    source, target = VOLUMES[layer.type]
    if not layer.HasField(source):
        return
    new = getattr(layer, target)
    for field, path, value in set_fields(getattr(layer, source)):
        same = new.DESCRIPTOR.fields_by_name.get(field.name)
        where = f"{place(source, *path)}: layer '{layer.name}'"
        if same is None:
            raise PrototxtError(f"{where}: {field.name} is none of C3D's fields for a {layer.type}")
        if path[1:] not in ((), (0,)):
            raise PrototxtError(
                f"{where}: {field.name} is given twice; C3D takes one number for height and width"
            )
        if is_message(field):
            getattr(new, field.name).CopyFrom(value)
        elif field.enum_type is not None:
            name = field.enum_type.values_by_number[value].name
            if name not in same.enum_type.values_by_name:
                raise PrototxtError(
                    f"{where}: {field.name} {name} is none of C3D's for a {layer.type}"
                )
            setattr(new, field.name, same.enum_type.values_by_name[name].number)
        else:
            setattr(new, field.name, value)
    layer.ClearField(source)


def _param(layer: caffe_pb2.LayerParameter, index: int) -> caffe_pb2.ParamSpec:
    """The layer's ParamSpec ``index``, made if need be."""
    while len(layer.param) <= index:
        layer.param.add()
    return layer.param[index]
