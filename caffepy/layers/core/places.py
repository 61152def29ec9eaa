"""Labels, indices and other places that values name.

Those out of range are an error: on the CPU at once, on a GPU when the host next waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.core.base import Run, is_readable

KEY = "places"
"""Where `Run.state` has a layer's `Extremes`."""


@dataclass
class Extremes:
    """The least and the greatest place (2,) that a layer has met on a GPU.

    And what to say of one outside 0 to ``n`` - 1.
    """

    seen: Tensor
    n: int
    refusal: Callable[[float], LayerError]


def inside(
    index: Tensor,
    n: int,
    run: Run,
    refusal: Callable[[float], LayerError],
    *,
    values: Tensor | None = None,
) -> Tensor:
    """``index``, each of them 0 to ``n`` - 1.  ``refusal``: the error about one that is not.

    ``values``: what they were made from. Looking at a GPU's values would cost a wait, and a kernel
    that is given a place outside ends all work on the GPU. So places are clamped there, and the
    engines tell by the extremes of them all: see `check_places`.
    """
    if not index.numel() or torch.compiler.is_compiling() or index.is_meta:
        return index
    least, most = index.aminmax()
    if is_readable(index):
        if least < 0 or most >= n:
            wrong = (index if values is None else values.detach()).flatten()[
                index.argmin() if least < 0 else index.argmax()
            ]
            raise refusal(float(wrong))
        return index
    known = run.state.get(KEY)
    if known is None or known.seen.device != index.device:
        known = run.state[KEY] = Extremes(
            torch.zeros(2, dtype=torch.int64, device=index.device), n, refusal
        )
    known.n = n
    known.refusal = refusal
    known.seen[0].copy_(torch.minimum(known.seen[0], least))
    known.seen[1].copy_(torch.maximum(known.seen[1], most))
    return index.clamp(0, n - 1)
