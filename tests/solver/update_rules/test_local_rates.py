"""Rates of single parameters against the formulas of the forks that have them, in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from google.protobuf import text_format

from caffepy.errors import SolverError
from caffepy.proto import caffe_pb2
from caffepy.solver.update_rules.local_rates import LocalRates

LARC = LocalRates(0.01)
LARS = LocalRates(0.01, decay=0.5)


def from_proto(text: str) -> LocalRates | None:
    return LocalRates.from_proto(text_format.Parse(text, caffe_pb2.SolverParameter()), file="s.prototxt")


def test_fields() -> None:
    assert from_proto("weight_decay: 0.5") is None
    assert from_proto("larc: true larc_eta: 0.25 weight_decay: 0.5") == LocalRates(0.25)
    assert from_proto('larc: true larc_eta: 0.25 larc_policy: "clip"') == LocalRates(0.25, clip=True)
    assert from_proto("local_lr_auto: true local_gw_ratio: 0.25 weight_decay: 0.5") == LocalRates(0.25, decay=0.5)
    with pytest.raises(SolverError, match="Unknown larc policy: auto; needed: scale or clip"):
        from_proto('larc: true larc_policy: "auto"')
    with pytest.raises(SolverError, match="larc and local_lr_auto are both true"):
        from_proto("larc: true local_lr_auto: true")


@pytest.mark.parametrize("rates", [LARC, LARS])
def test_scale(rates: LocalRates) -> None:
    params, diffs = [torch.randn(4, 3), torch.randn(5)], [torch.randn(4, 3), torch.randn(5)]
    for param, diff, factor in zip(params, diffs, rates.factors(params, diffs, 3.0)):
        w, g = np.linalg.norm(param.double().flatten()), np.linalg.norm(diff.double().flatten())
        assert float(factor) == pytest.approx(0.01 * w / (g + rates.decay * w), rel=1e-6)


def test_clip_never_raises_the_rate() -> None:
    clip, params = LocalRates(0.01, clip=True), [torch.full((4,), 10.0), torch.full((4,), 0.1)]
    high, low = clip.factors(params, [torch.ones(4)] * 2, 0.05)
    assert float(high) == 1.0
    assert float(low) * 0.05 == pytest.approx(0.001)
    assert [float(f) for f in clip.factors(params, [torch.ones(4)] * 2, 0.0)] == [1.0, 1.0]


def test_no_norm_means_the_plain_rate() -> None:
    nothing, some = torch.zeros(3), torch.ones(3)
    assert [float(f) for f in LARC.factors([nothing, some, some], [some, nothing, torch.full((3,), np.nan)], 2.0)] == [1.0] * 3
