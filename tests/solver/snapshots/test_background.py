"""Jobs beside the training, and snapshots written by one."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from caffepy.errors import WeightsError
from caffepy.proto.solver_state import read_state
from caffepy.proto.weights import read_net_weights
from caffepy.solver.snapshots import snapshot
from caffepy.solver.snapshots.background import Background
from caffepy.solver.solver import Solver
from tools.bench.batches import batches
from tools.bench.candidate import solver_on
from tools.bench.nets import net_text


def test_a_job_runs_beside_and_wait_waits_for_it() -> None:
    background, go, done = Background(), threading.Event(), threading.Event()

    def job() -> None:
        go.wait(20)
        done.set()

    background.start(job)
    assert not done.is_set()
    go.set()
    background.wait()
    assert done.is_set()


def test_jobs_run_one_after_the_other() -> None:
    background, order = Background(), list[int]()
    for number in range(5):
        background.start(lambda n=number: order.append(n))
    background.wait()
    assert order == list(range(5))


def test_an_error_is_raised_once_by_who_waits_next() -> None:
    background = Background()

    def fail() -> None:
        raise WeightsError("no space left")

    background.start(fail)
    with pytest.raises(WeightsError, match="no space left"):
        background.wait()
    background.wait()


def solver(folder: Path, extra: str = "") -> Solver:
    figures = (
        f'base_lr: 0.01 momentum: 0.9 lr_policy: "fixed" max_iter: 4 random_seed: 1 solver_mode: CPU snapshot_prefix: "{folder}/s" {extra}'
    )
    return solver_on(net_text("lenet", 4), figures, batches("lenet", 4))


@pytest.mark.parametrize("form", ["BINARYPROTO", "HDF5"])
def test_a_snapshot_holds_the_values_of_its_iteration_while_training_goes_on(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, trained = threading.Event(), solver(tmp_path, f"snapshot: 2 snapshot_format: {form}")
    for name in ("save", "save_hdf5"):
        original = getattr(snapshot, name)

        def slow(*args: object, original: object = original, **kwargs: object) -> None:
            assert go.wait(20)
            original(*args, **kwargs)

        monkeypatch.setattr(snapshot, name, slow)
    weights = []
    history = []

    def watch(s: Solver) -> None:
        weights.append(s.train_engine.arena.data[2].detach().numpy().copy())
        history.append(s.updater.history[2].numpy().copy())
        if s.iteration == 3:
            go.set()

    trained.watchers.append(watch)
    trained.step(4)
    end = ".h5" if form == "HDF5" else ""
    for iteration in (2, 4):
        model, state = (tmp_path / f"s_iter_{iteration}.{kind}{end}" for kind in ("caffemodel", "solverstate"))
        layer = next(layer for layer in read_net_weights(model) if layer.name == "conv2")
        assert np.array_equal(layer.blobs[0], weights[iteration - 1])
        assert np.array_equal(read_state(state).history[2], history[iteration - 1])
    assert not np.array_equal(weights[1], weights[3])


def test_snapshot_returns_when_the_files_are_there(tmp_path: Path) -> None:
    trained = solver(tmp_path)
    trained.snapshot()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s_iter_0.caffemodel", "s_iter_0.solverstate"]


def test_a_snapshot_that_cannot_be_written_ends_the_training(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    trained = solver(folder, "snapshot: 2")
    folder.rmdir()
    with pytest.raises(WeightsError, match="gone"):
        trained.step(4)


def test_a_snapshot_that_cannot_be_written_is_told_before_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise WeightsError("no space left")

    monkeypatch.setattr(snapshot, "save", full)
    trained = solver(tmp_path, "snapshot: 2")

    def wait(s: Solver) -> None:
        if s.iteration == 3:
            time.sleep(1)

    trained.watchers.append(wait)
    with pytest.raises(WeightsError, match="no space left"):
        trained.step(4)
    assert trained.iteration in (2, 3)  # not 4, where the next snapshot waits for this one


def test_a_thread_for_which_there_is_no_room_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    background = Background()
    monkeypatch.setattr(threading.Thread, "start", fails)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        background.start(lambda: None)
    background.wait()
