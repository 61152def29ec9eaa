"""SSD's loss over several ranks is that of one process, however many boxes each rank's pictures have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caffepy.proto import caffe_pb2
from caffepy.report.training_log import parse
from tests.mpi.jobs import train, weights, worst_difference
from tests.mpi.launch import Finished

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(240)]

BATCH = 8
"""Pictures of an iteration, of all ranks together; a rank reads every second one."""
BOXES = [0, 5, 0, 3, 0, 4, 0, 6, 1, 5, 0, 4, 1, 3, 2, 6]
"""Of each picture: at first one rank of two has none at all, then few."""
RATE = 0.5
ITERATIONS = 4
ROUNDING = 1e-4
"""Sums of some hundred numbers in other orders, and four updates, differ by some 1e-6."""

NET = """
name: "small ssd"
layer { name: "data" type: "AnnotatedData" top: "data" top: "label" data_param { source: "SOURCE" backend: LMDB batch_size: PICTURES }
  annotated_data_param { batch_sampler { max_sample: 1 max_trials: 1 } } transform_param { mean_value: 128 scale: 0.02 } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 8 kernel_size: 5 pad: 2 stride: 4 weight_filler { type: "xavier" } } }
layer { name: "tanh" type: "TanH" bottom: "conv" top: "conv" }
layer { name: "loc" type: "Convolution" bottom: "conv" top: "loc"
  convolution_param { num_output: 16 kernel_size: 3 pad: 1 weight_filler { type: "xavier" } } }
layer { name: "loc_perm" type: "Permute" bottom: "loc" top: "loc_perm" permute_param { order: 0 order: 2 order: 3 order: 1 } }
layer { name: "loc_flat" type: "Flatten" bottom: "loc_perm" top: "loc_flat" }
layer { name: "conf" type: "Convolution" bottom: "conv" top: "conf"
  convolution_param { num_output: 12 kernel_size: 3 pad: 1 weight_filler { type: "xavier" } } }
layer { name: "conf_perm" type: "Permute" bottom: "conf" top: "conf_perm" permute_param { order: 0 order: 2 order: 3 order: 1 } }
layer { name: "conf_flat" type: "Flatten" bottom: "conf_perm" top: "conf_flat" }
layer { name: "priors" type: "PriorBox" bottom: "conv" bottom: "data" top: "priors"
  prior_box_param { min_size: 10 max_size: 18 aspect_ratio: 2 variance: 0.1 variance: 0.1 variance: 0.2 variance: 0.2 } }
layer { name: "mbox_loss" type: "MultiBoxLoss" bottom: "loc_flat" bottom: "conf_flat" bottom: "priors" bottom: "label" top: "mbox_loss"
  propagate_down: true propagate_down: true propagate_down: false propagate_down: false loss_param { normalization: VALID }
  multibox_loss_param { num_classes: 3 overlap_threshold: 0.4 mining_type: MAX_NEGATIVE neg_pos_ratio: 3 code_type: CENTER_SIZE } }
"""


def _write(folder: Path, name: str, boxes: list[int]) -> None:
    """A database of pictures of 32x32 pixels, with so many boxes each.

    Each picture hangs on its place and its boxes alone.
    """
    import lmdb

    with lmdb.open(str(folder / name), map_size=1 << 22) as env, env.begin(write=True) as txn:
        for i, count in enumerate(boxes):
            generator = np.random.default_rng(100 * i + count)
            pixels = generator.integers(0, 256, (3, 32, 32)).astype(np.uint8)
            record = caffe_pb2.AnnotatedDatum(type=caffe_pb2.AnnotatedDatum.BBOX)
            record.datum.MergeFrom(caffe_pb2.Datum(channels=3, height=32, width=32, data=pixels.tobytes(), label=-1))
            for number in range(count):
                left, top = generator.uniform(0, 0.6, 2)
                width, height = generator.uniform(0.25, 0.4, 2)
                box = caffe_pb2.NormalizedBBox(xmin=left, ymin=top, xmax=left + width, ymax=top + height)
                group = record.annotation_group.add(group_label=1 + number % 2)
                group.annotation.add(instance_id=number, bbox=box)
            txn.put(b"%08d" % i, record.SerializeToString())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("lmdb")
    folder = tmp_path_factory.mktemp("detection")
    _write(folder, "db", BOXES)
    _write(folder, "few", BOXES[0::2])
    _write(folder, "many", BOXES[1::2])
    return folder


def _run(folder: Path, name: str, *, size: int, ranks: int = 0, source: str = "db", iterations: int = ITERATIONS) -> Finished:
    (folder / f"{name}_net.prototxt").write_text(NET.replace("SOURCE", source).replace("PICTURES", str(size)))
    (folder / f"{name}.prototxt").write_text(
        f'net: "{name}_net.prototxt" base_lr: {RATE} lr_policy: "fixed" display: 1 max_iter: {iterations} snapshot: {min(1, iterations)}'
        f' snapshot_prefix: "{name}" random_seed: 3 type: "SGD"'
    )
    done = train(folder, "-solver", f"{name}.prototxt", ranks=ranks)
    assert done.code == 0, done.out + done.err
    return done


@pytest.fixture(scope="module")
def alone(folder: Path) -> Finished:
    return _run(folder, "alone", size=BATCH)


@pytest.fixture(scope="module")
def two(folder: Path) -> Finished:
    return _run(folder, "two", size=BATCH // 2, ranks=2)


def _losses(done: Finished) -> dict[int, float]:
    return parse(done.err.splitlines()).loss


def test_the_loss_of_two_ranks_with_unequal_boxes_is_one_process_s(alone: Finished, two: Finished) -> None:
    expected = _losses(alone)
    assert len(expected) >= ITERATIONS
    assert _losses(two) == pytest.approx(expected, rel=ROUNDING)


def test_the_gradients_of_two_ranks_are_one_process_s(folder: Path, alone: Finished, two: Finished) -> None:
    assert _run(folder, "start", size=BATCH, iterations=0).code == 0
    start = weights(folder / "start_iter_0.caffemodel")
    expected, found = (weights(folder / f"{name}_iter_1.caffemodel") for name in ("alone", "two"))
    for name, before in start.items():
        gradient = (before - expected[name]) / RATE
        largest = np.abs(gradient).max()
        assert largest > 1e-3, f"{name} has learnt nothing"
        assert np.abs((before - found[name]) / RATE - gradient).max() < ROUNDING * max(largest, np.abs(before).max()), name
    last = worst_difference(*(folder / f"{name}_iter_{ITERATIONS}.caffemodel" for name in ("alone", "two")))
    assert last < ROUNDING


def test_the_mean_of_each_half_s_own_loss_would_be_another(folder: Path, alone: Finished) -> None:
    """So that the comparisons above mean something: the ranks' boxes are unequal enough to be seen."""
    halves = [_losses(_run(folder, source, size=BATCH // 2, source=source, iterations=1))[0] for source in ("few", "many")]
    whole = _losses(alone)[0]
    assert abs(sum(halves) / 2 - whole) > 0.05 * whole
