"""Nets of boxes and of sequences, with batches for them, in files: what `calls` counts beside the nets of `tools.bench.nets`."""

# T time steps, N batch

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import h5py
import numpy as np
import numpy.typing as npt

from tools.bench.boxes_nets import ANCHORS, CLASSES, COLUMNS, MULTIBOX, ROWS, faster_rcnn, given, ssd300
from tools.bench.nets import caffenet, mobilenet
from tools.bench.prototxt import Prototxt, blocks

Batch = Mapping[str, npt.NDArray[np.float32]]
XAVIER = 'weight_filler { type: "xavier" }'
REGIONS, STEPS, LETTERS = 32, 4, 37
SIZES = (60, 105, 150, 195, 240, 285, 300)
"""Of MobileNet-SSD's boxes."""


def mobilenet_ssd(batch: int) -> str:
    """MobileNet-SSD for 20 classes of objects, 5 in a picture."""
    net = Prototxt("MobileNet-SSD")
    given(net, "data", batch, 3, 300, 300)
    given(net, "label", 1, 1, 5 * batch, 8)
    mobilenet(net)
    net.parts[:] = net.parts[: next(i for i, part in enumerate(net.parts) if 'name: "pool"' in part)]  # without its classifier
    top, heads = "conv14/sep", ["conv12/sep", "conv14/sep"]
    for number, (few, many) in enumerate(((256, 512), (128, 256), (128, 256), (64, 128)), 15):
        for half, outputs, kernel in ((1, few, 1), (2, many, 3)):
            name = f"conv{number}_{half}"
            top = net.conv(name, top, outputs, kernel=kernel, stride=half, pad=kernel // 2, bias=None)
            net.relu(f"relu_{name}", net.norm(f"{name}/bn", f"{name}/scale", top))
        heads.append(top)
    parts: dict[str, list[str]] = {"loc": [], "conf": [], "priorbox": []}
    for i, head in enumerate(heads):
        for part, each in (("loc", 4), ("conf", CLASSES)):
            made = net.conv(f"{head}_{part}", head, (6 if i else 3) * each, kernel=1)
            made = net.layer(f"{made}_perm", "Permute", [made], body="permute_param { order: 0 order: 2 order: 3 order: 1 }")
            parts[part].append(net.layer(f"{made}_flat", "Flatten", [made]))
        more = f"max_size: {SIZES[i + 1]} aspect_ratio: 3" if i else ""
        body = f"prior_box_param {{ min_size: {SIZES[i]} {more} aspect_ratio: 2 variance: 0.1 variance: 0.1 variance: 0.2 variance: 0.2 }}"
        parts["priorbox"].append(net.layer(f"{head}_priorbox", "PriorBox", [head, "data"], body=body))
    for part, blobs in parts.items():
        net.layer(part, "Concat", blobs, body="concat_param { axis: 2 }" if part == "priorbox" else "")
    net.layer("loss", "MultiBoxLoss", ["loc", "conf", "priorbox", "label"], body=MULTIBOX)
    return net.text()


def crnn(batch: int) -> str:
    """CRNN: the letters of a line of text, read by convolutions and two LSTMs that look both ways, learned by CTC."""
    net = Prototxt("CRNN")
    top, steps = given(net, "data", batch, 1, 32, 100), 24
    given(net, "label", 5, batch)
    for number, outputs, pooled in ((1, 64, (2, 2)), (2, 128, (2, 2)), (3, 256, ()), (4, 256, (2, 1)), (5, 512, ()), (6, 512, (2, 1))):
        top = net.conv(f"conv{number}", top, outputs, kernel=3, pad=1)
        if number > 4:
            net.norm(f"bn{number}", f"scale{number}", top)
        net.relu(f"relu{number}", top)
        if pooled:
            high, wide = pooled
            window = f"kernel_h: {high} kernel_w: {wide} stride_h: {high} stride_w: {wide}"
            top = net.layer(f"pool{number}", "Pooling", [top], body=f"pooling_param {{ pool: MAX {window} }}")
    top = net.relu("relu7", net.conv("conv7", top, 512, kernel=2))
    top = net.layer("turned", "Permute", [top], body="permute_param { order: 3 order: 0 order: 1 order: 2 }")
    cont = net.layer("cont", "ContinuationIndicator", [], body=f"continuation_indicator_param {{ time_step: {steps} batch_size: {batch} }}")
    for number in (1, 2):
        ways = [
            _lstm(net, f"lstm{number}", top, cont, 256),
            net.layer(f"back{number}", "Reverse", [_lstm(net, f"lstm{number}b", net.layer(f"turn{number}", "Reverse", [top]), cont, 256)]),
        ]
        top = net.layer(f"both{number}", "Concat", ways, body="concat_param { axis: 2 }")
    body = f"inner_product_param {{ num_output: {LETTERS} axis: 2 {XAVIER} }}"
    net.layer("loss", "CTCLoss", [net.layer("letters", "InnerProduct", [top], body=body), cont, "label"])
    return net.text()


def lrcn(batch: int) -> str:
    """LRCN: what is done in a video, by an LSTM over CaffeNet's features of its pictures; thin, as it is only counted."""
    net = Prototxt("LRCN", divide=8)
    given(net, "data", STEPS * batch, 3, 227, 227)
    for name in ("cont", "label"):
        given(net, name, STEPS, batch)
    caffenet(net)
    net.parts[:] = net.parts[: next(i for i, part in enumerate(net.parts) if 'name: "fc7"' in part)]
    top = net.layer("frames", "Reshape", ["fc6"], body=f"reshape_param {{ shape {{ dim: {STEPS} dim: {batch} dim: -1 }} }}")
    body = f"inner_product_param {{ num_output: 101 axis: 2 {XAVIER} }}"
    scores = net.layer("scores", "InnerProduct", [_lstm(net, "lstm", top, "cont", 256)], body=body)
    net.layer("loss", "SoftmaxWithLoss", [scores, "label"], body="softmax_param { axis: 2 }")
    return net.text()


def _lstm(net: Prototxt, name: str, bottom: str, cont: str, outputs: int) -> str:
    return net.layer(name, "LSTM", [bottom, cont], body=f"recurrent_param {{ num_output: {outputs} {XAVIER} }}")


NETS: dict[str, Callable[[], str]] = {
    "MobileNet-SSD": lambda: mobilenet_ssd(2),
    "SSD300-VGG": lambda: ssd300(1),
    "Faster R-CNN ZF": lambda: faster_rcnn(REGIONS),
    "CRNN-CTC": lambda: crnn(2),
    "LRCN": lambda: lrcn(1),
}


def in_files(text: str, folder: Path, *, batches: int = 2) -> str:
    """``text`` with an HDF5Data layer in place of each Input, which reads so many batches from files in ``folder``."""
    random, pieces = np.random.default_rng(1), []
    for piece in blocks(text):
        if 'type: "Input"' in piece:
            (name,), shape = re.findall(r'top: "(.*?)"', piece), [int(n) for n in re.findall(r"dim: (\d+)", piece)]
            with h5py.File(folder / f"{name}.h5", "w") as file:
                file[name] = np.concatenate([_values(name, shape, random) for _ in range(batches)])
            (folder / f"{name}.txt").write_text(f"{folder / name}.h5\n")
            source = f'hdf5_data_param {{ source: "{folder / name}.txt" batch_size: {shape[0]} }}'
            piece = f'layer {{ name: "{name}" type: "HDF5Data" top: "{name}" {source} }}\n'
        pieces.append(piece)
    return "".join(pieces)


def _values(name: str, shape: list[int], random: np.random.Generator) -> npt.NDArray[np.float32]:
    """One batch of an input, by what the nets above call it."""
    low = random.random(shape[:-1])
    if name == "data":
        values = random.standard_normal(shape) * 50
    elif name == "label" and shape[-1] == 8:  # objects: item, class, number, box, difficult
        values = np.zeros(shape)
        values[..., 0], values[..., 1] = np.arange(shape[2]) // 5, random.integers(1, CLASSES, shape[:-1])
        values[..., 3] = values[..., 4] = low * 0.5
        values[..., 5] = values[..., 6] = low * 0.5 + 0.2
    elif name == "im_info":
        values = np.array([[600.0, 1000, 1.6, 1.6]])
    elif name == "rois":
        values = np.stack((low * 0, low * 700, low * 300, low * 700 + 100, low * 300 + 200), -1)
    elif name == "rpn_labels":
        values = random.integers(-1, 2, (1, ANCHORS * ROWS, COLUMNS))
    else:
        values = {
            "cont": np.ones(shape),
            "label": random.integers(0, LETTERS - 1, shape),
            "labels": random.integers(0, CLASSES, shape),
        }.get(name, np.zeros(shape))
    return values.astype(np.float32)
