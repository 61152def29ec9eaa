"""A net's prototxt as a table, a line for each layer, as Caffe's ``summarize.py`` shows it: the text alone, nothing is built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

HEAD = ("name", "type", "parameters", "bottoms", "", "tops", "kernel/stride+pad outputs/group")


def structure(net: Any) -> list[str]:
    """The lines for a NetParameter (upgraded)."""
    rows = [HEAD]
    for layer in net.layer:
        rows.append(
            (layer.name, type_text(layer), params_text(layer.param), ", ".join(layer.bottom), "->", tops_text(layer), numbers(layer))
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def type_text(layer: Any) -> str:
    """The type; of a Python layer its module and class."""
    return f"{layer.python_param.module}.{layer.python_param.layer}" if layer.type == "Python" else str(layer.type)


def params_text(params: Iterable[Any]) -> str:
    """The ParamSpecs, such as ``(w: 1, 2*0)``: name where there is one, lr_mult where given, ``*`` decay_mult where given."""
    texts = []
    for param in params:
        rates = f"{param.lr_mult:g}" if param.HasField("lr_mult") else ""
        rates += f"*{param.decay_mult:g}" if param.HasField("decay_mult") else ""
        texts.append(": ".join(filter(None, (param.name, rates))) or "-")
    return f"({', '.join(texts)})" if texts else ""


def tops_text(layer: Any) -> str:
    """The tops, each after its loss weight where it has one."""
    weights = [f"{weight:g} * " for weight in layer.loss_weight] + [""] * len(layer.top)
    return ", ".join(f"{weight}{top}" for weight, top in zip(weights, layer.top))


def numbers(layer: Any) -> str:
    """Of a convolution ``3/2+1 64/2``: kernel, stride, pad, outputs, group; of a pooling the first three, of an inner product outputs."""
    if layer.type in ("Convolution", "Deconvolution"):
        p = layer.convolution_param
        group = f"/{p.group}" if p.group != 1 else ""
        return f"{window(p, p.kernel_size, p.stride, p.pad)} {p.num_output}{group}"
    if layer.type == "Pooling":
        p = layer.pooling_param
        if p.global_pooling:
            return "global"
        return window(p, *([getattr(p, name)] if p.HasField(name) else [] for name in ("kernel_size", "stride", "pad")))
    return str(layer.inner_product_param.num_output) if layer.type == "InnerProduct" else ""


def window(param: Any, kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int]) -> str:
    """``3``, ``3x5``, with ``/stride`` and ``+pad`` where these differ from 1 and 0."""
    text = sizes(param, "kernel", kernel)
    strides, pads = sizes(param, "stride", stride), sizes(param, "pad", pad)
    return text + (f"/{strides}" if strides not in ("", "1", "1x1") else "") + (f"+{pads}" if pads not in ("", "0", "0x0") else "")


def sizes(param: Any, name: str, given: Sequence[int]) -> str:
    """One number where all axes have it, else each: from the repeated field, else from ``name_h`` and ``name_w``."""
    both = [getattr(param, f"{name}_{axis}") for axis in "hw" if param.HasField(f"{name}_{axis}")]
    found = list(given) or both
    return str(found[0]) if len(set(found)) == 1 else "x".join(map(str, found))
