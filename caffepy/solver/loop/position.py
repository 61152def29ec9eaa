"""Where a training is, for messages about a rank that is lost or stands still."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from caffepy.engine.progress import Progress
from caffepy.parallel.launch.place import START
from caffepy.scoring.dividing import Passes


@dataclass(frozen=True)
class PositionInTest:
    """Where a rank is in a test: ``batch 3, forward of layer 'conv1'``."""

    passes: Passes
    progress: Progress

    def __str__(self) -> str:
        return ", ".join(filter(None, (f"batch {self.passes.batch}", str(self.progress))))


@dataclass
class Position:
    """Where a solver is: ``iteration 120, backward of layer 'conv2'``, ``iteration 500, snapshot``.

    ``iteration``: None before the first. ``progress``: of the engine that runs.
    ``doing``: what is done, unless it is learning. Another thread reads these.
    """

    iteration: int | None = None
    progress: Progress | PositionInTest | None = None
    doing: str = ""

    def __str__(self) -> str:
        parts = (
            START if self.iteration is None else f"iteration {self.iteration}",
            self.doing,
            str(self.progress or ""),
        )
        return ", ".join(filter(None, parts))

    @contextmanager
    def at(self, doing: str, progress: Progress | PositionInTest | None = None) -> Iterator[None]:
        """In the block this is done, by the engine with this ``progress`` if by any."""
        outer = Position(self.iteration, self.progress, self.doing)
        self.doing = doing
        self.progress = progress
        try:
            yield
        finally:
            self.doing = outer.doing
            self.progress = outer.progress
