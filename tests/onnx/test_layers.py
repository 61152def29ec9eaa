"""Each layer type that has a form in ONNX, run by onnxruntime beside our own forward pass, with two batch sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from caffepy.errors import LayerError
from caffepy.onnx.check import compare
from caffepy.onnx.model import Exported, to_onnx
from caffepy.onnx.registry import CONVERTERS, converts
from tests.report.nets import inputs, part_of

IMAGE = (2, 6, 7, 5)
NVIDIA = 'scale_filler { type: "gaussian" } bias_filler { type: "gaussian" }'
RANDOM = 'weight_filler { type: "gaussian" std: 0.5 } bias_filler { type: "gaussian" std: 0.5 }'
ONE = [  # type, fields; one bottom of IMAGE, one top
    ("AbsVal", ""),
    ("ArgMax", ""),
    ("ArgMax", "argmax_param { out_max_val: true top_k: 3 }"),
    ("ArgMax", "argmax_param { axis: 1 }"),
    ("ArgMax", "argmax_param { axis: 2 out_max_val: true top_k: 2 }"),
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
    ("Convolution", f"convolution_param {{ num_output: 4 kernel_size: 2 axis: 2 {RANDOM} }}"),
    ("Convolution", f"convolution_param {{ num_output: 4 axis: -1 {RANDOM} }}"),
    ("ConvolutionDepthwise", f"convolution_param {{ num_output: 6 kernel_size: 3 pad: 1 {RANDOM} }}"),
    ("Deconvolution", f"convolution_param {{ num_output: 4 kernel_size: 4 stride: 2 pad: 1 group: 2 {RANDOM} }}"),
    ("DepthwiseConvolution", f"convolution_param {{ num_output: 6 kernel_size: 3 group: 6 {RANDOM} }}"),
    ("Dropout", ""),
    ("Dropout", "dropout_param { dropout_ratio: 0.3 scale_train: false }"),
    ("SpatialDropout", ""),
    ("Transpose", "transpose_param { dim: 0 dim: 3 dim: 1 dim: 2 }"),
    ("Unpooling", "unpooling_param { kernel_size: 2 stride_h: 2 stride_w: 3 unpool_h: 14 unpool_w: 15 }"),
    ("Unpooling", "unpooling_param { unpool: AVE kernel_h: 3 kernel_w: 2 stride: 2 unpool_h: 9 unpool_w: 13 }"),
    ("Unpooling", "unpooling_param { unpool: TILE kernel_size: 2 stride: 2 }"),
    ("ELU", "elu_param { alpha: 0.5 }"),
    ("ELU", "elu_param { alpha: 1.67 lambda: 1.05 }"),
    ("Exp", "exp_param { base: 2 scale: 0.5 shift: 1 }"),
    ("Flatten", ""),
    ("Flatten", "flatten_param { axis: 2 }"),
    ("Im2col", "convolution_param { kernel_size: 3 stride: 2 pad: 1 }"),
    ("InnerProduct", f"inner_product_param {{ num_output: 3 {RANDOM} }}"),
    ("InnerProduct", f"inner_product_param {{ num_output: 3 transpose: true axis: 2 bias_term: false {RANDOM} }}"),
    *(
        ("InnerProduct", f"inner_product_param {{ num_output: 3 normalize: true transpose: {transposed} {RANDOM} }}")
        for transposed in ("false", "true")
    ),
    ("Interp", "interp_param { height: 9 width: 4 }"),
    ("Interp", "interp_param { zoom_factor: 2 pad_beg: -1 pad_end: -1 }"),
    ("LRN", "lrn_param { alpha: 0.5 beta: 0.6 local_size: 3 k: 2 }"),
    ("LRN", "lrn_param { alpha: 0.5 local_size: 3 norm_region: WITHIN_CHANNEL }"),
    ("MVN", ""),
    ("MVN", "mvn_param { normalize_variance: false across_channels: true }"),
    ("Normalize", "norm_param { across_spatial: false channel_shared: false }"),
    ("Normalize", ""),
    ("Normalize", "normalize_param { }"),
    ("Normalize", "normalize_param { normalize_type: 'L1' }"),
    ("PReLU", ""),
    ("PReLU", "prelu_param { channel_shared: true }"),
    ("Permute", "permute_param { order: 0 order: 2 order: 3 order: 1 }"),
    ("Pooling", "pooling_param { kernel_size: 3 stride: 2 }"),
    ("Pooling", "pooling_param { kernel_size: 3 stride: 2 pad: 1 }"),
    ("Pooling", "pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 }"),
    ("Pooling", "pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 avg_include_pad: false }"),
    ("Pooling", "pooling_param { pool: MAX kernel_size: 3 stride: 2 pad: 1 avg_include_pad: false }"),
    ("Pooling", "pooling_param { pool: AVE kernel_size: 2 stride: 2 round_mode: FLOOR }"),
    ("Pooling", "pooling_param { kernel_size: 2 stride: 4 }"),
    ("Pooling", "pooling_param { pool: AVE kernel_size: 2 stride_h: 7 stride_w: 5 }"),
    ("Pooling", "pooling_param { pool: AVE global_pooling: true }"),
    ("Pooling", "pooling_param { global_pooling: true }"),
    ("Power", "power_param { power: 2 scale: 0.5 shift: 3 }"),
    ("Power", "power_param { power: 0 }"),
    ("ReLU", ""),
    ("ReLU", "relu_param { negative_slope: 0.1 }"),
    ("ReLU6", ""),
    *(("Reduction", f"reduction_param {{ operation: {op} axis: 1 coeff: 2 }}") for op in ("SUM", "ASUM", "SUMSQ", "MEAN")),
    ("Reorg", "reorg_param { stride: 1 }"),
    *(("Resample", f"resample_param {{ height: 9 width: 3 type: {kind} }}") for kind in ("LINEAR", "CUBIC", "NEAREST")),
    ("Reshape", "reshape_param { shape { dim: 0 dim: -1 dim: 5 } }"),
    ("Reverse", "reverse_param { axis: 1 }"),
    ("SPP", "spp_param { pyramid_height: 2 }"),
    ("SPP", "spp_param { pyramid_height: 2 pool: AVE }"),
    ("Scale", 'scale_param { filler { type: "gaussian" } bias_term: true bias_filler { type: "gaussian" } }'),
    ("Scale", 'scale_param { axis: 1 num_axes: 0 filler { type: "gaussian" } }'),
    ("ShuffleChannel", "shuffle_channel_param { group: 3 }"),
    ("Sigmoid", ""),
    ("Softmax", ""),
    ("Softmax", "softmax_param { axis: -1 }"),
    ("Swish", "swish_param { beta: 2 }"),
    ("TanH", ""),
    ("Threshold", "threshold_param { threshold: 0.1 }"),
    ("Tile", "tile_param { axis: 2 tiles: 3 }"),
    ("Upsample", "upsample_param { scale: 2 }"),
]
BN = "bn_param { %s slope_filler { type: 'gaussian' } bias_filler { type: 'gaussian' } }"
ST = "st_param { output_H: 4 output_W: 9 theta_1_2: 0.25 theta_1_3: -0.5 theta_2_1: 0 theta_2_2: 1.5 }"
SEVERAL = [  # type, bottoms, number of tops, fields
    *(
        (
            "Pooling3D",
            {"x": (2, 3, 5, 7, 6)},
            1,
            f"pooling3d_param {{ {pool} kernel_size: 3 kernel_depth: 2 stride: 2 temporal_stride: 2 }}",
        )
        for pool in ("pool: MAX", "pool: AVE pad: 1")
    ),
    ("Axpy", {"a": (2, 6, 1, 1), "x": IMAGE, "y": IMAGE}, 1, ""),
    ("BN", {"x": IMAGE}, 1, BN % ""),
    ("BN", {"x": IMAGE}, 1, "bn_param { bn_mode: INFERENCE scale_filler { type: 'gaussian' } shift_filler { type: 'gaussian' } }"),
    ("BN", {"x": IMAGE}, 1, "bn_param { scale_filler { type: 'gaussian' } shift_filler { type: 'gaussian' } }"),
    ("BatchReindex", {"x": (3, 4), "i": (5,)}, 1, ""),
    ("Bias", {"x": IMAGE, "y": (6, 7)}, 1, ""),
    ("Concat", {"x": IMAGE, "y": (2, 1, 7, 5)}, 1, ""),
    ("Convolution3D", {"x": (2, 4, 5, 6, 7)}, 1, f"convolution3d_param {{ num_output: 3 kernel_size: 3 kernel_depth: 2 pad: 1 {RANDOM} }}"),
    ("Crop", {"x": IMAGE, "y": (2, 1, 3, 2)}, 1, "crop_param { offset: 1 offset: 2 }"),
    *(("Eltwise", {"x": IMAGE, "y": IMAGE, "z": IMAGE}, 1, f"eltwise_param {{ operation: {op} }}") for op in ("PROD", "SUM", "MAX")),
    ("Eltwise", {"x": IMAGE, "y": IMAGE}, 1, "eltwise_param { coeff: 2 coeff: -0.5 }"),
    ("Eltwise", {"x": IMAGE}, 1, "eltwise_param { coeff: 20 }"),
    ("Embed", {"x": (4, 3)}, 1, f"embed_param {{ num_output: 2 input_dim: 9 {RANDOM} }}"),
    ("SpatialTransformer", {"x": IMAGE, "t": (2, 6)}, 1, ""),
    ("SpatialTransformer", {"x": IMAGE, "t": (2, 2, 1)}, 1, ST),
    ("Filter", {"x": (4, 3), "y": (4, 2, 2), "s": (4, 1)}, 2, ""),
    ("ChannelNorm", {"x": (4, 3)}, 1, ""),
    ("LabelSpecificAdd", {"x": (4, 3), "t": (4,)}, 2, "label_specific_add_param { bias: -0.5 }"),
    ("Normalize", {"x": (4, 3)}, 2, ""),
    ("InnerProduct", {"x": (2, 3, 4), "w": (5, 12)}, 1, "inner_product_param { bias_term: false }"),
    ("LSTM", {"x": (3, 2, 4), "c": (3, 2)}, 1, f"recurrent_param {{ num_output: 5 {RANDOM} }}"),
    ("LSTM", {"x": (3, 2, 4), "c": (3, 2), "s": (2, 6)}, 1, f"recurrent_param {{ num_output: 5 {RANDOM} }}"),
    (
        *("LSTM", {"x": (3, 2, 4), "c": (3, 2), "h": (1, 2, 5), "m": (1, 2, 5)}, 3),
        f"recurrent_param {{ num_output: 5 expose_hidden: true {RANDOM} }}",
    ),
    ("Lstm", {"x": (3, 2, 4)}, 1, f"lstm_param {{ num_output: 5 {RANDOM} }}"),
    ("LSTMUnit", {"m": (1, 2, 4), "g": (1, 2, 16), "c": (1, 2)}, 2, ""),
    ("Log", {"x": (2, 3)}, 1, "log_param { base: 2 scale: 0.5 shift: 9 }"),
    *(("MVN", {"x": shape}, 1, "mvn_param { across_channels: true }") for shape in ((2, 3), (2, 3, 4))),
    ("Parameter", {}, 1, "parameter_param { shape { dim: 2 dim: 3 } }"),
    ("Pooling", {"x": IMAGE}, 2, "pooling_param { kernel_size: 3 stride: 2 }"),
    ("PriorBox", {"x": IMAGE, "y": (2, 3, 30, 40)}, 1, "prior_box_param { min_size: 8 aspect_ratio: 2 clip: true }"),
    ("RNN", {"x": (3, 2, 4), "c": (3, 2)}, 1, f"recurrent_param {{ num_output: 5 {RANDOM} }}"),
    ("ROIPooling", {"x": IMAGE, "r": (4, 5)}, 1, "roi_pooling_param { pooled_h: 2 pooled_w: 3 spatial_scale: 0.5 }"),
    ("Scale", {"x": IMAGE, "y": (2, 6)}, 1, "scale_param { axis: 0 }"),
    ("Slice", {"x": IMAGE}, 3, "slice_param { axis: 1 }"),
    ("Slice", {"x": IMAGE}, 2, "slice_param { axis: 2 slice_point: 3 }"),
    ("Split", {"x": IMAGE}, 2, ""),
    ("Gather", {"x": IMAGE, "y": (2, 6)}, 2, ""),
    ("ContinuationIndicator", {"x": IMAGE}, 1, "continuation_indicator_param { time_step: 3 }"),
    ("ContinuationIndicator", {"x": IMAGE}, 1, "continuation_indicator_param { time_step: 3 axis: -1 }"),
]


def layer(type_name: str, bottoms: list[str], tops: int, fields: str) -> str:
    words = [f'bottom: "{name}"' for name in bottoms] + [f'top: "top{i}"' for i in range(tops)]
    return f'layer {{ name: "L" type: "{type_name}" {" ".join(words)} {fields} }}\n'


def check(text: str) -> Exported:
    part, blobs = part_of(text)
    exported = to_onnx(part, {i: blob.numpy() for i, blob in blobs.items()})
    found = compare(exported.model, part, blobs)
    if exported.axis is not None:
        found += compare(exported.model, part, blobs, more=2, axis=exported.axis)
    assert found
    assert all(difference.fine for difference in found), found
    return exported


@pytest.mark.parametrize(("type_name", "fields"), ONE)
def test_one_bottom(type_name: str, fields: str) -> None:
    assert check(inputs(x=IMAGE) + layer(type_name, ["x"], 1, fields)).axis == 0


@pytest.mark.parametrize(("type_name", "bottoms", "tops", "fields"), SEVERAL)
def test_several_blobs(type_name: str, bottoms: dict[str, tuple[int, ...]], tops: int, fields: str) -> None:
    text = (inputs(**bottoms) if bottoms else "") + layer(type_name, list(bottoms), tops, fields)
    exported = check(text)
    recurrent = type_name in ("LSTM", "Lstm", "RNN", "LSTMUnit")
    assert exported.axis == (None if not bottoms or ("s" in bottoms and recurrent) else 1 if recurrent else 0)


def test_a_mask_travels_to_the_layer_that_reads_it() -> None:
    text = inputs(x=(2, 3, 6, 6)) + layer("Pooling", ["x"], 2, "pooling_param { kernel_size: 2 stride: 2 }")
    for type_name, field in (("Upsample", "upsample_param"), ("Unpooling", "unpooling_param")):
        check(text + f'layer {{ name: "up" type: "{type_name}" bottom: "top0" bottom: "top1" top: "y" {field} {{ scale: 2 }} }}')


def test_an_index_of_minus_1_finds_a_row_of_zeros() -> None:
    """About every second index that is tried; Gather takes the last row there."""
    check(inputs(x=(9, 2)) + layer("Embed", ["x"], 1, f"embed_param {{ num_output: 2 input_dim: 1 {RANDOM} }}"))


def test_sequences_begin_where_their_mark_is_0() -> None:
    marks = inputs(x=(6, 4), c=(6,)) + 'layer { name: "marks" type: "Threshold" bottom: "c" top: "m" }'
    check(marks + layer("Lstm", ["x", "m"], 1, f"lstm_param {{ num_output: 5 batch_size: 2 {RANDOM} }}"))


def test_sums_and_maxima_in_place_lose_what_caffes_do() -> None:
    in_place = 'layer { name: "L" type: "Eltwise" bottom: "x" bottom: "y" top: "x" OPERATION }'
    for operation in ("", "eltwise_param { operation: MAX }"):
        check(inputs(x=IMAGE, y=IMAGE) + in_place.replace("OPERATION", operation))


@pytest.mark.parametrize("case", [case for case in ONE if "AVE" in case[1] or "WITHIN" in case[1]])
def test_means_leave_the_padding_out(case: tuple[str, str]) -> None:
    """OpenCV 4 ignores ``count_include_pad``, and so gives other numbers where a model has it."""
    exported = check(inputs(x=IMAGE) + layer(case[0], ["x"], 1, case[1]))
    assert not any(attribute.name == "count_include_pad" for node in exported.model.graph.node for attribute in node.attribute)


@pytest.mark.parametrize("case", [case for case in ONE if case[0] in ("BatchNorm", "MVN", "Normalize", "Reduction")])
def test_no_three_axes_are_reduced_at_once(case: tuple[str, str]) -> None:
    """OpenCV 4 has wrong numbers for them."""
    exported = check(inputs(x=IMAGE) + layer(case[0], ["x"], 1, case[1]))
    constants = {constant.name: list(constant.dims) for constant in exported.model.graph.initializer}
    for node in exported.model.graph.node:
        if node.op_type == "ReduceSum":
            assert constants[node.input[1]] in ([1], [2])
        for attribute in node.attribute:
            assert attribute.name != "axes" or len(attribute.ints) <= 2


def test_every_converter_is_tried() -> None:
    assert {case[0] for case in ONE} | {case[0] for case in SEVERAL} == set(CONVERTERS)


def test_a_batch_of_one_size() -> None:
    exported = check(inputs(x=(2, 8)) + layer("Reshape", ["x"], 1, "reshape_param { shape { dim: 2 dim: 2 dim: 4 } }"))
    assert exported.axis is None
    assert "(Reshape)" in exported.fixed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            layer("PSROIPooling", ["x", "r"], 1, "psroi_pooling_param { output_dim: 6 group_size: 1 }"),
            "has no form in ONNX",
        ),
        (layer("Pooling", ["x"], 2, "pooling_param { global_pooling: true }"), "global pooling with a mask"),
        (layer("Dropout", ["x"], 1, "dropout_param { sample_weights_test: true }"), "draws a mask anew in every pass"),
    ],
)
def test_what_onnx_cannot_say(text: str, message: str) -> None:
    part, blobs = part_of(inputs(x=IMAGE, r=(4, 5)) + text)
    with pytest.raises(LayerError, match=f"layer 'L' .*{message}"):
        to_onnx(part, {i: blob.numpy() for i, blob in blobs.items()})


def test_a_type_has_one_converter() -> None:
    with pytest.raises(ValueError, match="is registered twice"):
        converts("ReLU")(lambda at: at.x)


def test_recorded_nets(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("lenetish", "resblock_test", "autoencoder", "caption"):
        folder = shared / "golden/nets" / name
        assert folder.is_dir()
        monkeypatch.chdir(folder)
        check((folder / "net.prototxt").read_text())
