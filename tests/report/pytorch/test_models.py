"""Trained models of others: what the real Caffe gave for them comes out of their Python files too."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from caffepy.engine.arena import Arena
from caffepy.engine.weights import arrays_of, copy_trained_layers
from caffepy.layers.core.base import TEST
from caffepy.net import compile
from caffepy.net.definition import lone_definition
from caffepy.report.pytorch.check import TOLERANCE
from caffepy.report.pytorch.export import to_pytorch
from tools.campaign.pytorch import module_of


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
        made = to_pytorch(graph, arrays_of(arena), source="net.prototxt", weights="net.safetensors")
        names = [graph.values[value].name for value in made.program.outputs]
        assert sorted(names) == sorted(meta["outputs"])
        inputs = [torch.from_numpy(recorded[f"s0/in/{graph.values[value].name}"]) for value in made.program.inputs]
        with torch.no_grad():
            outputs = module_of(made)(*inputs)
        for name, found in zip(names, outputs if isinstance(outputs, tuple) else (outputs,), strict=True):
            wanted = recorded[f"s0/out/{name}"]
            np.testing.assert_allclose(
                found.numpy(), wanted, rtol=0, atol=TOLERANCE * np.abs(wanted).max(), err_msg=f"{case.parent.name}, {name}"
            )
