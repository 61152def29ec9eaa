"""The nets that are measured and tested, as prototxt text, with the figures of their training.

The three small ones are the files under ``examples/``; the large ones are written here, with the layers, names and figures of the
well-known models: CaffeNet, GoogLeNet with both auxiliary losses, ResNet-50 and MobileNet with BatchNorm and Scale.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tools.bench.prototxt import Prototxt, blocks

ROOT = Path(__file__).resolve().parents[2]


class Figures(Protocol):
    """Those of a solver."""

    @property
    def base_lr(self) -> float: ...
    @property
    def momentum(self) -> float: ...
    @property
    def weight_decay(self) -> float: ...


@dataclass(frozen=True)
class Recipe:
    """One net: shape of a picture (C, H, W), classes, batch that two cores can bear, and its solver's figures.

    ``source``: a train_test.prototxt below the root, or the function that writes the net.
    """

    source: str | Callable[[Prototxt], None]
    shape: tuple[int, int, int]
    classes: int
    batch: int
    base_lr: float
    weight_decay: float
    momentum: float = 0.9


def caffenet(net: Prototxt) -> None:
    """CaffeNet: AlexNet with pooling before normalization."""

    def conv(number: int, bottom: str, outputs: int, kernel: int, stride: int, pad: int, group: int, bias: float) -> str:
        top = net.conv(
            f"conv{number}",
            bottom,
            outputs,
            kernel=kernel,
            stride=stride,
            pad=pad,
            group=group,
            filler='type: "gaussian" std: 0.01',
            bias=bias,
        )
        return net.relu(f"relu{number}", top)

    top = net.pool("pool1", conv(1, "data", 96, 11, 4, 0, 1, 0), "MAX", kernel=3, stride=2)
    top = conv(2, net.lrn("norm1", top), 256, 5, 1, 2, 2, 1)
    top = net.lrn("norm2", net.pool("pool2", top, "MAX", kernel=3, stride=2))
    top = conv(3, top, 384, 3, 1, 1, 1, 0)
    top = conv(4, top, 384, 3, 1, 1, 2, 1)
    top = conv(5, top, 256, 3, 1, 1, 2, 1)
    top = net.pool("pool5", top, "MAX", kernel=3, stride=2)
    for number in (6, 7):
        top = net.ip(f"fc{number}", top, 4096, filler='type: "gaussian" std: 0.005', bias=1)
        top = net.dropout(f"drop{number}", net.relu(f"relu{number}", top), 0.5)
    top = net.ip("fc8", top, -1000, filler='type: "gaussian" std: 0.01')
    net.accuracy("accuracy", top)
    net.loss("loss", top)


# Outputs of 1x1, 3x3_reduce, 3x3, 5x5_reduce, 5x5, pool_proj in each inception module.
INCEPTION = {
    "3a": (64, 96, 128, 16, 32, 32),
    "3b": (128, 128, 192, 32, 96, 64),
    "4a": (192, 96, 208, 16, 48, 64),
    "4b": (160, 112, 224, 24, 64, 64),
    "4c": (128, 128, 256, 24, 64, 64),
    "4d": (112, 144, 288, 32, 64, 64),
    "4e": (256, 160, 320, 32, 128, 128),
    "5a": (256, 160, 320, 32, 128, 128),
    "5b": (384, 192, 384, 48, 128, 128),
}


def googlenet(net: Prototxt) -> None:
    """GoogLeNet, the first version, with both auxiliary losses."""

    def conv(part: str, name: str, bottom: str, outputs: int, *, kernel: int = 1, stride: int = 1, pad: int = 0) -> str:
        top = net.conv(f"{part}/{name}", bottom, outputs, kernel=kernel, stride=stride, pad=pad, bias=0.2)
        return net.relu(f"{part}/relu_{name.removesuffix('_s2')}", top)

    def inception(part: str, bottom: str) -> str:
        one, reduce3, three, reduce5, five, pool = INCEPTION[part]
        part = f"inception_{part}"
        tops = [conv(part, "1x1", bottom, one)]
        tops.append(conv(part, "3x3", conv(part, "3x3_reduce", bottom, reduce3), three, kernel=3, pad=1))
        tops.append(conv(part, "5x5", conv(part, "5x5_reduce", bottom, reduce5), five, kernel=5, pad=2))
        tops.append(conv(part, "pool_proj", net.pool(f"{part}/pool", bottom, "MAX", kernel=3, stride=1, pad=1), pool))
        return net.layer(f"{part}/output", "Concat", tops)

    def head(part: str, bottom: str) -> None:
        top = net.pool(f"{part}/ave_pool", bottom, "AVE", kernel=5, stride=3)
        top = net.relu(f"{part}/relu_fc", net.ip(f"{part}/fc", conv(part, "conv", top, 128), 1024, bias=0.2))
        classify(part, f"{part}/loss", net.dropout(f"{part}/drop_fc", top, 0.7), 0.3)

    def classify(part: str, loss: str, bottom: str, weight: float) -> None:
        top = net.ip(f"{part}/classifier", bottom, -1000)
        net.loss(loss, top, top=f"{part}/loss{part[-1]}", weight=weight)
        net.accuracy(f"{part}/top-1", top)
        net.accuracy(f"{part}/top-5", top, top_k=5)

    top = net.pool("pool1/3x3_s2", conv("conv1", "7x7_s2", "data", 64, kernel=7, stride=2, pad=3), "MAX", kernel=3, stride=2)
    top = conv("conv2", "3x3_reduce", net.lrn("pool1/norm1", top), 64)
    top = net.lrn("conv2/norm2", conv("conv2", "3x3", top, 192, kernel=3, pad=1))
    top = net.pool("pool2/3x3_s2", top, "MAX", kernel=3, stride=2)
    for part in INCEPTION:
        top = inception(part, top)
        if part in ("4a", "4d"):
            head("loss1" if part == "4a" else "loss2", top)
        if part in ("3b", "4e"):
            top = net.pool(f"pool{int(part[0])}/3x3_s2", top, "MAX", kernel=3, stride=2)
    top = net.pool("pool5/7x7_s1", top, "AVE", kernel=7, stride=1)
    classify("loss3", "loss3/loss3", net.dropout("pool5/drop_7x7_s1", top, 0.4), 1)


def resnet50(net: Prototxt) -> None:
    """ResNet-50: bottlenecks of 3, 4, 6 and 3 blocks, the stride in the first 1x1 convolution of a stage."""

    def conv(name: str, norm: str, bottom: str, outputs: int, *, kernel: int = 1, stride: int = 1) -> str:
        top = net.conv(name, bottom, outputs, kernel=kernel, stride=stride, pad=kernel // 2, filler='type: "msra"', bias=None)
        return net.norm(f"bn{norm}", f"scale{norm}", top)

    def block(name: str, bottom: str, width: int, stride: int, *, first: bool) -> str:
        def branch(part: str, source: str, outputs: int, kernel: int = 1, step: int = 1) -> str:
            return conv(f"res{name}_branch{part}", f"{name}_branch{part}", source, outputs, kernel=kernel, stride=step)

        shortcut = branch("1", bottom, width * 4, 1, stride) if first else bottom
        top = net.relu(f"res{name}_branch2a_relu", branch("2a", bottom, width, 1, stride))
        top = net.relu(f"res{name}_branch2b_relu", branch("2b", top, width, 3))
        top = net.layer(f"res{name}", "Eltwise", [shortcut, branch("2c", top, width * 4)])
        return net.relu(f"res{name}_relu", top)

    top = net.relu("conv1_relu", conv("conv1", "_conv1", "data", 64, kernel=7, stride=2))
    top = net.pool("pool1", top, "MAX", kernel=3, stride=2)
    for stage, number in zip((2, 3, 4, 5), (3, 4, 6, 3), strict=True):
        for index in range(number):
            first = index == 0
            top = block(f"{stage}{'abcdef'[index]}", top, 16 << stage, 2 if first and stage > 2 else 1, first=first)
    top = net.ip("fc1000", net.pool("pool5", top, "AVE", kernel=7, stride=1), -1000, filler='type: "msra"')
    net.accuracy("accuracy", top)
    net.loss("loss", top)


# Outputs and stride of each pair of a depthwise and a 1x1 convolution in MobileNet.
MOBILENET = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *((512, 1),) * 5, (1024, 2), (1024, 1))


def mobilenet(net: Prototxt) -> None:
    """MobileNet, the first version: 3x3 convolutions of each channel by itself and 1x1 convolutions by turns."""

    def conv(name: str, bottom: str, outputs: int, *, kernel: int = 1, stride: int = 1, group: int = 1) -> str:
        top = net.conv(name, bottom, outputs, kernel=kernel, stride=stride, pad=kernel // 2, group=group, filler='type: "msra"', bias=None)
        return net.relu(f"relu_{name}", net.norm(f"{name}/bn", f"{name}/scale", top))

    channels = 32
    top = conv("conv1", "data", channels, kernel=3, stride=2)
    for number, (outputs, stride) in enumerate(MOBILENET, 2):
        top = conv(f"conv{number}/dw", top, channels, kernel=3, stride=stride, group=channels // net.divide)
        top = conv(f"conv{number}/sep", top, outputs)
        channels = outputs
    top = net.ip("fc", net.pool("pool", top, "AVE", kernel=7, stride=1), -1000, filler='type: "msra"')
    net.accuracy("accuracy", top)
    net.loss("loss", top)


NETS = {
    "quick": Recipe("examples/cifar10/cifar10_quick_train_test.prototxt", (3, 32, 32), 10, 100, 0.001, 0.004),
    "full": Recipe("examples/cifar10/cifar10_full_train_test.prototxt", (3, 32, 32), 10, 100, 0.001, 0.004),
    "lenet": Recipe("examples/mnist/lenet_train_test.prototxt", (1, 28, 28), 10, 64, 0.01, 0.0005),
    "caffenet": Recipe(caffenet, (3, 227, 227), 1000, 16, 0.01, 0.0005),
    "googlenet": Recipe(googlenet, (3, 224, 224), 1000, 8, 0.01, 0.0002),
    "resnet50": Recipe(resnet50, (3, 224, 224), 1000, 8, 0.1, 0.0001),
    "mobilenet": Recipe(mobilenet, (3, 224, 224), 1000, 16, 0.1, 0.0001),
}


def net_text(name: str, batch: int, *, divide: int = 1, dropout: bool = True) -> str:
    """A net on arrays in memory, the same layer for both phases: data (batch, C, H, W) and label (batch,)."""
    source, data = NETS[name].source, memory_data(batch, NETS[name].shape)
    if isinstance(source, str):
        return example_text(source, data)
    net = Prototxt(name, divide=divide, dropout=dropout)
    net.parts.append(data)
    source(net)
    return net.text()


def memory_data(batch: int, shape: tuple[int, int, int]) -> str:
    """A MemoryData layer for pictures of this shape (C, H, W)."""
    channels, height, width = shape
    figures = f"batch_size: {batch} channels: {channels} height: {height} width: {width}"
    return f'layer {{ name: "data" type: "MemoryData" top: "data" top: "label"\n  memory_data_param {{ {figures} }} }}\n'


def example_text(path: str, data: str) -> str:
    """The net of a file below the root, with this data layer in place of its own."""
    kept = [piece for piece in blocks((ROOT / path).read_text()) if 'type: "Data"' not in piece]
    return data + "\n".join(kept)


def solver_text(name: str, *, seeded: bool = True) -> str:
    """The solver of ``name``, without its net, at a constant rate. ``seeded``: with a random_seed."""
    return figures_text(NETS[name], seeded=seeded)


def figures_text(figures: Figures, *, seeded: bool = True) -> str:
    """The solver of `solver_text` from its figures."""
    return (
        f"base_lr: {figures.base_lr:g} momentum: {figures.momentum:g} weight_decay: {figures.weight_decay:g}\n"
        'lr_policy: "fixed"\nmax_iter: 1000000 display: 0 snapshot_after_train: false solver_mode: CPU\n'
        f"{'random_seed: 1' if seeded else ''}\n"
    )
