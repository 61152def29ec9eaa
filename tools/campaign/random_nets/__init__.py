"""Random nets and solvers: layers of every type that needs no files of its own, with random fields, on random shapes."""

from tools.campaign.random_nets import common, detection, elementwise, losses, shapes, vision  # noqa: F401  their layers register
from tools.campaign.random_nets.builder import Builder, Case, make_case

__all__ = ["Builder", "Case", "make_case"]
