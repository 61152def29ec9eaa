"""First values: drawn layer by layer, so that a seed gives the same net whatever is shared or borrowed."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
import torch

from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.weights import copy_trained_layers, save
from caffepy.errors import DataError, LayerError
from caffepy.layers.core.random import CaffeRandom
from tests.engine.build import TEST, built, graph_of
from tests.engine.nets import IMAGE, NETS
from tests.net.build import compiled

UNIFORM = 'weight_filler { type: "uniform" min: -1 max: 1 }'


def test_fillers_draw_in_the_order_of_the_layers() -> None:
    text = f"""{IMAGE}
layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a" inner_product_param {{ num_output: 2 {UNIFORM} }} }}
layer {{ name: "b" type: "InnerProduct" bottom: "a" top: "b" inner_product_param {{ num_output: 3 {UNIFORM}
        bias_filler {{ type: "constant" value: 0.5 }} }} }}"""
    net = built(text, seed=11)
    stream = CaffeRandom(11)
    first, second = stream.uniform(2 * 243, -1, 1), stream.uniform(3 * 2, -1, 1)
    assert net.arena.data[0].flatten().tolist() == first.tolist()
    assert net.arena.data[1].tolist() == [0, 0]
    assert net.arena.data[2].flatten().tolist() == second.tolist()
    assert net.arena.data[3].tolist() == [0.5] * 3
    assert net.random.uniform(1, 0, 1).tolist() == stream.uniform(1, 0, 1).tolist()


@pytest.mark.parametrize(("kind", "first", "each"), [("LSTM", [8 * 5, 8], [8 * 2]), ("RNN", [2 * 5, 2], [2 * 2, 2 * 2, 2])])
def test_recurrent_layers_draw_for_each_time_step(kind: str, first: list[int], each: list[int]) -> None:
    """As Caffe, which unrolls them into layers that share parameters; what the first of these draw is kept."""
    text = f"""layer {{ name: "in" type: "Input" top: "x" top: "c"
        input_param {{ shape {{ dim: 3 dim: 2 dim: 5 }} shape {{ dim: 3 dim: 2 }} }} }}
layer {{ name: "r" type: "{kind}" bottom: "x" bottom: "c" top: "y" recurrent_param {{ num_output: 2 {UNIFORM}
        bias_filler {{ type: "uniform" min: -1 max: 1 }} }} }}
layer {{ name: "b" type: "InnerProduct" bottom: "y" top: "b" inner_product_param {{ num_output: 3 {UNIFORM} bias_term: false }} }}"""
    net, stream = built(text, seed=11), CaffeRandom(11)
    kept = [stream.uniform(n, -1, 1).tolist() for n in (*first, *each)]
    for n in each * 2:
        stream.uniform(n, -1, 1)
    kept.append(stream.uniform(3 * 4, -1, 1).tolist())
    assert [values.flatten().tolist() for values in net.arena.data] == kept


def test_the_error_of_a_filler_names_its_layer() -> None:
    text = f"""{IMAGE}
layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a" inner_product_param {{ num_output: 2
        weight_filler {{ type: "xav" }} }} }}"""
    with pytest.raises(LayerError, match=r"layer 'a' \(InnerProduct\): Unknown filler name: xav"):
        built(text)


def test_the_error_of_a_source_that_is_seeded_names_its_layer(tmp_path: Path) -> None:
    (tmp_path / "0.png").write_bytes(cv2.imencode(".png", np.zeros((4, 4, 3), np.uint8))[1].tobytes())
    (tmp_path / "list.txt").write_text(f"{tmp_path / '0.png'} 0\n")
    text = f"""layer {{ name: "pictures" type: "ImageData" top: "data" top: "label"
        image_data_param {{ source: "{tmp_path / "list.txt"}" batch_size: 1 rand_skip: 1000000 }} }}"""
    graph = compiled(text, tmp_path)
    with pytest.raises(DataError, match=r"net.prototxt:1:1: layer 'pictures' \(ImageData\): Not enough points to skip: rand_skip drew \d+"):
        initialise(graph, Arena(graph), CaffeRandom(7))
    graph.sources[0].close()


def test_the_values_do_not_depend_on_the_layout() -> None:
    plain, last = built(NETS["residual"]), built(NETS["residual"], channels_last=True)
    for ours, theirs in zip(plain.arena.learnable, last.arena.learnable):
        assert torch.equal(ours, theirs)
    assert any(ours.stride() != theirs.stride() for ours, theirs in zip(plain.arena.learnable, last.arena.learnable))


def test_a_shared_blob_keeps_its_owners_values_and_is_drawn_all_the_same() -> None:
    alone, shared = built(NETS["shared"].replace('param { name: "w" }', 'param { name: "v" }')), built(NETS["shared"])
    assert torch.equal(shared.arena.data[0], alone.arena.data[0])
    assert shared.random.uniform(1, 0, 1).tolist() == alone.random.uniform(1, 0, 1).tolist()


def test_a_test_net_draws_for_borrowed_blobs_without_changing_them() -> None:
    train = built(NETS["in_place"], seed=3)
    before = train.arena.flat.buffer.clone()
    test = built(NETS["in_place"], TEST, share=train.arena, seed=3)
    assert torch.equal(train.arena.flat.buffer, before)
    assert test.random.uniform(1, 0, 1).tolist() == train.random.uniform(1, 0, 1).tolist()


def test_constants_that_a_layer_states_without_a_filler() -> None:
    text = f"""{IMAGE}
layer {{ name: "s" type: "Scale" bottom: "data" top: "s" }}
layer {{ name: "p" type: "PReLU" bottom: "s" top: "p" }}"""
    arena = built(text).arena
    assert arena.data[0].tolist() == [1] * 3
    assert arena.data[1].tolist() == [0.25] * 3


def drawn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by the number of each block of draws from any stream."""
    found: list[int] = []
    raw = CaffeRandom.raw

    def counted(self: CaffeRandom, n: int) -> npt.NDArray[np.uint32]:
        found.append(n)
        return raw(self, n)

    monkeypatch.setattr(CaffeRandom, "raw", counted)
    return found


def test_what_a_file_brings_is_not_drawn_from_a_stream_without_a_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = built(NETS["in_place"])
    path = str(tmp_path / "net.caffemodel")
    save(path, trained.graph, trained.arena)
    text = NETS["in_place"].replace('name: "ip"', 'name: "ip_new"')
    for seed, expected in ((None, [480]), (5, [162, 480])):
        draws, graph, random = drawn(monkeypatch), graph_of(text), CaffeRandom(seed)
        arena = Arena(graph)
        initialise(graph, arena, random, weights=[path])
        assert draws == expected
        copy_trained_layers(graph, arena, path)
        assert torch.equal(arena.data[0], trained.arena.data[0])
        assert float(arena.data[2].detach().abs().max()) > 0


def test_borrowed_blobs_are_not_drawn_from_a_stream_without_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    train, draws = built(NETS["in_place"]), drawn(monkeypatch)
    built(NETS["in_place"], TEST, share=train.arena, seed=None)
    assert draws == []


def test_files_that_are_damaged_or_missing_are_left_to_who_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they might have brought is drawn."""
    path = tmp_path / "bad.caffemodel"
    path.write_bytes(b"\x07nonsense")
    draws, graph = drawn(monkeypatch), graph_of(NETS["in_place"])
    arena = Arena(graph)
    initialise(graph, arena, CaffeRandom(None), weights=[str(path), str(tmp_path / "none")])
    assert draws == [162, 480]
    assert all(float(arena.data[i].detach().abs().max()) > 0 for i in (0, 2))
