"""Small nets as they are deployed, as prototxt text and as one would write them in PyTorch: the stages of MTCNN, and LeNet."""

# N batch, C channels, H W picture

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor, nn

from tools.bench.prototxt import Prototxt

Tops = tuple[Tensor, ...]


class Stage(nn.Module):
    """A convolution, its PReLU and a maximum over windows (none if ``pool`` is 0)."""

    def __init__(self, channels: int, outputs: int, kernel: int, pool: int = 0, stride: int = 2) -> None:
        super().__init__()
        self.conv, self.slope, self.pool, self.stride = nn.Conv2d(channels, outputs, kernel), nn.PReLU(outputs), pool, stride

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) to (N, outputs, H', W')."""
        y: Tensor = self.slope(self.conv(x))
        return F.max_pool2d(y, self.pool, self.stride, ceil_mode=True) if self.pool else y


class Proposals(nn.Module):
    """The first stage, P-Net."""

    def __init__(self) -> None:
        super().__init__()
        self.stages = nn.Sequential(Stage(3, 10, 3, 2), Stage(10, 16, 3), Stage(16, 32, 3))
        self.face, self.box = nn.Conv2d(32, 2, 1), nn.Conv2d(32, 4, 1)

    def forward(self, x: Tensor) -> Tops:
        """Boxes and scores of (N, 3, H, W)."""
        x = self.stages(x)
        return self.box(x), F.softmax(self.face(x), 1)


class Refined(nn.Module):
    """The second stage, R-Net."""

    def __init__(self) -> None:
        super().__init__()
        self.stages = nn.Sequential(Stage(3, 28, 3, 3), Stage(28, 48, 3, 3), Stage(48, 64, 2))
        self.fc, self.slope = nn.Linear(576, 128), nn.PReLU(128)
        self.face, self.box = nn.Linear(128, 2), nn.Linear(128, 4)

    def forward(self, x: Tensor) -> Tops:
        """Boxes and scores of (N, 3, 24, 24)."""
        x = self.slope(self.fc(self.stages(x).flatten(1)))
        return self.box(x), F.softmax(self.face(x), 1)


class Landmarks(nn.Module):
    """The third stage, O-Net."""

    def __init__(self) -> None:
        super().__init__()
        self.stages = nn.Sequential(Stage(3, 32, 3, 3), Stage(32, 64, 3, 3), Stage(64, 64, 3, 2), Stage(64, 128, 2))
        self.fc, self.slope = nn.Linear(1152, 256), nn.PReLU(256)
        self.face, self.box, self.points = nn.Linear(256, 2), nn.Linear(256, 4), nn.Linear(256, 10)

    def forward(self, x: Tensor) -> Tops:
        """Boxes, points and scores of (N, 3, 48, 48)."""
        x = self.slope(self.fc(self.stages(x).flatten(1)))
        return self.box(x), self.points(x), F.softmax(self.face(x), 1)


class LeNet(nn.Module):
    """LeNet of examples/mnist."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 20, 5), nn.Conv2d(20, 50, 5)
        self.ip1, self.ip2 = nn.Linear(800, 500), nn.Linear(500, 10)

    def forward(self, x: Tensor) -> Tops:
        """Scores of (N, 1, 28, 28)."""
        x = F.max_pool2d(self.conv1(x), 2, 2)
        x = F.max_pool2d(self.conv2(x), 2, 2)
        return (F.softmax(self.ip2(F.relu_(self.ip1(x.flatten(1)))), 1),)


def _input(net: Prototxt, shape: tuple[int, ...]) -> str:
    dims = " ".join(f"dim: {n}" for n in shape)
    return net.layer("data", "Input", [], body=f"input_param {{ shape {{ {dims} }} }}")


def _stage(net: Prototxt, number: int, bottom: str, outputs: int, kernel: int, pool: int = 0) -> str:
    conv = net.conv(f"conv{number}", bottom, outputs, kernel=kernel)
    net.layer(f"prelu{number}", "PReLU", [conv], top=conv)
    return net.pool(f"pool{number}", conv, "MAX", kernel=pool, stride=2) if pool else conv


def _fc(net: Prototxt, bottom: str, outputs: int) -> str:
    fc = net.ip("fc", bottom, outputs)
    return net.layer("prelu_fc", "PReLU", [fc], top=fc)


def _proposals(net: Prototxt, shape: tuple[int, ...]) -> None:
    top = _stage(net, 3, _stage(net, 2, _stage(net, 1, _input(net, shape), 10, 3, 2), 16, 3), 32, 3)
    face = net.conv("face", top, 2, kernel=1)
    net.conv("box", top, 4, kernel=1)
    net.layer("prob", "Softmax", [face])


def _refined(net: Prototxt, shape: tuple[int, ...]) -> None:
    top = _fc(net, _stage(net, 3, _stage(net, 2, _stage(net, 1, _input(net, shape), 28, 3, 3), 48, 3, 3), 64, 2), 128)
    face = net.ip("face", top, 2)
    net.ip("box", top, 4)
    net.layer("prob", "Softmax", [face])


def _landmarks(net: Prototxt, shape: tuple[int, ...]) -> None:
    top = _stage(net, 2, _stage(net, 1, _input(net, shape), 32, 3, 3), 64, 3, 3)
    top = _fc(net, _stage(net, 4, _stage(net, 3, top, 64, 3, 2), 128, 2), 256)
    face = net.ip("face", top, 2)
    net.ip("box", top, 4)
    net.ip("points", top, 10)
    net.layer("prob", "Softmax", [face])


def _lenet(net: Prototxt, shape: tuple[int, ...]) -> None:
    top = net.pool("pool1", net.conv("conv1", _input(net, shape), 20, kernel=5), "MAX", kernel=2, stride=2)
    top = net.ip("ip1", net.pool("pool2", net.conv("conv2", top, 50, kernel=5), "MAX", kernel=2, stride=2), 500)
    net.relu("relu1", top)
    net.layer("prob", "Softmax", [net.ip("ip2", top, 10)])


@dataclass(frozen=True)
class Deployed:
    """A net: its module, what writes its prototxt, and the shape of its input."""

    module: Callable[[], nn.Module]
    write: Callable[[Prototxt, tuple[int, ...]], None]
    shape: tuple[int, ...]

    def text(self) -> str:
        """The prototxt."""
        net = Prototxt(self.module.__name__)
        self.write(net, self.shape)
        return net.text()


NETS = {
    "pnet12": Deployed(Proposals, _proposals, (1, 3, 12, 12)),
    "pnet60": Deployed(Proposals, _proposals, (1, 3, 60, 60)),
    "rnet": Deployed(Refined, _refined, (1, 3, 24, 24)),
    "onet": Deployed(Landmarks, _landmarks, (1, 3, 48, 48)),
    "lenet": Deployed(LeNet, _lenet, (1, 1, 28, 28)),
}
"""By name; parameters of a module, in order, are those of the net."""
