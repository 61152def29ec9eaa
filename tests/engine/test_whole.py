"""The fast engine beyond what it has in common with the reference: feeds, shapes, errors, autograd's bookkeeping."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from torch import Tensor

from caffepy.errors import LayerError
from tests.engine.build import TEST, TRAIN, built, feed, feeds
from tests.engine.nets import CONV, HEAD, IMAGE, NETS


def test_gradients_add_up_until_cleared() -> None:
    engine = built(NETS["in_place"]).whole
    engine.forward_backward(feeds())
    once = [g.clone() for g in engine.gradients() if g is not None]
    engine.forward_backward(feeds())
    for first, both in zip(once, engine.gradients(), strict=True):
        assert both is not None
        torch.testing.assert_close(both, 2 * first)
    engine.clear_gradients()
    assert engine.gradients() == [None] * 4


@pytest.mark.parametrize("dims", ["dim: 1", "dim: 2", "dim: 2 dim: 1"])
def test_gradients_of_both_terms_of_a_sum_lie_apart(dims: str) -> None:
    """That of a Parameter layer is the last pass's, the other is the sum of all."""
    engine = built(f"""
layer {{ name: "x" type: "Parameter" top: "x" parameter_param {{ shape {{ {dims} }} }} }}
layer {{ name: "b" type: "Bias" bottom: "x" top: "y" bias_param {{ axis: 0 num_axes: 1 }} }}
layer {{ name: "s" type: "Reduction" bottom: "y" top: "s" loss_weight: 1 reduction_param {{ axis: 0 }} }}
""").whole
    for passes in (1, 2, 3):
        engine.forward_backward()
        assert [g.unique().tolist() for g in engine.gradients() if g is not None] == [[1], [passes]]


def test_frozen_parameters_get_no_gradient() -> None:
    engine = built(NETS["frozen_below"]).whole
    engine.forward_backward(feeds())
    assert [g is None for g in engine.gradients()] == [True, True, False, False]


def test_a_pass_without_gradients_keeps_nothing_for_them() -> None:
    engine = built(NETS["residual"]).whole
    saved: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t), lambda t: None):
        loss = engine.forward(feeds())
    assert saved == []
    assert not loss.requires_grad
    assert engine.gradients() == [None] * len(engine.gradients())


def test_layers_below_the_first_learned_one_keep_nothing_for_gradients() -> None:
    engine = built(NETS["frozen_below"]).whole
    saved: list[Tensor] = []

    def pack(tensor: Tensor) -> Tensor:
        saved.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        engine.forward_backward(feeds())
    assert all(tensor.dim() < 4 for tensor in saved)


def test_another_batch_size_goes_through_the_net() -> None:
    engine = built(NETS["in_place"], TEST).whole
    eight = float(engine.forward(feeds(8)))
    assert engine.graph.values[engine.graph.final["ip"]].shape == (8, 5)
    assert eight == pytest.approx(float(built(NETS["in_place"], TEST).whole.forward(feeds(8))))


def test_a_shape_that_does_not_fit_is_refused() -> None:
    engine = built(NETS["in_place"], TEST).whole
    with pytest.raises(LayerError, match="'ip'.*96"):
        engine.forward({**feeds(), "data": torch.zeros(4, 3, 11, 11)})


def test_an_input_that_is_not_fed_is_named() -> None:
    engine = built(NETS["in_place"], TEST).whole
    batch = feeds()
    with pytest.raises(LayerError, match=r"layer 'in' \(Input\): input blob 'data' is not fed; given: nothing; needed: 'data', 'label'$"):
        engine.forward()
    for run in (engine.forward, engine.forward_backward):
        with pytest.raises(LayerError, match="input blob 'label' is not fed; given: 'data', 'labels'; .*; nearest: 'labels'"):
            run({"data": batch["data"], "labels": batch["label"]})
    assert float(engine.forward(batch)) > 0


def test_an_error_in_a_layer_names_it_and_leaves_the_engine_usable() -> None:
    text = f"""{IMAGE}
layer {{ name: "top" type: "Convolution" bottom: "data" top: "top" {CONV} }}
{HEAD}"""
    engine = built(text).whole
    with pytest.raises(LayerError, match=r"layer 'loss' \(SoftmaxWithLoss\): label 9"):
        engine.forward({**feeds(), "label": torch.tensor([0.0, 9.0, 0.0, 0.0])})
    assert float(engine.forward(feeds())) > 0


def test_batches_are_laid_out_as_the_net_wants_them_and_not_changed() -> None:
    arrays = feeds()
    before = arrays["data"].clone()
    net = built(NETS["in_place"], channels_last=True)
    net.whole.forward_backward(arrays)
    assert torch.equal(arrays["data"], before)
    assert arrays["data"].is_contiguous()


def test_outputs_survive_the_next_pass_of_another_batch() -> None:
    engine = built(NETS["in_place"], TEST).whole
    engine.forward(feeds())
    first = {output.name: output.data for output in engine.outputs()}
    value = float(first["loss"])
    engine.forward({**feeds(), "data": torch.ones(4, 3, 9, 9)})
    assert float(first["loss"]) == value
    assert float(next(o.data for o in engine.outputs() if o.name == "loss")) != value


def test_what_depends_on_shapes_follows_them() -> None:
    text = """layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 4 dim: 4 } } }
layer { name: "p" type: "Pooling" bottom: "data" top: "p" pooling_param { pool: AVE global_pooling: true } }"""
    engine = built(text).whole
    for size in (4, 6, 3):
        data = torch.randn(2, 3, size, size)
        engine.forward({"data": data})
        torch.testing.assert_close(engine.outputs()[0].data, data.mean((2, 3), keepdim=True))


FILTERED = """
layer { name: "in" type: "Input" top: "data" top: "label" top: "chosen"
  input_param { shape { dim: 4 dim: 3 dim: 9 dim: 9 } shape { dim: 4 } shape { dim: 4 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 2 kernel_size: 3 weight_filler { type: "msra" } } }
layer { name: "filter" type: "Filter" bottom: "conv" bottom: "label" bottom: "chosen" top: "x" top: "y" }
layer { name: "flat" type: "Flatten" bottom: "x" top: "flat" }
layer { name: "ip" type: "InnerProduct" bottom: "flat" top: "ip" inner_product_param { num_output: 5 weight_filler { type: "msra" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "y" top: "loss" propagate_down: true propagate_down: false }
"""


def _agree(text: str, phase: int, choices: Sequence[Sequence[int]]) -> None:
    """The fast engine computes what the reference does when one choice of items follows the other."""
    engine, reference = built(text, phase).whole, built(text, phase).layerwise
    for chosen in choices:
        given = {**feeds(), "chosen": torch.tensor(chosen, dtype=torch.float32)}
        expected = feed(reference, given).forward_backward()
        torch.testing.assert_close(engine.forward_backward(given), expected)
        for ours, theirs in zip(engine.gradients(), reference.gradients(), strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("phase", [TRAIN, TEST])
def test_layers_follow_the_number_of_items_that_a_filter_lets_through(phase: int) -> None:
    _agree(FILTERED, phase, ([1, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]))


@pytest.mark.parametrize("phase", [TRAIN, TEST])
@pytest.mark.parametrize("order", ["xy", "yx"])
def test_two_filters_may_let_through_other_numbers_than_before(order: str, phase: int) -> None:
    filters = {
        "x": 'layer { name: "x" type: "Filter" bottom: "conv" bottom: "chosen" top: "x" }',
        "y": 'layer { name: "y" type: "Filter" bottom: "label" bottom: "chosen" top: "y" }',
    }
    one = next(line for line in FILTERED.splitlines() if '"filter"' in line)
    text = FILTERED.replace(one, "\n".join(filters[name] for name in order))
    _agree(text, phase, ([1, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]))


@pytest.mark.parametrize("phase", [TRAIN, TEST])
def test_two_sources_may_have_pictures_of_any_size(phase: int, tmp_path: Path) -> None:
    for name, channels, classes in (("data", 3, 256), ("label", 1, 5)):
        for i, (height, width) in enumerate([(8, 9), (12, 7), (10, 10)]):
            pixels = np.random.default_rng(i).integers(0, classes, (height, width, channels), np.uint8)
            cv2.imwrite(str(tmp_path / f"{name}{i}.png"), pixels)
        (tmp_path / name).write_text("".join(f"{tmp_path}/{name}{i}.png 0\n" for i in range(3)))

    def source(name: str) -> str:
        fields = f'image_data_param {{ source: "{tmp_path}/{name}" batch_size: 1 is_color: {str(name == "data").lower()} }}'
        return f'layer {{ name: "{name}" type: "ImageData" top: "{name}" top: "{name}_number" {fields} }}'

    scores = f'layer {{ name: "scores" type: "Convolution" bottom: "data" top: "scores" {CONV} }}'
    loss = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "scores" bottom: "label" top: "loss" }'
    for text in (source("data") + source("label") + scores + loss, source("data") + scores + source("label") + loss):
        engine, reference = built(text, phase).whole, built(text, phase).layerwise
        for _ in range(5):
            torch.testing.assert_close(engine.forward_backward(), reference.forward_backward())
            for ours, theirs in zip(engine.gradients(), reference.gradients(), strict=True):
                torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


def test_an_error_of_a_pass_whose_shapes_were_not_all_known_leaves_the_engine_usable() -> None:
    engine = built(FILTERED).whole
    given = {**feeds(), "chosen": torch.tensor([1.0, 0, 1, 1])}
    expected = engine.forward(given)
    with pytest.raises(LayerError, match="'filter'"):
        engine.forward({**{name: value[:2] for name, value in feeds().items()}, "chosen": torch.ones(3)})
    torch.testing.assert_close(engine.forward(given), expected)


def test_a_net_without_layers_has_nothing_to_do() -> None:
    assert built("").whole.forward() == 0
