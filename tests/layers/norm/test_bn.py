"""BN, PSPNet's and SegNet's."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import TEST, TRAIN, check_layer, gradients, refusal, subject

PSPNET = 'slope_filler { type: "uniform" min: 1 max: 2 } bias_filler { type: "gaussian" }'
SEGNET = 'scale_filler { type: "uniform" min: 1 max: 2 } shift_filler { type: "gaussian" }'


def layer(fields: str = "", tops: str = 'top: "y"') -> str:
    return f'layer {{ name: "l" type: "BN" bottom: "x" {tops} bn_param {{ {fields} }} }}'


@pytest.mark.parametrize("shape", [(4, 3, 2, 2), (6, 3)])
def test_pspnet(shape: tuple[int, ...]) -> None:
    it = check_layer(layer(PSPNET), x=shape)
    assert [blob.shape for blob in it.layer.blobs] == [(1, 3, 1, 1)] * 4
    assert [p.lr_mult for p in it.graph.params[-4:]] == [1, 1, 0, 0]
    assert it.layer.batches.statistics == (2, 3)


def test_pspnet_frozen() -> None:
    check_layer(layer(f"{PSPNET} frozen: true"), no_gradcheck="slope and bias do not learn", x=(4, 3, 2, 2))
    it = subject(layer(f"{PSPNET} frozen: true"), x=(4, 3, 2, 2))
    assert it.layer.batches.statistics == ()
    torch.testing.assert_close(it.forward()[0], it.bottoms()[0] * it.blobs()[0] + it.blobs()[1], rtol=1e-4, atol=1e-4)


def test_pspnet_in_test_has_the_gradient_of_batch_statistics() -> None:
    check_layer(layer(f"{PSPNET} eps: 1"), phase=TEST, no_gradcheck="it is that of batch statistics, as in PSPNet", x=(4, 3, 2, 2))


def test_running_averages_take_the_biased_variance() -> None:
    it = subject(layer(f"{PSPNET} momentum: 0.75"), x=(4, 3, 2, 2))
    (x,), blobs = it.bottoms(), it.blobs()
    blobs[2].fill_(4)
    it.layer.forward([x], blobs, it.run())
    torch.testing.assert_close(blobs[2].flatten(), 3 + 0.25 * x.mean((0, 2, 3)))
    torch.testing.assert_close(blobs[3].flatten(), 0.25 * x.var((0, 2, 3), correction=0))


@pytest.mark.parametrize("phase", [TRAIN, TEST])
@pytest.mark.parametrize("top", ["x", "y"])
def test_segnet(top: str, phase: int) -> None:
    it = check_layer(layer(SEGNET, f'top: "{top}"'), phase=phase, x=(4, 3, 2, 2))
    assert [blob.shape for blob in it.layer.blobs] == [(1, 3, 1, 1)] * 2


def test_segnet_inference() -> None:
    it = check_layer(layer(f"{SEGNET} bn_mode: INFERENCE"), x=(4, 3, 2, 2))
    torch.testing.assert_close(it.forward()[0], it.bottoms()[0] * it.blobs()[0] + it.blobs()[1])


def test_segnet_inference_in_place_takes_the_top_for_the_bottom() -> None:
    text = layer("scale_filler { value: 3 } bn_mode: INFERENCE", 'top: "x"')
    dx, scale, shift = gradients(text, x=[[1], [2]])
    assert dx.tolist() == [[3], [3]]
    assert scale.flatten().tolist() == [9]
    assert shift.flatten().tolist() == [2]


def test_segnet_statistics_as_tops() -> None:
    it = subject(layer(SEGNET, 'top: "y" top: "m" top: "v"'), x=(4, 3, 2, 2))
    (x,), (_, mean, variance) = it.bottoms(), it.forward()
    torch.testing.assert_close(mean, x.mean((0, 2, 3)).reshape(1, 3, 1, 1))
    torch.testing.assert_close(variance, x.var((0, 2, 3), correction=0).reshape(1, 3, 1, 1))


def test_refusals() -> None:
    assert "bottom has 1 axis" in refusal(layer(), x=(3,))
