"""Whole trainings on a GPU, recorded, give the numbers of plain ones on the CPU: every rule, clipping, several passes, scaled losses."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from caffepy import log
from caffepy.engine.numerics import BF16, FP16, FP32, Numerics
from caffepy.solver.solver import Solver
from tests.solver.job import NET, solver, write_database

RULES = {
    "SGD": "momentum: 0.9",
    "Nesterov": 'type: "Nesterov" momentum: 0.9',
    "AdaGrad": 'type: "AdaGrad" momentum: 0 delta: 1e-3',
    "RMSProp": 'type: "RMSProp" momentum: 0 rms_decay: 0.9 delta: 1e-3 base_lr: 0.01',
    "AdaDelta": 'type: "AdaDelta" momentum: 0.95 delta: 1e-3 base_lr: 1',
    "Adam": 'type: "Adam" momentum: 0.9 momentum2: 0.99 delta: 1e-3 base_lr: 0.01',
}
WAYS = {
    "plain": "",
    "L2 and clipped": "weight_decay: 0.01 clip_gradients: 0.5",
    "L1 of two passes": 'weight_decay: 0.01 regularization_type: "L1" iter_size: 2',
}
NORM = """
layer { name: "bn" type: "BatchNorm" bottom: "ip1" top: "ip1" }
layer { name: "scale" type: "Scale" bottom: "ip1" top: "ip1" scale_param { bias_term: true } }"""
BETWEEN = "max_iter: 9 display: 3 test_iter: 2 test_interval: 4 snapshot: 6"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder, with a net without draws."""
    pytest.importorskip("lmdb")
    write_database(tmp_path / "db")
    text = NET.replace("mirror: true crop_size: 4", "crop_size: 6").replace("crop_size: 4", "crop_size: 6")
    (tmp_path / "net.prototxt").write_text(re.sub(r"\nlayer { name: \"drop\".*", NORM, text))
    monkeypatch.chdir(tmp_path)


def trained(more: str, device: torch.device, precision: str, *, state: str = "") -> Solver:
    numerics = Numerics(precision)
    numerics.prepare(device)
    found = solver(f"{BETWEEN} {more}", device=device, numerics=numerics)
    if state:
        found.restore(state)
    found.solve()
    found.close()
    return found


def agree(ours: Solver, theirs: Solver, rough: float) -> None:
    for mine, other in zip(ours.train_engine.arena.learnable, theirs.train_engine.arena.learnable, strict=True):
        torch.testing.assert_close(mine.detach().cpu(), other.detach().cpu(), rtol=rough, atol=rough)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rule", RULES)
def test_each_rule(rule: str, way: str, gpu: torch.device) -> None:
    text = f"{RULES[rule]} {WAYS[way]}"
    recorded, plain = trained(text, gpu, FP32), trained(text, torch.device("cpu"), FP32)
    agree(recorded, plain, 1e-3)
    assert recorded.updates.recorded
    assert getattr(recorded.train_engine, "obstacle", "") == ""


@pytest.mark.parametrize("precision", [BF16, FP16])
def test_short_numbers(precision: str, gpu: torch.device) -> None:
    text = "clip_gradients: 0.5 iter_size: 2"
    recorded, plain = trained(text, gpu, precision), trained(text, torch.device("cpu"), precision)
    agree(recorded, plain, 0.05)
    assert recorded.updates.recorded


def test_going_on_from_a_snapshot(gpu: torch.device) -> None:
    whole = trained("", gpu, FP32)
    rest = trained("", gpu, FP32, state="s_iter_6.solverstate")
    assert rest.speed.iterations == 3
    agree(rest, whole, 1e-4)


def test_the_log_is_that_of_a_cpu(gpu: torch.device, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    monkeypatch.setattr(log.sink, "prefix", False)

    def lines(read: Callable[[], str]) -> list[str]:
        text = re.sub(r"\(.* iter/s.*?\)", "", read().partition("Solving tiny")[2])
        return [re.sub(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]\d+)?", "#", line) for line in text.splitlines() if "prefetching" not in line]

    trained("clip_gradients: 0.1", torch.device("cpu"), FP32)
    plain = lines(lambda: capsys.readouterr().err)
    trained("clip_gradients: 0.1", gpu, FP32)
    assert lines(lambda: capsys.readouterr().err) == plain
