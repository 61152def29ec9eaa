"""How OpenMP's threads wait between two of torch's operators: they spin briefly, then sleep."""

from __future__ import annotations

from collections.abc import MutableMapping

SPINS = 2000
"""Spins of GNU's OpenMP, which torch contains: 50 to 180 us, longer than between two layers.

Waking a thread takes longer than a small layer. Threads that spin for milliseconds, as torch has
it, slow a machine that others use down several times over (tools/bench/NOTES.md).
"""


def wait_briefly(environ: MutableMapping[str, str]) -> None:
    """Set the spins before torch is loaded, unless the user has set how threads wait.

    Other OpenMPs let them sleep at once.
    """
    if "OMP_WAIT_POLICY" not in environ:
        environ["OMP_WAIT_POLICY"] = "PASSIVE"
        environ.setdefault("GOMP_SPINCOUNT", str(SPINS))
