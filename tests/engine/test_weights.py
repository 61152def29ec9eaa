"""Parameters to files and back: by layer name, shapes checked, values to the bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

from caffepy import log
from caffepy.engine.weights import copy_trained_layers, get, put, save, save_as, save_hdf5
from caffepy.errors import WeightsError
from caffepy.proto import caffe_pb2
from caffepy.proto.weights import read_net_weights
from tests.engine.build import TEST, Built, built
from tests.engine.nets import IP, NETS

FORMATS: list[Callable[..., None]] = [save, save_hdf5]


def other(net: str, seed: int = 99, *, channels_last: bool = False) -> Built:
    """The net with other values."""
    return built(NETS[net], seed=seed, channels_last=channels_last)


@pytest.mark.parametrize("write", FORMATS)
@pytest.mark.parametrize("name", ["residual", "shared"])
@pytest.mark.parametrize("channels_last", [False, True])
def test_round_trip(name: str, write: Callable[..., None], channels_last: bool, tmp_path: Path) -> None:
    net, fresh = built(NETS[name], channels_last=channels_last), other(name, channels_last=not channels_last)
    path = str(tmp_path / "weights")
    write(path, net.graph, net.arena)
    copy_trained_layers(fresh.graph, fresh.arena, path)
    for ours, theirs in zip(fresh.arena.learnable, net.arena.learnable, strict=True):
        assert torch.equal(ours, theirs)


def test_a_file_holds_every_layer_of_the_built_net_with_its_blobs_in_their_own_order(tmp_path: Path) -> None:
    net = built(NETS["in_place"], channels_last=True)
    path = str(tmp_path / "net.caffemodel")
    save(path, net.graph, net.arena)
    layers = read_net_weights(path)
    assert [layer.name for layer in layers] == ["in", "label_in_1_split", "c", "r", "top", "ip", "ip_ip_0_split", "acc", "loss"]
    conv = next(layer for layer in layers if layer.name == "c")
    assert np.array_equal(conv.blobs[0], net.arena.data[0].detach().numpy())
    message = caffe_pb2.NetParameter.FromString(Path(path).read_bytes())
    assert list(message.layer[-1].loss_weight) == [1]


def test_hdf5_leaves_a_shared_blob_to_its_owner(tmp_path: Path) -> None:
    net = built(NETS["shared"])
    path = str(tmp_path / "net.h5")
    save_as(path, net.graph, net.arena)
    with h5py.File(path) as file:
        assert list(file["data/a"]) == ["0", "1"]
        assert list(file["data/b"]) == []


def test_diffs_stand_beside_the_values(tmp_path: Path) -> None:
    net = built(NETS["frozen_below"])
    path = str(tmp_path / "net.caffemodel")
    diffs = [None, None, torch.full((5, 486), 2.0), torch.full((5,), 3.0)]
    save(path, net.graph, net.arena, diffs=diffs)
    message = caffe_pb2.NetParameter.FromString(Path(path).read_bytes())
    by_name = {layer.name: layer for layer in message.layer}
    assert set(by_name["ip"].blobs[0].diff) == {2.0}
    assert list(by_name["ip"].blobs[1].diff) == [3.0] * 5
    assert set(by_name["c"].blobs[0].diff) == {0.0}


def test_layers_are_matched_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    net = built(NETS["in_place"])
    fresh = built(NETS["in_place"].replace('name: "ip"', 'name: "ip_new"'), seed=99)
    before = fresh.arena.data[2].detach().clone()
    path = str(tmp_path / "net.caffemodel")
    save(path, net.graph, net.arena)
    capsys.readouterr()
    copy_trained_layers(fresh.graph, fresh.arena, path)
    assert torch.equal(fresh.arena.data[0], net.arena.data[0])
    assert torch.equal(fresh.arena.data[2], before)
    lines = [line.split("] ", 1)[1] for line in capsys.readouterr().err.splitlines() if "Ignoring" in line]
    assert "Ignoring source layer ip" in lines


@pytest.mark.parametrize("write", FORMATS)
def test_a_file_that_gives_nothing_is_warned_of_once(
    write: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.WARNING)
    net = built(NETS["in_place"])
    renamed = NETS["in_place"].replace('name: "ip"', 'name: "ip_new"').replace('name: "c"', 'name: "c_new"')
    fresh, path = built(renamed, seed=99), str(tmp_path / "other.weights")
    test = built(renamed, TEST, share=fresh.arena)
    before = fresh.arena.flat.buffer.clone()
    write(path, net.graph, net.arena)
    copy_trained_layers(fresh.graph, fresh.arena, path)
    copy_trained_layers(test.graph, test.arena, path, own_only=True)  # the same file once more, for the test net's own
    assert torch.equal(fresh.arena.flat.buffer, before)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("W")
    assert f"{path}: nothing was taken from it" in line
    assert line.endswith("; found: c, ip; needed: c_new, ip_new")
    copy_trained_layers(net.graph, net.arena, path)
    assert not capsys.readouterr().err


def test_a_blob_of_another_shape_changes_nothing_and_is_named(tmp_path: Path) -> None:
    net = built(NETS["in_place"])
    wide = built(NETS["in_place"].replace(IP, 'inner_product_param { num_output: 7 weight_filler { type: "xavier" } }'), seed=99)
    before = wide.arena.flat.buffer.clone()
    path = str(tmp_path / "net.caffemodel")
    save(path, net.graph, net.arena)
    with pytest.raises(WeightsError, match="Cannot copy param 0 weights from layer 'ip'; shape mismatch") as caught:
        copy_trained_layers(wide.graph, wide.arena, path)
    assert "Source param shape is 5 96 (480); target param shape is 7 96 (672)" in str(caught.value)
    assert path in str(caught.value)
    assert torch.equal(wide.arena.flat.buffer, before)


def test_another_number_of_blobs_is_refused(tmp_path: Path) -> None:
    net = built(NETS["in_place"])
    bare = built(NETS["in_place"].replace(IP, "inner_product_param { num_output: 5 bias_term: false }"))
    path = str(tmp_path / "net.caffemodel")
    save(path, net.graph, net.arena)
    with pytest.raises(WeightsError, match="Incompatible number of blobs for layer ip: 2 in the file, 1 in the net"):
        copy_trained_layers(bare.graph, bare.arena, path)


def test_blobs_with_four_axes_of_old_files_fit(tmp_path: Path) -> None:
    net = built(NETS["in_place"])
    message = caffe_pb2.NetParameter()
    layer = message.layer.add(name="ip", type="InnerProduct")
    for shape in ((1, 1, 5, 96), (1, 1, 1, 5)):
        n, c, h, w = shape
        blob = layer.blobs.add(num=n, channels=c, height=h, width=w)
        blob.data.extend(range(n * c * h * w))
    path = tmp_path / "old.caffemodel"
    path.write_bytes(message.SerializeToString())
    copy_trained_layers(net.graph, net.arena, str(path))
    assert net.arena.data[2].flatten().tolist() == list(range(480))
    assert net.arena.data[3].tolist() == list(range(5))


def test_weights_reach_a_test_nets_own_and_borrowed_blobs(tmp_path: Path) -> None:
    train, source = built(NETS["in_place"]), other("in_place")
    test = built(NETS["in_place"], TEST, share=train.arena)
    path = str(tmp_path / "net.caffemodel")
    save(path, source.graph, source.arena)
    copy_trained_layers(test.graph, test.arena, path)
    assert torch.equal(train.arena.data[0], source.arena.data[0])


def test_put_and_get_keep_the_order_of_the_elements() -> None:
    tensor = torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    values = np.arange(120, dtype=np.float64)
    put(tensor, values)
    assert get(tensor, (6, 20)).flatten().tolist() == values.tolist()
    assert tensor[1, 2, 3, 4] == 119


def test_a_large_file_is_mapped_and_may_be_replaced_afterwards(tmp_path: Path) -> None:
    text = NETS["in_place"].replace("num_output: 6 ", "num_output: 4000 ")
    net, fresh = built(text), built(text, seed=99)
    path = tmp_path / "net.caffemodel"
    save(str(path), net.graph, net.arena)
    layers = read_net_weights(path)
    first = next(layer for layer in layers if layer.name == "ip").blobs[0]
    assert path.stat().st_size > 1 << 20
    assert not first.flags.owndata
    save(str(path), fresh.graph, fresh.arena)
    assert np.array_equal(first, net.arena.data[2].detach().numpy())
    copy_trained_layers(net.graph, net.arena, str(path))
    assert torch.equal(net.arena.data[2], fresh.arena.data[2])
