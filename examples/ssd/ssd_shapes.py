"""Writes the nets and solvers of a small SSD, as SSD's ssd_pascal.py does.

    python ssd_shapes.py OUT --voc VOC --max_iter 600

To OUT: train.prototxt, test.prototxt, deploy.prototxt, solver.prototxt, and score.prototxt, the
solver that only tests. OUT has the files of create_data.sh.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import caffe
from caffe.model_libs import ConvBNLayer, CreateAnnotatedDataLayer, CreateMultiBoxHead, L, P
from caffe.proto import caffe_pb2
from google.protobuf import text_format

SIZE = 64
"""Height and width of what the net sees. A picture's aspect ratio is not kept."""
BATCH = 16
"""Pictures of an iteration, of all ranks together."""
TEST_BATCH = 8

# Three grids of boxes, of 8x8, 4x4 and 2x2 places.
SOURCES = ["conv3_2", "conv4_2", "conv5_2"]
STEPS = [8, 16, 32]
MIN_SIZES = [20.0, 34.0, 48.0]
MAX_SIZES = [34.0, 48.0, 64.0]
ASPECT_RATIOS = [[2], [2], [2]]
VARIANCES = [0.1, 0.1, 0.2, 0.2]

RESIZE = {
    "prob": 1,
    "resize_mode": P.Resize.WARP,
    "height": SIZE,
    "width": SIZE,
    "interp_mode": [
        P.Resize.LINEAR,
        P.Resize.AREA,
        P.Resize.NEAREST,
        P.Resize.CUBIC,
        P.Resize.LANCZOS4,
    ],
}
MEAN = {"mean_value": [104, 117, 123], "scale": 1 / 64}
DISTORT = {
    "brightness_prob": 0.5,
    "brightness_delta": 32,
    "contrast_prob": 0.5,
    "contrast_lower": 0.5,
    "contrast_upper": 1.5,
    "hue_prob": 0.5,
    "hue_delta": 18,
    "saturation_prob": 0.5,
    "saturation_lower": 0.5,
    "saturation_upper": 1.5,
    "random_order_prob": 0.0,
}
TRAIN_TRANSFORM = {
    **MEAN,
    "mirror": True,
    "resize_param": RESIZE,
    "distort_param": DISTORT,
    "expand_param": {"prob": 0.3, "max_expand_ratio": 1.5},
    "emit_constraint": {"emit_type": caffe_pb2.EmitConstraint.CENTER},
}
TEST_TRANSFORM = {
    **MEAN,
    "resize_param": {**RESIZE, "interp_mode": [P.Resize.LINEAR]},
}


def batch_samplers() -> list[dict[str, Any]]:
    """SSD's seven: the whole picture, and crops that overlap an object by at least 0.1 to 0.9."""
    crop = {
        "min_scale": 0.6,
        "max_scale": 1.0,
        "min_aspect_ratio": 0.75,
        "max_aspect_ratio": 1.333,
    }
    constraints = [{"min_jaccard_overlap": overlap} for overlap in (0.1, 0.3, 0.5, 0.7, 0.9)]
    constraints.append({"max_jaccard_overlap": 1.0})
    samplers: list[dict[str, Any]] = [{"sampler": {}, "max_trials": 1, "max_sample": 1}]
    for constraint in constraints:
        sampler = {"sampler": crop, "sample_constraint": constraint}
        samplers.append({**sampler, "max_trials": 15, "max_sample": 1})
    return samplers


def add_base(net: caffe.NetSpec) -> None:
    """Convolutions with BatchNorm, to 8x8 and 4x4 places."""
    batch_norm = {"use_bn": True, "use_relu": True, "moving_average_fraction": 0.95}
    last = "data"
    for name, channels, stride in (
        ("conv1", 16, 2),
        ("conv2_1", 32, 2),
        ("conv2_2", 32, 1),
        ("conv3_1", 64, 2),
        ("conv3_2", 64, 1),
        ("conv4_1", 96, 2),
        ("conv4_2", 96, 1),
    ):
        window = {"num_output": channels, "kernel_size": 3, "pad": 1, "stride": stride}
        ConvBNLayer(net, last, name, **window, **batch_norm)
        last = name


def add_extra_layers(net: caffe.NetSpec) -> None:
    """What SSD puts behind a base: here one stage, to 2x2 places."""
    batch_norm = {"use_bn": True, "use_relu": True, "moving_average_fraction": 0.95}
    last = net.keys()[-1]
    ConvBNLayer(net, last, "conv5_1", num_output=48, kernel_size=1, pad=0, stride=1, **batch_norm)
    ConvBNLayer(
        net, "conv5_1", "conv5_2", num_output=96, kernel_size=3, pad=1, stride=2, **batch_norm
    )


def add_head(net: caffe.NetSpec, classes: int) -> list[Any]:
    """The net behind the data; returns offsets, scores and boxes."""
    add_base(net)
    add_extra_layers(net)
    return CreateMultiBoxHead(
        net,
        data_layer="data",
        from_layers=SOURCES,
        min_sizes=MIN_SIZES,
        max_sizes=MAX_SIZES,
        aspect_ratios=ASPECT_RATIOS,
        steps=STEPS,
        num_classes=classes,
        share_location=True,
        flip=True,
        clip=False,
        prior_variance=VARIANCES,
        kernel_size=3,
        pad=1,
        use_batchnorm=False,
    )


def train_net(out: Path, classes: int, batch: int) -> caffe_pb2.NetParameter:
    """The net that learns from ``batch`` pictures at a time."""
    net = caffe.NetSpec()
    net.data, net.label = CreateAnnotatedDataLayer(
        str(out / "trainval_lmdb"),
        batch_size=batch,
        train=True,
        label_map_file=str(out / "labelmap.prototxt"),
        transform_param=TRAIN_TRANSFORM,
        batch_sampler=batch_samplers(),
    )
    net.mbox_loss = L.MultiBoxLoss(
        *add_head(net, classes),
        net.label,
        include={"phase": caffe_pb2.TRAIN},
        propagate_down=[True, True, False, False],
        loss_param={"normalization": P.Loss.VALID},
        multibox_loss_param={
            "loc_loss_type": P.MultiBoxLoss.SMOOTH_L1,
            "conf_loss_type": P.MultiBoxLoss.SOFTMAX,
            "loc_weight": 1.0,
            "num_classes": classes,
            "share_location": True,
            "match_type": P.MultiBoxLoss.PER_PREDICTION,
            "overlap_threshold": 0.5,
            "use_prior_for_matching": True,
            "background_label_id": 0,
            "use_difficult_gt": True,
            "mining_type": P.MultiBoxLoss.MAX_NEGATIVE,
            "neg_pos_ratio": 3.0,
            "neg_overlap": 0.5,
            "code_type": P.PriorBox.CENTER_SIZE,
        },
    )
    return named(net, "SSD_shapes_train")


def add_output(net: caffe.NetSpec, classes: int, save: dict[str, Any] | None = None) -> None:
    """The boxes that the net finds. ``save``: the save_output_param, if they are to be written."""
    offsets, scores, boxes = add_head(net, classes)
    net.mbox_conf_reshape = L.Reshape(scores, shape={"dim": [0, -1, classes]})
    net.mbox_conf_softmax = L.Softmax(net.mbox_conf_reshape, axis=2)
    net.mbox_conf_flatten = L.Flatten(net.mbox_conf_softmax, axis=1)
    more = {"save_output_param": save} if save else {}
    net.detection_out = L.DetectionOutput(
        offsets,
        net.mbox_conf_flatten,
        boxes,
        include={"phase": caffe_pb2.TEST},
        detection_output_param={
            "num_classes": classes,
            "share_location": True,
            "background_label_id": 0,
            "nms_param": {"nms_threshold": 0.45, "top_k": 100},
            "keep_top_k": 50,
            "confidence_threshold": 0.01,
            "code_type": P.PriorBox.CENTER_SIZE,
            **more,
        },
    )


def test_net(out: Path, classes: int, pictures: int) -> caffe_pb2.NetParameter:
    """The net that finds the boxes of the test pictures, and judges them."""
    sizes = str(out / "test_name_size.txt")
    net = caffe.NetSpec()
    net.data, net.label = CreateAnnotatedDataLayer(
        str(out / "test_lmdb"),
        batch_size=TEST_BATCH,
        train=False,
        label_map_file=str(out / "labelmap.prototxt"),
        transform_param=TEST_TRANSFORM,
    )
    add_output(
        net,
        classes,
        {
            "output_directory": str(out / "results"),
            "output_name_prefix": "comp4_det_test_",
            "output_format": "VOC",
            "label_map_file": str(out / "labelmap.prototxt"),
            "name_size_file": sizes,
            "num_test_image": pictures,
        },
    )
    net.detection_eval = L.DetectionEvaluate(
        net.detection_out,
        net.label,
        include={"phase": caffe_pb2.TEST},
        detection_evaluate_param={
            "num_classes": classes,
            "background_label_id": 0,
            "overlap_threshold": 0.5,
            "evaluate_difficult_gt": False,
            "name_size_file": sizes,
        },
    )
    return named(net, "SSD_shapes_test")


def deploy_net(classes: int) -> caffe_pb2.NetParameter:
    """The net for pictures that a program gives it."""
    net = caffe.NetSpec()
    net.data = L.Input(input_param={"shape": {"dim": [1, 3, SIZE, SIZE]}})
    add_output(net, classes)
    return named(net, "SSD_shapes_deploy")


def named(net: caffe.NetSpec, name: str) -> caffe_pb2.NetParameter:
    """The net's prototxt under a name."""
    param = net.to_proto()
    param.name = name
    return param


def solver(out: Path, options: argparse.Namespace, pictures: int) -> caffe_pb2.SolverParameter:
    """The solver that trains, and tests at the end."""
    last = options.max_iter
    return caffe_pb2.SolverParameter(
        train_net=str(out / "train.prototxt"),
        test_net=[str(out / "test.prototxt")],
        test_iter=[-(-pictures // TEST_BATCH)],
        test_interval=last,
        test_initialization=False,
        eval_type="detection",
        ap_version="11point",
        show_per_class_result=True,
        type="Adam",
        base_lr=options.base_lr,
        lr_policy="poly",
        power=1,
        momentum=0.9,
        momentum2=0.999,
        weight_decay=0.0001,
        display=max(1, last // 20),
        average_loss=10,
        max_iter=last,
        snapshot_after_train=True,
        snapshot_prefix=str(out / "ssd_shapes"),
        random_seed=options.seed,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--max_iter", type=int, default=1500)
    parser.add_argument("--base_lr", type=float, default=0.004)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=1)
    options = parser.parse_args()
    out = options.out
    labels = caffe_pb2.LabelMap()
    text_format.Parse((out / "labelmap.prototxt").read_text(), labels)
    classes = len(labels.item)
    pictures = len((out / "test_name_size.txt").read_text().splitlines())
    learns = solver(out, options, pictures)
    scores = caffe_pb2.SolverParameter()
    scores.CopyFrom(learns)
    scores.max_iter = 0
    scores.test_initialization = True
    scores.snapshot_after_train = False
    for name, message in (
        ("train", train_net(out, classes, BATCH // options.ranks)),
        ("test", test_net(out, classes, pictures)),
        ("deploy", deploy_net(classes)),
        ("solver", learns),
        ("score", scores),
    ):
        (out / f"{name}.prototxt").write_text(text_format.MessageToString(message))


if __name__ == "__main__":
    main()
