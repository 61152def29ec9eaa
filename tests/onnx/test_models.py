"""Trained models of others: what the real Caffe gave for them comes out of their ONNX models too."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from caffepy.engine.arena import Arena
from caffepy.engine.predictions import predictions
from caffepy.engine.weights import arrays_of, copy_trained_layers
from caffepy.layers.core.base import TEST
from caffepy.net import compile
from caffepy.net.definition import lone_definition
from caffepy.onnx.check import TOLERANCE
from caffepy.onnx.model import to_onnx
from caffepy.onnx.session import Session


def test_outputs(shared: Path) -> None:
    models = shared / "wild/models"
    cases = sorted((shared / "golden_models").glob("*/case.json"))
    if not cases or not models.is_dir():
        pytest.skip(f"the trained models are not here ({models})")
    for case in cases:
        meta = json.loads(case.read_text())
        recorded = np.load(case.parent / "data.npz")
        graph = compile(lone_definition(str(models / meta["prototxt"]), TEST).message)
        arena = Arena(graph)
        copy_trained_layers(graph, arena, str(models / meta["model"]))
        part = predictions(graph)
        feeds = {value: recorded[f"s0/in/{part.name(value)}"] for value in part.inputs}
        part = part.reshaped({value: feed.shape for value, feed in feeds.items()})
        exported = to_onnx(part, arrays_of(arena))
        assert exported.axis == 0
        assert [part.name(value) for value in part.outputs] == meta["outputs"]
        for name, found in zip(meta["outputs"], Session(exported.model).run([feeds[value] for value in part.inputs]), strict=True):
            wanted = recorded[f"s0/out/{name}"]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=TOLERANCE * np.abs(wanted).max(), err_msg=f"{case.parent.name}, {name}")
