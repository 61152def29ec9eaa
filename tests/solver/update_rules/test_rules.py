"""Each rule against its formula in float64, and the fused kernels against the rules."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from google.protobuf import text_format

from caffepy.errors import SolverError
from caffepy.proto import caffe_pb2
from caffepy.solver.update_rules.fused import FUSED, UpdateStep, fused_for
from caffepy.solver.update_rules.rules import RULES, Constants, adam_correction, rule_for

Array = np.ndarray
MU, MU2, DELTA, RHO, RATE = 0.9, 0.99, 1e-3, 0.7, 0.05


def expected_sgd(g: Array, h: list[Array], t: int) -> Array:
    h[0] = MU * h[0] + RATE * g
    return h[0]


def expected_nesterov(g: Array, h: list[Array], t: int) -> Array:
    old = h[0]
    h[0] = MU * old + RATE * g
    return (1 + MU) * h[0] - MU * old


def expected_adagrad(g: Array, h: list[Array], t: int) -> Array:
    h[0] = h[0] + g**2
    return RATE * g / (np.sqrt(h[0]) + DELTA)


def expected_rmsprop(g: Array, h: list[Array], t: int) -> Array:
    h[0] = RHO * h[0] + (1 - RHO) * g**2
    return RATE * g / (np.sqrt(h[0]) + DELTA)


def expected_adadelta(g: Array, h: list[Array], t: int) -> Array:
    h[0] = MU * h[0] + (1 - MU) * g**2
    u = g * np.sqrt((h[1] + DELTA) / (h[0] + DELTA))
    h[1] = MU * h[1] + (1 - MU) * u**2
    return RATE * u


def expected_adam(g: Array, h: list[Array], t: int) -> Array:
    h[0] = MU * h[0] + (1 - MU) * g
    h[1] = MU2 * h[1] + (1 - MU2) * g**2
    return RATE * np.sqrt(1 - MU2 ** (t + 1)) / (1 - MU ** (t + 1)) * h[0] / (np.sqrt(h[1]) + DELTA)


FORMULAS: dict[str, Callable[[Array, list[Array], int], Array]] = {
    "SGD": expected_sgd,
    "Nesterov": expected_nesterov,
    "AdaGrad": expected_adagrad,
    "RMSProp": expected_rmsprop,
    "AdaDelta": expected_adadelta,
    "Adam": expected_adam,
}


def constants(iteration: int) -> Constants:
    return Constants(MU, MU2, DELTA, RHO, adam_correction(Constants(MU, MU2), iteration))


def test_the_correction_of_adam_is_rounded_once() -> None:
    c = Constants(float(np.float32(0.9)), float(np.float32(0.999)))
    exact = [math.sqrt(1 - c.momentum2**t) / (1 - c.momentum**t) for t in (1, 2, 3)]
    assert [adam_correction(c, iteration) for iteration in range(3)] == [float(np.float32(value)) for value in exact]


def test_every_rule_is_tested() -> None:
    assert set(FORMULAS) == set(RULES)


@pytest.mark.parametrize("name", FORMULAS)
def test_formula(name: str) -> None:
    rule, generator = RULES[name], np.random.default_rng(1)
    history = [[torch.zeros(4, 3), torch.zeros(2)] for _ in range(rule.slots)]
    wanted = [[np.zeros((4, 3)) for _ in range(rule.slots)], [np.zeros(2) for _ in range(rule.slots)]]
    for t in range(6):
        g = [generator.standard_normal((4, 3)), generator.standard_normal(2)]
        diffs = [torch.tensor(x, dtype=torch.float32) for x in g]
        rule.update(diffs, history, RATE, constants(t))
        for diff, gradient, kept in zip(diffs, g, wanted):
            np.testing.assert_allclose(diff.numpy(), FORMULAS[name](gradient, kept, t), rtol=2e-4, atol=1e-6)


@pytest.mark.parametrize("name", FUSED)
@pytest.mark.parametrize("decay", [0.0, 0.03125])
def test_fused_does_the_same(name: str, decay: float) -> None:
    fused = fused_for(name, torch.device("cpu"))
    assert fused is not None
    generator = torch.Generator().manual_seed(2)
    params = [torch.randn(40, 8, generator=generator), torch.randn(16, generator=generator)]
    history = [[torch.rand(40, 8, generator=generator), torch.rand(16, generator=generator)] for _ in range(RULES[name].slots)]
    params2, history2 = [p.clone() for p in params], [[h.clone() for h in slot] for slot in history]
    rate = float(np.float32(0.0137))
    for t in range(4):
        diffs = [torch.randn(p.shape, generator=generator) for p in params]
        diffs2 = [d + decay * p for d, p in zip(diffs, params2)]
        assert fused(params, diffs, history, UpdateStep(rate, decay, constants(t)))
        RULES[name].update(diffs2, history2, rate, constants(t))
        for p, d in zip(params2, diffs2):
            p -= d
    # in lengths that fill no whole vector, torch's kernels differ among themselves in the last bit
    tolerance = 0.0 if name == "SGD" else 1e-6
    for found, wanted in zip([params, *history], [params2, *history2]):
        for one, other in zip(found, wanted):
            assert (one - other).abs().max() <= tolerance


def test_fused_sgd_leaves_what_it_cannot_do() -> None:
    fused = FUSED["SGD"]
    one = [torch.ones(2)]
    assert not fused(one, one, [one], UpdateStep(0.1, 0.0, Constants(momentum=0.0)))
    assert not fused(one, one, [one], UpdateStep(float(np.float32(1e-12)), 0.0, Constants(momentum=0.9)))
    assert one[0].tolist() == [1, 1]


def solver(text: str) -> caffe_pb2.SolverParameter:
    return text_format.Parse(text, caffe_pb2.SolverParameter())


def test_rule_for() -> None:
    assert rule_for(solver("")).name == "SGD"
    with pytest.raises(SolverError, match="Unknown solver type: Adm .*nearest: 'Adam'"):
        rule_for(solver('type: "Adm"'))
    for name in ("AdaGrad", "RMSProp"):
        with pytest.raises(SolverError, match=f"Momentum cannot be used with {name}"):
            rule_for(solver(f'type: "{name}" momentum: 0.9'))
    with pytest.raises(SolverError, match="rms_decay should lie between 0 and 1"):
        rule_for(solver('type: "RMSProp" rms_decay: 1'))
