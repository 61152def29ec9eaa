"""Raw images of one size in the memory of all hosts."""

from __future__ import annotations

from caffepy.layers.common.base_data import BaseDataLayer
from caffepy.layers.core.base import exactly
from caffepy.layers.core.registry import register_layer


@register_layer("ParallelInMemData")
class ParallelInMemDataLayer(BaseDataLayer):
    """Raw images of a file, kept in the memory of all hosts.  Caffe type ``ParallelInMemData``.

    Bottom: none.
    Top:    data (N, C, H, W) float; label (N,) float.
    Params: none
    Proto:  parallel_inmem_data_param: as parallel_data_param of ParallelData
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.parallel_data.
            Unlike in CaffeGPI, no image is left out if batches and ranks do not divide them evenly.
    Source: CaffeGPI, parallel_inMem_data_layer
    """

    fork_fields = frozenset({"LayerParameter.parallel_inmem_data_param"})
    tops = exactly(2)
    source = ("sources.parallel_data", "ParallelInMemDataSource")
