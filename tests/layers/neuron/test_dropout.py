"""Dropout."""

from __future__ import annotations

import pytest
import torch

from caffepy.layers.core.random import CaffeRandom
from tests.golden.engines import SEED
from tests.layers.check import TEST, TRAIN, check_layer, refusal, subject


def layer(ratio: float = 0.5, top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Dropout" bottom: "x" top: "{top}" dropout_param {{ dropout_ratio: {ratio} }} }}'


@pytest.mark.parametrize("top", ["x", "y"])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.5])
def test_layer(ratio: float, top: str) -> None:
    check_layer(layer(ratio, top), x=(3, 4, 2))


def test_test_phase() -> None:
    it = check_layer(layer(), phase=TEST, x=(3, 4))
    (x,) = it.bottoms()
    assert it.layer.forward([x], [], it.run())[0] is x


def test_the_mask_is_caffes() -> None:
    it = subject(layer(0.3), x=torch.ones(50))
    kept = torch.from_numpy(CaffeRandom(SEED).bernoulli(50, 0.7))
    torch.testing.assert_close(it.forward()[0], kept / 0.7)


@pytest.mark.parametrize("phase", [TRAIN, TEST])
def test_without_scale_train_the_test_phase_scales(phase: int) -> None:
    text = layer(0.3).replace("dropout_ratio", "scale_train: false dropout_ratio")
    x = torch.ones(50)
    check_layer(text, phase=phase, x=(3, 4, 2))
    expected = torch.from_numpy(CaffeRandom(SEED).bernoulli(50, 0.7)) if phase == TRAIN else 0.7 * x
    torch.testing.assert_close(subject(text, phase=phase, x=x).forward()[0], expected, check_dtype=False)


def test_segnets_samples_of_the_test_phase() -> None:
    text = layer(0.3).replace("dropout_ratio", "sample_weights_test: true dropout_ratio")
    it = check_layer(text, phase=TEST, x=(3, 4, 2))
    x = torch.ones(50)
    kept = torch.from_numpy(CaffeRandom(SEED).bernoulli(50, 0.7))
    torch.testing.assert_close(subject(text, phase=TEST, x=x).forward()[0], kept / 0.7)
    assert not it.layer.memory.aliases_bottom
    assert not it.layer.batches.item_by_item
    assert subject(layer(), phase=TEST, x=x).layer.batches.item_by_item


def test_each_pass_draws_anew() -> None:
    it, run = subject(layer(), x=torch.ones(50)), None
    run = it.run()
    first, second = (it.layer.forward(it.bottoms(), [], run)[0] for _ in range(2))
    assert not torch.equal(first, second)


def test_without_values_the_mask_is_drawn_by_the_device() -> None:
    it = subject(layer(), x=(8, 8))
    run, other = it.run(), it.run()
    it.layer.forward([it.bottoms()[0].to("meta")], [], run)
    assert run.random.state() == other.random.state()


def test_refusals() -> None:
    assert "dropout_ratio is 1.5; needed: 0 to 1" in refusal(layer(1.5), x=(2,))
