"""What training scripts ask of the file system."""

from __future__ import annotations

import os


def check_if_exist(path: str) -> bool:
    """Whether there is such a file or folder; nothing is raised if not."""
    return os.path.exists(path)


def make_if_not_exist(path: str) -> None:
    """Make a folder, and those around it, unless it is there."""
    os.makedirs(path, exist_ok=True)
