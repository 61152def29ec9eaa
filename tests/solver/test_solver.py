"""The loop: what is done in which order, and what the log says of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from caffepy.errors import SolverError
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator
from caffepy.solver.loop.signals import Action, Signals
from caffepy.solver.solver import Solver
from tests.parallel.ranks import run_ranks
from tests.solver.job import NET, parameters, solver, write_dataless

Lines = Callable[[], list[str]]
TESTS = "test_iter: 2 test_interval: 4"


def events(lines: list[str]) -> list[str]:
    """The lines of the loop, without numbers that depend on the run."""
    told = [line for line in lines if re.match(r"Iteration|Snapshotting to|Solving|Optimization|    T|Test", line)]
    return [re.sub(r"(loss|accuracy) = .*| \(.*\)", r"\1", line).strip() for line in told]


def solved(more: str, **options: object) -> Solver:
    found = solver(more, **options)
    found.solve()
    found.close()
    return found


@pytest.mark.usefixtures("folder")
def test_order_of_a_training(lines: Lines) -> None:
    solved(f"{TESTS} display: 2 max_iter: 4 snapshot: 3")
    test = ["Test net output #0: accuracy", "Test net output #1: loss"]
    assert events(lines()) == [
        "Solving tiny",
        *("Iteration 0, Testing net", *test),
        *("Iteration 0, loss", "Train net output #0: loss", "Iteration 0, lr = 0.1"),
        *("Iteration 2, loss", "Train net output #0: loss", "Iteration 2, lr = 0.1"),
        "Snapshotting to binary proto file s_iter_3.caffemodel",
        "Snapshotting to binary proto file s_iter_4.caffemodel",
        "Iteration 4, loss",
        *("Iteration 4, Testing net", *test),
        "Optimization Done.",
    ]


@pytest.mark.usefixtures("folder")
def test_no_last_snapshot_where_one_was_just_made_or_none_is_wanted(lines: Lines) -> None:
    solved("max_iter: 4 snapshot: 2")
    assert [line.split()[-1] for line in events(lines()) if "Snap" in line] == ["s_iter_2.caffemodel", "s_iter_4.caffemodel"]
    solved("max_iter: 4 snapshot_after_train: false")
    assert not any("Snap" in line for line in lines())


@pytest.mark.usefixtures("folder")
def test_test_initialization_and_test_compute_loss(lines: Lines) -> None:
    solved(f"{TESTS} max_iter: 5 test_initialization: false test_compute_loss: true snapshot_after_train: false")
    found = events(lines())
    assert found[1] == "Iteration 4, Testing net"
    assert re.fullmatch(r"Test loss: [\d.]+", found[2])


@pytest.mark.usefixtures("folder")
def test_several_test_nets_with_states_of_their_own(folder: Path, lines: Lines) -> None:
    stage = 'layer { name: "sum" type: "Reduction" bottom: "ip2" top: "sum" include { phase: TEST stage: "more" } }\n'
    (folder / "net.prototxt").write_text(NET + stage)
    solved(f'{TESTS} test_iter: 3 test_state {{ }} test_state {{ stage: "more" }} max_iter: 1 snapshot_after_train: false')
    found = [line.strip() for line in lines() if "Test net output" in line or "Testing net" in line]
    assert [line.split(" = ")[0] for line in found] == [
        *("Iteration 0, Testing net (#0)", "Test net output #0: accuracy", "Test net output #1: loss"),
        *("Iteration 0, Testing net (#1)", "Test net output #0: accuracy", "Test net output #1: loss", "Test net output #2: sum"),
    ]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("display", "forwards", "backwards"), [(1, 3, 2), (2, 1, 1)])
def test_debug_info_shows_every_blob_in_display_iterations(display: int, forwards: int, backwards: int, lines: Lines) -> None:
    """The last forward, behind the iterations, is as the last of them."""
    solved(f"debug_info: true display: {display} max_iter: 2 snapshot_after_train: false")
    found = lines()
    assert sum("[Forward] Layer ip1, top blob ip1 data: " in line for line in found) == forwards
    assert sum("[Backward] Layer ip2, param blob 0 diff: " in line for line in found) == backwards
    assert sum("[Backward] All net params (data, diff): L1 norm = (" in line for line in found) == backwards


@pytest.mark.usefixtures("folder")
def test_a_loss_that_is_no_number_is_told_once(lines: Lines) -> None:
    solved("base_lr: 1e38 display: 1 max_iter: 5")
    found = lines()
    (warning,) = [line for line in found if "training is probably lost" in line]
    first = next(line for line in found if re.match(r"Iteration \d+ .*loss = -nan", line))
    assert warning.startswith(f"The loss of iteration {first.split()[1]} is -nan, ")
    assert "Iteration" not in warning  # scripts take such lines for those of Caffe's log
    assert found.index(warning) < found.index(first)
    solved("display: 1 max_iter: 5")
    assert not any("probably lost" in line for line in lines())


@pytest.mark.usefixtures("folder")
def test_iter_size_is_the_mean_of_as_many_batches(folder: Path) -> None:
    """Two batches of 3 make one of 6; without mirrors and dropout, of which each batch would have its own."""
    plain = re.sub(r'mirror: true|layer \{ name: "drop".*', "", NET)
    found = []
    for size, batch in ((1, 6), (2, 3)):
        (folder / "net.prototxt").write_text(plain.replace("batch_size: 5", f"batch_size: {batch}"))
        found.append(solved(f"iter_size: {size} weight_decay: 0.01 clip_gradients: {0.4 * size} snapshot_after_train: false"))
    for one, other in zip(*(each.train_engine.arena.learnable for each in found)):
        assert one.detach().numpy() == pytest.approx(other.detach().numpy(), rel=1e-5, abs=1e-7)
    assert [each.images_per_iteration for each in found] == [6, 6]


@pytest.mark.usefixtures("folder")
def test_engines_train_alike() -> None:
    layerwise, whole = (solved("snapshot_after_train: false", engine=engine) for engine in ("layerwise", "whole"))
    for one, other in zip(layerwise.train_engine.arena.learnable, whole.train_engine.arena.learnable):
        assert one.detach().numpy() == pytest.approx(other.detach().numpy(), rel=1e-5, abs=1e-7)


@pytest.mark.usefixtures("folder")
def test_weights_to_start_from(lines: Lines) -> None:
    trained = solved("")
    tuned = solver('weights: "s_iter_8.caffemodel" random_seed: 9')
    assert "Finetuning from s_iter_8.caffemodel" in lines()
    assert parameters(tuned) == parameters(trained)
    tuned.close()


class Rung(Signals):
    """Signals that come when they are asked for the ``n``-th time, those of ``after`` each time from then on."""

    def __init__(self, n: int, action: Action, *after: Action) -> None:
        super().__init__()
        self._actions = [*[Action.NONE] * (n - 1), action, *after]

    def requested(self) -> Action:
        return self._actions.pop(0) if self._actions else Action.NONE


@pytest.mark.usefixtures("folder")
def test_stopped_after_an_iteration(folder: Path, lines: Lines) -> None:
    found = solved("", signals=Rung(3, Action.STOP))
    assert found.iteration == 3
    assert events(lines())[-2:] == ["Snapshotting to binary proto file s_iter_3.caffemodel", "Optimization stopped early."]
    assert (folder / "s_iter_3.solverstate").exists()


@pytest.mark.usefixtures("folder")
def test_stopped_within_a_test(lines: Lines) -> None:
    found = solved(f"{TESTS} snapshot_after_train: false", signals=Rung(2, Action.STOP))
    assert found.iteration == 0
    assert events(lines()) == ["Solving tiny", "Iteration 0, Testing net", "Test interrupted.", "Optimization stopped early."]


@pytest.mark.usefixtures("folder")
def test_a_snapshot_asked_for_within_a_test_comes_after_the_next_iteration(lines: Lines) -> None:
    found = solved(f"{TESTS} max_iter: 3 snapshot_after_train: false", signals=Rung(1, Action.SNAPSHOT))
    assert found.iteration == 3
    assert [line for line in events(lines()) if "Snap" in line] == ["Snapshotting to binary proto file s_iter_1.caffemodel"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("n", [1, 2], ids=["in the test", "after the iteration that follows"])
def test_a_stop_takes_no_snapshot_away_that_was_asked_for_within_a_test(n: int, folder: Path, lines: Lines) -> None:
    later = [] if n == 1 else [Action.NONE]
    found = solved(f"{TESTS} snapshot_after_train: false", signals=Rung(1, Action.SNAPSHOT, *later, Action.STOP))
    assert found.iteration == n - 1
    assert events(lines())[-2:] == [f"Snapshotting to binary proto file s_iter_{n - 1}.caffemodel", "Optimization stopped early."]
    assert (folder / f"s_iter_{n - 1}.solverstate").exists()


@pytest.mark.usefixtures("folder")
def test_a_snapshot_asked_for_within_the_last_test(folder: Path, lines: Lines) -> None:
    solved(f"{TESTS} max_iter: 4 test_initialization: false snapshot_after_train: false", signals=Rung(5, Action.SNAPSHOT))
    assert events(lines())[-2:] == ["Snapshotting to binary proto file s_iter_4.caffemodel", "Optimization Done."]
    assert (folder / "s_iter_4.solverstate").exists()


@pytest.mark.usefixtures("folder")
def test_watchers_and_speed() -> None:
    found, seen = solver(f"{TESTS} snapshot_after_train: false"), []
    found.watchers.append(lambda it: seen.append(it.iteration))
    found.solve()
    found.close()
    assert seen == list(range(1, 9))
    assert found.speed.iterations == 8
    assert 0 < found.speed.training_s < 60


@pytest.mark.usefixtures("folder")
def test_the_end_of_a_training_is_checked_at_its_start() -> None:
    found = solver('snapshot_prefix: "nowhere/s"')
    with pytest.raises(SolverError, match="Cannot write to snapshot prefix 'nowhere/s'"):
        found.solve()
    assert found.iteration == 0
    found.close()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("engine", ["auto", "whole", "layerwise"])
def test_of_the_passes_of_an_update_the_last_counts_for_a_parameter_layer(engine: str, folder: Path) -> None:
    """As in Caffe, where it is the diff of its top; that of a layer that uses its parameter itself is the sum of both passes."""
    (folder / "net.prototxt").write_text("""
        layer { name: "d" type: "DummyData" top: "one" dummy_data_param { shape { dim: 1 dim: 1 } data_filler { value: 1 } } }
        layer { name: "p" type: "Parameter" top: "p" parameter_param { shape { dim: 1 dim: 1 } } }
        layer { name: "q" type: "InnerProduct" bottom: "one" top: "q" inner_product_param { num_output: 1 bias_term: false } }
        layer { name: "lp" type: "EuclideanLoss" bottom: "p" bottom: "one" top: "lp" }
        layer { name: "lq" type: "EuclideanLoss" bottom: "q" bottom: "one" top: "lq" }
    """)
    found = solved("max_iter: 1 iter_size: 2 base_lr: 1 snapshot_after_train: false", engine=engine)
    assert [tensor.tolist() for tensor in found.train_engine.arena.learnable] == [[[0.5]], [[1]]]


WAYS = {
    "at once": Sharing(),
    "when next used": Sharing(lazy_update=True),
    "stale": Sharing("ps", table_staleness=1),
}


class Looks:
    """A callback that does ``before`` and ``after`` the passes of each iteration."""

    def __init__(self, before: Callable[[], object], after: Callable[[], object]) -> None:
        self.on_start, self.on_gradients_ready = before, after


@pytest.mark.parametrize("way", WAYS)
def test_callbacks_of_several_ranks_may_snapshot_and_test(way: str, tmp_path: Path) -> None:
    """What is written in the middle of an iteration are the parameters before its update; the training goes on as without."""
    file = write_dataless(tmp_path, "max_iter: 3 test_iter: 1 test_interval: 100 snapshot_after_train: false")

    def work(communicator: Communicator, *, looks: bool) -> list[bytes]:
        found = Solver.from_file(file, communicator=communicator, sharing=WAYS[way])
        if looks:
            found.callbacks += [Looks(found.snapshot, found.test_all), Looks(found.test_all, found.snapshot)]
        found.solve()
        found.close()
        return parameters(found)

    assert run_ranks(2, lambda c: work(c, looks=True)) == run_ranks(2, lambda c: work(c, looks=False))
    assert {path.name for path in tmp_path.glob("s_*.caffemodel")} == {f"s_iter_{i}.caffemodel" for i in range(3)}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_callback_makes_of_the_gradients_is_what_all_ranks_learn_from(way: str, tmp_path: Path) -> None:
    file = write_dataless(tmp_path, "max_iter: 3 snapshot_after_train: false")

    def work(communicator: Communicator) -> tuple[list[bytes], list[bytes]]:
        found = Solver.from_file(file, communicator=communicator, sharing=WAYS[way])

        def clear() -> None:
            for gradient in found.train_engine.gradients():
                assert gradient is not None
                gradient.zero_()

        before = parameters(found)
        found.callbacks.append(Looks(lambda: None, clear))
        found.solve()
        found.close()
        return before, parameters(found)

    for before, after in run_ranks(2, work):
        assert after == before
