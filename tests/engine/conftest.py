"""The small training of the solver's tests serves here too."""

from __future__ import annotations

from tests.solver.conftest import folder, lines

__all__ = ["folder", "lines"]
