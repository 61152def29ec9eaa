"""Which nets a solver trains and tests, each in which state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caffepy.errors import SolverError
from caffepy.net.definition import lone_definition
from caffepy.proto.text import SourceMap, read_solver
from caffepy.solver.setup.nets import test_definitions as definitions_to_test
from caffepy.solver.setup.nets import train_definition

NET = 'name: "n" state { stage: "own" level: 4 } layer { name: "x" type: "Input" top: "x" input_param { shape { dim: 1 } } }'


@pytest.fixture(autouse=True)
def nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        Path(f"{name}.prototxt").write_text(NET.replace('"n"', f'"{name}"'))


def read(text: str) -> tuple[Any, SourceMap]:
    Path("s.prototxt").write_text(f"{text}\n")
    return read_solver("s.prototxt")


def state(message: Any) -> tuple[int, int, list[str]]:
    return message.state.phase, message.state.level, list(message.state.stage)


@pytest.mark.parametrize(
    ("text", "name"),
    [('net: "a.prototxt"', "a"), ('train_net: "b.prototxt"', "b"), (f"net_param {{ {NET} }}", "n"), (f"train_net_param {{ {NET} }}", "n")],
)
def test_train_net_in_its_state(text: str, name: str) -> None:
    found = train_definition(*read(text + ' train_state { stage: "more" level: 2 }'))
    assert found.message.name == name
    assert state(found.message) == (0, 2, ["own", "more"])
    assert found.where("layer", 0).startswith("a.prototxt:1" if name == "a" else "b.prototxt:1" if name == "b" else "s.prototxt:1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"s\.prototxt: SolverParameter must specify a train net using one of these fields: net, net_param"),
        ('net: "a.prototxt" train_net: "b.prototxt"', "must not contain more than one .*; found: net, train_net"),
    ],
)
def test_one_train_net(text: str, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        train_definition(*read(text))


def test_test_nets_in_caffes_order_and_states() -> None:
    text = f'net: "a.prototxt" test_net: "b.prototxt" test_net_param {{ {NET} }} test_interval: 1 '
    text += "test_iter: 1 test_iter: 2 test_iter: 3 test_iter: 4 "
    text += 'test_state { } test_state { stage: "s" } test_state { level: 7 } test_state { }'
    found = definitions_to_test(*read(text))
    assert [definition.message.name for definition in found] == ["n", "b", "a", "a"]
    assert [definition.source for definition in found] == ["test_net_param", "test_net file: b.prototxt", *["net file: a.prototxt"] * 2]
    assert [state(definition.message)[1:] for definition in found] == [(4, ["own"]), (4, ["own", "s"]), (7, ["own"]), (4, ["own"])]
    assert {definition.message.state.phase for definition in found} == {1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'train_net: "a.prototxt" test_iter: 1 test_interval: 1',
            r"test_iter must be specified for each test network.*1 time\(s\), 0 test",
        ),
        ('net: "a.prototxt" test_net: "b.prototxt" test_interval: 1', r"test_iter 0 time\(s\), 1 test net\(s\) beside the net itself"),
        ('net: "a.prototxt" test_iter: 1 test_interval: 1 test_state { } test_state { }', "once per test net. Found: 2 for 1"),
        ('net: "a.prototxt" test_iter: 1', "test_interval is 0 although test_iter is given; needed: at least 1"),
    ],
)
def test_counts_that_do_not_go_together(text: str, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        definitions_to_test(*read(text))


def test_no_test_nets() -> None:
    assert definitions_to_test(*read('net: "a.prototxt"')) == []


def test_a_net_without_a_solver() -> None:
    found = lone_definition("a.prototxt", 1, level=3, stages=["x", "y"])
    assert state(found.message) == (1, 3, ["own", "x", "y"])
