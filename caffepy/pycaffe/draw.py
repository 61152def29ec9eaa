"""caffe.draw: pictures of nets, as files or bytes."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from caffepy.layers.core.base import TEST, TRAIN
from caffepy.proto import caffe_pb2
from caffepy.proto.upgrade import upgrade_net
from caffepy.pycaffe.arguments import file_name
from caffepy.pycaffe.errors import WrongType, WrongValue
from caffepy.report import draw as report

CONVOLUTIONS = ("Convolution", "Deconvolution")
LEARNING = (*CONVOLUTIONS, "InnerProduct")
COLORS = {**dict.fromkeys(CONVOLUTIONS, "#FF5050"), "Pooling": "#FF9900", "InnerProduct": "#CC33FF"}
NEW_LINE = r"\n"
"""As graphviz has it."""
FORMATS = ("dot", "pdf", "png", "ps", "svg")
PHASES = {None: report.ALL, TRAIN: "TRAIN", TEST: "TEST"}


class Graph:
    """A net's picture before it has a format.

    It has the methods of a pydot graph that scripts use.
    """

    def __init__(self, net: object, rankdir: str, phase: int | None, display_lrm: bool) -> None:
        self._net = net
        self._rankdir = rankdir
        self._phase = phase
        self._lrm = display_lrm

    def create(self, format: str = "ps") -> bytes:
        """The picture in a format: png, svg, pdf, ps or dot."""
        return draw_net(self._net, self._rankdir, format, self._phase, self._lrm)

    def to_string(self) -> str:
        """The picture in graphviz's language."""
        return self.create("dot").decode()

    def write(self, path: str, format: str | None = None) -> bool:
        """Write the picture to a file."""
        Path(path).write_bytes(self.create(format or Path(path).suffix.removeprefix(".") or "dot"))
        return True

    def __getattr__(self, name: str) -> Any:
        """``create_png()``, ``write_svg(path)`` and so on, for each format."""
        method, _, format = name.partition("_")
        if method == "create" and format in FORMATS:
            return partial(self.create, format)
        if method == "write" and format in FORMATS:
            return partial(self.write, format=format)
        raise AttributeError(f"a net's picture has no {name}")


def draw_net_to_file(
    caffe_net: object,
    filename: str | os.PathLike[str],
    rankdir: str = "LR",
    phase: int | None = None,
    display_lrm: bool = False,
) -> None:
    """Draw a NetParameter to a file, whose ending says the format: png, svg, pdf, dot.

    ``rankdir``: LR (from left to right), TB, BT or RL. ``phase``: caffe.TRAIN or TEST, None for all
    layers. ``display_lrm``: show learning rate multipliers.
    """
    if phase not in PHASES:
        raise WrongValue(f"draw_net: phase is {phase!r}; needed: caffe.TRAIN, caffe.TEST or None")
    if not isinstance(caffe_net, caffe_pb2.NetParameter):
        raise WrongType(
            f"draw_net({caffe_net!r}); needed: a caffe_pb2.NetParameter, such as"
            " text_format reads from a prototxt"
        )
    net, _ = upgrade_net(caffe_net, "the net to be drawn")
    report.draw_net_to_file(
        net, file_name(filename), rankdir=rankdir, phase=PHASES[phase], display_lrm=display_lrm
    )


def draw_net(
    caffe_net: object,
    rankdir: str,
    ext: str = "png",
    phase: int | None = None,
    display_lrm: bool = False,
) -> bytes:
    """The picture that `draw_net_to_file` would write, in the format ``ext``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"net.{ext}"
        draw_net_to_file(caffe_net, path, rankdir, phase, display_lrm)
        return path.read_bytes()


def get_pydot_graph(
    caffe_net: object,
    rankdir: str,
    label_edges: bool = True,
    phase: int | None = None,
    display_lrm: bool = False,
) -> Graph:
    """The picture as an object like pydot's.

    Edges have labels where the boxes do not tell the blob.
    """
    return Graph(caffe_net, rankdir, phase, display_lrm)


def get_pooling_types_dict() -> dict[int, str]:
    """Number of a pooling method → its name."""
    return {number: name for name, number in caffe_pb2.PoolingParameter.PoolMethod.items()}


def get_layer_lr_mult(layer: caffe_pb2.LayerParameter) -> tuple[float, float]:
    """The lr_mult of weights and biases, for the types of which Caffe shows them."""
    if layer.type not in LEARNING:
        raise WrongValue(
            f"{layer.type} layers do not have a learning rate multiplier; needed:"
            f" {', '.join(LEARNING)}"
        )
    if len(layer.param) > 2:
        raise WrongValue(
            f"layer '{layer.name}' has {len(layer.param)} param; needed: at most 2, of"
            " weights and biases"
        )
    given = [param.lr_mult for param in layer.param]
    return given[0] if given else 1.0, given[1] if len(given) > 1 else 1.0


def get_layer_label(
    layer: caffe_pb2.LayerParameter, rankdir: str, display_lrm: bool = False
) -> str:
    """What Caffe writes in a layer's box, in quotes: name, type, window and multipliers."""
    words = [layer.name, f"({layer.type})"]
    if layer.type == "Pooling":
        pool = layer.pooling_param
        words[1] = f"({layer.type} {get_pooling_types_dict()[pool.pool]})"
        words += [f"kernel size: {pool.kernel_size}", f"stride: {pool.stride}", f"pad: {pool.pad}"]
    elif layer.type in CONVOLUTIONS:
        conv = layer.convolution_param
        size = conv.kernel_size[0] if conv.kernel_size else 1
        stride = conv.stride[0] if conv.stride else 1
        pad = conv.pad[0] if conv.pad else 0
        words += [f"kernel size: {size}", f"stride: {stride}", f"pad: {pad}"]
    if display_lrm and layer.type in LEARNING and any(get_layer_lr_mult(layer)):
        words.append("lr mult: {:.1f}, {:.1f}".format(*get_layer_lr_mult(layer)))
    return f'"{(" " if rankdir in ("TB", "BT") else NEW_LINE).join(words)}"'


def get_edge_label(layer: caffe_pb2.LayerParameter) -> str:
    """The label of an arrow: a layer's batch or number of outputs.

    Where there is neither it is ``""``, quotes included.
    """
    if layer.type == "Data":
        return f"Batch {layer.data_param.batch_size}"
    if layer.type in CONVOLUTIONS:
        return str(layer.convolution_param.num_output)
    return str(layer.inner_product_param.num_output) if layer.type == "InnerProduct" else '""'


def choose_color_by_layertype(layertype: str) -> str:
    """The colour of a layer's box in Caffe's pictures."""
    return COLORS.get(layertype, "#6495ED")
