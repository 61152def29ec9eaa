"""Packages that cannot be imported, and the command that installs them.

Some come with caffepy itself, others only with one of its extras: what belongs to which is read
from the metadata of the installed caffepy.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires

from caffepy.errors import one_line

NAMES = {"cv2": "opencv-python-headless", "google": "protobuf"}
"""pip's names of packages that are imported under another name."""
REQUIREMENT = re.compile(r"""([A-Za-z0-9._-]+)[^;]*(?:;.*\bextra == ['"]([a-z_-]+)['"])?""")


def why_not_imported(error: ImportError) -> str:
    """One line for a package that is missing or broken, with the command that installs it.

    The command is there if caffepy or one of its extras requires the package.
    """
    module = (error.name or "?").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError):
        return f"the Python package '{module}' cannot be loaded: {one_line(error)}"
    install = command_for(module)
    return f"the Python package '{module}' is not installed{f': {install}' if install else ''}"


def command_for(module: str) -> str:
    """The pip command that installs a module; "" if caffepy does not require it."""
    package = NAMES.get(module, module)
    extras = _extras_of(package)
    if not extras:
        return ""
    return f"pip install 'caffepy[{extras[0]}]'" if extras[0] else f"pip install {package}"


def _extras_of(package: str) -> list[str]:
    """The extras that require a package, in the order of pyproject.toml.

    "" stands for caffepy without extras.
    """
    try:
        lines = requires("caffepy") or []
    except PackageNotFoundError:  # run from a checkout that was not installed
        return [""]
    requirements = [match for line in lines if (match := REQUIREMENT.match(line))]
    return [match[2] or "" for match in requirements if _same(match[1], package)]


def _same(one: str, other: str) -> bool:
    return re.sub("[-_.]+", "-", one).lower() == re.sub("[-_.]+", "-", other).lower()
