"""The example of MobileNet-YOLO: its nets, and all of it in the short form."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.examples.conftest import RunExample


def test_short(run_example: RunExample) -> None:
    result, out = run_example("yolo")
    (figure,) = result["figures"]
    assert figure["name"] == "mAP"
    assert 0 <= figure["value"] <= 1
    losses = re.findall(r", loss = (\S+)", (out / "train.log").read_text())
    assert np.isfinite(np.array(losses, float)).all()
    assert float(losses[-1]) < float(losses[0])  # it starts at about 12, for boxes that are nowhere
    assert "BatchNorm" not in (out / "merged/mobilenet_yolo_deploy.prototxt").read_text()


@pytest.mark.whole
@pytest.mark.parametrize("ranks", [0, 2])
def test_whole(ranks: int, run_example: RunExample) -> None:
    result, _ = run_example("yolo", short=False, ranks=ranks)
    assert result["figures"][0]["reached"]


def test_the_deploy_net_is_the_tested_one(root: Path) -> None:
    folder = root / "examples" / "yolo"
    tested, deploy = (
        (folder / f"mobilenet_yolo_{name}.prototxt").read_text()
        for name in ("train_test", "deploy")
    )
    layers = deploy.split("\n\n", 1)[1]
    first, output = layers.split('layer {\n  name: "detection_out"')
    assert first in tested
    assert output in tested
    biases = re.findall(r"(?: *biases: .*\n)+", tested)
    assert len(biases) == 2
    assert biases[0] == biases[1]


def test_the_other_head_deploys_what_it_tests(root: Path) -> None:
    """It stands in for all behind the mark in both nets, on the same anchors, in pixels."""
    folder = root / "examples" / "yolo"
    head = (folder / "yolov3_head_train_test.prototxt").read_text()
    deploy = (folder / "yolov3_head_deploy.prototxt").read_text()
    assert deploy in head
    for name in ("train_test", "deploy"):
        net = (folder / f"mobilenet_yolo_{name}.prototxt").read_text()
        body, _, own = net.partition("\n# The head\n")
        assert 'top: "conv22"' in body
        assert own.startswith("layer {")
        cells = re.findall(r"biases: ([\d.]+)", own)[:6]
        pixels = re.findall(r"biases: ([\d.]+)", head)[:6]
        assert [8 * float(side) for side in cells] == [float(side) for side in pixels]
