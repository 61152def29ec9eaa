"""Parts that a net repeats."""

from __future__ import annotations

import pytest

from tests.report.nets import inputs
from tests.report.pytorch.files import assert_same, exported
from tools.bench.nets import NETS, net_text

FILLER = "weight_filler { type: 'gaussian' std: 0.3 } bias_filler { type: 'gaussian' }"


def conv(name: str, bottom: str, outputs: int, kernel: int = 1, relu: bool = True, more: str = "") -> str:
    shape = f"num_output: {outputs} kernel_size: {kernel} pad: {kernel // 2} {more} {FILLER}"
    text = f"layer {{ name: '{name}' type: 'Convolution' bottom: '{bottom}' top: '{name}' convolution_param {{ {shape} }} }}\n"
    return text + (f"layer {{ name: '{name}_relu' type: 'ReLU' bottom: '{name}' top: '{name}' }}\n" if relu else "")


def fire(name: str, bottom: str, squeezed: int, expanded: int) -> str:
    text = conv(f"{name}/squeeze", bottom, squeezed) + conv(f"{name}/expand1x1", f"{name}/squeeze", expanded)
    text += conv(f"{name}/expand3x3", f"{name}/squeeze", expanded, 3)
    return f"{text}layer {{ name: '{name}/concat' type: 'Concat' bottom: '{name}/expand1x1' bottom: '{name}/expand3x3' top: '{name}' }}\n"


def residual(name: str, bottom: str, outputs: int, project: bool) -> str:
    text = conv(f"{name}_branch1", bottom, outputs, 1, relu=False) if project else ""
    text += conv(f"{name}_branch2a", bottom, outputs, 3) + conv(f"{name}_branch2b", f"{name}_branch2a", outputs, 3, relu=False)
    shortcut = f"{name}_branch1" if project else bottom
    text += f"layer {{ name: '{name}' type: 'Eltwise' bottom: '{shortcut}' bottom: '{name}_branch2b' top: '{name}' }}\n"
    return text + f"layer {{ name: '{name}_relu' type: 'ReLU' bottom: '{name}' top: '{name}' }}\n"


def test_fire() -> None:
    text = inputs(data=(2, 3, 6, 6)) + fire("fire2", "data", 2, 4) + fire("fire3", "fire2", 3, 4) + fire("fire4", "fire3", 3, 5)
    made, _ = exported(text)
    assert "class Fire(nn.Module):\n" in made.text
    assert "    def __init__(self, in_channels, n_squeeze, n_expand1x1):\n" in made.text
    assert "        self.fire2 = Fire(3, 2, 4)\n        self.fire3 = Fire(8, 3, 4)\n        self.fire4 = Fire(8, 3, 5)\n" in made.text
    assert "fire3.expand3x3.weight" in made.state
    assert_same(text)


def test_residual_blocks_with_and_without_projection_are_one_class() -> None:
    text, bottom = inputs(data=(2, 3, 6, 6)), "data"
    for number, width in ((2, 4), (3, 6), (4, 8), (5, 10)):
        for letter in "abc":
            text += residual(f"res{number}{letter}", bottom, width, letter == "a")
            bottom = f"res{number}{letter}"
    made, _ = exported(text)
    assert made.text.count("class ") == 2
    assert "        self.res3a = BasicBlock(4, 6)\n        self.res3b = BasicBlock(6, 6, project=False)\n" in made.text
    assert "        for block in (\n" in made.text
    assert "res2b.branch1.weight" not in made.state
    assert_same(text)


def test_depthwise_with_strides() -> None:
    text, bottom, channels = inputs(data=(2, 4, 9, 9)), "data", 4
    for i, stride in enumerate((1, 2, 1, 1, 1, 1, 1, 1, 1)):
        text += conv(f"conv{i}/dw", bottom, channels, 3, more=f"group: {channels} stride: {stride}")
        channels += 2
        text += conv(f"conv{i}/sep", f"conv{i}/dw", channels)
        bottom = f"conv{i}/sep"
    made, _ = exported(text)
    assert "    def __init__(self, in_channels, out_channels, stride=1):\n" in made.text
    assert "        self.conv1 = DepthwiseSeparable(6, 8, stride=2)\n" in made.text
    assert_same(text)


def test_other_order_in_time_is_another_part() -> None:
    """The same layers in other wires are no repetition."""
    first = fire("f1", "data", 2, 3)
    second = fire("f2", "f1", 2, 3).replace(
        "bottom: 'f2/expand1x1' bottom: 'f2/expand3x3'", "bottom: 'f2/expand3x3' bottom: 'f2/expand1x1'"
    )
    text = inputs(data=(2, 3, 6, 6)) + first + second + fire("f3", "f2", 2, 3)
    assert_same(text)


@pytest.mark.parametrize("net", ["googlenet", "resnet50"])
def test_large_nets(net: str) -> None:
    text = net_text(net, 2, divide=16)
    assert_same(text, {"data": (2, *NETS[net].shape), "label": (2,)})
