"""``train -check N``: the ranks held against one process before the training."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mpi.jobs import ROUNDING, database, quick_net, smooth_net, solver, train

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A net, and one that mirrors images, with dropout of numbers and of channels."""
    drops = "".join(f'layer {{ name: "{kind}" type: "{kind}" bottom: "ip1" top: "ip1" }}\n' for kind in ("Dropout", "SpatialDropout"))
    drop = (
        quick_net(6).replace('layer {\n  name: "ip2"', f'{drops}layer {{\n  name: "ip2"').replace("scale: 0.02", "scale: 0.02 mirror: true")
    )
    return database(tmp_path_factory, "rehearsal", net=smooth_net(6), drop=drop)


@pytest.mark.parametrize("words", [(), ("-batch_mode", "global"), ("-exchange=tree",)], ids=["", "global", "tree"])
def test_ranks_that_do_what_one_process_does(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "good.prototxt").write_text(solver("good", more="max_iter: 2 test_interval: 100"))
    job = train(folder, "-solver", "good.prototxt", "-check", "3", *words, ranks=2)
    assert job.code == 0, job.err
    (value,) = re.findall(r"check: in 3 iterations, .*, 2 ranks and one process differ by at most (\S+) of", job.err)
    assert float(value) < ROUNDING
    assert "Optimization Done." in job.err


def test_random_numbers_are_named_as_the_reason(folder: Path) -> None:
    (folder / "drops.prototxt").write_text(solver("drops", net="drop.prototxt"))
    job = train(folder, "-solver", "drops.prototxt", "-check", "3", ranks=2, warm=False)
    assert job.code != 0
    (message,) = job.fatal()
    assert "the net draws random numbers (Data, Dropout, SpatialDropout), which differ" in message


def test_a_process_alone_has_nothing_to_compare(folder: Path) -> None:
    job = train(folder, "-solver", "good.prototxt", "-check", "3")
    assert job.code == 1
    assert "-check compares several ranks" in job.err
