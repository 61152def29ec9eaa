"""The states of a gradient's way: as the diagram says, and as a training of two ranks goes through them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NoReturn

import pytest
import torch

from caffepy.engine import engines
from caffepy.engine.captured import CapturedEngine
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator
from caffepy.solver.solver import Solver
from caffepy.solver.updating.iteration import Iteration
from caffepy.solver.updating.shared_update import SharedUpdate
from caffepy.solver.updating.update_state import TRANSITIONS, State, UpdateState
from tests.engine.tape import Tape
from tests.parallel.ranks import run_ranks

NET = """
layer { name: "d" type: "DummyData" top: "x" top: "t" dummy_data_param { num: 4 channels: 3 height: 1 width: 1 num: 4 channels: 2 height: 1
  width: 1 data_filler { type: "constant" value: 1 } } }
layer { name: "ip1" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 5 weight_filler { type: "xavier" } } }
layer { name: "ip2" type: "InnerProduct" bottom: "y" top: "z" inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "l" type: "EuclideanLoss" bottom: "z" bottom: "t" top: "l" }
"""
ONCE = ["begin", "send", "hand_over"]


def write(folder: Path) -> None:
    """The net and a solver of three iterations, whose rate falls."""
    (folder / "net.prototxt").write_text(NET)
    fields = 'base_lr: 0.1 lr_policy: "exp" gamma: 0.5 max_iter: 3 random_seed: 1 snapshot_after_train: false'
    (folder / "solver.prototxt").write_text(f'net: "{folder}/net.prototxt" {fields}')


def solved(folder: Path, communicator: Communicator, **options: Any) -> Solver:
    """A rank's solver after its training."""
    solver = Solver.from_file(str(folder / "solver.prototxt"), communicator=communicator, **options)
    try:
        solver.solve()
    finally:
        solver.close()
    return solver


def parameters(of: Solver) -> list[torch.Tensor]:
    """Copies of all that is learned."""
    return [tensor.detach().clone() for tensor in of.train_engine.arena.learnable]


def test_the_diagram_is_the_table() -> None:
    drawn = re.findall(r"^ +([A-Z]+) +-- (\w+) +--> ([A-Z]+)$", UpdateState.__doc__ or "", re.MULTILINE)
    assert {(State[source], event): State[target] for source, event, target in drawn} == TRANSITIONS
    assert len(drawn) == len(TRANSITIONS)


def test_there_are_no_other_events() -> None:
    def go(to: State) -> UpdateState:
        states = UpdateState()
        states.state = to
        return states

    events = {
        "begin": lambda states: states.begin(Iteration(1, lambda: 0.1)),
        "send": UpdateState.send,
        "hand_over": UpdateState.hand_over,
        "wait": UpdateState.wait,
        "cancel": UpdateState.cancel,
    }
    assert set(events) == {event for _, event in TRANSITIONS}
    for state, event in product(State, events):
        states = go(state)
        if (state, event) in TRANSITIONS:
            events[event](states)
            assert states.state is TRANSITIONS[state, event]
        else:
            with pytest.raises(RuntimeError, match=f"{event} while {state.name}"):
                events[event](states)


def test_updates_of_one_iteration_are_due_while_the_pass_of_the_next_runs() -> None:
    states, first, second = UpdateState(), Iteration(1, lambda: 0.1), Iteration(2, lambda: 0.1)
    states.begin(first)
    states.send()
    states.hand_over()
    states.begin(second)
    assert (states.current, states.coming, states.takes_gradients) == (first, second, True)
    states.send()
    assert states.current is second


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [
        (Sharing(), [*ONCE, "wait"] * 3),
        (Sharing(lazy_update=True), ONCE * 3 + ["wait"]),
        (Sharing("ps", table_staleness=1), ONCE * 3 + ["wait"]),
    ],
    ids=["at once", "lazy", "stale"],
)
def test_a_training_goes_through_them(sharing: Sharing, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    seen: dict[int, list[str]] = {}
    go_on = UpdateState._go_on

    def note(states: UpdateState, event: str) -> None:
        go_on(states, event)
        seen.setdefault(threading.get_ident(), []).append(event)

    monkeypatch.setattr(UpdateState, "_go_on", note)

    def work(c: Communicator) -> list[str]:
        solved(tmp_path, c, sharing=sharing)
        return seen[threading.get_ident()]

    for events in run_ranks(2, work):
        waits = len(events) - len(expected)
        assert events[: len(expected)] == expected
        assert events[len(expected) :] == ["wait"] * waits


def test_an_iteration_of_ranks_that_cannot_be_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Never(Tape):
        def record(self, run: Callable[[], object], *, passes: int = 3, pool: int = 0) -> NoReturn:
            raise RuntimeError("operation not permitted when stream is capturing")

    write(tmp_path)
    (plain, _) = run_ranks(2, lambda c: parameters(solved(tmp_path, c)))
    engines_made: list[CapturedEngine] = []

    def captured(*given: Any, **named: Any) -> CapturedEngine:
        engines_made.append(CapturedEngine(*given, **named, recorder=Never()))
        return engines_made[-1]

    monkeypatch.setattr(engines, "WholeEngine", captured)
    monkeypatch.setattr(SharedUpdate, "recordable", True)
    for found in run_ranks(2, lambda c: parameters(solved(tmp_path, c))):
        for mine, other in zip(found, plain, strict=True):
            torch.testing.assert_close(mine, other)
    assert len(engines_made) == 2
    assert all("not permitted" in engine.obstacle for engine in engines_made)
