"""Nets whose inputs are more than pictures with a label each: SSD300-VGG, Faster R-CNN ZF and CRNN.

`batches`, `candidate` and `loops` take these by name as they take those of `nets`.
"""

# N batch, G objects of a picture, R regions

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from tools.bench.box_models import SSD300, FasterRCNN
from tools.bench.boxes_nets import ANCHORS, CLASSES, COLUMNS, OBJECTS, ROWS, faster_rcnn, ssd300
from tools.bench.nets import NETS, Figures
from tools.bench.sequence_models import CRNN
from tools.bench.sequence_nets import LETTERS, LONGEST, crnn

REGIONS = 128


class Text(Protocol):
    """Writes a net, from its batch and by what its outputs are divided."""

    def __call__(self, batch: int, /, *, divide: int) -> str: ...


@dataclass(frozen=True)
class Job:
    """One net: its text with Input layers, what these get, the module by hand, and its solver's figures.

    ``compilable``: those parts of the module that torch.compile can take. ``twice``: what its biases with lr_mult 2 and decay_mult 0
    are called.
    """

    text: Text
    inputs: Callable[[int, torch.Generator], dict[str, Tensor]]
    module: Callable[[int], nn.Module]
    compilable: tuple[str, ...]
    twice: tuple[str, ...]
    base_lr: float
    weight_decay: float = 0.0005
    momentum: float = 0.9

    def inputs_of(self, batch: int, number: int) -> list[dict[str, Tensor]]:
        """``number`` batches, the same in each call."""
        generator = torch.Generator().manual_seed(1)
        return [self.inputs(batch, generator) for _ in range(number)]


def boxes_in(picture: tuple[float, float], many: int, generator: torch.Generator) -> Tensor:
    """Boxes (many, 4) of a tenth to half of either side of a picture (width, height)."""
    start, sides = torch.rand(2, many, 2, generator=generator) * torch.tensor([[[0.5]], [[0.4]]])
    return torch.cat((start, start + 0.1 + sides), 1) * torch.tensor(picture * 2)


def objects(batch: int, generator: torch.Generator) -> dict[str, Tensor]:
    """Pictures (N, 3, 300, 300), and their objects as AnnotatedData has them, (1, 1, N * G, 8)."""
    rows = torch.zeros(batch * OBJECTS, 8)
    rows[:, 0] = torch.arange(batch).repeat_interleave(OBJECTS)
    rows[:, 1] = torch.randint(1, CLASSES, (len(rows),), generator=generator)
    rows[:, 3:7] = boxes_in((1, 1), len(rows), generator)
    return {"data": torch.randn(batch, 3, 300, 300, generator=generator) * 50, "label": rows.view(1, 1, -1, 8)}


def regions(batch: int, generator: torch.Generator) -> dict[str, Tensor]:
    """A picture, what 256 of its anchors are to say, and R regions of which a quarter have an object."""
    assert batch == 1, "Faster R-CNN has one picture in a batch"
    sampled = torch.randperm(ANCHORS * ROWS * COLUMNS, generator=generator)[:256]
    labels = torch.full((ANCHORS * ROWS * COLUMNS,), -1.0)
    labels[sampled] = (torch.arange(256) < 128).float()
    labels = labels.view(ANCHORS, ROWS, COLUMNS)
    found = torch.arange(REGIONS) < REGIONS // 4
    classes = torch.randint(1, CLASSES, (REGIONS,), generator=generator) * found
    learns = (torch.arange(CLASSES) == classes.unsqueeze(1)).unsqueeze(2) & found.view(-1, 1, 1)
    inside = learns.float().expand(-1, -1, 4).reshape(REGIONS, 4 * CLASSES)
    rpn_inside = (labels == 1).float().unsqueeze(1).expand(-1, 4, -1, -1).reshape(1, 4 * ANCHORS, ROWS, COLUMNS)
    return {
        "data": torch.randn(1, 3, 600, 1000, generator=generator) * 50,
        "im_info": torch.tensor([[600.0, 1000, 1.6, 1.6]]),
        "rpn_labels": labels.view(1, ANCHORS * ROWS, COLUMNS),
        "rpn_targets": torch.randn(rpn_inside.shape, generator=generator) / 10 * rpn_inside,
        "rois": torch.cat((torch.zeros(REGIONS, 1), boxes_in((999, 599), REGIONS, generator)), 1),
        "labels": classes.float(),
        "targets": torch.randn(inside.shape, generator=generator) * inside,
        "rpn_inside": rpn_inside,
        "rpn_outside": rpn_inside / 256,
        "inside": inside,
        "outside": inside,
    }


def words(batch: int, generator: torch.Generator) -> dict[str, Tensor]:
    """Pictures (N, 1, 32, 100) of 4 to 8 letters, blanks behind the last."""
    letters = torch.randint(1, LETTERS, (batch, LONGEST), generator=generator)
    long = torch.randint(LONGEST // 2, LONGEST + 1, (batch, 1), generator=generator)
    return {
        "data": torch.randn(batch, 1, 32, 100, generator=generator),
        "label": (letters * (torch.arange(LONGEST) < long)).float(),
    }


def _faster_text(batch: int, /, *, divide: int) -> str:
    return faster_rcnn(REGIONS, divide=divide, weighted=True)


FASTER_BIASES = ("rpn_score.", "rpn_moved.", "fc", "cls_score.", "box_moved.")
JOBS = {
    "ssd300": Job(ssd300, objects, SSD300, ("predictions",), ("heads.",), 0.0005),
    "faster": Job(_faster_text, regions, FasterRCNN, ("features", "classified"), FASTER_BIASES, 0.00001),
    "crnn": Job(crnn, words, CRNN, ("columns",), ("convs.",), 0.0005),
}


def figures(name: str) -> Figures:
    """The solver's figures of a net of `nets` or of these."""
    return NETS[name] if name in NETS else JOBS[name]
