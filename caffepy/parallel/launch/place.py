"""Where a rank is in its work, in words.

Imported by the monitor, which is to start fast: this file imports nothing.
"""

START = "the start"
"""Until the solver says where the rank is."""
