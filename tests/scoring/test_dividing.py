"""Which tests ranks divide, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from caffepy.engine.output import Output
from caffepy.layers.core.base import TEST, Run
from caffepy.net.definition import Definition
from caffepy.parallel.transport.communicator import Communicator
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.scoring.dividing import ROUND, Passes, can_divide, obstacle
from tests.parallel.ranks import run_ranks

DATA = "layer { name: 'd' type: 'Data' top: 'x' data_param { source: 'db' batch_size: 1 } "


def definition(text: str) -> Definition:
    net = caffe_pb2.NetParameter()
    places = parse(text, net, file="net")
    net.state.phase = TEST
    return Definition(net, places.where, "net")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (DATA + "}", ""),
        (DATA + "transform_param { mirror: true } }", "layer 'd' (Data) gives random"),
        (DATA + "transform_param { scale_factors: 2 } }", "layer 'd' (Data) gives random"),
        (DATA + "transform_param { crop_size: 2 img_rand_resize_lower: 3 img_rand_resize_upper: 4 } }", "layer 'd' (Data) gives random"),
        (DATA + "transform_param { crop_size: 2 img_rand_resize_lower: 3 img_rand_resize_upper: 3 } }", ""),
        (DATA + "transform_param { mirror: true } include { phase: TRAIN } }", ""),
        ("layer { name: 'w' type: 'WindowData' }", "layer 'w' (WindowData) gives random"),
        ("layer { name: 'l' type: 'LSTM' }", "layer 'l' (LSTM) depends on earlier batches"),
        ("layer { name: 'p' type: 'Python' include { phase: TRAIN } }", ""),
        ("layer { name: 'b' type: 'BatchNorm' }", ""),
        ("layer { name: 'b' type: 'BatchNorm' batch_norm_param { use_global_stats: true } }", ""),
        ("layer { name: 'b' type: 'BatchNorm' batch_norm_param { use_global_stats: false } }", "layer 'b' (BatchNorm) depends on earlier"),
        ("layer { name: 'o' type: 'DetectionOutput' }", ""),
        (
            "layer { name: 'o' type: 'DetectionOutput' detection_output_param { save_output_param { output_directory: 'd' } } }",
            "layer 'o' (DetectionOutput) depends on earlier",
        ),
        ("layer { name: 's' type: 'SegAccuracy' }", "layer 's' (SegAccuracy) depends on earlier"),
        ("debug_info: true", "debug_info is shown of every batch"),
    ],
)
def test_what_one_process_has_to_do(text: str, says: str) -> None:
    found = obstacle(definition(text))
    assert found.startswith(says)
    assert bool(found) == bool(says)


def test_one_net_that_cannot_be_divided_is_enough() -> None:
    nets = [definition(DATA + "}"), definition("layer { name: 'l' type: 'LSTM' }")]
    assert run_ranks(2, lambda c: (can_divide(nets[:1], c), can_divide(nets, c))) == [(True, False)] * 2
    assert run_ranks(1, lambda c: can_divide(nets[:1], c)) == [False]


class Counting:
    """An engine whose batches are every size-th number."""

    def __init__(self, first: int, step: int) -> None:
        self.next, self.step = first, step
        self.runs: list[Run] = []

    def forward(self) -> float:
        self.next += self.step
        return float(self.next - self.step)

    def outputs(self) -> Sequence[Output]:
        wide = torch.full((3, 4), float(self.next - self.step))
        return [Output("x", wide[:, 1], 0.0)]


@pytest.mark.parametrize("size", [2, 3])
def test_rank_0_gets_every_batch_in_order(size: int) -> None:
    def work(c: Communicator) -> list[list[float]]:
        passes, engine = Passes(c, divided=True), Counting(c.rank, c.size)
        tests = []
        for count in (5, 2 * ROUND * size + 1, 4):
            found = list(passes.run(engine, count, interrupted=lambda: False))
            assert all(one is not None and one[1][0].data.tolist() == [float(one[0])] * 3 for one in found)
            tests.append([float(one[0]) for one in found if one is not None])
        return tests

    root, *others = run_ranks(size, work)
    numbers = [number for test in root for number in test]
    assert [len(test) for test in root] == [5, 2 * ROUND * size + 1, 4]
    assert numbers == [float(i) for i in range(len(numbers))]
    assert others == [[[], [], []]] * (size - 1)


def test_all_stop_where_one_is_asked_to() -> None:
    def work(c: Communicator) -> list[Any]:
        engine = Counting(c.rank, c.size)
        return list(Passes(c, divided=True).run(engine, 9, interrupted=lambda: c.rank == 1))

    assert run_ranks(2, work) == [[None], [None]]
