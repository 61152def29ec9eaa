"""Which fork of Caffe has a field, an enum value or a layer type that BVLC Caffe lacks.

``forks.tsv`` is made from the marks in ``proto/caffe.proto``. ``fork_types.tsv`` has the layer
types that forks register, each with its forks and, where the type is not here, the nearest way. The
table `FIELDS` has fields that are not in the schema, such as those of changes that were never
released.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.message import Message

from caffepy.proto import caffe_pb2
from caffepy.proto.fields import Field, is_message, is_repeated, set_fields

FORKS = {
    "ssd": "weiliu89/caffe@ssd",
    "fast-rcnn": "rbgirshick/caffe-fast-rcnn",
    "rfcn": "daijifeng001/caffe-rfcn",
    "refinedet": "sfzhang15/RefineDet",
    "pspnet": "hszhao/PSPNet",
    "segnet": "alexgkendall/caffe-segnet",
    "yolo": "eric612/MobileNet-YOLO",
    "face": "ydwen/caffe-face",
    "shufflenet": "farmingyard/ShuffleNet",
    "lab": "wywu/LAB",
    "intel": "intel/caffe",
    "nv": "NVIDIA/caffe",
    "synopsys": "synopsys-caffe",
    "gpi": "CaffeGPI",
    "pmls": "PMLS-Caffe",
    "caffe-mpi-1.0": "Caffe-MPI 1.0",
    "caffe-mpi-2016": "Caffe-MPI 2016",
    "caffe-mpi": "Caffe-MPI",
    "crfasrnn": "torrvision/crfasrnn",
    "cpm": "CMU's caffe of convolutional pose machines",
    "deeplab": "DeepLab's first Caffe",
    "deeplab-v2": "DeepLab v2's Caffe",
    "deconvnet": "HyeonwooNoh/caffe",
    "fusenet": "tum-vision/fusenet",
    "convlstm": "agethen/ConvLSTM-for-Caffe",
    "caffe-lstm": "junhyukoh/caffe-lstm",
    "ctpn": "tianzhi0549/caffe",
    "c3d": "facebook/C3D",
    "ascend": "Huawei's Caffe for Ascend",
    "cascade": "zhaoweicai/cascade-rcnn",
    "sphereface": "wy1iu/sphereface",
    "fr-chairs": "dosovits/caffe-fr-chairs",
    "hzli": "hzli-ucas/caffe",
    "flownet": "lmb-freiburg/flownet2",
    "normface": "happynear/NormFace",
    "caffe-windows": "happynear/caffe-windows",
    "pvanet": "PVANet's Caffe",
    "squeezedet": "opencv's SqueezeDet",
    "xilinx": "caffe-xilinx",
    "ctc": "the CTC change to BVLC Caffe",
    "warpctc": "xmfbit/warpctc-caffe",
    "depthwise": "yonghenglh6/DepthwiseConvolution",
    "enet": "TimoSaemann/caffe-enet",
    "hed": "s9xie/hed",
    "mobilenet": "farmingyard/caffe-mobilenet",
    "pai": "Alibaba PAI-Caffe",
    "senet": "hujie-frank/SENet",
    "stn": "daerduoCarey/SpatialTransformerLayer",
    "tsn": "yjxiong/caffe",
    "opencl": "naibaf7/caffe",
    "pr": "an unmerged change to BVLC Caffe",
}
FIELDS = {
    "crfasrnn": (
        "LayerParameter.multi_stage_meanfield_param V1LayerParameter.multi_stage_meanfield_param"
    ),
    "cpm": (
        "LayerParameter.cpmdata_param TransformationParameter.stride"
        " TransformationParameter.max_rotate_degree TransformationParameter.crop_size_x"
        " TransformationParameter.crop_size_y TransformationParameter.num_parts"
    ),
    "deeplab": (
        "ImageDataParameter.has_label ImageDataParameter.max_labels"
        " V1LayerParameter.bias_channel_param V1LayerParameter.dense_crf_param"
        " V1LayerParameter.dominant_channel_param V1LayerParameter.mat_read_param"
        " V1LayerParameter.mat_write_param V1LayerParameter.padding_param"
        " V1LayerParameter.softmaxloss_param V1LayerParameter.strict_dim"
    ),
    "c3d": (
        "DataParameter.show_data PoolingParameter.temporal_pad"
        " V1LayerParameter.down_sampling_param VideoDataParameter.show_data"
        " VideoDataParameter.use_image"
    ),
    "cascade": (
        "LayerParameter.bbox_reg_param LayerParameter.box_group_output_param"
        " ROIPoolingParameter.pad_ratio"
    ),
    "normface": "AccuracyParameter.min_is_better LayerParameter.general_triplet_loss_param"
    " LayerParameter.inner_distance_param ParameterParameter.blob_filler ScaleParameter.min_value",
    "squeezedet": "LayerParameter.squeezedet_param",
    "xilinx": "LayerParameter.fixed_param LayerParameter.gs_tiling_param",
    "intel": "SolverParameter.multinode_param",
    "pai": (
        "LayerParameter.binary_data_param SolverParameter.data_distribute_mode"
        " SolverParameter.model_average_iter_interval"
    ),
    "tsn": "SolverParameter.richness",
    "opencl": (
        "LayerParameter.affinity_param LayerParameter.mergecrop_param MemoryDataParameter.dim"
    ),
    "pr": (
        "LayerParameter.device LayerParameter.multi_label_data_param"
        " LayerParameter.param_bottoms LayerParameter.randvec_param"
        " LayerParameter.rbm_inner_product_param SolverParameter.stepearly"
        " V0LayerParameter.datum_dims V0LayerParameter.subtraction CropParameter.blob_name"
        " DropoutParameter.scale_test PoolingParameter.PoolMethod.MIN"
        " TransformationParameter.max_resize TransformationParameter.min_resize"
    ),
}


NO_MEAN_FIELD = (
    "CRF-RNN's mean field is not computed here; needed: the net without this layer, which gives the"
    " scores that it refines, and a dense CRF on these scores and the picture behind it, by a"
    " program of its own or in a Python layer"
)
WAYS = dict.fromkeys(FIELDS["crfasrnn"].split(), NO_MEAN_FIELD)
"""What to use in place of fields, or what is known of them."""
NO_OWN_WAY = 'nearest way: a layer in Python, with type: "Python"'
"""For types of forks without a nearer one."""
SEVERAL_DEFAULTS = frozenset(["BatchNormParameter.update_global_stats"])
"""Their default is not the same in all forks."""


@dataclass(frozen=True)
class ForkField:
    """A field of a fork that is set in a message, or a field whose value is a fork's."""

    path: tuple[str | int, ...]
    """Its path in the message, as in a source map."""
    name: str
    """``PoolingParameter.pad_3d``, or ``PoolingParameter.PoolMethod.AVE_TF``."""
    forks: str

    def __str__(self) -> str:
        return (
            f"'{self.name}' is not BVLC Caffe's{fork_note(self.forks)} and does nothing here;"
            f" needed: the definition without it{way_around(self.name)}"
        )


def forks_of(name: str) -> str:
    """The forks that have a field ``Message.field`` or a value ``Message.Enum.VALUE``.

    Empty for BVLC's own and for unknown names.
    """
    return ", ".join(FORKS[key] for key in keys_of(name))


def keys_of(name: str) -> tuple[str, ...]:
    """The same as keys of ``FORKS``."""
    return _marks().get(name, ())


def way_around(name: str) -> str:
    """What to use in place of a fork's field, to end an error message, or nothing."""
    return f"; {WAYS[name]}" if name in WAYS else ""


def way_around_type(name: str) -> str:
    """What to use in place of a fork's layer type, to end an error message; nothing for others."""
    if not forks_of_type(name):
        return ""
    _, way = fork_types().get(name, ((), ""))
    return f"; nearest way: {way}" if way else f"; {NO_OWN_WAY}"


def fork_note(forks: str) -> str:
    """`` (fork: ...)`` for the end of a clause, or nothing."""
    return f" (fork: {forks})" if forks else ""


def forks_of_type(type_name: str) -> str:
    """The forks that have a layer type; empty for BVLC's own and for unknown types."""
    keys: list[str] = []
    for field in caffe_pb2.LayerParameter.DESCRIPTOR.fields:
        if _message_name(field) == f"{type_name}Parameter":
            keys += _marks().get(f"LayerParameter.{field.name}", ())
    keys += fork_types().get(type_name, ((), ""))[0]
    return ", ".join(FORKS[key] for key in dict.fromkeys(keys))


def fork_fields(
    message: Message, known: frozenset[str] = frozenset(), *, skip: frozenset[str] = frozenset()
) -> Iterator[ForkField]:
    """What is set in ``message``, at any depth, and neither BVLC's nor in ``known``.

    A field at its default counts as not set. Values of a field ``engine`` are ignored, as they
    choose a library and not a result. ``skip``: fields of ``message`` itself that are not examined.
    """
    for field, path, item in set_fields(message, skip=skip):
        name = f"{_scope(message.DESCRIPTOR.full_name)}.{field.name}"
        if name not in known and forks_of(name):
            if _at_default(field, name, item):
                continue
            yield ForkField(path, name, forks_of(name))
        elif is_message(field):
            yield from (
                ForkField((*path, *inner.path), inner.name, inner.forks)
                for inner in fork_fields(item, known)
            )
        elif field.enum_type is not None and field.name != "engine":
            named = f"{_scope(field.enum_type.full_name)}.{_value(field.enum_type, item)}"
            if named not in known and forks_of(named):
                yield ForkField(path, named, forks_of(named))


def _at_default(field: Field, name: str, item: object) -> bool:
    """Whether a fork's field has the value that the fork takes without it.

    A 0 without a declared default may mean something else.
    """
    if is_repeated(field) or is_message(field) or name in SEVERAL_DEFAULTS:
        return False
    return bool(item == field.default_value) and (
        field.has_default_value or item is False or item == ""
    )


def _message_name(field: Field) -> str:
    return str(field.message_type.name) if is_message(field) else ""


def _scope(full_name: str) -> str:
    return full_name.removeprefix("caffe.")


def _value(enum: EnumDescriptor, number: int) -> str:
    named = enum.values_by_number.get(number)
    return named.name if named else ""


@cache
def _marks() -> dict[str, tuple[str, ...]]:
    """Name to keys of ``FORKS``."""
    marks: dict[str, tuple[str, ...]] = {}
    for key, names in FIELDS.items():
        marks.update(dict.fromkeys(names.split(), (key,)))
    for line in Path(__file__).with_name("forks.tsv").read_text().splitlines():
        name, keys = line.split("\t")
        if keys != "caffepy":
            marks[name] = tuple(keys.split())
    return marks


@cache
def fork_types() -> dict[str, tuple[tuple[str, ...], str]]:
    """Layer type to keys of ``FORKS`` and, for one that is not here, the nearest way."""
    types: dict[str, tuple[tuple[str, ...], str]] = {}
    for line in Path(__file__).with_name("fork_types.tsv").read_text().splitlines():
        name, keys, *way = line.split("\t")
        types[name] = (tuple(keys.split()), way[0] if way else "")
    return types
