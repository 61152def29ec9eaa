# Made by tools/dev/make_stubs.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from caffepy.proto import caffe_pb2 as pb
from caffepy.pycaffe.net_spec import Function, Top

def AbsVal(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    in_place: bool = ...,
) -> Top:
    """|x|.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def Accuracy(
    *bottoms: Top,
    top_k: int = ...,
    axis: int = ...,
    ignore_label: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    accuracy_param: pb.AccuracyParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Share of labels among the ``top_k`` highest scores.

    top_k: An item is right if its label is among so many of the highest scores. Default 1.
    axis: The axis of the classes. Default 1.
    ignore_label: Elements with this label do not count.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def Accuracy(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def AnnotatedData(
    *,
    batch_sampler: pb.BatchSampler | Mapping[str, Any] | Sequence[pb.BatchSampler | Mapping[str, Any]] = ...,
    label_map_file: str = ...,
    anno_type: int | str = ...,
    yolo_data_type: int = ...,
    yolo_data_jitter: float = ...,
    train_diffcult: bool = ...,
    single_class: bool = ...,
    seg_scales: int = ...,
    seg_resize_width: int = ...,
    seg_resize_height: int = ...,
    difficult_label_warmup: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    annotated_data_param: pb.AnnotatedDataParameter | Mapping[str, Any] = ...,
    data_param: pb.DataParameter | Mapping[str, Any] = ...,
    transform_param: pb.TransformationParameter | Mapping[str, Any] = ...,
) -> Top:
    """Images with boxes, distorted, cropped and resized at random.

    batch_sampler: Of ssd, yolo, intel, nv, synopsys.
    label_map_file: Of ssd, yolo, intel, nv, synopsys.
    anno_type: Of ssd, yolo, intel, nv, synopsys.
    yolo_data_type: Default 0. Of yolo.
    yolo_data_jitter: Default 0.3. Of yolo.
    train_diffcult: Default true. Of yolo.
    single_class: Default true. Of yolo.
    seg_scales: Default 8. Of yolo.
    seg_resize_width: Default 0. Of yolo.
    seg_resize_height: Default 0. Of yolo.
    difficult_label_warmup: Default false. Of yolo.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    annotated_data_param: Of ssd, yolo, intel, nv, synopsys.
    transform_param: What is done to the images of a data layer.
    """
@overload
def AnnotatedData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def ArgMax(
    *bottoms: Top,
    out_max_val: bool = ...,
    top_k: int = ...,
    axis: int = ...,
    min_first: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    argmax_param: pb.ArgMaxParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Indices of the k largest values.

    out_max_val: Give the largest values, too, or with axis instead of their indices. Default false.
    top_k: How many of the largest values. Default 1.
    axis: The axis that is searched; by default all but the first, as one.
    min_first: Default false. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Axpy(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    in_place: bool = ...,
) -> Top:
    """a * x + y, with a number for each channel of each item.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def BN(
    *bottoms: Top,
    slope_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    bias_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    momentum: float = ...,
    eps: float = ...,
    frozen: bool = ...,
    engine: int | str = ...,
    icnet: bool = ...,
    bn_mode: int | str = ...,
    scale_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    shift_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    bn_param: pb.BNParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """(x - mean) / sqrt(variance + eps) in each channel, scaled and shifted.

    momentum: Default 0.9.
    eps: Default 1e-05.
    frozen: Default false.
    engine: Default DEFAULT.
    icnet: Default false. Of synopsys.
    bn_mode: Default LEARN. Of segnet, synopsys.
    scale_filler: Of segnet, synopsys.
    shift_filler: Of segnet, synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    bn_param: Of pspnet, segnet, synopsys.
    """
@overload
def BN(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def BNLL(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    in_place: bool = ...,
) -> Top:
    """log(1 + exp(x)).

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def BatchNorm(
    *bottoms: Top,
    use_global_stats: bool = ...,
    moving_average_fraction: float = ...,
    eps: float = ...,
    use_weight_bias: bool = ...,
    bias_term: bool = ...,
    filler: pb.FillerParameter | Mapping[str, Any] = ...,
    bias_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    stats_batch_size: int = ...,
    relu: bool = ...,
    engine: int | str = ...,
    scale_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    scale_bias: bool = ...,
    add_eps_before_sqrt: bool = ...,
    icnet: bool = ...,
    update_global_stats: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    batch_norm_param: pb.BatchNormParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """(x - mean) / sqrt(variance + eps) in each channel.

    use_global_stats: Normalise by the moving averages; by default in the TEST phase.
    moving_average_fraction: How much of the moving averages is kept from one iteration to the next. Default 0.999.
    eps: Added to the variance, so that no division is by 0. Default 1e-05.
    use_weight_bias: Default true. Of intel.
    bias_term: Default true. Of intel.
    filler: Of intel.
    bias_filler: Of intel, nv.
    stats_batch_size: Default 0. Of intel.
    relu: Default false. Of intel.
    engine: Default DEFAULT. Of intel, nv.
    scale_filler: Of nv.
    scale_bias: Default false. Of nv.
    add_eps_before_sqrt: Default true. Of synopsys.
    icnet: Default false. Of synopsys.
    update_global_stats: Default false. Of pspnet, synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def BatchReindex(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    in_place: bool = ...,
) -> Top:
    """Items of the first bottom in the order that the second gives.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Bias(
    *bottoms: Top,
    axis: int = ...,
    num_axes: int = ...,
    filler: pb.FillerParameter | Mapping[str, Any] = ...,
    input_scale: float = ...,
    output_scale: float = ...,
    bias_scale: float = ...,
    input_zero_point: int = ...,
    output_zero_point: int = ...,
    bias_zero_point: int = ...,
    saturate: int | str = ...,
    quantize_method: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    bias_param: pb.BiasParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Sum with a smaller blob, learned or a second bottom.

    axis: The first axis of the bottom that the bias is added along. Default 1.
    num_axes: How many axes a learned bias has; -1: all from axis on. Default 1.
    filler: Initial values of a learned bias.
    input_scale: Default 1. Of synopsys.
    output_scale: Default 1. Of synopsys.
    bias_scale: Default 1. Of synopsys.
    input_zero_point: Default 0. Of synopsys.
    output_zero_point: Default 0. Of synopsys.
    bias_zero_point: Default 0. Of synopsys.
    saturate: Default None. Of synopsys.
    quantize_method: Default tflite. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def BoxAnnotatorOHEM(
    *bottoms: Top,
    roi_per_img: int = ...,
    ignore_label: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    box_annotator_ohem_param: pb.BoxAnnotatorOHEMParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Labels and weights of the boxes with the highest losses.

    ignore_label: Default -1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    box_annotator_ohem_param: Of rfcn, intel.
    """
@overload
def BoxAnnotatorOHEM(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def CTCGreedyDecoder(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    ctc_decoder_param: pb.CTCDecoderParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The best class of each time step, merged, without blanks.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    ctc_decoder_param: Of ctc.
    """
@overload
def CTCGreedyDecoder(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def CTCLoss(
    *bottoms: Top,
    output_delay: int = ...,
    blank_index: int = ...,
    preprocess_collapse_repeated: bool = ...,
    ctc_merge_repeated: bool = ...,
    loss_calculation_t: int = ...,
    alphabet_size: int = ...,
    time_step: int = ...,
    blank_label: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    ctc_loss_param: pb.CTCLossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Negative log of the probability of a sequence of labels.

    output_delay: Default 0.
    blank_index: Default -1.
    preprocess_collapse_repeated: Default false.
    ctc_merge_repeated: Default true.
    loss_calculation_t: Default 0. Of ctc.
    alphabet_size: Of CtcLoss alone; 1, 3 and 4 there. Default 0. Of warpctc.
    time_step: Default 0. Of warpctc.
    blank_label: Default 0. Of warpctc.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    ctc_loss_param: Of ctc, warpctc.
    """

def CenterLoss(
    *bottoms: Top,
    num_output: int = ...,
    center_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    axis: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    center_loss_param: pb.CenterLossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Half the mean squared distance to the centers of the classes.

    axis: Default 1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    center_loss_param: Of face.
    """

def ChannelNorm(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    in_place: bool = ...,
) -> Top:
    """sqrt(sum of squares) over the channels.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Clip(
    *bottoms: Top,
    min: float = ...,
    max: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    clip_param: pb.ClipParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """max(min, min(x, max)).

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Concat(
    *bottoms: Top,
    concat_dim: int = ...,
    axis: int = ...,
    engine: int | str = ...,
    per_fla_fuse: bool = ...,
    input_zero_point: int | Sequence[int] = ...,
    output_zero_point: int = ...,
    saturate: int | str = ...,
    quantize_method: int | str = ...,
    input_scale: float | Sequence[float] = ...,
    output_scale: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    concat_param: pb.ConcatParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Bottoms one after the other along an axis.

    concat_dim: The earlier name of axis. Default 1.
    axis: The axis along which the bottoms are put together. Default 1.
    engine: Default DEFAULT. Of intel.
    per_fla_fuse: Default false. Of intel.
    input_zero_point: Of synopsys.
    output_zero_point: Default 0. Of synopsys.
    saturate: Default None. Of synopsys.
    quantize_method: Default tflite. Of synopsys.
    input_scale: Of synopsys.
    output_scale: Default 1. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def ContinuationIndicator(
    *bottoms: Top,
    time_step: int = ...,
    batch_size: int = ...,
    axis: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    continuation_indicator_param: pb.ContinuationIndicatorParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """0 in the first time step, 1 in all others.

    time_step: Default 0.
    batch_size: Default 0.
    axis: Default 0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    continuation_indicator_param: Of warpctc.
    """

def ContrastiveLoss(
    *bottoms: Top,
    margin: float = ...,
    legacy_version: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    contrastive_loss_param: pb.ContrastiveLossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Squared distances of like pairs and margins of unlike ones.

    margin: The distance that unlike pairs are to keep. Default 1.
    legacy_version: Use the squared distance of unlike pairs, as in early Caffe. Default false.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def Convolution(
    *bottoms: Top,
    num_output: int = ...,
    bias_term: bool = ...,
    pad: int | Sequence[int] = ...,
    kernel_size: int | Sequence[int] = ...,
    group: int = ...,
    stride: int | Sequence[int] = ...,
    weight_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    bias_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    pad_h: int = ...,
    pad_w: int = ...,
    kernel_h: int = ...,
    kernel_w: int = ...,
    stride_h: int = ...,
    stride_w: int = ...,
    engine: int | str = ...,
    axis: int = ...,
    force_nd_im2col: bool = ...,
    dilation: int | Sequence[int] = ...,
    relu: bool = ...,
    negative_slope: float = ...,
    conv_algorithm: str = ...,
    shape_offset: int | Sequence[int] = ...,
    coeff: float | Sequence[float] = ...,
    fusion_type: int | str = ...,
    pad_l: int = ...,
    pad_r: int = ...,
    pad_t: int = ...,
    pad_b: int = ...,
    input_scale: float = ...,
    output_scale: float = ...,
    saturate: int | str = ...,
    weight_scale: float = ...,
    input_zero_point: int = ...,
    output_zero_point: int = ...,
    weight_zero_point: int = ...,
    per_channel_scale_weight: bool = ...,
    quantize_method: int | str = ...,
    per_channel_scale_output: bool = ...,
    submanifold_sparse: bool = ...,
    cudnn_convolution_algo_seeker: int | str = ...,
    conv_algos_override: str = ...,
    pad_type: int = ...,
    weight_fixed: bool = ...,
    dis_mode: bool = ...,
    gen_mode: bool = ...,
    hole: int | Sequence[int] = ...,
    hole_h: int = ...,
    hole_w: int = ...,
    kernel_depth: int = ...,
    temporal_stride: int = ...,
    temporal_pad: int = ...,
    filter_group: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    convolution_param: pb.ConvolutionParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Correlation of the bottom with learned kernels.

    num_output: Number of filters: the channels of the top.
    bias_term: Whether a bias is added to each filter's result. Default true.
    pad: Zeros added at each side: one number, or one for each spatial axis.
    kernel_size: Size of the filters: one number, or one for each spatial axis.
    group: The channels are divided into so many groups, which are convolved apart. Default 1.
    stride: Step of the filters: one number, or one for each spatial axis.
    weight_filler: Initial values of the weights.
    bias_filler: Initial values of the bias.
    pad_h: Zeros above and below. Default 0.
    pad_w: Zeros at the left and right. Default 0.
    kernel_h: Height of the filters.
    kernel_w: Width of the filters.
    stride_h: Step downwards.
    stride_w: Step to the right.
    engine: CAFFE or CUDNN, which has no effect here. Default DEFAULT.
    axis: The axis of the channels; the axes behind it are convolved. Default 1.
    force_nd_im2col: Compute 2 spatial axes as N, which has no effect here. Default false.
    dilation: Distance between the elements of a filter: one number, or one for each spatial axis.
    relu: Default false. Of intel.
    negative_slope: Default 0. Of intel.
    conv_algorithm: Default "direct". Of intel.
    shape_offset: Of synopsys.
    coeff: Of intel.
    fusion_type: Default NONE_FUSION. Of intel.
    pad_l: Default 0. Of synopsys.
    pad_r: Default 0. Of synopsys.
    pad_t: Default 0. Of synopsys.
    pad_b: Default 0. Of synopsys.
    input_scale: Default 1. Of synopsys.
    output_scale: Default 1. Of synopsys.
    saturate: Default None. Of synopsys.
    weight_scale: Default 1. Of synopsys.
    input_zero_point: Default 0. Of synopsys.
    output_zero_point: Default 0. Of synopsys.
    weight_zero_point: Default 0. Of synopsys.
    per_channel_scale_weight: Default false. Of synopsys.
    quantize_method: Default tflite. Of synopsys.
    per_channel_scale_output: Default false. Of synopsys.
    submanifold_sparse: Default false. Of synopsys.
    cudnn_convolution_algo_seeker: Default FINDEX. Of nv.
    conv_algos_override: Default "-1,-1,-1". Of nv.
    pad_type: Default 0. Of synopsys.
    weight_fixed: Default false. Of synopsys.
    dis_mode: Default false. Of synopsys.
    gen_mode: Default false. Of synopsys.
    hole: Dilation before BVLC had it; optional in deeplab. Of deeplab.
    hole_h: Of deeplab.
    hole_w: Of deeplab.
    kernel_depth: Of c3d.
    temporal_stride: Default 1. Of c3d.
    temporal_pad: Default 0. Of c3d.
    filter_group: Default 1. Of c3d.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def Convolution(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def Convolution3D(
    *bottoms: Top,
    num_output: int = ...,
    bias_term: bool = ...,
    pad: int = ...,
    kernel_size: int = ...,
    group: int = ...,
    kernel_depth: int = ...,
    stride: int = ...,
    temporal_stride: int = ...,
    weight_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    bias_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    filter_group: int = ...,
    temporal_pad: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    convolution3d_param: pb.Convolution3DParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Correlation of a volume with learned kernels.

    bias_term: Default true.
    pad: Default 0.
    group: Default 1.
    stride: Default 1.
    temporal_stride: Default 1.
    filter_group: Default 1.
    temporal_pad: Default 0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    convolution3d_param: Of c3d.
    """

def ConvolutionDepthwise(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    convolution_param: pb.ConvolutionParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Correlation of each channel with its own kernel.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Correlation(
    *bottoms: Top,
    pad: int = ...,
    kernel_size: int = ...,
    max_displacement: int = ...,
    stride_1: int = ...,
    stride_2: int = ...,
    correlation_type: int | str = ...,
    do_abs: bool = ...,
    single_direction: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    correlation_param: pb.CorrelationParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Mean products of patches of one map with those of another.

    pad: Default 0.
    stride_1: Default 1.
    stride_2: Default 1.
    correlation_type: Default MULTIPLY.
    do_abs: Default false. Of flownet.
    single_direction: Default 0. Of flownet.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    correlation_param: Of flownet, synopsys.
    """

def Crop(
    *bottoms: Top,
    axis: int = ...,
    offset: int | Sequence[int] = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    crop_param: pb.CropParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The first bottom cut to the size of the second.

    axis: The first axis that is cropped. Default 2.
    offset: Where the cut begins: one number, or one for each axis that is cropped.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def CtcLoss(
    *bottoms: Top,
    output_delay: int = ...,
    blank_index: int = ...,
    preprocess_collapse_repeated: bool = ...,
    ctc_merge_repeated: bool = ...,
    loss_calculation_t: int = ...,
    alphabet_size: int = ...,
    time_step: int = ...,
    blank_label: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    ctc_loss_param: pb.CTCLossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Negative log of the probability of a sequence of labels.

    output_delay: Default 0.
    blank_index: Default -1.
    preprocess_collapse_repeated: Default false.
    ctc_merge_repeated: Default true.
    loss_calculation_t: Default 0. Of ctc.
    alphabet_size: Of CtcLoss alone; 1, 3 and 4 there. Default 0. Of warpctc.
    time_step: Default 0. Of warpctc.
    blank_label: Default 0. Of warpctc.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    ctc_loss_param: Of ctc, warpctc.
    """

@overload
def Data(
    *,
    source: str = ...,
    scale: float = ...,
    mean_file: str = ...,
    batch_size: int = ...,
    crop_size: int = ...,
    mirror: bool = ...,
    rand_skip: int = ...,
    backend: int | str = ...,
    force_encoded_color: bool = ...,
    prefetch: int = ...,
    shuffle: bool = ...,
    side: int | Sequence[int] = ...,
    cache: bool = ...,
    precache: bool = ...,
    random: bool = ...,
    preselection_file: str = ...,
    preselection_label: int = ...,
    range_start: int = ...,
    range_end: int = ...,
    rand_permute: bool = ...,
    rand_permute_order: int | str = ...,
    rand_permute_seed: int = ...,
    slice_point: int | Sequence[int] = ...,
    encoding: int | str | Sequence[int | str] = ...,
    verbose: bool = ...,
    subtract: float | Sequence[float] = ...,
    permute_every_iter: int = ...,
    block_size: int = ...,
    disk_reader_threads: int = ...,
    huge_video_dataset: bool = ...,
    limit_samples: int = ...,
    threads: int = ...,
    parser_threads: int = ...,
    shared_file_system: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    data_param: pb.DataParameter | Mapping[str, Any] = ...,
    transform_param: pb.TransformationParameter | Mapping[str, Any] = ...,
) -> Top:
    """Records of a database, in key order or shuffled, over and over.

    source: The database.
    scale: The earlier place of transform_param's scale. Default 1.
    mean_file: The earlier place of transform_param's mean_file.
    batch_size: Records in a batch.
    crop_size: The earlier place of transform_param's crop_size. Default 0.
    mirror: The earlier place of transform_param's mirror. Default false.
    rand_skip: Skip a random number of records, less than this, at the start. Default 0.
    backend: LEVELDB or LMDB. Default LEVELDB.
    force_encoded_color: Decode image files in colour. Default false.
    prefetch: So many batches are read ahead. Default 4.
    shuffle: Default false. Of intel, nv.
    side: Of intel, synopsys.
    cache: Default false. Of nv.
    precache: Default false. Of nv.
    random: Default false. Of synopsys.
    preselection_file: Of synopsys.
    preselection_label: Of synopsys.
    range_start: Default 0. Of synopsys.
    range_end: Default -1. Of synopsys.
    rand_permute: Default false. Of synopsys.
    rand_permute_order: Default FIRST_PERMUTE_THEN_RANGE. Of synopsys.
    rand_permute_seed: Default 0. Of synopsys.
    slice_point: Of synopsys.
    encoding: Of synopsys.
    verbose: Default false. Of synopsys.
    subtract: Of synopsys.
    permute_every_iter: Default 0. Of synopsys.
    block_size: Default 0. Of synopsys.
    disk_reader_threads: Default 1. Of synopsys.
    huge_video_dataset: Default false. Of synopsys.
    limit_samples: Default -1. Of synopsys.
    threads: Default 0. Of nv.
    parser_threads: Default 0. Of nv.
    shared_file_system: Default false. Of pmls.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    transform_param: What is done to the images of a data layer.
    """
@overload
def Data(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def Deconvolution(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    convolution_param: pb.ConvolutionParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The gradient of a convolution: kernels spread over the top.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def Deconvolution(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def DenseImageData(
    *,
    source: str = ...,
    batch_size: int = ...,
    rand_skip: int = ...,
    shuffle: bool = ...,
    new_height: int = ...,
    new_width: int = ...,
    is_color: bool = ...,
    mean_file: str = ...,
    root_folder: str = ...,
    mirror: bool = ...,
    crop_width: int = ...,
    crop_height: int = ...,
    label_divide_factor: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    dense_image_data_param: pb.DenseImageDataParameter | Mapping[str, Any] = ...,
    transform_param: pb.TransformationParameter | Mapping[str, Any] = ...,
    data_param: pb.DataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Images and, for each, an image of its pixels' labels.

    rand_skip: Default 0.
    shuffle: Default false.
    new_height: Default 0.
    new_width: Default 0.
    is_color: Default true.
    mirror: Default false.
    crop_width: Default 0.
    crop_height: Default 0.
    label_divide_factor: Default 1. Of enet.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    dense_image_data_param: Of segnet, synopsys.
    transform_param: What is done to the images of a data layer.
    """
@overload
def DenseImageData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def DepthwiseConvolution(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    convolution_param: pb.ConvolutionParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """A grouped convolution by another name.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def DepthwiseConvolution(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def DetectNetTransformation(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    detectnet_groundtruth_param: pb.DetectNetGroundTruthParameter | Mapping[str, Any] = ...,
    detectnet_augmentation_param: pb.DetectNetAugmentationParameter | Mapping[str, Any] = ...,
    transform_param: pb.TransformationParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Pictures changed at random, their boxes on a grid.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    detectnet_groundtruth_param: Of nv.
    detectnet_augmentation_param: Of nv.
    transform_param: What is done to the images of a data layer.
    """
@overload
def DetectNetTransformation(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def DetectionEvaluate(
    *bottoms: Top,
    num_classes: int = ...,
    background_label_id: int = ...,
    overlap_threshold: float = ...,
    evaluate_difficult_gt: bool = ...,
    name_size_file: str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    detection_evaluate_param: pb.DetectionEvaluateParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Detections as true or false positives, object counts.

    background_label_id: Default 0.
    overlap_threshold: Default 0.5.
    evaluate_difficult_gt: Default true.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    detection_evaluate_param: Of ssd, yolo, intel, nv, synopsys.
    """

def DetectionOutput(
    *bottoms: Top,
    num_classes: int = ...,
    share_location: bool = ...,
    background_label_id: int = ...,
    code_type: int | str = ...,
    keep_top_k: int = ...,
    variance_encoded_in_target: bool = ...,
    confidence_threshold: float = ...,
    visualize: bool = ...,
    visualize_threshold: float = ...,
    save_file: str = ...,
    objectness_score: float = ...,
    ratio_permute: bool = ...,
    ratio0: int = ...,
    ratio1: int = ...,
    ratio2: int = ...,
    ratio3: int = ...,
    ratio4: int = ...,
    ratio5: int = ...,
    no_permute: bool = ...,
    nbottom: int = ...,
    tflite_detection: bool = ...,
    tflite_use_regular_nms: bool = ...,
    max_classes_per_detection: int = ...,
    scale_xywh: float | Sequence[float] = ...,
    arm_conf_no_concat: bool = ...,
    arm_loc_no_concat: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    detection_output_param: pb.DetectionOutputParameter | Mapping[str, Any] = ...,
    nms_param: pb.NMSParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Boxes with labels and scores after suppression.

    num_classes: Of ssd, yolo, intel, nv, synopsys.
    share_location: Default true. Of ssd, yolo, intel, nv, synopsys.
    background_label_id: Default 0. Of ssd, yolo, intel, nv, synopsys.
    code_type: Default CORNER. Of ssd, yolo, intel, nv, synopsys.
    keep_top_k: Default -1. Of ssd, yolo, intel, nv, synopsys.
    variance_encoded_in_target: Default false. Of ssd, yolo, intel, nv, synopsys.
    confidence_threshold: Of ssd, yolo, intel, nv, synopsys.
    visualize: Default false. Of ssd, yolo, intel, nv, synopsys.
    visualize_threshold: Of ssd, yolo, intel, nv, synopsys.
    save_file: Of ssd, yolo, intel, nv, synopsys.
    objectness_score: Default 0.01. Of refinedet, synopsys.
    ratio_permute: Default false. Of synopsys.
    ratio0: Default 3. Of synopsys.
    ratio1: Default 6. Of synopsys.
    ratio2: Default 6. Of synopsys.
    ratio3: Default 6. Of synopsys.
    ratio4: Default 6. Of synopsys.
    ratio5: Default 6. Of synopsys.
    no_permute: Default false. Of synopsys.
    nbottom: Default 6. Of synopsys.
    tflite_detection: Default false. Of synopsys.
    tflite_use_regular_nms: Default false. Of synopsys.
    max_classes_per_detection: Default 1. Of synopsys.
    scale_xywh: Of synopsys.
    arm_conf_no_concat: Default false. Of synopsys.
    arm_loc_no_concat: Default false. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    detection_output_param: Of ssd, yolo, intel, nv, synopsys.
    nms_param: Of synopsys.
    """

def Downsample(
    *bottoms: Top,
    top_height: int = ...,
    top_width: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    downsample_param: pb.DownsampleParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Planes resized with aligned corners; NaN are left out.

    top_height: Default 0.
    top_width: Default 0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    downsample_param: Of flownet, synopsys.
    """

def Dropout(
    *bottoms: Top,
    dropout_ratio: float = ...,
    scale_train: bool = ...,
    random_seed: int = ...,
    sample_weights_test: bool = ...,
    engine: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    dropout_param: pb.DropoutParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Zero at random, the rest scaled up; the identity in TEST.

    dropout_ratio: The probability that a value becomes 0 in training. Default 0.5.
    scale_train: Default true. Of fast-rcnn, rfcn, synopsys.
    random_seed: Default -1. Of nv.
    sample_weights_test: Default false. Of segnet, synopsys.
    engine: Default DEFAULT. Of nv.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def DummyData(
    *,
    data_filler: pb.FillerParameter | Mapping[str, Any] | Sequence[pb.FillerParameter | Mapping[str, Any]] = ...,
    num: int | Sequence[int] = ...,
    channels: int | Sequence[int] = ...,
    height: int | Sequence[int] = ...,
    width: int | Sequence[int] = ...,
    shape: pb.BlobShape | Mapping[str, Any] | Sequence[pb.BlobShape | Mapping[str, Any]] = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    dummy_data_param: pb.DummyDataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Tops that fillers fill.

    data_filler: Values of all tops, or of each.
    num: Length of axis 0 of all tops, or of each: the earlier form of shape.
    channels: Length of axis 1.
    height: Length of axis 2.
    width: Length of axis 3.
    shape: Shape of all tops, or of each.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def DummyData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def ELU(
    *bottoms: Top,
    alpha: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    elu_param: pb.ELUParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """x above 0, alpha * (exp(x) - 1) below, times lambda.

    alpha: The value that negative inputs approach, negated. Default 1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Eltwise(
    *bottoms: Top,
    operation: int | str = ...,
    coeff: float | Sequence[float] = ...,
    stable_prod_grad: bool = ...,
    engine: int | str = ...,
    saturate: int | str = ...,
    axis: int = ...,
    input_scale: float | Sequence[float] = ...,
    output_scale: float = ...,
    input_zero_point: int | Sequence[int] = ...,
    output_zero_point: int = ...,
    quantize_method: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    eltwise_param: pb.EltwiseParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """One element from the same element of each bottom.

    operation: PROD, SUM or MAX of the bottoms. Default SUM.
    coeff: SUM: factor of each bottom.
    stable_prod_grad: PROD: multiply the other bottoms for the gradient, which is right where one is 0. Default true.
    engine: Default DEFAULT. Of intel.
    saturate: Default None. Of synopsys.
    axis: Default 0. Of synopsys.
    input_scale: Of synopsys.
    output_scale: Default 1. Of synopsys.
    input_zero_point: Of synopsys.
    output_zero_point: Default 0. Of synopsys.
    quantize_method: Default tflite. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Embed(
    *bottoms: Top,
    num_output: int = ...,
    input_dim: int = ...,
    bias_term: bool = ...,
    weight_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    bias_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    embed_param: pb.EmbedParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The product of one-hot vectors with a matrix, by looking its rows up.

    num_output: Length of the vectors.
    input_dim: Number of vectors: the bottom holds integers below it.
    bias_term: Whether a bias is added. Default true.
    weight_filler: Initial values of the vectors.
    bias_filler: Initial values of the bias.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def EuclideanLoss(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    in_place: bool = ...,
) -> Top:
    """Half the squared distance, divided by the batch size.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Exp(
    *bottoms: Top,
    base: float = ...,
    scale: float = ...,
    shift: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    exp_param: pb.ExpParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """base ^ (shift + scale * x).

    base: The base; -1: e. Default -1.
    scale: Factor of the input: base ^ (shift + scale * x). Default 1.
    shift: Added to the scaled input. Default 0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def Filter(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    in_place: bool = ...,
) -> Top:
    """Drops the items whose selector is 0.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def Filter(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def Flatten(
    *bottoms: Top,
    axis: int = ...,
    end_axis: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    flatten_param: pb.FlattenParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Axes ``axis`` to ``end_axis`` made one.

    axis: The first axis that is flattened. Default 1.
    end_axis: The last axis that is flattened; negative: from the end. Default -1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def FlowWarp(
    *bottoms: Top,
    fill_value: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    flow_warp_param: pb.FlowWarpParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Each pixel read where its flow points, bilinearly.

    fill_value: Default ZERO.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    flow_warp_param: Of flownet, synopsys.
    """

@overload
def Gather(
    *bottoms: Top,
    indices: int | Sequence[int] = ...,
    shape: int | Sequence[int] = ...,
    axis: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    gather_param: pb.GatherParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Its bottoms as they are.

    axis: Default 0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    gather_param: Of synopsys.
    """
@overload
def Gather(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def HDF5Data(
    *,
    source: str = ...,
    batch_size: int = ...,
    shuffle: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    hdf5_data_param: pb.HDF5DataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Rows of datasets in HDF5 files, over and over.

    source: A text file with the name of an HDF5 file a line.
    batch_size: Items in a batch.
    shuffle: Read the files and their items in random order. Default false.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def HDF5Data(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def HDF5Output(
    *bottoms: Top,
    file_name: str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    hdf5_output_param: pb.HDF5OutputParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
    ntop: Literal[0],
) -> Function:
    """Writes its bottoms to a file.

    file_name: The file that is written.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def HingeLoss(
    *bottoms: Top,
    norm: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    hinge_loss_param: pb.HingeLossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """How far each score is from its margin of 1.

    norm: L1 or L2: the sum of the distances, or of their squares. Default L1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Im2col(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    convolution_param: pb.ConvolutionParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Each window laid out along the channel axis.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def ImageData(
    *,
    source: str = ...,
    scale: float = ...,
    mean_file: str = ...,
    batch_size: int = ...,
    crop_size: int = ...,
    mirror: bool = ...,
    rand_skip: int = ...,
    shuffle: bool = ...,
    new_height: int = ...,
    new_width: int = ...,
    is_color: bool = ...,
    root_folder: str = ...,
    min_height: int = ...,
    min_width: int = ...,
    ignore_label: int = ...,
    label_type: int | str = ...,
    dataset_share_per_node: float = ...,
    short_side: int = ...,
    threads: int = ...,
    cache: bool = ...,
    precache: bool = ...,
    shared_file_system: bool = ...,
    new_length: int = ...,
    show_data: int = ...,
    use_image: bool = ...,
    sampling_rate: int = ...,
    use_label: bool = ...,
    use_temporal_jitter: bool = ...,
    mean_value: float = ...,
    num_truth_channels: int = ...,
    use_byte_input: bool = ...,
    is_flow: bool = ...,
    truth_scale: float = ...,
    clip_min: float = ...,
    clip_max: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    image_data_param: pb.ImageDataParameter | Mapping[str, Any] = ...,
    transform_param: pb.TransformationParameter | Mapping[str, Any] = ...,
    data_param: pb.DataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Images that a list names, over and over.

    source: A text file with the name of an image and its label a line.
    scale: The earlier place of transform_param's scale. Default 1.
    mean_file: The earlier place of transform_param's mean_file.
    batch_size: Images in a batch. Default 1.
    crop_size: The earlier place of transform_param's crop_size. Default 0.
    mirror: The earlier place of transform_param's mirror. Default false.
    rand_skip: Skip a random number of images, less than this, at the start. Default 0.
    shuffle: Read the images in random order. Default false.
    new_height: Resize images to this height; 0: leave them as they are. Default 0.
    new_width: Resize images to this width. Default 0.
    is_color: Read images in colour, not gray. Default true.
    root_folder: Put before each name in the list.
    min_height: Default 0. Of intel.
    min_width: Default 0. Of intel.
    ignore_label: Default 255. Of pspnet, synopsys.
    label_type: Default IMAGE. Of pspnet, synopsys.
    dataset_share_per_node: Default 1. Of nv.
    short_side: Default 0. Of nv.
    threads: Default 4. Of nv.
    cache: Default false. Of nv.
    precache: Default false. Of nv.
    shared_file_system: Default false. Of pmls.
    new_length: Default 0. Of c3d.
    show_data: Default 0. Of c3d.
    use_image: Default false. Of c3d.
    sampling_rate: Default 1. Of c3d.
    use_label: Default true. Of c3d.
    use_temporal_jitter: Default false. Of c3d.
    mean_value: Default 0. Of c3d.
    num_truth_channels: Default 1. Of c3d.
    use_byte_input: Default false. Of c3d.
    is_flow: Default false. Of c3d.
    truth_scale: Default 1. Of c3d.
    clip_min: Of c3d.
    clip_max: Of c3d.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    transform_param: What is done to the images of a data layer.
    """
@overload
def ImageData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def ImageLabelmapData(
    *,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    image_data_param: pb.ImageDataParameter | Mapping[str, Any] = ...,
    transform_param: pb.TransformationParameter | Mapping[str, Any] = ...,
    data_param: pb.DataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Images and, for each, which of its pixels are edges.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    transform_param: What is done to the images of a data layer.
    """
@overload
def ImageLabelmapData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def ImageSegData(
    *,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    image_data_param: pb.ImageDataParameter | Mapping[str, Any] = ...,
    transform_param: pb.TransformationParameter | Mapping[str, Any] = ...,
    data_param: pb.DataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Images of a list, with a label for each pixel.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    transform_param: What is done to the images of a data layer.
    """
@overload
def ImageSegData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def InfogainLoss(
    *bottoms: Top,
    source: str = ...,
    axis: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    infogain_loss_param: pb.InfogainLossParameter | Mapping[str, Any] = ...,
    loss_param: pb.LossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Log of the softmax, weighted by the label's row of a matrix.

    source: A file with the infogain matrix, (1, 1, classes, classes).
    axis: The axis of the classes. Default 1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    loss_param: Which labels count in a loss, and what it is divided by.
    """
@overload
def InfogainLoss(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def InnerProduct(
    *bottoms: Top,
    num_output: int = ...,
    bias_term: bool = ...,
    weight_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    bias_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    axis: int = ...,
    transpose: bool = ...,
    engine: int | str = ...,
    relu: bool = ...,
    negative_slope: float = ...,
    input_scale: float = ...,
    output_scale: float = ...,
    weight_scale: float = ...,
    input_zero_point: int = ...,
    output_zero_point: int = ...,
    weight_zero_point: int = ...,
    saturate: int | str = ...,
    quantize_method: int | str = ...,
    weight_fixed: bool = ...,
    dis_mode: bool = ...,
    gen_mode: bool = ...,
    normalize: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    inner_product_param: pb.InnerProductParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Product with a matrix, plus a bias.

    num_output: Number of outputs.
    bias_term: Whether a bias is added. Default true.
    weight_filler: Initial values of the weights.
    bias_filler: Initial values of the bias.
    axis: The axes from this one on are one vector of inputs. Default 1.
    transpose: Keep the weights as (inputs, outputs). Default false.
    engine: Default DEFAULT. Of intel.
    relu: Default false. Of intel.
    negative_slope: Default 0. Of intel.
    input_scale: Default 1. Of synopsys.
    output_scale: Default 1. Of synopsys.
    weight_scale: Default 1. Of synopsys.
    input_zero_point: Default 0. Of synopsys.
    output_zero_point: Default 0. Of synopsys.
    weight_zero_point: Default 0. Of synopsys.
    saturate: Default None. Of synopsys.
    quantize_method: Default tflite. Of synopsys.
    weight_fixed: Default false. Of synopsys.
    dis_mode: Default false. Of synopsys.
    gen_mode: Default false. Of synopsys.
    normalize: Default false. Of caffe-windows.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def Input(
    *,
    shape: pb.BlobShape | Mapping[str, Any] | Sequence[pb.BlobShape | Mapping[str, Any]] = ...,
    output_scale: float = ...,
    output_zero_point: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    input_param: pb.InputParameter | Mapping[str, Any] = ...,
) -> Top:
    """Blobs that the caller of the net fills.

    shape: Shape of all tops, or of each.
    output_scale: Default 1. Of synopsys.
    output_zero_point: Default 0. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def Input(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def Interp(
    *bottoms: Top,
    height: int = ...,
    width: int = ...,
    zoom_factor: int = ...,
    shrink_factor: int = ...,
    pad_beg: int = ...,
    pad_end: int = ...,
    full_zoom_factor: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    interp_param: pb.InterpParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Bilinear interpolation with aligned corners.

    height: Default 0.
    width: Default 0.
    zoom_factor: Default 1.
    shrink_factor: Default 1.
    pad_beg: Default 0.
    pad_end: Default 0.
    full_zoom_factor: Default 1. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    interp_param: Of pspnet, lab, synopsys.
    """

def L1Loss(
    *bottoms: Top,
    l2_per_location: bool = ...,
    l2_prescale_by_channels: bool = ...,
    normalize_by_num_entries: bool = ...,
    epsilon: float = ...,
    plateau: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    l1_loss_param: pb.L1LossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Sum of absolute differences, divided by the batch size.

    l2_per_location: Default false.
    l2_prescale_by_channels: Default false.
    normalize_by_num_entries: Default false.
    epsilon: Default 0.01.
    plateau: Default 0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    l1_loss_param: Of flownet, synopsys.
    """

def LRN(
    *bottoms: Top,
    local_size: int = ...,
    alpha: float = ...,
    beta: float = ...,
    norm_region: int | str = ...,
    k: float = ...,
    engine: int | str = ...,
    input_scale: float = ...,
    output_scale: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    lrn_param: pb.LRNParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Each value divided by a power of the squares around it.

    local_size: How many channels, or rows and columns, count around each element; odd. Default 5.
    alpha: Factor of the sum of squares. Default 1.
    beta: Exponent of the divisor. Default 0.75.
    norm_region: ACROSS_CHANNELS or WITHIN_CHANNEL. Default ACROSS_CHANNELS.
    k: Added to the sum of squares. Default 1.
    engine: CAFFE or CUDNN, which has no effect here. Default DEFAULT.
    input_scale: Default 1. Of synopsys.
    output_scale: Default 1. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def LSTM(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    recurrent_param: pb.RecurrentParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Long short-term memory over a whole sequence.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def LSTM(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def LSTMUnit(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    in_place: bool = ...,
) -> Top:
    """Gates, cells and hidden state of one time step.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def LSTMUnit(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def LabelSpecificAdd(
    *bottoms: Top,
    bias: float = ...,
    bias_base: float = ...,
    bias_gamma: float = ...,
    bias_power: float = ...,
    bias_min: float = ...,
    bias_max: float = ...,
    iteration: int = ...,
    transform_test: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    label_specific_add_param: pb.LabelSpecificAddParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Scores of classes, a bias added to that of the label.

    bias: Default 0.
    bias_base: Default 0.
    bias_gamma: Default 0.
    bias_power: Default 1.
    bias_min: Default 0.
    bias_max: Default 0.
    iteration: Default 0.
    transform_test: Default false. Of caffe-windows.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    label_specific_add_param: Of caffe-windows.
    """
@overload
def LabelSpecificAdd(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def LabelsequenceAccuracy(
    *bottoms: Top,
    blank_label: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    labelsequence_accuracy_param: pb.LabelsequenceAccuracyParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Share of sequences that are decoded to their labels.

    blank_label: Default 0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    labelsequence_accuracy_param: Of warpctc.
    """

def Log(
    *bottoms: Top,
    base: float = ...,
    scale: float = ...,
    shift: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    log_param: pb.LogParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """log(shift + scale * x) to the base.

    base: The base; -1: e. Default -1.
    scale: Factor of the input: log(shift + scale * x). Default 1.
    shift: Added to the scaled input. Default 0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Lstm(
    *bottoms: Top,
    num_output: int = ...,
    clipping_threshold: float = ...,
    weight_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    bias_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    batch_size: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    lstm_param: pb.LstmParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Long short-term memory with a clipped gradient.

    clipping_threshold: Default 0.
    batch_size: Default 1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    lstm_param: Of caffe-lstm, ctpn.
    """

def MVN(
    *bottoms: Top,
    normalize_variance: bool = ...,
    across_channels: bool = ...,
    eps: float = ...,
    add_eps_before_sqrt: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    mvn_param: pb.MVNParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """(x - mean) / (standard deviation + eps) of each channel of each item.

    normalize_variance: Divide by the standard deviation, too. Default true.
    across_channels: Mean and deviation of all channels of an item together. Default false.
    eps: Added to the standard deviation. Default 1e-09.
    add_eps_before_sqrt: Default false. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def MarginInnerProduct(
    *bottoms: Top,
    num_output: int = ...,
    type: int | str = ...,
    weight_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    axis: int = ...,
    base: float = ...,
    gamma: float = ...,
    power: float = ...,
    iteration: int = ...,
    lambda_min: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    margin_inner_product_param: pb.MarginInnerProductParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Product with unit weights, with a margin for the label.

    type: Default SINGLE.
    axis: Default 1.
    base: Default 1.
    gamma: Default 0.
    power: Default 1.
    iteration: Default 0.
    lambda_min: Default 0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    margin_inner_product_param: Of sphereface.
    """
@overload
def MarginInnerProduct(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def MemoryData(
    *,
    batch_size: int = ...,
    channels: int = ...,
    height: int = ...,
    width: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    memory_data_param: pb.MemoryDataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Arrays that a program gives, over and over.

    batch_size: Items in a batch.
    channels: Channels of an item.
    height: Height of an item.
    width: Width of an item.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def MemoryData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def MultiBoxLoss(
    *bottoms: Top,
    loc_loss_type: int | str = ...,
    conf_loss_type: int | str = ...,
    loc_weight: float = ...,
    num_classes: int = ...,
    share_location: bool = ...,
    match_type: int | str = ...,
    overlap_threshold: float = ...,
    use_prior_for_matching: bool = ...,
    background_label_id: int = ...,
    use_difficult_gt: bool = ...,
    do_neg_mining: bool = ...,
    neg_pos_ratio: float = ...,
    neg_overlap: float = ...,
    code_type: int | str = ...,
    encode_variance_in_target: bool = ...,
    map_object_to_agnostic: bool = ...,
    ignore_cross_boundary_bbox: bool = ...,
    bp_inside: bool = ...,
    mining_type: int | str = ...,
    sample_size: int = ...,
    use_prior_for_nms: bool = ...,
    ignore_difficult_gt: bool = ...,
    objectness_score: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    multibox_loss_param: pb.MultiBoxLossParameter | Mapping[str, Any] = ...,
    nms_param: pb.NMSParameter | Mapping[str, Any] = ...,
    loss_param: pb.LossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Loss of matched boxes, of their scores and of hard examples.

    loc_loss_type: Default SMOOTH_L1.
    conf_loss_type: Default SOFTMAX.
    loc_weight: Factor of the loss of the places. Default 1.
    num_classes: Number of classes, the background's included.
    share_location: All classes have one box for each prior. Default true.
    match_type: Default PER_PREDICTION.
    overlap_threshold: A prior belongs to an object from this overlap on. Default 0.5.
    use_prior_for_matching: Default true.
    background_label_id: The class of the background. Default 0.
    use_difficult_gt: Default true.
    neg_pos_ratio: So many background priors count for each that has an object. Default 3.
    neg_overlap: Default 0.5.
    code_type: Default CORNER.
    encode_variance_in_target: Default false.
    map_object_to_agnostic: Default false.
    ignore_cross_boundary_bbox: Default false.
    bp_inside: Default false.
    mining_type: Default MAX_NEGATIVE.
    sample_size: Default 64.
    use_prior_for_nms: Default false.
    ignore_difficult_gt: Default false. Of nv.
    objectness_score: Default 0.01. Of refinedet, synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    multibox_loss_param: Of ssd, yolo, intel, nv, synopsys.
    nms_param: Of synopsys.
    loss_param: Which labels count in a loss, and what it is divided by.
    """

def MultinomialLogisticLoss(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    in_place: bool = ...,
) -> Top:
    """Minus the log of the labelled class's probability.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def Normalize(
    *bottoms: Top,
    across_spatial: bool = ...,
    scale_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    channel_shared: bool = ...,
    eps: float = ...,
    add_eps_before_sqrt: bool = ...,
    normalize_type: str = ...,
    fix_gradient: bool = ...,
    bp_norm: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    norm_param: pb.NormalizeParameter | Mapping[str, Any] = ...,
    normalize_param: pb.DirectionParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """x / sqrt(sum of squares + eps), times a learned scale or none.

    across_spatial: Default true.
    channel_shared: Default true.
    eps: Default 1e-10.
    add_eps_before_sqrt: Default true. Of synopsys.
    normalize_type: Default "L2".
    fix_gradient: Default false.
    bp_norm: Default false.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    norm_param: Of ssd, yolo, intel, nv, synopsys.
    normalize_param: Of caffe-windows.
    """
@overload
def Normalize(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def PReLU(
    *bottoms: Top,
    filler: pb.FillerParameter | Mapping[str, Any] = ...,
    channel_shared: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    prelu_param: pb.PReLUParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """max(x, 0) + slope * min(x, 0).

    filler: Initial slopes for negative values; 0.25 by default.
    channel_shared: One slope for all channels. Default false.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def PSROIPooling(
    *bottoms: Top,
    spatial_scale: float = ...,
    output_dim: int = ...,
    group_size: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    psroi_pooling_param: pb.PSROIPoolingParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Mean in each cell of a grid over each region, by channel.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    psroi_pooling_param: Of rfcn, intel.
    """

@overload
def ParallelData(
    *,
    source: str = ...,
    label: str = ...,
    mean_file: str = ...,
    batch_size: int = ...,
    crop_size: int = ...,
    mirror: bool = ...,
    rand_skip: int = ...,
    shuffle: bool = ...,
    new_height: int = ...,
    new_width: int = ...,
    is_color: bool = ...,
    root_folder: str = ...,
    test: bool = ...,
    headerSize: int = ...,
    max_block_size: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    parallel_data_param: pb.ParallelDataParameter | Mapping[str, Any] = ...,
    transform_param: pb.TransformationParameter | Mapping[str, Any] = ...,
    data_param: pb.DataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Raw images that lie one after another in a file, over and over.

    batch_size: Default 1.
    crop_size: Default 0.
    mirror: Default false.
    rand_skip: Default 0.
    shuffle: Default false.
    new_height: Default 0.
    new_width: Default 0.
    is_color: Default true.
    test: Default false.
    headerSize: Default 13.
    max_block_size: Default 50.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    parallel_data_param: Of gpi.
    transform_param: What is done to the images of a data layer.
    """
@overload
def ParallelData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def ParallelInMemData(
    *,
    source: str = ...,
    label: str = ...,
    mean_file: str = ...,
    batch_size: int = ...,
    crop_size: int = ...,
    mirror: bool = ...,
    rand_skip: int = ...,
    shuffle: bool = ...,
    new_height: int = ...,
    new_width: int = ...,
    is_color: bool = ...,
    root_folder: str = ...,
    test: bool = ...,
    headerSize: int = ...,
    max_block_size: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    parallel_inmem_data_param: pb.ParallelInMemDataParameter | Mapping[str, Any] = ...,
    parallel_data_param: pb.ParallelDataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Raw images of a file, kept in the memory of all hosts.

    batch_size: Default 1.
    crop_size: Default 0.
    mirror: Default false.
    rand_skip: Default 0.
    shuffle: Default false.
    new_height: Default 0.
    new_width: Default 0.
    is_color: Default true.
    test: Default false.
    headerSize: Default 13.
    max_block_size: Default 50.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    parallel_inmem_data_param: Of gpi.
    parallel_data_param: Of gpi.
    """
@overload
def ParallelInMemData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def Parameter(
    *,
    shape: pb.BlobShape | Mapping[str, Any] = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    parameter_param: pb.ParameterParameter | Mapping[str, Any] = ...,
) -> Top:
    """A learned blob that other layers read.

    shape: Shape of the parameter.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Permute(
    *bottoms: Top,
    order: int | Sequence[int] = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    permute_param: pb.PermuteParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The bottom's axes in another order.

    order: The bottom's axes in the top's order.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    permute_param: Of ssd, yolo, intel, nv, synopsys.
    """

@overload
def Pooling(
    *bottoms: Top,
    pool: int | str = ...,
    kernel_size: int = ...,
    stride: int = ...,
    pad: int = ...,
    kernel_h: int = ...,
    kernel_w: int = ...,
    stride_h: int = ...,
    stride_w: int = ...,
    pad_h: int = ...,
    pad_w: int = ...,
    engine: int | str = ...,
    global_pooling: bool = ...,
    round_mode: int | str = ...,
    axis: int = ...,
    pad_3d: int | Sequence[int] = ...,
    kernel_size_3d: int | Sequence[int] = ...,
    stride_3d: int | Sequence[int] = ...,
    pad_t: int = ...,
    pad_b: int = ...,
    output_shift_instead_division: int = ...,
    saturate: int | str = ...,
    input_scale: float = ...,
    output_scale: float = ...,
    input_zero_point: int = ...,
    output_zero_point: int = ...,
    quantize_method: int | str = ...,
    torch_pooling: bool = ...,
    avg_include_pad: bool = ...,
    pad_type: int = ...,
    pad_l: int = ...,
    pad_r: int = ...,
    ceil_mode: bool = ...,
    kernel_depth: int = ...,
    temporal_stride: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    pooling_param: pb.PoolingParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Maximum, average or random choice of each window.

    pool: MAX, AVE or STOCHASTIC. Default MAX.
    kernel_size: Size of the window.
    stride: Step of the window. Default 1.
    pad: Zeros added at each side. Default 0.
    kernel_h: Height of the window.
    kernel_w: Width of the window.
    stride_h: Step downwards.
    stride_w: Step to the right.
    pad_h: Zeros above and below. Default 0.
    pad_w: Zeros at the left and right. Default 0.
    engine: CAFFE or CUDNN, which has no effect here. Default DEFAULT.
    global_pooling: The window is the whole height and width. Default false.
    round_mode: Whether the size of the top is rounded up, as in Caffe, or down. Default CEIL.
    axis: Default 1. Of intel.
    pad_3d: Of intel.
    kernel_size_3d: Of intel.
    stride_3d: Of intel.
    pad_t: Default 0. Of synopsys.
    pad_b: Default 0. Of synopsys.
    output_shift_instead_division: Default 0. Of synopsys.
    saturate: Default None. Of synopsys.
    input_scale: Default 1. Of synopsys.
    output_scale: Default 1. Of synopsys.
    input_zero_point: Default 0. Of synopsys.
    output_zero_point: Default 0. Of synopsys.
    quantize_method: Default tflite. Of synopsys.
    torch_pooling: Default false. Of nv.
    avg_include_pad: Default true. Of intel.
    pad_type: Default 0. Of synopsys.
    pad_l: Default 0. Of synopsys.
    pad_r: Default 0. Of synopsys.
    ceil_mode: Default true. Of synopsys.
    kernel_depth: Of c3d.
    temporal_stride: Default 1. Of c3d.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def Pooling(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def Pooling3D(
    *bottoms: Top,
    pool: int | str = ...,
    pad: int = ...,
    kernel_size: int = ...,
    stride: int = ...,
    pad_h0: int = ...,
    pad_h1: int = ...,
    pad_w0: int = ...,
    pad_w1: int = ...,
    pad_d0: int = ...,
    pad_d1: int = ...,
    kernel_h: int = ...,
    kernel_w: int = ...,
    kernel_d: int = ...,
    stride_h: int = ...,
    stride_w: int = ...,
    stride_d: int = ...,
    global_pooling: bool = ...,
    ceil_mode: bool = ...,
    kernel_depth: int = ...,
    temporal_stride: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    pooling3d_param: pb.Pooling3DParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Maximum or average of each window of a volume.

    pool: Default MAX.
    pad: Default 0.
    stride: Default 1.
    pad_h0: Default 0.
    pad_h1: Default 0.
    pad_w0: Default 0.
    pad_w1: Default 0.
    pad_d0: Default 0.
    pad_d1: Default 0.
    global_pooling: Default false.
    ceil_mode: Default false.
    kernel_depth: Of c3d.
    temporal_stride: Default 1. Of c3d.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    pooling3d_param: Of c3d, synopsys.
    """

def Power(
    *bottoms: Top,
    power: float = ...,
    scale: float = ...,
    shift: float = ...,
    saturate: int | str = ...,
    quantize_method: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    power_param: pb.PowerParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """(shift + scale * x) ^ power.

    power: The exponent: (shift + scale * x) ^ power. Default 1.
    scale: Factor of the input. Default 1.
    shift: Added to the scaled input. Default 0.
    saturate: Default None. Of synopsys.
    quantize_method: Default tflite. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def PriorBox(
    *bottoms: Top,
    min_size: float | Sequence[float] = ...,
    max_size: float | Sequence[float] = ...,
    aspect_ratio: float | Sequence[float] = ...,
    flip: bool = ...,
    clip: bool = ...,
    variance: float | Sequence[float] = ...,
    img_size: int = ...,
    img_h: int = ...,
    img_w: int = ...,
    step: float = ...,
    step_h: float = ...,
    step_w: float = ...,
    offset: float = ...,
    faceboxes: bool = ...,
    box_width: float | Sequence[float] = ...,
    box_height: float | Sequence[float] = ...,
    tf: bool = ...,
    yx_order: bool = ...,
    keras: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    prior_box_param: pb.PriorBoxParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Boxes of given sizes and ratios around the center of each cell.

    min_size: Side of the square boxes, in pixels.
    max_size: A second square box has the side sqrt(min_size * max_size).
    aspect_ratio: Boxes of the same area with these shapes.
    flip: Boxes of the inverse shapes as well. Default true.
    clip: Cut boxes at the image's borders. Default false.
    variance: Of the offsets of a box's coordinates: one number, or four.
    step: Pixels between the centres of boxes; by default from the sizes.
    offset: Place of the centre in a cell, in cells. Default 0.5.
    faceboxes: Default false. Of synopsys.
    box_width: Of synopsys.
    box_height: Of synopsys.
    tf: Default false. Of synopsys.
    yx_order: Default false. Of synopsys.
    keras: Default false. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    prior_box_param: Of ssd, yolo, intel, nv, synopsys.
    """

@overload
def Proposal(
    *bottoms: Top,
    feat_stride: int = ...,
    pre_nms_topn: int = ...,
    anchor_base_size: int = ...,
    anchor_scale: int = ...,
    anchor_ratio: int = ...,
    max_rois: int = ...,
    rpn_min_size: float = ...,
    rpn_nms_thresh: float = ...,
    base_size: int = ...,
    min_size: int = ...,
    ratio: float | Sequence[float] = ...,
    scale: float | Sequence[float] = ...,
    post_nms_topn: int = ...,
    nms_thresh: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    proposal_param: pb.ProposalParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Regions that may hold an object, after suppression.

    feat_stride: Default 16.
    pre_nms_topn: Default 6000.
    anchor_base_size: Default 16. Of synopsys.
    anchor_scale: Default 3. Of synopsys.
    anchor_ratio: Default 3. Of synopsys.
    max_rois: Default 300. Of synopsys.
    rpn_min_size: Default 16. Of synopsys.
    rpn_nms_thresh: Default 0.7. Of synopsys.
    base_size: Default 16. Of pvanet.
    min_size: Default 16. Of pvanet.
    ratio: Of pvanet.
    scale: Of pvanet.
    post_nms_topn: Default 300. Of pvanet.
    nms_thresh: Default 0.7. Of pvanet.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    proposal_param: Of pvanet, synopsys.
    """
@overload
def Proposal(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def Python(
    *bottoms: Top,
    module: str = ...,
    layer: str = ...,
    param_str: str = ...,
    share_in_parallel: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    python_param: pb.PythonParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """A layer written by the user in Python.

    module: The module with the layer's class.
    layer: The layer's class.
    param_str: A text for the layer, which finds it as self.param_str.
    share_in_parallel: Has no effect, as in Caffe. Default false.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def Python(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def RNN(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    recurrent_param: pb.RecurrentParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Hidden state and output through tanh over a whole sequence.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def RNN(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def ROIAlign(
    *bottoms: Top,
    pooled_h: int = ...,
    pooled_w: int = ...,
    spatial_scale: float = ...,
    sampling_ratio: int = ...,
    aligned: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    roi_align_param: pb.ROIAlignParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The mean in each cell of a grid over each region.

    pooled_h: Default 0.
    pooled_w: Default 0.
    spatial_scale: Default 1.
    sampling_ratio: Points in a cell, along each axis; 0 and less: as many as the cell has pixels. Default -1. Of ascend.
    aligned: true: pixel i lies at i + 0.5, as in Detectron2; false: at i, as in Detectron. Of caffepy.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    roi_align_param: Of synopsys.
    """

def ROIPooling(
    *bottoms: Top,
    pooled_h: int = ...,
    pooled_w: int = ...,
    spatial_scale: float = ...,
    pooled_size: int | Sequence[int] = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    roi_pooling_param: pb.ROIPoolingParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The maximum in each cell of a grid over each region.

    pooled_h: Height of the top. Default 0.
    pooled_w: Width of the top. Default 0.
    spatial_scale: From the image's pixels to the bottom's elements. Default 1.
    pooled_size: Of intel.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    roi_pooling_param: Of fast-rcnn, rfcn, intel, synopsys.
    """

def ReLU(
    *bottoms: Top,
    negative_slope: float = ...,
    engine: int | str = ...,
    fuse: bool = ...,
    saturate: int | str = ...,
    maximum: float = ...,
    minimum: float = ...,
    input_scale: float = ...,
    output_scale: float = ...,
    input_zero_point: int = ...,
    output_zero_point: int = ...,
    relu6: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    relu_param: pb.ReLUParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """max(x, 0) + negative_slope * min(x, 0).

    negative_slope: Slope for negative values; 0 cuts them off. Default 0.
    engine: CAFFE or CUDNN, which has no effect here. Default DEFAULT.
    fuse: Default false. Of intel.
    saturate: Default None. Of synopsys.
    maximum: Default 0. Of synopsys.
    minimum: Default 0. Of synopsys.
    input_scale: Default 1. Of synopsys.
    output_scale: Default 1. Of synopsys.
    input_zero_point: Default 0. Of synopsys.
    output_zero_point: Default 0. Of synopsys.
    relu6: Default false. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def ReLU6(
    *bottoms: Top,
    negative_slope: float = ...,
    engine: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    relu6_param: pb.ReLU6Parameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """min(max(x, 0), 6) + negative_slope * min(x, 0).

    negative_slope: Default 0.
    engine: Default DEFAULT.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    relu6_param: Of yolo.
    """

def Reduction(
    *bottoms: Top,
    operation: int | str = ...,
    axis: int = ...,
    coeff: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    reduction_param: pb.ReductionParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The sum or mean over all axes from ``axis`` on.

    operation: SUM, ASUM (of absolute values), SUMSQ (of squares) or MEAN. Default SUM.
    axis: The axes from this one on are reduced. Default 0.
    coeff: Factor of the result. Default 1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def RegionLoss(
    *bottoms: Top,
    num_class: int = ...,
    bias_match: int = ...,
    coords: int = ...,
    num: int = ...,
    rescore: int = ...,
    object_scale: float = ...,
    class_scale: float = ...,
    noobject_scale: float = ...,
    coord_scale: float = ...,
    thresh: float = ...,
    biases: float | Sequence[float] = ...,
    softmax_tree: str = ...,
    class_map: str = ...,
    side: int = ...,
    softmax: int = ...,
    jitter: float = ...,
    absolute: int = ...,
    random: int = ...,
    anchor_images: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    region_loss_param: pb.RegionLossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Squared errors of boxes, scores and classes of a grid of anchors.

    num_class: Default 20.
    bias_match: Default 1.
    coords: Default 4.
    num: Default 5.
    rescore: Default 1.
    object_scale: Default 1.
    class_scale: Default 1.
    noobject_scale: Default 0.5.
    coord_scale: Default 5.
    thresh: Default 0.2.
    side: Default 13. Of yolo, intel.
    softmax: Default 1. Of yolo, intel.
    jitter: Default 0.2. Of yolo, intel.
    absolute: Default 1. Of yolo, intel.
    random: Default 1. Of yolo, intel.
    anchor_images: Default 0. Of caffepy.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    region_loss_param: Of yolo, intel.
    """

def Reorg(
    *bottoms: Top,
    stride: int = ...,
    reverse: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    reorg_param: pb.ReorgParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Pixels of S * S blocks as channels, in darknet's order.

    reverse: Default false.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    reorg_param: Of yolo, intel, synopsys.
    """

def Resample(
    *bottoms: Top,
    width: int = ...,
    height: int = ...,
    type: int | str = ...,
    antialias: bool = ...,
    factor: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    resample_param: pb.ResampleParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Planes resized by a linear or cubic kernel or to the nearest pixel.

    type: Default LINEAR.
    antialias: Default true.
    factor: Default 1. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    resample_param: Of flownet, synopsys.
    """

def Reshape(
    *bottoms: Top,
    shape: pb.BlobShape | Mapping[str, Any] = ...,
    axis: int = ...,
    num_axes: int = ...,
    pixelshuffler: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    reshape_param: pb.ReshapeParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Some axes replaced by others of the same count.

    shape: The new lengths; 0: as the bottom's, -1: what is left.
    axis: The first axis that is replaced. Default 0.
    num_axes: How many axes are replaced; -1: all from axis on. Default -1.
    pixelshuffler: Default 1. Of intel, synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Reverse(
    *bottoms: Top,
    axis: int | Sequence[int] = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    reverse_param: pb.ReverseParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The bottom reversed along one or more axes.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    reverse_param: Of synopsys.
    """

def SPP(
    *bottoms: Top,
    pyramid_height: int = ...,
    pool: int | str = ...,
    engine: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    spp_param: pb.SPPParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Pooling into ever finer grids, laid out in one row.

    pyramid_height: Levels: level i has 4 ^ i windows.
    pool: MAX, AVE or STOCHASTIC. Default MAX.
    engine: CAFFE or CUDNN, which has no effect here. Default DEFAULT.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Scale(
    *bottoms: Top,
    axis: int = ...,
    num_axes: int = ...,
    filler: pb.FillerParameter | Mapping[str, Any] = ...,
    bias_term: bool = ...,
    bias_filler: pb.FillerParameter | Mapping[str, Any] = ...,
    dis_mode: bool = ...,
    gen_mode: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    scale_param: pb.ScaleParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Product with a smaller blob, learned or a second bottom, plus a bias.

    axis: The first axis of the bottom that the factors go along. Default 1.
    num_axes: How many axes learned factors have; -1: all from axis on. Default 1.
    filler: Initial values of learned factors; 1 by default.
    bias_term: Learn a bias, too, as BatchNorm needs it. Default false.
    bias_filler: Initial values of the bias.
    dis_mode: Default false. Of synopsys.
    gen_mode: Default false. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def SegAccuracy(
    *bottoms: Top,
    ignore_label: int | Sequence[int] = ...,
    reset: bool = ...,
    metric: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    seg_accuracy_param: pb.SegAccuracyParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Pixel accuracy, mean recall and mean intersection over union.

    reset: Default true.
    metric: Default PixelAccuracy. Of pspnet, synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    seg_accuracy_param: Of pspnet, synopsys.
    """

def ShuffleChannel(
    *bottoms: Top,
    group: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    shuffle_channel_param: pb.ShuffleChannelParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Channels of all groups in turn, one of each group.

    group: Default 1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    shuffle_channel_param: Of shufflenet, synopsys.
    """

def Sigmoid(
    *bottoms: Top,
    engine: int | str = ...,
    input_scale: float = ...,
    output_scale: float = ...,
    input_zero_point: int = ...,
    output_zero_point: int = ...,
    saturate: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    sigmoid_param: pb.SigmoidParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """1 / (1 + exp(-x)).

    engine: Default DEFAULT.
    input_scale: Default 1. Of synopsys.
    output_scale: Default 1. Of synopsys.
    input_zero_point: Default 0. Of synopsys.
    output_zero_point: Default 0. Of synopsys.
    saturate: Default None. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def SigmoidCrossEntropyLoss(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    loss_param: pb.LossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Cross entropy of sigmoids with targets.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    loss_param: Which labels count in a loss, and what it is divided by.
    """

def Silence(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    in_place: bool = ...,
    ntop: Literal[0],
) -> Function:
    """Reads bottoms so that they are not outputs of the net.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

@overload
def Slice(
    *bottoms: Top,
    slice_dim: int = ...,
    slice_point: int | Sequence[int] = ...,
    axis: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    slice_param: pb.SliceParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The reverse of Concat.

    slice_dim: The earlier name of axis. Default 1.
    slice_point: Where each top but the first begins; by default all are of one length.
    axis: The axis along which the bottom is cut. Default 1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """
@overload
def Slice(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def SmoothL1Loss(
    *bottoms: Top,
    sigma: float = ...,
    abssum: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    smooth_l1_loss_param: pb.SmoothL1LossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Smooth absolute differences, summed and divided by N.

    sigma: Default 1.
    abssum: Default true. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    smooth_l1_loss_param: Of fast-rcnn, rfcn, intel, synopsys.
    """

@overload
def SmoothL1LossOHEM(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    loss_param: pb.LossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Smooth absolute differences, summed and for each box.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    loss_param: Which labels count in a loss, and what it is divided by.
    """
@overload
def SmoothL1LossOHEM(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def Softmax(
    *bottoms: Top,
    engine: int | str = ...,
    axis: int = ...,
    input_scale: float = ...,
    output_scale: float = ...,
    input_zero_point: int = ...,
    output_zero_point: int = ...,
    saturate: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    softmax_param: pb.SoftmaxParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """exp(x) / sum of exp over an axis.

    engine: CAFFE or CUDNN, which has no effect here. Default DEFAULT.
    axis: The axis of the classes. Default 1.
    input_scale: Default 1. Of synopsys.
    output_scale: Default 1. Of synopsys.
    input_zero_point: Default 0. Of synopsys.
    output_zero_point: Default 0. Of synopsys.
    saturate: Default None. Of synopsys.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def SoftmaxWithLoss(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    loss_param: pb.LossParameter | Mapping[str, Any] = ...,
    softmax_param: pb.SoftmaxParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Minus the log of the softmax of the labelled class.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    loss_param: Which labels count in a loss, and what it is divided by.
    """

@overload
def SoftmaxWithLossOHEM(
    *bottoms: Top,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    loss_param: pb.LossParameter | Mapping[str, Any] = ...,
    softmax_param: pb.SoftmaxParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The loss of SoftmaxWithLoss, and that of each label.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    loss_param: Which labels count in a loss, and what it is divided by.
    """
@overload
def SoftmaxWithLossOHEM(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def SpatialDropout(
    *bottoms: Top,
    dropout_ratio: float = ...,
    sample_weights_test: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    spatial_dropout_param: pb.SpatialDropoutParameter | Mapping[str, Any] = ...,
    dropout_param: pb.DropoutParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Whole channels zero at random, the rest scaled up.

    dropout_ratio: Default 0.5.
    sample_weights_test: Default false.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    spatial_dropout_param: Of intel, enet.
    """

def SpatialTransformer(
    *bottoms: Top,
    transform_type: str = ...,
    sampler_type: str = ...,
    output_H: int = ...,
    output_W: int = ...,
    to_compute_dU: bool = ...,
    theta_1_1: float = ...,
    theta_1_2: float = ...,
    theta_1_3: float = ...,
    theta_2_1: float = ...,
    theta_2_2: float = ...,
    theta_2_3: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    st_param: pb.SpatialTransformerParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The bottom read through an affine map for each item.

    transform_type: Default "affine".
    sampler_type: Default "bilinear".
    to_compute_dU: Default true.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    st_param: Of stn.
    """

@overload
def Split(
    *bottoms: Top,
    engine: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    split_param: pb.SplitParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Copies of the bottom; their gradients add up.

    engine: Default DEFAULT.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    split_param: Of intel.
    """
@overload
def Split(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def Swish(
    *bottoms: Top,
    beta: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    swish_param: pb.SwishParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """x / (1 + exp(-beta * x)).

    beta: Factor within the sigmoid: x * sigmoid(beta * x). Default 1.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def TanH(
    *bottoms: Top,
    engine: int | str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    tanh_param: pb.TanHParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """tanh(x).

    engine: Default DEFAULT.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Threshold(
    *bottoms: Top,
    threshold: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    threshold_param: pb.ThresholdParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """1 above the threshold, else 0.

    threshold: 1 for values above it, 0 for the others. Default 0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Tile(
    *bottoms: Top,
    axis: int = ...,
    tiles: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    tile_param: pb.TileParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The bottom repeated along an axis.

    axis: The axis that is repeated. Default 1.
    tiles: How often.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    """

def Transpose(
    *bottoms: Top,
    dim: int | Sequence[int] = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    transpose_param: pb.TransposeParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """The bottom's axes in another order, each named.

    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    transpose_param: Of ctpn.
    """

def TripletLoss(
    *bottoms: Top,
    margin: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    triplet_loss_param: pb.TripletLossParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """By how much the unlike item is not far enough away.

    margin: Default 1.0.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    triplet_loss_param: Of pr.
    """

def Unpooling(
    *bottoms: Top,
    unpool: int | str = ...,
    kernel_size: int = ...,
    stride: int = ...,
    pad: int = ...,
    kernel_h: int = ...,
    kernel_w: int = ...,
    stride_h: int = ...,
    stride_w: int = ...,
    pad_h: int = ...,
    pad_w: int = ...,
    engine: int | str = ...,
    unpool_size: int = ...,
    unpool_h: int = ...,
    unpool_w: int = ...,
    output_h: int = ...,
    output_w: int = ...,
    scale: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    unpooling_param: pb.UnpoolingParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Each value at its place in a pooling's window, or all over it.

    unpool: Default MAX.
    stride: Default 1.
    pad: Default 0.
    pad_h: Default 0.
    pad_w: Default 0.
    engine: Default DEFAULT.
    output_h: Of fusenet.
    output_w: Of fusenet.
    scale: Of fusenet.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    unpooling_param: Of deconvnet, fusenet.
    """

def Upsample(
    *bottoms: Top,
    scale: int = ...,
    scale_h: int = ...,
    scale_w: int = ...,
    pad_out_h: bool = ...,
    pad_out_w: bool = ...,
    upsample_h: int = ...,
    upsample_w: int = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    upsample_param: pb.UpsampleParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Max pooling undone by its mask, or each pixel repeated.

    scale: int32 with default 1 in yolo. Default 2.
    pad_out_h: Default false.
    pad_out_w: Default false.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    upsample_param: Of segnet, yolo, synopsys.
    """

@overload
def VideoData(
    *,
    video_type: int | str = ...,
    device_id: int = ...,
    video_file: str = ...,
    skip_frames: int = ...,
    source: str = ...,
    batch_size: int = ...,
    new_length: int = ...,
    num_segments: int = ...,
    modality: int | str = ...,
    new_height: int = ...,
    new_width: int = ...,
    shuffle: bool = ...,
    name_pattern: str = ...,
    root_folder: str = ...,
    grayscale: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    video_data_param: pb.VideoDataParameter | Mapping[str, Any] = ...,
    image_data_param: pb.ImageDataParameter | Mapping[str, Any] = ...,
    transform_param: pb.TransformationParameter | Mapping[str, Any] = ...,
    data_param: pb.DataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Frames of videos, or optical flow, stacked as channels.

    video_type: Default WEBCAM. Of ssd, yolo, intel, nv, synopsys.
    device_id: Default 0. Of ssd, yolo, intel, nv, synopsys.
    video_file: Of ssd, yolo, intel, nv, synopsys.
    skip_frames: Default 0. Of ssd, yolo, intel, nv, synopsys.
    source: Of tsn.
    batch_size: Of tsn.
    new_length: Default 1. Of tsn.
    num_segments: Default 1. Of tsn.
    modality: Default FLOW. Of tsn.
    new_height: Default 0. Of tsn.
    new_width: Default 0. Of tsn.
    shuffle: Default false. Of tsn.
    name_pattern: Of tsn.
    root_folder: Of c3d.
    grayscale: Default false. Of tsn.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    video_data_param: Of ssd, intel, nv, synopsys, tsn.
    transform_param: What is done to the images of a data layer.
    """
@overload
def VideoData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

@overload
def WindowData(
    *,
    source: str = ...,
    scale: float = ...,
    mean_file: str = ...,
    batch_size: int = ...,
    crop_size: int = ...,
    mirror: bool = ...,
    fg_threshold: float = ...,
    bg_threshold: float = ...,
    fg_fraction: float = ...,
    context_pad: int = ...,
    crop_mode: str = ...,
    cache_images: bool = ...,
    root_folder: str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    window_data_param: pb.WindowDataParameter | Mapping[str, Any] = ...,
    transform_param: pb.TransformationParameter | Mapping[str, Any] = ...,
    data_param: pb.DataParameter | Mapping[str, Any] = ...,
) -> Top:
    """Windows of images drawn at random, background ones first.

    source: A text file of images with their windows.
    scale: Default 1.
    batch_size: Windows in a batch.
    crop_size: Default 0.
    mirror: Default false.
    fg_threshold: A window is of its class from this overlap on. Default 0.5.
    bg_threshold: A window is background below this overlap. Default 0.5.
    fg_fraction: Share of a batch that is not background. Default 0.25.
    context_pad: Pixels around a window that show what surrounds it. Default 0.
    crop_mode: warp: to the crop's shape; square: the smallest square around the window. Default "warp".
    cache_images: Keep all images in memory. Default false.
    root_folder: Put before the name of each image.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    transform_param: What is done to the images of a data layer.
    """
@overload
def WindowData(*bottoms: Top, ntop: int, **fields: Any) -> Any: ...

def YoloDetectionOutput(
    *bottoms: Top,
    side: int = ...,
    num_classes: int = ...,
    num_box: int = ...,
    coords: int = ...,
    confidence_threshold: float = ...,
    nms_threshold: float = ...,
    biases: float | Sequence[float] = ...,
    label_map_file: str = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    yolo_detection_output_param: pb.YoloDetectionOutputParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Boxes with their best class after suppression.

    side: Default 13.
    num_classes: Default 20.
    num_box: Default 5.
    coords: Default 4.
    confidence_threshold: Default 0.01.
    nms_threshold: Default 0.45.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    yolo_detection_output_param: Of yolo.
    """

def Yolov3(
    *bottoms: Top,
    num_class: int = ...,
    num: int = ...,
    object_scale: float = ...,
    class_scale: float = ...,
    coord_scale: float = ...,
    thresh: float = ...,
    anchors_scale: int = ...,
    biases: float | Sequence[float] = ...,
    mask: int | Sequence[int] = ...,
    use_logic_gradient: bool = ...,
    use_focal_loss: bool = ...,
    iou_loss: int | str = ...,
    iou_normalizer: float = ...,
    iou_thresh: float = ...,
    max_delta: float = ...,
    accumulate: bool = ...,
    label_smooth_eps: float = ...,
    side: int = ...,
    noobject_scale: float = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    yolov3_param: pb.Yolov3Parameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Errors of boxes, scores and classes of one map of three.

    num_class: Default 20.
    num: Default 5.
    object_scale: Default 1.
    class_scale: Default 1.
    coord_scale: Default 5.
    thresh: Default 0.2.
    anchors_scale: Default 32.
    use_logic_gradient: Default false.
    use_focal_loss: Default false.
    iou_loss: Default MSE.
    iou_normalizer: Default 0.25.
    iou_thresh: Default 0.5.
    max_delta: Default 10.
    accumulate: Default true.
    label_smooth_eps: Default 0.1.
    side: Default 13. Of yolo.
    noobject_scale: Default 0.5. Of yolo.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    yolov3_param: Of yolo.
    """

def Yolov3DetectionOutput(
    *bottoms: Top,
    num_classes: int = ...,
    num_box: int = ...,
    confidence_threshold: float = ...,
    nms_threshold: float = ...,
    biases: float | Sequence[float] = ...,
    anchors_scale: int | Sequence[int] = ...,
    mask_group_num: int = ...,
    mask: int | Sequence[int] = ...,
    gaussian_box: bool = ...,
    name: str = ...,
    param: pb.ParamSpec | Mapping[str, Any] | Sequence[pb.ParamSpec | Mapping[str, Any]] = ...,
    loss_weight: float | Sequence[float] = ...,
    include: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    exclude: pb.NetStateRule | Mapping[str, Any] | Sequence[pb.NetStateRule | Mapping[str, Any]] = ...,
    propagate_down: bool | Sequence[bool] = ...,
    yolov3_detection_output_param: pb.Yolov3DetectionOutputParameter | Mapping[str, Any] = ...,
    in_place: bool = ...,
) -> Top:
    """Boxes with likely classes after suppression.

    num_classes: Default 20.
    num_box: Default 3.
    confidence_threshold: Default 0.01.
    nms_threshold: Default 0.45.
    mask_group_num: Default 2.
    gaussian_box: Default false.
    name: The name of the layer: weights are matched by it.
    param: How each parameter is learned and shared, in their order: weights, then biases.
    loss_weight: Factor of each top in the loss; 1 for the first top of a loss layer.
    include: The layer is in the net where one of these rules holds.
    exclude: The layer is not in the net where one of these rules holds.
    propagate_down: For each bottom, whether a gradient is computed; by default where one is needed.
    yolov3_detection_output_param: Of yolo.
    """
