"""Source of the ImageLabelmapData layer: image files and images of their edges, named in a list."""

# N batch, C channels, H W image, h w output (crop_size, or the image's own size)

from __future__ import annotations

from collections.abc import Sequence

from caffepy.data.list_files import Pair, read_pairs
from caffepy.data.opencv import Pixels
from caffepy.data.seg_transformer import LabelmapTransformer
from caffepy.data.sources.image_seg_data import ImageSegDataSource

EDGE = 128
"""The least value of an edge: divided by 255 it is more than a half."""


class ImageLabelmapDataSource(ImageSegDataSource):
    """Batches (N, C, h, w) and labels (N, 1, h, w): 1 where the label image is >= 128, else 0.

    Mean and scale change the image only, mirror and crop both alike. Label images are resized
    bilinearly before they are set to 0 and 1, as in HED.
    """

    place = "image_labelmap_data_layer.cpp"
    transformer = LabelmapTransformer

    def _list(self) -> Sequence[Pair]:
        return read_pairs(self._param.source)

    def _pair(self, pair: Pair) -> tuple[Pixels, Pixels]:
        """Image (H, W) or (H, W, 3) and labels (H, W)."""
        image = self._read(pair.name, self._param.is_color)
        return image, (self._labels(pair, image, nearest=False) >= EDGE).view("uint8")
