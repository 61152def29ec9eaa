"""All-reduce: every rank gets the mean gradient and makes the same update."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.parallel.collective.courier import Task, TaskGroup
from caffepy.parallel.collective.ring import by_host, ring_allreduce
from caffepy.parallel.exchange.core.base import Serving, Setting
from caffepy.parallel.exchange.core.buckets import Bucket, BucketExchange
from caffepy.parallel.exchange.core.network import Load, Model, Network, Stage
from caffepy.parallel.exchange.core.registry import register_exchange


@register_exchange("allreduce")
class AllreduceExchange(BucketExchange):
    """Each bucket goes round a ring of all ranks while backward fills the next.

    Bytes that a rank sends in an iteration: 2 (n - 1) / n of the buffer, for n ranks.
    Source: BVLC Caffe (NCCL, ``layer_wise_reduce``), Caffe-MPI 1.0 (``per_parameter_reduce``),
    NVCaffe and Caffe-MPI 2.0 (``reduce_buckets``), Poseidon's wait-free backpropagation.
    """

    compresses = True
    automatic = frozenset({"cpu", "cuda"})
    complexity = 1

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._ring = by_host(self.communicator)

    @classmethod
    def link_bytes(cls, buffer_bytes: int, groups: Sequence[Sequence[int]]) -> float:
        """Of the ring, one edge leaves each host."""
        size = sum(map(len, groups))
        return 2 * (size - 1) / size * buffer_bytes

    @classmethod
    def model(cls, network: Network, sizes: Sequence[int], serving: Serving) -> Model:
        """One ring of all ranks, twice round."""

        def stages(load: Load) -> list[Stage]:
            return [
                network.ring(
                    cls.link_bytes(load.n_bytes, network.groups),
                    2 * (network.size - 1),
                    load.pieces,
                )
            ]

        return stages

    def travel(self, bucket: Bucket) -> Task:
        """Once round the ring to add up, once round to hand out the sum."""
        yield TaskGroup(
            ring_allreduce(
                self.communicator,
                piece,
                self._ring,
                tag=tag,
                scale=self.scale,
                wire=self.setting.wire,
            )
            for tag, piece in bucket.pieces
        )
