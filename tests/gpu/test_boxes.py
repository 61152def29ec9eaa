"""Nets of boxes and of sequences on a GPU: what waits for the host, and how often."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from caffepy.engine import captured
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.places import check_places
from caffepy.engine.whole import WholeEngine
from caffepy.errors import LayerError
from tests.engine.build import TEST
from tests.gpu.test_recordings import engine

GENERATOR = torch.Generator().manual_seed(6)
STAND_IN = pytest.mark.skipif(not hasattr(torch.cuda, "counts"), reason="a real GPU does not count the host's waits")


def given(*shapes: tuple[str, tuple[int, ...]]) -> str:
    """Input layers."""
    dims = ((name, " ".join(f"dim: {n}" for n in shape)) for name, shape in shapes)
    return " ".join(f'layer {{ name: "{name}" type: "Input" top: "{name}" input_param {{ shape {{ {dim} }} }} }}' for name, dim in dims)


def convolved(name: str, outputs: int, bottom: str = "data") -> str:
    fields = f'num_output: {outputs} kernel_size: 3 pad: 1 weight_filler {{ type: "xavier" }}'
    return f'layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}" convolution_param {{ {fields} }} }}'


DATA = ("data", (2, 3, 6, 8))
REGIONS = ("rois", (5, 5))
OBJECTS = ("objects", (1, 1, 4, 8))
SSD = f"""{given(DATA, OBJECTS)} {convolved("maps", 16)} {convolved("seen", 12)}
layer {{ name: "o0" type: "Permute" bottom: "maps" top: "o0" permute_param {{ order: 0 order: 2 order: 3 order: 1 }} }}
layer {{ name: "s0" type: "Permute" bottom: "seen" top: "s0" permute_param {{ order: 0 order: 2 order: 3 order: 1 }} }}
layer {{ name: "o" type: "Flatten" bottom: "o0" top: "o" }}
layer {{ name: "s" type: "Flatten" bottom: "s0" top: "s" }}
layer {{ name: "priors" type: "PriorBox" bottom: "maps" bottom: "data" top: "priors"
  prior_box_param {{ min_size: 3 max_size: 5 aspect_ratio: 2 flip: true img_h: 6 img_w: 8 }} }}"""
LOSS = """layer { name: "loss" type: "MultiBoxLoss" bottom: "o" bottom: "s" bottom: "priors" bottom: "objects" top: "loss"
  multibox_loss_param { num_classes: 3 overlap_threshold: 0.4 %s } propagate_down: true propagate_down: true
  propagate_down: false propagate_down: false }"""
POOLED = f"""{given(DATA, REGIONS)} {convolved("maps", 4)}
layer {{ name: "pooled" type: "ROIPooling" bottom: "maps" bottom: "rois" top: "pooled" roi_pooling_param {{ pooled_h: 2 pooled_w: 3 }} }}
layer {{ name: "loss" type: "Reduction" bottom: "pooled" top: "loss" reduction_param {{ operation: SUMSQ }} loss_weight: 1 }}"""
HEARD = """layer { name: "heard" type: "InnerProduct" bottom: "data" top: "heard"
  inner_product_param { num_output: 4 axis: 2 weight_filler { type: "xavier" } } }"""
SPOKEN = f"""{given(("data", (5, 2, 6)), ("marks", (5, 2)), ("spoken", (3, 2)))} {HEARD}
layer {{ name: "l" type: "CTCLoss" bottom: "heard" bottom: "marks" bottom: "spoken" top: "l" }}"""
WRITTEN = f"""{given(("data", (5, 2, 6)), ("written", (2, 3)))} {HEARD}
layer {{ name: "l" type: "CtcLoss" bottom: "heard" bottom: "written" top: "l"
  ctc_loss_param {{ alphabet_size: 4 time_step: 4 blank_label: 3 }} }}"""
READ = f"""{SPOKEN} layer {{ name: "read" type: "CTCGreedyDecoder" bottom: "heard" bottom: "marks" bottom: "spoken"
  top: "read" top: "score" top: "share" }}"""
ANCHORS = "num: 2 biases: 1 biases: 0.75 biases: 1.5 biases: 2.5 num_class: 3 thresh: 0.3"
GRID = f"""{given(DATA, ("cells", (2, 1, 4, 5)))} {convolved("maps", 16)}
layer {{ name: "l" type: "RegionLoss" bottom: "maps" bottom: "cells" top: "l" region_loss_param {{ {ANCHORS} }} }}"""
RECORDED = {
    "SSD": SSD + LOSS % "",
    "SSD, hard examples": SSD + LOSS % "mining_type: HARD_EXAMPLE sample_size: 9 code_type: CENTER_SIZE bp_inside: true",
    "SSD, logistic": SSD + LOSS % "mining_type: NONE conf_loss_type: LOGISTIC use_prior_for_matching: false",
    "ROIPooling": POOLED,
    "RegionLoss": GRID,
    "RegionLoss, drawn to anchors in the first two passes": GRID.replace(ANCHORS, f"{ANCHORS} bias_match: 0 rescore: 0 anchor_images: 4"),
    "RegionLoss, Intel's rows": GRID.replace('"cells"', '"objects"').replace("dim: 2 dim: 1 dim: 4 dim: 5", "dim: 1 dim: 1 dim: 4 dim: 8"),
    "CTCLoss": SPOKEN,
    "CtcLoss": WRITTEN,
    "CTCGreedyDecoder": READ,
}
DETECTIONS = f"""{SSD.replace(given(OBJECTS), "")}
layer {{ name: "found" type: "DetectionOutput" bottom: "o" bottom: "s" bottom: "priors" top: "found"
  detection_output_param {{ num_classes: 3 nms_param {{ nms_threshold: 0.4 top_k: 50 }} keep_top_k: 30 }} }}"""
PROPOSALS = f"""{given(("data", (1, 3, 6, 8)), ("picture", (1, 4)))} {convolved("maps", 16)} {convolved("seen", 8)}
layer {{ name: "rois" type: "Proposal" bottom: "seen" bottom: "maps" bottom: "picture" top: "rois"
  proposal_param {{ ratio: 0.5 ratio: 1 scale: 2 scale: 4 base_size: 8 feat_stride: 8 min_size: 6 post_nms_topn: 20 }} }}"""


def batch(text: str, seed: int = 0) -> dict[str, Tensor]:
    """A batch for any of these nets."""
    generator = torch.Generator().manual_seed(seed)
    objects, rois = torch.zeros(1, 1, 4, 8), torch.zeros(5, 5)
    objects[..., 0] = torch.tensor([0.0, 0, seed, -1])
    objects[..., 1] = torch.tensor([1.0, 2, 2, 0])
    objects[..., 3:7] = torch.rand(4, 2, 2, generator=generator).sort(1).values.flatten(1)
    rois[:, 0] = torch.tensor([0.0, 1, 1, 0, 0])
    rois[:, 1:] = (torch.rand(5, 2, 2, generator=generator) * torch.tensor([8.0, 6])).sort(1).values.flatten(1)
    marks, spoken = torch.ones(5, 2), torch.tensor([[1.0, 0], [seed, 0], [-1, -1]])
    marks[0], marks[4, 1] = 0, 0
    shape = (5, 2, 6) if "heard" in text else (2 if "picture" not in text else 1, 3, 6, 8)
    every = {"data": torch.randn(shape, generator=generator), "objects": objects, "rois": rois, "marks": marks, "spoken": spoken}
    cells = torch.rand(2, 1, 4, 5, generator=generator) * 0.8 + 0.1
    cells[..., 0] = torch.tensor([0.0, 1, 2, seed])
    cells[0, 0, 1], cells[1, 0, 3 - seed] = cells[0, 0, 0], 0  # two for one box; the rows from here on are none
    every |= {"cells": cells, "picture": torch.tensor([[48.0, 64, 1, 1]]), "written": torch.tensor([[1.0, 3, seed], [3, 2, 3]])}
    return {name: tensor for name, tensor in every.items() if f'type: "Input" top: "{name}"' in text}


def waits(run: Callable[[], object]) -> int:
    """How often the host waits."""
    before = torch.cuda.counts()[1]
    run()
    return int(torch.cuda.counts()[1] - before)


@pytest.mark.parametrize("name", RECORDED)
def test_an_iteration_is_recorded(name: str, gpu: torch.device) -> None:
    text = RECORDED[name]
    ours, plain = engine(text, gpu), engine(text, torch.device("cpu"), WholeEngine)
    for seed in (0, 1, 0):
        for each in (ours, plain):
            each.clear_gradients()
        torch.testing.assert_close(ours.forward_backward(batch(text, seed)).cpu(), plain.forward_backward(batch(text, seed)))
        for g, h in zip(ours.gradients(), plain.gradients(), strict=True):
            assert g is not None
            assert h is not None
            torch.testing.assert_close(g.cpu(), h, rtol=1e-4, atol=1e-5)
    assert isinstance(ours, CapturedEngine)
    assert ours.obstacle == ""


def test_batches_of_any_number_of_objects_share_recordings(gpu: torch.device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured, "MOST_RECORDINGS", 2)
    ours, plain = engine(RECORDED["SSD"], gpu), engine(RECORDED["SSD"], torch.device("cpu"), WholeEngine)
    for many in (1, 3, 4, 16, 17, 2):
        feeds = batch(RECORDED["SSD"])
        feeds["objects"] = feeds["objects"][:, :, torch.arange(many) % 4]
        torch.testing.assert_close(ours.forward_backward(feeds).cpu(), plain.forward_backward(feeds))
    assert isinstance(ours, CapturedEngine)
    assert ours.obstacle == ""


@STAND_IN
@pytest.mark.parametrize("name", RECORDED)
def test_an_iteration_does_not_wait(name: str, gpu: torch.device) -> None:
    ours, feeds = engine(RECORDED[name], gpu), batch(RECORDED[name])
    ours.forward_backward(feeds)
    assert waits(lambda: ours.forward_backward(feeds)) == 0  # the batches lie in page-locked memory


@pytest.mark.parametrize(("text", "top"), [(DETECTIONS, "found"), (PROPOSALS, "rois")])
def test_what_is_found_is_what_a_cpu_finds(text: str, top: str, gpu: torch.device) -> None:
    ours, plain = engine(text, gpu, phase=TEST), engine(text, torch.device("cpu"), WholeEngine, phase=TEST)
    for each in (ours, plain):
        each.forward(batch(text))
    (found,), (wanted,) = (each.outputs() for each in (ours, plain))
    assert len(wanted.data.flatten()) > 20
    torch.testing.assert_close(found.data.cpu(), wanted.data, rtol=1e-4, atol=1e-4)


@STAND_IN
@pytest.mark.parametrize("text", [DETECTIONS, PROPOSALS], ids=["DetectionOutput", "Proposal"])
def test_what_is_found_is_waited_for_once(text: str, gpu: torch.device) -> None:
    ours, feeds = engine(text, gpu, WholeEngine, phase=TEST), {name: x.to(gpu) for name, x in batch(text).items()}
    ours.forward(feeds)
    assert waits(lambda: ours.forward(feeds)) == 1


@pytest.mark.parametrize(
    ("name", "place", "message"),
    [
        ("SSD", ("objects", (0, 0, 0, 1), 3), "an object of picture 0 has label 3; needed: pictures 0 to 1, labels 0 to 2"),
        ("SSD", ("objects", (0, 0, 0, 0), 2), "an object of picture 2 has label 1"),
        ("ROIPooling", ("rois", (1, 0), 2), "a region is in picture 2; needed: 0 to 1"),
        ("RegionLoss", ("cells", (0, 0, 1, 0), 3), "class 3 found; needed: 0 to 2"),
        ("RegionLoss", ("cells", (0, 0, 1, 2), 1.5), "box found; needed: x and y from 0 to 1"),
        ("RegionLoss, Intel's rows", ("objects", (0, 0, 0, 0), 2), "item 2 found in bottom 1; needed: 0 to 1"),
        ("CTCLoss", ("spoken", (0, 1), 7), "sequence 1 has more labels than time steps, or a label before the last that is no class"),
        ("CtcLoss", ("written", (0, 0), 4), "label 4 found; needed: 0 to 3"),
    ],
)
def test_what_is_wrong_in_a_batch_is_told_when_somebody_waits(
    name: str, place: tuple[str, tuple[int, ...], float], message: str, gpu: torch.device
) -> None:
    ours, feeds = engine(RECORDED[name], gpu), batch(RECORDED[name])
    ours.forward_backward(feeds)
    check_places(ours)
    feeds[place[0]][place[1]] = place[2]
    ours.forward_backward(feeds)
    with pytest.raises(LayerError, match=message):
        check_places(ours)
