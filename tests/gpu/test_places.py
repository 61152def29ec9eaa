"""Labels and indices that are outside end a training on a GPU with one line, and not the GPU's work."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

from caffepy.engine.arena import Arena
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.initialise import initialise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.places import check_places
from caffepy.errors import LayerError
from caffepy.layers.core.random import CaffeRandom
from caffepy.solver.solver import Solver
from tests.engine.build import TRAIN, feed, graph_of

LABELS = 'layer { name: "in" type: "Input" top: "x" top: "t" input_param { shape { dim: 4 dim: 3 } shape { dim: 4 } } }'
FINE = [0.0, 1.0, 2.0, 0.0]
LAYERS = {
    "SoftmaxWithLoss": 'bottom: "x" bottom: "t" top: "y"',
    "MultinomialLogisticLoss": 'bottom: "x" bottom: "t" top: "y"',
    "HingeLoss": 'bottom: "x" bottom: "t" top: "y"',
    "InfogainLoss": 'bottom: "x" bottom: "t" bottom: "h" top: "y"',
    "CenterLoss": 'bottom: "x" bottom: "t" top: "y" center_loss_param { num_output: 3 }',
    "Embed": 'bottom: "t" top: "y" embed_param { input_dim: 3 num_output: 2 }',
    "BatchReindex": 'bottom: "x3" bottom: "t" top: "y"',
}
OTHERS = """layer { name: "more" type: "Input" top: "h" top: "x3"
  input_param { shape { dim: 1 dim: 1 dim: 3 dim: 3 } shape { dim: 3 dim: 2 } } }"""


@pytest.mark.parametrize("wrong", [3.0, -2.0, 1e6])
@pytest.mark.parametrize("name", LAYERS)
def test_each_layer_tells(name: str, wrong: float, gpu: torch.device) -> None:
    graph, random = graph_of(f'{LABELS} {OTHERS} layer {{ name: "l" type: "{name}" {LAYERS[name]} }}', TRAIN), CaffeRandom(1)
    arena = Arena(graph, device=gpu)
    initialise(graph, arena, random)
    engine = CapturedEngine(graph, arena, random)
    feeds = {graph.values[v].name: torch.full(graph.values[v].shape, 0.5) for v in graph.inputs}
    for _ in range(2):
        engine.forward(feeds | {"t": torch.tensor(FINE)})
        check_places(engine)
    assert engine.obstacle == ""
    engine.forward(feeds | {"t": torch.tensor([0.0, 1.0, wrong, 0.0])})
    engine.forward(feeds | {"t": torch.tensor(FINE)})
    with pytest.raises(LayerError, match=rf"layer 'l' \({name}\): (label|index) {wrong:.0f} found; needed: 0 to 2"):
        check_places(engine)
    engine.forward(feeds | {"t": torch.tensor(FINE)})
    check_places(engine)  # once


def test_layer_by_layer_the_pass_itself_tells(gpu: torch.device) -> None:
    graph, random = (
        graph_of(f'{LABELS} layer {{ name: "l" type: "SoftmaxWithLoss" bottom: "x" bottom: "t" top: "y" }}', TRAIN),
        CaffeRandom(1),
    )
    engine = LayerwiseEngine(graph, Arena(graph, device=gpu), random)
    with pytest.raises(LayerError, match=r"layer 'l' \(SoftmaxWithLoss\): label 7 found; needed: 0 to 2"):
        feed(engine, {"t": torch.tensor([0.0, 7.0, 0.0, 0.0])}).forward()


@pytest.mark.parametrize("ends", ["display: 3", "snapshot: 3", ""])
def test_a_training_ends_before_it_shows_or_writes_anything_of_it(
    ends: str, gpu: torch.device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with h5py.File("d.h5", "w") as file:
        file["x"] = np.ones((8, 3), np.float32)
        file["t"] = np.array([0, 1, 2, 0, 1, 4, 0, 1], np.float32)
    Path("list.txt").write_text("d.h5\n")
    Path("net.prototxt").write_text("""
layer { name: "d" type: "HDF5Data" top: "x" top: "t" hdf5_data_param { source: "list.txt" batch_size: 4 } }
layer { name: "ip" type: "InnerProduct" bottom: "x" top: "ip" inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "t" top: "loss" }""")
    Path("solver.prototxt").write_text(f'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 6 snapshot_prefix: "s" {ends}')
    solver = Solver.from_file("solver.prototxt", device=gpu)
    with pytest.raises(LayerError, match=r"net.prototxt:4:1: layer 'loss' \(SoftmaxWithLoss\): label 4 found; needed: 0 to 2"):
        solver.solve()
    assert not list(tmp_path.glob("s_iter*"))
    solver.close()
