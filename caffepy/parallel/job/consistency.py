"""All ranks hold the same bits.

They are made equal at the start, and compared at the start, now and then, and at every snapshot.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from caffepy.errors import ParallelError

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.transport.communicator import Communicator

DIGEST_BYTES = 8
CHECKSUM_BYTES = 4


def broadcast_state(communicator: Communicator, tensors: Sequence[Tensor]) -> None:
    """Rank 0's values into ``tensors`` of every rank.

    Parameters, solver history, running statistics. Flat buffers make it few calls.
    """
    for tensor in tensors:
        communicator.bcast_(tensor)


def check_equal(
    communicator: Communicator, tensors: Mapping[str, Tensor], when: str, *, quick: bool = False
) -> None:
    """Compare the bits of every tensor over all ranks.  Collective.

    ``tensors``: by name, in the same order on all ranks.
    ``when``: for the message, such as ``at the start`` or ``at iteration 500``.
    ``quick``: by `checksum` in place of `digest`.
    Errors: ParallelError on every rank, with one text. It names the first tensor that differs, and
    the rank that differs with its host.
    """
    if communicator.size == 1:
        return
    names = list(tensors)
    summary = checksum if quick else digest
    everyone = communicator.allgather_object(
        (communicator.host, names, [summary(tensor) for tensor in tensors.values()])
    )
    message = difference(
        [host for host, _, _ in everyone],
        [names for _, names, _ in everyone],
        [digests for _, _, digests in everyone],
    )
    if message is not None:
        raise ParallelError(
            f"the ranks differ {when}: {message}; needed: the same bits everywhere. "
            "Resume from the last good snapshot, on like machines"
        )


def difference(
    hosts: Sequence[str], names: Sequence[Sequence[str]], digests: Sequence[Sequence[bytes]]
) -> str | None:
    """What differs, in words; None if all ranks are alike.

    ``names``, ``digests``: of every rank's tensors. The most frequent digest is taken for right.
    Where no digest is the most frequent, rank 0's is.
    """
    for rank, theirs in enumerate(names):
        if theirs != names[0]:
            return (
                f"rank {rank} on {hosts[rank]} has {len(theirs)} parameters of other names "
                f"than the {len(names[0])} of rank 0"
            )
    for param, name in enumerate(names[0]):
        values = [theirs[param] for theirs in digests]
        counts = Counter(values)
        if len(counts) > 1:
            return _odd_rank(hosts, values, counts, name)
    return None


def _odd_rank(
    hosts: Sequence[str], values: Sequence[bytes], counts: Counter[bytes], name: str
) -> str:
    """Names the first rank whose tensor ``name`` differs; ``values``: its digest on each rank."""
    most = max(counts.values())
    candidates = [value for value in values if counts[value] == most]
    right = values[0] if values[0] in candidates else candidates[0]
    wrong = [rank for rank, value in enumerate(values) if value != right]
    others = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    is_tie = len(set(candidates)) > 1
    doubt = ", and there is no telling which is right" if is_tie else ""
    return (
        f"rank {wrong[0]} on {hosts[wrong[0]]}{others}: {name} hashes to "
        f"{values[wrong[0]].hex()}, elsewhere to {right.hex()}{doubt}"
    )


def digest(tensor: Tensor) -> bytes:
    """A hash of the tensor's bytes, in the order of its elements wherever they lie."""
    array = tensor.detach().contiguous().cpu().numpy()
    return hashlib.blake2b(array.reshape(-1).view("u1").data, digest_size=DIGEST_BYTES).digest()


def checksum(tensor: Tensor) -> bytes:
    """The sum of the bits of a float32 tensor, taken as whole numbers.

    It is as fast as memory, 30 times as fast as a hash, and changes with any one element.
    """
    total = int(tensor.detach().view(torch.int32).sum(dtype=torch.int32))
    return total.to_bytes(CHECKSUM_BYTES, "big", signed=True)
