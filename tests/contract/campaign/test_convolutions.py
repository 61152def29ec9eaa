"""Convolution layers of every form keep within their memory: the campaign's short form."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import torch

from tools.campaign.convolutions import LARGEST, Form, judge, odd_strides, random_form

FORM = Form("Convolution", "num_output: 2 kernel_size: 1", (1, 2, 3, 3), channels_last=True)


def test_random_layers(root: Path) -> None:
    command = [sys.executable, "-m", "tools.campaign.convolutions", "-n", "60", "-seed", "3", "-isa", "AVX2", "-threads", "1"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "convolutions: layers 60, broken " in done.stdout
    assert "unlike 0, crashes 0, hangs 0, seed 3" in done.stdout


def test_forms_are_small() -> None:
    random = Random(1)
    for _ in range(100):
        items, _, *size = random_form(random).shape
        assert 0 < items * size[0] <= LARGEST


def test_odd_strides_of_axes_of_length_1() -> None:
    x = torch.randn(2, 1, 3, 1).contiguous(memory_format=torch.channels_last)
    odd = odd_strides(x)
    assert torch.equal(odd, x)
    assert [a == b for a, b in zip(odd.stride(), x.stride())] == [True, False, True, False]
    assert judge(replace(FORM, shape=(1, 3, 1, 3), odd=True), lambda: 0) == ""


def test_a_border_that_was_written_on_is_a_find() -> None:
    assert judge(FORM, lambda: 1) == "broken"
    assert judge(FORM, lambda: 0) == ""
