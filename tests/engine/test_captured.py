"""Passes recorded and replayed: what a GPU does with CUDA graphs, here with a recorder that plays back on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from caffepy import log
from caffepy.engine import captured
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.recorder import WARM_UP_PASSES
from caffepy.engine.recordings import Ending
from caffepy.errors import LayerError
from caffepy.layers.core.state import HIDDEN
from tests.engine.build import TEST, TRAIN, Built, built, drawn_feeds, feed, feeds
from tests.engine.nets import CARRIERS, HEAD, IMAGE, IP, NETS
from tests.engine.tape import Tape

T = TypeVar("T")


class Playback:
    """Records like a CUDA graph as far as can be seen: results lie in fixed memory, and only a replay fills them."""

    def __init__(self, error: str = "") -> None:
        self.recorded = self.replayed = 0
        self.error = error

    def close(self) -> None:
        pass

    def record(self, run: Callable[[], T], *, passes: int = WARM_UP_PASSES) -> tuple[Callable[[], None], T]:
        for _ in range(passes):
            run()
        if self.error:
            raise RuntimeError(self.error)
        self.recorded += 1
        result = run()
        for tensor in tensors(result):
            tensor.fill_(float("nan"))

        def replay() -> None:
            self.replayed += 1
            for old, new in zip(tensors(result), tensors(run()), strict=True):
                old.copy_(new)

        return replay, result


def tensors(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result]
    if is_dataclass(result):
        return tensors([getattr(result, field.name) for field in fields(result)])
    if isinstance(result, dict):
        return tensors(list(result.values()))
    return [tensor for item in result or () for tensor in tensors(item)]


def engine_on(net: Built, recorder: Playback) -> CapturedEngine:
    return CapturedEngine(net.graph, net.arena, net.random, channels_last=net.channels_last, recorder=recorder)


def other() -> dict[str, Tensor]:
    """Another batch."""
    generator = torch.Generator().manual_seed(8)
    return {"data": torch.randn(4, 3, 9, 9, generator=generator), "label": torch.tensor([1.0, 1.0, 3.0, 0.0])}


def gradients(engine: Any) -> list[Tensor | None]:
    return [None if g is None else g.clone() for g in engine.gradients()]


def close(ours: list[Tensor | None], theirs: list[Tensor | None]) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        assert (mine is None) == (other is None)
        if mine is not None and other is not None:
            torch.testing.assert_close(mine, other, rtol=1e-5, atol=1e-6)


NAMES = [name for name in NETS if name != "dropout_after_relu"]  # masks come from the host's stream, which the warm-up moves on


@pytest.mark.parametrize("name", NAMES)
def test_replayed_passes_give_the_numbers_of_plain_ones(name: str) -> None:
    plain, recorded, playback = built(NETS[name], TRAIN), built(NETS[name], TRAIN), Playback()
    whole, engine = plain.whole, engine_on(recorded, playback)
    for batch in (feeds(), other(), feeds()):
        for each in (whole, engine):
            each.clear_gradients()
        assert float(engine.forward_backward(batch)) == pytest.approx(float(whole.forward_backward(batch)), rel=1e-6)
        close(engine.gradients(), whole.gradients())
        for ours, theirs in zip(engine.outputs(), whole.outputs(), strict=True):
            torch.testing.assert_close(ours.data, theirs.data)
    assert (playback.recorded, playback.replayed) == (1, 3)
    for ours, theirs in zip(recorded.arena.learnable, plain.arena.learnable, strict=True):
        torch.testing.assert_close(ours.detach(), theirs.detach())  # statistics were counted three times, not more


def test_gradients_of_several_passes_add_up() -> None:
    net, playback = built(NETS["residual"]), Playback()
    whole, engine = built(NETS["residual"]).whole, engine_on(net, playback)
    for batch in (feeds(), other(), feeds()):
        whole.forward_backward(batch)
        engine.forward_backward(batch)
        close(gradients(engine), gradients(whole))
    engine.clear_gradients()
    assert engine.gradients() == [None] * len(net.arena.learnable)
    assert playback.recorded == 1


def test_gradients_of_segnets_bn_are_those_of_the_last_pass() -> None:
    bn = 'layer { name: "bn" type: "BN" bottom: "data" top: "top" bn_param { scale_filler { value: 1 } } }'
    text = f"{IMAGE} {bn} {HEAD}"
    plain, reference, once = built(text).whole, built(text).layerwise, built(text).whole
    engine = engine_on(built(text), Playback())
    for batch in (feeds(), other()):
        for each in (plain, engine):
            each.forward_backward(batch)
        feed(reference, batch).forward_backward()
    once.forward_backward(other())
    wanted = gradients(once)[:2]
    assert wanted[0] is not None
    assert wanted[0].abs().max() > 0
    for each in (plain, engine):
        close(gradients(each)[:2], wanted)
    close([param.diff for param in reference.params[:2]], wanted)


def test_parameters_changed_between_replays_count() -> None:
    net = built(NETS["in_place"])
    engine = engine_on(net, Playback())
    engine.forward_backward(feeds())
    net.arena.flat.buffer.zero_()
    assert float(engine.forward_backward(feeds())) == pytest.approx(torch.log(torch.tensor(5.0)).item())


def test_each_set_of_shapes_is_recorded_once() -> None:
    net, playback = built(NETS["in_place"], TEST), Playback()
    engine = engine_on(net, playback)
    for size in (4, 8, 4, 8):
        assert float(engine.forward(feeds(size))) == pytest.approx(float(built(NETS["in_place"], TEST).whole.forward(feeds(size))))
    assert (playback.recorded, playback.replayed) == (2, 4)


def test_passes_with_and_without_gradients_are_recorded_apart() -> None:
    playback = Playback()
    engine = engine_on(built(NETS["in_place"]), playback)
    assert float(engine.forward(feeds())) == pytest.approx(float(engine.forward_backward(feeds())))
    assert playback.recorded == 2


def test_too_many_shapes_end_the_recording(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(captured, "MOST_RECORDINGS", 2)
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    playback, whole = Playback(), built(NETS["in_place"]).whole
    engine = engine_on(built(NETS["in_place"]), playback)
    for size in (4, 8, 12, 4):  # the third is the first that is not recorded
        engine.forward_backward(feeds(size))
        whole.forward_backward(feeds(size))
        close(gradients(engine), gradients(whole))
    assert (playback.recorded, playback.replayed) == (2, 2)
    assert capsys.readouterr().err.count("is not recorded as a CUDA graph: its inputs have more than 2 shapes") == 1


def test_layers_that_need_the_host_are_not_recorded(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    playback = Playback()
    text = f'{IMAGE}layer {{ name: "f" type: "Filter" bottom: "data" bottom: "label" top: "f" }}'
    engine = engine_on(built(text, TEST), playback)
    assert "is not recorded as a CUDA graph: layer 'f' (Filter) needs the host in every pass." in capsys.readouterr().err
    engine.forward(feeds())
    assert tuple(engine.outputs()[0].data.shape) == (3, 3, 9, 9)
    assert playback.recorded == 0


def test_a_recording_that_fails_leaves_everything_as_it_was() -> None:
    net, playback = built(NETS["residual"]), Playback(error="operation not permitted when stream is capturing")
    engine, whole = engine_on(net, playback), built(NETS["residual"]).whole
    for batch in (feeds(), other()):
        assert float(engine.forward_backward(batch)) == pytest.approx(float(whole.forward_backward(batch)))
        close(gradients(engine), gradients(whole))
    assert playback.recorded == 0
    for ours, theirs in zip(net.arena.learnable, whole.arena.learnable, strict=True):
        torch.testing.assert_close(ours.detach(), theirs.detach())


class Breaking(TorchDispatchMode):
    """Fails at the kernel with this number, and counts them."""

    def __init__(self, last: float) -> None:
        super().__init__()
        self.last, self.met = last, 0

    def __torch_dispatch__(self, func: Any, types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        self.met += 1
        if self.met >= self.last:
            raise RuntimeError("operation not permitted when stream is capturing")
        return func(*args, **(kwargs or {}))


def test_a_recording_that_fails_halfway_through_backward_leaves_no_gradient() -> None:
    class Halfway(Playback):
        def record(self, run: Callable[[], T], *, passes: int = WARM_UP_PASSES) -> tuple[Callable[[], None], T]:
            run()  # which makes what layers keep for later passes
            with Breaking(float("inf")) as whole:
                run()
            with Breaking(whole.met - 1):
                run()
            raise AssertionError("nothing failed")

    net, whole = built(NETS["residual"]), built(NETS["residual"]).whole
    engine = engine_on(net, Halfway())
    engine.forward_backward(feeds())
    whole.forward_backward(feeds())
    close(engine.gradients(), whole.gradients())


def test_a_users_mistake_is_told_and_not_taken_for_a_failed_recording() -> None:
    playback = Playback()
    engine = engine_on(built(NETS["in_place"]), playback)
    with pytest.raises(LayerError, match="label 9 found"):
        engine.forward_backward({**feeds(), "label": torch.full((4,), 9.0)})
    assert float(engine.forward_backward(feeds())) > 0
    assert playback.recorded == 1


def test_a_test_net_leaves_the_statistics_that_it_shares_as_a_plain_pass_does() -> None:
    text = f"""{IMAGE}
layer {{ name: "n" type: "BatchNorm" bottom: "data" top: "top" batch_norm_param {{ use_global_stats:
false }} }} layer {{ name: "ip" type: "InnerProduct" bottom: "top" top: "ip" {IP} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}"""
    train = built(text)
    engine = engine_on(built(text, TEST, share=train.arena), Playback())
    for _ in range(3):
        engine.forward(feeds())
    factor = train.arena.data[2]
    assert float(factor) == pytest.approx(1 + 0.999 + 0.999**2)


def test_freezing_keeps_nothing() -> None:
    net = built(NETS["residual"], TEST)
    engine = engine_on(net, Playback())
    with engine.frozen():
        engine.forward(feeds())
    net.arena.flat.buffer.mul_(0.5)
    assert float(engine.forward(feeds())) == pytest.approx(float(net.whole.forward(feeds())))


@pytest.mark.usefixtures("closed")
@pytest.mark.parametrize("name", [name for name, text in NETS.items() if "Dropout" not in text])  # whose masks the host draws
def test_repeated_kernels_give_the_numbers_of_plain_passes(name: str) -> None:
    plain, recorded, tape = built(NETS[name], TRAIN), built(NETS[name], TRAIN), Tape()
    whole, engine = plain.whole, CapturedEngine(recorded.graph, recorded.arena, recorded.random, recorder=tape)
    for batch in (feeds(), other(), feeds()):
        for each in (whole, engine):
            each.clear_gradients()
        for _ in range(2):
            assert float(engine.forward_backward(batch)) == pytest.approx(float(whole.forward_backward(batch)), rel=1e-6)
        close(engine.gradients(), whole.gradients())
        for ours, theirs in zip(engine.outputs(), whole.outputs(), strict=True):
            torch.testing.assert_close(ours.data, theirs.data)
        for each in (plain.arena, recorded.arena):
            with torch.no_grad():
                each.flat.buffer.mul_(0.9)
    assert (tape.recorded, tape.replayed) == (1, 6)


@pytest.mark.usefixtures("closed")
@pytest.mark.parametrize("learn", [True, False])
@pytest.mark.parametrize("name", CARRIERS)
def test_what_goes_on_from_pass_to_pass_does_so_in_recorded_ones(name: str, learn: bool) -> None:
    text, phase = CARRIERS[name], TRAIN if learn else TEST
    plain, tape = built(text, phase).whole, Tape()
    engine = engine_on(built(text, phase), tape)
    for step, streams in enumerate((2, 2, 1, 1, 2, 2) if name in ("LSTM", "RNN") else (None,) * 6):
        batch = drawn_feeds(plain, step, streams)
        for each in (plain, engine):
            each.forward_backward(batch) if learn else each.forward(batch)
        for ours, theirs in zip(engine.outputs(), plain.outputs(), strict=True):
            torch.testing.assert_close(ours.data, theirs.data)
    assert engine.obstacle == ""
    assert tape.replayed == 6


def test_a_recorded_pass_goes_on_from_a_state_that_was_saved() -> None:
    engine, found = engine_on(built(CARRIERS["LSTM"], TEST), Tape()), []
    saved: tuple[Tensor, ...] = ()
    for step in range(4):
        if step == 2:
            saved = tuple(state.clone() for state in engine.runs[-1].state[HIDDEN])
        engine.forward(drawn_feeds(engine, step, 2))
        found.append(engine.outputs()[-1].data.clone())
    engine.runs[-1].state[HIDDEN] = saved
    for step in (2, 3):
        engine.forward(drawn_feeds(engine, step, 2))
        torch.testing.assert_close(engine.outputs()[-1].data, found[step])


class Fed(CapturedEngine):
    """An engine whose net reads these batches in turn."""

    batches: list[dict[str, Tensor]]

    def _drawn(self, feeds: Any) -> dict[int, Tensor]:
        return super()._drawn(self.batches.pop(0))


@pytest.mark.usefixtures("closed")
@pytest.mark.parametrize("passes", [1, 2])
def test_iterations_are_recorded_for_each_set_of_shapes_and_each_kind_of_update(passes: int) -> None:
    plain, recorded, tape = built(NETS["residual"]), built(NETS["residual"]), Tape()
    engine, whole = Fed(recorded.graph, recorded.arena, recorded.random, recorder=tape), plain.whole
    ours, theirs = recorded.arena.flat.buffer, plain.arena.flat.buffer
    done = []
    for size, factor in [(4, 0.9), (4, 0.9), (8, 0.9), (4, 0.5), (4, 0.9), (8, 0.9), (4, 0.5)]:
        engine.batches = [feeds(size) for _ in range(passes)]
        engine.clear_gradients()
        whole.clear_gradients()
        losses = [float(whole.forward_backward(feeds(size))) for _ in range(passes)]
        found = engine.iterate(passes, factor, Ending(lambda gradients, factor=factor: ours.mul_(factor).sum()))
        assert float(found.loss) == pytest.approx(sum(losses) / passes, rel=1e-5)
        close(engine.gradients(), whole.gradients())
        with torch.no_grad():
            theirs.mul_(factor)
            if not found.updated:
                ours.mul_(factor)
        torch.testing.assert_close(ours, theirs)
        if found.updated:
            assert found.report is not None
            assert float(found.report) == pytest.approx(float(theirs.sum()), rel=1e-4)
        done.append(found.updated)
    assert done == [False, True, False, False, True, True, True]
    assert (tape.recorded, tape.replayed) == (3, 4)


@pytest.mark.usefixtures("closed")
def test_an_iteration_whose_passes_have_several_shapes_goes_apart() -> None:
    net, tape = built(NETS["in_place"]), Tape()
    engine, whole = Fed(net.graph, net.arena, net.random, recorder=tape), built(NETS["in_place"]).whole
    for _ in range(3):
        engine.batches = [feeds(4), feeds(8)]
        engine.clear_gradients()
        whole.clear_gradients()
        losses = [float(whole.forward_backward(feeds(size))) for size in (4, 8)]
        found = engine.iterate(2, "", Ending(lambda gradients: None))
        assert not found.updated
        assert float(found.loss) == pytest.approx(sum(losses) / 2)
        close(engine.gradients(), whole.gradients())
    assert (tape.recorded, tape.replayed) == (2, 6)


@pytest.mark.usefixtures("closed")
def test_an_output_that_is_a_parameter_is_shown_as_it_was_before_the_update() -> None:
    text = f"""{IMAGE}
layer {{ name: "p" type: "Parameter" top: "p" parameter_param {{ shape {{ dim: 2 }} }} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "data" top: "ip" {IP} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}"""
    net = built(text)
    engine = Fed(net.graph, net.arena, net.random, recorder=Tape())
    for number in range(3):
        engine.batches = [feeds()]
        engine.clear_gradients()
        found = engine.iterate(1, "", Ending(lambda gradients: net.arena.flat.buffer.add_(1)))
        assert next(output for output in engine.outputs() if output.name == "p").data.tolist() == [max(0, number - 1)] * 2
        assert found.updated == (number > 0)
