"""All ranks hold the same bits: made so at the start, and checked at the start, now and then, and at every snapshot."""

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

DIGEST_BYTES, CHECKSUM_BYTES = 8, 4


def broadcast_state(communicator: Communicator, tensors: Sequence[Tensor]) -> None:
    """Rank 0's values into ``tensors`` of every rank: parameters, solver history, running statistics.  Flat buffers make it few calls."""
    for tensor in tensors:
        communicator.bcast_(tensor)


def check_equal(
    communicator: Communicator, tensors: Mapping[str, Tensor], when: str, *, quick: bool = False
) -> None:
    """Compare the bits of every tensor over all ranks.  Collective.

    ``tensors``: by name, in the same order on all ranks. ``when``: for the message, such as ``at the start`` or ``at iteration 500``.
    ``quick``: by `checksum` in place of `digest`.
    Errors: ParallelError on every rank, with one text, naming the first tensor that differs and the odd rank and its host.
    """
    if communicator.size == 1:
        return
    names, summary = list(tensors), checksum if quick else digest
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
            f"the ranks differ {when}: {message}; needed: the same bits everywhere. Resume from the last good snapshot, on like machines"
        )


def difference(
    hosts: Sequence[str], names: Sequence[Sequence[str]], digests: Sequence[Sequence[bytes]]
) -> str | None:
    """What is wrong, in words, with ``names`` and ``digests`` of every rank's tensors; None if they are all alike.

    The commonest digest is taken for right, and rank 0's where there is no commonest.
    """
    for rank, theirs in enumerate(names):
        if theirs != names[0]:
            return f"rank {rank} on {hosts[rank]} has {len(theirs)} parameters of other names than the {len(names[0])} of rank 0"
    for param, name in enumerate(names[0]):
        found = [theirs[param] for theirs in digests]
        counts = Counter(found)
        if len(counts) > 1:
            most = max(counts.values())
            right = (
                found[0]
                if counts[found[0]] == most
                else next(one for one in found if counts[one] == most)
            )
            rank = next(rank for rank, one in enumerate(found) if one != right)
            wrong = len(found) - most
            others = f" and {wrong - 1} more" if wrong > 1 else ""
            doubt = (
                ", and there is no telling which is right"
                if list(counts.values()).count(most) > 1
                else ""
            )
            return f"rank {rank} on {hosts[rank]}{others}: {name} hashes to {found[rank].hex()}, elsewhere to {right.hex()}{doubt}"
    return None


def digest(tensor: Tensor) -> bytes:
    """A hash of the tensor's bytes, in the order of its elements wherever they lie."""
    array = tensor.detach().contiguous().cpu().numpy()
    return hashlib.blake2b(array.reshape(-1).view("u1").data, digest_size=DIGEST_BYTES).digest()


def checksum(tensor: Tensor) -> bytes:
    """The sum of a float32 tensor's bits as numbers, at the speed of memory, 30 times that of a hash: any one element's change shows."""
    total = int(tensor.detach().view(torch.int32).sum(dtype=torch.int32))
    return total.to_bytes(CHECKSUM_BYTES, "big", signed=True)
