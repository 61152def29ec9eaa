"""The fields for the windows of a convolution or pooling: kernel, stride, pad and dilation."""

from __future__ import annotations

from google.protobuf.message import Message

WHOLE = {"kernel": "kernel_size"}
"""Fields for all axes whose name is not that of the ``_h`` and ``_w`` fields without these endings.
"""
OLD_DILATION = "hole"
"""DeepLab's name of ``dilation``."""


def window_field(param: Message, name: str) -> tuple[int, ...]:
    """The values of ``param`` for ``name``: none, one for all spatial axes, or one for each.

    ``param`` is a ConvolutionParameter, a PoolingParameter, or a message with fields like theirs.
    Whether its fields contradict each other is for the layer to check. Here Intel's ``stride_3d``
    counts before ``stride``, and this before ``stride_h`` and ``stride_w``.
    """
    whole = WHOLE.get(name, name)
    values = _values(param, f"{whole}_3d") or _values(param, whole)
    if not values and given_by_axis(param, name):
        values = (int(getattr(param, f"{name}_h")), int(getattr(param, f"{name}_w")))
    if not values and name == "dilation":
        values = window_field(param, OLD_DILATION)
    return values


def given_by_axis(param: Message, name: str) -> list[str]:
    """Those of ``stride_h`` and ``stride_w``, or of another pair, that are given."""
    pair = f"{name}_h", f"{name}_w"
    known = param.DESCRIPTOR.fields_by_name
    return [field for field in pair if field in known and param.HasField(field)]


def _values(param: Message, field: str) -> tuple[int, ...]:
    """The values of a field, repeated or not; none if it is not given or not in the message."""
    given = {descriptor.name: value for descriptor, value in param.ListFields()}
    values = given.get(field, ())
    return (int(values),) if isinstance(values, int) else tuple(map(int, values))
