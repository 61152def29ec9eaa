"""Nets with layers that need the host, recorded in pieces on a GPU: the numbers of plain passes on the CPU, and few calls."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from caffepy.engine import partitioning
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.numerics import BF16, FP16, FP32
from caffepy.engine.plan import Step
from caffepy.engine.whole import WholeEngine
from tests.engine.build import TRAIN
from tests.engine.nets import CUT, NETS, batch_of
from tests.gpu.test_engines import engine, near
from tests.solver.job import NET, solver, write_database

BATCHES = [batch_of(labels) for labels in ([0, 4, 2, 2], [1, 1, 3, 0], [1, 0, 4, 2], [1, 0, 0, 2], [1, 0, 0, 3], [2, 2, 0, 1])]
CPU = torch.device("cpu")


def hold_together(ours: WholeEngine, plain: WholeEngine, precision: str, passes: int) -> None:
    for i in range(len(BATCHES)):
        ours.clear_gradients()
        plain.clear_gradients()
        for batch in (BATCHES[(i + j) % len(BATCHES)] for j in range(passes)):
            near(ours.forward_backward(batch), plain.forward_backward(batch), precision)
        for found, wanted in zip(ours.outputs(), plain.outputs(), strict=True):
            near(found.data, wanted.data, precision)
        for g, h in zip(ours.gradients(), plain.gradients(), strict=True):
            near(g, h, precision)


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("precision", [FP32, BF16, FP16])
def test_around_a_layer_whose_tops_have_other_shapes_each_time(precision: str, passes: int, gpu: torch.device) -> None:
    ours = engine(CapturedEngine, CUT, TRAIN, precision, gpu, False)
    hold_together(ours, engine(WholeEngine, CUT, TRAIN, precision, CPU, False), precision, passes)
    assert isinstance(ours, CapturedEngine)
    assert [partition.obstacle for partition in ours.partitions] == ["", ""]
    assert [partition.kinds for partition in ours.partitions] == [1, 2]


@pytest.mark.parametrize("name", [name for name in NETS if name != "dropout_after_relu"])
def test_cut_anywhere(name: str, gpu: torch.device, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(step: Step) -> bool:
        return bool(step.rewritten) or step.node.index % 3 == 1

    monkeypatch.setattr(partitioning, "LEAST_STEPS", 1)
    monkeypatch.setattr(partitioning, "needs_host", cut)
    ours = engine(CapturedEngine, NETS[name], TRAIN, FP32, gpu, False)
    assert isinstance(ours, CapturedEngine)
    ours._divide_at("it is cut here")
    hold_together(ours, engine(WholeEngine, NETS[name], TRAIN, FP32, CPU, False), FP32, 2)
    assert {partition.obstacle for partition in ours.partitions} == {""}


@pytest.mark.parametrize("more", ["", "iter_size: 2 clip_gradients: 0.5", 'type: "Adam" momentum2: 0.99 delta: 1e-3 base_lr: 0.01'])
def test_training(more: str, gpu: torch.device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lmdb")
    write_database(tmp_path / "db")
    monkeypatch.chdir(tmp_path)
    text = NET.replace("mirror: true crop_size: 4", "crop_size: 6").replace("crop_size: 4", "crop_size: 6")
    chosen = 'layer { name: "f" type: "Filter" bottom: "ip2" bottom: "data2" top: "f" }'
    text = re.sub(r"\nlayer { name: \"drop\".*", "", text)
    head, loss = text.split('layer { name: "accuracy"')
    ones = """layer { name: "ones" type: "DummyData" top: "data2" dummy_data_param { shape { dim: 5 } data_filler { value: 1 } }
include { phase: TRAIN } }
layer { name: "ones" type: "DummyData" top: "data2" dummy_data_param { shape { dim: 4 } data_filler { value: 1 } }
include { phase: TEST } }"""
    Path("net.prototxt").write_text(f'{head}{ones}{chosen} layer {{ name: "accuracy"' + loss.replace('"ip2"', '"f"'))
    found = []
    for device in (gpu, CPU):
        ours = solver(f"max_iter: 9 display: 3 test_iter: 2 test_interval: 4 snapshot_after_train: false {more}", device=device)
        ours.solve()
        ours.close()
        found.append(ours)
    recorded, plain = found
    for mine, other in zip(recorded.train_engine.arena.learnable, plain.train_engine.arena.learnable, strict=True):
        torch.testing.assert_close(mine.detach().cpu(), other.detach(), rtol=1e-3, atol=1e-4)
    assert recorded.updates.recorded
    assert isinstance(recorded.train_engine, CapturedEngine)
    assert recorded.train_engine.partitions[0].places  # of gradients in a recording
    assert recorded.updates.obstacle == ""
