"""Makes the communicator of a launch."""

from __future__ import annotations

from collections.abc import Mapping

from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.single import Single


def connect(launch: Launch, environ: Mapping[str, str]) -> Communicator:
    """The communicator for ``launch``.

    Single without other ranks, torch.distributed under torchrun, else MPI. MPI is never loaded for
    a process alone: where it is only half installed, loading it can end the process.
    Errors: ParallelError when the ranks cannot be brought together: no mpi4py, or another MPI than
    the launcher's.
    """
    if launch.is_alone:
        return Single(launch)
    if launch.launcher == "torchrun":
        from caffepy.parallel.transport.torch_group import connect_torch

        return connect_torch(launch)
    from caffepy.parallel.transport.mpi.communicator import connect_mpi

    return connect_mpi(launch, environ)
