"""Packages that cannot be imported, and the command that installs them.

Some come with caffepy itself, others only with one of its extras: what belongs to which is read
from the metadata of the installed caffepy.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires

from caffepy.errors import one_line

NAMES = {"cv2": "opencv-python-headless", "google": "protobuf"}
"""What the packages that are imported under another name are called where pip finds them."""
REQUIREMENT = re.compile(r"""([A-Za-z0-9._-]+)[^;]*(?:;.*\bextra == ['"]([a-z_-]+)['"])?""")


def why_not_imported(error: ImportError) -> str:
    """One line for a package that is missing or broken: its name, and what installs it if it is one that caffepy asks for."""
    module = (error.name or "?").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError):
        return f"the Python package '{module}' cannot be loaded: {one_line(error)}"
    install = command_for(module)
    return f"the Python package '{module}' is not installed{f': {install}' if install else ''}"


def command_for(module: str) -> str:
    """The pip command that brings a module; "" where caffepy does not ask for it."""
    package = NAMES.get(module, module)
    extras = _extras_of(package)
    if not extras:
        return ""
    return f"pip install 'caffepy[{extras[0]}]'" if extras[0] else f"pip install {package}"


def _extras_of(package: str) -> list[str]:
    """The extras that bring a package, in the order of pyproject.toml.

    "" stands for caffepy without extras.
    """
    try:
        lines = requires("caffepy") or []
    except PackageNotFoundError:  # run from a checkout that was not installed
        return [""]
    found = [match for line in lines if (match := REQUIREMENT.match(line))]
    return [match[2] or "" for match in found if _same(match[1], package)]


def _same(one: str, other: str) -> bool:
    return re.sub("[-_.]+", "-", one).lower() == re.sub("[-_.]+", "-", other).lower()
