"""Pictures of nets: a prototxt as boxes and arrows.

They are laid out here, and written as DOT, SVG or what matplotlib writes.
"""

from caffepy.report.draw.files import draw_net_to_file
from caffepy.report.draw.scene import ALL, PHASES

__all__ = ["ALL", "PHASES", "draw_net_to_file"]
