"""What OpenMP's threads do between two of torch's operators: look for work for a moment, then sleep."""

from __future__ import annotations

from collections.abc import MutableMapping

SPINS = 2000
"""Looks of GNU's OpenMP, which torch brings along: some 180 us, longer than it takes to come from one layer to the next.

To wake a thread takes longer than a small layer. Threads that look for work for milliseconds, as is
torch's own way, slow a machine that others use down several times over (tools/bench/NOTES.md).
"""


def wait_briefly(environ: MutableMapping[str, str]) -> None:
    """Set it, before torch is loaded, unless the user has said how threads wait.

    Other OpenMPs let them sleep at once.
    """
    if "OMP_WAIT_POLICY" not in environ:
        environ["OMP_WAIT_POLICY"] = "PASSIVE"
        environ.setdefault("GOMP_SPINCOUNT", str(SPINS))
