"""The best training loop that one would write in PyTorch by hand: what caffepy is measured against."""

# N batch, C channels, H W picture

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from tools.bench.jobs import JOBS, figures
from tools.bench.models import module


def multipliers(net: str, parameter: str) -> tuple[float, float]:
    """(lr_mult, decay_mult) that the prototxt of ``net`` gives this parameter of its module."""
    if net in JOBS:
        return (2, 0) if parameter.endswith("bias") and parameter.startswith(JOBS[net].twice) else (1, 0 if "norms." in parameter else 1)
    bias = parameter.endswith("bias")
    if ".norm." in parameter:
        return 1, 0
    if net == "full" and parameter.startswith("conv3"):
        return 1, 1
    if net == "full" and parameter.startswith("ip1"):
        return (2, 0) if bias else (1, 250)
    if net in ("caffenet", "googlenet", "resnet50", "mobilenet"):
        return (2, 0) if bias else (1, 1)
    return (2 if bias else 1), 1


def groups(net: str, model: nn.Module) -> Iterator[dict[str, object]]:
    """Parameter groups for torch.optim.SGD, one for each pair of multipliers."""
    solver = figures(net)
    found: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            found.setdefault(multipliers(net, name), []).append(parameter)
    for (lr_mult, decay_mult), parameters in found.items():
        yield {"params": parameters, "lr": solver.base_lr * lr_mult, "weight_decay": solver.weight_decay * decay_mult}


class Sgemm:
    """torch's own product of two matrices of float32. ``step`` is one product."""

    SIDE = 2048

    def __init__(self) -> None:
        self.left, self.right, self.out = (torch.rand(self.SIDE, self.SIDE) for _ in range(3))

    @torch.inference_mode()
    def step(self, *batch: Tensor) -> float:
        """One product, whatever the batch."""
        torch.mm(self.left, self.right, out=self.out)
        return 0.0

    def flops(self) -> int:
        """Of one product."""
        return 2 * self.SIDE**3


class TestLoop:
    """A module by hand that is tested. ``step`` is one batch."""

    def __init__(self, net: str, *, channels_last: bool, divide: int = 1, dropout: bool = True) -> None:
        layout = torch.channels_last if channels_last else torch.contiguous_format
        self.layout = layout
        self.model = module(net, divide=divide, dropout=dropout).to(memory_format=layout).eval()

    def load(self, arrays: Sequence[Tensor]) -> None:
        """Take over parameters, in the order of the layers, weight before bias."""
        if hasattr(self.model, "load"):
            self.model.load(arrays)
            return
        with torch.no_grad():
            for parameter, array in zip(self.model.parameters(), arrays, strict=True):
                parameter.copy_(array.view_as(parameter))

    @torch.inference_mode()
    def step(self, data: Tensor, label: Tensor) -> float:
        """The loss of (N, C, H, W) float32 and (N,) int64."""
        return float(self.model(data.contiguous(memory_format=self.layout), label).item())


class Loop(TestLoop):
    """A training loop by hand. ``step`` is one iteration."""

    def __init__(self, net: str, *, channels_last: bool, compiled: bool = False, divide: int = 1, dropout: bool = True) -> None:
        """``compiled``: by torch.compile, in the first steps."""
        super().__init__(net, channels_last=channels_last, divide=divide, dropout=dropout)
        self.model.train()
        self.loss = self.model
        if compiled and net in JOBS:  # what looks at values, such as a choice of boxes, cannot be compiled
            for part in JOBS[net].compilable:
                setattr(self.model, part, torch.compile(getattr(self.model, part)))
        elif compiled:
            self.loss = torch.compile(self.model)
        solver = figures(net)
        self.optimizer = torch.optim.SGD(list(groups(net, self.model)), lr=solver.base_lr, momentum=solver.momentum, fused=True)

    def step(self, data: Tensor, *targets: Tensor) -> float:
        """One iteration on (N, C, H, W) float32 and (N,) int64, or what else the net learns by; the loss before the update."""
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(data.contiguous(memory_format=self.layout), *targets)
        loss.backward()
        self.optimizer.step()
        return float(loss.item())
