"""Deep residual nets: ResNet-101, ResNet-152 and their blocks."""

from __future__ import annotations

from typing import Any

from caffepy.pycaffe.model_libs.blocks import ConvBNLayer, same_pad
from caffepy.pycaffe.net_spec import NetSpec, layers, params


def ResBody(
    net: NetSpec,
    from_layer: str,
    block_name: str,
    out2a: int,
    out2b: int,
    out2c: int,
    stride: int,
    use_branch1: bool,
    dilation: int = 1,
    **bn_param: Any,
) -> None:
    """The block ``res<block_name>``: three convolutions and a shortcut beside them.

    ``use_branch1``: the shortcut is a convolution, too.
    """
    prefixes = {
        "conv_prefix": f"res{block_name}_",
        "bn_prefix": f"bn{block_name}_",
        "scale_prefix": f"scale{block_name}_",
    }

    def branch(
        bottom: str, name: str, outputs: int, size: int, step: int, *, relu: bool, spread: int = 1
    ) -> str:
        window: dict[str, Any] = {
            "kernel_size": size,
            "pad": same_pad(size, spread),
            "stride": step,
            "dilation": spread,
        }
        given = {**prefixes, "bn_postfix": "", "scale_postfix": "", **bn_param}
        ConvBNLayer(
            net, bottom, name, use_bn=True, use_relu=relu, num_output=outputs, **window, **given
        )
        return f"res{block_name}_{name}"

    shortcut = (
        branch(from_layer, "branch1", out2c, 1, stride, relu=False) if use_branch1 else from_layer
    )
    last = branch(from_layer, "branch2a", out2a, 1, stride, relu=True)
    last = branch(last, "branch2b", out2b, 3, 1, relu=True, spread=dilation)
    last = branch(last, "branch2c", out2c, 1, 1, relu=False)
    net[f"res{block_name}"] = layers.Eltwise(net[shortcut], net[last])
    net[f"res{block_name}_relu"] = layers.ReLU(net[f"res{block_name}"], in_place=True)


def ResNet101Body(
    net: NetSpec,
    from_layer: str,
    use_pool5: bool = True,
    use_dilation_conv5: bool = False,
    **bn_param: Any,
) -> NetSpec:
    """ResNet-101 up to its last block, or with ``use_pool5`` the mean of that.

    ``use_dilation_conv5``: it leaves the size as it is.
    """
    return _body(
        net, from_layer, 3, 22, use_pool5=use_pool5, dilated=use_dilation_conv5, bn_param=bn_param
    )


def ResNet152Body(
    net: NetSpec,
    from_layer: str,
    use_pool5: bool = True,
    use_dilation_conv5: bool = False,
    **bn_param: Any,
) -> NetSpec:
    """ResNet-152, as `ResNet101Body`."""
    return _body(
        net, from_layer, 7, 35, use_pool5=use_pool5, dilated=use_dilation_conv5, bn_param=bn_param
    )


def _body(
    net: NetSpec,
    from_layer: str,
    more3: int,
    more4: int,
    *,
    use_pool5: bool,
    dilated: bool,
    bn_param: dict[str, Any],
) -> NetSpec:
    """``more3``, ``more4``: blocks of these stages behind the first."""
    window: dict[str, Any] = {"num_output": 64, "kernel_size": 7, "pad": 3, "stride": 2}
    affixes: dict[str, Any] = {
        "bn_prefix": "bn_",
        "bn_postfix": "",
        "scale_prefix": "scale_",
        "scale_postfix": "",
    }
    ConvBNLayer(
        net, from_layer, "conv1", use_bn=True, use_relu=True, **window, **affixes, **bn_param
    )
    net.pool1 = layers.Pooling(net.conv1, pool=params.Pooling.MAX, kernel_size=3, stride=2)
    last = "pool1"
    stride5 = 1 if dilated else 2
    dilation5 = 2 if dilated else 1
    for names, channels, stride, dilation in (
        (["2a", "2b", "2c"], 64, 1, 1),
        (["3a", *(f"3b{i}" for i in range(1, more3 + 1))], 128, 2, 1),
        (["4a", *(f"4b{i}" for i in range(1, more4 + 1))], 256, 2, 1),
        (["5a", "5b", "5c"], 512, stride5, dilation5),
    ):
        for name in names:
            first = name == names[0]
            ResBody(
                net,
                last,
                name,
                channels,
                channels,
                4 * channels,
                stride if first else 1,
                use_branch1=first,
                dilation=dilation,
                **bn_param,
            )
            last = f"res{name}"
    if use_pool5:
        net.pool5 = layers.Pooling(net[last], pool=params.Pooling.AVE, global_pooling=True)
    return net
