"""Inception-v3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caffepy.pycaffe.model_libs.blocks import ConvBNLayer, Size
from caffepy.pycaffe.net_spec import NetSpec, Top, layers, params

Spec = dict[str, Any]
"""One layer of a tower: its ``name``, and parameters of a pooling or of ConvBNLayer."""


def InceptionTower(
    net: NetSpec,
    from_layer: str,
    tower_name: str,
    layer_params: Sequence[Mapping[str, Any]],
    **bn_param: Any,
) -> Top:
    """Layers in a row, named ``<tower_name>/<name>``; gives the last top.

    A layer whose name has ``pool`` in it is a pooling, any other a `ConvBNLayer`.
    """
    for given in layer_params:
        name = f"{tower_name}/{given['name']}"
        window = {key: value for key, value in given.items() if key != "name"}
        if "pool" in name:
            net[name] = layers.Pooling(net[from_layer], **window)
        else:
            ConvBNLayer(
                net,
                from_layer,
                name,
                use_bn=True,
                use_relu=True,
                use_scale=False,
                **{**window, **bn_param},
            )
        from_layer = name
    last: Top = net[from_layer]
    return last


def InceptionV3Body(
    net: NetSpec, from_layer: str, output_pred: bool = False, **bn_param: Any
) -> NetSpec:
    """Inception-v3 up to its last block.

    ``output_pred``: up to the probabilities of its 1008 classes.
    """
    build = _Build(net, bn_param)
    last = build.stem(from_layer)
    for index in range(3):
        last = build.block5x5(
            last, "mixed" if index == 0 else f"mixed_{index}", 32 if index == 0 else 64
        )
    last = build.smaller(
        last,
        "mixed_3",
        [_conv(384, 3, stride=2)],
        [_conv(64, 1), _conv(96, 3, pad=1), _conv(96, 3, stride=2)],
        first="",
    )
    for index, width in ((4, 128), (5, 160), (6, 160), (7, 192)):
        last = build.block7x7(last, f"mixed_{index}", width)
    across = _conv(192, [1, 7])
    down = _conv(192, [7, 1])
    seven = [_conv(192, 1), across, down, _conv(192, 3, stride=2)]
    last = build.smaller(
        last, "mixed_8", [_conv(192, 1), _conv(320, 3, stride=2)], seven, first="/tower"
    )
    for index, pool in ((9, params.Pooling.AVE), (10, params.Pooling.MAX)):
        last = build.block_forked(last, f"mixed_{index}", pool)
    if output_pred:
        net.pool_3 = layers.Pooling(
            net[last], pool=params.Pooling.AVE, kernel_size=8, pad=0, stride=1
        )
        net.softmax = layers.InnerProduct(net.pool_3, num_output=1008)
        net.softmax_prob = layers.Softmax(net.softmax)
    return net


def _conv(num_output: int, size: Size, *, pad: int = 0, stride: int = 1) -> Spec:
    """A window of two sizes leaves height and width as they are."""
    if isinstance(size, list):
        return {
            "num_output": num_output,
            "kernel_size": size,
            "pad": [n // 2 for n in size],
            "stride": [1, 1],
        }
    return {"num_output": num_output, "kernel_size": size, "pad": pad, "stride": stride}


def _pool(kind: int) -> Spec:
    return {"name": "pool", "pool": kind, "kernel_size": 3, "pad": 1, "stride": 1}


def _named(specs: Sequence[Spec], start: int = 0) -> list[Spec]:
    """As TensorFlow names them: conv, conv_1, conv_2."""
    return [{"name": f"conv_{i}" if i else "conv", **spec} for i, spec in enumerate(specs, start)]


class _Build:
    """Adds blocks to a net."""

    def __init__(self, net: NetSpec, bn_param: dict[str, Any]) -> None:
        self._net = net
        self._bn_param = bn_param

    def _tower(self, bottom: str, name: str, specs: Sequence[Spec]) -> Top:
        return InceptionTower(self._net, bottom, name, specs, **self._bn_param)

    def _join(self, name: str, towers: Sequence[Top]) -> str:
        self._net[name] = layers.Concat(*towers, axis=1)
        return name

    def stem(self, last: str) -> str:
        for name, spec in (
            ("conv", _conv(32, 3, stride=2)),
            ("conv_1", _conv(32, 3)),
            ("conv_2", _conv(64, 3, pad=1)),
            ("pool", None),
            ("conv_3", _conv(80, 1)),
            ("conv_4", _conv(192, 3)),
            ("pool_1", None),
        ):
            if spec is None:
                self._net[name] = layers.Pooling(
                    self._net[last], pool=params.Pooling.MAX, kernel_size=3, stride=2, pad=0
                )
            else:
                ConvBNLayer(
                    self._net,
                    last,
                    name,
                    use_bn=True,
                    use_relu=True,
                    use_scale=False,
                    **spec,
                    **self._bn_param,
                )
            last = name
        return last

    def block5x5(self, last: str, name: str, pooled: int) -> str:
        towers = [
            self._tower(last, name, _named([_conv(64, 1)])),
            self._tower(last, f"{name}/tower", _named([_conv(48, 1), _conv(64, 5, pad=2)])),
            self._tower(
                last,
                f"{name}/tower_1",
                _named([_conv(64, 1), _conv(96, 3, pad=1), _conv(96, 3, pad=1)]),
            ),
            self._tower(
                last, f"{name}/tower_2", [_pool(params.Pooling.AVE), *_named([_conv(pooled, 1)])]
            ),
        ]
        return self._join(f"{name}/join", towers)

    def block7x7(self, last: str, name: str, width: int) -> str:
        across = _conv(width, [1, 7])
        down = _conv(width, [7, 1])
        towers = [
            self._tower(last, name, _named([_conv(192, 1)])),
            self._tower(
                last, f"{name}/tower", _named([_conv(width, 1), across, _conv(192, [7, 1])])
            ),
            self._tower(
                last,
                f"{name}/tower_1",
                _named([_conv(width, 1), down, across, down, _conv(192, [1, 7])]),
            ),
            self._tower(
                last, f"{name}/tower_2", [_pool(params.Pooling.AVE), *_named([_conv(192, 1)])]
            ),
        ]
        return self._join(f"{name}/join", towers)

    def smaller(
        self, last: str, name: str, one: Sequence[Spec], other: Sequence[Spec], *, first: str
    ) -> str:
        """Half the size. ``first``: what is added to the name for the first tower."""
        second = "/tower_1" if first else "/tower"
        pool = {"name": "pool", "pool": params.Pooling.MAX, "kernel_size": 3, "pad": 0, "stride": 2}
        towers = [
            self._tower(last, f"{name}{first}", _named(one)),
            self._tower(last, f"{name}{second}", _named(other)),
            self._tower(last, name, [pool]),
        ]
        return self._join(f"{name}/join", towers)

    def block_forked(self, last: str, name: str, pool: int) -> str:
        towers = [
            self._tower(last, name, _named([_conv(320, 1)])),
            self._forked(last, f"{name}/tower", [_conv(384, 1)]),
            self._forked(last, f"{name}/tower_1", [_conv(448, 1), _conv(384, 3, pad=1)]),
            self._tower(last, f"{name}/tower_2", [_pool(pool), *_named([_conv(192, 1)])]),
        ]
        return self._join(f"{name}/join", towers)

    def _forked(self, last: str, name: str, specs: Sequence[Spec]) -> Top:
        """A tower whose end forks into a wide and a high window."""
        named = _named(specs)
        self._tower(last, name, named)
        end = f"{name}/{named[-1]['name']}"
        fork = f"{name}/mixed"
        sides = [
            self._tower(end, fork, _named([_conv(384, size)], start))
            for start, size in enumerate(([1, 3], [3, 1]))
        ]
        top: Top = self._net[self._join(fork, sides)]
        return top
