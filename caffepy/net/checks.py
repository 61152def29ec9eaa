"""Checks that hold for layers of any type: the limits of Caffe's blobs, and fields of forks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from google.protobuf.message import Message

from caffepy import log
from caffepy.errors import LayerError, NetError
from caffepy.layers.core.base import Shape, count
from caffepy.layers.core.registry import layer_class
from caffepy.net.filter import Where
from caffepy.net.layer_errors import layer_errors
from caffepy.proto import caffe_pb2
from caffepy.proto.fields import beyond_int
from caffepy.proto.forks import ForkField, fork_fields

MOST_ELEMENTS = 2**31 - 1
"""Most elements of a blob, as in Caffe, which counts in an int."""
MOST_AXES = 32
BLOBS, LAYERS = frozenset(["blobs"]), frozenset(["layer"])
OF_FILLERS = frozenset(["FillerParameter.file"])
HARMLESS = {
    "NetParameter": (
        "default_forward_type default_backward_type default_forward_math default_backward_math"
        " global_grad_scale global_grad_scale_adaptive default_conv_algos_override"
        " default_cudnn_math_override reduce_buckets eltwise_mem_sharing"
    ),
    "LayerParameter": (
        "forward_type backward_type forward_math backward_math cudnn_math_override debug"
    ),
    "ConvolutionParameter": "conv_algorithm conv_algos_override cudnn_convolution_algo_seeker",
    "DataParameter": "cache precache threads parser_threads",
    "ImageDataParameter": (
        "cache precache threads show_data use_label num_truth_channels use_byte_input is_flow"
        " truth_scale clip_min clip_max"
    ),
    "TransformationParameter": "use_gpu_transform",
    "CorrelationParameter": "do_abs single_direction",
    "CTCLossParameter": "loss_calculation_t",
    "DetectionOutputParameter": "visualize visualize_threshold save_file",
    "LabelSpecificAddParameter": "transform_test",
    "RegionLossParameter": "side softmax jitter absolute random",
    "SegAccuracyParameter": "metric",
    "Yolov3Parameter": "side noobject_scale",
}
"""Fields of forks that change speed or precision, not what is computed.

So do those that the fork's own layer leaves unread. A field ``engine`` is another one.
"""


def check_net(net: caffe_pb2.NetParameter, place: Callable[..., str]) -> None:
    """Refuse settings of the whole net that only forks have."""
    for field in _unknown(net, frozenset(), LAYERS, place):
        raise NetError(f"{place(*field.path)}: {field}".removeprefix(": "))


def check_types(net: caffe_pb2.NetParameter, where: Where) -> None:
    """Refuse types and fields that only forks have, and too large numbers.

    This comes before data are opened and modules imported.
    """
    for index, layer in enumerate(net.layer):

        def place(*path: str | int, index: int = index) -> str:
            return where(index, *path)

        with layer_errors(layer.name, layer.type, place):
            for field in _unknown(
                layer, layer_class(layer.type).fork_fields | OF_FILLERS, BLOBS, place
            ):
                raise LayerError(str(field), field.path)
            for path, value in beyond_int(layer, skip=BLOBS):
                name = [part for part in path if isinstance(part, str)][-1]
                raise LayerError(f"{name} is {value}; needed: at most {MOST_ELEMENTS}", path)


def _unknown(
    message: Message, known: frozenset[str], skip: frozenset[str], place: Callable[..., str]
) -> Iterator[ForkField]:
    """Fields of forks that would change the result; fields without an effect here are logged."""
    for field in fork_fields(message, known, skip=skip):
        owner, *_, name = field.name.split(".")
        if name == "engine" or name in HARMLESS.get(owner, "").split():
            said = f"'{field.name}' is another Caffe's ({field.forks}) and has no effect here"
            log.warning("net.cpp:0", f"{place(*field.path)}: {said}".removeprefix(": "))
        else:
            yield field


def check_bottoms(shapes: Sequence[Shape]) -> None:
    """LayerError for an axis of length 0, except the number of items, which Filter can make 0."""
    for i, shape in enumerate(shapes):
        if 0 in shape[1:]:
            raise LayerError(
                f"bottom {i} has shape {shape}; needed: at least 1 in every axis but the first",
                ("bottom", i),
            )


def check_tops(
    param: caffe_pb2.LayerParameter, bottoms: Sequence[Shape], tops: Sequence[Shape]
) -> None:
    """LayerError for tops that are no valid blobs.

    A top that overwrites its bottom needs the bottom's shape.
    """
    for i, shape in enumerate(tops):
        check_size(f"top {i}", shape)
        in_place = i < min(len(param.top), len(param.bottom)) and param.top[i] == param.bottom[i]
        if in_place and shape != bottoms[i]:
            raise LayerError(
                f"top '{param.top[i]}' is also the bottom, and has shape {shape} where that has"
                f" {bottoms[i]}; needed: a top of another name",
                ("top", i),
            )


def check_size(what: str, shape: Shape) -> None:
    """LayerError for a shape that Caffe's Blob refuses."""
    if len(shape) > MOST_AXES:
        raise LayerError(f"{what} has {len(shape)} axes; needed: at most {MOST_AXES}")
    if any(n < 0 for n in shape):
        raise LayerError(f"{what} has shape {shape}; needed: no negative dimension")
    if count(shape) > MOST_ELEMENTS or any(n > MOST_ELEMENTS for n in shape):
        raise LayerError(
            f"{what} has shape {shape}, {count(shape)} elements: blob size exceeds INT_MAX;"
            f" needed: at most {MOST_ELEMENTS}"
        )
