"""Which layers' gradients travel as factors.

Those for which that takes less time, by the measured speeds of network and processor.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from caffepy.layers.core.products import multiply
from caffepy.parallel.collective.ring import by_host, ring_allreduce
from caffepy.parallel.exchange.core.registry import EXCHANGES
from caffepy.parallel.factors.factors import Product, sent_bytes
from caffepy.parallel.transport.communicator import Communicator, count_bytes

if TYPE_CHECKING:
    from caffepy.parallel.collective.courier import Courier

PROBE_VALUES = 1 << 19
PROBE_SIDE = 512
PROBE_TIMES = 3


@dataclass(frozen=True)
class Speeds:
    """``link``: bytes a second over the busiest link.

    ``processor``: multiplications and additions a second in a matrix product.
    """

    link: float
    processor: float


def factor_seconds(product: Product, speeds: Speeds, *, ranks: int, passes: int) -> float:
    """Seconds to send the factors round, and to multiply those of the other ranks."""
    extra = 2 * (ranks - 1) * product.rows * passes * product.inputs * product.outputs
    return sent_bytes(product, ranks, passes) / speeds.link + extra / speeds.processor


def whole_seconds(
    product: Product, speeds: Speeds, *, exchange: str, groups: Sequence[Sequence[int]]
) -> float:
    """Seconds to send the whole gradient by ``exchange``."""
    return (
        EXCHANGES[exchange].link_bytes(4 * product.inputs * product.outputs, groups) / speeds.link
    )


def measure(communicator: Communicator, courier: Courier, rows: int) -> Speeds:
    """The speeds that rank 0 measures, told to all.  Collective.

    Of a ring of all ranks, and of a product with so many ``rows``.
    """
    probe = torch.zeros(PROBE_VALUES)
    ring = by_host(communicator)
    seconds = []
    for _ in range(PROBE_TIMES):
        communicator.barrier()
        began = time.perf_counter()
        courier.wait(courier.start(ring_allreduce(communicator, probe, ring, tag=0)))
        seconds.append(time.perf_counter() - began)
    link = EXCHANGES["allreduce"].link_bytes(count_bytes(probe), communicator.groups) / min(seconds)
    return communicator.bcast_object(
        Speeds(link, product_speed(Product(rows, PROBE_SIDE, PROBE_SIDE)))
    )


def product_speed(product: Product) -> float:
    """Multiplications and additions a second in the product of a layer's factors."""
    left = torch.ones(product.outputs, product.rows)
    right = torch.ones(product.rows, product.inputs)
    seconds = []
    for _ in range(PROBE_TIMES):
        began = time.perf_counter()
        multiply(left, right)
        seconds.append(time.perf_counter() - began)
    return 2 * product.rows * product.inputs * product.outputs / min(seconds)
