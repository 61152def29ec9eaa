"""Scores of a test net: means over batches, losses, and tests that are interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor

from caffepy.engine.engines import Engine, Setup, open_layerwise, open_net
from caffepy.engine.output import Output
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import lone_definition
from caffepy.parallel.launch.environment import alone
from caffepy.parallel.transport.single import Single
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.scoring.dividing import Passes
from caffepy.scoring.testing import log_ignored_layers, score, score_batches, share_trained_layers

Lines = Callable[[], list[str]]
NET = """
layer { name: "d" type: "DummyData" top: "x" dummy_data_param { shape { dim: 1 dim: 1 } data_filler { value: 3 } } }
layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 1 weight_filler { value: 2 } } }
layer { name: "loss" type: "Reduction" bottom: "y" top: "loss" loss_weight: 0.5 }
"""
ONLY = 'layer { name: "only" type: "InnerProduct" bottom: "x" top: "z" inner_product_param { num_output: 1 } }'


class Recorded(Passes):
    """Passes with these losses and numbers of an output, in place of those of a net."""

    def __init__(self, *batches: tuple[float, list[float]]) -> None:
        super().__init__(Single(alone()))
        self.batches = batches

    def run(
        self, engine: Engine, count: int, *, interrupted: Callable[[], bool], debug: bool = False
    ) -> Iterator[tuple[Tensor, Sequence[Output]] | None]:
        for loss, values in self.batches[:count]:
            if interrupted():
                yield None
                return
            yield torch.tensor(loss), [Output("o", torch.tensor(values), 0.0)]


def opened(folder: Path, text: str = NET) -> Engine:
    (folder / "n.prototxt").write_text(text)
    return open_net(lone_definition(str(folder / "n.prototxt"), 1), setup=Setup(torch.device("cpu"), CaffeRandom(1)))


def never() -> bool:
    return False


def test_means_over_the_batches(tmp_path: Path, lines: Lines) -> None:
    engine = opened(tmp_path)
    lines()
    passes = Recorded((1.0, [1.0, 10.0]), (2.0, [3.0, 10.0]), (9.0, [9.0, 9.0]))
    found = score(engine, 2, passes, SolverParameter(test_compute_loss=True), interrupted=never)
    assert found is not None
    assert [(each.name, each.value) for each in found] == [("o", 2.0), ("o", 10.0)]
    assert lines() == ["Test loss: 1.5", "    Test net output #0: o = 2", "    Test net output #1: o = 10"]


def test_an_interrupted_test_has_no_scores(tmp_path: Path, lines: Lines) -> None:
    engine = opened(tmp_path)
    lines()
    asked = iter([False, True])
    passes = Recorded((1.0, [1.0]), (2.0, [3.0]))
    assert score(engine, 2, passes, SolverParameter(test_compute_loss=True), interrupted=lambda: next(asked)) is None
    assert lines() == ["Test interrupted."]


def test_detections_are_scored_by_their_precision(tmp_path: Path, lines: Lines) -> None:
    """One object, and one detection that is true: as the mean of the numbers it would be no precision."""
    engine = opened(tmp_path)
    lines()

    class Detections(Recorded):
        def run(self, *given: object, **named: object) -> Iterator[tuple[Tensor, Sequence[Output]] | None]:
            rows = torch.tensor([[-1.0, 4, 1, -1, -1], [0, 4, 0.9, 1, 0]]).reshape(1, 1, 2, 5)
            yield torch.tensor(0.0), [Output("eval", rows, 0.0)]

    param = SolverParameter(eval_type="detection", ap_version="Integral", show_per_class_result=True)
    found = score(engine, 1, Detections(), param, interrupted=never)
    assert found is not None
    assert [(each.name, each.value) for each in found] == [("eval", 1.0)]
    assert lines() == ["class4: 1", "    Test net output #0: eval = 1"]


def test_the_score_of_a_command(tmp_path: Path, lines: Lines) -> None:
    engine = opened(tmp_path)
    lines()
    loss, scores = score_batches(engine, 2, Passes(Single(alone())))
    assert loss == 3
    assert [(each.name, each.value, each.loss_weight) for each in scores] == [("loss", 6.0, 0.5)]
    assert lines() == [
        *("Running for 2 iterations.", "Batch 0, loss = 6", "Batch 1, loss = 6"),
        *("Loss: 3", "loss = 6 (* 0.5 = 3 loss)"),
    ]


def test_a_test_net_takes_the_parameters_of_the_train_net(tmp_path: Path) -> None:
    setup = Setup(torch.device("cpu"), CaffeRandom(1))
    (tmp_path / "n.prototxt").write_text(NET)
    trained, tested = (open_layerwise(lone_definition(str(tmp_path / "n.prototxt"), phase), setup=setup) for phase in (0, 1))
    with torch.no_grad():
        trained.params[0].data.fill_(5)
    assert float(tested.forward()) == 3
    share_trained_layers(tested, trained)
    assert float(tested.forward()) == 7.5
    shared = tested.arena
    share_trained_layers(tested, trained)
    assert tested.arena is shared, "they are shared already"


def test_layers_that_the_test_net_lacks(tmp_path: Path, lines: Lines) -> None:
    trained, tested = opened(tmp_path, NET + ONLY), opened(tmp_path)
    lines()
    log_ignored_layers(trained.graph, tested.graph)
    log_ignored_layers(tested.graph, trained.graph)
    assert lines() == ["Ignoring source layer x_d_0_split", "Ignoring source layer only"]
