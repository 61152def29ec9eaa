"""Updates within the backward pass, beside updates after it: the same bits."""

from __future__ import annotations

import gc
import re
import weakref
from collections.abc import Callable, Iterator

import pytest
import torch

from caffepy.errors import DataError
from caffepy.solver.updating import early_update
from tests.engine.build import built
from tests.solver.job import parameters, solver

pytestmark = pytest.mark.usefixtures("folder")
NONE = 1 << 60
WAYS = {
    "SGD": ("weight_decay: 0.01", True),
    "three passes": ("iter_size: 3 weight_decay: 0.01", True),
    "Adam": ('type: "Adam" momentum2: 0.99', True),
    "L1": ('weight_decay: 0.01 regularization_type: "L1"', True),
    "rates of parameters": ("larc: true larc_eta: 0.01", True),
    "multistep": ('lr_policy: "multistep" gamma: 0.5 stepvalue: 2 stepvalue: 5 display: 1', True),
    "clipped": ("clip_gradients: 0.5", False),
    "plateau": ('lr_policy: "plateau" gamma: 0.5 plateau_winsize: 2', False),
    "kept": ("snapshot_diff: true", False),
}


@pytest.mark.parametrize(("more", "early"), WAYS.values(), ids=WAYS)
def test_same_parameters_and_log(more: str, early: bool, lines: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    learnt, logs, left = [], [], []
    for least in (NONE, 8):
        monkeypatch.setattr(early_update, "LARGE", least)
        training = solver(f"{more} snapshot_after_train: false")
        training.watchers.append(lambda of: left.append([gradient is None for gradient in of.train_engine.gradients()]))
        training.step(8)
        training.close()
        learnt.append((parameters(training), [history.numpy().tobytes() for history in training.updater.history]))
        logs.append([line for line in lines() if not re.search("prefetching|iter/s", line)])  # those come when they come
    assert learnt[0] == learnt[1]
    assert logs[0] == logs[1]
    assert left[0] == [False] * 4
    assert left[-1] == [early, False, early, False]  # the weights, and not the biases


def _in_turn(functions: Iterator[Callable[[object], object]]) -> Callable[[object], object]:
    return lambda roots: next(functions)(roots)


def _fail(roots: object) -> None:
    raise DataError("nothing to learn")


def test_an_error_in_the_last_pass_leaves_nothing_for_the_next_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt = []
    for least in (NONE, 8):
        monkeypatch.setattr(early_update, "LARGE", least)
        training = solver("iter_size: 2 snapshot_after_train: false")
        training.step(1)
        engine = training.train_engine
        passes = iter([torch.autograd.backward, _fail])
        with monkeypatch.context() as patched:
            patched.setattr("torch.autograd.backward", _in_turn(passes))
            with pytest.raises(DataError):
                training.step(1)
        engine.clear_gradients()
        training.step(1)
        training.close()
        learnt.append(parameters(training))
    assert learnt[0] == learnt[1]


def test_a_solver_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early_update, "LARGE", 8)
    training = solver("snapshot_after_train: false")
    training.step(1)
    engine = weakref.ref(training.train_engine)
    training.close()
    del training
    gc.collect()
    assert engine() is None


def test_parameters_that_several_layers_use_or_that_only_scale_are_left() -> None:
    net = """
    layer { name: "d" type: "Input" top: "x" input_param { shape { dim: 2 dim: 3 } } }
    layer { name: "a" type: "InnerProduct" bottom: "x" top: "a" param { name: "w" } inner_product_param { num_output: 3 } }
    layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" param { name: "w" } inner_product_param { num_output: 3 } }
    layer { name: "s" type: "Scale" bottom: "b" top: "s" }
    layer { name: "l" type: "Reduction" bottom: "s" top: "l" loss_weight: 1 }"""
    assert early_update.large_places(built(net).whole, least=1) == [1, 2]  # the biases of a and b
