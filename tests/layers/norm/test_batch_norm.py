"""BatchNorm."""

from __future__ import annotations

import pytest
import torch

from caffepy.layers.norm.batch_norm import average
from tests.layers.check import TEST, TRAIN, check_layer, gradients, refusal, subject


def layer(fields: str = "", top: str = "y", params: str = "") -> str:
    return f'layer {{ name: "l" type: "BatchNorm" bottom: "x" top: "{top}" {params} batch_norm_param {{ {fields} }} }}'


@pytest.mark.parametrize("phase", [TRAIN, TEST])
@pytest.mark.parametrize("fields", ["", "eps: 0.1", "use_global_stats: true", "use_global_stats: false moving_average_fraction: 0.5"])
def test_layer(fields: str, phase: int) -> None:
    check_layer(layer(fields), phase=phase, x=(4, 3, 2, 5))


NVIDIA = 'scale_filler { type: "uniform" min: 1 max: 2 } bias_filler { type: "uniform" min: -1 max: 1 }'


@pytest.mark.parametrize("phase", [TRAIN, TEST])
@pytest.mark.parametrize("fields", ["scale_bias: true", NVIDIA, f"eps: 0.1 use_global_stats: true {NVIDIA}"])
def test_nvidias_scale_and_bias(fields: str, phase: int) -> None:
    it = check_layer(layer(fields, params="param { lr_mult: 2 } param { }"), phase=phase, x=(4, 3, 2, 5))
    assert [blob.shape for blob in it.layer.blobs] == [(3,), (3,), (1,), (3,), (3,)]
    assert [(spec.lr_mult, spec.decay_mult) for spec in it.layer.param.param] == [(0, 0)] * 3 + [(1, 1)] * 2


@pytest.mark.parametrize("phase", [TRAIN, TEST])
def test_nvidias_batch_norm_is_batch_norm_and_scale(phase: int) -> None:
    it = subject(layer(NVIDIA), phase=phase, x=(4, 3, 5))
    blobs = [torch.tensor([1.0, 2, 3]), torch.tensor([4.0, 5, 6]), torch.ones(1), *it.blobs()[3:]]
    plain = subject(layer(), phase=phase, x=(4, 3, 5))
    (x,) = it.bottoms()
    (y,) = it.layer.forward([x], [blob.clone() for blob in blobs], it.run())
    (normalised,) = plain.layer.forward([x], [blob.clone() for blob in blobs[:3]], plain.run())
    torch.testing.assert_close(y, normalised * blobs[3].view(3, 1) + blobs[4].view(3, 1))
    if phase == TEST:
        scale, shift = it.layer.affine(blobs)
        torch.testing.assert_close(y, x * scale.view(3, 1) + shift.view(3, 1))


def test_nvidias_statistics_are_running_averages() -> None:
    """As its CPU code has them: with eps, and the first two batches' as they are."""
    it = subject(layer("scale_bias: true moving_average_fraction: 0.75 eps: 0.5"), x=(4, 3, 5))
    x, blobs = it.bottoms()[0], it.blobs()
    mean, variance = x.mean((0, 2)), x.var((0, 2), unbiased=False) + 0.5
    for shift, wanted, factor in ((1, mean + 1, 0.5), (0, mean, 1.0), (4, mean + 1, 1.0)):
        it.layer.forward([x + shift], blobs, it.run())
        for blob, value in zip(blobs, (wanted, variance, torch.tensor([factor]))):
            torch.testing.assert_close(blob, value)


class OnGpu(torch.Tensor):
    """A tensor that says that it lies on a GPU."""

    device = torch.device("cuda")


def test_cudnns_statistics_are_unbiased_and_averaged_from_the_second_batch_on() -> None:
    it = subject(layer("scale_bias: true moving_average_fraction: 0.75 eps: 0.5"), x=(4, 3, 5))
    blobs = [torch.zeros(3), torch.zeros(3), torch.zeros(1)]
    for value, wanted in ((1.0, 1.0), (5.0, 2.0)):
        given = [blobs[0].as_subclass(OnGpu), *blobs[1:]]
        average(given, torch.full((3,), value), torch.full((3,), value + 1), it.layer, values=20)
        assert [blob.tolist() for blob in blobs] == [[wanted] * 3, [wanted + 1] * 3, [1]]


@pytest.mark.parametrize("field", ["true", "false"])
def test_nvidia_uses_stored_statistics_in_test_alone(field: str) -> None:
    """Whatever use_global_stats says, and whatever the factor is."""
    for phase in (TRAIN, TEST):
        plain, told = (
            subject(layer(f"scale_bias: true {fields}"), phase=phase, x=(4, 3, 5)) for fields in ("", f"use_global_stats: {field}")
        )
        blobs = [torch.tensor([1.0, 2, 3]), torch.tensor([4.0, 5, 6]), torch.tensor([2.0]), *plain.blobs()[3:]]
        (y,), (wanted,) = (it.layer.forward(it.bottoms(), [blob.clone() for blob in blobs], it.run()) for it in (told, plain))
        assert torch.equal(y, wanted)
        assert told.layer.batches.statistics == (() if phase == TEST else (0, 1, 2))
        assert told.layer.remembers(told.layer.param) is False
        if phase == TEST:
            x = plain.bottoms()[0]
            torch.testing.assert_close(y, (x - blobs[0].view(3, 1)) / (blobs[1].view(3, 1) + 1e-5).sqrt())


@pytest.mark.parametrize("size", [1, 2, 4])
def test_intels_stats_batch_size(size: int) -> None:
    it = check_layer(layer(f"stats_batch_size: {size} moving_average_fraction: 0.5"), x=(4, 3, 2, 5))
    plain = subject(layer("moving_average_fraction: 0.5"), x=(4, 3, 2, 5))
    (x,), blobs, counted = it.bottoms(), it.blobs(), it.blobs()
    parts = [plain.layer.forward([part], counted, plain.run())[0] for part in x.split(size)]
    torch.testing.assert_close(it.layer.forward([x], blobs, it.run())[0], torch.cat(parts))
    for blob, wanted in zip(blobs, counted):
        torch.testing.assert_close(blob, wanted)
    assert subject(layer("stats_batch_size: 3"), phase=TEST, x=(4, 3)).layer.batches.item_by_item
    assert "stats_batch_size is 3 and the batch 4; needed: one that divides the batch" in refusal(layer("stats_batch_size: 3"), x=(4, 3))


@pytest.mark.parametrize("phase", [TRAIN, TEST])
@pytest.mark.parametrize("fields", ["", "filler { value: 2 }", "bias_filler { value: 3 }"])
def test_without_intels_weight_and_bias_it_is_bvlcs(fields: str, phase: int) -> None:
    it = subject(layer(f"use_weight_bias: false {fields}"), phase=phase, x=(4, 3, 2))
    assert len(it.layer.blobs) == 3
    assert torch.equal(it.forward()[0], subject(layer(), phase=phase, x=(4, 3, 2)).forward()[0])
    assert "use_weight_bias is false (Intel) beside" in refusal(layer("use_weight_bias: false scale_bias: true"), x=(4, 3, 2))


def test_intels_filler_is_that_of_the_scale_behind_it() -> None:
    it = check_layer(layer("filler { value: 1 } bias_filler { value: 0 }"), x=(4, 3, 2, 5))
    assert len(it.layer.blobs) == 3
    for fields in ("filler { value: 2 }", 'filler { type: "xavier" value: 1 }', "filler { value: 1 } bias_filler { value: 0.1 }"):
        assert "needed: fillers of a Scale" in refusal(layer(fields), x=(4, 3))


def test_nvidias_least_eps() -> None:
    assert subject(layer("scale_bias: true eps: 0"), x=(4, 3)).layer.eps == 1e-5


@pytest.mark.parametrize("shape", [(6, 2), (4, 3, 5), (2, 3, 2, 3, 2)])
def test_any_number_of_axes(shape: tuple[int, ...]) -> None:
    check_layer(layer(), x=shape)


def test_sums_of_the_passes_are_stored() -> None:
    it = subject(layer("moving_average_fraction: 0.9"), x=(4, 3, 5))
    x, blobs = it.bottoms()[0], it.blobs()
    mean, variance = x.mean((0, 2)), x.var((0, 2), unbiased=True)
    for factor in (1.0, 1.9):
        it.layer.forward([x], blobs, it.run())
        for blob, wanted in zip(blobs, (mean * factor, variance * factor, torch.tensor([factor]))):
            torch.testing.assert_close(blob, wanted)


@pytest.mark.parametrize(("fields", "wanted"), [("", (0, 1, 2)), ("use_global_stats: true", ())])
def test_what_a_pass_changes(fields: str, wanted: tuple[int, ...]) -> None:
    it = subject(layer(fields), phase=TRAIN, x=(4, 3, 5))
    blobs = it.blobs()
    before = [blob.clone() for blob in blobs]
    it.layer.forward(it.bottoms(), blobs, it.run())
    assert tuple(i for i, blob in enumerate(blobs) if not torch.equal(blob, before[i])) == it.layer.batches.statistics == wanted


def test_the_pass_itself_divides_by_the_biased_variance() -> None:
    it = subject(layer("eps: 0.25"), x=(4, 3, 5))
    (x,) = it.bottoms()
    wanted = (x - x.mean((0, 2), keepdim=True)) / (x.var((0, 2), unbiased=False, keepdim=True) + 0.25).sqrt()
    torch.testing.assert_close(it.forward()[0], wanted)


def test_global_statistics_are_the_sums_by_their_factor() -> None:
    it = subject(layer("eps: 0.5"), phase=TEST, x=(2, 2, 3))
    (x,) = it.bottoms()
    blobs = [torch.tensor([2.0, 4]), torch.tensor([1.0, 3]), torch.tensor([2.0])]
    (y,) = it.layer.forward([x], blobs, it.run())
    torch.testing.assert_close(y, (x - torch.tensor([[1.0], [2]])) / torch.tensor([[1.0], [2]]).sqrt())
    assert [blob.tolist() for blob in blobs] == [[2, 4], [1, 3], [2]]


def test_factor_0_means_mean_0_and_variance_0() -> None:
    it = subject(layer("eps: 0.25"), phase=TEST, x=(2, 2, 3))
    blobs = [torch.tensor([2.0, 4]), torch.tensor([1.0, 3]), torch.tensor([0.0])]
    torch.testing.assert_close(it.layer.forward(it.bottoms(), blobs, it.run())[0], it.bottoms()[0] * 2)


def test_one_value_a_channel_has_no_correction() -> None:
    it = subject(layer(), x=(1, 3))
    blobs = it.blobs()
    (y,) = it.layer.forward(it.bottoms(), blobs, it.run())
    torch.testing.assert_close(y, torch.zeros(1, 3), rtol=0, atol=1e-4)
    assert blobs[1].tolist() == [0, 0, 0]
    x = torch.tensor([[1.0, -2.0, 3.0]])
    assert gradients(layer(), x=x)[0].tolist() == [[0, 0, 0]]


def test_statistics_are_not_learned() -> None:
    assert [p.lr_mult for p in subject(layer(), x=(2, 3)).graph.params[-3:]] == [0, 0, 0]
    spec = "param { lr_mult: 1 } param { lr_mult: 1 }"
    assert "has lr_mult 1; needed: 0" in refusal(layer(params=spec), x=(2, 3))


def test_refusals() -> None:
    assert "bottom has 1 axis; needed: at least 2" in refusal(layer(), x=(3,))
