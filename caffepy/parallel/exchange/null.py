"""The exchange of a process alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffepy.parallel.exchange.core.base import Exchange
from caffepy.parallel.exchange.core.registry import register_exchange

if TYPE_CHECKING:
    from torch import Tensor


@register_exchange("null")
class NullExchange(Exchange):
    """Nothing travels.  Of several ranks, each would train a net of its own."""

    serves = True  # whatever the flags say, it is all the same

    def finish(self, gradients: Sequence[Tensor]) -> None:
        """Update by ``gradients`` as they are."""
        self.update(range(len(gradients)), gradients, self.iteration)
