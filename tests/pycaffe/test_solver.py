"""Solvers that scripts drive: steps, updates, snapshots, callbacks, types."""

from __future__ import annotations

import copy
import gc
import re
import weakref
from pathlib import Path

import caffe
import numpy as np
import pytest

from caffepy.errors import CaffeError
from caffepy.pycaffe.state import state
from tests.pycaffe.nets import SOLVER, TRAINED, ToFile

TYPES = {
    "SGD": caffe.SGDSolver,
    "Nesterov": caffe.NesterovSolver,
    "AdaGrad": caffe.AdaGradSolver,
    "RMSProp": caffe.RMSPropSolver,
    "AdaDelta": caffe.AdaDeltaSolver,
    "Adam": caffe.AdamSolver,
}
TRAIN_WEIGHTS = [-0.464432, -0.048503, 0.169048]
TEST_WEIGHTS = [0.638155, -0.167412, -0.062535]


@pytest.fixture
def solver_file(to_file: ToFile, tmp_path: Path) -> str:
    """SOLVER for TRAINED."""
    return to_file(SOLVER.format(net=to_file(TRAINED), folder=tmp_path), "solver.prototxt")


def test_solve(solver_file: str) -> None:
    solver = caffe.get_solver(solver_file)
    assert solver.iter == 0
    solver.solve()
    assert solver.iter == 20
    assert float(solver.net.blobs["loss"].data) < 0.7


def test_a_solver_that_only_names_a_net(to_file: ToFile, tmp_path: Path) -> None:
    """Scripts write one to have a net with initial weights; it can do all but learn."""
    solver = caffe.SGDSolver(to_file(f'net: "{to_file(TRAINED)}"', "solver.prototxt"))
    assert solver.net.forward()["loss"] > 0
    solver.net.save(tmp_path / "initial.caffemodel")
    solver.step(0)
    for learn in (lambda: solver.step(1), solver.apply_update):
        with pytest.raises(CaffeError, match=r"solver\.prototxt: lr_policy is not given; needed: one of fixed"):
            learn()


def test_nets(solver_file: str) -> None:
    solver = caffe.SGDSolver(solver_file)
    solver.step(11)  # with a test
    assert (solver.iter, len(solver.test_nets)) == (11, 1)
    test = solver.test_nets[0]
    assert np.shares_memory(test.params["ip"][0].data, solver.net.params["ip"][0].data)
    assert test.forward()["loss"] == pytest.approx(test.blobs["loss"].data)
    nets = [solver.net, *solver.test_nets]
    del solver, test
    assert all(np.isfinite(blob.data).all() for net in nets for blob in net.blobs.values())


def test_steps_are_those_of_solve(solver_file: str) -> None:
    whole, single = caffe.get_solver(solver_file), caffe.get_solver(solver_file)
    whole.step(6)
    caffe.set_random_seed(1701)
    single = caffe.get_solver(solver_file)
    for _ in range(6):
        single.step(1)
    np.testing.assert_array_equal(whole.net.params["ip"][0].data, single.net.params["ip"][0].data)


def test_apply_update(solver_file: str) -> None:
    solver = caffe.get_solver(solver_file)
    weight = solver.net.params["ip"][0]
    weight.data[...] = 0
    solver.net.clear_param_diffs()
    weight.diff[...] = 1
    solver.apply_update()
    np.testing.assert_allclose(weight.data, -0.01, rtol=1e-6)
    assert solver.iter == 1
    solver.net.forward()
    solver.net.backward()  # an update is no reason that the passes before it cannot be run backward


def test_the_diff_of_what_no_gradient_reaches(solver_file: str, to_file: ToFile, tmp_path: Path) -> None:
    aside = 'layer { name: "aside" type: "InnerProduct" bottom: "data" top: "aside" inner_product_param { num_output: 2 } }'
    decay = "weight_decay: 0.5\n"
    solver = caffe.get_solver(to_file(decay + SOLVER.format(net=to_file(TRAINED + aside), folder=tmp_path), "solver.prototxt"))
    weight = solver.net.params["aside"][0]
    weight.data[...] = 1
    solver.step(1)
    assert (weight.diff != 0).all(), "the decay"
    assert np.array_equal(weight.data, 1 - weight.diff)
    solver.net.clear_param_diffs()
    before = weight.data.copy()
    weight.diff[...] = 3  # a script's own gradient
    solver.apply_update()
    assert (weight.data < before - 1e-3).all()


def test_a_loop_by_hand_is_a_step(solver_file: str) -> None:
    """Forward, backward and update by a script give what ``step`` gives."""
    by_hand = caffe.get_solver(solver_file)
    for _ in range(4):
        by_hand.net.clear_param_diffs()
        by_hand.net.forward()
        by_hand.net.backward()
        by_hand.apply_update()
    solver = caffe.get_solver(solver_file)
    solver.step(4)
    np.testing.assert_array_equal(by_hand.net.params["ip"][0].data, solver.net.params["ip"][0].data)


def test_snapshot_and_restore(solver_file: str, tmp_path: Path) -> None:
    solver = caffe.get_solver(solver_file)
    solver.step(4)
    solver.snapshot()
    assert sorted(path.name for path in tmp_path.glob("model*")) == ["model_iter_4.caffemodel", "model_iter_4.solverstate"]
    other = caffe.get_solver(solver_file)
    other.restore(tmp_path / "model_iter_4.solverstate")
    assert other.iter == 4
    np.testing.assert_array_equal(other.net.params["ip"][0].data, solver.net.params["ip"][0].data)
    other.solve()
    assert other.iter == 20
    third = caffe.get_solver(solver_file)
    third.solve(str(tmp_path / "model_iter_4.solverstate"))
    assert third.iter == 20


def test_a_solver_that_nobody_needs_is_gone_at_once(solver_file: str) -> None:
    """Notebooks make one after the other; its threads, files and memory must not wait for a garbage collection."""
    solver = caffe.get_solver(solver_file)
    solver.step(1)
    net, left = caffe.get_solver(solver_file).net, [weakref.ref(solver), weakref.ref(solver._loop.train_engine)]
    gc.disable()
    try:
        del solver
        assert [ref() for ref in left] == [None, None]
    finally:
        gc.enable()
    net.forward()


def test_callbacks(solver_file: str) -> None:
    solver = caffe.get_solver(solver_file)
    seen: list[str] = []
    solver.add_callback(lambda: seen.append(f"start {solver.iter}"), lambda: seen.append(f"ready {solver.iter}"))
    solver.add_callback("", lambda: solver.net.params["ip"][0].diff.fill(0))
    solver.net.after_forward(lambda layer: seen.append(str(layer)))
    before = solver.net.params["ip"][0].data.copy()
    solver.step(2)
    assert seen == ["start 0", "0", "1", "2", "ready 0", "start 1", "0", "1", "2", "ready 1"]
    np.testing.assert_array_equal(solver.net.params["ip"][0].data, before)
    with pytest.raises(TypeError, match="two functions"):
        solver.add_callback(3, 4)


@pytest.mark.parametrize("when", ["start", "ready"])
def test_a_callback_may_do_all_that_a_script_may(when: str, solver_file: str, tmp_path: Path) -> None:
    """In the middle of an iteration, too, with its gradients there or not yet."""
    solver, other = caffe.get_solver(solver_file), caffe.get_solver(solver_file)
    done: list[str] = []

    def look() -> None:
        solver.snapshot()
        solver.test_nets[0].forward()
        solver.net.blobs["data"].reshape(*solver.net.blobs["data"].shape)
        solver.net.reshape()
        solver.net.forward()
        solver.net.backward()
        solver.net.params["ip"][0].data[...] *= 0.5
        solver.share_weights(solver.test_nets[0])
        other.step(1)
        other.apply_update()
        assert solver.lr > 0
        if not done:
            done.append("once")
            solver.step(1)
            solver.restore(tmp_path / "model_iter_0.solverstate")

    solver.add_callback(*((look, lambda: None) if when == "start" else (lambda: None, look)))
    solver.step(12)  # with a test
    assert solver.iter >= 11
    assert np.isfinite(solver.net.params["ip"][0].data).all()


@pytest.mark.parametrize("name", TYPES)
def test_get_solver_gives_the_class_of_the_type(solver_file: str, name: str) -> None:
    path = Path(solver_file)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("momentum: 0.9", "" if name in ("AdaGrad", "RMSProp") else "momentum: 0.9") + f'type: "{name}"', "utf-8")
    solver = caffe.get_solver(solver_file)
    assert type(solver) is TYPES[name]
    solver.step(1)
    assert solver.iter == 1


def test_a_class_counts_more_than_the_type_in_the_file(solver_file: str) -> None:
    path = Path(solver_file)
    path.write_text(path.read_text(encoding="utf-8") + 'type: "Adam"', encoding="utf-8")
    assert caffe.SGDSolver(solver_file).param.type == "SGD"
    assert caffe.get_solver(solver_file).param.type == "Adam"


def test_parameters_of_the_solver_can_be_changed(solver_file: str) -> None:
    solver = caffe.get_solver(solver_file)
    before = solver.net.params["ip"][0].data.copy()
    solver.param.base_lr = 0
    solver.step(3)
    np.testing.assert_array_equal(solver.net.params["ip"][0].data, before)
    assert (solver.param.max_iter, solver.param.display, solver.param.layer_wise_reduce) == (20, 0, True)


def test_sharing_weights_with_a_net_in_training(solver_file: str, to_file: ToFile) -> None:
    solver, net = caffe.get_solver(solver_file), caffe.Net(to_file(TRAINED, "other.prototxt"), caffe.TEST)
    solver.share_weights(net)
    solver.step(2)
    np.testing.assert_array_equal(net.params["ip"][0].data, solver.net.params["ip"][0].data)
    leader = caffe.get_solver(solver_file)
    solver.net.share_with(leader.net)
    before = leader.net.params["ip"][0].data.copy()
    solver.step(1)
    np.testing.assert_array_equal(leader.net.params["ip"][0].data, solver.net.params["ip"][0].data)
    assert not np.array_equal(before, leader.net.params["ip"][0].data)


def test_test_nets_score_as_the_log_says(solver_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    caffe.init_log()
    solver = caffe.get_solver(solver_file)
    solver.step(11)
    lines = capsys.readouterr().err.splitlines()
    assert any("Iteration 10, Testing net (#0)" in line for line in lines)
    assert any("Test net output #0: loss = " in line for line in lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('net: "nothing.prototxt" base_lr: 1 lr_policy: "fixed"', "nothing.prototxt"),
        ("base_lr: fast", "solver.prototxt:1"),
        ('base_lr: 1 lr_policy: "fixed"', "must specify a train net"),
    ],
)
def test_wrong_solvers(to_file: ToFile, text: str, words: str) -> None:
    with pytest.raises(CaffeError, match=words):
        caffe.get_solver(to_file(text, "solver.prototxt"))


def test_wrong_calls(solver_file: str) -> None:
    with pytest.raises(CaffeError, match="none.prototxt"):
        caffe.SGDSolver("none.prototxt")
    solver = caffe.get_solver(solver_file)
    for wrong in (1.5, "x", None):
        with pytest.raises(CaffeError, match="iterations is .*; needed: a whole number"):
            solver.step(wrong)
    with pytest.raises(CaffeError, match="needed: a Net"):
        solver.share_weights(None)
    with pytest.raises(CaffeError, match="neither pickled nor copied"):
        copy.copy(solver)
    with pytest.raises(CaffeError, match="none.solverstate"):
        solver.restore("none.solverstate")
    state.solver_rank = 2
    with pytest.raises(ValueError, match="solver_rank is 2 of 1 solvers"):
        caffe.get_solver(solver_file)


def test_messages_name_nothing_that_only_commands_have(solver_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(solver_file)
    path.write_text(path.read_text(encoding="utf-8") + "timeout_sec: 3", encoding="utf-8")
    caffe.init_log()
    solver = caffe.get_solver(solver_file)
    (warning,) = [line for line in capsys.readouterr().err.splitlines() if "timeout_sec is" in line]
    assert warning.endswith("timeout_sec is a parameter server's and has no effect in a process alone")
    weights, hdf5 = str(tmp_path / "w.caffemodel"), str(tmp_path / "w.caffemodel.h5")
    solver.net.save(weights)
    solver.net.save_hdf5(hdf5)
    wrong = {
        "not a solver's state": lambda: solver.restore(weights),
        "it holds weights": lambda: solver.restore(hdf5),
        "is a binary file": lambda: caffe.get_solver(weights),
    }
    for words, call in wrong.items():
        with pytest.raises(CaffeError, match=words) as raised:
            call()
        assert not re.search(r"\s--?[a-z]", str(raised.value))


def test_a_test_net_has_weights_of_its_own_until_its_first_test(to_file: ToFile, tmp_path: Path) -> None:
    """Numbers of the real Caffe for this seed; from the first test on both nets' weights are the same memory."""
    net = to_file(
        'layer { name: "d" type: "DummyData" top: "d" dummy_data_param { shape { dim: 1 dim: 3 } data_filler { value: 1 } } }'
        'layer { name: "ip" type: "InnerProduct" bottom: "d" top: "ip" inner_product_param { num_output: 1 bias_term: false'
        ' weight_filler { type: "gaussian" std: 0.5 } } }'
        'layer { name: "only" type: "InnerProduct" bottom: "d" top: "only" include { phase: TEST } inner_product_param { num_output: 1'
        ' bias_term: false weight_filler { type: "gaussian" std: 0.5 } } }'
        'layer { name: "loss" type: "Reduction" bottom: "ip" top: "loss" loss_weight: 1 }'
    )
    text = f'net: "{net}" test_iter: 1 test_interval: 2 test_initialization: false base_lr: 0.1 lr_policy: "fixed" random_seed: 3'
    solver = caffe.SGDSolver(to_file(f'{text} snapshot_prefix: "{tmp_path}/s"', "solver.prototxt"))
    test = solver.test_nets[0]
    trained, tested = (lambda: solver.net.params["ip"][0].data), (lambda: test.params["ip"][0].data)
    np.testing.assert_allclose(trained(), [TRAIN_WEIGHTS], atol=1e-5)
    np.testing.assert_allclose(tested(), [TEST_WEIGHTS], atol=1e-5)
    solver.net.save(tmp_path / "first.caffemodel")
    tested()[...] = 7
    np.testing.assert_allclose(trained(), [TRAIN_WEIGHTS], atol=1e-5)
    assert float(test.forward()["loss"]) == 21
    solver.step(1)
    test.copy_from(tmp_path / "first.caffemodel")
    np.testing.assert_allclose(trained() - tested(), -0.1, atol=1e-6)
    only = test.params["only"][0].data.copy()
    solver.step(2)
    assert np.shares_memory(trained(), tested())
    np.testing.assert_array_equal(test.params["only"][0].data, only)
    test.copy_from(tmp_path / "first.caffemodel")
    np.testing.assert_allclose(trained(), [TRAIN_WEIGHTS], atol=1e-5)
    other = caffe.Net(net, caffe.TRAIN)
    solver.net.share_with(other)
    assert not np.shares_memory(trained(), tested())
    solver.step(2)
    assert np.shares_memory(trained(), tested())
    assert np.shares_memory(trained(), other.params["ip"][0].data)


def test_test_nets_begin_with_the_weights_that_the_solver_names(to_file: ToFile, tmp_path: Path) -> None:
    first = caffe.Net(to_file(TRAINED), caffe.TRAIN)
    first.params["ip"][0].data[...] = 3
    first.save(tmp_path / "first.caffemodel")
    text = SOLVER.format(net=to_file(TRAINED), folder=tmp_path) + f'weights: "{tmp_path}/first.caffemodel"'
    solver = caffe.get_solver(to_file(text, "solver.prototxt"))
    for net in (solver.net, *solver.test_nets):
        assert (net.params["ip"][0].data == 3).all()


def test_the_learning_rate(to_file: ToFile, tmp_path: Path) -> None:
    """``lr`` is that of the next update, as in Caffe; float32, as there."""
    text = f'net: "{to_file(TRAINED)}" base_lr: 0.1 lr_policy: "step" gamma: 0.5 stepsize: 2 snapshot_prefix: "{tmp_path}/s"'
    solver = caffe.SGDSolver(to_file(text, "solver.prototxt"))
    rates = []
    for _ in range(5):
        rates.append(solver.lr)
        solver.step(1)
    assert rates == [float(np.float32(rate)) for rate in (0.1, 0.1, 0.05, 0.05, 0.025)]
    solver.param.base_lr = 1
    assert solver.lr == 0.25
    assert caffe.get_solver(to_file(text, "solver.prototxt")).lr == rates[0]
