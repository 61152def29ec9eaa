"""The nets of boxes that `boxes` measures: SSD300 on VGG-16, and Faster R-CNN on ZF with its targets given."""

from __future__ import annotations

from tools.bench.prototxt import Prototxt

VGG = ((1, 64, 2), (2, 128, 2), (3, 256, 3), (4, 512, 3), (5, 512, 3))
"""Number, channels and convolutions of each block."""
EXTRA = ((6, 256, 512, "pad: 1 stride: 2"), (7, 128, 256, "pad: 1 stride: 2"), (8, 128, 256, ""), (9, 128, 256, ""))
HEADS = (
    ("conv4_3", "min_size: 30 max_size: 60 aspect_ratio: 2", 4),
    ("fc7", "min_size: 60 max_size: 111 aspect_ratio: 2 aspect_ratio: 3", 6),
    ("conv6_2", "min_size: 111 max_size: 162 aspect_ratio: 2 aspect_ratio: 3", 6),
    ("conv7_2", "min_size: 162 max_size: 213 aspect_ratio: 2 aspect_ratio: 3", 6),
    ("conv8_2", "min_size: 213 max_size: 264 aspect_ratio: 2", 4),
    ("conv9_2", "min_size: 264 max_size: 315 aspect_ratio: 2", 4),
)
"""Blob, sizes and boxes of a cell of each PriorBox: 8732 in all."""
CLASSES, OBJECTS = 21, 5
ANCHORS, ROWS, COLUMNS = 9, 39, 64
MULTIBOX = f"""propagate_down: true propagate_down: true propagate_down: false propagate_down: false
    multibox_loss_param {{ num_classes: {CLASSES} overlap_threshold: 0.5 neg_pos_ratio: 3 neg_overlap: 0.5 code_type: CENTER_SIZE
    mining_type: MAX_NEGATIVE }}"""
PROPOSAL = """proposal_param { feat_stride: 16 base_size: 16 min_size: 16 pre_nms_topn: 6000 post_nms_topn: 300 nms_thresh: 0.7
    ratio: 0.5 ratio: 1 ratio: 2 scale: 8 scale: 16 scale: 32 }"""


def given(net: Prototxt, name: str, *shape: int) -> str:
    """An Input."""
    dims = "".join(f" dim: {n}" for n in shape)
    return net.layer(name, "Input", [], body=f"input_param {{ shape {{{dims} }} }}")


def _convolved(net: Prototxt, name: str, bottom: str, outputs: int, kernel: int, extra: str = "") -> str:
    figures = f"num_output: {outputs // net.divide} kernel_size: {kernel} {extra}"
    body = f'convolution_param {{ {figures} weight_filler {{ type: "xavier" }} }}'
    return net.relu(f"{name}_relu", net.layer(name, "Convolution", [bottom], body=body))


def ssd300(batch: int, *, divide: int = 1) -> str:
    """SSD300 for 20 classes of objects; 5 objects a picture. ``divide``: see `Prototxt`."""
    net = Prototxt("SSD300", divide=divide)
    top, shapes = given(net, "data", batch, 3, 300, 300), {}
    given(net, "label", 1, 1, OBJECTS * batch, 8)
    for number, channels, many in VGG:
        for i in range(1, many + 1):
            top = shapes[f"conv{number}_{i}"] = _convolved(net, f"conv{number}_{i}", top, channels, 3, "pad: 1")
        last = number == len(VGG)
        top = net.pool(f"pool{number}", top, "MAX", kernel=3 if last else 2, stride=1 if last else 2, pad=int(last))
    top = _convolved(net, "fc6", top, 1024, 3, "pad: 6 dilation: 6")
    top = _convolved(net, "fc7", top, 1024, 1)
    for number, few, many, extra in EXTRA:
        top = _convolved(net, f"conv{number}_1", top, few, 1)
        top = _convolved(net, f"conv{number}_2", top, many, 3, extra)
    parts: dict[str, list[str]] = {"loc": [], "conf": [], "priorbox": []}
    for blob, sizes, boxes in HEADS:
        bottom = blob
        if blob == "conv4_3":
            scaled = 'norm_param { across_spatial: false scale_filler { type: "constant" value: 20 } }'
            bottom = net.layer("norm", "Normalize", [blob], body=scaled)
        for part, each in (("loc", 4), ("conf", CLASSES)):
            made = net.conv(f"{blob}_{part}", bottom, boxes * each * divide, kernel=3, pad=1)
            made = net.layer(f"{made}_perm", "Permute", [made], body="permute_param { order: 0 order: 2 order: 3 order: 1 }")
            parts[part].append(net.layer(f"{made}_flat", "Flatten", [made]))
        body = f"prior_box_param {{ {sizes} flip: true variance: 0.1 variance: 0.1 variance: 0.2 variance: 0.2 }}"
        parts["priorbox"].append(net.layer(f"{blob}_priorbox", "PriorBox", [bottom, "data"], body=body))
    for part, blobs in parts.items():
        net.layer(part, "Concat", blobs, body="concat_param { axis: 2 }" if part == "priorbox" else "")
    net.layer("loss", "MultiBoxLoss", [*parts, "label"], body=MULTIBOX)
    return net.text()


def faster_rcnn(regions: int, *, divide: int = 1, weighted: bool = False) -> str:
    """Faster R-CNN on ZF: proposals are made, and the regions that learn, and all targets, are given.

    ``weighted``: the inside and outside weights of the boxes' losses, too.
    """
    net = Prototxt("ZF", divide=divide)
    top = given(net, "data", 1, 3, 600, 1000)
    shapes: dict[str, tuple[int, ...]] = {
        "im_info": (1, 4),
        "rpn_labels": (1, ANCHORS * ROWS, COLUMNS),
        "rpn_targets": (1, 4 * ANCHORS, ROWS, COLUMNS),
        "rois": (regions, 5),
        "labels": (regions,),
        "targets": (regions, 4 * CLASSES),
    }
    weights = ("inside", "outside") if weighted else ()
    shapes |= {f"rpn_{name}": shapes["rpn_targets"] for name in weights} | dict.fromkeys(weights, shapes["targets"])
    for name, shape in shapes.items():
        given(net, name, *shape)
    for number, outputs, kernel, extra in ((1, 96, 7, "pad: 3 stride: 2"), (2, 256, 5, "pad: 2 stride: 2")):
        top = net.lrn(f"norm{number}", _convolved(net, f"conv{number}", top, outputs, kernel, extra))
        top = net.pool(f"pool{number}", top, "MAX", kernel=3, stride=2, pad=1)
    for number, outputs in ((3, 384), (4, 384), (5, 256)):
        top = _convolved(net, f"conv{number}", top, outputs, 3, "pad: 1")
    rpn = _convolved(net, "rpn_conv", top, 256, 3, "pad: 1")
    score, moved = (net.conv(name, rpn, many * ANCHORS * divide, kernel=1) for name, many in (("rpn_score", 2), ("rpn_moved", 4)))
    flat = net.layer("rpn_score_flat", "Reshape", [score], body="reshape_param { shape { dim: 0 dim: 2 dim: -1 dim: 0 } }")
    net.layer("rpn_loss", "SoftmaxWithLoss", [flat, "rpn_labels"], body="loss_param { ignore_label: -1 }")
    bottoms = [moved, "rpn_targets", *(f"rpn_{name}" for name in weights)]
    net.layer("rpn_moved_loss", "SmoothL1Loss", bottoms, body="loss_weight: 1" + " smooth_l1_loss_param { sigma: 3 }" * weighted)
    probability = net.layer("rpn_probability", "Softmax", [flat])
    shape = f"reshape_param {{ shape {{ dim: 0 dim: {2 * ANCHORS} dim: -1 dim: 0 }} }}"
    probability = net.layer("rpn_probability_map", "Reshape", [probability], body=shape)
    net.layer("proposals", "Proposal", [probability, moved, "im_info"], body=PROPOSAL)
    top = net.layer("pooled", "ROIPooling", [top, "rois"], body="roi_pooling_param { pooled_w: 6 pooled_h: 6 spatial_scale: 0.0625 }")
    for number in (6, 7):
        top = net.relu(f"relu{number}", net.ip(f"fc{number}", top, 4096))
    net.layer("cls_loss", "SoftmaxWithLoss", [net.ip("cls_score", top, -CLASSES), "labels"])
    net.layer("box_loss", "SmoothL1Loss", [net.ip("box_moved", top, -4 * CLASSES), "targets", *weights], body="loss_weight: 1")
    return net.text()
