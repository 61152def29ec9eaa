"""Times of layers and passes, by a clock that goes on by a second whenever it is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from caffepy.engine.engines import Setup, open_layerwise, open_net
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import lone_definition
from caffepy.scoring.layer_times import Laps, Mark, Watch, benchmark, time_and_log_whole, time_whole

Lines = Callable[[], list[str]]
NET = """
layer { name: "d" type: "DummyData" top: "x" dummy_data_param { shape { dim: 4 dim: 3 } data_filler { type: "uniform" } } }
layer { name: "norm" type: "BatchNorm" bottom: "x" top: "n" }
layer { name: "ip" type: "InnerProduct" bottom: "n" top: "y" inner_product_param { num_output: 2 weight_filler { value: 1 } } }
layer { name: "loss" type: "Reduction" bottom: "y" top: "loss" loss_weight: 1 }
"""
LAYERS = ("d", "norm", "ip", "loss")
SETUP = Setup(torch.device("cpu"), CaffeRandom(1))


class Ticks(Watch):
    """A watch whose every mark is a second after the one before."""

    def __init__(self) -> None:
        super().__init__(torch.device("cpu"))
        self.seconds = 0

    def mark(self) -> Mark:
        self.seconds += 1
        return Mark(self.seconds)


def layerwise(folder: Path, text: str = NET, phase: int = 0) -> LayerwiseEngine:
    (folder / "n.prototxt").write_text(text)
    return open_layerwise(lone_definition(str(folder / "n.prototxt"), phase), setup=SETUP)


def test_each_layer_has_its_own_time_and_the_pass_all_of_it(tmp_path: Path) -> None:
    engine = layerwise(tmp_path)
    laps = Laps(Ticks())
    for _ in range(3):
        laps.measure(lambda: engine.forward(around=laps.around))
    assert laps.layer_ms == dict.fromkeys(range(4), 3000.0)
    assert laps.total_ms == 3 * 9000.0, "a mark before and after each of four layers, and two of the pass"
    assert laps.mean_ms == 9000


def test_the_means_of_a_benchmark(tmp_path: Path, lines: Lines) -> None:
    """Forward has a mark before and after each layer and the pass: nine seconds. Backward does not come to the data."""
    engine = layerwise(tmp_path)
    lines()
    benchmark(engine, 2, Ticks())
    found = [line.strip() for line in lines()]
    assert found[0] == "Performing Forward"
    assert [line for line in found if "forward-backward time" in line] == [
        "Iteration: 1 forward-backward time: 19000 ms.",
        "Iteration: 2 forward-backward time: 19000 ms.",
    ]
    begin = found.index("Average time per layer:") + 1
    assert found[begin : begin + 8] == [
        *("d\tforward: 1000 ms.", "d\tbackward: 0 ms."),
        *(f"{name}\t{way}: 1000 ms." for name in LAYERS[1:] for way in ("forward", "backward")),
    ]
    assert found[begin + 8 :] == [
        "Average Forward pass: 9000 ms.",
        "Average Backward pass: 7000 ms.",
        "Average Forward-Backward: 16000 ms.",
        "Total Time: 32000 ms.",
        "*** Benchmark ends ***",
        "The layers add up to 7000 ms, 43.8% of Average Forward-Backward.",
    ]


def test_passes_that_are_timed_learn_nothing(tmp_path: Path) -> None:
    engine = layerwise(tmp_path)
    before = [tensor.detach().clone() for tensor in engine.arena.learnable]
    benchmark(engine, 1, Ticks())
    time_and_log_whole(SETUP, engine, 3, Ticks())
    after = [tensor.detach() for tensor in engine.arena.learnable]
    names = [engine.graph.params[index].layer for index in engine.graph.learnable]
    changed = {name for name, one, other in zip(names, before, after, strict=True) if not torch.equal(one, other)}
    assert changed <= {"norm"}, "running statistics, as in each pass of a net to train"


@pytest.mark.parametrize(("phase", "backward"), [(0, 4), (1, 0)], ids=["train", "test"])
def test_one_pass_more_than_is_timed(phase: int, backward: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "n.prototxt").write_text(NET)
    engine = open_net(lone_definition(str(tmp_path / "n.prototxt"), phase), setup=SETUP)
    calls = []
    run = engine.forward_backward
    monkeypatch.setattr(engine, "forward_backward", lambda: calls.append("both") or run())
    assert time_whole(engine, 3, Ticks()) == pytest.approx(1000 / 3)
    assert len(calls) == backward


@pytest.mark.parametrize("phase", [0, 1])
def test_a_training_s_passes_go_backward_too(phase: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = layerwise(tmp_path, phase=phase)
    calls = []
    backward = torch.autograd.backward
    monkeypatch.setattr("torch.autograd.backward", lambda roots: calls.append(len(roots)) or backward(roots))
    time_and_log_whole(SETUP, engine, 3, Ticks())
    assert calls == ([1] * 4 if phase == 0 else [])


@pytest.mark.parametrize(("phase", "command"), [(0, "train"), (1, "test")])
def test_what_runs_such_passes_is_named(phase: int, command: str, tmp_path: Path, lines: Lines) -> None:
    engine = layerwise(tmp_path, phase=phase)
    lines()
    assert time_and_log_whole(SETUP, engine, 1, Ticks()) == 1000
    assert f"All layers in one go, as caffepy {command} runs them: 1000 ms." in lines()


def test_a_net_that_only_runs_layer_by_layer_has_no_such_passes(tmp_path: Path, lines: Lines) -> None:
    engine = layerwise(tmp_path, 'layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 } } }')
    lines()
    assert time_and_log_whole(SETUP, engine, 1, Ticks()) is None
    assert lines() == []


def test_no_pass_has_no_mean(tmp_path: Path, lines: Lines) -> None:
    engine = layerwise(tmp_path)
    lines()
    forward, _ = benchmark(engine, 0, Ticks())
    found = lines()
    assert forward.passes == 0
    assert "Average Forward-Backward: -nan ms." in found
    assert found[-1] == "*** Benchmark ends ***"
    assert any(line.startswith("-iterations 0: no pass is timed") for line in found)


def test_a_watch_measures_what_lies_between(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([2.0, 2.25])
    monkeypatch.setattr("time.perf_counter", lambda: next(moments))
    watch = Watch(torch.device("cpu"))
    assert watch.ms(watch.mark(), watch.mark()) == 250
