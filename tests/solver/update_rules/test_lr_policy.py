"""Rates are those that the real Caffe logged, bit by bit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from google.protobuf import text_format

from caffepy.errors import SolverError
from caffepy.proto import caffe_pb2
from caffepy.solver.update_rules.lr_policy import POLICIES, PolicyState, check_policy, learning_rate


def solver(text: str) -> caffe_pb2.SolverParameter:
    return text_format.Parse(text, caffe_pb2.SolverParameter())


def rate_at(text: str, iteration: int, state: PolicyState | None = None) -> float:
    return learning_rate(solver(text), iteration, state or PolicyState(), lambda: np.nan)


def rates(text: str, count: int, losses: list[float] | None = None) -> list[float]:
    param, state, told = solver(text), PolicyState(), iter(losses or [])
    return [learning_rate(param, iteration, state, lambda: next(told)) for iteration in range(count)]


# recorded from BVLC Caffe 1.0.0
RECORDED = [
    ('lr_policy: "fixed"', [0.1, 0.1]),
    ('lr_policy: "step" gamma: 0.3 stepsize: 4', [0.1] * 4 + [0.030000001] * 4 + [0.009000001]),
    ('lr_policy: "exp" gamma: 0.9', [0.1, 0.089999996, 0.081, 0.0729, 0.06560999]),
    ('lr_policy: "inv" gamma: 0.1 power: 0.75', [0.1, 0.09310125, 0.08721959, 0.0821377, 0.07769695, 0.0737788]),
    ('lr_policy: "poly" power: 0.5 max_iter: 20', [0.1, 0.097467944, 0.094868325, 0.092195444, 0.08944272, 0.08660254]),
    ('lr_policy: "sigmoid" gamma: 0.25 stepsize: 5', [0.022270015, 0.026894143, 0.03208213, 0.03775407, 0.04378235, 0.05]),
]


@pytest.mark.parametrize(("text", "expected"), RECORDED, ids=[text.split('"')[1] for text, _ in RECORDED])
def test_recorded_rates(text: str, expected: list[float]) -> None:
    found = rates(f"base_lr: 0.1 {text}", len(expected))
    assert np.asarray(found, np.float32).tolist() == np.asarray(expected, np.float32).tolist()


def test_multistep_takes_one_step_at_a_time(lines: Callable[[], list[str]]) -> None:
    found = rates('base_lr: 1 lr_policy: "multistep" gamma: 0.5 stepvalue: 0 stepvalue: 0 stepvalue: 3', 5)
    assert found == [0.5, 0.25, 0.25, 0.125, 0.125]
    assert lines() == [
        "MultiStep Status: Iteration 0, step = 1",
        "MultiStep Status: Iteration 1, step = 2",
        "MultiStep Status: Iteration 3, step = 3",
    ]


def test_poly_beyond_the_end_is_nan() -> None:
    assert np.isnan(rate_at('base_lr: 1 lr_policy: "poly" power: 0.5 max_iter: 4', 5))


def test_step_is_kept_for_the_solver_state() -> None:
    state = PolicyState()
    rate_at('base_lr: 1 lr_policy: "step" gamma: 0.1 stepsize: 3', 7, state)
    assert state.step == 2


def test_a_negative_rate_stays() -> None:
    assert rate_at('base_lr: -0.5 lr_policy: "fixed"', 3) == -0.5


def test_ramp_up_of_nvidias_caffe() -> None:
    found = rates('base_lr: 9 rampup_lr: 1 rampup_interval: 4 lr_policy: "step" stepsize: 5 gamma: 0.5', 6)
    assert found == [1, 1.5, 3, 5.5, 9, 4.5]
    assert rates('base_lr: 4 rampup_interval: 2 lr_policy: "fixed"', 3) == [0, 1, 4]


def test_warm_up_of_intels_caffe() -> None:
    assert rates('base_lr: 5 warmup_start_lr: 1 warmup_iter: 4 lr_policy: "fixed"', 6) == [1, 2, 3, 4, 5, 5]


def test_rate_does_not_fall_below_min_lr() -> None:
    assert rates('base_lr: 1 min_lr: 0.25 lr_policy: "step" stepsize: 1 gamma: 0.5', 5) == [1, 0.5, 0.25, 0.25, 0.25]
    assert rates('base_lr: 9 min_lr: 1 lr_policy: "poly" power: 2 max_iter: 4', 5) == [9, 5.5, 3, 1.5, 1]


def test_multifixed() -> None:
    text = 'lr_policy: "multifixed" stagelr: 0.5 stagelr: 2 stagelr: 0.25 stageiter: 1 stageiter: 2 stageiter: 3'
    assert rates(text, 6) == [0.5, 0.5, 2, 0.25, 0.25, 0.25]


def test_plateau(lines: Callable[[], list[str]]) -> None:
    text = 'base_lr: 1 lr_policy: "plateau" gamma: 0.5 plateau_winsize: 2 plateau_winsize: 1 display: 1'
    assert rates(text, 6, [4, 5, 5, 3, 4, 4]) == [1, 1, 0.5, 0.5, 0.25, 0.25]
    assert lines() == [
        "Plateau Status: Iteration 0, current minimum_loss = 4",
        "Plateau Status: Iteration 2, step = 1",
        "Plateau Status: Iteration 2, current minimum_loss = 4",
        "Plateau Status: Iteration 3, current minimum_loss = 3",
        "Plateau Status: Iteration 4, step = 2",
        "Plateau Status: Iteration 4, current minimum_loss = 3",
    ]


@pytest.mark.parametrize("name", ["step", "exp", "multistep"])
@pytest.mark.parametrize("step", [30, 200])
def test_rates_beyond_float32_are_infinite(name: str, step: int) -> None:
    """100^30 is beyond float32, 100^200 beyond float64."""
    text = f'base_lr: 0.1 lr_policy: "{name}" gamma: 100 stepsize: 1'
    assert learning_rate(solver(text), step, PolicyState(step), lambda: 0.0) == math.inf


def test_a_sigmoid_that_falls() -> None:
    """As Caffe 1.0 has it, whose successor takes no gamma below 0."""
    param = solver('base_lr: 0.1 lr_policy: "sigmoid" gamma: -0.5 stepsize: 5')
    check_policy(param)
    rates = [learning_rate(param, iteration, PolicyState(0), lambda: 0.0) for iteration in (0, 4, 5, 9)]
    assert rates == pytest.approx([0.0924142, 0.0622459, 0.05, 0.0119203], rel=1e-6)


def test_unknown_policy_names_the_known_ones() -> None:
    with pytest.raises(SolverError, match=r"s\.prototxt: Unknown learning rate policy: fixd; nearest: 'fixed'.*sigmoid"):
        check_policy(solver('lr_policy: "fixd"'), file="s.prototxt")
    with pytest.raises(SolverError, match="lr_policy is not given"):
        check_policy(solver(""))
    for name in ("step", "sigmoid"):
        with pytest.raises(SolverError, match=f"stepsize is 0; lr_policy '{name}' needs 1 or more"):
            check_policy(solver(f'lr_policy: "{name}"'))
    for name in ("step", "exp", "inv", "multistep"):
        with pytest.raises(SolverError, match=f"gamma is -0.5; lr_policy '{name}' needs 0 or more"):
            check_policy(solver(f'lr_policy: "{name}" stepsize: 1 gamma: -0.5'))
    with pytest.raises(SolverError, match=r"as many stagelr as stageiter.*found: stagelr 1 time\(s\), stageiter 0"):
        check_policy(solver('lr_policy: "multifixed" stagelr: 1'))
    with pytest.raises(SolverError, match="min_lr is 2; needed: 0 or more, and with lr_policy 'poly' at most base_lr"):
        check_policy(solver('base_lr: 1 min_lr: 2 lr_policy: "poly"'))
    for name in POLICIES:
        check_policy(solver(f'lr_policy: "{name}" stepsize: 1 stagelr: 1 stageiter: 1'))
