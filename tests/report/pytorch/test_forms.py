"""Each layer type that has a form in torch, beside our own forward pass, and with gradients where it learns or loses."""

from __future__ import annotations

import pytest

from caffepy.errors import LayerError
from caffepy.report.pytorch.registry import FORMS
from tests.report.nets import inputs
from tests.report.pytorch.files import assert_same, exported

IMAGE = (2, 6, 7, 5)
NVIDIA = 'scale_filler { type: "gaussian" } bias_filler { type: "gaussian" }'
RANDOM = 'weight_filler { type: "gaussian" std: 0.5 } bias_filler { type: "gaussian" std: 0.5 }'
SEGNET = "scale_filler { type: 'gaussian' } shift_filler { type: 'gaussian' }"
EXPOSED = f"expose_hidden: true {RANDOM}"
DETECTED = """detection_output_param { num_classes: 3 share_location: true background_label_id: 0 code_type: CENTER_SIZE keep_top_k: 5
  confidence_threshold: 0.01 nms_param { nms_threshold: 0.45 top_k: 4 } }"""
DETECTED_APART = """detection_output_param { num_classes: 3 share_location: false background_label_id: -1 variance_encoded_in_target: true
  nms_param { nms_threshold: 0.7 eta: 0.8 } }"""
ONE = [  # type, fields; one bottom of IMAGE, one top
    ("AbsVal", ""),
    ("ArgMax", ""),
    ("ArgMax", "argmax_param { out_max_val: true top_k: 3 }"),
    ("ArgMax", "argmax_param { axis: 1 }"),
    ("ArgMax", "argmax_param { axis: 2 out_max_val: true top_k: 2 }"),
    ("BN", f"bn_param {{ {SEGNET} }}"),
    ("BN", f"bn_param {{ bn_mode: INFERENCE {SEGNET} }}"),
    ("BNLL", ""),
    ("BatchNorm", ""),
    ("BatchNorm", "batch_norm_param { use_global_stats: true eps: 0.1 }"),
    *(("BatchNorm", f"batch_norm_param {{ use_global_stats: {own} {NVIDIA} }}") for own in ("true", "false")),
    ("Bias", 'bias_param { filler { type: "gaussian" } }'),
    ("Bias", 'bias_param { axis: 2 num_axes: 2 filler { type: "gaussian" } }'),
    ("ChannelNorm", ""),
    ("Clip", "clip_param { min: -0.5 max: 0.25 }"),
    ("Clip", "clip_param { min: 1 max: -1 }"),
    ("Convolution", f"convolution_param {{ num_output: 4 kernel_size: 3 stride: 2 pad: 1 group: 2 {RANDOM} }}"),
    ("Convolution", f"convolution_param {{ num_output: 4 kernel_h: 3 kernel_w: 2 dilation: 2 bias_term: false {RANDOM} }}"),
    ("Convolution", f"convolution_param {{ num_output: 4 kernel_size: 6 stride: 3 {RANDOM} }}"),
    ("ConvolutionDepthwise", f"convolution_param {{ num_output: 6 kernel_size: 3 pad: 1 {RANDOM} }}"),
    ("Deconvolution", f"convolution_param {{ num_output: 4 kernel_size: 4 stride: 2 pad: 1 group: 2 {RANDOM} }}"),
    ("DepthwiseConvolution", f"convolution_param {{ num_output: 6 kernel_size: 3 group: 6 {RANDOM} }}"),
    ("Dropout", ""),
    ("Dropout", "dropout_param { dropout_ratio: 0.3 scale_train: false }"),
    ("ELU", "elu_param { alpha: 0.5 }"),
    ("ELU", "elu_param { alpha: 1.67 lambda: 1.05 }"),
    ("Exp", "exp_param { base: 2 scale: 0.5 shift: 1 }"),
    ("Flatten", ""),
    ("Flatten", "flatten_param { axis: 2 }"),
    ("Flatten", "flatten_param { axis: 1 end_axis: 2 }"),
    ("InnerProduct", f"inner_product_param {{ num_output: 3 {RANDOM} }}"),
    ("InnerProduct", f"inner_product_param {{ num_output: 3 transpose: true axis: 2 bias_term: false {RANDOM} }}"),
    ("InnerProduct", f"inner_product_param {{ num_output: 3 normalize: true {RANDOM} }}"),
    ("Log", "log_param { base: 2 scale: 0.5 shift: 9 }"),
    ("Interp", "interp_param { height: 9 width: 4 }"),
    ("Interp", "interp_param { zoom_factor: 2 pad_beg: -1 pad_end: -1 }"),
    ("Interp", "interp_param { zoom_factor: 2 pad_end: -1 }"),
    ("LRN", "lrn_param { alpha: 0.5 beta: 0.6 local_size: 3 k: 2 }"),
    ("LRN", "lrn_param { alpha: 0.5 local_size: 3 norm_region: WITHIN_CHANNEL }"),
    ("MVN", ""),
    ("MVN", "mvn_param { normalize_variance: false across_channels: true }"),
    ("Normalize", "norm_param { across_spatial: false channel_shared: false }"),
    ("Normalize", ""),
    ("PReLU", ""),
    ("PReLU", "prelu_param { channel_shared: true }"),
    ("Permute", "permute_param { order: 0 order: 2 order: 3 order: 1 }"),
    ("Pooling", "pooling_param { kernel_size: 3 stride: 2 }"),
    ("Pooling", "pooling_param { kernel_size: 3 stride: 2 pad: 1 }"),
    ("Pooling", "pooling_param { kernel_size: 3 stride: 2 pad: 2 }"),
    ("Pooling", "pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 }"),
    ("Pooling", "pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 avg_include_pad: false }"),
    ("Pooling", "pooling_param { pool: MAX kernel_size: 3 stride: 2 pad: 1 avg_include_pad: false }"),
    ("Pooling", "pooling_param { pool: AVE kernel_size: 3 stride: 3 pad: 2 }"),
    ("Pooling", "pooling_param { pool: AVE kernel_size: 2 stride: 2 round_mode: FLOOR }"),
    ("Pooling", "pooling_param { kernel_size: 2 stride: 4 }"),
    ("Pooling", "pooling_param { pool: AVE kernel_size: 2 stride_h: 7 stride_w: 5 }"),
    ("Pooling", "pooling_param { kernel_h: 2 kernel_w: 3 stride: 2 }"),
    ("Pooling", "pooling_param { pool: AVE global_pooling: true }"),
    ("Pooling", "pooling_param { global_pooling: true }"),
    ("Power", "power_param { power: 2 scale: 0.5 shift: 3 }"),
    ("Power", "power_param { scale: 2 shift: -3 }"),
    ("Power", "power_param { power: 0 }"),
    ("ReLU", ""),
    ("ReLU", "relu_param { negative_slope: 0.1 }"),
    ("ReLU6", ""),
    *(("Reduction", f"reduction_param {{ operation: {op} axis: 1 coeff: 2 }}") for op in ("SUM", "ASUM", "SUMSQ", "MEAN")),
    ("Reshape", "reshape_param { shape { dim: 0 dim: -1 dim: 5 } }"),
    ("Reshape", "reshape_param { shape { dim: 7 dim: 6 } axis: 1 num_axes: 2 }"),
    ("Reverse", "reverse_param { axis: 1 }"),
    ("SPP", "spp_param { pyramid_height: 1 }"),
    ("SPP", "spp_param { pyramid_height: 2 }"),
    ("SPP", "spp_param { pyramid_height: 2 pool: AVE }"),
    ("Scale", 'scale_param { filler { type: "gaussian" } bias_term: true bias_filler { type: "gaussian" } }'),
    ("Scale", 'scale_param { axis: 1 num_axes: 0 filler { type: "gaussian" } }'),
    ("Scale", 'scale_param { axis: 2 num_axes: 1 filler { type: "gaussian" } }'),
    ("ShuffleChannel", "shuffle_channel_param { group: 3 }"),
    ("Sigmoid", ""),
    ("Softmax", ""),
    ("Softmax", "softmax_param { axis: -1 }"),
    ("SpatialDropout", ""),
    ("Swish", ""),
    ("Swish", "swish_param { beta: 2 }"),
    ("TanH", ""),
    ("Threshold", "threshold_param { threshold: 0.1 }"),
    ("Tile", "tile_param { axis: 2 tiles: 3 }"),
    ("Transpose", "transpose_param { dim: 0 dim: 3 dim: 1 dim: 2 }"),
    ("Upsample", "upsample_param { scale: 2 }"),
]
SEVERAL = [  # type, bottoms, number of tops, fields
    ("Axpy", {"a": (2, 6, 1, 1), "x": IMAGE, "y": IMAGE}, 1, ""),
    ("BatchReindex", {"x": (3, 4), "i": (5,)}, 1, ""),
    ("Bias", {"x": IMAGE, "y": (6, 7)}, 1, ""),
    ("Concat", {"x": IMAGE, "y": (2, 1, 7, 5)}, 1, ""),
    ("Convolution", {"x": IMAGE, "y": IMAGE}, 2, f"convolution_param {{ num_output: 3 kernel_size: 3 {RANDOM} }}"),
    ("Convolution", {"x": (2, 3, 8)}, 1, f"convolution_param {{ num_output: 3 kernel_size: 3 {RANDOM} }}"),
    ("Convolution3D", {"x": (2, 4, 5, 6, 7)}, 1, f"convolution3d_param {{ num_output: 3 kernel_size: 3 kernel_depth: 2 pad: 1 {RANDOM} }}"),
    ("Crop", {"x": IMAGE, "y": (2, 1, 3, 2)}, 1, "crop_param { offset: 1 offset: 2 }"),
    *(("Eltwise", {"x": IMAGE, "y": IMAGE, "z": IMAGE}, 1, f"eltwise_param {{ operation: {op} }}") for op in ("PROD", "SUM", "MAX")),
    ("Eltwise", {"x": IMAGE, "y": IMAGE}, 1, "eltwise_param { coeff: -2 coeff: -0.5 }"),
    ("Embed", {"x": (4, 3)}, 1, f"embed_param {{ num_output: 2 input_dim: 9 {RANDOM} }}"),
    ("DetectionOutput", {"l": (2, 24), "c": (2, 18), "p": (1, 2, 24)}, 1, DETECTED),
    ("DetectionOutput", {"l": (2, 24), "c": (2, 18), "p": (1, 2, 24)}, 1, DETECTED.replace("CENTER_SIZE", "CORNER_SIZE")),
    ("DetectionOutput", {"l": (2, 72), "c": (2, 18), "p": (1, 2, 24)}, 1, DETECTED_APART),
    ("Filter", {"x": (4, 3), "y": (4, 2, 2), "s": (4, 1)}, 2, ""),
    ("InnerProduct", {"x": (2, 3, 4), "w": (5, 12)}, 1, "inner_product_param { bias_term: false }"),
    ("LSTM", {"x": (3, 2, 4), "c": (3, 2)}, 1, f"recurrent_param {{ num_output: 5 {RANDOM} }}"),
    ("LSTM", {"x": (3, 2, 4), "c": (3, 2), "s": (2, 6)}, 1, f"recurrent_param {{ num_output: 5 {RANDOM} }}"),
    ("LSTM", {"x": (3, 2, 2, 2), "c": (3, 2), "h": (1, 2, 5), "d": (1, 2, 5)}, 3, f"recurrent_param {{ num_output: 5 {EXPOSED} }}"),
    ("Parameter", {}, 1, "parameter_param { shape { dim: 2 dim: 3 } }"),
    ("Pooling", {"x": IMAGE}, 2, "pooling_param { kernel_size: 2 stride: 2 }"),
    ("Pooling3D", {"x": (2, 3, 5, 7, 6)}, 1, "pooling3d_param { kernel_size: 3 kernel_depth: 2 stride: 2 temporal_stride: 2 }"),
    (
        "PriorBox",
        {"x": (2, 3, 4, 3), "p": (2, 3, 40, 31)},
        1,
        "prior_box_param { min_size: 5 max_size: 9 aspect_ratio: 2 flip: true clip: true }",
    ),
    (
        "PriorBox",
        {"x": (2, 3, 4, 3), "p": (2, 3, 40, 31)},
        1,
        "prior_box_param { min_size: 5 min_size: 7 step: 3 img_size: 50 offset: 0.25 }",
    ),
    ("RNN", {"x": (3, 2, 4), "c": (3, 2)}, 1, f"recurrent_param {{ num_output: 5 {RANDOM} }}"),
    ("RNN", {"x": (3, 2, 4), "c": (3, 2), "s": (2, 6), "h": (1, 2, 5)}, 2, f"recurrent_param {{ num_output: 5 {EXPOSED} }}"),
    ("ROIPooling", {"x": IMAGE, "r": (3, 5)}, 1, "roi_pooling_param { pooled_h: 3 pooled_w: 2 spatial_scale: 0.5 }"),
    ("Reorg", {"x": (2, 4, 6, 4)}, 1, "reorg_param { stride: 2 }"),
    ("Reorg", {"x": (2, 4, 6, 4)}, 1, "reorg_param { stride: 2 reverse: true }"),
    ("Scale", {"x": IMAGE, "y": (2, 6)}, 1, "scale_param { axis: 0 }"),
    ("Scale", {"x": IMAGE, "y": (6,)}, 1, "scale_param { axis: 1 bias_term: true }"),
    ("Slice", {"x": IMAGE}, 2, "slice_param { slice_point: 2 }"),
    ("Slice", {"x": IMAGE}, 3, ""),
    ("Split", {"x": IMAGE}, 2, ""),
    ("Unpooling", {"x": (2, 3, 2, 2), "m": (2, 3, 2, 2)}, 1, "unpooling_param { kernel_size: 2 stride: 2 }"),
    ("Upsample", {"x": (2, 3, 2, 2), "m": (2, 3, 2, 2)}, 1, "upsample_param { scale: 2 }"),
]
LOSSES = [  # type, bottoms, fields
    ("SoftmaxWithLoss", {"x": (4, 5), "t": (4,)}, ""),
    ("SoftmaxWithLoss", {"x": (4, 5, 2, 3), "t": (4, 1, 2, 3)}, ""),
    ("SoftmaxWithLoss", {"x": (4, 5, 2, 3), "t": (4, 1, 2, 3)}, "loss_param { ignore_label: 2 }"),
    *(
        ("SoftmaxWithLoss", {"x": (4, 5, 2), "t": (4, 2)}, f"loss_param {{ ignore_label: 2 normalization: {mode} }} loss_weight: 0.5")
        for mode in ("FULL", "BATCH_SIZE", "NONE")
    ),
    ("SoftmaxWithLoss", {"x": (4, 5, 2), "t": (4, 5)}, "softmax_param { axis: 2 }"),
    ("SigmoidCrossEntropyLoss", {"x": (4, 5), "t": (4, 5)}, ""),
    ("SigmoidCrossEntropyLoss", {"x": (4, 5), "t": (4, 5)}, "loss_param { ignore_label: 1 normalization: VALID }"),
    ("EuclideanLoss", {"x": (4, 5), "t": (4, 5, 1)}, ""),
    ("L1Loss", {"x": (4, 5), "t": (4, 5)}, ""),
    ("SmoothL1Loss", {"x": (4, 5), "t": (4, 5)}, "loss_weight: 2"),
    ("SmoothL1Loss", {"x": (4, 5), "t": (4, 5), "i": (4, 5), "o": (4, 5)}, "smooth_l1_loss_param { sigma: 3 } loss_weight: 2"),
    ("HingeLoss", {"x": (4, 5), "t": (4,)}, ""),
    ("HingeLoss", {"x": (4, 5), "t": (4,)}, "hinge_loss_param { norm: L2 }"),
    ("ContrastiveLoss", {"x": (4, 5), "y": (4, 5), "t": (4,)}, "contrastive_loss_param { margin: 3 }"),
]


def layer(kind: str, bottoms: dict[str, tuple[int, ...]], tops: int, fields: str) -> str:
    """The text of a net of an Input and one layer."""
    wires = " ".join(f'bottom: "{name}"' for name in bottoms) + " " + " ".join(f'top: "y{i}"' for i in range(tops))
    text = f'layer {{ name: "it" type: "{kind}" {wires} {fields} }}'
    return (inputs(**bottoms) if bottoms else "") + text


@pytest.mark.parametrize(("kind", "fields"), ONE)
def test_one_bottom(kind: str, fields: str) -> None:
    assert_same(layer(kind, {"x": IMAGE}, 1, fields))


@pytest.mark.parametrize(("kind", "bottoms", "tops", "fields"), SEVERAL)
def test_several(kind: str, bottoms: dict[str, tuple[int, ...]], tops: int, fields: str) -> None:
    assert_same(layer(kind, bottoms, tops, fields))


@pytest.mark.parametrize(("kind", "bottoms", "fields"), LOSSES)
def test_losses(kind: str, bottoms: dict[str, tuple[int, ...]], fields: str) -> None:
    first, *others = bottoms
    product = (
        f'layer {{ name: "ip" type: "InnerProduct" bottom: "{first}" top: "p" inner_product_param {{ num_output: 5 axis: -1 {RANDOM} }} }}'
    )
    if len(bottoms[first]) > 2:
        product = f'layer {{ name: "c" type: "Scale" bottom: "{first}" top: "p" scale_param {{ filler {{ type: "gaussian" }} }} }}'
    wires = " ".join(f'bottom: "{name}"' for name in ("p", *others))
    assert_same(inputs(**bottoms) + product + f'layer {{ name: "l" type: "{kind}" {wires} top: "l" {fields} }}', train=True)


def test_every_form_is_tried() -> None:
    tried = {row[0] for row in (*ONE, *SEVERAL, *LOSSES)} | {"Gather"}
    assert set(FORMS) <= tried


@pytest.mark.parametrize(
    ("kind", "fields", "wanted"),
    [
        ("Im2col", "convolution_param { kernel_size: 2 }", "'it' (Im2col) has no form in torch here; these types have one: AbsVal, "),
        ("Normalize", "normalize_param { }", "'it' (Normalize) cannot be written in torch: NormFace's form"),
        ("Convolution", "convolution_param { num_output: 2 kernel_size: 1 axis: 2 }", "axis is 2 with 1 spatial axes; needed: axis 1"),
    ],
)
def test_refusal(kind: str, fields: str, wanted: str) -> None:
    with pytest.raises(LayerError) as refused:
        exported(layer(kind, {"x": IMAGE}, 1, fields))
    assert wanted in str(refused.value)
    assert "\n" not in str(refused.value)
