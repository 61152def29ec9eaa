"""What the ranks of a training agree on."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator
from caffepy.solver.loop.signals import Signals
from caffepy.solver.solver import Solver
from tests.parallel.ranks import run_ranks
from tests.solver.job import write_dataless


@pytest.mark.parametrize("sharing", [Sharing(), Sharing("ps", table_staleness=1)], ids=["in step", "drifting apart"])
def test_a_hang_up_that_each_rank_sees_at_another_iteration_is_one_snapshot(sharing: Sharing, tmp_path: Path) -> None:
    file = write_dataless(tmp_path)

    def work(communicator: Communicator) -> None:
        signals = Signals()
        solver = Solver.from_file(file, communicator=communicator, signals=signals, sharing=sharing)

        def hang_up(trained: Solver) -> None:
            if trained.iteration == 1 + 2 * communicator.rank:
                signals._note(signal.SIGHUP, None)

        solver.watchers.append(hang_up)
        try:
            solver.solve()
        finally:
            solver.close()

    run_ranks(2, work)
    assert len(list(tmp_path.glob("s_iter_*.solverstate"))) == 1
