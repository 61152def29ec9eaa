"""Nets recorded in pieces around layers that need the host: the numbers of plain passes, whatever lies between the pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from caffepy import log
from caffepy.engine import partition, partitioning
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.plan import Step
from caffepy.engine.recorder import WARM_UP_PASSES
from caffepy.engine.whole import WholeEngine
from tests.engine.build import TEST, TRAIN, Built, built, feeds
from tests.engine.nets import CUT, NETS, batch_of
from tests.engine.tape import Tape

pytestmark = pytest.mark.usefixtures("closed")
NAMES = [name for name in NETS if name != "dropout_after_relu"]  # masks come from the host's stream
BATCHES = [feeds(), batch_of([1, 1, 3, 0]), batch_of([1, 0, 4, 2]), feeds(), batch_of([4, 3, 3, 0])]


def captured(net: Built, tape: Any) -> CapturedEngine:
    return CapturedEngine(net.graph, net.arena, net.random, recorder=tape)


def same(engine: CapturedEngine, whole: WholeEngine) -> None:
    for mine, other in zip(engine.gradients(), whole.gradients(), strict=True):
        assert (mine is None) == (other is None)
        if mine is not None and other is not None:
            torch.testing.assert_close(mine, other, rtol=1e-5, atol=1e-6)
    for ours, theirs in zip(engine.outputs(), whole.outputs(), strict=True):
        torch.testing.assert_close(ours.data, theirs.data, rtol=1e-5, atol=1e-6)
    for ours, theirs in zip(engine.arena.learnable, whole.arena.learnable, strict=True):
        torch.testing.assert_close(ours.detach(), theirs.detach(), rtol=1e-5, atol=1e-6)


def hold_together(engine: CapturedEngine, whole: WholeEngine, passes: int = 1) -> None:
    """Some iterations of so many passes, after which the parameters change."""
    for i in range(len(BATCHES)):
        engine.clear_gradients()
        whole.clear_gradients()
        for batch in (BATCHES[(i + j) % len(BATCHES)] for j in range(passes)):
            assert float(engine.forward_backward(batch)) == pytest.approx(float(whole.forward_backward(batch)), rel=1e-5)
        same(engine, whole)
        for each in (engine, whole):
            with torch.no_grad():
                each.arena.flat.buffer.mul_(0.9)


@pytest.mark.parametrize("every", [2, 3, 4])
@pytest.mark.parametrize("name", NAMES)
def test_nets_cut_anywhere(name: str, every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(step: Step) -> bool:
        return bool(step.rewritten) or step.node.index % every == 1

    monkeypatch.setattr(partitioning, "LEAST_STEPS", 1)
    monkeypatch.setattr(partitioning, "needs_host", cut)
    tape = Tape()
    engine = captured(built(NETS[name]), tape)
    engine._divide_at("it is cut here")
    hold_together(engine, built(NETS[name]).whole, passes=1 + every % 2)
    assert tape.recorded > 0
    assert engine.partitions
    assert [part.obstacle for part in engine.partitions if part.obstacle] == []


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_what_comes_behind_is_recorded_for_each_shape(passes: int) -> None:
    tape = Tape()
    engine = captured(built(CUT), tape)
    hold_together(engine, built(CUT).whole, passes)
    assert engine.obstacle == ""
    assert len(engine.partitions) == 2
    assert tape.recorded == 4  # forward and backward, of three items behind the layer, too
    assert [part.obstacle for part in engine.partitions if part.obstacle] == []


def test_gradients_lie_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = captured(built(CUT), Tape())
    places = []
    for labels in ([1, 1, 3, 0], [1, 1, 3, 0], [1, 0, 0, 1], [1, 0, 0, 1], [1, 1, 3, 0], [1, 0, 0, 1]):
        engine.clear_gradients()
        engine.forward_backward(batch_of(labels))
        places.append([g.data_ptr() for g in engine.gradients() if g is not None])
    assert engine.replayed
    assert places[-1] == places[-2] == places[-3]


def test_passes_without_gradients() -> None:
    for phase in (TRAIN, TEST):
        tape = Tape()
        engine, whole = captured(built(CUT, phase), tape), built(CUT, phase).whole
        for batch in (*BATCHES, feeds(8), feeds(8)):
            assert float(engine.forward(batch)) == pytest.approx(float(whole.forward(batch)), rel=1e-5)
            same(engine, whole)
        assert tape.recorded == 4  # of batches of four and of eight, and of three items behind the layer


def test_many_shapes_are_left_unrecorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition, "MOST_RECORDINGS", 1)
    tape = Tape()
    engine, whole = captured(built(CUT), tape), built(CUT).whole
    for _ in range(3):
        for labels in ([1, 1, 3, 0], [1, 0, 0, 2], [1, 0, 0, 0]):
            batch = batch_of(labels)
            for each in (engine, whole):
                each.clear_gradients()
                each.forward_backward(batch)
            same(engine, whole)
    assert tape.recorded == 4


def test_the_log_tells_where_a_net_is_divided(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    engine = captured(built(CUT), Tape())
    told = "is recorded as CUDA graphs in 2 pieces, as layer 'f' (Filter) needs the host in every pass."
    assert told in capsys.readouterr().err
    assert engine.apart == "layer 'f' (Filter) needs the host in every pass"


@pytest.mark.parametrize("second", [False, True])
def test_a_piece_that_cannot_be_recorded_runs_plain(
    second: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Failing(Tape):
        asked = 0

        def record(self, run: Callable[[], Any], *, passes: int = WARM_UP_PASSES, pool: int = 0) -> Any:
            self.asked += 1
            result = super().record(run, passes=passes, pool=pool)
            if self.asked == 1 + second:
                raise RuntimeError("operation not permitted when stream is capturing")
            return result

    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    engine = captured(built(CUT), Failing())
    hold_together(engine, built(CUT).whole, passes=2)
    assert (
        capsys.readouterr().err.count(
            "Layers 'label_in_1_split' to 'c_r_0_split' are not recorded as a CUDA graph: operation not permitted"
        )
        == 1
    )
    assert [bool(part.obstacle) for part in engine.partitions] == [True, False]
