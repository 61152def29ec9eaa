#!/usr/bin/env python3
"""Iterations of nets of boxes, and the layers of boxes and sequences alone, of this tree beside those of an older one.

    tools/bench/boxes.py --before FOLDER [CASE...]

FOLDER has another version of the project (``git worktree add FOLDER VERSION``). Both take turns; forward and backward, medians.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import IO, cast

import torch
from torch import Tensor

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[2]))  # behind the older version, see `measure`

from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.base import TRAIN, Run
from caffepy.layers.core.random import CaffeRandom
from caffepy.layers.core.registry import layer_class
from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from tools.bench.boxes_nets import ANCHORS, CLASSES, COLUMNS, MULTIBOX, PROPOSAL, ROWS, faster_rcnn, ssd300

ROOT = Path(__file__).resolve().parents[2]
Pass = Callable[[], object]
GENERATOR = torch.Generator().manual_seed(1)
CTC = "ctc_loss_param { blank_index: 0 }"
REGION = """region_loss_param { num: 5 num_class: 20 coords: 4 bias_match: 1 rescore: 1 object_scale: 5 noobject_scale: 1 class_scale: 1
    coord_scale: 1 thresh: 0.6 biases: 1.32 biases: 1.73 biases: 3.19 biases: 4 biases: 5.05 biases: 8.09 biases: 9.47 biases: 4.84
    biases: 11.2 biases: 10 }"""


def _random(*shape: int) -> Tensor:
    return torch.rand(shape, generator=GENERATOR)


def _normal(*shape: int) -> Tensor:
    return torch.randn(shape, generator=GENERATOR)


def objects(batch: int, many: int = 5) -> Tensor:
    """Rows of AnnotatedData."""
    rows = torch.zeros(batch * many, 8)
    rows[:, 0] = torch.arange(batch).repeat_interleave(many)
    rows[:, 1] = torch.randint(1, CLASSES, (len(rows),), generator=GENERATOR)
    rows[:, 3:5] = _random(len(rows), 2) * 0.5
    rows[:, 5:7] = rows[:, 3:5] + 0.1 + _random(len(rows), 2) * 0.4
    return rows.view(1, 1, -1, 8)


def priors(many: int = 8732) -> Tensor:
    """As PriorBox makes them."""
    center, half = _random(many, 2), 0.02 + _random(many, 2) * 0.2
    boxes = torch.cat((center - half, center + half), 1)
    return torch.stack((boxes.flatten(), torch.tensor([0.1, 0.1, 0.2, 0.2]).repeat(many))).unsqueeze(0)


def regions(many: int) -> Tensor:
    """In a picture of 600 x 1000."""
    start, sides = _random(many, 2) * torch.tensor([700.0, 400]), 32 + _random(many, 2) * torch.tensor([268.0, 168])
    return torch.cat((torch.zeros(many, 1), start, start + sides), 1)


def alone(kind: str, fields: str, *bottoms: Tensor, learns: int = 1) -> Pass:
    """A layer's forward and, by its first ``learns`` bottoms, backward."""
    param = caffe_pb2.LayerParameter(type=kind)
    parse(f'name: "l" top: "y" {fields}', param, file=kind)
    layer, run = layer_class(kind)(param, TRAIN), Run(TRAIN, CaffeRandom(0))
    shapes = [tuple(b.shape) for b in bottoms]
    layer.setup(shapes)
    layer.reshape(shapes)
    leaves = [b.requires_grad_() for b in bottoms[:learns]]

    def once() -> object:
        made = layer.forward(bottoms, [], run)[0]
        return torch.autograd.grad(made, leaves, torch.ones_like(made)) if leaves else made

    return once


def net(text: str, **feeds: Tensor) -> Pass:
    """Forward and backward of a net."""
    message = caffe_pb2.NetParameter()
    parse(text, message, file="net")
    message.state.phase = TRAIN
    graph, random = compile(message), CaffeRandom(1)
    arena = Arena(graph, channels_last=True)
    initialise(graph, arena, random)
    engine = WholeEngine(graph, arena, random, channels_last=True)

    def once() -> object:
        engine.clear_gradients()
        return engine.forward_backward(feeds)

    return once


def _ssd() -> Pass:
    return net(ssd300(2), data=_normal(2, 3, 300, 300) * 50, label=objects(2))


def _faster() -> Pass:
    many = 128
    labels = torch.randint(-1, 2, (1, ANCHORS * ROWS, COLUMNS), generator=GENERATOR).float()
    return net(
        faster_rcnn(many),
        data=_normal(1, 3, 600, 1000) * 50,
        im_info=torch.tensor([[600.0, 1000, 1.6, 1.6]]),
        rpn_labels=labels,
        rpn_targets=torch.zeros(1, 4 * ANCHORS, ROWS, COLUMNS),
        rois=regions(many),
        labels=torch.randint(0, CLASSES, (many,), generator=GENERATOR).float(),
        targets=torch.zeros(many, 4 * CLASSES),
    )


def _multibox() -> Pass:
    return alone("MultiBoxLoss", MULTIBOX, _normal(8, 4 * 8732), _normal(8, CLASSES * 8732), priors(), objects(8), learns=2)


def _detections() -> Pass:
    fields = f"""detection_output_param {{ num_classes: {CLASSES} nms_param {{ nms_threshold: 0.45 top_k: 400 }} code_type: CENTER_SIZE
        keep_top_k: 200 confidence_threshold: 0.01 }}"""
    scores = torch.softmax(_normal(8, 8732, CLASSES) * 3 + 6 * (torch.arange(CLASSES) == 0), 2).flatten(1)
    return alone("DetectionOutput", fields, _normal(8, 4 * 8732), scores, priors(), learns=0)


def _proposals() -> Pass:
    scores, moved = _random(1, 2 * ANCHORS, 38, 63), _normal(1, 4 * ANCHORS, 38, 63) / 10
    return alone("Proposal", PROPOSAL, scores, moved, torch.tensor([[600.0, 1000, 1.6, 1.6]]), learns=0)


def _ctc() -> Pass:
    indicator, labels = torch.ones(32, 16), torch.randint(1, 37, (8, 16), generator=GENERATOR).float()
    indicator[0] = 0
    return alone("CTCLoss", CTC, _normal(32, 16, 37), indicator, labels)


def _region() -> Pass:
    rows = torch.zeros(8, 30, 5)
    rows[:, :6, 0] = torch.randint(0, 20, (8, 6), generator=GENERATOR).float()
    rows[:, :6, 1:] = 0.05 + 0.5 * _random(8, 6, 4)
    return alone("RegionLoss", REGION, _normal(8, 125, 13, 13), rows)


CASES: dict[str, tuple[str, Callable[[], Pass]]] = {
    "ssd300": ("SSD300-VGG, batch 2", _ssd),
    "faster": ("Faster R-CNN ZF, 600 x 1000, 128 regions", _faster),
    "multibox": ("MultiBoxLoss, 8 pictures of 8732 priors, 21 classes", _multibox),
    "roi": (
        "ROIPooling, 128 regions of 256 x 38 x 63",
        lambda: alone(
            "ROIPooling", "roi_pooling_param { pooled_w: 6 pooled_h: 6 spatial_scale: 0.0625 }", _normal(1, 256, 38, 63), regions(128)
        ),
    ),
    "detections": ("DetectionOutput, 8 pictures of 8732 priors, 21 classes", _detections),
    "proposals": ("Proposal, 38 x 63 x 9 anchors, 6000 to 300", _proposals),
    "ctc": ("CTCLoss, T 32, N 16, C 37", _ctc),
    "region": ("RegionLoss, 8 pictures of 13 x 13 x 5", _region),
}


def work(case: str, clock: Callable[[], float]) -> None:
    """A turn for each line of the standard input: the milliseconds of so many passes."""
    once = CASES[case][1]()
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            started = clock()
            once()
            times.append((clock() - started) * 1e3)
        print(json.dumps(median(times)), flush=True)


def measure(case: str, options: argparse.Namespace, folder: Path) -> list[float]:
    """Median milliseconds of the older tree, if there is one, and of this one. ``folder``: for links to them."""
    children = []
    for number, root in enumerate([options.before] * bool(options.before) + [ROOT]):
        place = folder / f"{case}{number}"
        place.mkdir()
        (place / "caffepy").symlink_to(root.resolve() / "caffepy")
        (place / "tools").symlink_to(ROOT / "tools")
        environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads))
        command = [sys.executable, "-m", "tools.bench.boxes", case, "--work", "--clock", options.clock, "--threads", str(options.threads)]
        children.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=place))

    def ask(child: subprocess.Popen[str], passes: int) -> float:
        cast(IO[str], child.stdin).write(f"{passes}\n")
        cast(IO[str], child.stdin).flush()
        return float(json.loads(cast(IO[str], child.stdout).readline()))

    passes = [max(1, round(options.turn_s * 1e3 / max(ask(child, 2), 1e-3))) for child in children]
    turns = [[ask(child, n) for child, n in zip(children, passes)] for _ in range(options.turns)]
    for child in children:
        cast(IO[str], child.stdin).close()
        child.wait()
    return [median(each) for each in zip(*turns)]


def main() -> None:
    """Print the table, or be one of the processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; all if none is named")
    parser.add_argument("--before", type=Path, help="the folder of an older version")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--turn-s", type=float, default=0.3, help="seconds of one turn, at least one pass")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="cpu", help="cpu: processor time, for a machine in use")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := [case for case in options.cases if case not in CASES]:
        parser.error(f"unknown case {unknown[0]}; known: {', '.join(CASES)}")
    torch.set_num_threads(options.threads)
    if options.work:
        work(options.cases[0], time.process_time if options.clock == "cpu" else time.perf_counter)
        return
    print(f"torch {torch.__version__}, {options.threads} thread(s), {options.clock} clock\n")
    print("| | before ms | after ms |\n|---|---|---|" if options.before else "| | ms |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for case in options.cases or CASES:
            print(f"| {CASES[case][0]} | " + " | ".join(f"{ms:.1f}" for ms in measure(case, options, Path(folder))) + " |", flush=True)


if __name__ == "__main__":
    main()
