"""Training by several ranks is the training of one on the union of their batches."""

from __future__ import annotations

import filecmp
import json
import sys
from pathlib import Path

import pytest

from caffepy.report.training_log import parse
from tests.mpi.jobs import database, same_but_rounding, smooth_net, solver, train, weights, worst_difference
from tests.mpi.launch import Finished

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(240)]

BATCH = 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database, and for each number of ranks a net whose batches make up `BATCH` and a solver that starts a job of its own name."""
    return database(tmp_path_factory, "job", **{f"net{ranks}": smooth_net(BATCH // ranks) for ranks in (1, 2, 4)})


def _run(folder: Path, prefix: str, *, nets: int, ranks: int = 0, more: str = "", words: tuple[str, ...] = ()) -> Finished:
    (folder / f"{prefix}.prototxt").write_text(solver(prefix, net=f"net{nets}.prototxt", more=more))
    return train(folder, "-solver", f"{prefix}.prototxt", *words, ranks=ranks)


@pytest.fixture(scope="module")
def alone(folder: Path) -> Finished:
    """One process without any launcher, all of the batch."""
    return _run(folder, "alone", nets=1, more="snapshot: 10")


@pytest.fixture(scope="module")
def two(folder: Path) -> Finished:
    """Two ranks, half of the batch each."""
    return _run(folder, "two", nets=2, ranks=2, more="snapshot: 10", words=("-metrics", "metrics.jsonl"))


@pytest.fixture(scope="module")
def four(folder: Path) -> Finished:
    """Four ranks, a quarter of the batch each."""
    return _run(folder, "four", nets=4, ranks=4, more="snapshot: 10")


@pytest.fixture(scope="module")
def saved(alone: Finished, two: Finished, four: Finished) -> dict[int, str]:
    """By the number of ranks, the prefix of the snapshots at iterations 10 and 20."""
    assert alone.code == two.code == four.code == 0, alone.err + two.err + four.err
    return {1: "alone", 2: "two", 4: "four"}


@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_with_their_share_of_the_batch(folder: Path, saved: dict[int, str], ranks: int) -> None:
    for iteration in (10, 20):
        same_but_rounding(folder, "alone", saved[ranks], iteration=iteration)


def test_a_loss_that_adds_up_over_the_batch(folder: Path) -> None:
    for ranks in (1, 2):
        head, tail = smooth_net(BATCH // ranks).rsplit('type: "SoftmaxWithLoss"', 1)
        (folder / f"net{ranks}sum.prototxt").write_text(f'{head}type: "SoftmaxWithLoss" loss_param {{ normalization: NONE }}{tail}')
        text = solver(f"sum{ranks}", net=f"net{ranks}sum.prototxt", more="max_iter: 10 base_lr: 0.003 test_interval: 100")
        (folder / f"sum{ranks}.prototxt").write_text(text)
        job = train(folder, "-solver", f"sum{ranks}.prototxt", ranks=ranks if ranks > 1 else 0)
        assert job.code == 0, job.out + job.err
    assert worst_difference(folder / "sum1_iter_10.caffemodel", folder / "sum2_iter_10.caffemodel") < 1e-4


def test_the_weights_have_moved(folder: Path, alone: Finished) -> None:
    """So that the comparisons above mean something."""
    assert _run(folder, "untrained", nets=1, more="max_iter: 0").code == 0
    before, after = weights(folder / "untrained_iter_0.caffemodel"), weights(folder / "alone_iter_20.caffemodel")
    assert all(abs(before[name] - after[name]).max() > 1e-3 for name in before)


def test_one_rank_under_mpirun_is_a_process_alone_bit_by_bit(folder: Path, alone: Finished) -> None:
    one = _run(folder, "one", nets=1, ranks=1)
    assert one.code == 0, one.err
    assert filecmp.cmp(folder / "alone_iter_20.caffemodel", folder / "one_iter_20.caffemodel", shallow=False)
    assert _shown(one) == _shown(alone)


def test_rank_0_alone_logs_tests_and_writes(folder: Path, alone: Finished, two: Finished) -> None:
    lines = two.err.splitlines()
    assert len({line.split()[2] for line in lines if "solver.cpp" in line}) == 1, "one process writes the log"
    assert sum("Iteration 10, Testing net (#0)" in line for line in lines) == 1
    assert sum("Snapshotting to binary proto file two_iter_10.caffemodel" in line for line in lines) == 1
    assert sorted(path.name for path in folder.glob("two_iter_*")) == [
        "two_iter_10.caffemodel",
        "two_iter_10.solverstate",
        "two_iter_20.caffemodel",
        "two_iter_20.solverstate",
    ]


def test_the_log_shows_the_loss_of_the_whole_batch(alone: Finished, two: Finished) -> None:
    mine, theirs = parse(alone.err.splitlines()), parse(two.err.splitlines())
    assert sorted(mine.loss) == [0, 5, 10, 15, 20]
    assert theirs.loss == pytest.approx(mine.loss, rel=1e-4)
    assert theirs.rate == mine.rate


@pytest.mark.parametrize("form", ["BINARYPROTO", "HDF5"])
def test_resuming_two_ranks_is_bit_by_bit(folder: Path, two: Finished, form: str) -> None:
    whole, end, kind = "two", "", f"snapshot: 10 snapshot_format: {form}"
    if form == "HDF5":
        whole, end = "wholeHDF5", ".h5"
        assert _run(folder, whole, nets=2, ranks=2, more=kind).code == 0
    resumed = _run(folder, f"rest{form}", nets=2, ranks=2, more=kind, words=("-snapshot", f"{whole}_iter_10.solverstate{end}"))
    assert resumed.code == 0, resumed.err
    first, second = (folder / f"{name}_iter_20.caffemodel{end}" for name in (whole, f"rest{form}"))
    assert worst_difference(first, second) == 0


def test_dropout_is_resumed_on_every_rank(folder: Path) -> None:
    net = smooth_net(8)
    drop = 'layer { name: "drop" type: "Dropout" bottom: "ip1" top: "ip1" dropout_param { dropout_ratio: 0.5 } }\n'
    head, tail = net.split('layer {\n  name: "ip2"')
    (folder / "net9.prototxt").write_text(f'{head}{drop}layer {{\n  name: "ip2"{tail}')
    assert _run(folder, "drop", nets=9, ranks=2, more="snapshot: 10").code == 0
    resumed = _run(folder, "dropped", nets=9, ranks=2, words=("-snapshot", "drop_iter_10.solverstate"))
    assert resumed.code == 0, resumed.err
    assert worst_difference(folder / "drop_iter_20.caffemodel", folder / "dropped_iter_20.caffemodel") == 0


def test_torchrun_trains_as_mpirun_does(folder: Path, two: Finished) -> None:
    (folder / "torchrun.prototxt").write_text(solver("torchrun", net="net2.prototxt"))
    torchrun = [str(Path(sys.executable).parent / "torchrun"), "--standalone", "--nproc-per-node", "2", "--no-python"]
    job = train(folder, "-solver", "torchrun.prototxt", launch=torchrun)
    assert job.code == 0, job.err
    same_but_rounding(folder, "two", "torchrun")


def test_metrics_tell_what_was_sent_and_waited_for(folder: Path, two: Finished) -> None:
    assert two.code == 0, two.err
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    found = {line["iteration"]: line for line in lines if line["net"] == "train" and "sent_bytes" in line}
    buffer = 4 * sum(-(-blob.size // 16) * 16 for blob in weights(folder / "two_iter_20.caffemodel").values())
    assert found[15]["sent_bytes"] - found[5]["sent_bytes"] == 10 * buffer, "two ranks send the buffer once an iteration"
    assert 0 < found[5]["waited_s"] < found[15]["waited_s"]
    assert 0 <= found[5]["hidden_s"] <= found[15]["hidden_s"]
    assert found[15]["images_per_s"] > 0


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 2), (2, 4), (4, 2)])
def test_another_number_of_ranks_goes_on(folder: Path, saved: dict[int, str], before: int, after: int) -> None:
    """With the same batch in all: iteration, history and data go on as if nothing had happened."""
    rest = f"rest{before}{after}"
    job = _run(folder, rest, nets=after, ranks=after, words=("-snapshot", f"{saved[before]}_iter_10.solverstate"))
    assert job.code == 0, job.err
    assert f"The state was saved by {before} rank(s) and is read by {after}" in job.err
    same_but_rounding(folder, "alone", rest)


def test_each_rank_has_a_log_on_request(folder: Path) -> None:
    (folder / "logs").mkdir()
    job = _run(folder, "logged", nets=2, ranks=2, words=("-log_dir=logs",), more="max_iter: 6")
    assert job.code == 0, job.err
    texts = [path.read_text() for path in (folder / "logs").glob("*.log.INFO.*")]
    assert len(texts) == 2
    assert sum("rank 1 of 2 on " in text for text in texts) == 1
    for text in texts:
        assert "Iteration 5, lr = 0.05" in text
    assert job.err.count("Iteration 5, lr = 0.05") == 1


def test_an_error_of_the_input_is_said_once(folder: Path) -> None:
    job = train(folder, "-solver", "none.prototxt", ranks=2, warm=False)
    assert job.code == 1
    (message,) = job.fatal()
    assert message.startswith(("rank 0 on ", "rank 1 on "))  # whichever looked first
    assert "none.prototxt" in message
    assert "Traceback" not in job.err


def _shown(job: Finished) -> list[str]:
    """Messages of the solver and the nets without times and names; data threads write theirs whenever they run."""
    lines = [line.split("] ", 1)[1] for line in job.err.splitlines() if "solver.cpp" in line or "net.cpp" in line]
    return [line.split(" (")[0] if "iter/s" in line else line for line in lines if "iter_" not in line]
