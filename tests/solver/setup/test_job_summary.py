from __future__ import annotations

from pathlib import Path

import pytest

from caffepy import log
from caffepy.parallel.job.sharing import Sharing
from caffepy.proto import caffe_pb2
from caffepy.solver.setup.job_summary import batch_line, log_summary, rate_line, warn_of_sums
from tests.net.build import compiled
from tests.parallel.ranks import run_ranks

PARAM = caffe_pb2.SolverParameter(base_lr=0.01, iter_size=2)


def test_images_of_an_iteration() -> None:
    assert batch_line(Sharing(), PARAM, 50, 4).endswith("50 images a rank x 4 ranks x 2 passes = 400 images an iteration")


def test_a_sum_acts_as_a_larger_rate() -> None:
    assert rate_line(Sharing(), PARAM, 4).endswith("; base_lr 0.01")
    assert rate_line(Sharing(grad_scale="sum"), PARAM, 4).endswith("; base_lr 0.01, which acts as 0.04 on their mean")


def test_the_map_of_ranks_hosts_and_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(log, "info", lambda where, message: lines.append(message))
    run_ranks(3, lambda c: log_summary(c, Sharing(), PARAM, images=50, device="cpu"), hosts=["a", "b", "a"])
    assert lines[0] == "3 ranks on 2 host(s), threads: a: 0 cpu, 2 cpu; b: 1 cpu"
    assert lines[2].startswith("shard record: every rank takes one record in turn")
    assert len(lines) == 5


def test_a_process_alone_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(log, "info", lambda where, message: lines.append(message))
    run_ranks(1, lambda c: log_summary(c, Sharing(), PARAM, images=50, device="cpu"))
    assert lines == []


SUMS = """
layer { name: "x" type: "DummyData" top: "x" top: "y" dummy_data_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 1 } } }
layer { name: "squares" type: "Reduction" bottom: "x" top: "a" reduction_param { operation: SUMSQ axis: 1 } loss_weight: 0.5 }
layer { name: "mean" type: "Reduction" bottom: "x" top: "b" reduction_param { operation: MEAN } loss_weight: 2 }
layer { name: "scores" type: "InnerProduct" bottom: "x" top: "c" inner_product_param { num_output: 3 } }
layer { name: "centers" type: "CenterLoss" bottom: "c" bottom: "y" top: "d" loss_weight: 1 center_loss_param { num_output: 2 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "y" top: "e" loss_param { normalization: NONE } }
"""


def test_layers_that_make_another_thing_of_parts_of_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = compiled(SUMS, tmp_path)
    lines: list[str] = []
    monkeypatch.setattr(log, "warning", lambda where, message: lines.append(message))
    run_ranks(1, lambda c: warn_of_sums(c, Sharing(), graph))
    assert lines == []
    run_ranks(4, lambda c: warn_of_sums(c, Sharing(), graph))
    assert [line.partition(": ")[0] for line in lines] == ["layer 'squares' (Reduction)", "layer 'centers' (CenterLoss)"]
    assert "1/4 of what one process makes of all their batches; loss_weight: 2 makes up for it" in lines[0]
    lines.clear()
    run_ranks(4, lambda c: warn_of_sums(c, Sharing(grad_scale="sum"), graph))
    assert [line.partition(": ")[0] for line in lines] == ["layer 'centers' (CenterLoss)"]
