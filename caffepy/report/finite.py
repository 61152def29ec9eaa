"""Values for JSON, which has no NaN and no infinity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def finite(value: Json) -> Json:
    """The same value with null for NaN and infinity."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int | str):
        return value
    if isinstance(value, Mapping):
        return {name: finite(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [finite(item) for item in value]
    return value
