"""Writes results to an HDF5 file."""

# N rows

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.data.hdf5_output import HDF5OutputFile
from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Device
from caffepy.proto import caffe_pb2


@register_layer("HDF5Output")
class HDF5OutputLayer(Layer):
    """Writes its bottoms to a file.  Caffe type ``HDF5Output``.

    Bottom: data (N, ...) and label (N, ...) float, 0 to 4 axes.
    Top:    none.
    Params: none
    Proto:  hdf5_output_param { file_name }
    Differs from torch: no counterpart. One batch only: a second forward is an error, as in Caffe.
    Source: BVLC Caffe, hdf5_output_layer
    """

    bottoms = exactly(2)
    tops = exactly(0)
    device = Device(on_host=True)

    @classmethod
    def remembers(cls, param: caffe_pb2.LayerParameter) -> bool:
        """It does: only the first batch is written."""
        return True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Check that the file can be written."""
        if not self.offline:
            self.file = HDF5OutputFile(self.param.hdf5_output_param.file_name)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        for i, shape in enumerate(bottoms):
            if len(shape) > 4:
                raise self.fail(f"bottom {i} has {len(shape)} axes; needed: at most 4")
        data, label = (shape[0] if shape else 1 for shape in bottoms)
        if data != label:
            raise self.fail(f"data has {data} rows and label {label}; needed: as many")
        return ()

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        data, label = (bottom.detach().cpu().numpy() for bottom in bottoms)
        self.file.write(data, label)
        return ()
