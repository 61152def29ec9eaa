from __future__ import annotations

from typing import cast

import pytest

from caffepy.errors import ParallelError
from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.mpi.communicator import Mpi
from caffepy.parallel.transport.mpi.window import _check_space
from tests.parallel.ranks import run_ranks


def test_a_host_without_the_memory_says_so_on_all_its_ranks() -> None:
    def body(c: Communicator) -> str:
        with pytest.raises(ParallelError) as caught:
            _check_space(cast(Mpi, c), 1 << 50)
        return str(caught.value)

    for message in run_ranks(2, body):
        assert "the windows of this host's ranks take 2147483648; needed: more of it" in message


def test_a_little_fits() -> None:
    run_ranks(2, lambda c: _check_space(cast(Mpi, c), 1))
