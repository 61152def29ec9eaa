"""Momentum and weight decay by policy."""

from __future__ import annotations

from typing import Any

import pytest

from caffepy.errors import SolverError
from caffepy.proto import caffe_pb2
from caffepy.solver.update_rules.schedules import check_schedules, momentum, weight_decay


def solver(**fields: Any) -> Any:
    return caffe_pb2.SolverParameter(**{"momentum": 0.5, "weight_decay": 0.25, "max_iter": 100, **fields})


def test_fixed() -> None:
    assert [(momentum(solver(), i, 0.1), weight_decay(solver(), i)) for i in (0, 50)] == [(0.5, 0.25)] * 2


def test_poly() -> None:
    param = solver(momentum_policy="poly", max_momentum=0.9, momentum_power=2, weight_decay_policy="poly", weight_decay_power=0.5)
    assert [momentum(param, i, 0.1) for i in (0, 50, 100)] == pytest.approx([0.5, 0.6, 0.9])
    assert [weight_decay(param, i) for i in (0, 25, 100)] == pytest.approx([0, 0.125, 0.25])


def test_weight_decay_goes_from_one_number_to_another() -> None:
    param = solver(weight_decay_policy="poly", weight_decay_power=2, max_weight_decay=0.5)
    assert [weight_decay(param, i) for i in (0, 50, 100)] == pytest.approx([0.25, 0.3125, 0.5])


def test_opt_follows_the_rate_up_to_a_limit() -> None:
    assert momentum(solver(momentum_policy="opt"), 3, 0.04) == pytest.approx(0.81)
    assert momentum(solver(momentum_policy="opt", max_momentum=0.5), 3, 0.04) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"momentum_policy": "pol"}, "s: Unknown momentum_policy: pol; nearest: 'poly'; needed: fixed, poly, opt"),
        ({"weight_decay_policy": "opt"}, "s: Unknown weight_decay_policy: opt; needed: fixed, poly"),
        ({"momentum_policy": "poly", "max_iter": 0}, "s: momentum_policy 'poly' needs max_iter; found: 0"),
        ({"momentum_policy": "opt", "type": "Adam"}, "s: momentum_policy 'opt' changes nothing of Adam; needed: SGD or Nesterov"),
    ],
)
def test_refusals(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(SolverError, match=message):
        check_schedules(solver(**fields), file="s")
