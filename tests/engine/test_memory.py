"""Nets that cannot fit are refused with the layer at fault."""

from __future__ import annotations

import pytest
import torch

from caffepy.engine import memory
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.errors import NetError
from tests.engine.build import built

NET = """
layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1000 dim: 100 } } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 500 } }
layer { name: "relu" type: "ReLU" bottom: "ip" top: "ip" }
"""
PARAMETERS, WIDEST, BLOBS = 4 * 501 * 100, 4 * 1000 * 500, 4 * 1000 * 600


def test_parameters_and_the_widest_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = PARAMETERS + 4 * 400 + WIDEST
    monkeypatch.setattr(memory, "free_bytes", lambda device: needed)
    built(NET)
    monkeypatch.setattr(memory, "free_bytes", lambda device: needed - 1)
    with pytest.raises(
        NetError, match=r"^layer 'ip' \(InnerProduct\): top 0 of shape \(1000, 500\) takes 0.0 of 0.0 GB needed; free: 0.0 GB"
    ):
        built(NET)


def test_all_blobs_for_the_engine_that_shows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    net = built(NET)
    monkeypatch.setattr(memory, "free_bytes", lambda device: BLOBS)
    assert isinstance(net.layerwise, LayerwiseEngine)
    monkeypatch.setattr(memory, "free_bytes", lambda device: BLOBS - 1)
    with pytest.raises(NetError, match="GB needed"):
        assert net.layerwise


def test_the_limit_of_a_container(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in (("max", "1000000\n"), ("current", "900000\n"), ("stat", "anon 300000\nfile 500000\nfile_mapped 4\n")):
        (tmp_path / f"memory.{name}").write_text(content)
    monkeypatch.setattr(memory, "CONTAINER", tmp_path)
    assert memory.free_bytes(torch.device("cpu")) == 600000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.free_bytes(torch.device("cpu")) > 600000


def test_what_torch_keeps_of_a_gpu_can_be_had_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, found in {"mem_get_info": (100, 1000), "memory_reserved": 70, "memory_allocated": 50}.items():
        monkeypatch.setattr(torch.cuda, name, lambda device, found=found: found)
    assert memory.free_bytes(torch.device("cuda", 0)) == 120
