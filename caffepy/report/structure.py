"""A net's prototxt as a table, a line for each layer, as Caffe's ``summarize.py`` shows it.

It is made of the text alone: nothing is built.
"""

from __future__ import annotations

from collections.abc import Iterable

from caffepy.proto import caffe_pb2
from caffepy.proto.window_fields import window_field

WindowParameter = caffe_pb2.ConvolutionParameter | caffe_pb2.PoolingParameter
HEAD = ("name", "type", "parameters", "bottoms", "", "tops", "kernel/stride+pad outputs/group")


def structure(net: caffe_pb2.NetParameter) -> list[str]:
    """The lines for a NetParameter (upgraded)."""
    rows = [HEAD]
    for layer in net.layer:
        bottoms = ", ".join(layer.bottom)
        params = params_text(layer.param)
        tops = tops_text(layer)
        rows.append((layer.name, type_text(layer), params, bottoms, "->", tops, numbers(layer)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines


def type_text(layer: caffe_pb2.LayerParameter) -> str:
    """The type; of a Python layer its module and class."""
    if layer.type == "Python":
        return f"{layer.python_param.module}.{layer.python_param.layer}"
    return str(layer.type)


def params_text(params: Iterable[caffe_pb2.ParamSpec]) -> str:
    """The ParamSpecs, such as ``(w: 1, 2*0)``.

    Name where there is one, lr_mult where given, ``*`` decay_mult where given.
    """
    texts = []
    for param in params:
        rates = f"{param.lr_mult:g}" if param.HasField("lr_mult") else ""
        rates += f"*{param.decay_mult:g}" if param.HasField("decay_mult") else ""
        texts.append(": ".join(filter(None, (param.name, rates))) or "-")
    return f"({', '.join(texts)})" if texts else ""


def tops_text(layer: caffe_pb2.LayerParameter) -> str:
    """The tops, each after its loss weight where it has one."""
    weights = [f"{weight:g} * " for weight in layer.loss_weight] + [""] * len(layer.top)
    return ", ".join(f"{weight}{top}" for weight, top in zip(weights, layer.top))


def numbers(layer: caffe_pb2.LayerParameter) -> str:
    """The numbers of a layer.

    Of a convolution ``3/2+1 64/2``: kernel, stride, pad, outputs, group. Of a pooling the first
    three, of an inner product the outputs.
    """
    if layer.type in ("Convolution", "Deconvolution"):
        convolution = layer.convolution_param
        group = f"/{convolution.group}" if convolution.group != 1 else ""
        return f"{sizes(convolution, 'kernel')}{steps(convolution)} {convolution.num_output}{group}"
    if layer.type == "Pooling":
        pooling = layer.pooling_param
        return "global" if pooling.global_pooling else sizes(pooling, "kernel") + steps(pooling)
    return str(layer.inner_product_param.num_output) if layer.type == "InnerProduct" else ""


def steps(param: WindowParameter) -> str:
    """``/stride`` and ``+pad`` of a convolution or pooling, where these differ from 1 and 0."""
    strides = sizes(param, "stride")
    pads = sizes(param, "pad")
    text = f"/{strides}" if strides not in ("", "1") else ""
    return text + (f"+{pads}" if pads not in ("", "0") else "")


def sizes(param: WindowParameter, name: str) -> str:
    """The kernel, stride or pad, ``3`` or ``3x5``: one number where all axes have it."""
    values = window_field(param, name)
    return str(values[0]) if len(set(values)) == 1 else "x".join(map(str, values))
