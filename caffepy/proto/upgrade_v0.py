"""Upgrades nets of 2013 (V0) to the next format (V1).

V0: ``layers { layer { type: "conv" kernelsize: 3 } bottom: ... }``. All settings of all types were
fields of one message; ``MOVES`` says where each field is in V1. The problems reported, and their
order, are Caffe's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from google.protobuf.message import Message

from caffepy import log
from caffepy.errors import PrototxtError, nearest
from caffepy.proto import caffe_pb2
from caffepy.proto.fields import is_message, is_repeated

TYPES = {
    "accuracy": "ACCURACY",
    "bnll": "BNLL",
    "concat": "CONCAT",
    "conv": "CONVOLUTION",
    "data": "DATA",
    "dropout": "DROPOUT",
    "euclidean_loss": "EUCLIDEAN_LOSS",
    "flatten": "FLATTEN",
    "hdf5_data": "HDF5_DATA",
    "hdf5_output": "HDF5_OUTPUT",
    "im2col": "IM2COL",
    "images": "IMAGE_DATA",
    "infogain_loss": "INFOGAIN_LOSS",
    "innerproduct": "INNER_PRODUCT",
    "lrn": "LRN",
    "multinomial_logistic_loss": "MULTINOMIAL_LOGISTIC_LOSS",
    "pool": "POOLING",
    "relu": "RELU",
    "sigmoid": "SIGMOID",
    "softmax": "SOFTMAX",
    "softmax_loss": "SOFTMAX_LOSS",
    "split": "SPLIT",
    "tanh": "TANH",
    "window_data": "WINDOW_DATA",
}
PARAMS = {
    "conv": "convolution_param",
    "innerproduct": "inner_product_param",
    "pool": "pooling_param",
    "dropout": "dropout_param",
    "lrn": "lrn_param",
    "concat": "concat_param",
    "data": "data_param",
    "hdf5_data": "hdf5_data_param",
    "images": "image_data_param",
    "window_data": "window_data_param",
    "infogain_loss": "infogain_loss_param",
    "hdf5_output": "",
}


@dataclass(frozen=True)
class Move:
    """A V0 field: its name in V1, the V0 types that have it, and Caffe's log line for others."""

    setting: str
    name: str
    types: tuple[str, ...]
    line: int


MOVES = (
    Move("num_output", "num_output", ("conv", "innerproduct"), 237),
    Move("biasterm", "bias_term", ("conv", "innerproduct"), 249),
    Move("weight_filler", "weight_filler", ("conv", "innerproduct"), 261),
    Move("bias_filler", "bias_filler", ("conv", "innerproduct"), 273),
    Move("pad", "pad", ("conv", "pool"), 283),
    Move("kernelsize", "kernel_size", ("conv", "pool"), 295),
    Move("group", "group", ("conv",), 304),
    Move("stride", "stride", ("conv", "pool"), 314),
    Move("pool", "pool", ("pool",), 341),
    Move("dropout_ratio", "dropout_ratio", ("dropout",), 350),
    Move("local_size", "local_size", ("lrn",), 359),
    Move("alpha", "alpha", ("lrn",), 367),
    Move("beta", "beta", ("lrn",), 375),
    Move("k", "k", ("lrn",), 383),
    Move("source", "source", ("data", "hdf5_data", "images", "window_data", "infogain_loss"), 403),
    Move("batchsize", "batch_size", ("data", "hdf5_data", "images", "window_data"), 428),
    Move("rand_skip", "rand_skip", ("data", "images"), 446),
    Move("shuffle_images", "shuffle", ("images",), 455),
    Move("new_height", "new_height", ("images",), 464),
    Move("new_width", "new_width", ("images",), 473),
    Move("concat_dim", "concat_dim", ("concat",), 481),
    Move("det_fg_threshold", "fg_threshold", ("window_data",), 490),
    Move("det_bg_threshold", "bg_threshold", ("window_data",), 499),
    Move("det_fg_fraction", "fg_fraction", ("window_data",), 508),
    Move("det_context_pad", "context_pad", ("window_data",), 517),
    Move("det_crop_mode", "crop_mode", ("window_data",), 526),
    Move("hdf5_output_param", "hdf5_output_param", ("hdf5_output",), 535),
)
Place = Callable[..., str]
TRANSFORMS = {
    "scale": "scale",
    "meanfile": "mean_file",
    "cropsize": "crop_size",
    "mirror": "mirror",
}


@dataclass
class V0Upgrade:
    """The V1 net, the V0 layer of each of its layers, and whether every setting was kept."""

    net: caffe_pb2.NetParameter
    origins: list[int] = field(default_factory=list)
    complete: bool = True


def upgrade_v0(written: caffe_pb2.NetParameter, place: Place) -> V0Upgrade:
    """The V1 form of a V0 net.

    Of the net's own fields only name, inputs and force_backward are kept, as in Caffe.
    """
    result = V0Upgrade(caffe_pb2.NetParameter(input=written.input, input_dim=written.input_dim))
    for name in ("name", "force_backward"):
        if written.HasField(name):
            setattr(result.net, name, getattr(written, name))
    for index, layer in _without_padding(written, place):
        result.complete &= _upgrade_layer(layer, result.net.layers.add(), place("layers", index))
        result.origins.append(index)
    return result


def _without_padding(
    written: caffe_pb2.NetParameter, place: Place
) -> list[tuple[int, caffe_pb2.V1LayerParameter]]:
    """The layers (with their index) without padding layers.

    Their padding goes into the convolution or pooling that reads them.
    """
    kept: list[tuple[int, caffe_pb2.V1LayerParameter]] = []
    producer: dict[str, int | None] = dict.fromkeys(written.input)
    for index, connection in enumerate(written.layers):
        layer = caffe_pb2.V1LayerParameter()
        layer.CopyFrom(connection)
        if layer.layer.type != "padding":
            kept.append((index, layer))
        for at, bottom in enumerate(connection.bottom):
            if bottom not in producer:
                where = place("layers", index, "bottom", at)
                raise PrototxtError(
                    f"{where}: Unknown blob input {bottom} to layer"
                    f" '{_name(layer)}'{nearest(bottom, producer)}"
                )
            source = producer[bottom]
            if source is not None and written.layers[source].layer.type == "padding":
                _check_padding(written.layers[source], layer, place("layers", index))
                layer.layer.pad = written.layers[source].layer.pad
                layer.bottom[at] = written.layers[source].bottom[0]
        producer.update(dict.fromkeys(connection.top, index))
    return kept


def _check_padding(
    padding: caffe_pb2.V1LayerParameter, reader: caffe_pb2.V1LayerParameter, place: str
) -> None:
    where = f"{place}: layer '{_name(reader)}' reads padding layer '{_name(padding)}'"
    if reader.layer.type not in ("conv", "pool"):
        raise PrototxtError(f"{where}: its type is '{reader.layer.type}', only conv and pool can")
    if len(reader.bottom) != 1 or len(padding.bottom) != 1 or len(padding.top) != 1:
        raise PrototxtError(f"{where}: both must have one bottom, and the padding layer one top")


def _name(connection: caffe_pb2.V1LayerParameter) -> str:
    return connection.layer.name


def _upgrade_layer(
    connection: caffe_pb2.V1LayerParameter, new: caffe_pb2.V1LayerParameter, place: str
) -> bool:
    """Fill ``new``; False if a setting has no equivalent."""
    new.bottom.extend(connection.bottom)
    new.top.extend(connection.top)
    if not connection.HasField("layer"):
        return True
    old = connection.layer
    complete = True
    if old.HasField("name"):
        new.name = old.name
    if old.HasField("type"):
        _set(new, "type", _type(old, place))
    new.blobs.extend(old.blobs)
    new.blobs_lr.extend(old.blobs_lr)
    new.weight_decay.extend(old.weight_decay)
    for move in MOVES:
        if not old.HasField(move.setting):
            continue
        if old.type in move.types:
            param = PARAMS[old.type]
            _set(getattr(new, param) if param else new, move.name, getattr(old, move.setting))
        else:
            said = "shuffle" if move.setting == "shuffle_images" else move.setting
            log.error(
                f"upgrade_proto.cpp:{move.line}",
                f"Unknown parameter {said} for layer type {old.type}",
            )
            complete = False
    for setting, name in TRANSFORMS.items():
        if old.HasField(setting):
            _set(new.transform_param, name, getattr(old, setting))
    return complete


def _type(old: caffe_pb2.V0LayerParameter, place: str) -> int:
    if old.type not in TYPES:
        raise PrototxtError(
            f"{place}: layer '{old.name}': Unknown layer name: {old.type}{nearest(old.type, TYPES)}"
        )
    return caffe_pb2.V1LayerParameter.LayerType.Value(TYPES[old.type])


def _set(message: Message, name: str, value: object) -> None:
    """Set a field of any kind; the enum values of V0 have the same numbers in V1."""
    field_ = message.DESCRIPTOR.fields_by_name[name]
    if is_repeated(field_):
        getattr(message, name).append(value)
    elif is_message(field_):
        getattr(message, name).CopyFrom(value)
    else:
        setattr(message, name, value)
