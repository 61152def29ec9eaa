"""caffe.NCCL: several processes of a script train one net, as Caffe's ``train.py`` does.

Over NCCL on GPUs, over gloo on the CPU.
"""

from __future__ import annotations

import atexit
import os
import platform
import shutil
import tempfile

import torch

from caffepy.errors import ParallelError
from caffepy.parallel.job.consistency import broadcast_state
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.single import Single
from caffepy.pycaffe.errors import WrongType
from caffepy.pycaffe.solvers import Solver
from caffepy.pycaffe.state import state


class NCCL:
    """Replaces the gradients of all processes by their mean before each update of a solver.

    It is used as ``solver.add_callback(NCCL(solver, uid))``.

    Each process makes one, with the ``uid`` that one of them got from `new_uid`, after
    `set_solver_count` and `set_solver_rank`. The processes run on one machine. Errors:
    ParallelError.
    """

    def __init__(self, solver: Solver, uid: bytes) -> None:
        if not isinstance(solver, Solver) or not isinstance(uid, bytes):
            raise WrongType(
                "NCCL takes a solver, and the bytes that NCCL.new_uid gave to one of the processes"
            )
        self._engine = solver._loop.train_engine
        self._communicator = _join(uid)
        self._communicator.use_device(state.device)

    @staticmethod
    def new_uid() -> bytes:
        """A name by which the processes of one training find one another."""
        folder = tempfile.mkdtemp(prefix="caffe_nccl_")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return os.path.join(folder, "meeting").encode()

    def bcast(self) -> None:
        """Rank 0's parameters into every process."""
        broadcast_state(self._communicator, [self._engine.arena.flat.buffer])

    def on_start(self) -> None:
        """Called by the solver; nothing to do."""

    def on_gradients_ready(self) -> None:
        """Called by the solver: the mean of every process's gradients."""
        gradients = [gradient for gradient in self._engine.gradients() if gradient is not None]
        if not gradients or self._communicator.size == 1:
            return
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
        self._communicator.allreduce_(flat)
        flat /= self._communicator.size
        for gradient, mean in zip(
            gradients, torch.split(flat, [gradient.numel() for gradient in gradients])
        ):
            gradient.copy_(mean.view_as(gradient))

    def __call__(self, layer: int) -> None:
        """Called by ``net.after_backward``; the gradients travel together when all are there."""


def _join(uid: bytes) -> Communicator:
    launch = Launch("NCCL", state.solver_rank, state.solver_count, None, None, platform.node())
    if launch.is_alone:
        return Single(launch)
    if torch.distributed.is_initialized():
        raise ParallelError(
            "this process is already part of a training by several processes; needed: one"
            " NCCL object a process"
        )
    from caffepy.parallel.transport.torch_group import connect_torch

    communicator = connect_torch(launch, meeting=f"file://{os.fsdecode(uid)}")
    atexit.register(communicator.close)
    return communicator
