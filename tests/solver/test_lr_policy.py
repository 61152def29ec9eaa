"""Rates are those that the real Caffe logged, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from google.protobuf import text_format

from caffepy import log
from caffepy.errors import SolverError
from caffepy.proto import caffe_pb2
from caffepy.solver.lr_policy import POLICIES, check_policy, learning_rate


def solver(text: str) -> caffe_pb2.SolverParameter:
    return text_format.Parse(text, caffe_pb2.SolverParameter())


def rates(text: str, count: int) -> list[float]:
    param, step, found = solver(text), 0, []
    for iteration in range(count):
        rate, step = learning_rate(param, iteration, step)
        found.append(rate)
    return found


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


def test_multistep_takes_one_step_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure(prefix=False)
    found = rates('base_lr: 1 lr_policy: "multistep" gamma: 0.5 stepvalue: 0 stepvalue: 0 stepvalue: 3', 5)
    assert found == [0.5, 0.25, 0.25, 0.125, 0.125]
    assert capsys.readouterr().err.splitlines() == [
        "MultiStep Status: Iteration 0, step = 1",
        "MultiStep Status: Iteration 1, step = 2",
        "MultiStep Status: Iteration 3, step = 3",
    ]


def test_poly_beyond_the_end_is_nan() -> None:
    rate, _ = learning_rate(solver('base_lr: 1 lr_policy: "poly" power: 0.5 max_iter: 4'), 5, 0)
    assert np.isnan(rate)


def test_step_is_kept_for_the_solver_state() -> None:
    assert learning_rate(solver('base_lr: 1 lr_policy: "step" gamma: 0.1 stepsize: 3'), 7, 0)[1] == 2


def test_unknown_policy_names_the_known_ones() -> None:
    with pytest.raises(SolverError, match=r"s\.prototxt: Unknown learning rate policy: fixd; nearest: 'fixed'.*sigmoid"):
        check_policy(solver('lr_policy: "fixd"'), file="s.prototxt")
    with pytest.raises(SolverError, match="lr_policy is not given"):
        check_policy(solver(""))
    with pytest.raises(SolverError, match="stepsize is 0"):
        check_policy(solver('lr_policy: "step"'))
    for name in POLICIES:
        check_policy(solver(f'lr_policy: "{name}" stepsize: 1'))
