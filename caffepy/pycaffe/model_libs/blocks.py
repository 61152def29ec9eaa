"""A convolution and what follows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from caffepy.pycaffe.errors import Unfit
from caffepy.pycaffe.net_spec import NetSpec, layers

Size: TypeAlias = "int | list[int]"
"""Of both axes, or height and width."""

FROZEN = {"lr_mult": 0, "decay_mult": 0}


def UnpackVariable(var: Any, num: int) -> list[Any]:
    """``var`` as a list of ``num``.

    A list of one, and what is no list, is repeated. Unfit for a list of another length.
    """
    if not isinstance(var, list):
        return [var] * num
    if len(var) == num:
        return var
    if len(var) != 1:
        raise Unfit(f"{var}; needed: a list of {num}, or of one")
    return var * num


def learned(lr_mult: float = 1) -> dict[str, Any]:
    """Parameters of a convolution without BatchNorm, the bias learned twice as fast."""
    return {
        "param": [{"lr_mult": lr_mult, "decay_mult": 1}, {"lr_mult": 2 * lr_mult, "decay_mult": 0}],
        "weight_filler": {"type": "xavier"},
        "bias_filler": {"type": "constant", "value": 0},
    }


def rectified(net: NetSpec, bottom: str, number: str, **window: Any) -> str:
    """``conv<number>`` and ``relu<number>``, the name of which is returned."""
    net[f"conv{number}"] = layers.Convolution(net[bottom], **window, **learned())
    net[f"relu{number}"] = layers.ReLU(net[f"conv{number}"], in_place=True)
    return f"relu{number}"


def freeze(net: NetSpec, names: Sequence[str]) -> None:
    """Let the layers of these names, as far as there are any, learn nothing."""
    for name in names:
        if name in net.tops:
            net.update(name, {**learned(), "param": [FROZEN, FROZEN]})


def needed(net: NetSpec, from_layer: str) -> None:
    """Unfit unless there is a top to start from."""
    if from_layer not in net.tops:
        raise Unfit(
            f"from_layer '{from_layer}' is none of the net's; there are:"
            f" {', '.join(net.keys()) or 'none'}"
        )


def same_pad(kernel_size: int, dilation: int) -> int:
    """The pad with which a dilated window gives as many places as there are."""
    return (kernel_size - 1) * dilation // 2


def ConvBNLayer(
    net: NetSpec,
    from_layer: str,
    out_layer: str,
    use_bn: bool,
    use_relu: bool,
    num_output: int,
    kernel_size: Size,
    pad: Size,
    stride: Size,
    dilation: int = 1,
    use_scale: bool = True,
    lr_mult: float = 1,
    conv_prefix: str = "",
    conv_postfix: str = "",
    bn_prefix: str = "",
    bn_postfix: str = "_bn",
    scale_prefix: str = "",
    scale_postfix: str = "_scale",
    bias_prefix: str = "",
    bias_postfix: str = "_bias",
    **bn_params: Any,
) -> None:
    """A convolution and the layers behind it.

    ``use_bn``: a BatchNorm in place, and a Scale, or without ``use_scale`` a Bias.
    ``use_relu``: a ReLU at the end.

    ``bn_params``: eps, moving_average_fraction, use_global_stats of the BatchNorm; with the last
    its scale learns nothing.
    """
    conv = f"{conv_prefix}{out_layer}{conv_postfix}"
    weights = {
        "param": learned(lr_mult)["param"][:1],
        "weight_filler": {"type": "gaussian", "std": 0.01},
        "bias_term": False,
    }
    net[conv] = layers.Convolution(
        net[from_layer],
        num_output=num_output,
        **_window(kernel_size, pad, stride),
        **(weights if use_bn else learned(lr_mult)),
    )
    if dilation > 1:
        net.update(conv, {"dilation": dilation})
    if use_bn:
        norm = f"{bn_prefix}{out_layer}{bn_postfix}"
        rate = 0 if bn_params.get("use_global_stats") else lr_mult
        net[norm] = layers.BatchNorm(net[conv], in_place=True, **_batch_norm(bn_params))
        affine = [{"lr_mult": rate, "decay_mult": 0}] * 2
        if use_scale:
            one = {"type": "constant", "value": 1.0}
            zero = {"type": "constant", "value": 0.0}
            net[f"{scale_prefix}{out_layer}{scale_postfix}"] = layers.Scale(
                net[norm], in_place=True, bias_term=True, param=affine, filler=one, bias_filler=zero
            )
        else:
            net[f"{bias_prefix}{out_layer}{bias_postfix}"] = layers.Bias(
                net[norm],
                in_place=True,
                param=affine[:1],
                filler={"type": "constant", "value": 0.0},
            )
    if use_relu:
        net[f"{conv}_relu"] = layers.ReLU(net[conv], in_place=True)


def _window(kernel_size: Size, pad: Size, stride: Size) -> dict[str, int]:
    """One number for both axes where the kernel has one.

    Then those of the first axis count for pad and stride too.
    """
    kernel_h, kernel_w = UnpackVariable(kernel_size, 2)
    pad_h, pad_w = UnpackVariable(pad, 2)
    stride_h, stride_w = UnpackVariable(stride, 2)
    if kernel_h == kernel_w:
        return {"kernel_size": kernel_h, "pad": pad_h, "stride": stride_h}
    sizes = {"kernel_h": kernel_h, "kernel_w": kernel_w, "pad_h": pad_h, "pad_w": pad_w}
    return {**sizes, "stride_h": stride_h, "stride_w": stride_w}


def _batch_norm(given: Mapping[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {"param": [FROZEN] * 3, "eps": given.get("eps", 0.001)}
    if given.get("use_global_stats"):
        return {**known, "use_global_stats": given["use_global_stats"]}
    return {**known, "moving_average_fraction": given.get("moving_average_fraction", 0.999)}
