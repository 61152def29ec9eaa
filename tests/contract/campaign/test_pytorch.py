"""Random nets as Python files: the campaign's short form, and that it sees what it looks for."""

from __future__ import annotations

import pytest

from caffepy.layers.core.base import TEST
from caffepy.report.pytorch.registry import FORMS
from caffepy.report.pytorch.site import Form
from tools.campaign.pytorch import judge, net_of, run


def test_random_nets(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(40, 3)
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("pytorch: layer types ")
    assert line.endswith("unlike 0, error 0, seed 3")


def test_a_form_that_is_wrong_is_a_find(monkeypatch: pytest.MonkeyPatch) -> None:
    seed = next(seed for seed in range(1000) if "Sigmoid" in net_of(seed).types and not judge(net_of(seed), TEST)[0])
    monkeypatch.setitem(FORMS, "Sigmoid", lambda at: Form("torch.tanh({0})"))
    assert judge(net_of(seed), TEST)[0].startswith("unlike: ")
