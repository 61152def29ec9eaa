"""Nets as torch programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from caffepy.errors import NetError, WeightsError
from caffepy.report import torch_program
from caffepy.report.torch_program import save, to_torch
from tests.report.nets import inputs, part_of

NET = (
    inputs(x=(2, 3, 9, 9))
    + """
layer { name: "conv" type: "Convolution" bottom: "x" top: "c" convolution_param { num_output: 4 kernel_size: 3
        weight_filler { type: "xavier" } } }
layer { name: "bn" type: "BatchNorm" bottom: "c" top: "c" }
layer { name: "relu" type: "ReLU" bottom: "c" top: "c" }
layer { name: "norm" type: "LRN" bottom: "c" top: "n" }
layer { name: "pool" type: "Pooling" bottom: "n" top: "p" pooling_param { kernel_size: 3 stride: 2 } }
layer { name: "flat" type: "Flatten" bottom: "p" top: "f" }
layer { name: "ip.a" type: "InnerProduct" bottom: "f" top: "i" inner_product_param { num_output: 5 weight_filler { type: "xavier" } } }
layer { name: "prob" type: "Softmax" bottom: "i" top: "y" }
"""
)


@pytest.mark.filterwarnings("ignore::UserWarning")  # torch 2.6 says how it unpacks a program
def test_any_batch(tmp_path: Path) -> None:
    part, blobs = part_of(NET)
    program = to_torch(part, blobs)
    assert program.fixed == ""
    for batch in (2, 5):
        x = torch.randn(batch, 3, 9, 9)
        ours = part.reshaped({part.inputs[0]: (batch, 3, 9, 9)}).forward({part.inputs[0]: x}, blobs)
        torch.testing.assert_close(program.exported.module()(x)[0], ours[part.outputs[0]])
    save(program.exported, str(tmp_path / "net.pt2"))
    code = (
        "import sys, torch; program = torch.export.load('net.pt2').module();"
        "print(tuple(program(torch.zeros(7, 3, 9, 9))[0].shape), 'caffepy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=100
    )
    assert done.stdout == "(7, 5) False\n"
    assert {name for name, _ in program.exported.named_buffers()} >= {"conv_0", "conv_1", "ip_a_0"}


def test_a_batch_of_one_size(tmp_path: Path) -> None:
    part, blobs = part_of(inputs(x=(2, 8)) + 'layer { name: "r" type: "Reshape" bottom: "x" top: "y" reshape_param { shape { dim: 16 } } }')
    program = to_torch(part, blobs)
    assert "16 elements" in program.fixed
    x = torch.randn(2, 8)
    torch.testing.assert_close(program.exported.module()(x)[0], x.view(16))
    with pytest.raises(WeightsError, match="there is no folder"):
        save(program.exported, str(tmp_path / "none/net.pt2"))


def test_a_full_disk_is_one_error() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    part, blobs = part_of(inputs(x=(2, 8)) + 'layer { name: "r" type: "ReLU" bottom: "x" top: "y" }')
    with pytest.raises(WeightsError, match="No space left on device"):
        save(to_torch(part, blobs).exported, "/dev/full")


def test_a_tracer_that_gives_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(torch_program, "_trace", refuse)
    with pytest.raises(NetError, match="torch cannot export net '.*': ValueError$"):
        to_torch(*part_of(NET))
