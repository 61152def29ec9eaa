"""LARS: a learning rate for each parameter by the norms of its values and its gradient.

It takes the place of lr_mult.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy.errors import SolverError
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.solver.update_rules.rules import Number


@dataclass(frozen=True)
class LocalRates:
    """rate_i = rate * trust * |w| / (|g| + decay * |w|)

    g has no weight decay. Where a norm is 0, rate_i is rate.

    ``clip``: never above ``rate``.
    Source: NVIDIA's Caffe 0.17 (``larc``: decay 0), Intel's Caffe (``local_lr_auto``),
    arXiv:1708.03888.
    """

    trust: float
    decay: float = 0.0
    clip: bool = False

    @classmethod
    def from_proto(cls, param: SolverParameter, *, file: str) -> LocalRates | None:
        """What the solver asks for, or None.  Errors: SolverError."""
        if param.larc and param.local_lr_auto:
            raise SolverError(f"{file}: larc and local_lr_auto are both true; needed: one of them")
        if param.larc:
            if param.larc_policy not in ("scale", "clip"):
                raise SolverError(
                    f"{file}: Unknown larc policy: {param.larc_policy}; needed: scale or clip"
                )
            return cls(param.larc_eta, clip=param.larc_policy == "clip")
        return cls(param.local_gw_ratio, decay=param.weight_decay) if param.local_lr_auto else None

    def factors(self, params: list[Tensor], diffs: list[Tensor], rate: Number) -> list[Tensor]:
        """rate_i / ``rate`` of each parameter, as 0-axis tensors on its device."""
        values = torch.stack(torch._foreach_norm(params))
        gradients = torch.stack(torch._foreach_norm(diffs))
        factors = self.trust * values / (gradients + self.decay * values)
        if self.clip:
            factors = (factors / rate).clamp_(max=1.0)
        return list(torch.where((values > 0) & (gradients > 0), factors, 1.0).unbind())
