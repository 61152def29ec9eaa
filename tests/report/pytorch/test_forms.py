"""Each layer type that has a form in torch, beside our own forward pass, and with gradients where it learns or loses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caffepy.errors import LayerError
from caffepy.layers.core.registry import LAYERS
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
CORRELATED = "correlation_param { pad: 2 kernel_size: 3 max_displacement: 2 stride_1: 2 stride_2: 2 }"
PROPOSED = "proposal_param { ratio: 0.5 ratio: 2 scale: 1 scale: 3 base_size: 16 }"
YOLO_FOUND = """yolo_detection_output_param { num_classes: 2 num_box: 2 coords: 4 confidence_threshold: 0.3 nms_threshold: 0.4
  biases: 1 biases: 2 biases: 3 biases: 1.5 }"""
YOLO3_FOUND = """yolov3_detection_output_param { num_classes: 2 num_box: 2 confidence_threshold: 0.3 nms_threshold: 0.4
  biases: 10 biases: 20 biases: 30 biases: 15 biases: 40 biases: 40 biases: 9 biases: 5 mask: 0 mask: 3 mask: 1 mask: 2
  anchors_scale: 8 anchors_scale: 16 mask_group_num: 2 }"""
SSD = "multibox_loss_param { num_classes: 3 share_location: true use_prior_for_matching: true %s }"
YOLO = "region_loss_param { num: 2 num_class: 2 coords: 4 biases: 1 biases: 2 biases: 3 biases: 1.5 thresh: 0.3 %s }"
YOLO3 = """yolov3_param { num: 2 num_class: 2 biases: 10 biases: 20 biases: 30 biases: 15 biases: 40 biases: 40
  mask: 0 mask: 2 anchors_scale: 8 %s }"""
MAP = {"x": (2, 14, 3, 4), "t": (2, 4, 5)}
BOXES = {"o": (2, 40), "c": (2, 30), "b": (1, 2, 40), "t": (1, 1, 5, 8)}
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
    ("Im2col", "convolution_param { kernel_h: 3 kernel_w: 2 stride: 2 pad: 1 }"),
    ("Im2col", "convolution_param { kernel_size: 2 dilation: 2 }"),
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
    ("Eltwise", {"x": IMAGE}, 1, "eltwise_param { coeff: 20 }"),
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
    ("BoxAnnotatorOHEM", {"b": (6, 5), "e": (6, 1), "t": (6,), "w": (6, 8)}, 2, "box_annotator_ohem_param { roi_per_img: 2 }"),
    ("CTCGreedyDecoder", {"x": (6, 2, 4), "c": (6, 2)}, 1, "ctc_decoder_param { ctc_merge_repeated: false }"),
    ("CTCGreedyDecoder", {"x": (9, 2, 4), "c": (9, 2), "t": (5, 2)}, 3, "ctc_decoder_param { blank_index: 0 }"),
    ("ContinuationIndicator", {}, 1, "continuation_indicator_param { time_step: 4 batch_size: 3 }"),
    ("ContinuationIndicator", {"x": IMAGE}, 1, "continuation_indicator_param { time_step: 4 axis: 1 }"),
    ("Correlation", {"x": (2, 3, 9, 8), "y": (2, 3, 9, 8)}, 1, CORRELATED),
    ("Downsample", {"x": IMAGE}, 1, "downsample_param { top_height: 4 top_width: 3 }"),
    ("FlowWarp", {"x": IMAGE, "f": (2, 2, 7, 5)}, 1, ""),
    ("FlowWarp", {"x": IMAGE, "f": (2, 2, 7, 5)}, 1, "flow_warp_param { fill_value: NOT_A_NUMBER }"),
    ("LSTMUnit", {"c": (1, 3, 4), "g": (1, 3, 16), "m": (1, 3)}, 2, ""),
    ("LabelSpecificAdd", {"x": (4, 5), "t": (4,)}, 2, "label_specific_add_param { bias: -0.5 }"),
    ("Lstm", {"x": (4, 2, 3)}, 1, f"lstm_param {{ num_output: 5 {RANDOM} }}"),
    ("Lstm", {"x": (8, 3), "c": (8,)}, 1, f"lstm_param {{ num_output: 5 batch_size: 2 clipping_threshold: 1 {RANDOM} }}"),
    ("PSROIPooling", {"x": (2, 18, 7, 5), "r": (4, 5)}, 1, "psroi_pooling_param { output_dim: 2 group_size: 3 spatial_scale: 0.5 }"),
    ("Proposal", {"s": (1, 8, 4, 5), "o": (1, 16, 4, 5), "i": (1, 6)}, 1, PROPOSED),
    (
        "Proposal",
        {"s": (1, 8, 4, 5), "o": (1, 16, 4, 5), "i": (1, 6)},
        2,
        PROPOSED.replace("16 }", "16 pre_nms_topn: 12 post_nms_topn: 5 }"),
    ),
    ("ROIAlign", {"x": IMAGE, "r": (3, 5)}, 1, "roi_align_param { pooled_h: 3 pooled_w: 2 spatial_scale: 0.5 aligned: false }"),
    ("ROIAlign", {"x": IMAGE, "r": (3, 5)}, 1, "roi_align_param { pooled_h: 2 pooled_w: 2 sampling_ratio: 2 aligned: true }"),
    ("Resample", {"x": IMAGE}, 1, "resample_param { height: 4 width: 9 type: LINEAR }"),
    ("Resample", {"x": IMAGE}, 1, "resample_param { height: 14 width: 3 type: CUBIC antialias: false }"),
    ("Resample", {"x": IMAGE}, 1, "resample_param { height: 3 width: 9 type: NEAREST }"),
    ("SpatialTransformer", {"x": IMAGE, "t": (2, 6)}, 1, "st_param { output_H: 4 output_W: 6 }"),
    ("SpatialTransformer", {"x": IMAGE, "t": (2, 2)}, 1, "st_param { theta_1_1: 0.5 theta_1_2: 0 theta_2_1: 0 theta_2_2: 0.7 }"),
    ("YoloDetectionOutput", {"x": (2, 14, 3, 4)}, 1, YOLO_FOUND),
    ("YoloDetectionOutput", {"x": (2, 14, 3, 4), "y": (2, 14, 2, 2)}, 1, YOLO_FOUND),
    ("Yolov3DetectionOutput", {"x": (2, 14, 3, 4), "y": (2, 14, 2, 2)}, 1, YOLO3_FOUND),
    ("Unpooling", {"x": (2, 3, 2, 2), "m": (2, 3, 2, 2)}, 1, "unpooling_param { kernel_size: 2 stride: 2 }"),
    ("Upsample", {"x": (2, 3, 2, 2), "m": (2, 3, 2, 2)}, 1, "upsample_param { scale: 2 }"),
]
CTC_OPTIONS = "loss_weight: 0.5 ctc_loss_param { blank_index: 0 output_delay: 1 preprocess_collapse_repeated: true }"
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
    ("CTCLoss", {"x": (9, 2, 4), "c": (9, 2), "t": (6, 2)}, ""),
    ("CTCLoss", {"x": (9, 2, 4), "c": (9, 2), "t": (6, 2)}, CTC_OPTIONS),
    ("CenterLoss", {"x": (4, 5), "t": (4,)}, "loss_weight: 0.25 center_loss_param { num_output: 3 center_filler { type: 'gaussian' } }"),
    ("CtcLoss", {"x": (9, 2, 4), "t": (2, 6)}, "loss_weight: 0.5 ctc_loss_param { alphabet_size: 4 time_step: 8 blank_label: 1 }"),
    ("InfogainLoss", {"x": (4, 5, 2), "t": (4, 2), "m": (5, 5)}, "loss_param { ignore_label: 2 }"),
    ("LabelSpecificAdd", {"x": (4, 5), "t": (4,)}, "label_specific_add_param { bias: -0.5 } loss_weight: 1"),
    ("MultiBoxLoss", BOXES, SSD % "overlap_threshold: 0.1 mining_type: MAX_NEGATIVE neg_pos_ratio: 2 code_type: CENTER_SIZE"),
    ("MultiBoxLoss", BOXES, SSD % "match_type: BIPARTITE mining_type: NONE loc_loss_type: L2 encode_variance_in_target: true"),
    ("MultiBoxLoss", BOXES, SSD % "overlap_threshold: 0.1 code_type: CORNER_SIZE loc_weight: 2" + " loss_param { normalization: FULL }"),
    ("MultinomialLogisticLoss", {"x": (4, 5), "t": (4,)}, ""),
    ("RegionLoss", MAP, YOLO % "bias_match: 1 rescore: 1"),
    ("RegionLoss", MAP, YOLO % "object_scale: 5 coord_scale: 2" + " loss_weight: 2"),
    ("SmoothL1LossOHEM", {"x": (4, 5), "y": (4, 5), "w": (4, 5)}, "loss_weight: 1"),
    ("SoftmaxWithLossOHEM", {"x": (4, 5), "t": (4,)}, ""),
    ("TripletLoss", {"x": (4, 5), "y": (4, 5), "z": (4, 5)}, "triplet_loss_param { margin: 2 }"),
    ("Yolov3", MAP, YOLO3 % "thresh: 0.3 iou_thresh: 0.2 use_logic_gradient: true object_scale: 3"),
    ("Yolov3", MAP, YOLO3 % "thresh: 0.3 label_smooth_eps: 0.1 iou_thresh: 1"),
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


def loss(kind: str, bottoms: dict[str, tuple[int, ...]], fields: str) -> str:
    """The text of a net whose loss reads what a layer with parameters makes of the first bottom."""
    first, *others = bottoms
    product = (
        f'layer {{ name: "ip" type: "InnerProduct" bottom: "{first}" top: "p" inner_product_param {{ num_output: 5 axis: -1 {RANDOM} }} }}'
    )
    if len(bottoms[first]) > 2 or bottoms[first][-1] != 5:
        product = f'layer {{ name: "c" type: "Scale" bottom: "{first}" top: "p" scale_param {{ filler {{ type: "gaussian" }} }} }}'
    wires = " ".join(f'bottom: "{name}"' for name in ("p", *others))
    return inputs(**bottoms) + product + f'layer {{ name: "l" type: "{kind}" {wires} top: "l" {fields} }}'


@pytest.mark.parametrize(("kind", "bottoms", "fields"), LOSSES)
def test_losses(kind: str, bottoms: dict[str, tuple[int, ...]], fields: str) -> None:
    assert_same(loss(kind, bottoms, fields), train=True)


def test_a_loss_weight_of_any_layer() -> None:
    """The loss is whatever has a loss_weight, also where no layer is made for that."""
    text = loss("SoftmaxWithLoss", {"x": (4, 5), "t": (4,)}, "")
    text += 'layer { name: "r" type: "Reduction" bottom: "p" top: "r" loss_weight: 0.1 reduction_param { operation: SUMSQ } }'
    assert_same(text, train=True)
    assert_same(text[: text.index('layer { name: "l"')] + text[text.index('layer { name: "r"') :], train=True)


def test_softmax_beside_the_loss() -> None:
    """A second top is the softmax, which another layer may read."""
    text = loss("InfogainLoss", {"x": (4, 5), "t": (4,), "m": (5, 5)}, 'top: "prob" loss_weight: 1 loss_weight: 0')
    assert_same(text + 'layer { name: "e" type: "EuclideanLoss" bottom: "prob" bottom: "x" top: "e" }', train=True)


def test_ssd_trains() -> None:
    """Priors of PriorBox, which are computed, and objects, which are given."""
    head = "convolution_param { kernel_size: 3 pad: 1 num_output: %d " + RANDOM + " }"
    text = inputs(data=(2, 3, 12, 12), objects=(1, 1, 4, 8))
    for name, bottom, outputs in (("f", "data", 4), ("loc", "f", 8), ("conf", "f", 6)):
        text += f'layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}" {head % outputs} }}\n'
    for name in ("loc", "conf"):
        order = "permute_param { order: 0 order: 2 order: 3 order: 1 }"
        text += f'layer {{ name: "{name}_p" type: "Permute" bottom: "{name}" top: "{name}_p" {order} }}\n'
        text += f'layer {{ name: "{name}_f" type: "Flatten" bottom: "{name}_p" top: "{name}_f" }}\n'
    text += (
        'layer { name: "priors" type: "PriorBox" bottom: "f" bottom: "data" top: "priors" prior_box_param { min_size: 4 max_size: 7 } }\n'
    )
    wires = " ".join(f'bottom: "{name}"' for name in ("loc_f", "conf_f", "priors", "objects"))
    fields = SSD % "overlap_threshold: 0.3 code_type: CENTER_SIZE mining_type: MAX_NEGATIVE neg_overlap: 0.5"
    assert_same(text + f'layer {{ name: "loss" type: "MultiBoxLoss" {wires} top: "loss" {fields} }}', train=True)


def test_objects_behind_a_layer_that_moves_them() -> None:
    """Random rows of objects are rows in the shape that the loss reads, whatever that of the net's input is."""
    text = loss("MultiBoxLoss", BOXES, SSD % "overlap_threshold: 0.1")
    place = text.index('layer { name: "l"')
    head, tail = text[:place], text[place:].replace('bottom: "t"', 'bottom: "rows"')
    shaped = 'layer { name: "s" type: "Reshape" bottom: "%s" top: "rows" reshape_param { shape { dim: 1 dim: 1 dim: 5 dim: 8 } } }'
    assert_same(head.replace("dim: 1 dim: 1 dim: 5 dim: 8", "dim: 40") + shaped % "t" + tail, train=True)


def test_files_pass_ruffs_defaults(tmp_path: Path) -> None:
    """Helpers bring all that they call, and the head what they import."""
    texts = [layer(*row) for row in SEVERAL] + [loss(*row) for row in LOSSES]
    for i, text in enumerate(texts):
        (tmp_path / f"net{i}.py").write_text(exported(text, train=i >= len(SEVERAL))[0].text)
    checked = subprocess.run([sys.executable, "-m", "ruff", "check", "--isolated", tmp_path], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_types_without_a_form() -> None:
    """Data layers are inputs; a file ends at scores and at what reads blobs so that they are no outputs."""
    data = {"Input", "DummyData", "MemoryData", "DetectNetTransformation", *(kind for kind in LAYERS if kind.endswith("Data"))}
    ends = {"Accuracy", "SegAccuracy", "Silence", "HDF5Output"}
    scores = {"DetectionEvaluate", "LabelsequenceAccuracy"}
    assert set(LAYERS) - set(FORMS) - data - ends - scores == {"MarginInnerProduct", "ParallelInMemData", "Python"} - data


def test_every_form_is_tried() -> None:
    tried = {row[0] for row in (*ONE, *SEVERAL, *LOSSES)} | {"Gather"}
    assert set(FORMS) <= tried


@pytest.mark.parametrize(
    ("kind", "fields", "wanted"),
    [
        ("Im2col", "convolution_param { kernel_size: 2 axis: 2 }", "'it' (Im2col) cannot be written in torch: axis is 2 of a bottom"),
        (
            "MarginInnerProduct",
            "margin_inner_product_param { num_output: 2 }",
            "'it' (MarginInnerProduct) has no form in torch here; these types have one: AbsVal, ",
        ),
        ("Normalize", "normalize_param { }", "'it' (Normalize) cannot be written in torch: NormFace's form"),
        ("Convolution", "convolution_param { num_output: 2 kernel_size: 1 axis: 2 }", "axis is 2 with 1 spatial axes; needed: axis 1"),
    ],
)
def test_refusal(kind: str, fields: str, wanted: str) -> None:
    with pytest.raises(LayerError) as refused:
        exported(layer(kind, {"x": IMAGE} | ({"t": (2,)} if kind == "MarginInnerProduct" else {}), 1, fields))
    assert wanted in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("fields", ["iou_loss: GIOU", "use_focal_loss: true"])
def test_losses_of_yolo_without_a_form(fields: str) -> None:
    with pytest.raises(LayerError, match="needed: iou_loss: MSE, and no use_focal_loss"):
        exported(loss("Yolov3", MAP, YOLO3 % fields), train=True)
