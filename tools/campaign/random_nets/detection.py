"""Layers of detectors and of sequences, with bottoms as they want them."""

from __future__ import annotations

import numpy as np

from tools.campaign.random_nets.builder import BATCHES, Array, Builder, op

TEST = "include { phase: TEST }"


def boxes(g: Builder, count: int) -> Array:
    """(count, 4) corners between 0 and 1."""
    low = g.values.random((count, 2)) * 0.5
    return np.concatenate([low, low + 0.1 + g.values.random((count, 2)) * 0.4], 1).astype(np.float32)


def regions(g: Builder, height: int, width: int) -> str:
    """(N, 5): picture, corners in its pixels."""
    sides = np.array([width - 1, height - 1] * 2, np.float32)
    rows = BATCHES * g.n
    corners = np.floor(boxes(g, rows) * sides)
    return g.feed(np.concatenate([g.values.integers(0, g.n, (rows, 1)), corners], 1))


@op("ROIPooling", bvlc=False)
def roi_pooling(g: Builder) -> None:
    bottom = g.pick(4, lambda s: s[0] == g.n)
    fields = f"pooled_h: {g.rng.randint(1, 3)} pooled_w: {g.rng.randint(1, 3)} spatial_scale: {g.rng.choice((1, 0.5))}"
    g.grow("ROIPooling", [bottom, regions(g, *g.shapes[bottom][2:])], f"roi_pooling_param {{ {fields} }}")


@op("PSROIPooling", bvlc=False)
def psroi_pooling(g: Builder) -> None:
    bottom = g.pick(4, lambda s: s[0] == g.n and s[1] % 4 == 0)
    fields = f"spatial_scale: 1 output_dim: {g.shapes[bottom][1] // 4} group_size: 2"
    g.grow("PSROIPooling", [bottom, regions(g, *g.shapes[bottom][2:])], f"psroi_pooling_param {{ {fields} }}")


def priors(g: Builder) -> tuple[str, int]:
    """PriorBox's top, and how many boxes there are."""
    features, picture = g.pick(4), g.feed_floats((g.n, 1, 8, 8))
    fields = f"min_size: 2 {g.rng.choice(('', 'max_size: 4'))} {g.rng.choice(('', 'aspect_ratio: 2 flip: true'))} variance: 0.1"
    top = g.grow("PriorBox", [features, picture], f"prior_box_param {{ {fields} }}", floats=False)[0]
    return top, g.shapes[top][2] // 4


def offsets_and_scores(g: Builder, count: int, classes: int) -> list[str]:
    """Learned from a blob of the batch: (N, 4 * count) and (N, classes * count)."""
    x = g.pick(wanted=lambda s: len(s) >= 2 and s[0] == g.n)
    found = []
    for size in (4 * count, classes * count):
        fields = f'num_output: {size} weight_filler {{ type: "xavier" }}'
        found += g.grow("InnerProduct", [x], f"inner_product_param {{ {fields} }}", named=False)
    return found


@op("MultiBoxLoss", bvlc=False)
def multibox_loss(g: Builder) -> None:
    top, count = priors(g)
    found = offsets_and_scores(g, count, 3)
    rows = BATCHES * g.n
    columns = [np.zeros((rows, 1)), g.values.integers(1, 3, (rows, 1)), np.zeros((rows, 1)), boxes(g, rows), np.zeros((rows, 1))]
    objects = g.feed(np.concatenate(columns, 1))
    shaped = g.grow("Reshape", [objects], "reshape_param { shape { dim: 1 dim: 1 dim: -1 dim: 8 } }", floats=False)[0]
    kind = g.rng.choice(("SMOOTH_L1", "L2"))
    fields = f"num_classes: 3 loc_loss_type: {kind} overlap_threshold: 0.3 mining_type: {g.rng.choice(('MAX_NEGATIVE', 'NONE'))}"
    down = " ".join(f"propagate_down: {word}" for word in ("true", "true", "false", "false"))
    g.grow("MultiBoxLoss", [*found, top, shaped], f"{down} multibox_loss_param {{ {fields} }}", floats=False)


@op("DetectionOutput", bvlc=False)
def detection_output(g: Builder) -> None:
    top, count = priors(g)
    fields = "num_classes: 3 nms_param { nms_threshold: 0.45 top_k: 20 } keep_top_k: 10 confidence_threshold: 0.1 code_type: CENTER_SIZE"
    g.ends.append(("DetectionOutput", [*offsets_and_scores(g, count, 3), top], f"detection_output_param {{ {fields} }} {TEST}", 1))


@op("RegionLoss", bvlc=False)
def region_loss(g: Builder) -> None:
    grid = yolo_grid(g)
    rows = BATCHES * g.n
    label = np.concatenate([g.values.integers(0, 2, (rows, 1)), 0.2 + 0.5 * g.values.random((rows, 4))], 1)
    fields = "num: 2 num_class: 2 coords: 4 biases: 1 biases: 1.5 biases: 2 biases: 1 thresh: 0.6"
    g.grow("RegionLoss", [grid, g.feed(label.reshape(rows, 1, 1, 5))], f"region_loss_param {{ {fields} }}", floats=False)


@op("CTCLoss", bvlc=False)
def ctc_loss(g: Builder) -> None:
    """T is the batch, of three sequences."""
    x = g.pick(3, lambda s: s[0] == g.n and s[1] > 0 and s[2] > 1)
    t, width, classes = g.shapes[x]
    begun = np.ones((BATCHES * t, width))
    begun[::t] = 0
    labels = g.values.integers(0, classes - 1, (BATCHES * t, width)) if classes > 1 else np.zeros((BATCHES * t, width))
    labels.reshape(BATCHES, t, width)[:, max(1, t // 2) :] = -1
    g.grow("CTCLoss", [x, g.feed(begun), g.feed(labels)], "ctc_loss_param { }", floats=False)


@op("Proposal", bvlc=False)
def proposal(g: Builder) -> None:
    x = g.pick(4, lambda s: s[0] == 1)
    filler = 'kernel_size: 1 weight_filler { type: "xavier" }'
    found = [g.grow("Convolution", [x], f"convolution_param {{ num_output: {k} {filler} }}", named=False)[0] for k in (4, 8)]
    if g.n != 1:
        found.append(g.feed(np.tile(np.array([[64.0], [64.0], [1.0], [1.0]]), (BATCHES, 1))) if g.n == 4 else found[0])
    else:
        found.append(g.feed(np.tile(np.array([[64.0, 64.0, 1.0, 1.0]]), (BATCHES, 1))))
    fields = "feat_stride: 16 base_size: 16 min_size: 8 ratio: 0.5 ratio: 1 scale: 1 pre_nms_topn: 50 post_nms_topn: 5 nms_thresh: 0.7"
    g.grow("Proposal", found, f"proposal_param {{ {fields} }}", floats=False)


@op("YoloDetectionOutput", bvlc=False)
def yolo_detection_output(g: Builder) -> None:
    grid = yolo_grid(g)
    fields = "num_classes: 2 num_box: 2 coords: 4 confidence_threshold: 0.2 nms_threshold: 0.5 biases: 1 biases: 1.5 biases: 2 biases: 1"
    g.ends.append(("YoloDetectionOutput", [grid], f"yolo_detection_output_param {{ {fields} }} {TEST}", 1))


@op("Yolov3DetectionOutput", bvlc=False)
def yolov3_detection_output(g: Builder) -> None:
    grid = yolo_grid(g)
    biases = "biases: 10 biases: 12 biases: 20 biases: 14"
    fields = f"num_classes: 2 num_box: 2 confidence_threshold: 0.2 nms_threshold: 0.5 {biases} mask: 0 mask: 1 anchors_scale: 8"
    g.ends.append(("Yolov3DetectionOutput", [grid], f"yolov3_detection_output_param {{ {fields} mask_group_num: 1 }} {TEST}", 1))


def yolo_grid(g: Builder) -> str:
    """(N, 14, H, W): two anchors, two classes."""
    conv = 'num_output: 14 kernel_size: 1 weight_filler { type: "xavier" }'
    return g.grow("Convolution", [g.pick(4, lambda s: s[0] == g.n)], f"convolution_param {{ {conv} }}", named=False)[0]


@op("BoxAnnotatorOHEM", bvlc=False)
def box_annotator_ohem(g: Builder) -> None:
    rois = regions(g, 8, 8)
    losses, weights = g.feed_floats((g.n, 1, 1, 1)), g.feed_floats((g.n, 4, 1, 1))
    bottoms = [rois, losses, g.feed_integers((g.n, 1, 1, 1), 3), weights]
    g.grow("BoxAnnotatorOHEM", bottoms, "box_annotator_ohem_param { roi_per_img: 2 ignore_label: -1 }", tops=2, floats=False)


@op("CtcLoss", bvlc=False)
def warp_ctc_loss(g: Builder) -> None:
    x = g.pick(3, lambda s: s[0] == g.n and s[1] == g.n and s[2] > 1)
    classes = g.shapes[x][2]
    labels = g.feed(g.values.integers(1, classes, (BATCHES * g.n, max(1, g.n // 2))))
    g.grow("CtcLoss", [x, labels], f"ctc_loss_param {{ alphabet_size: {classes} time_step: {g.n} blank_label: 0 }}", floats=False)


@op("CTCGreedyDecoder", bvlc=False)
def ctc_greedy_decoder(g: Builder) -> None:
    x = g.pick(3, lambda s: s[0] == g.n)
    begun = np.ones((BATCHES * g.n, g.shapes[x][1]))
    begun[:: g.n] = 0
    g.ends.append(("CTCGreedyDecoder", [x, g.feed(begun)], TEST, 1))
