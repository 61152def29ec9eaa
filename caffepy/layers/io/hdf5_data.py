"""Rows of HDF5 files."""

from __future__ import annotations

from caffepy.layers.common.base_data import BaseDataLayer
from caffepy.layers.core.base import at_least
from caffepy.layers.core.registry import register_layer


@register_layer("HDF5Data")
class HDF5DataLayer(BaseDataLayer):
    """Rows of datasets in HDF5 files, over and over.  Caffe type ``HDF5Data``.

    Bottom: none.
    Top:    one for each dataset of its name, (N, ...) float.
    Params: none
    Proto:  hdf5_data_param { source (a list of files), batch_size, shuffle }
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.hdf5_data.
    Source: BVLC Caffe, hdf5_data_layer
    """

    tops = at_least(1)
    source = ("sources.hdf5_data", "HDF5DataSource")
    prefetches = False
