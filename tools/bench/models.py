"""The nets as one would write them in PyTorch by hand: from a batch to its loss.

Modules are registered in the order of Caffe's layers, so that parameters in order can be copied from a caffepy net.
"""

# N batch, C channels, H W picture

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tools.bench.jobs import JOBS
from tools.bench.nets import INCEPTION, MOBILENET


class LeNet(nn.Module):
    """LeNet of examples/mnist."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 20, 5), nn.Conv2d(20, 50, 5)
        self.ip1, self.ip2 = nn.Linear(800, 500), nn.Linear(500, 10)

    def forward(self, x: Tensor, label: Tensor) -> Tensor:
        """Mean loss of (N, 1, 28, 28) and (N,)."""
        x = F.max_pool2d(self.conv1(x), 2, 2)
        x = F.max_pool2d(self.conv2(x), 2, 2)
        return F.cross_entropy(self.ip2(F.relu_(self.ip1(x.flatten(1)))), label)


class Quick(nn.Module):
    """cifar10_quick."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2, self.conv3 = (nn.Conv2d(c, n, 5, padding=2) for c, n in ((3, 32), (32, 32), (32, 64)))
        self.ip1, self.ip2 = nn.Linear(1024, 64), nn.Linear(64, 10)

    def forward(self, x: Tensor, label: Tensor) -> Tensor:
        """Mean loss of (N, 3, 32, 32) and (N,)."""
        x = F.relu_(F.max_pool2d(self.conv1(x), 3, 2, ceil_mode=True))
        x = F.avg_pool2d(F.relu_(self.conv2(x)), 3, 2, ceil_mode=True)
        x = F.avg_pool2d(F.relu_(self.conv3(x)), 3, 2, ceil_mode=True)
        return F.cross_entropy(self.ip2(self.ip1(x.flatten(1))), label)


def norm_within(x: Tensor) -> Tensor:
    """Local response normalization within a channel: 3x3 windows, alpha 5e-5, beta 0.75."""
    return x * (1 + 5e-5 * F.avg_pool2d(x * x, 3, 1, padding=1)).pow(-0.75)


class Full(nn.Module):
    """cifar10_full."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2, self.conv3 = (nn.Conv2d(c, n, 5, padding=2) for c, n in ((3, 32), (32, 32), (32, 64)))
        self.ip1 = nn.Linear(1024, 10)

    def forward(self, x: Tensor, label: Tensor) -> Tensor:
        """Mean loss of (N, 3, 32, 32) and (N,)."""
        x = norm_within(F.relu_(F.max_pool2d(self.conv1(x), 3, 2, ceil_mode=True)))
        x = norm_within(F.avg_pool2d(F.relu_(self.conv2(x)), 3, 2, ceil_mode=True))
        x = F.avg_pool2d(F.relu_(self.conv3(x)), 3, 2, ceil_mode=True)
        return F.cross_entropy(self.ip1(x.flatten(1)), label)


class CaffeNet(nn.Module):
    """CaffeNet."""

    def __init__(self, divide: int = 1, dropout: bool = True) -> None:
        super().__init__()
        a, b, c, d = 96 // divide, 256 // divide, 384 // divide, 4096 // divide
        self.conv1, self.conv2 = nn.Conv2d(3, a, 11, 4), nn.Conv2d(a, b, 5, padding=2, groups=2)
        self.conv3, self.conv4 = nn.Conv2d(b, c, 3, padding=1), nn.Conv2d(c, c, 3, padding=1, groups=2)
        self.conv5 = nn.Conv2d(c, b, 3, padding=1, groups=2)
        self.fc6, self.fc7, self.fc8 = nn.Linear(b * 36, d), nn.Linear(d, d), nn.Linear(d, 1000)
        self.drop = 0.5 if dropout else 0.0

    def forward(self, x: Tensor, label: Tensor) -> Tensor:
        """Mean loss of (N, 3, 227, 227) and (N,)."""
        x = F.max_pool2d(F.relu_(self.conv1(x)), 3, 2)
        x = F.relu_(self.conv2(F.local_response_norm(x, 5)))
        x = F.local_response_norm(F.max_pool2d(x, 3, 2), 5)
        x = F.relu_(self.conv4(F.relu_(self.conv3(x))))
        x = F.max_pool2d(F.relu_(self.conv5(x)), 3, 2).flatten(1)
        x = F.dropout(F.relu_(self.fc6(x)), self.drop, self.training)
        x = F.dropout(F.relu_(self.fc7(x)), self.drop, self.training)
        return F.cross_entropy(self.fc8(x), label)


class Inception(nn.Module):
    """One inception module: a 1x1, a 3x3 and a 5x5 branch and a pooled one."""

    def __init__(self, channels: int, widths: Sequence[int]) -> None:
        super().__init__()
        one, reduce3, three, reduce5, five, pool = widths
        self.one = nn.Conv2d(channels, one, 1)
        self.reduce3, self.three = nn.Conv2d(channels, reduce3, 1), nn.Conv2d(reduce3, three, 3, padding=1)
        self.reduce5, self.five = nn.Conv2d(channels, reduce5, 1), nn.Conv2d(reduce5, five, 5, padding=2)
        self.pool = nn.Conv2d(channels, pool, 1)

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) to (N, one + three + five + pool, H, W)."""
        three = F.relu_(self.three(F.relu_(self.reduce3(x))))
        five = F.relu_(self.five(F.relu_(self.reduce5(x))))
        pool = F.relu_(self.pool(F.max_pool2d(x, 3, 1, padding=1)))
        return torch.cat([F.relu_(self.one(x)), three, five, pool], 1)


class Head(nn.Module):
    """An auxiliary classifier."""

    def __init__(self, channels: int, divide: int, dropout: bool) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, 128 // divide, 1)
        self.fc, self.classifier = nn.Linear(2048 // divide, 1024 // divide), nn.Linear(1024 // divide, 1000)
        self.drop = 0.7 if dropout else 0.0

    def forward(self, x: Tensor, label: Tensor) -> Tensor:
        """Mean loss of (N, C, 14, 14) and (N,)."""
        x = F.relu_(self.conv(F.avg_pool2d(x, 5, 3, ceil_mode=True)))
        x = F.dropout(F.relu_(self.fc(x.flatten(1))), self.drop, self.training)
        return F.cross_entropy(self.classifier(x), label)


class GoogLeNet(nn.Module):
    """GoogLeNet with both auxiliary losses."""

    def __init__(self, divide: int = 1, dropout: bool = True) -> None:
        super().__init__()
        a, b = 64 // divide, 192 // divide
        self.conv1, self.reduce2, self.conv2 = nn.Conv2d(3, a, 7, 2, 3), nn.Conv2d(a, a, 1), nn.Conv2d(a, b, 3, padding=1)
        self.stages = nn.ModuleDict()
        channels = b
        for part, figures in INCEPTION.items():
            widths = [figure // divide for figure in figures]
            self.stages[part] = Inception(channels, widths)
            channels = widths[0] + widths[2] + widths[4] + widths[5]
            if part in ("4a", "4d"):
                self.stages[f"loss{part}"] = Head(channels, divide, dropout)
        self.classifier = nn.Linear(channels, 1000)
        self.drop = 0.4 if dropout else 0.0

    def forward(self, x: Tensor, label: Tensor) -> Tensor:
        """Weighted sum of the three mean losses of (N, 3, 224, 224) and (N,)."""
        x = F.max_pool2d(F.relu_(self.conv1(x)), 3, 2, ceil_mode=True)
        x = F.relu_(self.reduce2(F.local_response_norm(x, 5)))
        x = F.local_response_norm(F.relu_(self.conv2(x)), 5)
        losses: list[Tensor] = []
        for part, stage in self.stages.items():
            if part in ("3a", "4a", "5a"):
                x = F.max_pool2d(x, 3, 2, ceil_mode=True)
            if part.startswith("loss"):
                losses.append(0.3 * stage(x, label))
            else:
                x = stage(x)
        x = F.dropout(F.avg_pool2d(x, 7, 1).flatten(1), self.drop, self.training)
        return F.cross_entropy(self.classifier(x), label) + losses[0] + losses[1]


class Normed(nn.Module):
    """A convolution without bias and its batch normalization."""

    def __init__(self, channels: int, outputs: int, kernel: int = 1, stride: int = 1, groups: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) to (N, outputs, H / stride, W / stride)."""
        y: Tensor = self.norm(self.conv(x))
        return y


class Bottleneck(nn.Module):
    """A residual block of ResNet-50."""

    def __init__(self, channels: int, width: int, stride: int, *, first: bool) -> None:
        super().__init__()
        self.shortcut = Normed(channels, width * 4, 1, stride) if first else nn.Identity()
        self.a, self.b, self.c = Normed(channels, width, 1, stride), Normed(width, width, 3), Normed(width, width * 4)

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) to (N, 4 * width, H / stride, W / stride)."""
        y: Tensor = self.c(F.relu_(self.b(F.relu_(self.a(x)))))
        return F.relu_(y.add_(self.shortcut(x)))


class ResNet50(nn.Module):
    """ResNet-50."""

    def __init__(self, divide: int = 1) -> None:
        super().__init__()
        self.conv1 = Normed(3, 64 // divide, 7, 2)
        self.blocks = nn.Sequential()
        channels = 64 // divide
        for stage, number in zip((2, 3, 4, 5), (3, 4, 6, 3), strict=True):
            width = (16 << stage) // divide
            for index in range(number):
                first = index == 0
                self.blocks.append(Bottleneck(channels, width, 2 if first and stage > 2 else 1, first=first))
                channels = width * 4
        self.fc1000 = nn.Linear(channels, 1000)

    def forward(self, x: Tensor, label: Tensor) -> Tensor:
        """Mean loss of (N, 3, 224, 224) and (N,)."""
        x = F.max_pool2d(F.relu_(self.conv1(x)), 3, 2, ceil_mode=True)
        x = F.avg_pool2d(self.blocks(x), 7, 1)
        return F.cross_entropy(self.fc1000(x.flatten(1)), label)


class MobileNet(nn.Module):
    """MobileNet."""

    def __init__(self, divide: int = 1) -> None:
        super().__init__()
        channels = 32 // divide
        self.convs = nn.Sequential(Normed(3, channels, 3, 2))
        for outputs, stride in MOBILENET:
            self.convs.extend([Normed(channels, channels, 3, stride, channels), Normed(channels, outputs // divide)])
            channels = outputs // divide
        self.fc = nn.Linear(channels, 1000)

    def forward(self, x: Tensor, label: Tensor) -> Tensor:
        """Mean loss of (N, 3, 224, 224) and (N,)."""
        for conv in self.convs:
            x = F.relu_(conv(x))
        return F.cross_entropy(self.fc(F.avg_pool2d(x, 7, 1).flatten(1)), label)


def module(name: str, *, divide: int = 1, dropout: bool = True) -> nn.Module:
    """The net ``name`` of `nets.NETS` as a module from (data, label) to the loss, or one of `jobs.JOBS`, freshly initialized by torch."""
    if name in JOBS:
        return JOBS[name].module(divide)
    if name == "caffenet":
        return CaffeNet(divide, dropout)
    if name == "googlenet":
        return GoogLeNet(divide, dropout)
    if name in ("resnet50", "mobilenet"):
        return (ResNet50 if name == "resnet50" else MobileNet)(divide)
    return {"quick": Quick, "full": Full, "lenet": LeNet}[name]()
