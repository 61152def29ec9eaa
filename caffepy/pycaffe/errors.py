"""Errors of the Python module.

Each is a CaffeError, and also what Caffe's own module raises there, so that scripts catch it.
"""

from __future__ import annotations

from caffepy.errors import DataError, UsageError


class UnknownName(UsageError, KeyError, ValueError):
    """No blob, layer or top of that name."""

    __str__ = Exception.__str__  # KeyError's would put the message in quotes


class WrongValue(UsageError, ValueError):
    """A value or shape that does not fit."""


class WrongType(UsageError, TypeError):
    """An argument of another kind than needed."""


class UnknownParameter(UsageError, AttributeError):
    """No field of that name."""


class NoMessage(UsageError, AttributeError, TypeError):
    """A field that holds a message was given something else."""


class UnknownIndex(UsageError, IndexError):
    """A layer has not so many parameters."""


class ReadOnly(UsageError, AttributeError, TypeError):
    """Something to write into, not to replace."""


class UnknownTop(UsageError, KeyError, AttributeError):
    """A NetSpec has no top of that name."""

    __str__ = Exception.__str__


class CropError(UsageError, AssertionError):
    """Two tops that no Crop layer can bring together."""


class Unfit(UsageError, AssertionError):
    """Arguments that do not belong together."""


class UnreadableFile(DataError, OSError):
    """An image file that is missing or is no image."""
