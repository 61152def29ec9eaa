"""The four axes of images by their names."""

from __future__ import annotations

from abc import abstractmethod

from caffepy.errors import UsageError


class LegacyShape:
    """``num``, ``channels``, ``height`` and ``width`` of a blob, 1 where it has fewer axes.

    UsageError where it has more.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""

    def _legacy(self, axis: int) -> int:
        if len(self.shape) > 4:
            raise UsageError(
                f"a blob of {len(self.shape)} axes has no num, channels, height, width;"
                " needed: at most 4 axes"
            )
        return (*self.shape, 1, 1, 1, 1)[axis]

    num = property(lambda self: self._legacy(0), doc="Length of axis 0, or 1.")
    channels = property(lambda self: self._legacy(1), doc="Length of axis 1, or 1.")
    height = property(lambda self: self._legacy(2), doc="Length of axis 2, or 1.")
    width = property(lambda self: self._legacy(3), doc="Length of axis 3, or 1.")
