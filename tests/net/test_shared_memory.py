"""Layers in place behind layers whose top is their bottom's memory in Caffe."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy import log
from tests.net.build import INPUT, TEST, TRAIN, compiled


def layer(name: str, type_name: str, bottoms: str, tops: str) -> str:
    names = "".join(f' bottom: "{name}"' for name in bottoms.split()) + "".join(
        f' top: "{name}"' for name in tops.split()
    )
    return f'layer {{ name: "{name}" type: "{type_name}"{names} }}\n'


def permuted(*order: int) -> str:
    axes = " ".join(f"order: {axis}" for axis in order)
    return layer("f", "Permute", "a", "b").replace(" }", f" permute_param {{ {axes} }} }}")


FLAT = layer("p", "Power", "data", "a") + layer("f", "Flatten", "a", "b")
SAMPLED = layer("r", "Dropout", "b", "b").replace(
    " }", " dropout_param { sample_weights_test: true } }"
)
GATHER = (
    layer("p", "Power", "data", "a")
    + layer("q", "Power", "data", "d")
    + layer("g", "Gather", "a d", "b e")
)
READS = layer("o", "Power", "a", "o")


@pytest.mark.parametrize(
    ("text", "phase", "told"),
    [
        (FLAT + layer("r", "ReLU", "b", "b") + READS, TEST, True),
        (FLAT + READS + layer("r", "ReLU", "b", "b"), TEST, False),
        (FLAT + layer("r", "ReLU", "b", "c") + READS, TEST, False),
        (
            FLAT
            + layer("r", "ReLU", "b", "b")
            + layer("s", "Sigmoid", "b", "s")
            + layer("t", "TanH", "b", "t"),
            TEST,
            False,
        ),
        (FLAT + layer("r", "Dropout", "b", "b") + READS, TEST, False),
        (FLAT + layer("r", "Dropout", "b", "b") + READS, TRAIN, True),
        (FLAT + SAMPLED + READS, TEST, True),
        (FLAT + layer("c", "Concat", "b", "c") + layer("r", "ReLU", "c", "c") + READS, TEST, True),
        (
            FLAT + layer("c", "Concat", "b b", "c") + layer("r", "ReLU", "c", "c") + READS,
            TEST,
            False,
        ),
        (layer("s", "Split", "data", "a b") + layer("r", "ReLU", "b", "b") + READS, TEST, True),
        (
            layer("r", "ReLU", "data", "data") + layer("s", "Split", "data", "a b") + READS,
            TEST,
            False,
        ),
        (
            layer("p", "Power", "data", "a")
            + layer("f", "Slice", "a", "b")
            + layer("r", "ReLU", "b", "b")
            + READS,
            TEST,
            True,
        ),
        (
            layer("p", "Power", "data", "a")
            + permuted(0, 1, 2, 3)
            + layer("r", "ReLU", "b", "b")
            + READS,
            TEST,
            True,
        ),
        (
            layer("p", "Power", "data", "a")
            + permuted(0, 2, 3, 1)
            + layer("r", "ReLU", "b", "b")
            + READS,
            TEST,
            False,
        ),
        (GATHER + layer("r", "ReLU", "b", "b") + READS, TEST, True),
        (GATHER + layer("r", "ReLU", "e", "e") + READS, TEST, False),
        # the mean and the variance of SegNet's BN lie beside the top that is in place
        (layer("r", "BN", "data", "data m v") + layer("o", "Power", "data", "o"), TRAIN, False),
    ],
)
def test_who_reads_what_was_overwritten(
    text: str,
    phase: int,
    told: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.WARNING)
    compiled(INPUT + text, tmp_path, phase)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == told
    for line in lines:
        assert "layer 'o' (Power) reads 'a" in line
        assert "layer 'r' (" in line
        assert line.endswith("give the top of 'r' another name, and both do the same")
