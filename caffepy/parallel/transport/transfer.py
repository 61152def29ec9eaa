"""Messages under way."""

from __future__ import annotations

from typing import Protocol


class Transfer(Protocol):
    """A message under way."""

    def done(self) -> bool:
        """Whether it is over, so that the tensor may be used again.

        Asking also moves it on, where the transport needs that.
        """
