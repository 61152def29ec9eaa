"""Which layers a state keeps, and what the log says of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy import log
from caffepy.errors import LayerError
from caffepy.net.filter import broken_rule
from caffepy.proto import caffe_pb2
from tests.net.build import INPUT, TEST, TRAIN, compiled, names


def rule(**fields: object) -> caffe_pb2.NetStateRule:
    return caffe_pb2.NetStateRule(**fields)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (rule(), None),
        (rule(phase=TEST), None),
        (
            rule(phase=TRAIN),
            "The NetState phase (1) differed from the phase (0) specified by a rule in layer ",
        ),
        (rule(min_level=2, max_level=2, stage=["a", "b"], not_stage=["c"]), None),
        (
            rule(min_level=3),
            "The NetState level (2) is above the min_level (3) specified by a rule in layer ",
        ),
        (
            rule(max_level=1),
            "The NetState level (2) is above the max_level (1) specified by a rule in layer ",
        ),
        (
            rule(max_level=-1),
            "The NetState level (2) is above the max_level (-1) specified by a rule in layer ",
        ),
        (
            rule(stage=["a", "c"]),
            "The NetState did not contain stage 'c' specified by a rule in layer ",
        ),
        (
            rule(not_stage=["c", "b"]),
            "The NetState contained a not_stage 'b' specified by a rule in layer ",
        ),
        (
            rule(phase=TRAIN, min_level=3),
            "The NetState phase (1) differed from the phase (0) specified by a rule in layer ",
        ),
    ],
)
def test_rules(asked: caffe_pb2.NetStateRule, reason: str | None) -> None:
    assert (
        broken_rule(caffe_pb2.NetState(phase=caffe_pb2.TEST, level=2, stage=["a", "b"]), asked)
        == reason
    )


def net(*rules: str) -> str:
    """Layers l0, l1, ... with these rules, each on the data."""
    layers = [
        f'layer {{ name: "l{i}" type: "TanH" bottom: "data" top: "t{i}" {text} }}'
        for i, text in enumerate(rules)
    ]
    return INPUT + "\n".join(layers)


def kept(text: str, folder: Path, phase: int = TRAIN, **state: object) -> list[str]:
    return [name for name in names(compiled(text, folder, phase, **state)) if name.startswith("l")]


def test_phases(tmp_path: Path) -> None:
    text = net("include { phase: TRAIN }", "exclude { phase: TRAIN }", "")
    assert kept(text, tmp_path) == ["l0", "l2"]
    assert kept(text, tmp_path, TEST) == ["l1", "l2"]


def test_one_include_or_no_exclude_decides(tmp_path: Path) -> None:
    text = net(
        'include { phase: TEST } include { stage: "deploy" }',
        'exclude { phase: TEST } exclude { stage: "deploy" }',
    )
    assert kept(text, tmp_path) == ["l1"]
    assert kept(text, tmp_path, TEST) == ["l0"]
    assert kept(text, tmp_path, stages=["deploy"]) == ["l0"]


def test_stages_and_levels(tmp_path: Path) -> None:
    text = net(
        'include { stage: "a" not_stage: "b" }',
        "include { min_level: 1 }",
        "include { max_level: 1 }",
    )
    assert kept(text, tmp_path) == ["l2"]
    assert kept(text, tmp_path, stages=["a"]) == ["l0", "l2"]
    assert kept(text, tmp_path, stages=["a", "b"], level=2) == ["l1"]


def test_stages_of_the_file_are_kept(tmp_path: Path) -> None:
    assert kept(
        net('include { stage: "a" stage: "b" }') + 'state { stage: "a" level: 7 }',
        tmp_path,
        stages=["b"],
    ) == ["l0"]


def test_the_log_tells_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    kept(net("include { phase: TEST }"), tmp_path)
    line = capsys.readouterr().err.splitlines()[0]
    assert line.endswith(
        "net.cpp:296] The NetState phase (0) differed from the phase (1) specified by a rule in layer l0"
    )


def test_a_net_of_which_no_layer_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        names(
            compiled(
                'layer { name: "a" type: "Input" top: "x" include { phase: TRAIN } }',
                tmp_path,
                TEST,
            )
        )
        == []
    )
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("W")]
    assert line.endswith(
        "The net is empty: the rules of all its layers keep them out of this phase, level and stage"
    )


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    text = net("include { phase: TEST }", "") + '\nlayer { name: "bad" type: "Nix" }'
    with pytest.raises(LayerError, match=r"net.prototxt:4:21: layer 'bad' \(Nix\)"):
        compiled(text, tmp_path)
    graph = compiled(net("include { phase: TEST }", ""), tmp_path)
    assert graph.node("l1").where == f"{tmp_path}/net.prototxt:3:1"


def test_include_and_exclude_together(tmp_path: Path) -> None:
    with pytest.raises(
        LayerError,
        match=r"net.prototxt:2:1: layer 'l0' \(TanH\): 2 include and 1 exclude rules; needed: include rules or",
    ):
        kept(net("include { } include { } exclude { }"), tmp_path)
