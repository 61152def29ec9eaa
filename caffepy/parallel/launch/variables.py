"""Environment variables of our own, beside those of the launchers.

Imported by the first act of a rank (`failure.early_monitor`): it imports nothing.
"""

STARTED_BY = "CAFFEPY_STARTED_BY"
"""What of ours stands in for torchrun, whose variables it sets: a flag's name."""
LISTEN = "CAFFEPY_LISTEN"
"""Beside torchrun's: the one address at which rank 0 lets the others find it; empty at the others."""
