"""Seeds that differ from rank to rank."""

from __future__ import annotations


def rank_seed(seed: int, rank: int) -> int:
    """The seed of ``rank``'s random stream: ``random_seed`` + rank, as in Caffe.

    A negative ``seed`` means that none was asked for, and stays: every process then draws its own.
    """
    return seed + rank if seed >= 0 else seed
