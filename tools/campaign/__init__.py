"""Long random attacks on caffepy; each module is one, run as ``python -m tools.campaign.NAME -n N -seed S`` from the repository's root."""
