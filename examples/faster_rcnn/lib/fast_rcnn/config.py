"""The settings of Faster R-CNN and R-FCN, under py-faster-rcnn's names: `cfg`.

The defaults are those of its faster_rcnn_end2end.yml.
RCNN_CFG=FILE changes them; several files are separated by `:`, and later ones win.
The published files of settings are read as they are.

    DATA: /data/VOCdevkit/VOC2007
    TRAIN:
      SCALES: [600]
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fast_rcnn.settings import read_settings

Four = tuple[float, float, float, float]

VOC_CLASSES = (
    "aeroplane",
    "bicycle",
    "bird",
    "boat",
    "bottle",
    "bus",
    "car",
    "cat",
    "chair",
    "cow",
    "diningtable",
    "dog",
    "horse",
    "motorbike",
    "person",
    "pottedplant",
    "sheep",
    "sofa",
    "train",
    "tvmonitor",
)

WITHOUT_EFFECT = {
    "": {"EXP_DIR", "USE_GPU_NMS", "GPU_ID", "MATLAB", "ROOT_DIR", "DATA_DIR", "MODELS_DIR"}
    | {"DEDUP_BOXES", "EPS"},
    "TRAIN": {"SNAPSHOT_ITERS", "SNAPSHOT_INFIX", "USE_PREFETCH", "ASPECT_GROUPING", "BBOX_THRESH"},
    "TEST": set(),
}
"""Settings of py-faster-rcnn for what another part does here, such as the solver's snapshots."""

ONLY = {
    "TRAIN": {
        "HAS_RPN": True,
        "IMS_PER_BATCH": 1,
        "PROPOSAL_METHOD": "gt",
        "BBOX_REG": True,
        "BBOX_NORMALIZE_TARGETS": True,
        "BBOX_NORMALIZE_TARGETS_PRECOMPUTED": True,
    },
    "TEST": {"HAS_RPN": True, "PROPOSAL_METHOD": "gt", "SVM": False, "BBOX_REG": True},
}
"""Settings with one value only: training is end to end, with proposals by the net."""


@dataclass
class Train:
    """cfg.TRAIN."""

    IMAGE_SET: str = "trainval"
    SCALES: tuple[int, ...] = (600,)
    MAX_SIZE: int = 1000
    USE_FLIPPED: bool = True
    # regions for the classifier; a BATCH_SIZE of -1 takes all, of which OHEM chooses
    BATCH_SIZE: int = 128
    FG_FRACTION: float = 0.25
    FG_THRESH: float = 0.5
    BG_THRESH_HI: float = 0.5
    BG_THRESH_LO: float = 0.0
    AGNOSTIC: bool = False
    BBOX_INSIDE_WEIGHTS: Four = (1.0, 1.0, 1.0, 1.0)
    BBOX_NORMALIZE_MEANS: Four = (0.0, 0.0, 0.0, 0.0)
    BBOX_NORMALIZE_STDS: Four = (0.1, 0.1, 0.2, 0.2)
    # anchors
    RPN_POSITIVE_OVERLAP: float = 0.7
    RPN_NEGATIVE_OVERLAP: float = 0.3
    RPN_CLOBBER_POSITIVES: bool = False
    RPN_FG_FRACTION: float = 0.5
    RPN_BATCHSIZE: int = 256
    RPN_BBOX_INSIDE_WEIGHTS: Four = (1.0, 1.0, 1.0, 1.0)
    RPN_POSITIVE_WEIGHT: float = -1.0
    RPN_NORMALIZE_TARGETS: bool = False
    RPN_NORMALIZE_MEANS: Four = (0.0, 0.0, 0.0, 0.0)
    RPN_NORMALIZE_STDS: Four = (0.1, 0.1, 0.2, 0.2)
    # proposals
    RPN_NMS_THRESH: float = 0.7
    RPN_PRE_NMS_TOP_N: int = 12000
    RPN_POST_NMS_TOP_N: int = 2000
    RPN_MIN_SIZE: int = 16


@dataclass
class Test:
    """cfg.TEST."""

    IMAGE_SET: str = "test"
    SCALES: tuple[int, ...] = (600,)
    MAX_SIZE: int = 1000
    NMS: float = 0.3
    AGNOSTIC: bool = False
    RPN_NMS_THRESH: float = 0.7
    RPN_PRE_NMS_TOP_N: int = 6000
    RPN_POST_NMS_TOP_N: int = 300
    RPN_MIN_SIZE: int = 16


@dataclass
class Config:
    """All settings. DATA, CLASSES and IMAGE_SET are ours, in place of py-faster-rcnn's --imdb."""

    DATA: str = ""  # a folder in VOC's layout
    CLASSES: tuple[str, ...] = VOC_CLASSES
    PIXEL_MEANS: tuple[float, float, float] = (102.9801, 115.9465, 122.7717)
    RNG_SEED: int = 3
    TRAIN: Train = field(default_factory=Train)
    TEST: Test = field(default_factory=Test)


cfg = Config()


def cfg_from_file(path: str | Path, config: Config = cfg) -> None:
    """Change the settings that a file names; ValueError names one that there is not."""
    try:
        _merge(config, read_settings(Path(path).read_text(encoding="utf-8")), "")
    except ValueError as e:
        raise ValueError(f"{path}: {e}") from None


def _merge(settings: Any, given: dict[str, Any], part: str) -> None:
    types = {one.name: getattr(settings, one.name) for one in dataclasses.fields(settings)}
    for key, value in given.items():
        name = f"{part}.{key}" if part else key
        if key in WITHOUT_EFFECT[part]:
            continue
        if key in ONLY.get(part, {}):
            if value != ONLY[part][key]:
                raise ValueError(f"{name} is {value!r}; needed: {ONLY[part][key]!r}")
            continue
        if key not in types:
            raise ValueError(f"there is no setting {name}")
        if dataclasses.is_dataclass(types[key]):
            if not isinstance(value, dict):
                raise ValueError(f"{name} is {value!r}; needed: settings")
            _merge(types[key], value, key)
        else:
            setattr(settings, key, _like(types[key], value, name))


def _like(before: Any, value: Any, name: str) -> Any:
    """The value as the type of what it replaces."""
    if isinstance(before, tuple) and isinstance(value, (list, tuple)):
        return tuple(value)
    if isinstance(before, float) and isinstance(value, int):
        return float(value)
    if type(value) is not type(before):
        raise ValueError(f"{name} is {value!r}; needed: one like {before!r}")
    return value


for _path in filter(None, os.environ.get("RCNN_CFG", "").split(os.pathsep)):
    cfg_from_file(_path)
