"""The four axes of images by their names."""

from __future__ import annotations

import pytest

from caffepy.errors import UsageError
from caffepy.layers.common.python_blob import PythonBlob


def test_axes_that_are_not_there_count_one() -> None:
    blob = PythonBlob((5, 13))
    assert (blob.num, blob.channels, blob.height, blob.width) == (5, 13, 1, 1)


def test_more_axes_have_no_names() -> None:
    with pytest.raises(UsageError, match="a blob of 5 axes has no num, channels, height, width; needed: at most 4 axes"):
        _ = PythonBlob((1, 2, 3, 4, 5)).height
