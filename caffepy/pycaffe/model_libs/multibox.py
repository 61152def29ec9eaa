"""SSD's predictions: offsets, scores and boxes from several layers of a net."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caffepy.pycaffe.errors import Unfit
from caffepy.pycaffe.model_libs.blocks import ConvBNLayer
from caffepy.pycaffe.net_spec import NetSpec, Top, layers


def CreateMultiBoxHead(
    net: NetSpec,
    data_layer: str = "data",
    num_classes: int = 0,
    from_layers: Sequence[str] = [],
    use_objectness: bool = False,
    normalizations: Sequence[float] = [],
    use_batchnorm: bool = True,
    lr_mult: float = 1,
    use_scale: bool = True,
    min_sizes: Sequence[Any] = [],
    max_sizes: Sequence[Any] = [],
    prior_variance: Sequence[float] = [0.1],
    aspect_ratios: Sequence[Any] = [],
    steps: Sequence[Any] = [],
    img_height: int = 0,
    img_width: int = 0,
    share_location: bool = True,
    flip: bool = True,
    clip: bool = True,
    offset: float = 0.5,
    inter_layer_depth: Sequence[int] = [],
    kernel_size: int = 1,
    pad: int = 0,
    conf_postfix: str = "",
    loc_postfix: str = "",
    **bn_param: Any,
) -> list[Top]:
    """The tops mbox_loc, mbox_conf, mbox_priorbox and, with ``use_objectness``, mbox_objectness.

    Of each of ``from_layers``: the scale by which it is normalized (-1: it is not), channels of a
    convolution before the predictions (0: none), sizes and ratios of its boxes (a number or a
    list), and the step between them in the picture. ``use_scale`` changes nothing.
    """
    count = len(from_layers)
    by_layer = {
        "max_sizes": max_sizes,
        "aspect_ratios": aspect_ratios,
        "steps": steps,
        "normalizations": normalizations,
        "inter_layer_depth": inter_layer_depth,
    }
    if not num_classes or num_classes < 0:
        raise Unfit(f"num_classes {num_classes}; needed: a positive number")
    if len(min_sizes) != count:
        raise Unfit(
            f"min_sizes for {len(min_sizes)} layers, from_layers are {count}; needed: as many"
        )
    for name, given in by_layer.items():
        if given and len(given) != count:
            raise Unfit(
                f"{name} for {len(given)} layers, from_layers are {count}; needed: as many, or none"
            )
    if data_layer not in net.tops:
        raise Unfit(
            f"data_layer '{data_layer}' is none of the net's; there are:"
            f" {', '.join(net.keys()) or 'none'}"
        )
    convolution = {"use_bn": use_batchnorm, "lr_mult": lr_mult, **bn_param}
    window: dict[str, Any] = {"kernel_size": kernel_size, "pad": pad, "stride": 1}
    parts: dict[str, list[Top]] = {"loc": [], "conf": [], "priorbox": []}
    if use_objectness:
        parts["objectness"] = []
    for i, layer in enumerate(from_layers):
        if normalizations and normalizations[i] != -1:
            layer = _normalized(net, layer, normalizations[i])
        if inter_layer_depth and inter_layer_depth[i] > 0:
            inter: dict[str, Any] = {
                "num_output": inter_layer_depth[i],
                "kernel_size": 3,
                "pad": 1,
                "stride": 1,
            }
            ConvBNLayer(net, layer, f"{layer}_inter", use_relu=True, **inter, **convolution)
            layer = f"{layer}_inter"
        least = _list(min_sizes[i])
        most = _list(max_sizes[i]) if max_sizes else []
        ratios = _list(aspect_ratios[i]) if aspect_ratios else []
        if most and len(most) != len(least):
            raise Unfit(f"max_sizes {most} of '{layer}' for min_sizes {least}; needed: as many")
        boxes = len(least) * (1 + bool(most) + len(ratios) * (2 if flip else 1))

        def predict(kind: str, postfix: str, outputs: int, layer: str = layer) -> None:
            name = f"{layer}_mbox_{kind}{postfix}"
            ConvBNLayer(
                net, layer, name, use_relu=False, num_output=outputs, **window, **convolution
            )
            net[f"{name}_perm"] = layers.Permute(net[name], order=[0, 2, 3, 1])
            net[f"{name}_flat"] = layers.Flatten(net[f"{name}_perm"], axis=1)
            parts[kind].append(net[f"{name}_flat"])

        predict("loc", loc_postfix, boxes * 4 * (1 if share_location else num_classes))
        predict("conf", conf_postfix, boxes * num_classes)
        shape = {"max_size": most, "aspect_ratio": ratios, "step": steps[i] if steps else None}
        more = {name: value for name, value in shape.items() if value}
        if ratios:
            more["flip"] = flip
        if img_height and img_width:
            more |= (
                {"img_size": img_height}
                if img_height == img_width
                else {"img_h": img_height, "img_w": img_width}
            )
        name = f"{layer}_mbox_priorbox"
        net[name] = layers.PriorBox(
            net[layer],
            net[data_layer],
            min_size=least,
            clip=clip,
            variance=prior_variance,
            offset=offset,
            **more,
        )
        parts["priorbox"].append(net[name])
        if use_objectness:
            predict("objectness", "", boxes * 2)
    for kind, tops in parts.items():
        net[f"mbox_{kind}"] = layers.Concat(*tops, axis=2 if kind == "priorbox" else 1)
    return [net[f"mbox_{kind}"] for kind in parts]


def _normalized(net: NetSpec, layer: str, scale: float) -> str:
    filler = {"type": "constant", "value": scale}
    net[f"{layer}_norm"] = layers.Normalize(
        net[layer], scale_filler=filler, across_spatial=False, channel_shared=False
    )
    return f"{layer}_norm"


def _list(given: object) -> list[Any]:
    return list(given) if isinstance(given, (list, tuple)) else [given]
