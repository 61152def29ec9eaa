from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

BOOL: Type
DESCRIPTOR: _descriptor.FileDescriptor
DOUBLE: Type
DatumTypeInfo_ANNOTATED_DATUM: DatumTypeInfo
DatumTypeInfo_DATUM: DatumTypeInfo
FLOAT: Type
FLOAT16: Type
INT: Type
NCHW: Packing
NHWC: Packing
TEST: Phase
TRAIN: Phase
UINT: Type

class AccumParameter(_message.Message):
    __slots__ = ["have_reference", "size_divisible_by", "top_height", "top_width"]
    HAVE_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    SIZE_DIVISIBLE_BY_FIELD_NUMBER: _ClassVar[int]
    TOP_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    TOP_WIDTH_FIELD_NUMBER: _ClassVar[int]
    have_reference: bool
    size_divisible_by: int
    top_height: int
    top_width: int
    def __init__(self, top_height: _Optional[int] = ..., top_width: _Optional[int] = ..., size_divisible_by: _Optional[int] = ..., have_reference: bool = ...) -> None: ...

class AccuracyParameter(_message.Message):
    __slots__ = ["axis", "ignore_label", "top_k"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    IGNORE_LABEL_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    axis: int
    ignore_label: int
    top_k: int
    def __init__(self, top_k: _Optional[int] = ..., axis: _Optional[int] = ..., ignore_label: _Optional[int] = ...) -> None: ...

class AdaptiveBiasChannelParameter(_message.Message):
    __slots__ = ["bg_portion", "fg_portion", "margin_others", "num_iter", "suppress_others"]
    BG_PORTION_FIELD_NUMBER: _ClassVar[int]
    FG_PORTION_FIELD_NUMBER: _ClassVar[int]
    MARGIN_OTHERS_FIELD_NUMBER: _ClassVar[int]
    NUM_ITER_FIELD_NUMBER: _ClassVar[int]
    SUPPRESS_OTHERS_FIELD_NUMBER: _ClassVar[int]
    bg_portion: float
    fg_portion: float
    margin_others: float
    num_iter: int
    suppress_others: bool
    def __init__(self, num_iter: _Optional[int] = ..., bg_portion: _Optional[float] = ..., fg_portion: _Optional[float] = ..., suppress_others: bool = ..., margin_others: _Optional[float] = ...) -> None: ...

class AnnotatedDataParameter(_message.Message):
    __slots__ = ["anno_type", "batch_sampler", "difficult_label_warmup", "label_map_file", "seg_resize_height", "seg_resize_width", "seg_scales", "single_class", "train_diffcult", "yolo_data_jitter", "yolo_data_type"]
    ANNO_TYPE_FIELD_NUMBER: _ClassVar[int]
    BATCH_SAMPLER_FIELD_NUMBER: _ClassVar[int]
    DIFFICULT_LABEL_WARMUP_FIELD_NUMBER: _ClassVar[int]
    LABEL_MAP_FILE_FIELD_NUMBER: _ClassVar[int]
    SEG_RESIZE_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    SEG_RESIZE_WIDTH_FIELD_NUMBER: _ClassVar[int]
    SEG_SCALES_FIELD_NUMBER: _ClassVar[int]
    SINGLE_CLASS_FIELD_NUMBER: _ClassVar[int]
    TRAIN_DIFFCULT_FIELD_NUMBER: _ClassVar[int]
    YOLO_DATA_JITTER_FIELD_NUMBER: _ClassVar[int]
    YOLO_DATA_TYPE_FIELD_NUMBER: _ClassVar[int]
    anno_type: AnnotatedDatum.AnnotationType
    batch_sampler: _containers.RepeatedCompositeFieldContainer[BatchSampler]
    difficult_label_warmup: bool
    label_map_file: str
    seg_resize_height: int
    seg_resize_width: int
    seg_scales: int
    single_class: bool
    train_diffcult: bool
    yolo_data_jitter: float
    yolo_data_type: int
    def __init__(self, batch_sampler: _Optional[_Iterable[_Union[BatchSampler, _Mapping[str, object]]]] = ..., label_map_file: _Optional[str] = ..., anno_type: _Optional[_Union[AnnotatedDatum.AnnotationType, str]] = ..., yolo_data_type: _Optional[int] = ..., yolo_data_jitter: _Optional[float] = ..., train_diffcult: bool = ..., single_class: bool = ..., seg_scales: _Optional[int] = ..., seg_resize_width: _Optional[int] = ..., seg_resize_height: _Optional[int] = ..., difficult_label_warmup: bool = ...) -> None: ...

class AnnotatedDatum(_message.Message):
    __slots__ = ["annotation_group", "datum", "record_id", "type"]
    class AnnotationType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ANNOTATION_GROUP_FIELD_NUMBER: _ClassVar[int]
    BBOX: AnnotatedDatum.AnnotationType
    BBOXandSeg: AnnotatedDatum.AnnotationType
    DATUM_FIELD_NUMBER: _ClassVar[int]
    LANE: AnnotatedDatum.AnnotationType
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    annotation_group: _containers.RepeatedCompositeFieldContainer[AnnotationGroup]
    datum: Datum
    record_id: int
    type: AnnotatedDatum.AnnotationType
    def __init__(self, datum: _Optional[_Union[Datum, _Mapping[str, object]]] = ..., type: _Optional[_Union[AnnotatedDatum.AnnotationType, str]] = ..., annotation_group: _Optional[_Iterable[_Union[AnnotationGroup, _Mapping[str, object]]]] = ..., record_id: _Optional[int] = ...) -> None: ...

class Annotation(_message.Message):
    __slots__ = ["bbox", "instance_id", "lanes"]
    BBOX_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    bbox: NormalizedBBox
    instance_id: int
    lanes: LaneInfo
    def __init__(self, instance_id: _Optional[int] = ..., bbox: _Optional[_Union[NormalizedBBox, _Mapping[str, object]]] = ..., lanes: _Optional[_Union[LaneInfo, _Mapping[str, object]]] = ...) -> None: ...

class AnnotationGroup(_message.Message):
    __slots__ = ["annotation", "group_label"]
    ANNOTATION_FIELD_NUMBER: _ClassVar[int]
    GROUP_LABEL_FIELD_NUMBER: _ClassVar[int]
    annotation: _containers.RepeatedCompositeFieldContainer[Annotation]
    group_label: int
    def __init__(self, group_label: _Optional[int] = ..., annotation: _Optional[_Iterable[_Union[Annotation, _Mapping[str, object]]]] = ...) -> None: ...

class ArgMaxParameter(_message.Message):
    __slots__ = ["axis", "min_first", "out_max_val", "top_k"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    MIN_FIRST_FIELD_NUMBER: _ClassVar[int]
    OUT_MAX_VAL_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    axis: int
    min_first: bool
    out_max_val: bool
    top_k: int
    def __init__(self, out_max_val: bool = ..., top_k: _Optional[int] = ..., axis: _Optional[int] = ..., min_first: bool = ...) -> None: ...

class AttentionParameter(_message.Message):
    __slots__ = ["alignments_size", "attention_option", "batch_size", "normalize", "query_depth", "scale"]
    ALIGNMENTS_SIZE_FIELD_NUMBER: _ClassVar[int]
    ATTENTION_OPTION_FIELD_NUMBER: _ClassVar[int]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    NORMALIZE_FIELD_NUMBER: _ClassVar[int]
    QUERY_DEPTH_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    alignments_size: int
    attention_option: str
    batch_size: int
    normalize: bool
    query_depth: int
    scale: bool
    def __init__(self, batch_size: _Optional[int] = ..., query_depth: _Optional[int] = ..., alignments_size: _Optional[int] = ..., scale: bool = ..., normalize: bool = ..., attention_option: _Optional[str] = ...) -> None: ...

class AugmentationCoeff(_message.Message):
    __slots__ = ["add_nomean0", "add_nomean1", "add_nomean2", "add_withmean0", "add_withmean1", "add_withmean2", "angle", "brightness", "col_angle", "color1", "color2", "color3", "contrast", "dx", "dy", "fog_amount", "fog_size", "gamma", "lmult_add", "lmult_mult", "lmult_pow", "mirror", "motion_blur_angle", "motion_blur_size", "mult_nomean0", "mult_nomean1", "mult_nomean2", "mult_withmean0", "mult_withmean1", "mult_withmean2", "noise", "pow_nomean0", "pow_nomean1", "pow_nomean2", "pow_withmean0", "pow_withmean1", "pow_withmean2", "shadow_angle", "shadow_distance", "shadow_strength", "zoom_x", "zoom_y"]
    ADD_NOMEAN0_FIELD_NUMBER: _ClassVar[int]
    ADD_NOMEAN1_FIELD_NUMBER: _ClassVar[int]
    ADD_NOMEAN2_FIELD_NUMBER: _ClassVar[int]
    ADD_WITHMEAN0_FIELD_NUMBER: _ClassVar[int]
    ADD_WITHMEAN1_FIELD_NUMBER: _ClassVar[int]
    ADD_WITHMEAN2_FIELD_NUMBER: _ClassVar[int]
    ANGLE_FIELD_NUMBER: _ClassVar[int]
    BRIGHTNESS_FIELD_NUMBER: _ClassVar[int]
    COLOR1_FIELD_NUMBER: _ClassVar[int]
    COLOR2_FIELD_NUMBER: _ClassVar[int]
    COLOR3_FIELD_NUMBER: _ClassVar[int]
    COL_ANGLE_FIELD_NUMBER: _ClassVar[int]
    CONTRAST_FIELD_NUMBER: _ClassVar[int]
    DX_FIELD_NUMBER: _ClassVar[int]
    DY_FIELD_NUMBER: _ClassVar[int]
    FOG_AMOUNT_FIELD_NUMBER: _ClassVar[int]
    FOG_SIZE_FIELD_NUMBER: _ClassVar[int]
    GAMMA_FIELD_NUMBER: _ClassVar[int]
    LMULT_ADD_FIELD_NUMBER: _ClassVar[int]
    LMULT_MULT_FIELD_NUMBER: _ClassVar[int]
    LMULT_POW_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    MOTION_BLUR_ANGLE_FIELD_NUMBER: _ClassVar[int]
    MOTION_BLUR_SIZE_FIELD_NUMBER: _ClassVar[int]
    MULT_NOMEAN0_FIELD_NUMBER: _ClassVar[int]
    MULT_NOMEAN1_FIELD_NUMBER: _ClassVar[int]
    MULT_NOMEAN2_FIELD_NUMBER: _ClassVar[int]
    MULT_WITHMEAN0_FIELD_NUMBER: _ClassVar[int]
    MULT_WITHMEAN1_FIELD_NUMBER: _ClassVar[int]
    MULT_WITHMEAN2_FIELD_NUMBER: _ClassVar[int]
    NOISE_FIELD_NUMBER: _ClassVar[int]
    POW_NOMEAN0_FIELD_NUMBER: _ClassVar[int]
    POW_NOMEAN1_FIELD_NUMBER: _ClassVar[int]
    POW_NOMEAN2_FIELD_NUMBER: _ClassVar[int]
    POW_WITHMEAN0_FIELD_NUMBER: _ClassVar[int]
    POW_WITHMEAN1_FIELD_NUMBER: _ClassVar[int]
    POW_WITHMEAN2_FIELD_NUMBER: _ClassVar[int]
    SHADOW_ANGLE_FIELD_NUMBER: _ClassVar[int]
    SHADOW_DISTANCE_FIELD_NUMBER: _ClassVar[int]
    SHADOW_STRENGTH_FIELD_NUMBER: _ClassVar[int]
    ZOOM_X_FIELD_NUMBER: _ClassVar[int]
    ZOOM_Y_FIELD_NUMBER: _ClassVar[int]
    add_nomean0: float
    add_nomean1: float
    add_nomean2: float
    add_withmean0: float
    add_withmean1: float
    add_withmean2: float
    angle: float
    brightness: float
    col_angle: float
    color1: float
    color2: float
    color3: float
    contrast: float
    dx: float
    dy: float
    fog_amount: float
    fog_size: float
    gamma: float
    lmult_add: float
    lmult_mult: float
    lmult_pow: float
    mirror: float
    motion_blur_angle: float
    motion_blur_size: float
    mult_nomean0: float
    mult_nomean1: float
    mult_nomean2: float
    mult_withmean0: float
    mult_withmean1: float
    mult_withmean2: float
    noise: float
    pow_nomean0: float
    pow_nomean1: float
    pow_nomean2: float
    pow_withmean0: float
    pow_withmean1: float
    pow_withmean2: float
    shadow_angle: float
    shadow_distance: float
    shadow_strength: float
    zoom_x: float
    zoom_y: float
    def __init__(self, mirror: _Optional[float] = ..., dx: _Optional[float] = ..., dy: _Optional[float] = ..., angle: _Optional[float] = ..., zoom_x: _Optional[float] = ..., zoom_y: _Optional[float] = ..., pow_nomean0: _Optional[float] = ..., pow_nomean1: _Optional[float] = ..., pow_nomean2: _Optional[float] = ..., add_nomean0: _Optional[float] = ..., add_nomean1: _Optional[float] = ..., add_nomean2: _Optional[float] = ..., mult_nomean0: _Optional[float] = ..., mult_nomean1: _Optional[float] = ..., mult_nomean2: _Optional[float] = ..., pow_withmean0: _Optional[float] = ..., pow_withmean1: _Optional[float] = ..., pow_withmean2: _Optional[float] = ..., add_withmean0: _Optional[float] = ..., add_withmean1: _Optional[float] = ..., add_withmean2: _Optional[float] = ..., mult_withmean0: _Optional[float] = ..., mult_withmean1: _Optional[float] = ..., mult_withmean2: _Optional[float] = ..., lmult_pow: _Optional[float] = ..., lmult_add: _Optional[float] = ..., lmult_mult: _Optional[float] = ..., col_angle: _Optional[float] = ..., fog_amount: _Optional[float] = ..., fog_size: _Optional[float] = ..., motion_blur_angle: _Optional[float] = ..., motion_blur_size: _Optional[float] = ..., shadow_angle: _Optional[float] = ..., shadow_distance: _Optional[float] = ..., shadow_strength: _Optional[float] = ..., noise: _Optional[float] = ..., gamma: _Optional[float] = ..., brightness: _Optional[float] = ..., contrast: _Optional[float] = ..., color1: _Optional[float] = ..., color2: _Optional[float] = ..., color3: _Optional[float] = ...) -> None: ...

class AugmentationParameter(_message.Message):
    __slots__ = ["augment_during_test", "bottomheight", "bottomwidth", "brightness", "chromatic_eigvec", "col_add", "col_mult", "col_pow", "col_rotate", "color", "contrast", "crop_height", "crop_width", "fog_amount", "fog_size", "gamma", "ladd_add", "ladd_mult", "ladd_pow", "lmult_add", "lmult_mult", "lmult_pow", "max_multiplier", "mean", "mean_per_pixel", "mirror", "mode", "motion_blur_angle", "motion_blur_size", "noise", "num", "recompute_mean", "rotate", "sat_add", "sat_mult", "sat_pow", "shadow_angle", "shadow_distance", "shadow_strength", "squeeze", "translate", "translate_x", "translate_y", "write_augmented", "write_mean", "zoom"]
    AUGMENT_DURING_TEST_FIELD_NUMBER: _ClassVar[int]
    BOTTOMHEIGHT_FIELD_NUMBER: _ClassVar[int]
    BOTTOMWIDTH_FIELD_NUMBER: _ClassVar[int]
    BRIGHTNESS_FIELD_NUMBER: _ClassVar[int]
    CHROMATIC_EIGVEC_FIELD_NUMBER: _ClassVar[int]
    COLOR_FIELD_NUMBER: _ClassVar[int]
    COL_ADD_FIELD_NUMBER: _ClassVar[int]
    COL_MULT_FIELD_NUMBER: _ClassVar[int]
    COL_POW_FIELD_NUMBER: _ClassVar[int]
    COL_ROTATE_FIELD_NUMBER: _ClassVar[int]
    CONTRAST_FIELD_NUMBER: _ClassVar[int]
    CROP_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    CROP_WIDTH_FIELD_NUMBER: _ClassVar[int]
    FOG_AMOUNT_FIELD_NUMBER: _ClassVar[int]
    FOG_SIZE_FIELD_NUMBER: _ClassVar[int]
    GAMMA_FIELD_NUMBER: _ClassVar[int]
    LADD_ADD_FIELD_NUMBER: _ClassVar[int]
    LADD_MULT_FIELD_NUMBER: _ClassVar[int]
    LADD_POW_FIELD_NUMBER: _ClassVar[int]
    LMULT_ADD_FIELD_NUMBER: _ClassVar[int]
    LMULT_MULT_FIELD_NUMBER: _ClassVar[int]
    LMULT_POW_FIELD_NUMBER: _ClassVar[int]
    MAX_MULTIPLIER_FIELD_NUMBER: _ClassVar[int]
    MEAN_FIELD_NUMBER: _ClassVar[int]
    MEAN_PER_PIXEL_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    MOTION_BLUR_ANGLE_FIELD_NUMBER: _ClassVar[int]
    MOTION_BLUR_SIZE_FIELD_NUMBER: _ClassVar[int]
    NOISE_FIELD_NUMBER: _ClassVar[int]
    NUM_FIELD_NUMBER: _ClassVar[int]
    RECOMPUTE_MEAN_FIELD_NUMBER: _ClassVar[int]
    ROTATE_FIELD_NUMBER: _ClassVar[int]
    SAT_ADD_FIELD_NUMBER: _ClassVar[int]
    SAT_MULT_FIELD_NUMBER: _ClassVar[int]
    SAT_POW_FIELD_NUMBER: _ClassVar[int]
    SHADOW_ANGLE_FIELD_NUMBER: _ClassVar[int]
    SHADOW_DISTANCE_FIELD_NUMBER: _ClassVar[int]
    SHADOW_STRENGTH_FIELD_NUMBER: _ClassVar[int]
    SQUEEZE_FIELD_NUMBER: _ClassVar[int]
    TRANSLATE_FIELD_NUMBER: _ClassVar[int]
    TRANSLATE_X_FIELD_NUMBER: _ClassVar[int]
    TRANSLATE_Y_FIELD_NUMBER: _ClassVar[int]
    WRITE_AUGMENTED_FIELD_NUMBER: _ClassVar[int]
    WRITE_MEAN_FIELD_NUMBER: _ClassVar[int]
    ZOOM_FIELD_NUMBER: _ClassVar[int]
    augment_during_test: bool
    bottomheight: int
    bottomwidth: int
    brightness: RandomGeneratorParameter
    chromatic_eigvec: _containers.RepeatedScalarFieldContainer[float]
    col_add: RandomGeneratorParameter
    col_mult: RandomGeneratorParameter
    col_pow: RandomGeneratorParameter
    col_rotate: RandomGeneratorParameter
    color: RandomGeneratorParameter
    contrast: RandomGeneratorParameter
    crop_height: int
    crop_width: int
    fog_amount: RandomGeneratorParameter
    fog_size: RandomGeneratorParameter
    gamma: RandomGeneratorParameter
    ladd_add: RandomGeneratorParameter
    ladd_mult: RandomGeneratorParameter
    ladd_pow: RandomGeneratorParameter
    lmult_add: RandomGeneratorParameter
    lmult_mult: RandomGeneratorParameter
    lmult_pow: RandomGeneratorParameter
    max_multiplier: float
    mean: _containers.RepeatedScalarFieldContainer[float]
    mean_per_pixel: bool
    mirror: RandomGeneratorParameter
    mode: str
    motion_blur_angle: RandomGeneratorParameter
    motion_blur_size: RandomGeneratorParameter
    noise: RandomGeneratorParameter
    num: int
    recompute_mean: int
    rotate: RandomGeneratorParameter
    sat_add: RandomGeneratorParameter
    sat_mult: RandomGeneratorParameter
    sat_pow: RandomGeneratorParameter
    shadow_angle: RandomGeneratorParameter
    shadow_distance: RandomGeneratorParameter
    shadow_strength: RandomGeneratorParameter
    squeeze: RandomGeneratorParameter
    translate: RandomGeneratorParameter
    translate_x: RandomGeneratorParameter
    translate_y: RandomGeneratorParameter
    write_augmented: str
    write_mean: str
    zoom: RandomGeneratorParameter
    def __init__(self, write_augmented: _Optional[str] = ..., max_multiplier: _Optional[float] = ..., augment_during_test: bool = ..., recompute_mean: _Optional[int] = ..., write_mean: _Optional[str] = ..., mean_per_pixel: bool = ..., mode: _Optional[str] = ..., mirror: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., translate: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., rotate: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., zoom: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., squeeze: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., translate_x: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., translate_y: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., mean: _Optional[_Iterable[float]] = ..., lmult_pow: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., lmult_mult: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., lmult_add: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., sat_pow: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., sat_mult: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., sat_add: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., col_pow: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., col_mult: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., col_add: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., ladd_pow: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., ladd_mult: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., ladd_add: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., col_rotate: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., crop_width: _Optional[int] = ..., crop_height: _Optional[int] = ..., gamma: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., brightness: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., contrast: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., color: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., bottomwidth: _Optional[int] = ..., bottomheight: _Optional[int] = ..., num: _Optional[int] = ..., chromatic_eigvec: _Optional[_Iterable[float]] = ..., fog_amount: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., fog_size: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., motion_blur_angle: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., motion_blur_size: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., shadow_angle: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., shadow_distance: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., shadow_strength: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., noise: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ...) -> None: ...

class BNParameter(_message.Message):
    __slots__ = ["bias_filler", "bn_mode", "engine", "eps", "frozen", "icnet", "momentum", "scale_filler", "shift_filler", "slope_filler"]
    class BNMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    BN_MODE_FIELD_NUMBER: _ClassVar[int]
    CAFFE: BNParameter.Engine
    CUDNN: BNParameter.Engine
    DEFAULT: BNParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    EPS_FIELD_NUMBER: _ClassVar[int]
    FROZEN_FIELD_NUMBER: _ClassVar[int]
    ICNET_FIELD_NUMBER: _ClassVar[int]
    INFERENCE: BNParameter.BNMode
    LEARN: BNParameter.BNMode
    MOMENTUM_FIELD_NUMBER: _ClassVar[int]
    SCALE_FILLER_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FILLER_FIELD_NUMBER: _ClassVar[int]
    SLOPE_FILLER_FIELD_NUMBER: _ClassVar[int]
    bias_filler: FillerParameter
    bn_mode: BNParameter.BNMode
    engine: BNParameter.Engine
    eps: float
    frozen: bool
    icnet: bool
    momentum: float
    scale_filler: FillerParameter
    shift_filler: FillerParameter
    slope_filler: FillerParameter
    def __init__(self, slope_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., momentum: _Optional[float] = ..., eps: _Optional[float] = ..., frozen: bool = ..., engine: _Optional[_Union[BNParameter.Engine, str]] = ..., icnet: bool = ..., bn_mode: _Optional[_Union[BNParameter.BNMode, str]] = ..., scale_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., shift_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ...) -> None: ...

class BatchNormParameter(_message.Message):
    __slots__ = ["add_eps_before_sqrt", "bias_filler", "bias_term", "engine", "eps", "filler", "icnet", "moving_average_fraction", "relu", "scale_bias", "scale_filler", "stats_batch_size", "update_global_stats", "use_global_stats", "use_weight_bias"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ADD_EPS_BEFORE_SQRT_FIELD_NUMBER: _ClassVar[int]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    BIAS_TERM_FIELD_NUMBER: _ClassVar[int]
    CAFFE: BatchNormParameter.Engine
    CUDNN: BatchNormParameter.Engine
    DEFAULT: BatchNormParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    EPS_FIELD_NUMBER: _ClassVar[int]
    FILLER_FIELD_NUMBER: _ClassVar[int]
    ICNET_FIELD_NUMBER: _ClassVar[int]
    MKL2017: BatchNormParameter.Engine
    MKLDNN: BatchNormParameter.Engine
    MOVING_AVERAGE_FRACTION_FIELD_NUMBER: _ClassVar[int]
    RELU_FIELD_NUMBER: _ClassVar[int]
    SCALE_BIAS_FIELD_NUMBER: _ClassVar[int]
    SCALE_FILLER_FIELD_NUMBER: _ClassVar[int]
    STATS_BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_GLOBAL_STATS_FIELD_NUMBER: _ClassVar[int]
    USE_GLOBAL_STATS_FIELD_NUMBER: _ClassVar[int]
    USE_WEIGHT_BIAS_FIELD_NUMBER: _ClassVar[int]
    add_eps_before_sqrt: bool
    bias_filler: FillerParameter
    bias_term: bool
    engine: BatchNormParameter.Engine
    eps: float
    filler: FillerParameter
    icnet: bool
    moving_average_fraction: float
    relu: bool
    scale_bias: bool
    scale_filler: FillerParameter
    stats_batch_size: int
    update_global_stats: bool
    use_global_stats: bool
    use_weight_bias: bool
    def __init__(self, use_global_stats: bool = ..., moving_average_fraction: _Optional[float] = ..., eps: _Optional[float] = ..., use_weight_bias: bool = ..., bias_term: bool = ..., filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., stats_batch_size: _Optional[int] = ..., relu: bool = ..., engine: _Optional[_Union[BatchNormParameter.Engine, str]] = ..., scale_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., scale_bias: bool = ..., add_eps_before_sqrt: bool = ..., icnet: bool = ..., update_global_stats: bool = ...) -> None: ...

class BatchSampler(_message.Message):
    __slots__ = ["max_sample", "max_trials", "sample_constraint", "sampler", "use_original_image"]
    MAX_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    MAX_TRIALS_FIELD_NUMBER: _ClassVar[int]
    SAMPLER_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_CONSTRAINT_FIELD_NUMBER: _ClassVar[int]
    USE_ORIGINAL_IMAGE_FIELD_NUMBER: _ClassVar[int]
    max_sample: int
    max_trials: int
    sample_constraint: SampleConstraint
    sampler: Sampler
    use_original_image: bool
    def __init__(self, use_original_image: bool = ..., sampler: _Optional[_Union[Sampler, _Mapping[str, object]]] = ..., sample_constraint: _Optional[_Union[SampleConstraint, _Mapping[str, object]]] = ..., max_sample: _Optional[int] = ..., max_trials: _Optional[int] = ...) -> None: ...

class BatchToSpaceNDParameter(_message.Message):
    __slots__ = ["block_shape", "crops"]
    BLOCK_SHAPE_FIELD_NUMBER: _ClassVar[int]
    CROPS_FIELD_NUMBER: _ClassVar[int]
    block_shape: _containers.RepeatedScalarFieldContainer[int]
    crops: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, block_shape: _Optional[_Iterable[int]] = ..., crops: _Optional[_Iterable[int]] = ...) -> None: ...

class BiasChannelParameter(_message.Message):
    __slots__ = ["background_label", "bg_bias", "fg_bias", "ignore_label", "label_type"]
    class LabelType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BACKGROUND_LABEL_FIELD_NUMBER: _ClassVar[int]
    BG_BIAS_FIELD_NUMBER: _ClassVar[int]
    FG_BIAS_FIELD_NUMBER: _ClassVar[int]
    IGNORE_LABEL_FIELD_NUMBER: _ClassVar[int]
    IMAGE: BiasChannelParameter.LabelType
    LABEL_TYPE_FIELD_NUMBER: _ClassVar[int]
    PIXEL: BiasChannelParameter.LabelType
    background_label: int
    bg_bias: float
    fg_bias: float
    ignore_label: _containers.RepeatedScalarFieldContainer[int]
    label_type: BiasChannelParameter.LabelType
    def __init__(self, bg_bias: _Optional[float] = ..., fg_bias: _Optional[float] = ..., ignore_label: _Optional[_Iterable[int]] = ..., label_type: _Optional[_Union[BiasChannelParameter.LabelType, str]] = ..., background_label: _Optional[int] = ...) -> None: ...

class BiasParameter(_message.Message):
    __slots__ = ["axis", "bias_scale", "bias_zero_point", "filler", "input_scale", "input_zero_point", "num_axes", "output_scale", "output_zero_point", "quantize_method", "saturate"]
    class QuantizeMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AXIS_FIELD_NUMBER: _ClassVar[int]
    BIAS_SCALE_FIELD_NUMBER: _ClassVar[int]
    BIAS_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    Caffe2: BiasParameter.QuantizeMethod
    FILLER_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    NUM_AXES_FIELD_NUMBER: _ClassVar[int]
    ONNX: BiasParameter.QuantizeMethod
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    QUANTIZE_METHOD_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    Signed: BiasParameter.SaturateMethod
    Signed_8bit: BiasParameter.SaturateMethod
    Unsigned: BiasParameter.SaturateMethod
    Unsigned_8bit: BiasParameter.SaturateMethod
    axis: int
    bias_scale: float
    bias_zero_point: int
    filler: FillerParameter
    input_scale: float
    input_zero_point: int
    num_axes: int
    output_scale: float
    output_zero_point: int
    quantize_method: BiasParameter.QuantizeMethod
    saturate: BiasParameter.SaturateMethod
    tflite: BiasParameter.QuantizeMethod
    def __init__(self, axis: _Optional[int] = ..., num_axes: _Optional[int] = ..., filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ..., bias_scale: _Optional[float] = ..., input_zero_point: _Optional[int] = ..., output_zero_point: _Optional[int] = ..., bias_zero_point: _Optional[int] = ..., saturate: _Optional[_Union[BiasParameter.SaturateMethod, str]] = ..., quantize_method: _Optional[_Union[BiasParameter.QuantizeMethod, str]] = ...) -> None: ...

class BlackAugmentationParameter(_message.Message):
    __slots__ = ["black", "border"]
    BLACK_FIELD_NUMBER: _ClassVar[int]
    BORDER_FIELD_NUMBER: _ClassVar[int]
    black: RandomGeneratorParameter
    border: RandomGeneratorParameter
    def __init__(self, black: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ..., border: _Optional[_Union[RandomGeneratorParameter, _Mapping[str, object]]] = ...) -> None: ...

class BlobProto(_message.Message):
    __slots__ = ["blob_mode", "channels", "data", "diff", "double_data", "double_diff", "global_id", "height", "num", "raw_data", "raw_data_type", "raw_diff", "raw_diff_type", "shape", "width"]
    class BlobMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BLOB_MODE_FIELD_NUMBER: _ClassVar[int]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    DIFF_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_DATA_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_DIFF_FIELD_NUMBER: _ClassVar[int]
    GLOBAL: BlobProto.BlobMode
    GLOBAL_ID_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    LOCAL: BlobProto.BlobMode
    NUM_FIELD_NUMBER: _ClassVar[int]
    RAW_DATA_FIELD_NUMBER: _ClassVar[int]
    RAW_DATA_TYPE_FIELD_NUMBER: _ClassVar[int]
    RAW_DIFF_FIELD_NUMBER: _ClassVar[int]
    RAW_DIFF_TYPE_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    blob_mode: BlobProto.BlobMode
    channels: int
    data: _containers.RepeatedScalarFieldContainer[float]
    diff: _containers.RepeatedScalarFieldContainer[float]
    double_data: _containers.RepeatedScalarFieldContainer[float]
    double_diff: _containers.RepeatedScalarFieldContainer[float]
    global_id: int
    height: int
    num: int
    raw_data: bytes
    raw_data_type: Type
    raw_diff: bytes
    raw_diff_type: Type
    shape: BlobShape
    width: int
    def __init__(self, num: _Optional[int] = ..., channels: _Optional[int] = ..., height: _Optional[int] = ..., width: _Optional[int] = ..., data: _Optional[_Iterable[float]] = ..., diff: _Optional[_Iterable[float]] = ..., shape: _Optional[_Union[BlobShape, _Mapping[str, object]]] = ..., double_data: _Optional[_Iterable[float]] = ..., double_diff: _Optional[_Iterable[float]] = ..., raw_data_type: _Optional[_Union[Type, str]] = ..., raw_diff_type: _Optional[_Union[Type, str]] = ..., raw_data: _Optional[bytes] = ..., raw_diff: _Optional[bytes] = ..., blob_mode: _Optional[_Union[BlobProto.BlobMode, str]] = ..., global_id: _Optional[int] = ...) -> None: ...

class BlobProtoVector(_message.Message):
    __slots__ = ["blobs"]
    BLOBS_FIELD_NUMBER: _ClassVar[int]
    blobs: _containers.RepeatedCompositeFieldContainer[BlobProto]
    def __init__(self, blobs: _Optional[_Iterable[_Union[BlobProto, _Mapping[str, object]]]] = ...) -> None: ...

class BlobShape(_message.Message):
    __slots__ = ["dim"]
    DIM_FIELD_NUMBER: _ClassVar[int]
    dim: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, dim: _Optional[_Iterable[int]] = ...) -> None: ...

class BoxAnnotatorOHEMParameter(_message.Message):
    __slots__ = ["ignore_label", "roi_per_img"]
    IGNORE_LABEL_FIELD_NUMBER: _ClassVar[int]
    ROI_PER_IMG_FIELD_NUMBER: _ClassVar[int]
    ignore_label: int
    roi_per_img: int
    def __init__(self, roi_per_img: _Optional[int] = ..., ignore_label: _Optional[int] = ...) -> None: ...

class BroadcastToParameter(_message.Message):
    __slots__ = ["shape"]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    shape: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, shape: _Optional[_Iterable[int]] = ...) -> None: ...

class C2TensorProto(_message.Message):
    __slots__ = ["byte_data", "data_type", "dims", "double_data", "float_data", "int32_data", "int64_data", "name", "string_data"]
    class DataType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BOOL: C2TensorProto.DataType
    BYTE: C2TensorProto.DataType
    BYTE_DATA_FIELD_NUMBER: _ClassVar[int]
    DATA_TYPE_FIELD_NUMBER: _ClassVar[int]
    DIMS_FIELD_NUMBER: _ClassVar[int]
    DOUBLE: C2TensorProto.DataType
    DOUBLE_DATA_FIELD_NUMBER: _ClassVar[int]
    FLOAT: C2TensorProto.DataType
    FLOAT16: C2TensorProto.DataType
    FLOAT_DATA_FIELD_NUMBER: _ClassVar[int]
    INT16: C2TensorProto.DataType
    INT32: C2TensorProto.DataType
    INT32_DATA_FIELD_NUMBER: _ClassVar[int]
    INT64: C2TensorProto.DataType
    INT64_DATA_FIELD_NUMBER: _ClassVar[int]
    INT8: C2TensorProto.DataType
    NAME_FIELD_NUMBER: _ClassVar[int]
    STRING: C2TensorProto.DataType
    STRING_DATA_FIELD_NUMBER: _ClassVar[int]
    UINT16: C2TensorProto.DataType
    UINT8: C2TensorProto.DataType
    UNDEFINED: C2TensorProto.DataType
    byte_data: bytes
    data_type: C2TensorProto.DataType
    dims: _containers.RepeatedScalarFieldContainer[int]
    double_data: _containers.RepeatedScalarFieldContainer[float]
    float_data: _containers.RepeatedScalarFieldContainer[float]
    int32_data: _containers.RepeatedScalarFieldContainer[int]
    int64_data: _containers.RepeatedScalarFieldContainer[int]
    name: str
    string_data: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, dims: _Optional[_Iterable[int]] = ..., data_type: _Optional[_Union[C2TensorProto.DataType, str]] = ..., float_data: _Optional[_Iterable[float]] = ..., int32_data: _Optional[_Iterable[int]] = ..., byte_data: _Optional[bytes] = ..., string_data: _Optional[_Iterable[bytes]] = ..., name: _Optional[str] = ..., double_data: _Optional[_Iterable[float]] = ..., int64_data: _Optional[_Iterable[int]] = ...) -> None: ...

class C2TensorProtos(_message.Message):
    __slots__ = ["protos"]
    PROTOS_FIELD_NUMBER: _ClassVar[int]
    protos: _containers.RepeatedCompositeFieldContainer[C2TensorProto]
    def __init__(self, protos: _Optional[_Iterable[_Union[C2TensorProto, _Mapping[str, object]]]] = ...) -> None: ...

class CTCDecoderParameter(_message.Message):
    __slots__ = ["blank_index", "ctc_merge_repeated"]
    BLANK_INDEX_FIELD_NUMBER: _ClassVar[int]
    CTC_MERGE_REPEATED_FIELD_NUMBER: _ClassVar[int]
    blank_index: int
    ctc_merge_repeated: bool
    def __init__(self, blank_index: _Optional[int] = ..., ctc_merge_repeated: bool = ...) -> None: ...

class CTCLossParameter(_message.Message):
    __slots__ = ["alphabet_size", "blank_index", "blank_label", "ctc_merge_repeated", "loss_calculation_t", "output_delay", "preprocess_collapse_repeated", "time_step"]
    ALPHABET_SIZE_FIELD_NUMBER: _ClassVar[int]
    BLANK_INDEX_FIELD_NUMBER: _ClassVar[int]
    BLANK_LABEL_FIELD_NUMBER: _ClassVar[int]
    CTC_MERGE_REPEATED_FIELD_NUMBER: _ClassVar[int]
    LOSS_CALCULATION_T_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_DELAY_FIELD_NUMBER: _ClassVar[int]
    PREPROCESS_COLLAPSE_REPEATED_FIELD_NUMBER: _ClassVar[int]
    TIME_STEP_FIELD_NUMBER: _ClassVar[int]
    alphabet_size: int
    blank_index: int
    blank_label: int
    ctc_merge_repeated: bool
    loss_calculation_t: int
    output_delay: int
    preprocess_collapse_repeated: bool
    time_step: int
    def __init__(self, output_delay: _Optional[int] = ..., blank_index: _Optional[int] = ..., preprocess_collapse_repeated: bool = ..., ctc_merge_repeated: bool = ..., loss_calculation_t: _Optional[int] = ..., alphabet_size: _Optional[int] = ..., time_step: _Optional[int] = ..., blank_label: _Optional[int] = ...) -> None: ...

class CenterLossParameter(_message.Message):
    __slots__ = ["axis", "center_filler", "num_output"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    CENTER_FILLER_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    axis: int
    center_filler: FillerParameter
    num_output: int
    def __init__(self, num_output: _Optional[int] = ..., center_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., axis: _Optional[int] = ...) -> None: ...

class ClipParameter(_message.Message):
    __slots__ = ["max", "min"]
    MAX_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    max: float
    min: float
    def __init__(self, min: _Optional[float] = ..., max: _Optional[float] = ...) -> None: ...

class CoeffScheduleParameter(_message.Message):
    __slots__ = ["final_coeff", "half_life", "initial_coeff"]
    FINAL_COEFF_FIELD_NUMBER: _ClassVar[int]
    HALF_LIFE_FIELD_NUMBER: _ClassVar[int]
    INITIAL_COEFF_FIELD_NUMBER: _ClassVar[int]
    final_coeff: float
    half_life: float
    initial_coeff: float
    def __init__(self, half_life: _Optional[float] = ..., initial_coeff: _Optional[float] = ..., final_coeff: _Optional[float] = ...) -> None: ...

class CompileNetState(_message.Message):
    __slots__ = ["bn_scale_merge", "bn_scale_remove", "is_init", "kept_bn_layers", "negative_conv_indexes", "negative_conv_names"]
    BN_SCALE_MERGE_FIELD_NUMBER: _ClassVar[int]
    BN_SCALE_REMOVE_FIELD_NUMBER: _ClassVar[int]
    IS_INIT_FIELD_NUMBER: _ClassVar[int]
    KEPT_BN_LAYERS_FIELD_NUMBER: _ClassVar[int]
    NEGATIVE_CONV_INDEXES_FIELD_NUMBER: _ClassVar[int]
    NEGATIVE_CONV_NAMES_FIELD_NUMBER: _ClassVar[int]
    bn_scale_merge: bool
    bn_scale_remove: bool
    is_init: bool
    kept_bn_layers: _containers.RepeatedScalarFieldContainer[str]
    negative_conv_indexes: _containers.RepeatedScalarFieldContainer[int]
    negative_conv_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, is_init: bool = ..., bn_scale_remove: bool = ..., bn_scale_merge: bool = ..., kept_bn_layers: _Optional[_Iterable[str]] = ..., negative_conv_names: _Optional[_Iterable[str]] = ..., negative_conv_indexes: _Optional[_Iterable[int]] = ...) -> None: ...

class ConcatParameter(_message.Message):
    __slots__ = ["axis", "concat_dim", "engine", "input_scale", "input_zero_point", "output_scale", "output_zero_point", "per_fla_fuse", "quantize_method", "saturate"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class QuantizeMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AXIS_FIELD_NUMBER: _ClassVar[int]
    CAFFE: ConcatParameter.Engine
    CONCAT_DIM_FIELD_NUMBER: _ClassVar[int]
    Caffe2: ConcatParameter.QuantizeMethod
    DEFAULT: ConcatParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    MKL2017: ConcatParameter.Engine
    MKLDNN: ConcatParameter.Engine
    ONNX: ConcatParameter.QuantizeMethod
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    PER_FLA_FUSE_FIELD_NUMBER: _ClassVar[int]
    QUANTIZE_METHOD_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    Signed: ConcatParameter.SaturateMethod
    Signed_8bit: ConcatParameter.SaturateMethod
    Unsigned: ConcatParameter.SaturateMethod
    Unsigned_8bit: ConcatParameter.SaturateMethod
    axis: int
    concat_dim: int
    engine: ConcatParameter.Engine
    input_scale: _containers.RepeatedScalarFieldContainer[float]
    input_zero_point: _containers.RepeatedScalarFieldContainer[int]
    output_scale: float
    output_zero_point: int
    per_fla_fuse: bool
    quantize_method: ConcatParameter.QuantizeMethod
    saturate: ConcatParameter.SaturateMethod
    tflite: ConcatParameter.QuantizeMethod
    def __init__(self, concat_dim: _Optional[int] = ..., axis: _Optional[int] = ..., engine: _Optional[_Union[ConcatParameter.Engine, str]] = ..., per_fla_fuse: bool = ..., input_zero_point: _Optional[_Iterable[int]] = ..., output_zero_point: _Optional[int] = ..., saturate: _Optional[_Union[ConcatParameter.SaturateMethod, str]] = ..., quantize_method: _Optional[_Union[ConcatParameter.QuantizeMethod, str]] = ..., input_scale: _Optional[_Iterable[float]] = ..., output_scale: _Optional[float] = ...) -> None: ...

class ContinuationIndicatorParameter(_message.Message):
    __slots__ = ["axis", "batch_size", "time_step"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    TIME_STEP_FIELD_NUMBER: _ClassVar[int]
    axis: int
    batch_size: int
    time_step: int
    def __init__(self, time_step: _Optional[int] = ..., batch_size: _Optional[int] = ..., axis: _Optional[int] = ...) -> None: ...

class ContrastiveLossParameter(_message.Message):
    __slots__ = ["legacy_version", "margin"]
    LEGACY_VERSION_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    legacy_version: bool
    margin: float
    def __init__(self, margin: _Optional[float] = ..., legacy_version: bool = ...) -> None: ...

class Convolution3DParameter(_message.Message):
    __slots__ = ["bias_filler", "bias_term", "filter_group", "group", "kernel_depth", "kernel_size", "num_output", "pad", "stride", "temporal_pad", "temporal_stride", "weight_filler"]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    BIAS_TERM_FIELD_NUMBER: _ClassVar[int]
    FILTER_GROUP_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KERNEL_DEPTH_FIELD_NUMBER: _ClassVar[int]
    KERNEL_SIZE_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    PAD_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    TEMPORAL_PAD_FIELD_NUMBER: _ClassVar[int]
    TEMPORAL_STRIDE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FILLER_FIELD_NUMBER: _ClassVar[int]
    bias_filler: FillerParameter
    bias_term: bool
    filter_group: int
    group: int
    kernel_depth: int
    kernel_size: int
    num_output: int
    pad: int
    stride: int
    temporal_pad: int
    temporal_stride: int
    weight_filler: FillerParameter
    def __init__(self, num_output: _Optional[int] = ..., bias_term: bool = ..., pad: _Optional[int] = ..., kernel_size: _Optional[int] = ..., group: _Optional[int] = ..., kernel_depth: _Optional[int] = ..., stride: _Optional[int] = ..., temporal_stride: _Optional[int] = ..., weight_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., filter_group: _Optional[int] = ..., temporal_pad: _Optional[int] = ...) -> None: ...

class ConvolutionParameter(_message.Message):
    __slots__ = ["axis", "bias_filler", "bias_term", "coeff", "conv_algorithm", "conv_algos_override", "cudnn_convolution_algo_seeker", "dilation", "dis_mode", "engine", "filter_group", "force_nd_im2col", "fusion_type", "gen_mode", "group", "hole", "hole_h", "hole_w", "input_scale", "input_zero_point", "kernel_depth", "kernel_h", "kernel_size", "kernel_w", "negative_slope", "num_output", "output_scale", "output_zero_point", "pad", "pad_b", "pad_h", "pad_l", "pad_r", "pad_t", "pad_type", "pad_w", "per_channel_scale_output", "per_channel_scale_weight", "quantize_method", "relu", "saturate", "shape_offset", "stride", "stride_h", "stride_w", "submanifold_sparse", "temporal_pad", "temporal_stride", "weight_filler", "weight_fixed", "weight_scale", "weight_zero_point"]
    class CuDNNConvolutionAlgorithmSeeker(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class FusionType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class QuantizeMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AXIS_FIELD_NUMBER: _ClassVar[int]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    BIAS_TERM_FIELD_NUMBER: _ClassVar[int]
    CAFFE: ConvolutionParameter.Engine
    COEFF_FIELD_NUMBER: _ClassVar[int]
    CONV_ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    CONV_ALGOS_OVERRIDE_FIELD_NUMBER: _ClassVar[int]
    CUDNN: ConvolutionParameter.Engine
    CUDNN_CONVOLUTION_ALGO_SEEKER_FIELD_NUMBER: _ClassVar[int]
    Caffe2: ConvolutionParameter.QuantizeMethod
    DEFAULT: ConvolutionParameter.Engine
    DILATION_FIELD_NUMBER: _ClassVar[int]
    DIS_MODE_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    FFT: ConvolutionParameter.Engine
    FILTER_GROUP_FIELD_NUMBER: _ClassVar[int]
    FINDEX: ConvolutionParameter.CuDNNConvolutionAlgorithmSeeker
    FORCE_ND_IM2COL_FIELD_NUMBER: _ClassVar[int]
    FUSION_TYPE_FIELD_NUMBER: _ClassVar[int]
    GEN_MODE_FIELD_NUMBER: _ClassVar[int]
    GET: ConvolutionParameter.CuDNNConvolutionAlgorithmSeeker
    GROUP_FIELD_NUMBER: _ClassVar[int]
    HOLE_FIELD_NUMBER: _ClassVar[int]
    HOLE_H_FIELD_NUMBER: _ClassVar[int]
    HOLE_W_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    INTEL_SPATIAL: ConvolutionParameter.Engine
    KERNEL_DEPTH_FIELD_NUMBER: _ClassVar[int]
    KERNEL_H_FIELD_NUMBER: _ClassVar[int]
    KERNEL_SIZE_FIELD_NUMBER: _ClassVar[int]
    KERNEL_W_FIELD_NUMBER: _ClassVar[int]
    LIBDNN: ConvolutionParameter.Engine
    MKL2017: ConvolutionParameter.Engine
    MKLDNN: ConvolutionParameter.Engine
    NEGATIVE_SLOPE_FIELD_NUMBER: _ClassVar[int]
    NONE_FUSION: ConvolutionParameter.FusionType
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ONNX: ConvolutionParameter.QuantizeMethod
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    PAD_B_FIELD_NUMBER: _ClassVar[int]
    PAD_FIELD_NUMBER: _ClassVar[int]
    PAD_H_FIELD_NUMBER: _ClassVar[int]
    PAD_L_FIELD_NUMBER: _ClassVar[int]
    PAD_R_FIELD_NUMBER: _ClassVar[int]
    PAD_TYPE_FIELD_NUMBER: _ClassVar[int]
    PAD_T_FIELD_NUMBER: _ClassVar[int]
    PAD_W_FIELD_NUMBER: _ClassVar[int]
    PER_CHANNEL_SCALE_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    PER_CHANNEL_SCALE_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    QUANTIZE_METHOD_FIELD_NUMBER: _ClassVar[int]
    RELU_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    SHAPE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    STRIDE_H_FIELD_NUMBER: _ClassVar[int]
    STRIDE_W_FIELD_NUMBER: _ClassVar[int]
    SUBMANIFOLD_SPARSE_FIELD_NUMBER: _ClassVar[int]
    SUM_FUSION: ConvolutionParameter.FusionType
    Signed: ConvolutionParameter.SaturateMethod
    Signed_8bit: ConvolutionParameter.SaturateMethod
    TEMPORAL_PAD_FIELD_NUMBER: _ClassVar[int]
    TEMPORAL_STRIDE_FIELD_NUMBER: _ClassVar[int]
    Unsigned: ConvolutionParameter.SaturateMethod
    Unsigned_8bit: ConvolutionParameter.SaturateMethod
    WEIGHT_FILLER_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIXED_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_SCALE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    axis: int
    bias_filler: FillerParameter
    bias_term: bool
    coeff: _containers.RepeatedScalarFieldContainer[float]
    conv_algorithm: str
    conv_algos_override: str
    cudnn_convolution_algo_seeker: ConvolutionParameter.CuDNNConvolutionAlgorithmSeeker
    dilation: _containers.RepeatedScalarFieldContainer[int]
    dis_mode: bool
    engine: ConvolutionParameter.Engine
    filter_group: int
    force_nd_im2col: bool
    fusion_type: ConvolutionParameter.FusionType
    gen_mode: bool
    group: int
    hole: _containers.RepeatedScalarFieldContainer[int]
    hole_h: int
    hole_w: int
    input_scale: float
    input_zero_point: int
    kernel_depth: int
    kernel_h: int
    kernel_size: _containers.RepeatedScalarFieldContainer[int]
    kernel_w: int
    negative_slope: float
    num_output: int
    output_scale: float
    output_zero_point: int
    pad: _containers.RepeatedScalarFieldContainer[int]
    pad_b: int
    pad_h: int
    pad_l: int
    pad_r: int
    pad_t: int
    pad_type: int
    pad_w: int
    per_channel_scale_output: bool
    per_channel_scale_weight: bool
    quantize_method: ConvolutionParameter.QuantizeMethod
    relu: bool
    saturate: ConvolutionParameter.SaturateMethod
    shape_offset: _containers.RepeatedScalarFieldContainer[int]
    stride: _containers.RepeatedScalarFieldContainer[int]
    stride_h: int
    stride_w: int
    submanifold_sparse: bool
    temporal_pad: int
    temporal_stride: int
    tflite: ConvolutionParameter.QuantizeMethod
    weight_filler: FillerParameter
    weight_fixed: bool
    weight_scale: float
    weight_zero_point: int
    def __init__(self, num_output: _Optional[int] = ..., bias_term: bool = ..., pad: _Optional[_Iterable[int]] = ..., kernel_size: _Optional[_Iterable[int]] = ..., group: _Optional[int] = ..., stride: _Optional[_Iterable[int]] = ..., weight_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., pad_h: _Optional[int] = ..., pad_w: _Optional[int] = ..., kernel_h: _Optional[int] = ..., kernel_w: _Optional[int] = ..., stride_h: _Optional[int] = ..., stride_w: _Optional[int] = ..., engine: _Optional[_Union[ConvolutionParameter.Engine, str]] = ..., axis: _Optional[int] = ..., force_nd_im2col: bool = ..., dilation: _Optional[_Iterable[int]] = ..., relu: bool = ..., negative_slope: _Optional[float] = ..., conv_algorithm: _Optional[str] = ..., shape_offset: _Optional[_Iterable[int]] = ..., coeff: _Optional[_Iterable[float]] = ..., fusion_type: _Optional[_Union[ConvolutionParameter.FusionType, str]] = ..., pad_l: _Optional[int] = ..., pad_r: _Optional[int] = ..., pad_t: _Optional[int] = ..., pad_b: _Optional[int] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ..., saturate: _Optional[_Union[ConvolutionParameter.SaturateMethod, str]] = ..., weight_scale: _Optional[float] = ..., input_zero_point: _Optional[int] = ..., output_zero_point: _Optional[int] = ..., weight_zero_point: _Optional[int] = ..., per_channel_scale_weight: bool = ..., quantize_method: _Optional[_Union[ConvolutionParameter.QuantizeMethod, str]] = ..., per_channel_scale_output: bool = ..., submanifold_sparse: bool = ..., cudnn_convolution_algo_seeker: _Optional[_Union[ConvolutionParameter.CuDNNConvolutionAlgorithmSeeker, str]] = ..., conv_algos_override: _Optional[str] = ..., pad_type: _Optional[int] = ..., weight_fixed: bool = ..., dis_mode: bool = ..., gen_mode: bool = ..., hole: _Optional[_Iterable[int]] = ..., hole_h: _Optional[int] = ..., hole_w: _Optional[int] = ..., kernel_depth: _Optional[int] = ..., temporal_stride: _Optional[int] = ..., temporal_pad: _Optional[int] = ..., filter_group: _Optional[int] = ...) -> None: ...

class Corr1dParameter(_message.Message):
    __slots__ = ["num_of_shifts", "stride"]
    NUM_OF_SHIFTS_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    num_of_shifts: int
    stride: int
    def __init__(self, stride: _Optional[int] = ..., num_of_shifts: _Optional[int] = ...) -> None: ...

class CorrelationParameter(_message.Message):
    __slots__ = ["correlation_type", "do_abs", "kernel_size", "max_displacement", "pad", "single_direction", "stride_1", "stride_2"]
    class CorrelationType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CORRELATION_TYPE_FIELD_NUMBER: _ClassVar[int]
    DO_ABS_FIELD_NUMBER: _ClassVar[int]
    KERNEL_SIZE_FIELD_NUMBER: _ClassVar[int]
    MAX_DISPLACEMENT_FIELD_NUMBER: _ClassVar[int]
    MULTIPLY: CorrelationParameter.CorrelationType
    PAD_FIELD_NUMBER: _ClassVar[int]
    SINGLE_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    STRIDE_1_FIELD_NUMBER: _ClassVar[int]
    STRIDE_2_FIELD_NUMBER: _ClassVar[int]
    SUBTRACT: CorrelationParameter.CorrelationType
    correlation_type: CorrelationParameter.CorrelationType
    do_abs: bool
    kernel_size: int
    max_displacement: int
    pad: int
    single_direction: int
    stride_1: int
    stride_2: int
    def __init__(self, pad: _Optional[int] = ..., kernel_size: _Optional[int] = ..., max_displacement: _Optional[int] = ..., stride_1: _Optional[int] = ..., stride_2: _Optional[int] = ..., do_abs: bool = ..., single_direction: _Optional[int] = ..., correlation_type: _Optional[_Union[CorrelationParameter.CorrelationType, str]] = ...) -> None: ...

class CountNonzeroParameter(_message.Message):
    __slots__ = ["axis", "keepdims"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    keepdims: bool
    def __init__(self, axis: _Optional[_Iterable[int]] = ..., keepdims: bool = ...) -> None: ...

class CropAndResizeParameter(_message.Message):
    __slots__ = ["crop_h", "crop_w", "data_format", "extrapolation_value"]
    CROP_H_FIELD_NUMBER: _ClassVar[int]
    CROP_W_FIELD_NUMBER: _ClassVar[int]
    DATA_FORMAT_FIELD_NUMBER: _ClassVar[int]
    EXTRAPOLATION_VALUE_FIELD_NUMBER: _ClassVar[int]
    crop_h: int
    crop_w: int
    data_format: str
    extrapolation_value: float
    def __init__(self, crop_h: _Optional[int] = ..., crop_w: _Optional[int] = ..., extrapolation_value: _Optional[float] = ..., data_format: _Optional[str] = ...) -> None: ...

class CropParameter(_message.Message):
    __slots__ = ["axis", "offset"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    axis: int
    offset: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, axis: _Optional[int] = ..., offset: _Optional[_Iterable[int]] = ...) -> None: ...

class DataParameter(_message.Message):
    __slots__ = ["backend", "batch_size", "block_size", "cache", "crop_size", "disk_reader_threads", "encoding", "force_encoded_color", "huge_video_dataset", "limit_samples", "mean_file", "mirror", "parser_threads", "permute_every_iter", "precache", "prefetch", "preselection_file", "preselection_label", "rand_permute", "rand_permute_order", "rand_permute_seed", "rand_skip", "random", "range_end", "range_start", "scale", "shared_file_system", "shuffle", "side", "slice_point", "source", "subtract", "threads", "verbose"]
    class CHANNELENCODING(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class DB(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class RANDPERMORDER(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    BLOCK_SIZE_FIELD_NUMBER: _ClassVar[int]
    BOOL1: DataParameter.CHANNELENCODING
    CACHE_FIELD_NUMBER: _ClassVar[int]
    CROP_SIZE_FIELD_NUMBER: _ClassVar[int]
    DISK_READER_THREADS_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    FIRST_PERMUTE_THEN_RANGE: DataParameter.RANDPERMORDER
    FIRST_RANGE_THEN_PERMUTE: DataParameter.RANDPERMORDER
    FORCE_ENCODED_COLOR_FIELD_NUMBER: _ClassVar[int]
    HUGE_VIDEO_DATASET_FIELD_NUMBER: _ClassVar[int]
    LEVELDB: DataParameter.DB
    LIMIT_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    LMDB: DataParameter.DB
    MEAN_FILE_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    PARSER_THREADS_FIELD_NUMBER: _ClassVar[int]
    PERMUTE_EVERY_ITER_FIELD_NUMBER: _ClassVar[int]
    PRECACHE_FIELD_NUMBER: _ClassVar[int]
    PREFETCH_FIELD_NUMBER: _ClassVar[int]
    PRESELECTION_FILE_FIELD_NUMBER: _ClassVar[int]
    PRESELECTION_LABEL_FIELD_NUMBER: _ClassVar[int]
    RANDOM_FIELD_NUMBER: _ClassVar[int]
    RAND_PERMUTE_FIELD_NUMBER: _ClassVar[int]
    RAND_PERMUTE_ORDER_FIELD_NUMBER: _ClassVar[int]
    RAND_PERMUTE_SEED_FIELD_NUMBER: _ClassVar[int]
    RAND_SKIP_FIELD_NUMBER: _ClassVar[int]
    RANGE_END_FIELD_NUMBER: _ClassVar[int]
    RANGE_START_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SHARED_FILE_SYSTEM_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    SLICE_POINT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SUBTRACT_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    UINT16FLOW: DataParameter.CHANNELENCODING
    UINT8: DataParameter.CHANNELENCODING
    VERBOSE_FIELD_NUMBER: _ClassVar[int]
    backend: DataParameter.DB
    batch_size: int
    block_size: int
    cache: bool
    crop_size: int
    disk_reader_threads: int
    encoding: _containers.RepeatedScalarFieldContainer[DataParameter.CHANNELENCODING]
    force_encoded_color: bool
    huge_video_dataset: bool
    limit_samples: int
    mean_file: str
    mirror: bool
    parser_threads: int
    permute_every_iter: int
    precache: bool
    prefetch: int
    preselection_file: str
    preselection_label: int
    rand_permute: bool
    rand_permute_order: DataParameter.RANDPERMORDER
    rand_permute_seed: int
    rand_skip: int
    random: bool
    range_end: int
    range_start: int
    scale: float
    shared_file_system: bool
    shuffle: bool
    side: _containers.RepeatedScalarFieldContainer[int]
    slice_point: _containers.RepeatedScalarFieldContainer[int]
    source: str
    subtract: _containers.RepeatedScalarFieldContainer[float]
    threads: int
    verbose: bool
    def __init__(self, source: _Optional[str] = ..., scale: _Optional[float] = ..., mean_file: _Optional[str] = ..., batch_size: _Optional[int] = ..., crop_size: _Optional[int] = ..., mirror: bool = ..., rand_skip: _Optional[int] = ..., backend: _Optional[_Union[DataParameter.DB, str]] = ..., force_encoded_color: bool = ..., prefetch: _Optional[int] = ..., shuffle: bool = ..., side: _Optional[_Iterable[int]] = ..., cache: bool = ..., precache: bool = ..., random: bool = ..., preselection_file: _Optional[str] = ..., preselection_label: _Optional[int] = ..., range_start: _Optional[int] = ..., range_end: _Optional[int] = ..., rand_permute: bool = ..., rand_permute_order: _Optional[_Union[DataParameter.RANDPERMORDER, str]] = ..., rand_permute_seed: _Optional[int] = ..., slice_point: _Optional[_Iterable[int]] = ..., encoding: _Optional[_Iterable[_Union[DataParameter.CHANNELENCODING, str]]] = ..., verbose: bool = ..., subtract: _Optional[_Iterable[float]] = ..., permute_every_iter: _Optional[int] = ..., block_size: _Optional[int] = ..., disk_reader_threads: _Optional[int] = ..., huge_video_dataset: bool = ..., limit_samples: _Optional[int] = ..., threads: _Optional[int] = ..., parser_threads: _Optional[int] = ..., shared_file_system: bool = ...) -> None: ...

class Datum(_message.Message):
    __slots__ = ["channels", "data", "encoded", "float_data", "height", "label", "record_id", "seg_label", "width"]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    ENCODED_FIELD_NUMBER: _ClassVar[int]
    FLOAT_DATA_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    SEG_LABEL_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    channels: int
    data: bytes
    encoded: bool
    float_data: _containers.RepeatedScalarFieldContainer[float]
    height: int
    label: int
    record_id: int
    seg_label: bytes
    width: int
    def __init__(self, channels: _Optional[int] = ..., height: _Optional[int] = ..., width: _Optional[int] = ..., data: _Optional[bytes] = ..., label: _Optional[int] = ..., float_data: _Optional[_Iterable[float]] = ..., encoded: bool = ..., seg_label: _Optional[bytes] = ..., record_id: _Optional[int] = ...) -> None: ...

class DenseCRFParameter(_message.Message):
    __slots__ = ["bi_rgb_std", "bi_w", "bi_xy_std", "max_iter", "output_probability", "pos_w", "pos_xy_std"]
    BI_RGB_STD_FIELD_NUMBER: _ClassVar[int]
    BI_W_FIELD_NUMBER: _ClassVar[int]
    BI_XY_STD_FIELD_NUMBER: _ClassVar[int]
    MAX_ITER_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    POS_W_FIELD_NUMBER: _ClassVar[int]
    POS_XY_STD_FIELD_NUMBER: _ClassVar[int]
    bi_rgb_std: _containers.RepeatedScalarFieldContainer[float]
    bi_w: _containers.RepeatedScalarFieldContainer[float]
    bi_xy_std: _containers.RepeatedScalarFieldContainer[float]
    max_iter: int
    output_probability: bool
    pos_w: _containers.RepeatedScalarFieldContainer[float]
    pos_xy_std: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, max_iter: _Optional[int] = ..., pos_xy_std: _Optional[_Iterable[float]] = ..., pos_w: _Optional[_Iterable[float]] = ..., bi_xy_std: _Optional[_Iterable[float]] = ..., bi_rgb_std: _Optional[_Iterable[float]] = ..., bi_w: _Optional[_Iterable[float]] = ..., output_probability: bool = ...) -> None: ...

class DenseImageDataParameter(_message.Message):
    __slots__ = ["batch_size", "crop_height", "crop_width", "is_color", "label_divide_factor", "mean_file", "mirror", "new_height", "new_width", "rand_skip", "root_folder", "shuffle", "source"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    CROP_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    CROP_WIDTH_FIELD_NUMBER: _ClassVar[int]
    IS_COLOR_FIELD_NUMBER: _ClassVar[int]
    LABEL_DIVIDE_FACTOR_FIELD_NUMBER: _ClassVar[int]
    MEAN_FILE_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    NEW_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    NEW_WIDTH_FIELD_NUMBER: _ClassVar[int]
    RAND_SKIP_FIELD_NUMBER: _ClassVar[int]
    ROOT_FOLDER_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    crop_height: int
    crop_width: int
    is_color: bool
    label_divide_factor: int
    mean_file: str
    mirror: bool
    new_height: int
    new_width: int
    rand_skip: int
    root_folder: str
    shuffle: bool
    source: str
    def __init__(self, source: _Optional[str] = ..., batch_size: _Optional[int] = ..., rand_skip: _Optional[int] = ..., shuffle: bool = ..., new_height: _Optional[int] = ..., new_width: _Optional[int] = ..., is_color: bool = ..., mean_file: _Optional[str] = ..., root_folder: _Optional[str] = ..., mirror: bool = ..., crop_width: _Optional[int] = ..., crop_height: _Optional[int] = ..., label_divide_factor: _Optional[int] = ...) -> None: ...

class DepthToSpaceParameter(_message.Message):
    __slots__ = ["block_size", "data_format"]
    BLOCK_SIZE_FIELD_NUMBER: _ClassVar[int]
    DATA_FORMAT_FIELD_NUMBER: _ClassVar[int]
    block_size: int
    data_format: str
    def __init__(self, block_size: _Optional[int] = ..., data_format: _Optional[str] = ...) -> None: ...

class DetectNetAugmentationParameter(_message.Message):
    __slots__ = ["crop_prob", "desaturation_max", "desaturation_prob", "distort_param", "emit_constraint", "expand_param", "flip_prob", "hue_rotation", "hue_rotation_prob", "max_rotate_degree", "noise_param", "resize_param", "rotation_prob", "scale_max", "scale_min", "scale_prob", "shift_x", "shift_y"]
    CROP_PROB_FIELD_NUMBER: _ClassVar[int]
    DESATURATION_MAX_FIELD_NUMBER: _ClassVar[int]
    DESATURATION_PROB_FIELD_NUMBER: _ClassVar[int]
    DISTORT_PARAM_FIELD_NUMBER: _ClassVar[int]
    EMIT_CONSTRAINT_FIELD_NUMBER: _ClassVar[int]
    EXPAND_PARAM_FIELD_NUMBER: _ClassVar[int]
    FLIP_PROB_FIELD_NUMBER: _ClassVar[int]
    HUE_ROTATION_FIELD_NUMBER: _ClassVar[int]
    HUE_ROTATION_PROB_FIELD_NUMBER: _ClassVar[int]
    MAX_ROTATE_DEGREE_FIELD_NUMBER: _ClassVar[int]
    NOISE_PARAM_FIELD_NUMBER: _ClassVar[int]
    RESIZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    ROTATION_PROB_FIELD_NUMBER: _ClassVar[int]
    SCALE_MAX_FIELD_NUMBER: _ClassVar[int]
    SCALE_MIN_FIELD_NUMBER: _ClassVar[int]
    SCALE_PROB_FIELD_NUMBER: _ClassVar[int]
    SHIFT_X_FIELD_NUMBER: _ClassVar[int]
    SHIFT_Y_FIELD_NUMBER: _ClassVar[int]
    crop_prob: float
    desaturation_max: float
    desaturation_prob: float
    distort_param: DistortionParameter
    emit_constraint: EmitConstraint
    expand_param: ExpansionParameter
    flip_prob: float
    hue_rotation: float
    hue_rotation_prob: float
    max_rotate_degree: float
    noise_param: NoiseParameter
    resize_param: ResizeParameter
    rotation_prob: float
    scale_max: float
    scale_min: float
    scale_prob: float
    shift_x: int
    shift_y: int
    def __init__(self, crop_prob: _Optional[float] = ..., shift_x: _Optional[int] = ..., shift_y: _Optional[int] = ..., scale_prob: _Optional[float] = ..., scale_min: _Optional[float] = ..., scale_max: _Optional[float] = ..., flip_prob: _Optional[float] = ..., rotation_prob: _Optional[float] = ..., max_rotate_degree: _Optional[float] = ..., hue_rotation_prob: _Optional[float] = ..., hue_rotation: _Optional[float] = ..., desaturation_prob: _Optional[float] = ..., desaturation_max: _Optional[float] = ..., resize_param: _Optional[_Union[ResizeParameter, _Mapping[str, object]]] = ..., noise_param: _Optional[_Union[NoiseParameter, _Mapping[str, object]]] = ..., emit_constraint: _Optional[_Union[EmitConstraint, _Mapping[str, object]]] = ..., distort_param: _Optional[_Union[DistortionParameter, _Mapping[str, object]]] = ..., expand_param: _Optional[_Union[ExpansionParameter, _Mapping[str, object]]] = ...) -> None: ...

class DetectNetGroundTruthParameter(_message.Message):
    __slots__ = ["coverage_type", "crop_bboxes", "gridbox_type", "image_size_x", "image_size_y", "max_cvg_len", "min_cvg_len", "obj_norm", "object_class", "scale_cvg", "stride"]
    class CoverageType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class GridboxType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class ClassMapping(_message.Message):
        __slots__ = ["dst", "src"]
        DST_FIELD_NUMBER: _ClassVar[int]
        SRC_FIELD_NUMBER: _ClassVar[int]
        dst: int
        src: int
        def __init__(self, src: _Optional[int] = ..., dst: _Optional[int] = ...) -> None: ...
    COVERAGE_TYPE_FIELD_NUMBER: _ClassVar[int]
    CROP_BBOXES_FIELD_NUMBER: _ClassVar[int]
    GRIDBOX_MAX: DetectNetGroundTruthParameter.GridboxType
    GRIDBOX_MIN: DetectNetGroundTruthParameter.GridboxType
    GRIDBOX_TYPE_FIELD_NUMBER: _ClassVar[int]
    IMAGE_SIZE_X_FIELD_NUMBER: _ClassVar[int]
    IMAGE_SIZE_Y_FIELD_NUMBER: _ClassVar[int]
    MAX_CVG_LEN_FIELD_NUMBER: _ClassVar[int]
    MIN_CVG_LEN_FIELD_NUMBER: _ClassVar[int]
    OBJECT_CLASS_FIELD_NUMBER: _ClassVar[int]
    OBJ_NORM_FIELD_NUMBER: _ClassVar[int]
    RECTANGULAR: DetectNetGroundTruthParameter.CoverageType
    SCALE_CVG_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    coverage_type: DetectNetGroundTruthParameter.CoverageType
    crop_bboxes: bool
    gridbox_type: DetectNetGroundTruthParameter.GridboxType
    image_size_x: int
    image_size_y: int
    max_cvg_len: int
    min_cvg_len: int
    obj_norm: bool
    object_class: _containers.RepeatedCompositeFieldContainer[DetectNetGroundTruthParameter.ClassMapping]
    scale_cvg: float
    stride: int
    def __init__(self, stride: _Optional[int] = ..., scale_cvg: _Optional[float] = ..., gridbox_type: _Optional[_Union[DetectNetGroundTruthParameter.GridboxType, str]] = ..., max_cvg_len: _Optional[int] = ..., min_cvg_len: _Optional[int] = ..., coverage_type: _Optional[_Union[DetectNetGroundTruthParameter.CoverageType, str]] = ..., image_size_x: _Optional[int] = ..., image_size_y: _Optional[int] = ..., obj_norm: bool = ..., crop_bboxes: bool = ..., object_class: _Optional[_Iterable[_Union[DetectNetGroundTruthParameter.ClassMapping, _Mapping[str, object]]]] = ...) -> None: ...

class DetectionEvaluateParameter(_message.Message):
    __slots__ = ["background_label_id", "evaluate_difficult_gt", "name_size_file", "num_classes", "overlap_threshold", "resize_param"]
    BACKGROUND_LABEL_ID_FIELD_NUMBER: _ClassVar[int]
    EVALUATE_DIFFICULT_GT_FIELD_NUMBER: _ClassVar[int]
    NAME_SIZE_FILE_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    OVERLAP_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    RESIZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    background_label_id: int
    evaluate_difficult_gt: bool
    name_size_file: str
    num_classes: int
    overlap_threshold: float
    resize_param: ResizeParameter
    def __init__(self, num_classes: _Optional[int] = ..., background_label_id: _Optional[int] = ..., overlap_threshold: _Optional[float] = ..., evaluate_difficult_gt: bool = ..., name_size_file: _Optional[str] = ..., resize_param: _Optional[_Union[ResizeParameter, _Mapping[str, object]]] = ...) -> None: ...

class DetectionOutputParameter(_message.Message):
    __slots__ = ["arm_conf_no_concat", "arm_loc_no_concat", "background_label_id", "code_type", "confidence_threshold", "keep_top_k", "max_classes_per_detection", "nbottom", "nms_param", "no_permute", "num_classes", "objectness_score", "ratio0", "ratio1", "ratio2", "ratio3", "ratio4", "ratio5", "ratio_permute", "save_file", "save_output_param", "scale_xywh", "share_location", "tflite_detection", "tflite_use_regular_nms", "variance_encoded_in_target", "visualize", "visualize_threshold"]
    ARM_CONF_NO_CONCAT_FIELD_NUMBER: _ClassVar[int]
    ARM_LOC_NO_CONCAT_FIELD_NUMBER: _ClassVar[int]
    BACKGROUND_LABEL_ID_FIELD_NUMBER: _ClassVar[int]
    CODE_TYPE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    KEEP_TOP_K_FIELD_NUMBER: _ClassVar[int]
    MAX_CLASSES_PER_DETECTION_FIELD_NUMBER: _ClassVar[int]
    NBOTTOM_FIELD_NUMBER: _ClassVar[int]
    NMS_PARAM_FIELD_NUMBER: _ClassVar[int]
    NO_PERMUTE_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    OBJECTNESS_SCORE_FIELD_NUMBER: _ClassVar[int]
    RATIO0_FIELD_NUMBER: _ClassVar[int]
    RATIO1_FIELD_NUMBER: _ClassVar[int]
    RATIO2_FIELD_NUMBER: _ClassVar[int]
    RATIO3_FIELD_NUMBER: _ClassVar[int]
    RATIO4_FIELD_NUMBER: _ClassVar[int]
    RATIO5_FIELD_NUMBER: _ClassVar[int]
    RATIO_PERMUTE_FIELD_NUMBER: _ClassVar[int]
    SAVE_FILE_FIELD_NUMBER: _ClassVar[int]
    SAVE_OUTPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    SCALE_XYWH_FIELD_NUMBER: _ClassVar[int]
    SHARE_LOCATION_FIELD_NUMBER: _ClassVar[int]
    TFLITE_DETECTION_FIELD_NUMBER: _ClassVar[int]
    TFLITE_USE_REGULAR_NMS_FIELD_NUMBER: _ClassVar[int]
    VARIANCE_ENCODED_IN_TARGET_FIELD_NUMBER: _ClassVar[int]
    VISUALIZE_FIELD_NUMBER: _ClassVar[int]
    VISUALIZE_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    arm_conf_no_concat: bool
    arm_loc_no_concat: bool
    background_label_id: int
    code_type: PriorBoxParameter.CodeType
    confidence_threshold: float
    keep_top_k: int
    max_classes_per_detection: int
    nbottom: int
    nms_param: NonMaximumSuppressionParameter
    no_permute: bool
    num_classes: int
    objectness_score: float
    ratio0: int
    ratio1: int
    ratio2: int
    ratio3: int
    ratio4: int
    ratio5: int
    ratio_permute: bool
    save_file: str
    save_output_param: SaveOutputParameter
    scale_xywh: _containers.RepeatedScalarFieldContainer[float]
    share_location: bool
    tflite_detection: bool
    tflite_use_regular_nms: bool
    variance_encoded_in_target: bool
    visualize: bool
    visualize_threshold: float
    def __init__(self, num_classes: _Optional[int] = ..., share_location: bool = ..., background_label_id: _Optional[int] = ..., nms_param: _Optional[_Union[NonMaximumSuppressionParameter, _Mapping[str, object]]] = ..., save_output_param: _Optional[_Union[SaveOutputParameter, _Mapping[str, object]]] = ..., code_type: _Optional[_Union[PriorBoxParameter.CodeType, str]] = ..., keep_top_k: _Optional[int] = ..., variance_encoded_in_target: bool = ..., confidence_threshold: _Optional[float] = ..., visualize: bool = ..., visualize_threshold: _Optional[float] = ..., save_file: _Optional[str] = ..., objectness_score: _Optional[float] = ..., ratio_permute: bool = ..., ratio0: _Optional[int] = ..., ratio1: _Optional[int] = ..., ratio2: _Optional[int] = ..., ratio3: _Optional[int] = ..., ratio4: _Optional[int] = ..., ratio5: _Optional[int] = ..., no_permute: bool = ..., nbottom: _Optional[int] = ..., tflite_detection: bool = ..., tflite_use_regular_nms: bool = ..., max_classes_per_detection: _Optional[int] = ..., scale_xywh: _Optional[_Iterable[float]] = ..., arm_conf_no_concat: bool = ..., arm_loc_no_concat: bool = ...) -> None: ...

class DirectionParameter(_message.Message):
    __slots__ = ["bp_norm", "fix_gradient", "normalize_type"]
    BP_NORM_FIELD_NUMBER: _ClassVar[int]
    FIX_GRADIENT_FIELD_NUMBER: _ClassVar[int]
    NORMALIZE_TYPE_FIELD_NUMBER: _ClassVar[int]
    bp_norm: bool
    fix_gradient: bool
    normalize_type: str
    def __init__(self, normalize_type: _Optional[str] = ..., fix_gradient: bool = ..., bp_norm: bool = ...) -> None: ...

class DistortionParameter(_message.Message):
    __slots__ = ["brightness_delta", "brightness_prob", "contrast_lower", "contrast_prob", "contrast_upper", "exposure_lower", "exposure_upper", "hue_delta", "hue_prob", "random_order_prob", "saturation_lower", "saturation_prob", "saturation_upper"]
    BRIGHTNESS_DELTA_FIELD_NUMBER: _ClassVar[int]
    BRIGHTNESS_PROB_FIELD_NUMBER: _ClassVar[int]
    CONTRAST_LOWER_FIELD_NUMBER: _ClassVar[int]
    CONTRAST_PROB_FIELD_NUMBER: _ClassVar[int]
    CONTRAST_UPPER_FIELD_NUMBER: _ClassVar[int]
    EXPOSURE_LOWER_FIELD_NUMBER: _ClassVar[int]
    EXPOSURE_UPPER_FIELD_NUMBER: _ClassVar[int]
    HUE_DELTA_FIELD_NUMBER: _ClassVar[int]
    HUE_PROB_FIELD_NUMBER: _ClassVar[int]
    RANDOM_ORDER_PROB_FIELD_NUMBER: _ClassVar[int]
    SATURATION_LOWER_FIELD_NUMBER: _ClassVar[int]
    SATURATION_PROB_FIELD_NUMBER: _ClassVar[int]
    SATURATION_UPPER_FIELD_NUMBER: _ClassVar[int]
    brightness_delta: float
    brightness_prob: float
    contrast_lower: float
    contrast_prob: float
    contrast_upper: float
    exposure_lower: float
    exposure_upper: float
    hue_delta: float
    hue_prob: float
    random_order_prob: float
    saturation_lower: float
    saturation_prob: float
    saturation_upper: float
    def __init__(self, brightness_prob: _Optional[float] = ..., brightness_delta: _Optional[float] = ..., contrast_prob: _Optional[float] = ..., contrast_lower: _Optional[float] = ..., contrast_upper: _Optional[float] = ..., hue_prob: _Optional[float] = ..., hue_delta: _Optional[float] = ..., saturation_prob: _Optional[float] = ..., saturation_lower: _Optional[float] = ..., saturation_upper: _Optional[float] = ..., random_order_prob: _Optional[float] = ..., exposure_lower: _Optional[float] = ..., exposure_upper: _Optional[float] = ...) -> None: ...

class DomainTransformParameter(_message.Message):
    __slots__ = ["min_weight", "num_iter", "range_sigma", "spatial_sigma"]
    MIN_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    NUM_ITER_FIELD_NUMBER: _ClassVar[int]
    RANGE_SIGMA_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_SIGMA_FIELD_NUMBER: _ClassVar[int]
    min_weight: float
    num_iter: int
    range_sigma: float
    spatial_sigma: float
    def __init__(self, num_iter: _Optional[int] = ..., spatial_sigma: _Optional[float] = ..., range_sigma: _Optional[float] = ..., min_weight: _Optional[float] = ...) -> None: ...

class DownsampleParameter(_message.Message):
    __slots__ = ["top_height", "top_width"]
    TOP_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    TOP_WIDTH_FIELD_NUMBER: _ClassVar[int]
    top_height: int
    top_width: int
    def __init__(self, top_height: _Optional[int] = ..., top_width: _Optional[int] = ...) -> None: ...

class DropoutParameter(_message.Message):
    __slots__ = ["dropout_ratio", "engine", "random_seed", "sample_weights_test", "scale_train"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CAFFE: DropoutParameter.Engine
    CUDNN: DropoutParameter.Engine
    DEFAULT: DropoutParameter.Engine
    DROPOUT_RATIO_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    RANDOM_SEED_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_WEIGHTS_TEST_FIELD_NUMBER: _ClassVar[int]
    SCALE_TRAIN_FIELD_NUMBER: _ClassVar[int]
    dropout_ratio: float
    engine: DropoutParameter.Engine
    random_seed: int
    sample_weights_test: bool
    scale_train: bool
    def __init__(self, dropout_ratio: _Optional[float] = ..., scale_train: bool = ..., random_seed: _Optional[int] = ..., sample_weights_test: bool = ..., engine: _Optional[_Union[DropoutParameter.Engine, str]] = ...) -> None: ...

class DummyDataParameter(_message.Message):
    __slots__ = ["channels", "data_filler", "height", "num", "shape", "width"]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    DATA_FILLER_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    NUM_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    channels: _containers.RepeatedScalarFieldContainer[int]
    data_filler: _containers.RepeatedCompositeFieldContainer[FillerParameter]
    height: _containers.RepeatedScalarFieldContainer[int]
    num: _containers.RepeatedScalarFieldContainer[int]
    shape: _containers.RepeatedCompositeFieldContainer[BlobShape]
    width: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, data_filler: _Optional[_Iterable[_Union[FillerParameter, _Mapping[str, object]]]] = ..., num: _Optional[_Iterable[int]] = ..., channels: _Optional[_Iterable[int]] = ..., height: _Optional[_Iterable[int]] = ..., width: _Optional[_Iterable[int]] = ..., shape: _Optional[_Iterable[_Union[BlobShape, _Mapping[str, object]]]] = ...) -> None: ...

class ELUParameter(_message.Message):
    __slots__ = ["alpha"]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    LAMBDA_FIELD_NUMBER: _ClassVar[int]
    alpha: float
    def __init__(self, alpha: _Optional[float] = ..., **kwargs: float) -> None: ...

class EltwiseParameter(_message.Message):
    __slots__ = ["axis", "coeff", "engine", "input_scale", "input_zero_point", "operation", "output_scale", "output_zero_point", "quantize_method", "saturate", "stable_prod_grad"]
    class EltwiseOp(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class QuantizeMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AXIS_FIELD_NUMBER: _ClassVar[int]
    CAFFE: EltwiseParameter.Engine
    COEFF_FIELD_NUMBER: _ClassVar[int]
    Caffe2: EltwiseParameter.QuantizeMethod
    DEFAULT: EltwiseParameter.Engine
    DIV: EltwiseParameter.EltwiseOp
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    MAX: EltwiseParameter.EltwiseOp
    MIN: EltwiseParameter.EltwiseOp
    MKL2017: EltwiseParameter.Engine
    MKLDNN: EltwiseParameter.Engine
    ONNX: EltwiseParameter.QuantizeMethod
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    PROD: EltwiseParameter.EltwiseOp
    QUANTIZE_METHOD_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    STABLE_PROD_GRAD_FIELD_NUMBER: _ClassVar[int]
    SUM: EltwiseParameter.EltwiseOp
    Signed: EltwiseParameter.SaturateMethod
    Signed_8bit: EltwiseParameter.SaturateMethod
    Unsigned: EltwiseParameter.SaturateMethod
    Unsigned_8bit: EltwiseParameter.SaturateMethod
    axis: int
    coeff: _containers.RepeatedScalarFieldContainer[float]
    engine: EltwiseParameter.Engine
    input_scale: _containers.RepeatedScalarFieldContainer[float]
    input_zero_point: _containers.RepeatedScalarFieldContainer[int]
    operation: EltwiseParameter.EltwiseOp
    output_scale: float
    output_zero_point: int
    quantize_method: EltwiseParameter.QuantizeMethod
    saturate: EltwiseParameter.SaturateMethod
    stable_prod_grad: bool
    tflite: EltwiseParameter.QuantizeMethod
    def __init__(self, operation: _Optional[_Union[EltwiseParameter.EltwiseOp, str]] = ..., coeff: _Optional[_Iterable[float]] = ..., stable_prod_grad: bool = ..., engine: _Optional[_Union[EltwiseParameter.Engine, str]] = ..., saturate: _Optional[_Union[EltwiseParameter.SaturateMethod, str]] = ..., axis: _Optional[int] = ..., input_scale: _Optional[_Iterable[float]] = ..., output_scale: _Optional[float] = ..., input_zero_point: _Optional[_Iterable[int]] = ..., output_zero_point: _Optional[int] = ..., quantize_method: _Optional[_Union[EltwiseParameter.QuantizeMethod, str]] = ...) -> None: ...

class EmbedParameter(_message.Message):
    __slots__ = ["bias_filler", "bias_term", "input_dim", "num_output", "weight_filler"]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    BIAS_TERM_FIELD_NUMBER: _ClassVar[int]
    INPUT_DIM_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FILLER_FIELD_NUMBER: _ClassVar[int]
    bias_filler: FillerParameter
    bias_term: bool
    input_dim: int
    num_output: int
    weight_filler: FillerParameter
    def __init__(self, num_output: _Optional[int] = ..., input_dim: _Optional[int] = ..., bias_term: bool = ..., weight_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ...) -> None: ...

class EmbeddingLookupParameter(_message.Message):
    __slots__ = ["ids", "ids_shape", "max_norm", "partition_strategy"]
    IDS_FIELD_NUMBER: _ClassVar[int]
    IDS_SHAPE_FIELD_NUMBER: _ClassVar[int]
    MAX_NORM_FIELD_NUMBER: _ClassVar[int]
    PARTITION_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[int]
    ids_shape: _containers.RepeatedScalarFieldContainer[int]
    max_norm: float
    partition_strategy: str
    def __init__(self, ids: _Optional[_Iterable[int]] = ..., ids_shape: _Optional[_Iterable[int]] = ..., partition_strategy: _Optional[str] = ..., max_norm: _Optional[float] = ...) -> None: ...

class EmbeddingLookupSparseParameter(_message.Message):
    __slots__ = ["combiner", "ids_indices", "ids_shape", "ids_values", "max_norm", "partition_strategy", "weight_values"]
    COMBINER_FIELD_NUMBER: _ClassVar[int]
    IDS_INDICES_FIELD_NUMBER: _ClassVar[int]
    IDS_SHAPE_FIELD_NUMBER: _ClassVar[int]
    IDS_VALUES_FIELD_NUMBER: _ClassVar[int]
    MAX_NORM_FIELD_NUMBER: _ClassVar[int]
    PARTITION_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_VALUES_FIELD_NUMBER: _ClassVar[int]
    combiner: str
    ids_indices: _containers.RepeatedScalarFieldContainer[int]
    ids_shape: _containers.RepeatedScalarFieldContainer[int]
    ids_values: _containers.RepeatedScalarFieldContainer[int]
    max_norm: float
    partition_strategy: str
    weight_values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, ids_indices: _Optional[_Iterable[int]] = ..., ids_values: _Optional[_Iterable[int]] = ..., ids_shape: _Optional[_Iterable[int]] = ..., weight_values: _Optional[_Iterable[float]] = ..., partition_strategy: _Optional[str] = ..., combiner: _Optional[str] = ..., max_norm: _Optional[float] = ...) -> None: ...

class EmitConstraint(_message.Message):
    __slots__ = ["emit_overlap", "emit_type"]
    class EmitType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CENTER: EmitConstraint.EmitType
    EMIT_OVERLAP_FIELD_NUMBER: _ClassVar[int]
    EMIT_TYPE_FIELD_NUMBER: _ClassVar[int]
    MIN_OVERLAP: EmitConstraint.EmitType
    emit_overlap: float
    emit_type: EmitConstraint.EmitType
    def __init__(self, emit_type: _Optional[_Union[EmitConstraint.EmitType, str]] = ..., emit_overlap: _Optional[float] = ...) -> None: ...

class EvalDetectionParameter(_message.Message):
    __slots__ = ["biases", "constriant", "nms", "num_class", "num_object", "score_type", "side", "sqrt", "threshold"]
    class ScoreType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BIASES_FIELD_NUMBER: _ClassVar[int]
    CONSTRIANT_FIELD_NUMBER: _ClassVar[int]
    MULTIPLY: EvalDetectionParameter.ScoreType
    NMS_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASS_FIELD_NUMBER: _ClassVar[int]
    NUM_OBJECT_FIELD_NUMBER: _ClassVar[int]
    OBJ: EvalDetectionParameter.ScoreType
    PROB: EvalDetectionParameter.ScoreType
    SCORE_TYPE_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    SQRT_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    biases: _containers.RepeatedScalarFieldContainer[float]
    constriant: bool
    nms: float
    num_class: int
    num_object: int
    score_type: EvalDetectionParameter.ScoreType
    side: int
    sqrt: bool
    threshold: float
    def __init__(self, side: _Optional[int] = ..., num_class: _Optional[int] = ..., num_object: _Optional[int] = ..., threshold: _Optional[float] = ..., sqrt: bool = ..., constriant: bool = ..., score_type: _Optional[_Union[EvalDetectionParameter.ScoreType, str]] = ..., nms: _Optional[float] = ..., biases: _Optional[_Iterable[float]] = ...) -> None: ...

class ExpParameter(_message.Message):
    __slots__ = ["base", "scale", "shift"]
    BASE_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    base: float
    scale: float
    shift: float
    def __init__(self, base: _Optional[float] = ..., scale: _Optional[float] = ..., shift: _Optional[float] = ...) -> None: ...

class ExpandDimsNDParameter(_message.Message):
    __slots__ = ["axis"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, axis: _Optional[_Iterable[int]] = ...) -> None: ...

class ExpansionParameter(_message.Message):
    __slots__ = ["max_expand_ratio", "prob"]
    MAX_EXPAND_RATIO_FIELD_NUMBER: _ClassVar[int]
    PROB_FIELD_NUMBER: _ClassVar[int]
    max_expand_ratio: float
    prob: float
    def __init__(self, prob: _Optional[float] = ..., max_expand_ratio: _Optional[float] = ...) -> None: ...

class FillerParameter(_message.Message):
    __slots__ = ["diag_val", "file", "max", "mean", "min", "scale", "sparse", "std", "type", "value", "variance_norm"]
    class VarianceNorm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AVERAGE: FillerParameter.VarianceNorm
    DIAG_VAL_FIELD_NUMBER: _ClassVar[int]
    FAN_IN: FillerParameter.VarianceNorm
    FAN_OUT: FillerParameter.VarianceNorm
    FILE_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    MEAN_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SPARSE_FIELD_NUMBER: _ClassVar[int]
    STD_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    VARIANCE_NORM_FIELD_NUMBER: _ClassVar[int]
    diag_val: _containers.RepeatedScalarFieldContainer[float]
    file: str
    max: float
    mean: float
    min: float
    scale: float
    sparse: int
    std: float
    type: str
    value: float
    variance_norm: FillerParameter.VarianceNorm
    def __init__(self, type: _Optional[str] = ..., value: _Optional[float] = ..., min: _Optional[float] = ..., max: _Optional[float] = ..., mean: _Optional[float] = ..., std: _Optional[float] = ..., sparse: _Optional[int] = ..., variance_norm: _Optional[_Union[FillerParameter.VarianceNorm, str]] = ..., scale: _Optional[float] = ..., diag_val: _Optional[_Iterable[float]] = ..., file: _Optional[str] = ...) -> None: ...

class FlattenParameter(_message.Message):
    __slots__ = ["axis", "end_axis"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    END_AXIS_FIELD_NUMBER: _ClassVar[int]
    axis: int
    end_axis: int
    def __init__(self, axis: _Optional[int] = ..., end_axis: _Optional[int] = ...) -> None: ...

class FlowWarpParameter(_message.Message):
    __slots__ = ["fill_value"]
    class FillParameter(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    FILL_VALUE_FIELD_NUMBER: _ClassVar[int]
    NOT_A_NUMBER: FlowWarpParameter.FillParameter
    ZERO: FlowWarpParameter.FillParameter
    fill_value: FlowWarpParameter.FillParameter
    def __init__(self, fill_value: _Optional[_Union[FlowWarpParameter.FillParameter, str]] = ...) -> None: ...

class GANLossParameter(_message.Message):
    __slots__ = ["dis_iter", "dis_lossweight", "equilibrium", "gen_iter", "gen_lossweight", "k_lr", "nothing", "simple_genloss"]
    DIS_ITER_FIELD_NUMBER: _ClassVar[int]
    DIS_LOSSWEIGHT_FIELD_NUMBER: _ClassVar[int]
    EQUILIBRIUM_FIELD_NUMBER: _ClassVar[int]
    GEN_ITER_FIELD_NUMBER: _ClassVar[int]
    GEN_LOSSWEIGHT_FIELD_NUMBER: _ClassVar[int]
    K_LR_FIELD_NUMBER: _ClassVar[int]
    NOTHING_FIELD_NUMBER: _ClassVar[int]
    SIMPLE_GENLOSS_FIELD_NUMBER: _ClassVar[int]
    dis_iter: int
    dis_lossweight: float
    equilibrium: float
    gen_iter: int
    gen_lossweight: float
    k_lr: float
    nothing: bool
    simple_genloss: bool
    def __init__(self, dis_iter: _Optional[int] = ..., gen_iter: _Optional[int] = ..., dis_lossweight: _Optional[float] = ..., gen_lossweight: _Optional[float] = ..., simple_genloss: bool = ..., k_lr: _Optional[float] = ..., equilibrium: _Optional[float] = ..., nothing: bool = ...) -> None: ...

class GatherNDParameter(_message.Message):
    __slots__ = ["indices", "indices_shape"]
    INDICES_FIELD_NUMBER: _ClassVar[int]
    INDICES_SHAPE_FIELD_NUMBER: _ClassVar[int]
    indices: _containers.RepeatedScalarFieldContainer[int]
    indices_shape: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, indices: _Optional[_Iterable[int]] = ..., indices_shape: _Optional[_Iterable[int]] = ...) -> None: ...

class GatherParameter(_message.Message):
    __slots__ = ["axis", "indices", "shape"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    INDICES_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    axis: int
    indices: _containers.RepeatedScalarFieldContainer[int]
    shape: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, indices: _Optional[_Iterable[int]] = ..., shape: _Optional[_Iterable[int]] = ..., axis: _Optional[int] = ...) -> None: ...

class GatherV2Parameter(_message.Message):
    __slots__ = ["axis", "batch_flag"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    BATCH_FLAG_FIELD_NUMBER: _ClassVar[int]
    axis: int
    batch_flag: bool
    def __init__(self, axis: _Optional[int] = ..., batch_flag: bool = ...) -> None: ...

class GemmParameter(_message.Message):
    __slots__ = ["alpha", "beta", "transA", "transB"]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    BETA_FIELD_NUMBER: _ClassVar[int]
    TRANSA_FIELD_NUMBER: _ClassVar[int]
    TRANSB_FIELD_NUMBER: _ClassVar[int]
    alpha: float
    beta: float
    transA: int
    transB: int
    def __init__(self, alpha: _Optional[float] = ..., beta: _Optional[float] = ..., transA: _Optional[int] = ..., transB: _Optional[int] = ...) -> None: ...

class HDF5DataParameter(_message.Message):
    __slots__ = ["batch_size", "shuffle", "source"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    shuffle: bool
    source: str
    def __init__(self, source: _Optional[str] = ..., batch_size: _Optional[int] = ..., shuffle: bool = ...) -> None: ...

class HDF5OutputParameter(_message.Message):
    __slots__ = ["file_name"]
    FILE_NAME_FIELD_NUMBER: _ClassVar[int]
    file_name: str
    def __init__(self, file_name: _Optional[str] = ...) -> None: ...

class HardSigmoidParameter(_message.Message):
    __slots__ = ["alpha", "beta"]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    BETA_FIELD_NUMBER: _ClassVar[int]
    alpha: float
    beta: float
    def __init__(self, alpha: _Optional[float] = ..., beta: _Optional[float] = ...) -> None: ...

class HingeLossParameter(_message.Message):
    __slots__ = ["norm"]
    class Norm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    L1: HingeLossParameter.Norm
    L2: HingeLossParameter.Norm
    NORM_FIELD_NUMBER: _ClassVar[int]
    norm: HingeLossParameter.Norm
    def __init__(self, norm: _Optional[_Union[HingeLossParameter.Norm, str]] = ...) -> None: ...

class ImageDataParameter(_message.Message):
    __slots__ = ["batch_size", "cache", "clip_max", "clip_min", "crop_size", "dataset_share_per_node", "ignore_label", "is_color", "is_flow", "label_type", "mean_file", "mean_value", "min_height", "min_width", "mirror", "new_height", "new_length", "new_width", "num_truth_channels", "precache", "rand_skip", "root_folder", "sampling_rate", "scale", "shared_file_system", "short_side", "show_data", "shuffle", "source", "threads", "truth_scale", "use_byte_input", "use_image", "use_label", "use_temporal_jitter"]
    class LabelType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    CACHE_FIELD_NUMBER: _ClassVar[int]
    CLIP_MAX_FIELD_NUMBER: _ClassVar[int]
    CLIP_MIN_FIELD_NUMBER: _ClassVar[int]
    CROP_SIZE_FIELD_NUMBER: _ClassVar[int]
    DATASET_SHARE_PER_NODE_FIELD_NUMBER: _ClassVar[int]
    IGNORE_LABEL_FIELD_NUMBER: _ClassVar[int]
    IMAGE: ImageDataParameter.LabelType
    IS_COLOR_FIELD_NUMBER: _ClassVar[int]
    IS_FLOW_FIELD_NUMBER: _ClassVar[int]
    LABEL_TYPE_FIELD_NUMBER: _ClassVar[int]
    MEAN_FILE_FIELD_NUMBER: _ClassVar[int]
    MEAN_VALUE_FIELD_NUMBER: _ClassVar[int]
    MIN_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    MIN_WIDTH_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    NEW_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    NEW_LENGTH_FIELD_NUMBER: _ClassVar[int]
    NEW_WIDTH_FIELD_NUMBER: _ClassVar[int]
    NONE: ImageDataParameter.LabelType
    NUM_TRUTH_CHANNELS_FIELD_NUMBER: _ClassVar[int]
    PIXEL: ImageDataParameter.LabelType
    PRECACHE_FIELD_NUMBER: _ClassVar[int]
    RAND_SKIP_FIELD_NUMBER: _ClassVar[int]
    ROOT_FOLDER_FIELD_NUMBER: _ClassVar[int]
    SAMPLING_RATE_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SHARED_FILE_SYSTEM_FIELD_NUMBER: _ClassVar[int]
    SHORT_SIDE_FIELD_NUMBER: _ClassVar[int]
    SHOW_DATA_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    TRUTH_SCALE_FIELD_NUMBER: _ClassVar[int]
    USE_BYTE_INPUT_FIELD_NUMBER: _ClassVar[int]
    USE_IMAGE_FIELD_NUMBER: _ClassVar[int]
    USE_LABEL_FIELD_NUMBER: _ClassVar[int]
    USE_TEMPORAL_JITTER_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    cache: bool
    clip_max: float
    clip_min: float
    crop_size: int
    dataset_share_per_node: float
    ignore_label: int
    is_color: bool
    is_flow: bool
    label_type: ImageDataParameter.LabelType
    mean_file: str
    mean_value: float
    min_height: int
    min_width: int
    mirror: bool
    new_height: int
    new_length: int
    new_width: int
    num_truth_channels: int
    precache: bool
    rand_skip: int
    root_folder: str
    sampling_rate: int
    scale: float
    shared_file_system: bool
    short_side: int
    show_data: int
    shuffle: bool
    source: str
    threads: int
    truth_scale: float
    use_byte_input: bool
    use_image: bool
    use_label: bool
    use_temporal_jitter: bool
    def __init__(self, source: _Optional[str] = ..., scale: _Optional[float] = ..., mean_file: _Optional[str] = ..., batch_size: _Optional[int] = ..., crop_size: _Optional[int] = ..., mirror: bool = ..., rand_skip: _Optional[int] = ..., shuffle: bool = ..., new_height: _Optional[int] = ..., new_width: _Optional[int] = ..., is_color: bool = ..., root_folder: _Optional[str] = ..., min_height: _Optional[int] = ..., min_width: _Optional[int] = ..., ignore_label: _Optional[int] = ..., label_type: _Optional[_Union[ImageDataParameter.LabelType, str]] = ..., dataset_share_per_node: _Optional[float] = ..., short_side: _Optional[int] = ..., threads: _Optional[int] = ..., cache: bool = ..., precache: bool = ..., shared_file_system: bool = ..., new_length: _Optional[int] = ..., show_data: _Optional[int] = ..., use_image: bool = ..., sampling_rate: _Optional[int] = ..., use_label: bool = ..., use_temporal_jitter: bool = ..., mean_value: _Optional[float] = ..., num_truth_channels: _Optional[int] = ..., use_byte_input: bool = ..., is_flow: bool = ..., truth_scale: _Optional[float] = ..., clip_min: _Optional[float] = ..., clip_max: _Optional[float] = ...) -> None: ...

class InfogainLossParameter(_message.Message):
    __slots__ = ["axis", "source"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    axis: int
    source: str
    def __init__(self, source: _Optional[str] = ..., axis: _Optional[int] = ...) -> None: ...

class InnerProductParameter(_message.Message):
    __slots__ = ["axis", "bias_filler", "bias_term", "dis_mode", "engine", "gen_mode", "input_scale", "input_zero_point", "negative_slope", "normalize", "num_output", "output_scale", "output_zero_point", "quantize_method", "relu", "saturate", "transpose", "weight_filler", "weight_fixed", "weight_scale", "weight_zero_point"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class QuantizeMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AXIS_FIELD_NUMBER: _ClassVar[int]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    BIAS_TERM_FIELD_NUMBER: _ClassVar[int]
    CAFFE: InnerProductParameter.Engine
    CUDNN: InnerProductParameter.Engine
    Caffe2: InnerProductParameter.QuantizeMethod
    DEFAULT: InnerProductParameter.Engine
    DIS_MODE_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    GEN_MODE_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    MKLDNN: InnerProductParameter.Engine
    NEGATIVE_SLOPE_FIELD_NUMBER: _ClassVar[int]
    NORMALIZE_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ONNX: InnerProductParameter.QuantizeMethod
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    QUANTIZE_METHOD_FIELD_NUMBER: _ClassVar[int]
    RELU_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    Signed: InnerProductParameter.SaturateMethod
    Signed_8bit: InnerProductParameter.SaturateMethod
    TRANSPOSE_FIELD_NUMBER: _ClassVar[int]
    Unsigned: InnerProductParameter.SaturateMethod
    Unsigned_8bit: InnerProductParameter.SaturateMethod
    WEIGHT_FILLER_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIXED_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_SCALE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    axis: int
    bias_filler: FillerParameter
    bias_term: bool
    dis_mode: bool
    engine: InnerProductParameter.Engine
    gen_mode: bool
    input_scale: float
    input_zero_point: int
    negative_slope: float
    normalize: bool
    num_output: int
    output_scale: float
    output_zero_point: int
    quantize_method: InnerProductParameter.QuantizeMethod
    relu: bool
    saturate: InnerProductParameter.SaturateMethod
    tflite: InnerProductParameter.QuantizeMethod
    transpose: bool
    weight_filler: FillerParameter
    weight_fixed: bool
    weight_scale: float
    weight_zero_point: int
    def __init__(self, num_output: _Optional[int] = ..., bias_term: bool = ..., weight_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., axis: _Optional[int] = ..., transpose: bool = ..., engine: _Optional[_Union[InnerProductParameter.Engine, str]] = ..., relu: bool = ..., negative_slope: _Optional[float] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ..., weight_scale: _Optional[float] = ..., input_zero_point: _Optional[int] = ..., output_zero_point: _Optional[int] = ..., weight_zero_point: _Optional[int] = ..., saturate: _Optional[_Union[InnerProductParameter.SaturateMethod, str]] = ..., quantize_method: _Optional[_Union[InnerProductParameter.QuantizeMethod, str]] = ..., weight_fixed: bool = ..., dis_mode: bool = ..., gen_mode: bool = ..., normalize: bool = ...) -> None: ...

class InputParameter(_message.Message):
    __slots__ = ["output_scale", "output_zero_point", "shape"]
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    output_scale: float
    output_zero_point: int
    shape: _containers.RepeatedCompositeFieldContainer[BlobShape]
    def __init__(self, shape: _Optional[_Iterable[_Union[BlobShape, _Mapping[str, object]]]] = ..., output_scale: _Optional[float] = ..., output_zero_point: _Optional[int] = ...) -> None: ...

class InterpParameter(_message.Message):
    __slots__ = ["full_zoom_factor", "height", "pad_beg", "pad_end", "shrink_factor", "width", "zoom_factor"]
    FULL_ZOOM_FACTOR_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    PAD_BEG_FIELD_NUMBER: _ClassVar[int]
    PAD_END_FIELD_NUMBER: _ClassVar[int]
    SHRINK_FACTOR_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    ZOOM_FACTOR_FIELD_NUMBER: _ClassVar[int]
    full_zoom_factor: int
    height: int
    pad_beg: int
    pad_end: int
    shrink_factor: int
    width: int
    zoom_factor: int
    def __init__(self, height: _Optional[int] = ..., width: _Optional[int] = ..., zoom_factor: _Optional[int] = ..., shrink_factor: _Optional[int] = ..., pad_beg: _Optional[int] = ..., pad_end: _Optional[int] = ..., full_zoom_factor: _Optional[int] = ...) -> None: ...

class L1LossParameter(_message.Message):
    __slots__ = ["epsilon", "l2_per_location", "l2_prescale_by_channels", "normalize_by_num_entries", "plateau"]
    EPSILON_FIELD_NUMBER: _ClassVar[int]
    L2_PER_LOCATION_FIELD_NUMBER: _ClassVar[int]
    L2_PRESCALE_BY_CHANNELS_FIELD_NUMBER: _ClassVar[int]
    NORMALIZE_BY_NUM_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    PLATEAU_FIELD_NUMBER: _ClassVar[int]
    epsilon: float
    l2_per_location: bool
    l2_prescale_by_channels: bool
    normalize_by_num_entries: bool
    plateau: float
    def __init__(self, l2_per_location: bool = ..., l2_prescale_by_channels: bool = ..., normalize_by_num_entries: bool = ..., epsilon: _Optional[float] = ..., plateau: _Optional[float] = ...) -> None: ...

class LRNParameter(_message.Message):
    __slots__ = ["alpha", "beta", "engine", "input_scale", "k", "local_size", "norm_region", "output_scale"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class NormRegion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ACROSS_CHANNELS: LRNParameter.NormRegion
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    BETA_FIELD_NUMBER: _ClassVar[int]
    CAFFE: LRNParameter.Engine
    CUDNN: LRNParameter.Engine
    DEFAULT: LRNParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    K_FIELD_NUMBER: _ClassVar[int]
    LOCAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    MKL2017: LRNParameter.Engine
    MKLDNN: LRNParameter.Engine
    NORM_REGION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    WITHIN_CHANNEL: LRNParameter.NormRegion
    alpha: float
    beta: float
    engine: LRNParameter.Engine
    input_scale: float
    k: float
    local_size: int
    norm_region: LRNParameter.NormRegion
    output_scale: float
    def __init__(self, local_size: _Optional[int] = ..., alpha: _Optional[float] = ..., beta: _Optional[float] = ..., norm_region: _Optional[_Union[LRNParameter.NormRegion, str]] = ..., k: _Optional[float] = ..., engine: _Optional[_Union[LRNParameter.Engine, str]] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ...) -> None: ...

class LabelMap(_message.Message):
    __slots__ = ["item"]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    item: _containers.RepeatedCompositeFieldContainer[LabelMapItem]
    def __init__(self, item: _Optional[_Iterable[_Union[LabelMapItem, _Mapping[str, object]]]] = ...) -> None: ...

class LabelMapItem(_message.Message):
    __slots__ = ["display_name", "label", "name"]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    display_name: str
    label: int
    name: str
    def __init__(self, name: _Optional[str] = ..., label: _Optional[int] = ..., display_name: _Optional[str] = ...) -> None: ...

class LabelSpecificAddParameter(_message.Message):
    __slots__ = ["bias", "bias_base", "bias_gamma", "bias_max", "bias_min", "bias_power", "iteration", "transform_test"]
    BIAS_BASE_FIELD_NUMBER: _ClassVar[int]
    BIAS_FIELD_NUMBER: _ClassVar[int]
    BIAS_GAMMA_FIELD_NUMBER: _ClassVar[int]
    BIAS_MAX_FIELD_NUMBER: _ClassVar[int]
    BIAS_MIN_FIELD_NUMBER: _ClassVar[int]
    BIAS_POWER_FIELD_NUMBER: _ClassVar[int]
    ITERATION_FIELD_NUMBER: _ClassVar[int]
    TRANSFORM_TEST_FIELD_NUMBER: _ClassVar[int]
    bias: float
    bias_base: float
    bias_gamma: float
    bias_max: float
    bias_min: float
    bias_power: float
    iteration: int
    transform_test: bool
    def __init__(self, bias: _Optional[float] = ..., transform_test: bool = ..., bias_base: _Optional[float] = ..., bias_gamma: _Optional[float] = ..., bias_power: _Optional[float] = ..., bias_min: _Optional[float] = ..., bias_max: _Optional[float] = ..., iteration: _Optional[int] = ...) -> None: ...

class LabelsequenceAccuracyParameter(_message.Message):
    __slots__ = ["blank_label"]
    BLANK_LABEL_FIELD_NUMBER: _ClassVar[int]
    blank_label: int
    def __init__(self, blank_label: _Optional[int] = ...) -> None: ...

class LaneInfo(_message.Message):
    __slots__ = ["id", "x", "y"]
    ID_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    id: int
    x: float
    y: float
    def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., id: _Optional[int] = ...) -> None: ...

class LayerNormParameter(_message.Message):
    __slots__ = ["elementwise_affine", "eps"]
    ELEMENTWISE_AFFINE_FIELD_NUMBER: _ClassVar[int]
    EPS_FIELD_NUMBER: _ClassVar[int]
    elementwise_affine: bool
    eps: float
    def __init__(self, eps: _Optional[float] = ..., elementwise_affine: bool = ...) -> None: ...

class LayerPSTablePair(_message.Message):
    __slots__ = ["layer_name", "table_id"]
    LAYER_NAME_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    layer_name: str
    table_id: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, layer_name: _Optional[str] = ..., table_id: _Optional[_Iterable[int]] = ...) -> None: ...

class LayerParameter(_message.Message):
    __slots__ = ["accum_param", "accuracy_param", "adaptive_bias_channel_param", "annotated_data_param", "any_axes", "argmax_param", "attention_param", "augmentation_param", "backward_math", "backward_type", "batch_norm_param", "batch_to_space_nd_param", "bias_channel_param", "bias_param", "black_augmentation_param", "blobs", "bn_param", "bottom", "box_annotator_ohem_param", "broadcast_to_param", "center_loss_param", "clip_param", "coeff_schedule_param", "concat_param", "continuation_indicator_param", "contrastive_loss_param", "convolution3d_param", "convolution_param", "corr1d_param", "correlation_param", "count_nonzero_param", "crop_and_resize_param", "crop_param", "ctc_decoder_param", "ctc_loss_param", "cudnn_math_override", "data_param", "debug", "dense_crf_param", "dense_image_data_param", "depth_to_space_param", "detection_evaluate_param", "detection_output_param", "detectnet_augmentation_param", "detectnet_groundtruth_param", "domain_transform_param", "downsample_param", "dropout_param", "dummy_data_param", "eltwise_param", "elu_param", "embed_param", "embedding_lookup_param", "embedding_lookup_sparse_param", "engine", "eval_detection_param", "exclude", "exp_param", "expand_dims_nd_param", "flatten_param", "flow_warp_param", "forward_math", "forward_type", "gan_loss_param", "gather_nd_param", "gather_param", "gather_v2_param", "gemm_param", "hard_sigmoid_param", "hdf5_data_param", "hdf5_output_param", "hinge_loss_param", "image_data_param", "include", "infogain_loss_param", "inner_product_param", "input_param", "interp_param", "l1_loss_param", "label_specific_add_param", "labelsequence_accuracy_param", "layer_norm_param", "log_param", "log_softmax_param", "loss_param", "loss_weight", "lp_normalization_param", "lpq_loss_param", "lrn_param", "lstm_param", "margin_inner_product_param", "maskrcnn_detection_param", "maskrcnn_proposal_param", "mat_read_param", "mat_write_param", "matmul_param", "mean_param", "memory_data_param", "mirror_pad_param", "mn_activation_param", "mn_grad_compress_param", "mul_param", "multibox_loss_param", "multinode", "mvn_param", "name", "nms_gather_param", "nms_param", "non_max_suppression_param", "norm_param", "normalize_param", "not_equal_param", "one_hot_param", "pad_param", "parallel_data_param", "parallel_inmem_data_param", "param", "parameter_param", "permute_param", "phase", "piece_param", "point_net_param", "pooling3d_param", "pooling_param", "power_param", "prelu_param", "prior_box_param", "propagate_down", "proposal_param", "psroi_pooling_param", "pyramid_roi_align_param", "python_param", "quantization_param", "range_param", "reader_param", "recurrent_param", "reduce_all_param", "reduce_any_param", "reduce_l1_param", "reduce_l2_param", "reduce_logsumexp_param", "reduce_max_param", "reduce_mean_param", "reduce_min_param", "reduce_prod_param", "reduce_sum_param", "reduction_param", "region_loss_param", "relu6_param", "relu_param", "reorg_param", "resample_param", "reshape_every_iter", "reshape_param", "resize_bilinear_param", "resize_nearest_neighbor_param", "reverse_param", "reverse_sequence_param", "rnn_v2_param", "roi_align_param", "roi_pooling_param", "scale_param", "scaled_tanh_param", "scatter_nd_param", "seg_accuracy_param", "segmentation_evaluate_param", "selu_dropout_param", "selu_param", "shuffle_channel_param", "sigmoid_param", "slice_param", "smooth_l1_loss_param", "softmax_param", "space_to_batch_nd_param", "space_to_depth_param", "sparse_to_dense_param", "spatial_batching_pooling_param", "spatial_dropout_param", "split_param", "spp_param", "squeeze_convolution_param", "squeeze_inner_product_param", "squeeze_param", "st_param", "stack_param", "strided_slice_param", "swish_param", "tanh_param", "tensor2box_param", "threshold_param", "thresholded_relu_param", "tile_nd_param", "tile_param", "top", "topk_gather_param", "transform_param", "transpose_param", "triplet_loss_param", "trt_param", "type", "unique_label_param", "unpooling_param", "unstack_param", "upsample_darknet_param", "upsample_param", "video_data_param", "where4_gathernd_crop_param", "where4_gathernd_param", "where4_param", "window_data_param", "writer_param", "xlu_param", "yolo_detection_output_param", "yolo_seg_param", "yolo_v2_loss_param", "yolo_v3_loss_param", "yolov3_detection_output_param", "yolov3_param"]
    ACCUM_PARAM_FIELD_NUMBER: _ClassVar[int]
    ACCURACY_PARAM_FIELD_NUMBER: _ClassVar[int]
    ADAPTIVE_BIAS_CHANNEL_PARAM_FIELD_NUMBER: _ClassVar[int]
    ANNOTATED_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    ANY_AXES_FIELD_NUMBER: _ClassVar[int]
    ARGMAX_PARAM_FIELD_NUMBER: _ClassVar[int]
    ATTENTION_PARAM_FIELD_NUMBER: _ClassVar[int]
    AUGMENTATION_PARAM_FIELD_NUMBER: _ClassVar[int]
    BACKWARD_MATH_FIELD_NUMBER: _ClassVar[int]
    BACKWARD_TYPE_FIELD_NUMBER: _ClassVar[int]
    BATCH_NORM_PARAM_FIELD_NUMBER: _ClassVar[int]
    BATCH_TO_SPACE_ND_PARAM_FIELD_NUMBER: _ClassVar[int]
    BIAS_CHANNEL_PARAM_FIELD_NUMBER: _ClassVar[int]
    BIAS_PARAM_FIELD_NUMBER: _ClassVar[int]
    BLACK_AUGMENTATION_PARAM_FIELD_NUMBER: _ClassVar[int]
    BLOBS_FIELD_NUMBER: _ClassVar[int]
    BN_PARAM_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_FIELD_NUMBER: _ClassVar[int]
    BOX_ANNOTATOR_OHEM_PARAM_FIELD_NUMBER: _ClassVar[int]
    BROADCAST_TO_PARAM_FIELD_NUMBER: _ClassVar[int]
    CENTER_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    CLIP_PARAM_FIELD_NUMBER: _ClassVar[int]
    COEFF_SCHEDULE_PARAM_FIELD_NUMBER: _ClassVar[int]
    CONCAT_PARAM_FIELD_NUMBER: _ClassVar[int]
    CONTINUATION_INDICATOR_PARAM_FIELD_NUMBER: _ClassVar[int]
    CONTRASTIVE_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    CONVOLUTION3D_PARAM_FIELD_NUMBER: _ClassVar[int]
    CONVOLUTION_PARAM_FIELD_NUMBER: _ClassVar[int]
    CORR1D_PARAM_FIELD_NUMBER: _ClassVar[int]
    CORRELATION_PARAM_FIELD_NUMBER: _ClassVar[int]
    COUNT_NONZERO_PARAM_FIELD_NUMBER: _ClassVar[int]
    CROP_AND_RESIZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    CROP_PARAM_FIELD_NUMBER: _ClassVar[int]
    CTC_DECODER_PARAM_FIELD_NUMBER: _ClassVar[int]
    CTC_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    CUDNN_MATH_OVERRIDE_FIELD_NUMBER: _ClassVar[int]
    DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    DEBUG_FIELD_NUMBER: _ClassVar[int]
    DENSE_CRF_PARAM_FIELD_NUMBER: _ClassVar[int]
    DENSE_IMAGE_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    DEPTH_TO_SPACE_PARAM_FIELD_NUMBER: _ClassVar[int]
    DETECTION_EVALUATE_PARAM_FIELD_NUMBER: _ClassVar[int]
    DETECTION_OUTPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    DETECTNET_AUGMENTATION_PARAM_FIELD_NUMBER: _ClassVar[int]
    DETECTNET_GROUNDTRUTH_PARAM_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_TRANSFORM_PARAM_FIELD_NUMBER: _ClassVar[int]
    DOWNSAMPLE_PARAM_FIELD_NUMBER: _ClassVar[int]
    DROPOUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    DUMMY_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    ELTWISE_PARAM_FIELD_NUMBER: _ClassVar[int]
    ELU_PARAM_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_LOOKUP_PARAM_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_LOOKUP_SPARSE_PARAM_FIELD_NUMBER: _ClassVar[int]
    EMBED_PARAM_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    EVAL_DETECTION_PARAM_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_FIELD_NUMBER: _ClassVar[int]
    EXPAND_DIMS_ND_PARAM_FIELD_NUMBER: _ClassVar[int]
    EXP_PARAM_FIELD_NUMBER: _ClassVar[int]
    FLATTEN_PARAM_FIELD_NUMBER: _ClassVar[int]
    FLOW_WARP_PARAM_FIELD_NUMBER: _ClassVar[int]
    FORWARD_MATH_FIELD_NUMBER: _ClassVar[int]
    FORWARD_TYPE_FIELD_NUMBER: _ClassVar[int]
    GAN_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    GATHER_ND_PARAM_FIELD_NUMBER: _ClassVar[int]
    GATHER_PARAM_FIELD_NUMBER: _ClassVar[int]
    GATHER_V2_PARAM_FIELD_NUMBER: _ClassVar[int]
    GEMM_PARAM_FIELD_NUMBER: _ClassVar[int]
    HARD_SIGMOID_PARAM_FIELD_NUMBER: _ClassVar[int]
    HDF5_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    HDF5_OUTPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    HINGE_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    IMAGE_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_FIELD_NUMBER: _ClassVar[int]
    INFOGAIN_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    INNER_PRODUCT_PARAM_FIELD_NUMBER: _ClassVar[int]
    INPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    INTERP_PARAM_FIELD_NUMBER: _ClassVar[int]
    L1_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    LABELSEQUENCE_ACCURACY_PARAM_FIELD_NUMBER: _ClassVar[int]
    LABEL_SPECIFIC_ADD_PARAM_FIELD_NUMBER: _ClassVar[int]
    LAYER_NORM_PARAM_FIELD_NUMBER: _ClassVar[int]
    LOG_PARAM_FIELD_NUMBER: _ClassVar[int]
    LOG_SOFTMAX_PARAM_FIELD_NUMBER: _ClassVar[int]
    LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    LOSS_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    LPQ_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    LP_NORMALIZATION_PARAM_FIELD_NUMBER: _ClassVar[int]
    LRN_PARAM_FIELD_NUMBER: _ClassVar[int]
    LSTM_PARAM_FIELD_NUMBER: _ClassVar[int]
    MARGIN_INNER_PRODUCT_PARAM_FIELD_NUMBER: _ClassVar[int]
    MASKRCNN_DETECTION_PARAM_FIELD_NUMBER: _ClassVar[int]
    MASKRCNN_PROPOSAL_PARAM_FIELD_NUMBER: _ClassVar[int]
    MATMUL_PARAM_FIELD_NUMBER: _ClassVar[int]
    MAT_READ_PARAM_FIELD_NUMBER: _ClassVar[int]
    MAT_WRITE_PARAM_FIELD_NUMBER: _ClassVar[int]
    MEAN_PARAM_FIELD_NUMBER: _ClassVar[int]
    MEMORY_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    MIRROR_PAD_PARAM_FIELD_NUMBER: _ClassVar[int]
    MN_ACTIVATION_PARAM_FIELD_NUMBER: _ClassVar[int]
    MN_GRAD_COMPRESS_PARAM_FIELD_NUMBER: _ClassVar[int]
    MULTIBOX_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    MULTINODE_FIELD_NUMBER: _ClassVar[int]
    MUL_PARAM_FIELD_NUMBER: _ClassVar[int]
    MVN_PARAM_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NMS_GATHER_PARAM_FIELD_NUMBER: _ClassVar[int]
    NMS_PARAM_FIELD_NUMBER: _ClassVar[int]
    NON_MAX_SUPPRESSION_PARAM_FIELD_NUMBER: _ClassVar[int]
    NORMALIZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    NORM_PARAM_FIELD_NUMBER: _ClassVar[int]
    NOT_EQUAL_PARAM_FIELD_NUMBER: _ClassVar[int]
    ONE_HOT_PARAM_FIELD_NUMBER: _ClassVar[int]
    PAD_PARAM_FIELD_NUMBER: _ClassVar[int]
    PARALLEL_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    PARALLEL_INMEM_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    PARAMETER_PARAM_FIELD_NUMBER: _ClassVar[int]
    PARAM_FIELD_NUMBER: _ClassVar[int]
    PERMUTE_PARAM_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    PIECE_PARAM_FIELD_NUMBER: _ClassVar[int]
    POINT_NET_PARAM_FIELD_NUMBER: _ClassVar[int]
    POOLING3D_PARAM_FIELD_NUMBER: _ClassVar[int]
    POOLING_PARAM_FIELD_NUMBER: _ClassVar[int]
    POWER_PARAM_FIELD_NUMBER: _ClassVar[int]
    PRELU_PARAM_FIELD_NUMBER: _ClassVar[int]
    PRIOR_BOX_PARAM_FIELD_NUMBER: _ClassVar[int]
    PROPAGATE_DOWN_FIELD_NUMBER: _ClassVar[int]
    PROPOSAL_PARAM_FIELD_NUMBER: _ClassVar[int]
    PSROI_POOLING_PARAM_FIELD_NUMBER: _ClassVar[int]
    PYRAMID_ROI_ALIGN_PARAM_FIELD_NUMBER: _ClassVar[int]
    PYTHON_PARAM_FIELD_NUMBER: _ClassVar[int]
    QUANTIZATION_PARAM_FIELD_NUMBER: _ClassVar[int]
    RANGE_PARAM_FIELD_NUMBER: _ClassVar[int]
    READER_PARAM_FIELD_NUMBER: _ClassVar[int]
    RECURRENT_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCE_ALL_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCE_ANY_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCE_L1_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCE_L2_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCE_LOGSUMEXP_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCE_MAX_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCE_MEAN_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCE_MIN_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCE_PROD_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCE_SUM_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCTION_PARAM_FIELD_NUMBER: _ClassVar[int]
    REGION_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    RELU6_PARAM_FIELD_NUMBER: _ClassVar[int]
    RELU_PARAM_FIELD_NUMBER: _ClassVar[int]
    REORG_PARAM_FIELD_NUMBER: _ClassVar[int]
    RESAMPLE_PARAM_FIELD_NUMBER: _ClassVar[int]
    RESHAPE_EVERY_ITER_FIELD_NUMBER: _ClassVar[int]
    RESHAPE_PARAM_FIELD_NUMBER: _ClassVar[int]
    RESIZE_BILINEAR_PARAM_FIELD_NUMBER: _ClassVar[int]
    RESIZE_NEAREST_NEIGHBOR_PARAM_FIELD_NUMBER: _ClassVar[int]
    REVERSE_PARAM_FIELD_NUMBER: _ClassVar[int]
    REVERSE_SEQUENCE_PARAM_FIELD_NUMBER: _ClassVar[int]
    RNN_V2_PARAM_FIELD_NUMBER: _ClassVar[int]
    ROI_ALIGN_PARAM_FIELD_NUMBER: _ClassVar[int]
    ROI_POOLING_PARAM_FIELD_NUMBER: _ClassVar[int]
    SCALED_TANH_PARAM_FIELD_NUMBER: _ClassVar[int]
    SCALE_PARAM_FIELD_NUMBER: _ClassVar[int]
    SCATTER_ND_PARAM_FIELD_NUMBER: _ClassVar[int]
    SEGMENTATION_EVALUATE_PARAM_FIELD_NUMBER: _ClassVar[int]
    SEG_ACCURACY_PARAM_FIELD_NUMBER: _ClassVar[int]
    SELU_DROPOUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    SELU_PARAM_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_CHANNEL_PARAM_FIELD_NUMBER: _ClassVar[int]
    SIGMOID_PARAM_FIELD_NUMBER: _ClassVar[int]
    SLICE_PARAM_FIELD_NUMBER: _ClassVar[int]
    SMOOTH_L1_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    SOFTMAX_PARAM_FIELD_NUMBER: _ClassVar[int]
    SPACE_TO_BATCH_ND_PARAM_FIELD_NUMBER: _ClassVar[int]
    SPACE_TO_DEPTH_PARAM_FIELD_NUMBER: _ClassVar[int]
    SPARSE_TO_DENSE_PARAM_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_BATCHING_POOLING_PARAM_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_DROPOUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    SPLIT_PARAM_FIELD_NUMBER: _ClassVar[int]
    SPP_PARAM_FIELD_NUMBER: _ClassVar[int]
    SQUEEZE_CONVOLUTION_PARAM_FIELD_NUMBER: _ClassVar[int]
    SQUEEZE_INNER_PRODUCT_PARAM_FIELD_NUMBER: _ClassVar[int]
    SQUEEZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    STACK_PARAM_FIELD_NUMBER: _ClassVar[int]
    STRIDED_SLICE_PARAM_FIELD_NUMBER: _ClassVar[int]
    ST_PARAM_FIELD_NUMBER: _ClassVar[int]
    SWISH_PARAM_FIELD_NUMBER: _ClassVar[int]
    TANH_PARAM_FIELD_NUMBER: _ClassVar[int]
    TENSOR2BOX_PARAM_FIELD_NUMBER: _ClassVar[int]
    THRESHOLDED_RELU_PARAM_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_PARAM_FIELD_NUMBER: _ClassVar[int]
    TILE_ND_PARAM_FIELD_NUMBER: _ClassVar[int]
    TILE_PARAM_FIELD_NUMBER: _ClassVar[int]
    TOPK_GATHER_PARAM_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    TRANSFORM_PARAM_FIELD_NUMBER: _ClassVar[int]
    TRANSPOSE_PARAM_FIELD_NUMBER: _ClassVar[int]
    TRIPLET_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    TRT_PARAM_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    UNIQUE_LABEL_PARAM_FIELD_NUMBER: _ClassVar[int]
    UNPOOLING_PARAM_FIELD_NUMBER: _ClassVar[int]
    UNSTACK_PARAM_FIELD_NUMBER: _ClassVar[int]
    UPSAMPLE_DARKNET_PARAM_FIELD_NUMBER: _ClassVar[int]
    UPSAMPLE_PARAM_FIELD_NUMBER: _ClassVar[int]
    VIDEO_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    WHERE4_GATHERND_CROP_PARAM_FIELD_NUMBER: _ClassVar[int]
    WHERE4_GATHERND_PARAM_FIELD_NUMBER: _ClassVar[int]
    WHERE4_PARAM_FIELD_NUMBER: _ClassVar[int]
    WINDOW_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    WRITER_PARAM_FIELD_NUMBER: _ClassVar[int]
    XLU_PARAM_FIELD_NUMBER: _ClassVar[int]
    YOLOV3_DETECTION_OUTPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    YOLOV3_PARAM_FIELD_NUMBER: _ClassVar[int]
    YOLO_DETECTION_OUTPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    YOLO_SEG_PARAM_FIELD_NUMBER: _ClassVar[int]
    YOLO_V2_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    YOLO_V3_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    accum_param: AccumParameter
    accuracy_param: AccuracyParameter
    adaptive_bias_channel_param: AdaptiveBiasChannelParameter
    annotated_data_param: AnnotatedDataParameter
    any_axes: bool
    argmax_param: ArgMaxParameter
    attention_param: AttentionParameter
    augmentation_param: AugmentationParameter
    backward_math: Type
    backward_type: Type
    batch_norm_param: BatchNormParameter
    batch_to_space_nd_param: BatchToSpaceNDParameter
    bias_channel_param: BiasChannelParameter
    bias_param: BiasParameter
    black_augmentation_param: BlackAugmentationParameter
    blobs: _containers.RepeatedCompositeFieldContainer[BlobProto]
    bn_param: BNParameter
    bottom: _containers.RepeatedScalarFieldContainer[str]
    box_annotator_ohem_param: BoxAnnotatorOHEMParameter
    broadcast_to_param: BroadcastToParameter
    center_loss_param: CenterLossParameter
    clip_param: ClipParameter
    coeff_schedule_param: CoeffScheduleParameter
    concat_param: ConcatParameter
    continuation_indicator_param: ContinuationIndicatorParameter
    contrastive_loss_param: ContrastiveLossParameter
    convolution3d_param: Convolution3DParameter
    convolution_param: ConvolutionParameter
    corr1d_param: Corr1dParameter
    correlation_param: CorrelationParameter
    count_nonzero_param: CountNonzeroParameter
    crop_and_resize_param: CropAndResizeParameter
    crop_param: CropParameter
    ctc_decoder_param: CTCDecoderParameter
    ctc_loss_param: CTCLossParameter
    cudnn_math_override: int
    data_param: DataParameter
    debug: bool
    dense_crf_param: DenseCRFParameter
    dense_image_data_param: DenseImageDataParameter
    depth_to_space_param: DepthToSpaceParameter
    detection_evaluate_param: DetectionEvaluateParameter
    detection_output_param: DetectionOutputParameter
    detectnet_augmentation_param: DetectNetAugmentationParameter
    detectnet_groundtruth_param: DetectNetGroundTruthParameter
    domain_transform_param: DomainTransformParameter
    downsample_param: DownsampleParameter
    dropout_param: DropoutParameter
    dummy_data_param: DummyDataParameter
    eltwise_param: EltwiseParameter
    elu_param: ELUParameter
    embed_param: EmbedParameter
    embedding_lookup_param: EmbeddingLookupParameter
    embedding_lookup_sparse_param: EmbeddingLookupSparseParameter
    engine: str
    eval_detection_param: EvalDetectionParameter
    exclude: _containers.RepeatedCompositeFieldContainer[NetStateRule]
    exp_param: ExpParameter
    expand_dims_nd_param: ExpandDimsNDParameter
    flatten_param: FlattenParameter
    flow_warp_param: FlowWarpParameter
    forward_math: Type
    forward_type: Type
    gan_loss_param: GANLossParameter
    gather_nd_param: GatherNDParameter
    gather_param: GatherParameter
    gather_v2_param: GatherV2Parameter
    gemm_param: GemmParameter
    hard_sigmoid_param: HardSigmoidParameter
    hdf5_data_param: HDF5DataParameter
    hdf5_output_param: HDF5OutputParameter
    hinge_loss_param: HingeLossParameter
    image_data_param: ImageDataParameter
    include: _containers.RepeatedCompositeFieldContainer[NetStateRule]
    infogain_loss_param: InfogainLossParameter
    inner_product_param: InnerProductParameter
    input_param: InputParameter
    interp_param: InterpParameter
    l1_loss_param: L1LossParameter
    label_specific_add_param: LabelSpecificAddParameter
    labelsequence_accuracy_param: LabelsequenceAccuracyParameter
    layer_norm_param: LayerNormParameter
    log_param: LogParameter
    log_softmax_param: LogSoftmaxParameter
    loss_param: LossParameter
    loss_weight: _containers.RepeatedScalarFieldContainer[float]
    lp_normalization_param: LpNormalizationParameter
    lpq_loss_param: LpqLossParameter
    lrn_param: LRNParameter
    lstm_param: LstmParameter
    margin_inner_product_param: MarginInnerProductParameter
    maskrcnn_detection_param: MaskRCNNDetectionParameter
    maskrcnn_proposal_param: MaskRCNNProposalParameter
    mat_read_param: MatReadParameter
    mat_write_param: MatWriteParameter
    matmul_param: MatMulParameter
    mean_param: MeanParameter
    memory_data_param: MemoryDataParameter
    mirror_pad_param: MirrorPadParameter
    mn_activation_param: MnActivationParameter
    mn_grad_compress_param: MnParamGradCompressParameter
    mul_param: MulParameter
    multibox_loss_param: MultiBoxLossParameter
    multinode: MultinodeLayerParameter
    mvn_param: MVNParameter
    name: str
    nms_gather_param: NMSGatherParameter
    nms_param: NMSParameter
    non_max_suppression_param: NonMaxSuppressionParameter
    norm_param: NormalizeParameter
    normalize_param: DirectionParameter
    not_equal_param: NotEqualParameter
    one_hot_param: OneHotParameter
    pad_param: PadParameter
    parallel_data_param: ParallelDataParameter
    parallel_inmem_data_param: ParallelInMemDataParameter
    param: _containers.RepeatedCompositeFieldContainer[ParamSpec]
    parameter_param: ParameterParameter
    permute_param: PermuteParameter
    phase: Phase
    piece_param: PieceParameter
    point_net_param: PointNetParameter
    pooling3d_param: Pooling3DParameter
    pooling_param: PoolingParameter
    power_param: PowerParameter
    prelu_param: PReLUParameter
    prior_box_param: PriorBoxParameter
    propagate_down: _containers.RepeatedScalarFieldContainer[bool]
    proposal_param: ProposalParameter
    psroi_pooling_param: PSROIPoolingParameter
    pyramid_roi_align_param: PyramidROIAlignParameter
    python_param: PythonParameter
    quantization_param: QuantizationParameter
    range_param: RangeParameter
    reader_param: ReaderParameter
    recurrent_param: RecurrentParameter
    reduce_all_param: ReduceAllParameter
    reduce_any_param: ReduceAnyParameter
    reduce_l1_param: ReduceL1Parameter
    reduce_l2_param: ReduceL2Parameter
    reduce_logsumexp_param: ReduceLogSumExpParameter
    reduce_max_param: ReduceMaxParameter
    reduce_mean_param: ReduceMeanParameter
    reduce_min_param: ReduceMinParameter
    reduce_prod_param: ReduceProdParameter
    reduce_sum_param: ReduceSumParameter
    reduction_param: ReductionParameter
    region_loss_param: RegionLossParameter
    relu6_param: ReLU6Parameter
    relu_param: ReLUParameter
    reorg_param: ReorgParameter
    resample_param: ResampleParameter
    reshape_every_iter: bool
    reshape_param: ReshapeParameter
    resize_bilinear_param: ResizeBilinearParameter
    resize_nearest_neighbor_param: ResizeNearestNeighborParameter
    reverse_param: ReverseParameter
    reverse_sequence_param: ReverseSequenceParameter
    rnn_v2_param: RNNv2Parameter
    roi_align_param: ROIAlignParameter
    roi_pooling_param: ROIPoolingParameter
    scale_param: ScaleParameter
    scaled_tanh_param: ScaledTanHParameter
    scatter_nd_param: ScatterNDParameter
    seg_accuracy_param: SegAccuracyParameter
    segmentation_evaluate_param: SegmentationEvaluateParameter
    selu_dropout_param: SeLUDropoutParameter
    selu_param: SeLUParameter
    shuffle_channel_param: ShuffleChannelParameter
    sigmoid_param: SigmoidParameter
    slice_param: SliceParameter
    smooth_l1_loss_param: SmoothL1LossParameter
    softmax_param: SoftmaxParameter
    space_to_batch_nd_param: SpaceToBatchNDParameter
    space_to_depth_param: SpaceToDepthParameter
    sparse_to_dense_param: SparseToDenseParameter
    spatial_batching_pooling_param: SpatialBatchingPoolingParameter
    spatial_dropout_param: SpatialDropoutParameter
    split_param: SplitParameter
    spp_param: SPPParameter
    squeeze_convolution_param: SqueezeConvolutionParameter
    squeeze_inner_product_param: SqueezeInnerProductParameter
    squeeze_param: SqueezeParameter
    st_param: SpatialTransformerParameter
    stack_param: StackParameter
    strided_slice_param: StridedSliceParameter
    swish_param: SwishParameter
    tanh_param: TanHParameter
    tensor2box_param: Tensor2BoxParameter
    threshold_param: ThresholdParameter
    thresholded_relu_param: ThresholdedReLUParameter
    tile_nd_param: TileNDParameter
    tile_param: TileParameter
    top: _containers.RepeatedScalarFieldContainer[str]
    topk_gather_param: TopkGatherParameter
    transform_param: TransformationParameter
    transpose_param: TransposeParameter
    triplet_loss_param: TripletLossParameter
    trt_param: TRTParameter
    type: str
    unique_label_param: UniqueLabelParameter
    unpooling_param: UnpoolingParameter
    unstack_param: UnstackParameter
    upsample_darknet_param: UpsampleDarknetParameter
    upsample_param: UpsampleParameter
    video_data_param: VideoDataParameter
    where4_gathernd_crop_param: Where4GatherndCropParameter
    where4_gathernd_param: Where4GatherndParameter
    where4_param: Where4Parameter
    window_data_param: WindowDataParameter
    writer_param: WriterParameter
    xlu_param: XLUParameter
    yolo_detection_output_param: YoloDetectionOutputParameter
    yolo_seg_param: YoloSegParameter
    yolo_v2_loss_param: YoloV2LossParameter
    yolo_v3_loss_param: YoloV3LossParameter
    yolov3_detection_output_param: Yolov3DetectionOutputParameter
    yolov3_param: Yolov3Parameter
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., bottom: _Optional[_Iterable[str]] = ..., top: _Optional[_Iterable[str]] = ..., loss_weight: _Optional[_Iterable[float]] = ..., param: _Optional[_Iterable[_Union[ParamSpec, _Mapping[str, object]]]] = ..., blobs: _Optional[_Iterable[_Union[BlobProto, _Mapping[str, object]]]] = ..., include: _Optional[_Iterable[_Union[NetStateRule, _Mapping[str, object]]]] = ..., exclude: _Optional[_Iterable[_Union[NetStateRule, _Mapping[str, object]]]] = ..., phase: _Optional[_Union[Phase, str]] = ..., propagate_down: _Optional[_Iterable[bool]] = ..., transform_param: _Optional[_Union[TransformationParameter, _Mapping[str, object]]] = ..., loss_param: _Optional[_Union[LossParameter, _Mapping[str, object]]] = ..., accuracy_param: _Optional[_Union[AccuracyParameter, _Mapping[str, object]]] = ..., argmax_param: _Optional[_Union[ArgMaxParameter, _Mapping[str, object]]] = ..., concat_param: _Optional[_Union[ConcatParameter, _Mapping[str, object]]] = ..., contrastive_loss_param: _Optional[_Union[ContrastiveLossParameter, _Mapping[str, object]]] = ..., convolution_param: _Optional[_Union[ConvolutionParameter, _Mapping[str, object]]] = ..., data_param: _Optional[_Union[DataParameter, _Mapping[str, object]]] = ..., dropout_param: _Optional[_Union[DropoutParameter, _Mapping[str, object]]] = ..., dummy_data_param: _Optional[_Union[DummyDataParameter, _Mapping[str, object]]] = ..., eltwise_param: _Optional[_Union[EltwiseParameter, _Mapping[str, object]]] = ..., exp_param: _Optional[_Union[ExpParameter, _Mapping[str, object]]] = ..., hdf5_data_param: _Optional[_Union[HDF5DataParameter, _Mapping[str, object]]] = ..., hdf5_output_param: _Optional[_Union[HDF5OutputParameter, _Mapping[str, object]]] = ..., hinge_loss_param: _Optional[_Union[HingeLossParameter, _Mapping[str, object]]] = ..., image_data_param: _Optional[_Union[ImageDataParameter, _Mapping[str, object]]] = ..., infogain_loss_param: _Optional[_Union[InfogainLossParameter, _Mapping[str, object]]] = ..., inner_product_param: _Optional[_Union[InnerProductParameter, _Mapping[str, object]]] = ..., lrn_param: _Optional[_Union[LRNParameter, _Mapping[str, object]]] = ..., memory_data_param: _Optional[_Union[MemoryDataParameter, _Mapping[str, object]]] = ..., mvn_param: _Optional[_Union[MVNParameter, _Mapping[str, object]]] = ..., pooling_param: _Optional[_Union[PoolingParameter, _Mapping[str, object]]] = ..., power_param: _Optional[_Union[PowerParameter, _Mapping[str, object]]] = ..., relu_param: _Optional[_Union[ReLUParameter, _Mapping[str, object]]] = ..., sigmoid_param: _Optional[_Union[SigmoidParameter, _Mapping[str, object]]] = ..., softmax_param: _Optional[_Union[SoftmaxParameter, _Mapping[str, object]]] = ..., slice_param: _Optional[_Union[SliceParameter, _Mapping[str, object]]] = ..., tanh_param: _Optional[_Union[TanHParameter, _Mapping[str, object]]] = ..., threshold_param: _Optional[_Union[ThresholdParameter, _Mapping[str, object]]] = ..., window_data_param: _Optional[_Union[WindowDataParameter, _Mapping[str, object]]] = ..., python_param: _Optional[_Union[PythonParameter, _Mapping[str, object]]] = ..., prelu_param: _Optional[_Union[PReLUParameter, _Mapping[str, object]]] = ..., spp_param: _Optional[_Union[SPPParameter, _Mapping[str, object]]] = ..., reshape_param: _Optional[_Union[ReshapeParameter, _Mapping[str, object]]] = ..., log_param: _Optional[_Union[LogParameter, _Mapping[str, object]]] = ..., flatten_param: _Optional[_Union[FlattenParameter, _Mapping[str, object]]] = ..., reduction_param: _Optional[_Union[ReductionParameter, _Mapping[str, object]]] = ..., embed_param: _Optional[_Union[EmbedParameter, _Mapping[str, object]]] = ..., tile_param: _Optional[_Union[TileParameter, _Mapping[str, object]]] = ..., batch_norm_param: _Optional[_Union[BatchNormParameter, _Mapping[str, object]]] = ..., elu_param: _Optional[_Union[ELUParameter, _Mapping[str, object]]] = ..., bias_param: _Optional[_Union[BiasParameter, _Mapping[str, object]]] = ..., scale_param: _Optional[_Union[ScaleParameter, _Mapping[str, object]]] = ..., input_param: _Optional[_Union[InputParameter, _Mapping[str, object]]] = ..., crop_param: _Optional[_Union[CropParameter, _Mapping[str, object]]] = ..., parameter_param: _Optional[_Union[ParameterParameter, _Mapping[str, object]]] = ..., recurrent_param: _Optional[_Union[RecurrentParameter, _Mapping[str, object]]] = ..., swish_param: _Optional[_Union[SwishParameter, _Mapping[str, object]]] = ..., clip_param: _Optional[_Union[ClipParameter, _Mapping[str, object]]] = ..., interp_param: _Optional[_Union[InterpParameter, _Mapping[str, object]]] = ..., mat_read_param: _Optional[_Union[MatReadParameter, _Mapping[str, object]]] = ..., reader_param: _Optional[_Union[ReaderParameter, _Mapping[str, object]]] = ..., mean_param: _Optional[_Union[MeanParameter, _Mapping[str, object]]] = ..., reshape_every_iter: bool = ..., quantization_param: _Optional[_Union[QuantizationParameter, _Mapping[str, object]]] = ..., reorg_param: _Optional[_Union[ReorgParameter, _Mapping[str, object]]] = ..., accum_param: _Optional[_Union[AccumParameter, _Mapping[str, object]]] = ..., black_augmentation_param: _Optional[_Union[BlackAugmentationParameter, _Mapping[str, object]]] = ..., seg_accuracy_param: _Optional[_Union[SegAccuracyParameter, _Mapping[str, object]]] = ..., mat_write_param: _Optional[_Union[MatWriteParameter, _Mapping[str, object]]] = ..., shuffle_channel_param: _Optional[_Union[ShuffleChannelParameter, _Mapping[str, object]]] = ..., domain_transform_param: _Optional[_Union[DomainTransformParameter, _Mapping[str, object]]] = ..., dense_image_data_param: _Optional[_Union[DenseImageDataParameter, _Mapping[str, object]]] = ..., unique_label_param: _Optional[_Union[UniqueLabelParameter, _Mapping[str, object]]] = ..., gan_loss_param: _Optional[_Union[GANLossParameter, _Mapping[str, object]]] = ..., dense_crf_param: _Optional[_Union[DenseCRFParameter, _Mapping[str, object]]] = ..., upsample_param: _Optional[_Union[UpsampleParameter, _Mapping[str, object]]] = ..., adaptive_bias_channel_param: _Optional[_Union[AdaptiveBiasChannelParameter, _Mapping[str, object]]] = ..., squeeze_convolution_param: _Optional[_Union[SqueezeConvolutionParameter, _Mapping[str, object]]] = ..., squeeze_inner_product_param: _Optional[_Union[SqueezeInnerProductParameter, _Mapping[str, object]]] = ..., yolo_v2_loss_param: _Optional[_Union[YoloV2LossParameter, _Mapping[str, object]]] = ..., yolo_v3_loss_param: _Optional[_Union[YoloV3LossParameter, _Mapping[str, object]]] = ..., annotated_data_param: _Optional[_Union[AnnotatedDataParameter, _Mapping[str, object]]] = ..., multibox_loss_param: _Optional[_Union[MultiBoxLossParameter, _Mapping[str, object]]] = ..., permute_param: _Optional[_Union[PermuteParameter, _Mapping[str, object]]] = ..., prior_box_param: _Optional[_Union[PriorBoxParameter, _Mapping[str, object]]] = ..., detection_output_param: _Optional[_Union[DetectionOutputParameter, _Mapping[str, object]]] = ..., detection_evaluate_param: _Optional[_Union[DetectionEvaluateParameter, _Mapping[str, object]]] = ..., norm_param: _Optional[_Union[NormalizeParameter, _Mapping[str, object]]] = ..., video_data_param: _Optional[_Union[VideoDataParameter, _Mapping[str, object]]] = ..., split_param: _Optional[_Union[SplitParameter, _Mapping[str, object]]] = ..., upsample_darknet_param: _Optional[_Union[UpsampleDarknetParameter, _Mapping[str, object]]] = ..., resize_nearest_neighbor_param: _Optional[_Union[ResizeNearestNeighborParameter, _Mapping[str, object]]] = ..., proposal_param: _Optional[_Union[ProposalParameter, _Mapping[str, object]]] = ..., topk_gather_param: _Optional[_Union[TopkGatherParameter, _Mapping[str, object]]] = ..., nms_param: _Optional[_Union[NMSParameter, _Mapping[str, object]]] = ..., nms_gather_param: _Optional[_Union[NMSGatherParameter, _Mapping[str, object]]] = ..., gather_nd_param: _Optional[_Union[GatherNDParameter, _Mapping[str, object]]] = ..., where4_param: _Optional[_Union[Where4Parameter, _Mapping[str, object]]] = ..., where4_gathernd_param: _Optional[_Union[Where4GatherndParameter, _Mapping[str, object]]] = ..., crop_and_resize_param: _Optional[_Union[CropAndResizeParameter, _Mapping[str, object]]] = ..., where4_gathernd_crop_param: _Optional[_Union[Where4GatherndCropParameter, _Mapping[str, object]]] = ..., pyramid_roi_align_param: _Optional[_Union[PyramidROIAlignParameter, _Mapping[str, object]]] = ..., space_to_depth_param: _Optional[_Union[SpaceToDepthParameter, _Mapping[str, object]]] = ..., pad_param: _Optional[_Union[PadParameter, _Mapping[str, object]]] = ..., stack_param: _Optional[_Union[StackParameter, _Mapping[str, object]]] = ..., resize_bilinear_param: _Optional[_Union[ResizeBilinearParameter, _Mapping[str, object]]] = ..., reduce_sum_param: _Optional[_Union[ReduceSumParameter, _Mapping[str, object]]] = ..., reduce_max_param: _Optional[_Union[ReduceMaxParameter, _Mapping[str, object]]] = ..., reduce_min_param: _Optional[_Union[ReduceMinParameter, _Mapping[str, object]]] = ..., reduce_prod_param: _Optional[_Union[ReduceProdParameter, _Mapping[str, object]]] = ..., reduce_mean_param: _Optional[_Union[ReduceMeanParameter, _Mapping[str, object]]] = ..., selu_param: _Optional[_Union[SeLUParameter, _Mapping[str, object]]] = ..., selu_dropout_param: _Optional[_Union[SeLUDropoutParameter, _Mapping[str, object]]] = ..., unstack_param: _Optional[_Union[UnstackParameter, _Mapping[str, object]]] = ..., batch_to_space_nd_param: _Optional[_Union[BatchToSpaceNDParameter, _Mapping[str, object]]] = ..., space_to_batch_nd_param: _Optional[_Union[SpaceToBatchNDParameter, _Mapping[str, object]]] = ..., xlu_param: _Optional[_Union[XLUParameter, _Mapping[str, object]]] = ..., mirror_pad_param: _Optional[_Union[MirrorPadParameter, _Mapping[str, object]]] = ..., tile_nd_param: _Optional[_Union[TileNDParameter, _Mapping[str, object]]] = ..., expand_dims_nd_param: _Optional[_Union[ExpandDimsNDParameter, _Mapping[str, object]]] = ..., squeeze_param: _Optional[_Union[SqueezeParameter, _Mapping[str, object]]] = ..., broadcast_to_param: _Optional[_Union[BroadcastToParameter, _Mapping[str, object]]] = ..., strided_slice_param: _Optional[_Union[StridedSliceParameter, _Mapping[str, object]]] = ..., piece_param: _Optional[_Union[PieceParameter, _Mapping[str, object]]] = ..., range_param: _Optional[_Union[RangeParameter, _Mapping[str, object]]] = ..., sparse_to_dense_param: _Optional[_Union[SparseToDenseParameter, _Mapping[str, object]]] = ..., roi_align_param: _Optional[_Union[ROIAlignParameter, _Mapping[str, object]]] = ..., embedding_lookup_param: _Optional[_Union[EmbeddingLookupParameter, _Mapping[str, object]]] = ..., embedding_lookup_sparse_param: _Optional[_Union[EmbeddingLookupSparseParameter, _Mapping[str, object]]] = ..., gemm_param: _Optional[_Union[GemmParameter, _Mapping[str, object]]] = ..., reduce_l1_param: _Optional[_Union[ReduceL1Parameter, _Mapping[str, object]]] = ..., reduce_l2_param: _Optional[_Union[ReduceL2Parameter, _Mapping[str, object]]] = ..., reduce_logsumexp_param: _Optional[_Union[ReduceLogSumExpParameter, _Mapping[str, object]]] = ..., reduce_all_param: _Optional[_Union[ReduceAllParameter, _Mapping[str, object]]] = ..., reduce_any_param: _Optional[_Union[ReduceAnyParameter, _Mapping[str, object]]] = ..., reverse_sequence_param: _Optional[_Union[ReverseSequenceParameter, _Mapping[str, object]]] = ..., hard_sigmoid_param: _Optional[_Union[HardSigmoidParameter, _Mapping[str, object]]] = ..., thresholded_relu_param: _Optional[_Union[ThresholdedReLUParameter, _Mapping[str, object]]] = ..., one_hot_param: _Optional[_Union[OneHotParameter, _Mapping[str, object]]] = ..., reverse_param: _Optional[_Union[ReverseParameter, _Mapping[str, object]]] = ..., lp_normalization_param: _Optional[_Union[LpNormalizationParameter, _Mapping[str, object]]] = ..., matmul_param: _Optional[_Union[MatMulParameter, _Mapping[str, object]]] = ..., gather_v2_param: _Optional[_Union[GatherV2Parameter, _Mapping[str, object]]] = ..., scaled_tanh_param: _Optional[_Union[ScaledTanHParameter, _Mapping[str, object]]] = ..., pooling3d_param: _Optional[_Union[Pooling3DParameter, _Mapping[str, object]]] = ..., log_softmax_param: _Optional[_Union[LogSoftmaxParameter, _Mapping[str, object]]] = ..., maskrcnn_detection_param: _Optional[_Union[MaskRCNNDetectionParameter, _Mapping[str, object]]] = ..., maskrcnn_proposal_param: _Optional[_Union[MaskRCNNProposalParameter, _Mapping[str, object]]] = ..., attention_param: _Optional[_Union[AttentionParameter, _Mapping[str, object]]] = ..., non_max_suppression_param: _Optional[_Union[NonMaxSuppressionParameter, _Mapping[str, object]]] = ..., rnn_v2_param: _Optional[_Union[RNNv2Parameter, _Mapping[str, object]]] = ..., count_nonzero_param: _Optional[_Union[CountNonzeroParameter, _Mapping[str, object]]] = ..., not_equal_param: _Optional[_Union[NotEqualParameter, _Mapping[str, object]]] = ..., point_net_param: _Optional[_Union[PointNetParameter, _Mapping[str, object]]] = ..., scatter_nd_param: _Optional[_Union[ScatterNDParameter, _Mapping[str, object]]] = ..., layer_norm_param: _Optional[_Union[LayerNormParameter, _Mapping[str, object]]] = ..., mul_param: _Optional[_Union[MulParameter, _Mapping[str, object]]] = ..., spatial_batching_pooling_param: _Optional[_Union[SpatialBatchingPoolingParameter, _Mapping[str, object]]] = ..., tensor2box_param: _Optional[_Union[Tensor2BoxParameter, _Mapping[str, object]]] = ..., corr1d_param: _Optional[_Union[Corr1dParameter, _Mapping[str, object]]] = ..., eval_detection_param: _Optional[_Union[EvalDetectionParameter, _Mapping[str, object]]] = ..., region_loss_param: _Optional[_Union[RegionLossParameter, _Mapping[str, object]]] = ..., yolo_detection_output_param: _Optional[_Union[YoloDetectionOutputParameter, _Mapping[str, object]]] = ..., yolov3_detection_output_param: _Optional[_Union[Yolov3DetectionOutputParameter, _Mapping[str, object]]] = ..., yolov3_param: _Optional[_Union[Yolov3Parameter, _Mapping[str, object]]] = ..., yolo_seg_param: _Optional[_Union[YoloSegParameter, _Mapping[str, object]]] = ..., segmentation_evaluate_param: _Optional[_Union[SegmentationEvaluateParameter, _Mapping[str, object]]] = ..., detectnet_groundtruth_param: _Optional[_Union[DetectNetGroundTruthParameter, _Mapping[str, object]]] = ..., detectnet_augmentation_param: _Optional[_Union[DetectNetAugmentationParameter, _Mapping[str, object]]] = ..., box_annotator_ohem_param: _Optional[_Union[BoxAnnotatorOHEMParameter, _Mapping[str, object]]] = ..., psroi_pooling_param: _Optional[_Union[PSROIPoolingParameter, _Mapping[str, object]]] = ..., center_loss_param: _Optional[_Union[CenterLossParameter, _Mapping[str, object]]] = ..., engine: _Optional[str] = ..., multinode: _Optional[_Union[MultinodeLayerParameter, _Mapping[str, object]]] = ..., mn_activation_param: _Optional[_Union[MnActivationParameter, _Mapping[str, object]]] = ..., forward_type: _Optional[_Union[Type, str]] = ..., backward_type: _Optional[_Union[Type, str]] = ..., forward_math: _Optional[_Union[Type, str]] = ..., backward_math: _Optional[_Union[Type, str]] = ..., debug: bool = ..., cudnn_math_override: _Optional[int] = ..., trt_param: _Optional[_Union[TRTParameter, _Mapping[str, object]]] = ..., parallel_data_param: _Optional[_Union[ParallelDataParameter, _Mapping[str, object]]] = ..., parallel_inmem_data_param: _Optional[_Union[ParallelInMemDataParameter, _Mapping[str, object]]] = ..., coeff_schedule_param: _Optional[_Union[CoeffScheduleParameter, _Mapping[str, object]]] = ..., augmentation_param: _Optional[_Union[AugmentationParameter, _Mapping[str, object]]] = ..., correlation_param: _Optional[_Union[CorrelationParameter, _Mapping[str, object]]] = ..., l1_loss_param: _Optional[_Union[L1LossParameter, _Mapping[str, object]]] = ..., writer_param: _Optional[_Union[WriterParameter, _Mapping[str, object]]] = ..., resample_param: _Optional[_Union[ResampleParameter, _Mapping[str, object]]] = ..., downsample_param: _Optional[_Union[DownsampleParameter, _Mapping[str, object]]] = ..., lpq_loss_param: _Optional[_Union[LpqLossParameter, _Mapping[str, object]]] = ..., flow_warp_param: _Optional[_Union[FlowWarpParameter, _Mapping[str, object]]] = ..., depth_to_space_param: _Optional[_Union[DepthToSpaceParameter, _Mapping[str, object]]] = ..., gather_param: _Optional[_Union[GatherParameter, _Mapping[str, object]]] = ..., ctc_loss_param: _Optional[_Union[CTCLossParameter, _Mapping[str, object]]] = ..., ctc_decoder_param: _Optional[_Union[CTCDecoderParameter, _Mapping[str, object]]] = ..., unpooling_param: _Optional[_Union[UnpoolingParameter, _Mapping[str, object]]] = ..., transpose_param: _Optional[_Union[TransposeParameter, _Mapping[str, object]]] = ..., lstm_param: _Optional[_Union[LstmParameter, _Mapping[str, object]]] = ..., convolution3d_param: _Optional[_Union[Convolution3DParameter, _Mapping[str, object]]] = ..., st_param: _Optional[_Union[SpatialTransformerParameter, _Mapping[str, object]]] = ..., continuation_indicator_param: _Optional[_Union[ContinuationIndicatorParameter, _Mapping[str, object]]] = ..., labelsequence_accuracy_param: _Optional[_Union[LabelsequenceAccuracyParameter, _Mapping[str, object]]] = ..., triplet_loss_param: _Optional[_Union[TripletLossParameter, _Mapping[str, object]]] = ..., margin_inner_product_param: _Optional[_Union[MarginInnerProductParameter, _Mapping[str, object]]] = ..., normalize_param: _Optional[_Union[DirectionParameter, _Mapping[str, object]]] = ..., label_specific_add_param: _Optional[_Union[LabelSpecificAddParameter, _Mapping[str, object]]] = ..., bias_channel_param: _Optional[_Union[BiasChannelParameter, _Mapping[str, object]]] = ..., bn_param: _Optional[_Union[BNParameter, _Mapping[str, object]]] = ..., spatial_dropout_param: _Optional[_Union[SpatialDropoutParameter, _Mapping[str, object]]] = ..., mn_grad_compress_param: _Optional[_Union[MnParamGradCompressParameter, _Mapping[str, object]]] = ..., relu6_param: _Optional[_Union[ReLU6Parameter, _Mapping[str, object]]] = ..., any_axes: bool = ..., roi_pooling_param: _Optional[_Union[ROIPoolingParameter, _Mapping[str, object]]] = ..., smooth_l1_loss_param: _Optional[_Union[SmoothL1LossParameter, _Mapping[str, object]]] = ...) -> None: ...

class LogParameter(_message.Message):
    __slots__ = ["base", "scale", "shift"]
    BASE_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    base: float
    scale: float
    shift: float
    def __init__(self, base: _Optional[float] = ..., scale: _Optional[float] = ..., shift: _Optional[float] = ...) -> None: ...

class LogSoftmaxParameter(_message.Message):
    __slots__ = ["axis"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    axis: int
    def __init__(self, axis: _Optional[int] = ...) -> None: ...

class LossParameter(_message.Message):
    __slots__ = ["balance_labels", "class_weighting", "ignore_label", "label_smoothing", "normalization", "normalize", "pre_fixed_normalizer", "weight_by_label_freqs"]
    class NormalizationMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BALANCE_LABELS_FIELD_NUMBER: _ClassVar[int]
    BATCH_SIZE: LossParameter.NormalizationMode
    CLASS_WEIGHTING_FIELD_NUMBER: _ClassVar[int]
    FULL: LossParameter.NormalizationMode
    IGNORE_LABEL_FIELD_NUMBER: _ClassVar[int]
    LABEL_SMOOTHING_FIELD_NUMBER: _ClassVar[int]
    NONE: LossParameter.NormalizationMode
    NORMALIZATION_FIELD_NUMBER: _ClassVar[int]
    NORMALIZE_FIELD_NUMBER: _ClassVar[int]
    PRE_FIXED: LossParameter.NormalizationMode
    PRE_FIXED_NORMALIZER_FIELD_NUMBER: _ClassVar[int]
    VALID: LossParameter.NormalizationMode
    WEIGHT_BY_LABEL_FREQS_FIELD_NUMBER: _ClassVar[int]
    balance_labels: bool
    class_weighting: _containers.RepeatedScalarFieldContainer[float]
    ignore_label: int
    label_smoothing: float
    normalization: LossParameter.NormalizationMode
    normalize: bool
    pre_fixed_normalizer: float
    weight_by_label_freqs: bool
    def __init__(self, ignore_label: _Optional[int] = ..., normalize: bool = ..., normalization: _Optional[_Union[LossParameter.NormalizationMode, str]] = ..., pre_fixed_normalizer: _Optional[float] = ..., weight_by_label_freqs: bool = ..., class_weighting: _Optional[_Iterable[float]] = ..., label_smoothing: _Optional[float] = ..., balance_labels: bool = ...) -> None: ...

class LpNormalizationParameter(_message.Message):
    __slots__ = ["axis", "p"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    P_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    p: int
    def __init__(self, axis: _Optional[_Iterable[int]] = ..., p: _Optional[int] = ...) -> None: ...

class LpqLossParameter(_message.Message):
    __slots__ = ["l2_prescale_by_channels", "normalize_by_num_entries", "p", "p_epsilon", "pq_episode_starts_at_iter", "q", "q_epsilon"]
    L2_PRESCALE_BY_CHANNELS_FIELD_NUMBER: _ClassVar[int]
    NORMALIZE_BY_NUM_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    PQ_EPISODE_STARTS_AT_ITER_FIELD_NUMBER: _ClassVar[int]
    P_EPSILON_FIELD_NUMBER: _ClassVar[int]
    P_FIELD_NUMBER: _ClassVar[int]
    Q_EPSILON_FIELD_NUMBER: _ClassVar[int]
    Q_FIELD_NUMBER: _ClassVar[int]
    l2_prescale_by_channels: bool
    normalize_by_num_entries: bool
    p: _containers.RepeatedScalarFieldContainer[float]
    p_epsilon: float
    pq_episode_starts_at_iter: _containers.RepeatedScalarFieldContainer[int]
    q: _containers.RepeatedScalarFieldContainer[float]
    q_epsilon: float
    def __init__(self, pq_episode_starts_at_iter: _Optional[_Iterable[int]] = ..., p: _Optional[_Iterable[float]] = ..., q: _Optional[_Iterable[float]] = ..., p_epsilon: _Optional[float] = ..., q_epsilon: _Optional[float] = ..., l2_prescale_by_channels: bool = ..., normalize_by_num_entries: bool = ...) -> None: ...

class LstmParameter(_message.Message):
    __slots__ = ["batch_size", "bias_filler", "clipping_threshold", "num_output", "weight_filler"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    CLIPPING_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FILLER_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    bias_filler: FillerParameter
    clipping_threshold: float
    num_output: int
    weight_filler: FillerParameter
    def __init__(self, num_output: _Optional[int] = ..., clipping_threshold: _Optional[float] = ..., weight_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., batch_size: _Optional[int] = ...) -> None: ...

class MVNParameter(_message.Message):
    __slots__ = ["across_channels", "add_eps_before_sqrt", "eps", "normalize_variance"]
    ACROSS_CHANNELS_FIELD_NUMBER: _ClassVar[int]
    ADD_EPS_BEFORE_SQRT_FIELD_NUMBER: _ClassVar[int]
    EPS_FIELD_NUMBER: _ClassVar[int]
    NORMALIZE_VARIANCE_FIELD_NUMBER: _ClassVar[int]
    across_channels: bool
    add_eps_before_sqrt: bool
    eps: float
    normalize_variance: bool
    def __init__(self, normalize_variance: bool = ..., across_channels: bool = ..., eps: _Optional[float] = ..., add_eps_before_sqrt: bool = ...) -> None: ...

class MarginInnerProductParameter(_message.Message):
    __slots__ = ["axis", "base", "gamma", "iteration", "lambda_min", "num_output", "power", "type", "weight_filler"]
    class MarginType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AXIS_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    DOUBLE: MarginInnerProductParameter.MarginType
    GAMMA_FIELD_NUMBER: _ClassVar[int]
    ITERATION_FIELD_NUMBER: _ClassVar[int]
    LAMBDA_MIN_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    POWER_FIELD_NUMBER: _ClassVar[int]
    QUADRUPLE: MarginInnerProductParameter.MarginType
    SINGLE: MarginInnerProductParameter.MarginType
    TRIPLE: MarginInnerProductParameter.MarginType
    TYPE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FILLER_FIELD_NUMBER: _ClassVar[int]
    axis: int
    base: float
    gamma: float
    iteration: int
    lambda_min: float
    num_output: int
    power: float
    type: MarginInnerProductParameter.MarginType
    weight_filler: FillerParameter
    def __init__(self, num_output: _Optional[int] = ..., type: _Optional[_Union[MarginInnerProductParameter.MarginType, str]] = ..., weight_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., axis: _Optional[int] = ..., base: _Optional[float] = ..., gamma: _Optional[float] = ..., power: _Optional[float] = ..., iteration: _Optional[int] = ..., lambda_min: _Optional[float] = ...) -> None: ...

class MaskRCNNDetectionParameter(_message.Message):
    __slots__ = ["batch_size", "bbox_std_dev", "detection_max_instances", "detection_min_confidence", "detection_nms_threshold"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    BBOX_STD_DEV_FIELD_NUMBER: _ClassVar[int]
    DETECTION_MAX_INSTANCES_FIELD_NUMBER: _ClassVar[int]
    DETECTION_MIN_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    DETECTION_NMS_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    bbox_std_dev: _containers.RepeatedScalarFieldContainer[float]
    detection_max_instances: int
    detection_min_confidence: float
    detection_nms_threshold: float
    def __init__(self, bbox_std_dev: _Optional[_Iterable[float]] = ..., batch_size: _Optional[int] = ..., detection_max_instances: _Optional[int] = ..., detection_min_confidence: _Optional[float] = ..., detection_nms_threshold: _Optional[float] = ...) -> None: ...

class MaskRCNNProposalParameter(_message.Message):
    __slots__ = ["batch_size", "images_per_gpu", "post_nms_rois_inference", "pre_nms_limit", "rpn_bbox_std_dev", "rpn_nms_threshold"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    IMAGES_PER_GPU_FIELD_NUMBER: _ClassVar[int]
    POST_NMS_ROIS_INFERENCE_FIELD_NUMBER: _ClassVar[int]
    PRE_NMS_LIMIT_FIELD_NUMBER: _ClassVar[int]
    RPN_BBOX_STD_DEV_FIELD_NUMBER: _ClassVar[int]
    RPN_NMS_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    images_per_gpu: int
    post_nms_rois_inference: int
    pre_nms_limit: int
    rpn_bbox_std_dev: _containers.RepeatedScalarFieldContainer[float]
    rpn_nms_threshold: float
    def __init__(self, rpn_bbox_std_dev: _Optional[_Iterable[float]] = ..., batch_size: _Optional[int] = ..., images_per_gpu: _Optional[int] = ..., pre_nms_limit: _Optional[int] = ..., rpn_nms_threshold: _Optional[float] = ..., post_nms_rois_inference: _Optional[int] = ...) -> None: ...

class MatMulParameter(_message.Message):
    __slots__ = ["blob_shape", "transpose_a", "transpose_b"]
    BLOB_SHAPE_FIELD_NUMBER: _ClassVar[int]
    TRANSPOSE_A_FIELD_NUMBER: _ClassVar[int]
    TRANSPOSE_B_FIELD_NUMBER: _ClassVar[int]
    blob_shape: _containers.RepeatedScalarFieldContainer[int]
    transpose_a: bool
    transpose_b: bool
    def __init__(self, transpose_a: bool = ..., transpose_b: bool = ..., blob_shape: _Optional[_Iterable[int]] = ...) -> None: ...

class MatReadParameter(_message.Message):
    __slots__ = ["batch_size", "prefix", "source", "strip"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    STRIP_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    prefix: str
    source: str
    strip: int
    def __init__(self, prefix: _Optional[str] = ..., source: _Optional[str] = ..., strip: _Optional[int] = ..., batch_size: _Optional[int] = ...) -> None: ...

class MatWriteParameter(_message.Message):
    __slots__ = ["period", "prefix", "source", "strip"]
    PERIOD_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    STRIP_FIELD_NUMBER: _ClassVar[int]
    period: int
    prefix: str
    source: str
    strip: int
    def __init__(self, prefix: _Optional[str] = ..., source: _Optional[str] = ..., strip: _Optional[int] = ..., period: _Optional[int] = ...) -> None: ...

class MeanParameter(_message.Message):
    __slots__ = ["file", "input_scale", "mean_scale", "operation", "output_scale", "value"]
    class MeanOperation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ADD: MeanParameter.MeanOperation
    FILE_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    MEAN_SCALE_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    SUBTRACT: MeanParameter.MeanOperation
    VALUE_FIELD_NUMBER: _ClassVar[int]
    file: str
    input_scale: float
    mean_scale: float
    operation: MeanParameter.MeanOperation
    output_scale: float
    value: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, operation: _Optional[_Union[MeanParameter.MeanOperation, str]] = ..., file: _Optional[str] = ..., value: _Optional[_Iterable[float]] = ..., mean_scale: _Optional[float] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ...) -> None: ...

class MemoryDataParameter(_message.Message):
    __slots__ = ["batch_size", "channels", "height", "width"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    channels: int
    height: int
    width: int
    def __init__(self, batch_size: _Optional[int] = ..., channels: _Optional[int] = ..., height: _Optional[int] = ..., width: _Optional[int] = ...) -> None: ...

class MirrorPadParameter(_message.Message):
    __slots__ = ["constant_values", "mode", "paddings"]
    CONSTANT_VALUES_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    PADDINGS_FIELD_NUMBER: _ClassVar[int]
    constant_values: float
    mode: str
    paddings: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, paddings: _Optional[_Iterable[int]] = ..., constant_values: _Optional[float] = ..., mode: _Optional[str] = ...) -> None: ...

class MnActivationParameter(_message.Message):
    __slots__ = ["model_parts_in", "model_parts_out", "need_reduce", "num_nodes_in", "num_nodes_out"]
    MODEL_PARTS_IN_FIELD_NUMBER: _ClassVar[int]
    MODEL_PARTS_OUT_FIELD_NUMBER: _ClassVar[int]
    NEED_REDUCE_FIELD_NUMBER: _ClassVar[int]
    NUM_NODES_IN_FIELD_NUMBER: _ClassVar[int]
    NUM_NODES_OUT_FIELD_NUMBER: _ClassVar[int]
    model_parts_in: int
    model_parts_out: int
    need_reduce: bool
    num_nodes_in: int
    num_nodes_out: int
    def __init__(self, num_nodes_in: _Optional[int] = ..., num_nodes_out: _Optional[int] = ..., model_parts_in: _Optional[int] = ..., model_parts_out: _Optional[int] = ..., need_reduce: bool = ...) -> None: ...

class MnModelParallelParameter(_message.Message):
    __slots__ = ["layer_from", "layer_to", "model_parts", "num_nodes"]
    LAYER_FROM_FIELD_NUMBER: _ClassVar[int]
    LAYER_TO_FIELD_NUMBER: _ClassVar[int]
    MODEL_PARTS_FIELD_NUMBER: _ClassVar[int]
    NUM_NODES_FIELD_NUMBER: _ClassVar[int]
    layer_from: str
    layer_to: str
    model_parts: int
    num_nodes: int
    def __init__(self, layer_from: _Optional[str] = ..., layer_to: _Optional[str] = ..., num_nodes: _Optional[int] = ..., model_parts: _Optional[int] = ...) -> None: ...

class MnParamGradCompressLayerTypeList(_message.Message):
    __slots__ = ["layer_type"]
    LAYER_TYPE_FIELD_NUMBER: _ClassVar[int]
    layer_type: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, layer_type: _Optional[_Iterable[str]] = ...) -> None: ...

class MnParamGradCompressParameter(_message.Message):
    __slots__ = ["param_grad_compress_enable"]
    PARAM_GRAD_COMPRESS_ENABLE_FIELD_NUMBER: _ClassVar[int]
    param_grad_compress_enable: _containers.RepeatedScalarFieldContainer[bool]
    def __init__(self, param_grad_compress_enable: _Optional[_Iterable[bool]] = ...) -> None: ...

class MulParameter(_message.Message):
    __slots__ = ["mul_shape"]
    MUL_SHAPE_FIELD_NUMBER: _ClassVar[int]
    mul_shape: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, mul_shape: _Optional[_Iterable[int]] = ...) -> None: ...

class MultiBoxLossParameter(_message.Message):
    __slots__ = ["background_label_id", "bp_inside", "code_type", "conf_loss_type", "do_neg_mining", "encode_variance_in_target", "ignore_cross_boundary_bbox", "ignore_difficult_gt", "loc_loss_type", "loc_weight", "map_object_to_agnostic", "match_type", "mining_type", "neg_overlap", "neg_pos_ratio", "nms_param", "num_classes", "objectness_score", "overlap_threshold", "sample_size", "share_location", "use_difficult_gt", "use_prior_for_matching", "use_prior_for_nms"]
    class ConfLossType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class LocLossType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class MatchType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class MiningType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BACKGROUND_LABEL_ID_FIELD_NUMBER: _ClassVar[int]
    BIPARTITE: MultiBoxLossParameter.MatchType
    BP_INSIDE_FIELD_NUMBER: _ClassVar[int]
    CODE_TYPE_FIELD_NUMBER: _ClassVar[int]
    CONF_LOSS_TYPE_FIELD_NUMBER: _ClassVar[int]
    DO_NEG_MINING_FIELD_NUMBER: _ClassVar[int]
    ENCODE_VARIANCE_IN_TARGET_FIELD_NUMBER: _ClassVar[int]
    HARD_EXAMPLE: MultiBoxLossParameter.MiningType
    IGNORE_CROSS_BOUNDARY_BBOX_FIELD_NUMBER: _ClassVar[int]
    IGNORE_DIFFICULT_GT_FIELD_NUMBER: _ClassVar[int]
    L2: MultiBoxLossParameter.LocLossType
    LOC_LOSS_TYPE_FIELD_NUMBER: _ClassVar[int]
    LOC_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    LOGISTIC: MultiBoxLossParameter.ConfLossType
    MAP_OBJECT_TO_AGNOSTIC_FIELD_NUMBER: _ClassVar[int]
    MATCH_TYPE_FIELD_NUMBER: _ClassVar[int]
    MAX_NEGATIVE: MultiBoxLossParameter.MiningType
    MINING_TYPE_FIELD_NUMBER: _ClassVar[int]
    NEG_OVERLAP_FIELD_NUMBER: _ClassVar[int]
    NEG_POS_RATIO_FIELD_NUMBER: _ClassVar[int]
    NMS_PARAM_FIELD_NUMBER: _ClassVar[int]
    NONE: MultiBoxLossParameter.MiningType
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    OBJECTNESS_SCORE_FIELD_NUMBER: _ClassVar[int]
    OVERLAP_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    PER_PREDICTION: MultiBoxLossParameter.MatchType
    SAMPLE_SIZE_FIELD_NUMBER: _ClassVar[int]
    SHARE_LOCATION_FIELD_NUMBER: _ClassVar[int]
    SMOOTH_L1: MultiBoxLossParameter.LocLossType
    SOFTMAX: MultiBoxLossParameter.ConfLossType
    USE_DIFFICULT_GT_FIELD_NUMBER: _ClassVar[int]
    USE_PRIOR_FOR_MATCHING_FIELD_NUMBER: _ClassVar[int]
    USE_PRIOR_FOR_NMS_FIELD_NUMBER: _ClassVar[int]
    background_label_id: int
    bp_inside: bool
    code_type: PriorBoxParameter.CodeType
    conf_loss_type: MultiBoxLossParameter.ConfLossType
    do_neg_mining: bool
    encode_variance_in_target: bool
    ignore_cross_boundary_bbox: bool
    ignore_difficult_gt: bool
    loc_loss_type: MultiBoxLossParameter.LocLossType
    loc_weight: float
    map_object_to_agnostic: bool
    match_type: MultiBoxLossParameter.MatchType
    mining_type: MultiBoxLossParameter.MiningType
    neg_overlap: float
    neg_pos_ratio: float
    nms_param: NonMaximumSuppressionParameter
    num_classes: int
    objectness_score: float
    overlap_threshold: float
    sample_size: int
    share_location: bool
    use_difficult_gt: bool
    use_prior_for_matching: bool
    use_prior_for_nms: bool
    def __init__(self, loc_loss_type: _Optional[_Union[MultiBoxLossParameter.LocLossType, str]] = ..., conf_loss_type: _Optional[_Union[MultiBoxLossParameter.ConfLossType, str]] = ..., loc_weight: _Optional[float] = ..., num_classes: _Optional[int] = ..., share_location: bool = ..., match_type: _Optional[_Union[MultiBoxLossParameter.MatchType, str]] = ..., overlap_threshold: _Optional[float] = ..., use_prior_for_matching: bool = ..., background_label_id: _Optional[int] = ..., use_difficult_gt: bool = ..., do_neg_mining: bool = ..., neg_pos_ratio: _Optional[float] = ..., neg_overlap: _Optional[float] = ..., code_type: _Optional[_Union[PriorBoxParameter.CodeType, str]] = ..., encode_variance_in_target: bool = ..., map_object_to_agnostic: bool = ..., ignore_cross_boundary_bbox: bool = ..., bp_inside: bool = ..., mining_type: _Optional[_Union[MultiBoxLossParameter.MiningType, str]] = ..., nms_param: _Optional[_Union[NonMaximumSuppressionParameter, _Mapping[str, object]]] = ..., sample_size: _Optional[int] = ..., use_prior_for_nms: bool = ..., ignore_difficult_gt: bool = ..., objectness_score: _Optional[float] = ...) -> None: ...

class MultiPhaseSolverParameter(_message.Message):
    __slots__ = ["params_pair"]
    PARAMS_PAIR_FIELD_NUMBER: _ClassVar[int]
    params_pair: _containers.RepeatedCompositeFieldContainer[SolverBatchSizePair]
    def __init__(self, params_pair: _Optional[_Iterable[_Union[SolverBatchSizePair, _Mapping[str, object]]]] = ...) -> None: ...

class MultinodeLayerParameter(_message.Message):
    __slots__ = ["model_parts", "num_nodes"]
    MODEL_PARTS_FIELD_NUMBER: _ClassVar[int]
    NUM_NODES_FIELD_NUMBER: _ClassVar[int]
    model_parts: int
    num_nodes: int
    def __init__(self, num_nodes: _Optional[int] = ..., model_parts: _Optional[int] = ...) -> None: ...

class MultinodeParameter(_message.Message):
    __slots__ = ["compress_layer_type_list", "model_parallel"]
    COMPRESS_LAYER_TYPE_LIST_FIELD_NUMBER: _ClassVar[int]
    MODEL_PARALLEL_FIELD_NUMBER: _ClassVar[int]
    compress_layer_type_list: MnParamGradCompressLayerTypeList
    model_parallel: _containers.RepeatedCompositeFieldContainer[MnModelParallelParameter]
    def __init__(self, model_parallel: _Optional[_Iterable[_Union[MnModelParallelParameter, _Mapping[str, object]]]] = ..., compress_layer_type_list: _Optional[_Union[MnParamGradCompressLayerTypeList, _Mapping[str, object]]] = ...) -> None: ...

class NMSGatherParameter(_message.Message):
    __slots__ = ["axis", "iou_threshold", "top_k"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    IOU_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    axis: int
    iou_threshold: float
    top_k: int
    def __init__(self, top_k: _Optional[int] = ..., axis: _Optional[int] = ..., iou_threshold: _Optional[float] = ...) -> None: ...

class NMSParameter(_message.Message):
    __slots__ = ["axis", "iou_threshold", "top_k"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    IOU_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    axis: int
    iou_threshold: float
    top_k: int
    def __init__(self, top_k: _Optional[int] = ..., axis: _Optional[int] = ..., iou_threshold: _Optional[float] = ...) -> None: ...

class NetParameter(_message.Message):
    __slots__ = ["bn_stats_batch_size", "compile_net_state", "debug_info", "default_backward_math", "default_backward_type", "default_conv_algos_override", "default_cudnn_math_override", "default_forward_math", "default_forward_type", "eltwise_mem_sharing", "engine", "force_backward", "global_grad_scale", "global_grad_scale_adaptive", "input", "input_dim", "input_shape", "layer", "layers", "multinode", "name", "reduce_buckets", "state"]
    BN_STATS_BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    COMPILE_NET_STATE_FIELD_NUMBER: _ClassVar[int]
    DEBUG_INFO_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_BACKWARD_MATH_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_BACKWARD_TYPE_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_CONV_ALGOS_OVERRIDE_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_CUDNN_MATH_OVERRIDE_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_FORWARD_MATH_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_FORWARD_TYPE_FIELD_NUMBER: _ClassVar[int]
    ELTWISE_MEM_SHARING_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    FORCE_BACKWARD_FIELD_NUMBER: _ClassVar[int]
    GLOBAL_GRAD_SCALE_ADAPTIVE_FIELD_NUMBER: _ClassVar[int]
    GLOBAL_GRAD_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_DIM_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    INPUT_SHAPE_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    MULTINODE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REDUCE_BUCKETS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    bn_stats_batch_size: int
    compile_net_state: CompileNetState
    debug_info: bool
    default_backward_math: Type
    default_backward_type: Type
    default_conv_algos_override: str
    default_cudnn_math_override: int
    default_forward_math: Type
    default_forward_type: Type
    eltwise_mem_sharing: bool
    engine: str
    force_backward: bool
    global_grad_scale: float
    global_grad_scale_adaptive: bool
    input: _containers.RepeatedScalarFieldContainer[str]
    input_dim: _containers.RepeatedScalarFieldContainer[int]
    input_shape: _containers.RepeatedCompositeFieldContainer[BlobShape]
    layer: _containers.RepeatedCompositeFieldContainer[LayerParameter]
    layers: _containers.RepeatedCompositeFieldContainer[V1LayerParameter]
    multinode: MultinodeParameter
    name: str
    reduce_buckets: int
    state: NetState
    def __init__(self, name: _Optional[str] = ..., layers: _Optional[_Iterable[_Union[V1LayerParameter, _Mapping[str, object]]]] = ..., input: _Optional[_Iterable[str]] = ..., input_dim: _Optional[_Iterable[int]] = ..., force_backward: bool = ..., state: _Optional[_Union[NetState, _Mapping[str, object]]] = ..., debug_info: bool = ..., input_shape: _Optional[_Iterable[_Union[BlobShape, _Mapping[str, object]]]] = ..., layer: _Optional[_Iterable[_Union[LayerParameter, _Mapping[str, object]]]] = ..., engine: _Optional[str] = ..., compile_net_state: _Optional[_Union[CompileNetState, _Mapping[str, object]]] = ..., bn_stats_batch_size: _Optional[int] = ..., default_backward_type: _Optional[_Union[Type, str]] = ..., default_forward_math: _Optional[_Union[Type, str]] = ..., default_backward_math: _Optional[_Union[Type, str]] = ..., global_grad_scale: _Optional[float] = ..., global_grad_scale_adaptive: bool = ..., default_conv_algos_override: _Optional[str] = ..., reduce_buckets: _Optional[int] = ..., default_cudnn_math_override: _Optional[int] = ..., eltwise_mem_sharing: bool = ..., multinode: _Optional[_Union[MultinodeParameter, _Mapping[str, object]]] = ..., default_forward_type: _Optional[_Union[Type, str]] = ...) -> None: ...

class NetState(_message.Message):
    __slots__ = ["level", "phase", "stage"]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    level: int
    phase: Phase
    stage: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, phase: _Optional[_Union[Phase, str]] = ..., level: _Optional[int] = ..., stage: _Optional[_Iterable[str]] = ...) -> None: ...

class NetStateRule(_message.Message):
    __slots__ = ["max_level", "min_level", "not_stage", "phase", "stage"]
    MAX_LEVEL_FIELD_NUMBER: _ClassVar[int]
    MIN_LEVEL_FIELD_NUMBER: _ClassVar[int]
    NOT_STAGE_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    max_level: int
    min_level: int
    not_stage: _containers.RepeatedScalarFieldContainer[str]
    phase: Phase
    stage: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, phase: _Optional[_Union[Phase, str]] = ..., min_level: _Optional[int] = ..., max_level: _Optional[int] = ..., stage: _Optional[_Iterable[str]] = ..., not_stage: _Optional[_Iterable[str]] = ...) -> None: ...

class NoiseParameter(_message.Message):
    __slots__ = ["clahe", "convert_to_hsv", "convert_to_lab", "decolorize", "erode", "gauss_blur", "hist_eq", "inverse", "jpeg", "posterize", "prob", "saltpepper", "saltpepper_param"]
    CLAHE_FIELD_NUMBER: _ClassVar[int]
    CONVERT_TO_HSV_FIELD_NUMBER: _ClassVar[int]
    CONVERT_TO_LAB_FIELD_NUMBER: _ClassVar[int]
    DECOLORIZE_FIELD_NUMBER: _ClassVar[int]
    ERODE_FIELD_NUMBER: _ClassVar[int]
    GAUSS_BLUR_FIELD_NUMBER: _ClassVar[int]
    HIST_EQ_FIELD_NUMBER: _ClassVar[int]
    INVERSE_FIELD_NUMBER: _ClassVar[int]
    JPEG_FIELD_NUMBER: _ClassVar[int]
    POSTERIZE_FIELD_NUMBER: _ClassVar[int]
    PROB_FIELD_NUMBER: _ClassVar[int]
    SALTPEPPER_FIELD_NUMBER: _ClassVar[int]
    SALTPEPPER_PARAM_FIELD_NUMBER: _ClassVar[int]
    clahe: bool
    convert_to_hsv: bool
    convert_to_lab: bool
    decolorize: bool
    erode: bool
    gauss_blur: bool
    hist_eq: bool
    inverse: bool
    jpeg: float
    posterize: bool
    prob: float
    saltpepper: bool
    saltpepper_param: SaltPepperParameter
    def __init__(self, prob: _Optional[float] = ..., hist_eq: bool = ..., inverse: bool = ..., decolorize: bool = ..., gauss_blur: bool = ..., jpeg: _Optional[float] = ..., posterize: bool = ..., erode: bool = ..., saltpepper: bool = ..., saltpepper_param: _Optional[_Union[SaltPepperParameter, _Mapping[str, object]]] = ..., clahe: bool = ..., convert_to_hsv: bool = ..., convert_to_lab: bool = ...) -> None: ...

class NonMaxSuppressionParameter(_message.Message):
    __slots__ = ["center_point_box", "iou_threshold", "max_output_boxes_per_class", "score_threshold"]
    CENTER_POINT_BOX_FIELD_NUMBER: _ClassVar[int]
    IOU_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    MAX_OUTPUT_BOXES_PER_CLASS_FIELD_NUMBER: _ClassVar[int]
    SCORE_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    center_point_box: int
    iou_threshold: float
    max_output_boxes_per_class: int
    score_threshold: float
    def __init__(self, max_output_boxes_per_class: _Optional[int] = ..., iou_threshold: _Optional[float] = ..., score_threshold: _Optional[float] = ..., center_point_box: _Optional[int] = ...) -> None: ...

class NonMaximumSuppressionParameter(_message.Message):
    __slots__ = ["eta", "nms_threshold", "top_k"]
    ETA_FIELD_NUMBER: _ClassVar[int]
    NMS_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    eta: float
    nms_threshold: float
    top_k: int
    def __init__(self, nms_threshold: _Optional[float] = ..., top_k: _Optional[int] = ..., eta: _Optional[float] = ...) -> None: ...

class NormalizeParameter(_message.Message):
    __slots__ = ["across_spatial", "add_eps_before_sqrt", "channel_shared", "eps", "scale_filler"]
    ACROSS_SPATIAL_FIELD_NUMBER: _ClassVar[int]
    ADD_EPS_BEFORE_SQRT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_SHARED_FIELD_NUMBER: _ClassVar[int]
    EPS_FIELD_NUMBER: _ClassVar[int]
    SCALE_FILLER_FIELD_NUMBER: _ClassVar[int]
    across_spatial: bool
    add_eps_before_sqrt: bool
    channel_shared: bool
    eps: float
    scale_filler: FillerParameter
    def __init__(self, across_spatial: bool = ..., scale_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., channel_shared: bool = ..., eps: _Optional[float] = ..., add_eps_before_sqrt: bool = ...) -> None: ...

class NormalizedBBox(_message.Message):
    __slots__ = ["difficult", "height", "label", "score", "size", "width", "x_center", "xmax", "xmin", "y_center", "ymax", "ymin"]
    DIFFICULT_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    XMAX_FIELD_NUMBER: _ClassVar[int]
    XMIN_FIELD_NUMBER: _ClassVar[int]
    X_CENTER_FIELD_NUMBER: _ClassVar[int]
    YMAX_FIELD_NUMBER: _ClassVar[int]
    YMIN_FIELD_NUMBER: _ClassVar[int]
    Y_CENTER_FIELD_NUMBER: _ClassVar[int]
    difficult: bool
    height: float
    label: int
    score: float
    size: float
    width: float
    x_center: float
    xmax: float
    xmin: float
    y_center: float
    ymax: float
    ymin: float
    def __init__(self, xmin: _Optional[float] = ..., ymin: _Optional[float] = ..., xmax: _Optional[float] = ..., ymax: _Optional[float] = ..., label: _Optional[int] = ..., difficult: bool = ..., score: _Optional[float] = ..., size: _Optional[float] = ..., x_center: _Optional[float] = ..., y_center: _Optional[float] = ..., width: _Optional[float] = ..., height: _Optional[float] = ...) -> None: ...

class NotEqualParameter(_message.Message):
    __slots__ = ["comparand"]
    COMPARAND_FIELD_NUMBER: _ClassVar[int]
    comparand: float
    def __init__(self, comparand: _Optional[float] = ...) -> None: ...

class OneHotParameter(_message.Message):
    __slots__ = ["axis", "depth", "off_value", "on_value"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    OFF_VALUE_FIELD_NUMBER: _ClassVar[int]
    ON_VALUE_FIELD_NUMBER: _ClassVar[int]
    axis: int
    depth: int
    off_value: float
    on_value: float
    def __init__(self, depth: _Optional[int] = ..., on_value: _Optional[float] = ..., off_value: _Optional[float] = ..., axis: _Optional[int] = ...) -> None: ...

class PReLUParameter(_message.Message):
    __slots__ = ["channel_shared", "filler"]
    CHANNEL_SHARED_FIELD_NUMBER: _ClassVar[int]
    FILLER_FIELD_NUMBER: _ClassVar[int]
    channel_shared: bool
    filler: FillerParameter
    def __init__(self, filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., channel_shared: bool = ...) -> None: ...

class PSROIPoolingParameter(_message.Message):
    __slots__ = ["group_size", "output_dim", "spatial_scale"]
    GROUP_SIZE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_DIM_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_SCALE_FIELD_NUMBER: _ClassVar[int]
    group_size: int
    output_dim: int
    spatial_scale: float
    def __init__(self, spatial_scale: _Optional[float] = ..., output_dim: _Optional[int] = ..., group_size: _Optional[int] = ...) -> None: ...

class PadParameter(_message.Message):
    __slots__ = ["constant_values", "paddings"]
    CONSTANT_VALUES_FIELD_NUMBER: _ClassVar[int]
    PADDINGS_FIELD_NUMBER: _ClassVar[int]
    constant_values: float
    paddings: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, paddings: _Optional[_Iterable[int]] = ..., constant_values: _Optional[float] = ...) -> None: ...

class ParallelDataParameter(_message.Message):
    __slots__ = ["batch_size", "crop_size", "headerSize", "is_color", "label", "max_block_size", "mean_file", "mirror", "new_height", "new_width", "rand_skip", "root_folder", "shuffle", "source", "test"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    CROP_SIZE_FIELD_NUMBER: _ClassVar[int]
    HEADERSIZE_FIELD_NUMBER: _ClassVar[int]
    IS_COLOR_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    MAX_BLOCK_SIZE_FIELD_NUMBER: _ClassVar[int]
    MEAN_FILE_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    NEW_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    NEW_WIDTH_FIELD_NUMBER: _ClassVar[int]
    RAND_SKIP_FIELD_NUMBER: _ClassVar[int]
    ROOT_FOLDER_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    crop_size: int
    headerSize: int
    is_color: bool
    label: str
    max_block_size: int
    mean_file: str
    mirror: bool
    new_height: int
    new_width: int
    rand_skip: int
    root_folder: str
    shuffle: bool
    source: str
    test: bool
    def __init__(self, source: _Optional[str] = ..., label: _Optional[str] = ..., mean_file: _Optional[str] = ..., batch_size: _Optional[int] = ..., crop_size: _Optional[int] = ..., mirror: bool = ..., rand_skip: _Optional[int] = ..., shuffle: bool = ..., new_height: _Optional[int] = ..., new_width: _Optional[int] = ..., is_color: bool = ..., root_folder: _Optional[str] = ..., test: bool = ..., headerSize: _Optional[int] = ..., max_block_size: _Optional[int] = ...) -> None: ...

class ParallelInMemDataParameter(_message.Message):
    __slots__ = ["batch_size", "crop_size", "headerSize", "is_color", "label", "max_block_size", "mean_file", "mirror", "new_height", "new_width", "rand_skip", "root_folder", "shuffle", "source", "test"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    CROP_SIZE_FIELD_NUMBER: _ClassVar[int]
    HEADERSIZE_FIELD_NUMBER: _ClassVar[int]
    IS_COLOR_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    MAX_BLOCK_SIZE_FIELD_NUMBER: _ClassVar[int]
    MEAN_FILE_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    NEW_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    NEW_WIDTH_FIELD_NUMBER: _ClassVar[int]
    RAND_SKIP_FIELD_NUMBER: _ClassVar[int]
    ROOT_FOLDER_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    crop_size: int
    headerSize: int
    is_color: bool
    label: str
    max_block_size: int
    mean_file: str
    mirror: bool
    new_height: int
    new_width: int
    rand_skip: int
    root_folder: str
    shuffle: bool
    source: str
    test: bool
    def __init__(self, source: _Optional[str] = ..., label: _Optional[str] = ..., mean_file: _Optional[str] = ..., batch_size: _Optional[int] = ..., crop_size: _Optional[int] = ..., mirror: bool = ..., rand_skip: _Optional[int] = ..., shuffle: bool = ..., new_height: _Optional[int] = ..., new_width: _Optional[int] = ..., is_color: bool = ..., root_folder: _Optional[str] = ..., test: bool = ..., headerSize: _Optional[int] = ..., max_block_size: _Optional[int] = ...) -> None: ...

class ParamSpec(_message.Message):
    __slots__ = ["decay_mult", "lr_mult", "name", "share_mode"]
    class DimCheckMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    DECAY_MULT_FIELD_NUMBER: _ClassVar[int]
    LR_MULT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PERMISSIVE: ParamSpec.DimCheckMode
    SHARE_MODE_FIELD_NUMBER: _ClassVar[int]
    STRICT: ParamSpec.DimCheckMode
    decay_mult: float
    lr_mult: float
    name: str
    share_mode: ParamSpec.DimCheckMode
    def __init__(self, name: _Optional[str] = ..., share_mode: _Optional[_Union[ParamSpec.DimCheckMode, str]] = ..., lr_mult: _Optional[float] = ..., decay_mult: _Optional[float] = ...) -> None: ...

class ParameterParameter(_message.Message):
    __slots__ = ["shape"]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    shape: BlobShape
    def __init__(self, shape: _Optional[_Union[BlobShape, _Mapping[str, object]]] = ...) -> None: ...

class PermuteParameter(_message.Message):
    __slots__ = ["order"]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    order: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, order: _Optional[_Iterable[int]] = ...) -> None: ...

class PieceParameter(_message.Message):
    __slots__ = ["begin", "size"]
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    begin: _containers.RepeatedScalarFieldContainer[int]
    size: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, begin: _Optional[_Iterable[int]] = ..., size: _Optional[_Iterable[int]] = ...) -> None: ...

class PointNetParameter(_message.Message):
    __slots__ = ["n_sample_point", "radius"]
    N_SAMPLE_POINT_FIELD_NUMBER: _ClassVar[int]
    RADIUS_FIELD_NUMBER: _ClassVar[int]
    n_sample_point: int
    radius: float
    def __init__(self, n_sample_point: _Optional[int] = ..., radius: _Optional[float] = ...) -> None: ...

class Pooling3DParameter(_message.Message):
    __slots__ = ["ceil_mode", "global_pooling", "kernel_d", "kernel_depth", "kernel_h", "kernel_size", "kernel_w", "pad", "pad_d0", "pad_d1", "pad_h0", "pad_h1", "pad_w0", "pad_w1", "pool", "stride", "stride_d", "stride_h", "stride_w", "temporal_stride"]
    class PoolMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AVE: Pooling3DParameter.PoolMethod
    AVE_EXC_PAD: Pooling3DParameter.PoolMethod
    CEIL_MODE_FIELD_NUMBER: _ClassVar[int]
    GLOBAL_POOLING_FIELD_NUMBER: _ClassVar[int]
    KERNEL_DEPTH_FIELD_NUMBER: _ClassVar[int]
    KERNEL_D_FIELD_NUMBER: _ClassVar[int]
    KERNEL_H_FIELD_NUMBER: _ClassVar[int]
    KERNEL_SIZE_FIELD_NUMBER: _ClassVar[int]
    KERNEL_W_FIELD_NUMBER: _ClassVar[int]
    MAX: Pooling3DParameter.PoolMethod
    PAD_D0_FIELD_NUMBER: _ClassVar[int]
    PAD_D1_FIELD_NUMBER: _ClassVar[int]
    PAD_FIELD_NUMBER: _ClassVar[int]
    PAD_H0_FIELD_NUMBER: _ClassVar[int]
    PAD_H1_FIELD_NUMBER: _ClassVar[int]
    PAD_W0_FIELD_NUMBER: _ClassVar[int]
    PAD_W1_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    STRIDE_D_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    STRIDE_H_FIELD_NUMBER: _ClassVar[int]
    STRIDE_W_FIELD_NUMBER: _ClassVar[int]
    TEMPORAL_STRIDE_FIELD_NUMBER: _ClassVar[int]
    ceil_mode: bool
    global_pooling: bool
    kernel_d: int
    kernel_depth: int
    kernel_h: int
    kernel_size: int
    kernel_w: int
    pad: int
    pad_d0: int
    pad_d1: int
    pad_h0: int
    pad_h1: int
    pad_w0: int
    pad_w1: int
    pool: Pooling3DParameter.PoolMethod
    stride: int
    stride_d: int
    stride_h: int
    stride_w: int
    temporal_stride: int
    def __init__(self, pool: _Optional[_Union[Pooling3DParameter.PoolMethod, str]] = ..., pad: _Optional[int] = ..., kernel_size: _Optional[int] = ..., stride: _Optional[int] = ..., pad_h0: _Optional[int] = ..., pad_h1: _Optional[int] = ..., pad_w0: _Optional[int] = ..., pad_w1: _Optional[int] = ..., pad_d0: _Optional[int] = ..., pad_d1: _Optional[int] = ..., kernel_h: _Optional[int] = ..., kernel_w: _Optional[int] = ..., kernel_d: _Optional[int] = ..., stride_h: _Optional[int] = ..., stride_w: _Optional[int] = ..., stride_d: _Optional[int] = ..., global_pooling: bool = ..., ceil_mode: bool = ..., kernel_depth: _Optional[int] = ..., temporal_stride: _Optional[int] = ...) -> None: ...

class PoolingParameter(_message.Message):
    __slots__ = ["avg_include_pad", "axis", "ceil_mode", "engine", "global_pooling", "input_scale", "input_zero_point", "kernel_depth", "kernel_h", "kernel_size", "kernel_size_3d", "kernel_w", "output_scale", "output_shift_instead_division", "output_zero_point", "pad", "pad_3d", "pad_b", "pad_h", "pad_l", "pad_r", "pad_t", "pad_type", "pad_w", "pool", "quantize_method", "round_mode", "saturate", "stride", "stride_3d", "stride_h", "stride_w", "temporal_stride", "torch_pooling"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class PoolMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class QuantizeMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class RoundMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AVE: PoolingParameter.PoolMethod
    AVE_EXC_PAD: PoolingParameter.PoolMethod
    AVE_TF: PoolingParameter.PoolMethod
    AVG_INCLUDE_PAD_FIELD_NUMBER: _ClassVar[int]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    CAFFE: PoolingParameter.Engine
    CEIL: PoolingParameter.RoundMode
    CEIL_MODE_FIELD_NUMBER: _ClassVar[int]
    CUDNN: PoolingParameter.Engine
    Caffe2: PoolingParameter.QuantizeMethod
    DEFAULT: PoolingParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    FLOOR: PoolingParameter.RoundMode
    GLOBAL_POOLING_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    KERNEL_DEPTH_FIELD_NUMBER: _ClassVar[int]
    KERNEL_H_FIELD_NUMBER: _ClassVar[int]
    KERNEL_SIZE_3D_FIELD_NUMBER: _ClassVar[int]
    KERNEL_SIZE_FIELD_NUMBER: _ClassVar[int]
    KERNEL_W_FIELD_NUMBER: _ClassVar[int]
    LIBDNN: PoolingParameter.Engine
    MAX: PoolingParameter.PoolMethod
    MKL2017: PoolingParameter.Engine
    MKLDNN: PoolingParameter.Engine
    ONNX: PoolingParameter.QuantizeMethod
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SHIFT_INSTEAD_DIVISION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    PAD_3D_FIELD_NUMBER: _ClassVar[int]
    PAD_B_FIELD_NUMBER: _ClassVar[int]
    PAD_FIELD_NUMBER: _ClassVar[int]
    PAD_H_FIELD_NUMBER: _ClassVar[int]
    PAD_L_FIELD_NUMBER: _ClassVar[int]
    PAD_R_FIELD_NUMBER: _ClassVar[int]
    PAD_TYPE_FIELD_NUMBER: _ClassVar[int]
    PAD_T_FIELD_NUMBER: _ClassVar[int]
    PAD_W_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    QUANTIZE_METHOD_FIELD_NUMBER: _ClassVar[int]
    ROUND_MODE_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    STOCHASTIC: PoolingParameter.PoolMethod
    STRIDE_3D_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    STRIDE_H_FIELD_NUMBER: _ClassVar[int]
    STRIDE_W_FIELD_NUMBER: _ClassVar[int]
    Signed: PoolingParameter.SaturateMethod
    Signed_8bit: PoolingParameter.SaturateMethod
    TEMPORAL_STRIDE_FIELD_NUMBER: _ClassVar[int]
    TORCH_POOLING_FIELD_NUMBER: _ClassVar[int]
    Unsigned: PoolingParameter.SaturateMethod
    Unsigned_8bit: PoolingParameter.SaturateMethod
    avg_include_pad: bool
    axis: int
    ceil_mode: bool
    engine: PoolingParameter.Engine
    global_pooling: bool
    input_scale: float
    input_zero_point: int
    kernel_depth: int
    kernel_h: int
    kernel_size: int
    kernel_size_3d: _containers.RepeatedScalarFieldContainer[int]
    kernel_w: int
    output_scale: float
    output_shift_instead_division: int
    output_zero_point: int
    pad: int
    pad_3d: _containers.RepeatedScalarFieldContainer[int]
    pad_b: int
    pad_h: int
    pad_l: int
    pad_r: int
    pad_t: int
    pad_type: int
    pad_w: int
    pool: PoolingParameter.PoolMethod
    quantize_method: PoolingParameter.QuantizeMethod
    round_mode: PoolingParameter.RoundMode
    saturate: PoolingParameter.SaturateMethod
    stride: int
    stride_3d: _containers.RepeatedScalarFieldContainer[int]
    stride_h: int
    stride_w: int
    temporal_stride: int
    tflite: PoolingParameter.QuantizeMethod
    torch_pooling: bool
    def __init__(self, pool: _Optional[_Union[PoolingParameter.PoolMethod, str]] = ..., kernel_size: _Optional[int] = ..., stride: _Optional[int] = ..., pad: _Optional[int] = ..., kernel_h: _Optional[int] = ..., kernel_w: _Optional[int] = ..., stride_h: _Optional[int] = ..., stride_w: _Optional[int] = ..., pad_h: _Optional[int] = ..., pad_w: _Optional[int] = ..., engine: _Optional[_Union[PoolingParameter.Engine, str]] = ..., global_pooling: bool = ..., round_mode: _Optional[_Union[PoolingParameter.RoundMode, str]] = ..., axis: _Optional[int] = ..., pad_3d: _Optional[_Iterable[int]] = ..., kernel_size_3d: _Optional[_Iterable[int]] = ..., stride_3d: _Optional[_Iterable[int]] = ..., pad_t: _Optional[int] = ..., pad_b: _Optional[int] = ..., output_shift_instead_division: _Optional[int] = ..., saturate: _Optional[_Union[PoolingParameter.SaturateMethod, str]] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ..., input_zero_point: _Optional[int] = ..., output_zero_point: _Optional[int] = ..., quantize_method: _Optional[_Union[PoolingParameter.QuantizeMethod, str]] = ..., torch_pooling: bool = ..., avg_include_pad: bool = ..., pad_type: _Optional[int] = ..., pad_l: _Optional[int] = ..., pad_r: _Optional[int] = ..., ceil_mode: bool = ..., kernel_depth: _Optional[int] = ..., temporal_stride: _Optional[int] = ...) -> None: ...

class PowerParameter(_message.Message):
    __slots__ = ["power", "quantize_method", "saturate", "scale", "shift"]
    class QuantizeMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    Caffe2: PowerParameter.QuantizeMethod
    ONNX: PowerParameter.QuantizeMethod
    POWER_FIELD_NUMBER: _ClassVar[int]
    QUANTIZE_METHOD_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    Signed: PowerParameter.SaturateMethod
    Signed_8bit: PowerParameter.SaturateMethod
    Unsigned: PowerParameter.SaturateMethod
    Unsigned_8bit: PowerParameter.SaturateMethod
    power: float
    quantize_method: PowerParameter.QuantizeMethod
    saturate: PowerParameter.SaturateMethod
    scale: float
    shift: float
    tflite: PowerParameter.QuantizeMethod
    def __init__(self, power: _Optional[float] = ..., scale: _Optional[float] = ..., shift: _Optional[float] = ..., saturate: _Optional[_Union[PowerParameter.SaturateMethod, str]] = ..., quantize_method: _Optional[_Union[PowerParameter.QuantizeMethod, str]] = ...) -> None: ...

class PriorBoxParameter(_message.Message):
    __slots__ = ["aspect_ratio", "box_height", "box_width", "clip", "faceboxes", "flip", "img_h", "img_size", "img_w", "keras", "max_size", "min_size", "offset", "step", "step_h", "step_w", "tf", "variance", "yx_order"]
    class CodeType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ASPECT_RATIO_FIELD_NUMBER: _ClassVar[int]
    BOX_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    BOX_WIDTH_FIELD_NUMBER: _ClassVar[int]
    CENTER_SIZE: PriorBoxParameter.CodeType
    CLIP_FIELD_NUMBER: _ClassVar[int]
    CORNER: PriorBoxParameter.CodeType
    CORNER_SIZE: PriorBoxParameter.CodeType
    FACEBOXES_FIELD_NUMBER: _ClassVar[int]
    FLIP_FIELD_NUMBER: _ClassVar[int]
    IMG_H_FIELD_NUMBER: _ClassVar[int]
    IMG_SIZE_FIELD_NUMBER: _ClassVar[int]
    IMG_W_FIELD_NUMBER: _ClassVar[int]
    KERAS_FIELD_NUMBER: _ClassVar[int]
    MAX_SIZE_FIELD_NUMBER: _ClassVar[int]
    MIN_SIZE_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    STEP_H_FIELD_NUMBER: _ClassVar[int]
    STEP_W_FIELD_NUMBER: _ClassVar[int]
    TF_FIELD_NUMBER: _ClassVar[int]
    VARIANCE_FIELD_NUMBER: _ClassVar[int]
    YX_ORDER_FIELD_NUMBER: _ClassVar[int]
    aspect_ratio: _containers.RepeatedScalarFieldContainer[float]
    box_height: _containers.RepeatedScalarFieldContainer[float]
    box_width: _containers.RepeatedScalarFieldContainer[float]
    clip: bool
    faceboxes: bool
    flip: bool
    img_h: int
    img_size: int
    img_w: int
    keras: bool
    max_size: _containers.RepeatedScalarFieldContainer[float]
    min_size: _containers.RepeatedScalarFieldContainer[float]
    offset: float
    step: float
    step_h: float
    step_w: float
    tf: bool
    variance: _containers.RepeatedScalarFieldContainer[float]
    yx_order: bool
    def __init__(self, min_size: _Optional[_Iterable[float]] = ..., max_size: _Optional[_Iterable[float]] = ..., aspect_ratio: _Optional[_Iterable[float]] = ..., flip: bool = ..., clip: bool = ..., variance: _Optional[_Iterable[float]] = ..., img_size: _Optional[int] = ..., img_h: _Optional[int] = ..., img_w: _Optional[int] = ..., step: _Optional[float] = ..., step_h: _Optional[float] = ..., step_w: _Optional[float] = ..., offset: _Optional[float] = ..., faceboxes: bool = ..., box_width: _Optional[_Iterable[float]] = ..., box_height: _Optional[_Iterable[float]] = ..., tf: bool = ..., yx_order: bool = ..., keras: bool = ...) -> None: ...

class ProposalParameter(_message.Message):
    __slots__ = ["anchor_base_size", "anchor_ratio", "anchor_scale", "base_size", "feat_stride", "max_rois", "min_size", "nms_thresh", "post_nms_topn", "pre_nms_topn", "ratio", "rpn_min_size", "rpn_nms_thresh", "scale"]
    ANCHOR_BASE_SIZE_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_RATIO_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_SCALE_FIELD_NUMBER: _ClassVar[int]
    BASE_SIZE_FIELD_NUMBER: _ClassVar[int]
    FEAT_STRIDE_FIELD_NUMBER: _ClassVar[int]
    MAX_ROIS_FIELD_NUMBER: _ClassVar[int]
    MIN_SIZE_FIELD_NUMBER: _ClassVar[int]
    NMS_THRESH_FIELD_NUMBER: _ClassVar[int]
    POST_NMS_TOPN_FIELD_NUMBER: _ClassVar[int]
    PRE_NMS_TOPN_FIELD_NUMBER: _ClassVar[int]
    RATIO_FIELD_NUMBER: _ClassVar[int]
    RPN_MIN_SIZE_FIELD_NUMBER: _ClassVar[int]
    RPN_NMS_THRESH_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    anchor_base_size: int
    anchor_ratio: int
    anchor_scale: int
    base_size: int
    feat_stride: int
    max_rois: int
    min_size: int
    nms_thresh: float
    post_nms_topn: int
    pre_nms_topn: int
    ratio: _containers.RepeatedScalarFieldContainer[float]
    rpn_min_size: float
    rpn_nms_thresh: float
    scale: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, feat_stride: _Optional[int] = ..., anchor_base_size: _Optional[int] = ..., anchor_scale: _Optional[int] = ..., anchor_ratio: _Optional[int] = ..., max_rois: _Optional[int] = ..., pre_nms_topn: _Optional[int] = ..., rpn_min_size: _Optional[float] = ..., rpn_nms_thresh: _Optional[float] = ..., base_size: _Optional[int] = ..., min_size: _Optional[int] = ..., ratio: _Optional[_Iterable[float]] = ..., scale: _Optional[_Iterable[float]] = ..., post_nms_topn: _Optional[int] = ..., nms_thresh: _Optional[float] = ...) -> None: ...

class PyramidROIAlignParameter(_message.Message):
    __slots__ = ["crop_height", "crop_width", "data_format", "extrapolation_value"]
    CROP_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    CROP_WIDTH_FIELD_NUMBER: _ClassVar[int]
    DATA_FORMAT_FIELD_NUMBER: _ClassVar[int]
    EXTRAPOLATION_VALUE_FIELD_NUMBER: _ClassVar[int]
    crop_height: int
    crop_width: int
    data_format: str
    extrapolation_value: float
    def __init__(self, crop_height: _Optional[int] = ..., crop_width: _Optional[int] = ..., extrapolation_value: _Optional[float] = ..., data_format: _Optional[str] = ...) -> None: ...

class PythonParameter(_message.Message):
    __slots__ = ["layer", "module", "param_str", "share_in_parallel"]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    MODULE_FIELD_NUMBER: _ClassVar[int]
    PARAM_STR_FIELD_NUMBER: _ClassVar[int]
    SHARE_IN_PARALLEL_FIELD_NUMBER: _ClassVar[int]
    layer: str
    module: str
    param_str: str
    share_in_parallel: bool
    def __init__(self, module: _Optional[str] = ..., layer: _Optional[str] = ..., param_str: _Optional[str] = ..., share_in_parallel: bool = ...) -> None: ...

class QuantizationParameter(_message.Message):
    __slots__ = ["bw_layer_in", "bw_layer_out", "bw_params", "fl_layer_in", "fl_layer_out", "fl_params", "force_u8_input", "is_negative_input", "precision", "rounding_scheme", "scale_in", "scale_out", "scale_params"]
    class Precision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class Rounding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BW_LAYER_IN_FIELD_NUMBER: _ClassVar[int]
    BW_LAYER_OUT_FIELD_NUMBER: _ClassVar[int]
    BW_PARAMS_FIELD_NUMBER: _ClassVar[int]
    DYNAMIC_FIXED_POINT: QuantizationParameter.Precision
    FL_LAYER_IN_FIELD_NUMBER: _ClassVar[int]
    FL_LAYER_OUT_FIELD_NUMBER: _ClassVar[int]
    FL_PARAMS_FIELD_NUMBER: _ClassVar[int]
    FORCE_U8_INPUT_FIELD_NUMBER: _ClassVar[int]
    IS_NEGATIVE_INPUT_FIELD_NUMBER: _ClassVar[int]
    NEAREST: QuantizationParameter.Rounding
    PRECISION_FIELD_NUMBER: _ClassVar[int]
    ROUNDING_SCHEME_FIELD_NUMBER: _ClassVar[int]
    SCALE_IN_FIELD_NUMBER: _ClassVar[int]
    SCALE_OUT_FIELD_NUMBER: _ClassVar[int]
    SCALE_PARAMS_FIELD_NUMBER: _ClassVar[int]
    bw_layer_in: int
    bw_layer_out: int
    bw_params: int
    fl_layer_in: _containers.RepeatedScalarFieldContainer[int]
    fl_layer_out: _containers.RepeatedScalarFieldContainer[int]
    fl_params: _containers.RepeatedScalarFieldContainer[int]
    force_u8_input: bool
    is_negative_input: bool
    precision: QuantizationParameter.Precision
    rounding_scheme: QuantizationParameter.Rounding
    scale_in: _containers.RepeatedScalarFieldContainer[float]
    scale_out: _containers.RepeatedScalarFieldContainer[float]
    scale_params: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, precision: _Optional[_Union[QuantizationParameter.Precision, str]] = ..., rounding_scheme: _Optional[_Union[QuantizationParameter.Rounding, str]] = ..., bw_layer_in: _Optional[int] = ..., bw_layer_out: _Optional[int] = ..., bw_params: _Optional[int] = ..., fl_layer_in: _Optional[_Iterable[int]] = ..., fl_layer_out: _Optional[_Iterable[int]] = ..., fl_params: _Optional[_Iterable[int]] = ..., scale_in: _Optional[_Iterable[float]] = ..., scale_out: _Optional[_Iterable[float]] = ..., scale_params: _Optional[_Iterable[float]] = ..., is_negative_input: bool = ..., force_u8_input: bool = ...) -> None: ...

class RNNv2Parameter(_message.Message):
    __slots__ = ["activation_alpha", "activation_beta", "activations", "continue_recur", "default_initial", "direction", "hidden_size", "linear_before_reset", "merge_mode", "num_layers", "op"]
    ACTIVATIONS_FIELD_NUMBER: _ClassVar[int]
    ACTIVATION_ALPHA_FIELD_NUMBER: _ClassVar[int]
    ACTIVATION_BETA_FIELD_NUMBER: _ClassVar[int]
    CONTINUE_RECUR_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_INITIAL_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_SIZE_FIELD_NUMBER: _ClassVar[int]
    LINEAR_BEFORE_RESET_FIELD_NUMBER: _ClassVar[int]
    MERGE_MODE_FIELD_NUMBER: _ClassVar[int]
    NUM_LAYERS_FIELD_NUMBER: _ClassVar[int]
    OP_FIELD_NUMBER: _ClassVar[int]
    activation_alpha: _containers.RepeatedScalarFieldContainer[float]
    activation_beta: _containers.RepeatedScalarFieldContainer[float]
    activations: _containers.RepeatedScalarFieldContainer[str]
    continue_recur: bool
    default_initial: bool
    direction: str
    hidden_size: int
    linear_before_reset: int
    merge_mode: str
    num_layers: int
    op: str
    def __init__(self, num_layers: _Optional[int] = ..., hidden_size: _Optional[int] = ..., op: _Optional[str] = ..., direction: _Optional[str] = ..., activations: _Optional[_Iterable[str]] = ..., activation_alpha: _Optional[_Iterable[float]] = ..., activation_beta: _Optional[_Iterable[float]] = ..., merge_mode: _Optional[str] = ..., linear_before_reset: _Optional[int] = ..., default_initial: bool = ..., continue_recur: bool = ...) -> None: ...

class ROIAlignParameter(_message.Message):
    __slots__ = ["aligned", "pooled_h", "pooled_w", "sampling_ratio", "spatial_scale"]
    ALIGNED_FIELD_NUMBER: _ClassVar[int]
    POOLED_H_FIELD_NUMBER: _ClassVar[int]
    POOLED_W_FIELD_NUMBER: _ClassVar[int]
    SAMPLING_RATIO_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_SCALE_FIELD_NUMBER: _ClassVar[int]
    aligned: bool
    pooled_h: int
    pooled_w: int
    sampling_ratio: int
    spatial_scale: float
    def __init__(self, pooled_h: _Optional[int] = ..., pooled_w: _Optional[int] = ..., spatial_scale: _Optional[float] = ..., sampling_ratio: _Optional[int] = ..., aligned: bool = ...) -> None: ...

class ROIPoolingParameter(_message.Message):
    __slots__ = ["pooled_h", "pooled_size", "pooled_w", "spatial_scale"]
    POOLED_H_FIELD_NUMBER: _ClassVar[int]
    POOLED_SIZE_FIELD_NUMBER: _ClassVar[int]
    POOLED_W_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_SCALE_FIELD_NUMBER: _ClassVar[int]
    pooled_h: int
    pooled_size: _containers.RepeatedScalarFieldContainer[int]
    pooled_w: int
    spatial_scale: float
    def __init__(self, pooled_h: _Optional[int] = ..., pooled_w: _Optional[int] = ..., spatial_scale: _Optional[float] = ..., pooled_size: _Optional[_Iterable[int]] = ...) -> None: ...

class RandomAspectRatioParameter(_message.Message):
    __slots__ = ["aspect_ratio_change", "max_area_ratio", "max_attempt", "min_area_ratio", "resize_param"]
    ASPECT_RATIO_CHANGE_FIELD_NUMBER: _ClassVar[int]
    MAX_AREA_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    MIN_AREA_RATIO_FIELD_NUMBER: _ClassVar[int]
    RESIZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    aspect_ratio_change: float
    max_area_ratio: float
    max_attempt: int
    min_area_ratio: float
    resize_param: ResizeParameter
    def __init__(self, min_area_ratio: _Optional[float] = ..., max_area_ratio: _Optional[float] = ..., aspect_ratio_change: _Optional[float] = ..., max_attempt: _Optional[int] = ..., resize_param: _Optional[_Union[ResizeParameter, _Mapping[str, object]]] = ...) -> None: ...

class RandomGeneratorParameter(_message.Message):
    __slots__ = ["apply_schedule", "discretize", "exp", "mean", "multiplier", "prob", "rand_type", "spread"]
    APPLY_SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    DISCRETIZE_FIELD_NUMBER: _ClassVar[int]
    EXP_FIELD_NUMBER: _ClassVar[int]
    MEAN_FIELD_NUMBER: _ClassVar[int]
    MULTIPLIER_FIELD_NUMBER: _ClassVar[int]
    PROB_FIELD_NUMBER: _ClassVar[int]
    RAND_TYPE_FIELD_NUMBER: _ClassVar[int]
    SPREAD_FIELD_NUMBER: _ClassVar[int]
    apply_schedule: bool
    discretize: bool
    exp: bool
    mean: float
    multiplier: float
    prob: float
    rand_type: str
    spread: float
    def __init__(self, rand_type: _Optional[str] = ..., exp: bool = ..., mean: _Optional[float] = ..., spread: _Optional[float] = ..., prob: _Optional[float] = ..., apply_schedule: bool = ..., discretize: bool = ..., multiplier: _Optional[float] = ...) -> None: ...

class RandomResizeParameter(_message.Message):
    __slots__ = ["max_size", "min_size", "resize_param"]
    MAX_SIZE_FIELD_NUMBER: _ClassVar[int]
    MIN_SIZE_FIELD_NUMBER: _ClassVar[int]
    RESIZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    max_size: int
    min_size: int
    resize_param: ResizeParameter
    def __init__(self, min_size: _Optional[int] = ..., max_size: _Optional[int] = ..., resize_param: _Optional[_Union[ResizeParameter, _Mapping[str, object]]] = ...) -> None: ...

class RangeParameter(_message.Message):
    __slots__ = ["delta", "limit", "start"]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    delta: float
    limit: float
    start: float
    def __init__(self, start: _Optional[float] = ..., limit: _Optional[float] = ..., delta: _Optional[float] = ...) -> None: ...

class ReLU6Parameter(_message.Message):
    __slots__ = ["engine", "negative_slope"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CAFFE: ReLU6Parameter.Engine
    CUDNN: ReLU6Parameter.Engine
    DEFAULT: ReLU6Parameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    NEGATIVE_SLOPE_FIELD_NUMBER: _ClassVar[int]
    engine: ReLU6Parameter.Engine
    negative_slope: float
    def __init__(self, negative_slope: _Optional[float] = ..., engine: _Optional[_Union[ReLU6Parameter.Engine, str]] = ...) -> None: ...

class ReLUParameter(_message.Message):
    __slots__ = ["engine", "fuse", "input_scale", "input_zero_point", "maximum", "minimum", "negative_slope", "output_scale", "output_zero_point", "relu6", "saturate"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CAFFE: ReLUParameter.Engine
    CUDNN: ReLUParameter.Engine
    DEFAULT: ReLUParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    FUSE_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MKL2017: ReLUParameter.Engine
    MKLDNN: ReLUParameter.Engine
    NEGATIVE_SLOPE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    RELU6_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    Signed: ReLUParameter.SaturateMethod
    Signed_8bit: ReLUParameter.SaturateMethod
    Unsigned: ReLUParameter.SaturateMethod
    Unsigned_8bit: ReLUParameter.SaturateMethod
    engine: ReLUParameter.Engine
    fuse: bool
    input_scale: float
    input_zero_point: int
    maximum: float
    minimum: float
    negative_slope: float
    output_scale: float
    output_zero_point: int
    relu6: bool
    saturate: ReLUParameter.SaturateMethod
    def __init__(self, negative_slope: _Optional[float] = ..., engine: _Optional[_Union[ReLUParameter.Engine, str]] = ..., fuse: bool = ..., saturate: _Optional[_Union[ReLUParameter.SaturateMethod, str]] = ..., maximum: _Optional[float] = ..., minimum: _Optional[float] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ..., input_zero_point: _Optional[int] = ..., output_zero_point: _Optional[int] = ..., relu6: bool = ...) -> None: ...

class ReaderParameter(_message.Message):
    __slots__ = ["file", "num"]
    FILE_FIELD_NUMBER: _ClassVar[int]
    NUM_FIELD_NUMBER: _ClassVar[int]
    file: str
    num: int
    def __init__(self, file: _Optional[str] = ..., num: _Optional[int] = ...) -> None: ...

class RecurrentParameter(_message.Message):
    __slots__ = ["activation_alpha", "activation_beta", "activations", "bias_filler", "continue_recur", "debug_info", "default_initial", "direction", "expose_hidden", "linear_before_reset", "num_output", "tf_rnn", "weight_filler"]
    ACTIVATIONS_FIELD_NUMBER: _ClassVar[int]
    ACTIVATION_ALPHA_FIELD_NUMBER: _ClassVar[int]
    ACTIVATION_BETA_FIELD_NUMBER: _ClassVar[int]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    CONTINUE_RECUR_FIELD_NUMBER: _ClassVar[int]
    DEBUG_INFO_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_INITIAL_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    EXPOSE_HIDDEN_FIELD_NUMBER: _ClassVar[int]
    LINEAR_BEFORE_RESET_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    TF_RNN_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FILLER_FIELD_NUMBER: _ClassVar[int]
    activation_alpha: _containers.RepeatedScalarFieldContainer[float]
    activation_beta: _containers.RepeatedScalarFieldContainer[float]
    activations: _containers.RepeatedScalarFieldContainer[str]
    bias_filler: FillerParameter
    continue_recur: bool
    debug_info: bool
    default_initial: bool
    direction: str
    expose_hidden: bool
    linear_before_reset: int
    num_output: int
    tf_rnn: bool
    weight_filler: FillerParameter
    def __init__(self, num_output: _Optional[int] = ..., weight_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., debug_info: bool = ..., expose_hidden: bool = ..., tf_rnn: bool = ..., linear_before_reset: _Optional[int] = ..., direction: _Optional[str] = ..., activation_alpha: _Optional[_Iterable[float]] = ..., activation_beta: _Optional[_Iterable[float]] = ..., activations: _Optional[_Iterable[str]] = ..., default_initial: bool = ..., continue_recur: bool = ...) -> None: ...

class ReduceAllParameter(_message.Message):
    __slots__ = ["axis", "keepdims"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    keepdims: bool
    def __init__(self, axis: _Optional[_Iterable[int]] = ..., keepdims: bool = ...) -> None: ...

class ReduceAnyParameter(_message.Message):
    __slots__ = ["axis", "keepdims"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    keepdims: bool
    def __init__(self, axis: _Optional[_Iterable[int]] = ..., keepdims: bool = ...) -> None: ...

class ReduceL1Parameter(_message.Message):
    __slots__ = ["axes", "keepdims"]
    AXES_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axes: _containers.RepeatedScalarFieldContainer[int]
    keepdims: int
    def __init__(self, axes: _Optional[_Iterable[int]] = ..., keepdims: _Optional[int] = ...) -> None: ...

class ReduceL2Parameter(_message.Message):
    __slots__ = ["axes", "keepdims"]
    AXES_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axes: _containers.RepeatedScalarFieldContainer[int]
    keepdims: int
    def __init__(self, axes: _Optional[_Iterable[int]] = ..., keepdims: _Optional[int] = ...) -> None: ...

class ReduceLogSumExpParameter(_message.Message):
    __slots__ = ["axis", "keepdims"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    keepdims: bool
    def __init__(self, axis: _Optional[_Iterable[int]] = ..., keepdims: bool = ...) -> None: ...

class ReduceMaxParameter(_message.Message):
    __slots__ = ["axis", "keepdims"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    keepdims: bool
    def __init__(self, axis: _Optional[_Iterable[int]] = ..., keepdims: bool = ...) -> None: ...

class ReduceMeanParameter(_message.Message):
    __slots__ = ["axis", "keepdims"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    keepdims: bool
    def __init__(self, axis: _Optional[_Iterable[int]] = ..., keepdims: bool = ...) -> None: ...

class ReduceMinParameter(_message.Message):
    __slots__ = ["axis", "keepdims"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    keepdims: bool
    def __init__(self, axis: _Optional[_Iterable[int]] = ..., keepdims: bool = ...) -> None: ...

class ReduceProdParameter(_message.Message):
    __slots__ = ["axis", "keepdims"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    keepdims: bool
    def __init__(self, axis: _Optional[_Iterable[int]] = ..., keepdims: bool = ...) -> None: ...

class ReduceSumParameter(_message.Message):
    __slots__ = ["axis", "keepdims"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    KEEPDIMS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    keepdims: bool
    def __init__(self, axis: _Optional[_Iterable[int]] = ..., keepdims: bool = ...) -> None: ...

class ReductionParameter(_message.Message):
    __slots__ = ["axis", "coeff", "operation"]
    class ReductionOp(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ASUM: ReductionParameter.ReductionOp
    AXIS_FIELD_NUMBER: _ClassVar[int]
    COEFF_FIELD_NUMBER: _ClassVar[int]
    MEAN: ReductionParameter.ReductionOp
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    SUM: ReductionParameter.ReductionOp
    SUMSQ: ReductionParameter.ReductionOp
    axis: int
    coeff: float
    operation: ReductionParameter.ReductionOp
    def __init__(self, operation: _Optional[_Union[ReductionParameter.ReductionOp, str]] = ..., axis: _Optional[int] = ..., coeff: _Optional[float] = ...) -> None: ...

class RegionLossParameter(_message.Message):
    __slots__ = ["absolute", "anchor_images", "bias_match", "biases", "class_map", "class_scale", "coord_scale", "coords", "jitter", "noobject_scale", "num", "num_class", "object_scale", "random", "rescore", "side", "softmax", "softmax_tree", "thresh"]
    ABSOLUTE_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_IMAGES_FIELD_NUMBER: _ClassVar[int]
    BIASES_FIELD_NUMBER: _ClassVar[int]
    BIAS_MATCH_FIELD_NUMBER: _ClassVar[int]
    CLASS_MAP_FIELD_NUMBER: _ClassVar[int]
    CLASS_SCALE_FIELD_NUMBER: _ClassVar[int]
    COORDS_FIELD_NUMBER: _ClassVar[int]
    COORD_SCALE_FIELD_NUMBER: _ClassVar[int]
    JITTER_FIELD_NUMBER: _ClassVar[int]
    NOOBJECT_SCALE_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASS_FIELD_NUMBER: _ClassVar[int]
    NUM_FIELD_NUMBER: _ClassVar[int]
    OBJECT_SCALE_FIELD_NUMBER: _ClassVar[int]
    RANDOM_FIELD_NUMBER: _ClassVar[int]
    RESCORE_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    SOFTMAX_FIELD_NUMBER: _ClassVar[int]
    SOFTMAX_TREE_FIELD_NUMBER: _ClassVar[int]
    THRESH_FIELD_NUMBER: _ClassVar[int]
    absolute: int
    anchor_images: int
    bias_match: int
    biases: _containers.RepeatedScalarFieldContainer[float]
    class_map: str
    class_scale: float
    coord_scale: float
    coords: int
    jitter: float
    noobject_scale: float
    num: int
    num_class: int
    object_scale: float
    random: int
    rescore: int
    side: int
    softmax: int
    softmax_tree: str
    thresh: float
    def __init__(self, side: _Optional[int] = ..., num_class: _Optional[int] = ..., bias_match: _Optional[int] = ..., coords: _Optional[int] = ..., num: _Optional[int] = ..., softmax: _Optional[int] = ..., jitter: _Optional[float] = ..., rescore: _Optional[int] = ..., object_scale: _Optional[float] = ..., class_scale: _Optional[float] = ..., noobject_scale: _Optional[float] = ..., coord_scale: _Optional[float] = ..., absolute: _Optional[int] = ..., thresh: _Optional[float] = ..., random: _Optional[int] = ..., biases: _Optional[_Iterable[float]] = ..., softmax_tree: _Optional[str] = ..., class_map: _Optional[str] = ..., anchor_images: _Optional[int] = ...) -> None: ...

class ReorgParameter(_message.Message):
    __slots__ = ["reverse", "stride"]
    REVERSE_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    reverse: bool
    stride: int
    def __init__(self, stride: _Optional[int] = ..., reverse: bool = ...) -> None: ...

class ResampleParameter(_message.Message):
    __slots__ = ["antialias", "factor", "height", "type", "width"]
    class ResampleType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ANTIALIAS_FIELD_NUMBER: _ClassVar[int]
    AREA: ResampleParameter.ResampleType
    CUBIC: ResampleParameter.ResampleType
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    LINEAR: ResampleParameter.ResampleType
    NEAREST: ResampleParameter.ResampleType
    TYPE_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    antialias: bool
    factor: float
    height: int
    type: ResampleParameter.ResampleType
    width: int
    def __init__(self, width: _Optional[int] = ..., height: _Optional[int] = ..., type: _Optional[_Union[ResampleParameter.ResampleType, str]] = ..., antialias: bool = ..., factor: _Optional[float] = ...) -> None: ...

class ReshapeParameter(_message.Message):
    __slots__ = ["axis", "num_axes", "pixelshuffler", "shape"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    NUM_AXES_FIELD_NUMBER: _ClassVar[int]
    PIXELSHUFFLER_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    axis: int
    num_axes: int
    pixelshuffler: int
    shape: BlobShape
    def __init__(self, shape: _Optional[_Union[BlobShape, _Mapping[str, object]]] = ..., axis: _Optional[int] = ..., num_axes: _Optional[int] = ..., pixelshuffler: _Optional[int] = ...) -> None: ...

class ResizeBilinearParameter(_message.Message):
    __slots__ = ["align_corners", "data_format", "half_pixel_centers", "input_scale", "input_zero_point", "output_depth", "output_height", "output_scale", "output_width", "output_zero_point", "pytorch_half_pixel", "quantize_method", "saturate", "scale_depth", "scale_height", "scale_width"]
    class QuantizeMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ALIGN_CORNERS_FIELD_NUMBER: _ClassVar[int]
    Caffe2: ResizeBilinearParameter.QuantizeMethod
    DATA_FORMAT_FIELD_NUMBER: _ClassVar[int]
    HALF_PIXEL_CENTERS_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    ONNX: ResizeBilinearParameter.QuantizeMethod
    OUTPUT_DEPTH_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_WIDTH_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    PYTORCH_HALF_PIXEL_FIELD_NUMBER: _ClassVar[int]
    QUANTIZE_METHOD_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    SCALE_DEPTH_FIELD_NUMBER: _ClassVar[int]
    SCALE_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    SCALE_WIDTH_FIELD_NUMBER: _ClassVar[int]
    Signed: ResizeBilinearParameter.SaturateMethod
    Signed_8bit: ResizeBilinearParameter.SaturateMethod
    Unsigned: ResizeBilinearParameter.SaturateMethod
    Unsigned_8bit: ResizeBilinearParameter.SaturateMethod
    align_corners: bool
    data_format: str
    half_pixel_centers: bool
    input_scale: float
    input_zero_point: int
    output_depth: int
    output_height: int
    output_scale: float
    output_width: int
    output_zero_point: int
    pytorch_half_pixel: bool
    quantize_method: ResizeBilinearParameter.QuantizeMethod
    saturate: ResizeBilinearParameter.SaturateMethod
    scale_depth: float
    scale_height: float
    scale_width: float
    tflite: ResizeBilinearParameter.QuantizeMethod
    def __init__(self, align_corners: bool = ..., output_height: _Optional[int] = ..., output_width: _Optional[int] = ..., data_format: _Optional[str] = ..., scale_height: _Optional[float] = ..., scale_width: _Optional[float] = ..., half_pixel_centers: bool = ..., pytorch_half_pixel: bool = ..., output_depth: _Optional[int] = ..., scale_depth: _Optional[float] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ..., input_zero_point: _Optional[int] = ..., output_zero_point: _Optional[int] = ..., saturate: _Optional[_Union[ResizeBilinearParameter.SaturateMethod, str]] = ..., quantize_method: _Optional[_Union[ResizeBilinearParameter.QuantizeMethod, str]] = ...) -> None: ...

class ResizeNearestNeighborParameter(_message.Message):
    __slots__ = ["align_corners", "data_format", "half_pixel_centers", "half_pixel_onnx", "output_height", "output_width", "scale_height", "scale_width"]
    ALIGN_CORNERS_FIELD_NUMBER: _ClassVar[int]
    DATA_FORMAT_FIELD_NUMBER: _ClassVar[int]
    HALF_PIXEL_CENTERS_FIELD_NUMBER: _ClassVar[int]
    HALF_PIXEL_ONNX_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_WIDTH_FIELD_NUMBER: _ClassVar[int]
    SCALE_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    SCALE_WIDTH_FIELD_NUMBER: _ClassVar[int]
    align_corners: bool
    data_format: str
    half_pixel_centers: bool
    half_pixel_onnx: bool
    output_height: int
    output_width: int
    scale_height: float
    scale_width: float
    def __init__(self, align_corners: bool = ..., output_height: _Optional[int] = ..., output_width: _Optional[int] = ..., data_format: _Optional[str] = ..., scale_height: _Optional[float] = ..., scale_width: _Optional[float] = ..., half_pixel_centers: bool = ..., half_pixel_onnx: bool = ...) -> None: ...

class ResizeParameter(_message.Message):
    __slots__ = ["height", "height_scale", "interp_mode", "jitter", "pad_mode", "pad_value", "prob", "resize_mode", "width", "width_scale"]
    class Interp_mode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class Pad_mode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class Resize_mode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AREA: ResizeParameter.Interp_mode
    CONSTANT: ResizeParameter.Pad_mode
    CUBIC: ResizeParameter.Interp_mode
    FIT_LARGE_SIZE_AND_PAD: ResizeParameter.Resize_mode
    FIT_SMALL_SIZE: ResizeParameter.Resize_mode
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INTERP_MODE_FIELD_NUMBER: _ClassVar[int]
    JITTER_FIELD_NUMBER: _ClassVar[int]
    LANCZOS4: ResizeParameter.Interp_mode
    LINEAR: ResizeParameter.Interp_mode
    MIRRORED: ResizeParameter.Pad_mode
    NEAREST: ResizeParameter.Interp_mode
    PAD_MODE_FIELD_NUMBER: _ClassVar[int]
    PAD_VALUE_FIELD_NUMBER: _ClassVar[int]
    PROB_FIELD_NUMBER: _ClassVar[int]
    REPEAT_NEAREST: ResizeParameter.Pad_mode
    RESIZE_MODE_FIELD_NUMBER: _ClassVar[int]
    WARP: ResizeParameter.Resize_mode
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    WIDTH_SCALE_FIELD_NUMBER: _ClassVar[int]
    height: int
    height_scale: int
    interp_mode: _containers.RepeatedScalarFieldContainer[ResizeParameter.Interp_mode]
    jitter: float
    pad_mode: ResizeParameter.Pad_mode
    pad_value: _containers.RepeatedScalarFieldContainer[float]
    prob: float
    resize_mode: ResizeParameter.Resize_mode
    width: int
    width_scale: int
    def __init__(self, prob: _Optional[float] = ..., resize_mode: _Optional[_Union[ResizeParameter.Resize_mode, str]] = ..., height: _Optional[int] = ..., width: _Optional[int] = ..., pad_mode: _Optional[_Union[ResizeParameter.Pad_mode, str]] = ..., pad_value: _Optional[_Iterable[float]] = ..., interp_mode: _Optional[_Iterable[_Union[ResizeParameter.Interp_mode, str]]] = ..., height_scale: _Optional[int] = ..., width_scale: _Optional[int] = ..., jitter: _Optional[float] = ...) -> None: ...

class ReverseParameter(_message.Message):
    __slots__ = ["axis"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, axis: _Optional[_Iterable[int]] = ...) -> None: ...

class ReverseSequenceParameter(_message.Message):
    __slots__ = ["batch_axis", "seq_axis"]
    BATCH_AXIS_FIELD_NUMBER: _ClassVar[int]
    SEQ_AXIS_FIELD_NUMBER: _ClassVar[int]
    batch_axis: int
    seq_axis: int
    def __init__(self, seq_axis: _Optional[int] = ..., batch_axis: _Optional[int] = ...) -> None: ...

class SPPParameter(_message.Message):
    __slots__ = ["engine", "pool", "pyramid_height"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class PoolMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AVE: SPPParameter.PoolMethod
    AVE_EXC_PAD: SPPParameter.PoolMethod
    AVE_TF: SPPParameter.PoolMethod
    CAFFE: SPPParameter.Engine
    CUDNN: SPPParameter.Engine
    DEFAULT: SPPParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    MAX: SPPParameter.PoolMethod
    POOL_FIELD_NUMBER: _ClassVar[int]
    PYRAMID_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    STOCHASTIC: SPPParameter.PoolMethod
    engine: SPPParameter.Engine
    pool: SPPParameter.PoolMethod
    pyramid_height: int
    def __init__(self, pyramid_height: _Optional[int] = ..., pool: _Optional[_Union[SPPParameter.PoolMethod, str]] = ..., engine: _Optional[_Union[SPPParameter.Engine, str]] = ...) -> None: ...

class SVProto(_message.Message):
    __slots__ = ["a", "b", "layer_id"]
    A_FIELD_NUMBER: _ClassVar[int]
    B_FIELD_NUMBER: _ClassVar[int]
    LAYER_ID_FIELD_NUMBER: _ClassVar[int]
    a: _containers.RepeatedScalarFieldContainer[float]
    b: _containers.RepeatedScalarFieldContainer[float]
    layer_id: int
    def __init__(self, layer_id: _Optional[int] = ..., a: _Optional[_Iterable[float]] = ..., b: _Optional[_Iterable[float]] = ...) -> None: ...

class SaltPepperParameter(_message.Message):
    __slots__ = ["fraction", "value"]
    FRACTION_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    fraction: float
    value: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, fraction: _Optional[float] = ..., value: _Optional[_Iterable[float]] = ...) -> None: ...

class SampleConstraint(_message.Message):
    __slots__ = ["max_jaccard_overlap", "max_object_coverage", "max_sample_coverage", "min_jaccard_overlap", "min_object_coverage", "min_sample_coverage"]
    MAX_JACCARD_OVERLAP_FIELD_NUMBER: _ClassVar[int]
    MAX_OBJECT_COVERAGE_FIELD_NUMBER: _ClassVar[int]
    MAX_SAMPLE_COVERAGE_FIELD_NUMBER: _ClassVar[int]
    MIN_JACCARD_OVERLAP_FIELD_NUMBER: _ClassVar[int]
    MIN_OBJECT_COVERAGE_FIELD_NUMBER: _ClassVar[int]
    MIN_SAMPLE_COVERAGE_FIELD_NUMBER: _ClassVar[int]
    max_jaccard_overlap: float
    max_object_coverage: float
    max_sample_coverage: float
    min_jaccard_overlap: float
    min_object_coverage: float
    min_sample_coverage: float
    def __init__(self, min_jaccard_overlap: _Optional[float] = ..., max_jaccard_overlap: _Optional[float] = ..., min_sample_coverage: _Optional[float] = ..., max_sample_coverage: _Optional[float] = ..., min_object_coverage: _Optional[float] = ..., max_object_coverage: _Optional[float] = ...) -> None: ...

class Sampler(_message.Message):
    __slots__ = ["max_aspect_ratio", "max_scale", "min_aspect_ratio", "min_scale"]
    MAX_ASPECT_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_SCALE_FIELD_NUMBER: _ClassVar[int]
    MIN_ASPECT_RATIO_FIELD_NUMBER: _ClassVar[int]
    MIN_SCALE_FIELD_NUMBER: _ClassVar[int]
    max_aspect_ratio: float
    max_scale: float
    min_aspect_ratio: float
    min_scale: float
    def __init__(self, min_scale: _Optional[float] = ..., max_scale: _Optional[float] = ..., min_aspect_ratio: _Optional[float] = ..., max_aspect_ratio: _Optional[float] = ...) -> None: ...

class SaveOutputParameter(_message.Message):
    __slots__ = ["label_map_file", "name_size_file", "num_test_image", "output_directory", "output_format", "output_name_prefix", "resize_param"]
    LABEL_MAP_FILE_FIELD_NUMBER: _ClassVar[int]
    NAME_SIZE_FILE_FIELD_NUMBER: _ClassVar[int]
    NUM_TEST_IMAGE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FORMAT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_NAME_PREFIX_FIELD_NUMBER: _ClassVar[int]
    RESIZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    label_map_file: str
    name_size_file: str
    num_test_image: int
    output_directory: str
    output_format: str
    output_name_prefix: str
    resize_param: ResizeParameter
    def __init__(self, output_directory: _Optional[str] = ..., output_name_prefix: _Optional[str] = ..., output_format: _Optional[str] = ..., label_map_file: _Optional[str] = ..., name_size_file: _Optional[str] = ..., num_test_image: _Optional[int] = ..., resize_param: _Optional[_Union[ResizeParameter, _Mapping[str, object]]] = ...) -> None: ...

class ScaleParameter(_message.Message):
    __slots__ = ["axis", "bias_filler", "bias_term", "dis_mode", "filler", "gen_mode", "num_axes"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    BIAS_TERM_FIELD_NUMBER: _ClassVar[int]
    DIS_MODE_FIELD_NUMBER: _ClassVar[int]
    FILLER_FIELD_NUMBER: _ClassVar[int]
    GEN_MODE_FIELD_NUMBER: _ClassVar[int]
    NUM_AXES_FIELD_NUMBER: _ClassVar[int]
    axis: int
    bias_filler: FillerParameter
    bias_term: bool
    dis_mode: bool
    filler: FillerParameter
    gen_mode: bool
    num_axes: int
    def __init__(self, axis: _Optional[int] = ..., num_axes: _Optional[int] = ..., filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_term: bool = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., dis_mode: bool = ..., gen_mode: bool = ...) -> None: ...

class ScaledTanHParameter(_message.Message):
    __slots__ = ["alpha", "beta"]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    BETA_FIELD_NUMBER: _ClassVar[int]
    alpha: float
    beta: float
    def __init__(self, alpha: _Optional[float] = ..., beta: _Optional[float] = ...) -> None: ...

class ScatterNDParameter(_message.Message):
    __slots__ = ["data_shape", "indices_shape", "is_data_param", "is_indices_param", "is_updates_param", "updates_shape"]
    DATA_SHAPE_FIELD_NUMBER: _ClassVar[int]
    INDICES_SHAPE_FIELD_NUMBER: _ClassVar[int]
    IS_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    IS_INDICES_PARAM_FIELD_NUMBER: _ClassVar[int]
    IS_UPDATES_PARAM_FIELD_NUMBER: _ClassVar[int]
    UPDATES_SHAPE_FIELD_NUMBER: _ClassVar[int]
    data_shape: _containers.RepeatedScalarFieldContainer[int]
    indices_shape: _containers.RepeatedScalarFieldContainer[int]
    is_data_param: bool
    is_indices_param: bool
    is_updates_param: bool
    updates_shape: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, is_data_param: bool = ..., is_indices_param: bool = ..., is_updates_param: bool = ..., data_shape: _Optional[_Iterable[int]] = ..., indices_shape: _Optional[_Iterable[int]] = ..., updates_shape: _Optional[_Iterable[int]] = ...) -> None: ...

class SeLUDropoutParameter(_message.Message):
    __slots__ = ["alpha", "dropout_ratio"]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    DROPOUT_RATIO_FIELD_NUMBER: _ClassVar[int]
    alpha: float
    dropout_ratio: float
    def __init__(self, dropout_ratio: _Optional[float] = ..., alpha: _Optional[float] = ...) -> None: ...

class SeLUParameter(_message.Message):
    __slots__ = ["alpha"]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    LAMBDA_FIELD_NUMBER: _ClassVar[int]
    alpha: float
    def __init__(self, alpha: _Optional[float] = ..., **kwargs: float) -> None: ...

class SegAccuracyParameter(_message.Message):
    __slots__ = ["ignore_label", "metric", "reset"]
    class AccuracyMetric(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ClassAccuracy: SegAccuracyParameter.AccuracyMetric
    IGNORE_LABEL_FIELD_NUMBER: _ClassVar[int]
    METRIC_FIELD_NUMBER: _ClassVar[int]
    PixelAccuracy: SegAccuracyParameter.AccuracyMetric
    PixelIOU: SegAccuracyParameter.AccuracyMetric
    RESET_FIELD_NUMBER: _ClassVar[int]
    ignore_label: _containers.RepeatedScalarFieldContainer[int]
    metric: SegAccuracyParameter.AccuracyMetric
    reset: bool
    def __init__(self, metric: _Optional[_Union[SegAccuracyParameter.AccuracyMetric, str]] = ..., ignore_label: _Optional[_Iterable[int]] = ..., reset: bool = ...) -> None: ...

class SegmentationEvaluateParameter(_message.Message):
    __slots__ = ["num_classes", "threshold"]
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    num_classes: int
    threshold: float
    def __init__(self, num_classes: _Optional[int] = ..., threshold: _Optional[float] = ...) -> None: ...

class ShuffleChannelParameter(_message.Message):
    __slots__ = ["group"]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    group: int
    def __init__(self, group: _Optional[int] = ...) -> None: ...

class SigmoidParameter(_message.Message):
    __slots__ = ["engine", "input_scale", "input_zero_point", "output_scale", "output_zero_point", "saturate"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CAFFE: SigmoidParameter.Engine
    CUDNN: SigmoidParameter.Engine
    DEFAULT: SigmoidParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    Signed: SigmoidParameter.SaturateMethod
    Signed_8bit: SigmoidParameter.SaturateMethod
    Unsigned: SigmoidParameter.SaturateMethod
    Unsigned_8bit: SigmoidParameter.SaturateMethod
    engine: SigmoidParameter.Engine
    input_scale: float
    input_zero_point: int
    output_scale: float
    output_zero_point: int
    saturate: SigmoidParameter.SaturateMethod
    def __init__(self, engine: _Optional[_Union[SigmoidParameter.Engine, str]] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ..., input_zero_point: _Optional[int] = ..., output_zero_point: _Optional[int] = ..., saturate: _Optional[_Union[SigmoidParameter.SaturateMethod, str]] = ...) -> None: ...

class SliceParameter(_message.Message):
    __slots__ = ["axis", "slice_dim", "slice_point"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    SLICE_DIM_FIELD_NUMBER: _ClassVar[int]
    SLICE_POINT_FIELD_NUMBER: _ClassVar[int]
    axis: int
    slice_dim: int
    slice_point: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, slice_dim: _Optional[int] = ..., slice_point: _Optional[_Iterable[int]] = ..., axis: _Optional[int] = ...) -> None: ...

class SmoothL1LossParameter(_message.Message):
    __slots__ = ["abssum", "sigma"]
    ABSSUM_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    abssum: bool
    sigma: float
    def __init__(self, sigma: _Optional[float] = ..., abssum: bool = ...) -> None: ...

class SoftmaxParameter(_message.Message):
    __slots__ = ["axis", "engine", "input_scale", "input_zero_point", "output_scale", "output_zero_point", "saturate"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AXIS_FIELD_NUMBER: _ClassVar[int]
    CAFFE: SoftmaxParameter.Engine
    CUDNN: SoftmaxParameter.Engine
    DEFAULT: SoftmaxParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    Signed: SoftmaxParameter.SaturateMethod
    Signed_8bit: SoftmaxParameter.SaturateMethod
    Unsigned: SoftmaxParameter.SaturateMethod
    Unsigned_8bit: SoftmaxParameter.SaturateMethod
    axis: int
    engine: SoftmaxParameter.Engine
    input_scale: float
    input_zero_point: int
    output_scale: float
    output_zero_point: int
    saturate: SoftmaxParameter.SaturateMethod
    def __init__(self, engine: _Optional[_Union[SoftmaxParameter.Engine, str]] = ..., axis: _Optional[int] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ..., input_zero_point: _Optional[int] = ..., output_zero_point: _Optional[int] = ..., saturate: _Optional[_Union[SoftmaxParameter.SaturateMethod, str]] = ...) -> None: ...

class SolverBatchSizePair(_message.Message):
    __slots__ = ["batch_size", "solver_params"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    SOLVER_PARAMS_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    solver_params: SolverParameter
    def __init__(self, solver_params: _Optional[_Union[SolverParameter, _Mapping[str, object]]] = ..., batch_size: _Optional[int] = ...) -> None: ...

class SolverParameter(_message.Message):
    __slots__ = ["ap_version", "average_loss", "base_lr", "clip_gradients", "debug_info", "delta", "device_id", "disabled_update", "display", "engine", "eval_type", "gamma", "gan_solver", "iter_size", "larc", "larc_eta", "larc_policy", "larc_turbo", "layer_blobs_global_idx", "layer_wise_reduce", "local_gw_ratio", "local_lr_auto", "lr_policy", "max_iter", "max_momentum", "max_weight_decay", "min_lr", "momentum", "momentum2", "momentum_policy", "momentum_power", "net", "net_param", "per_parameter_reduce", "plateau_winsize", "power", "rampup_interval", "rampup_lr", "random_seed", "regularization_type", "rms_decay", "show_per_class_result", "snapshot", "snapshot_after_train", "snapshot_diff", "snapshot_format", "snapshot_prefix", "solver_data_type", "solver_mode", "solver_type", "stageiter", "stagelr", "stepsize", "stepvalue", "store_blobs_in_old_format", "test_and_snapshot_last_epochs", "test_compute_loss", "test_initialization", "test_interval", "test_iter", "test_net", "test_net_param", "test_offset", "test_state", "timeout_nsec", "timeout_sec", "train_net", "train_net_param", "train_state", "type", "warmup_iter", "warmup_start_lr", "weight_decay", "weight_decay_policy", "weight_decay_power", "weights"]
    class SnapshotFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SolverMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SolverType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ADADELTA: SolverParameter.SolverType
    ADAGRAD: SolverParameter.SolverType
    ADAM: SolverParameter.SolverType
    AP_VERSION_FIELD_NUMBER: _ClassVar[int]
    AVERAGE_LOSS_FIELD_NUMBER: _ClassVar[int]
    BASE_LR_FIELD_NUMBER: _ClassVar[int]
    BINARYPROTO: SolverParameter.SnapshotFormat
    CLIP_GRADIENTS_FIELD_NUMBER: _ClassVar[int]
    CPU: SolverParameter.SolverMode
    DEBUG_INFO_FIELD_NUMBER: _ClassVar[int]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    DISABLED_UPDATE_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    EVAL_TYPE_FIELD_NUMBER: _ClassVar[int]
    GAMMA_FIELD_NUMBER: _ClassVar[int]
    GAN_SOLVER_FIELD_NUMBER: _ClassVar[int]
    GPU: SolverParameter.SolverMode
    HDF5: SolverParameter.SnapshotFormat
    ITER_SIZE_FIELD_NUMBER: _ClassVar[int]
    LARC_ETA_FIELD_NUMBER: _ClassVar[int]
    LARC_FIELD_NUMBER: _ClassVar[int]
    LARC_POLICY_FIELD_NUMBER: _ClassVar[int]
    LARC_TURBO_FIELD_NUMBER: _ClassVar[int]
    LAYER_BLOBS_GLOBAL_IDX_FIELD_NUMBER: _ClassVar[int]
    LAYER_WISE_REDUCE_FIELD_NUMBER: _ClassVar[int]
    LOCAL_GW_RATIO_FIELD_NUMBER: _ClassVar[int]
    LOCAL_LR_AUTO_FIELD_NUMBER: _ClassVar[int]
    LR_POLICY_FIELD_NUMBER: _ClassVar[int]
    MAX_ITER_FIELD_NUMBER: _ClassVar[int]
    MAX_MOMENTUM_FIELD_NUMBER: _ClassVar[int]
    MAX_WEIGHT_DECAY_FIELD_NUMBER: _ClassVar[int]
    MIN_LR_FIELD_NUMBER: _ClassVar[int]
    MOMENTUM2_FIELD_NUMBER: _ClassVar[int]
    MOMENTUM_FIELD_NUMBER: _ClassVar[int]
    MOMENTUM_POLICY_FIELD_NUMBER: _ClassVar[int]
    MOMENTUM_POWER_FIELD_NUMBER: _ClassVar[int]
    NESTEROV: SolverParameter.SolverType
    NET_FIELD_NUMBER: _ClassVar[int]
    NET_PARAM_FIELD_NUMBER: _ClassVar[int]
    PER_PARAMETER_REDUCE_FIELD_NUMBER: _ClassVar[int]
    PLATEAU_WINSIZE_FIELD_NUMBER: _ClassVar[int]
    POWER_FIELD_NUMBER: _ClassVar[int]
    RAMPUP_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    RAMPUP_LR_FIELD_NUMBER: _ClassVar[int]
    RANDOM_SEED_FIELD_NUMBER: _ClassVar[int]
    REGULARIZATION_TYPE_FIELD_NUMBER: _ClassVar[int]
    RMSPROP: SolverParameter.SolverType
    RMS_DECAY_FIELD_NUMBER: _ClassVar[int]
    SAG: SolverParameter.SolverType
    SGD: SolverParameter.SolverType
    SHOW_PER_CLASS_RESULT_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_AFTER_TRAIN_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_DIFF_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FORMAT_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_PREFIX_FIELD_NUMBER: _ClassVar[int]
    SOLVER_DATA_TYPE_FIELD_NUMBER: _ClassVar[int]
    SOLVER_MODE_FIELD_NUMBER: _ClassVar[int]
    SOLVER_TYPE_FIELD_NUMBER: _ClassVar[int]
    STAGEITER_FIELD_NUMBER: _ClassVar[int]
    STAGELR_FIELD_NUMBER: _ClassVar[int]
    STEPSIZE_FIELD_NUMBER: _ClassVar[int]
    STEPVALUE_FIELD_NUMBER: _ClassVar[int]
    STORE_BLOBS_IN_OLD_FORMAT_FIELD_NUMBER: _ClassVar[int]
    TEST_AND_SNAPSHOT_LAST_EPOCHS_FIELD_NUMBER: _ClassVar[int]
    TEST_COMPUTE_LOSS_FIELD_NUMBER: _ClassVar[int]
    TEST_INITIALIZATION_FIELD_NUMBER: _ClassVar[int]
    TEST_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    TEST_ITER_FIELD_NUMBER: _ClassVar[int]
    TEST_NET_FIELD_NUMBER: _ClassVar[int]
    TEST_NET_PARAM_FIELD_NUMBER: _ClassVar[int]
    TEST_OFFSET_FIELD_NUMBER: _ClassVar[int]
    TEST_STATE_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_NSEC_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SEC_FIELD_NUMBER: _ClassVar[int]
    TRAIN_NET_FIELD_NUMBER: _ClassVar[int]
    TRAIN_NET_PARAM_FIELD_NUMBER: _ClassVar[int]
    TRAIN_STATE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    WARMUP_ITER_FIELD_NUMBER: _ClassVar[int]
    WARMUP_START_LR_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_DECAY_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_DECAY_POLICY_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_DECAY_POWER_FIELD_NUMBER: _ClassVar[int]
    ap_version: str
    average_loss: int
    base_lr: float
    clip_gradients: float
    debug_info: bool
    delta: float
    device_id: int
    disabled_update: bool
    display: int
    engine: str
    eval_type: str
    gamma: float
    gan_solver: bool
    iter_size: int
    larc: bool
    larc_eta: float
    larc_policy: str
    larc_turbo: bool
    layer_blobs_global_idx: _containers.RepeatedCompositeFieldContainer[LayerPSTablePair]
    layer_wise_reduce: bool
    local_gw_ratio: float
    local_lr_auto: bool
    lr_policy: str
    max_iter: int
    max_momentum: float
    max_weight_decay: float
    min_lr: float
    momentum: float
    momentum2: float
    momentum_policy: str
    momentum_power: float
    net: str
    net_param: NetParameter
    per_parameter_reduce: bool
    plateau_winsize: _containers.RepeatedScalarFieldContainer[int]
    power: float
    rampup_interval: int
    rampup_lr: float
    random_seed: int
    regularization_type: str
    rms_decay: float
    show_per_class_result: bool
    snapshot: int
    snapshot_after_train: bool
    snapshot_diff: bool
    snapshot_format: SolverParameter.SnapshotFormat
    snapshot_prefix: str
    solver_data_type: Type
    solver_mode: SolverParameter.SolverMode
    solver_type: SolverParameter.SolverType
    stageiter: _containers.RepeatedScalarFieldContainer[int]
    stagelr: _containers.RepeatedScalarFieldContainer[float]
    stepsize: int
    stepvalue: _containers.RepeatedScalarFieldContainer[int]
    store_blobs_in_old_format: bool
    test_and_snapshot_last_epochs: int
    test_compute_loss: bool
    test_initialization: bool
    test_interval: int
    test_iter: _containers.RepeatedScalarFieldContainer[int]
    test_net: _containers.RepeatedScalarFieldContainer[str]
    test_net_param: _containers.RepeatedCompositeFieldContainer[NetParameter]
    test_offset: int
    test_state: _containers.RepeatedCompositeFieldContainer[NetState]
    timeout_nsec: int
    timeout_sec: int
    train_net: str
    train_net_param: NetParameter
    train_state: NetState
    type: str
    warmup_iter: int
    warmup_start_lr: float
    weight_decay: float
    weight_decay_policy: str
    weight_decay_power: float
    weights: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, train_net: _Optional[str] = ..., test_net: _Optional[_Iterable[str]] = ..., test_iter: _Optional[_Iterable[int]] = ..., test_interval: _Optional[int] = ..., base_lr: _Optional[float] = ..., display: _Optional[int] = ..., max_iter: _Optional[int] = ..., lr_policy: _Optional[str] = ..., gamma: _Optional[float] = ..., power: _Optional[float] = ..., momentum: _Optional[float] = ..., weight_decay: _Optional[float] = ..., stepsize: _Optional[int] = ..., snapshot: _Optional[int] = ..., snapshot_prefix: _Optional[str] = ..., snapshot_diff: bool = ..., solver_mode: _Optional[_Union[SolverParameter.SolverMode, str]] = ..., device_id: _Optional[int] = ..., test_compute_loss: bool = ..., random_seed: _Optional[int] = ..., train_net_param: _Optional[_Union[NetParameter, _Mapping[str, object]]] = ..., test_net_param: _Optional[_Iterable[_Union[NetParameter, _Mapping[str, object]]]] = ..., debug_info: bool = ..., net: _Optional[str] = ..., net_param: _Optional[_Union[NetParameter, _Mapping[str, object]]] = ..., train_state: _Optional[_Union[NetState, _Mapping[str, object]]] = ..., test_state: _Optional[_Iterable[_Union[NetState, _Mapping[str, object]]]] = ..., snapshot_after_train: bool = ..., regularization_type: _Optional[str] = ..., solver_type: _Optional[_Union[SolverParameter.SolverType, str]] = ..., delta: _Optional[float] = ..., test_initialization: bool = ..., average_loss: _Optional[int] = ..., stepvalue: _Optional[_Iterable[int]] = ..., clip_gradients: _Optional[float] = ..., iter_size: _Optional[int] = ..., snapshot_format: _Optional[_Union[SolverParameter.SnapshotFormat, str]] = ..., rms_decay: _Optional[float] = ..., momentum2: _Optional[float] = ..., type: _Optional[str] = ..., layer_wise_reduce: bool = ..., weights: _Optional[_Iterable[str]] = ..., plateau_winsize: _Optional[_Iterable[int]] = ..., show_per_class_result: bool = ..., store_blobs_in_old_format: bool = ..., disabled_update: bool = ..., engine: _Optional[str] = ..., warmup_iter: _Optional[int] = ..., warmup_start_lr: _Optional[float] = ..., stageiter: _Optional[_Iterable[int]] = ..., eval_type: _Optional[str] = ..., ap_version: _Optional[str] = ..., test_and_snapshot_last_epochs: _Optional[int] = ..., larc_turbo: bool = ..., max_weight_decay: _Optional[float] = ..., timeout_sec: _Optional[int] = ..., timeout_nsec: _Optional[int] = ..., local_lr_auto: bool = ..., local_gw_ratio: _Optional[float] = ..., test_offset: _Optional[int] = ..., rampup_interval: _Optional[int] = ..., rampup_lr: _Optional[float] = ..., min_lr: _Optional[float] = ..., solver_data_type: _Optional[_Union[Type, str]] = ..., momentum_policy: _Optional[str] = ..., max_momentum: _Optional[float] = ..., momentum_power: _Optional[float] = ..., larc: bool = ..., larc_policy: _Optional[str] = ..., larc_eta: _Optional[float] = ..., weight_decay_policy: _Optional[str] = ..., weight_decay_power: _Optional[float] = ..., layer_blobs_global_idx: _Optional[_Iterable[_Union[LayerPSTablePair, _Mapping[str, object]]]] = ..., per_parameter_reduce: bool = ..., gan_solver: bool = ..., stagelr: _Optional[_Iterable[float]] = ...) -> None: ...

class SolverState(_message.Message):
    __slots__ = ["current_step", "history", "iter", "iter_last_event", "learned_net", "minimum_loss", "run_state"]
    CURRENT_STEP_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    ITER_FIELD_NUMBER: _ClassVar[int]
    ITER_LAST_EVENT_FIELD_NUMBER: _ClassVar[int]
    LEARNED_NET_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_LOSS_FIELD_NUMBER: _ClassVar[int]
    RUN_STATE_FIELD_NUMBER: _ClassVar[int]
    current_step: int
    history: _containers.RepeatedCompositeFieldContainer[BlobProto]
    iter: int
    iter_last_event: int
    learned_net: str
    minimum_loss: float
    run_state: bytes
    def __init__(self, iter: _Optional[int] = ..., learned_net: _Optional[str] = ..., history: _Optional[_Iterable[_Union[BlobProto, _Mapping[str, object]]]] = ..., current_step: _Optional[int] = ..., minimum_loss: _Optional[float] = ..., iter_last_event: _Optional[int] = ..., run_state: _Optional[bytes] = ...) -> None: ...

class SpaceToBatchNDParameter(_message.Message):
    __slots__ = ["block_shape", "paddings"]
    BLOCK_SHAPE_FIELD_NUMBER: _ClassVar[int]
    PADDINGS_FIELD_NUMBER: _ClassVar[int]
    block_shape: _containers.RepeatedScalarFieldContainer[int]
    paddings: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, block_shape: _Optional[_Iterable[int]] = ..., paddings: _Optional[_Iterable[int]] = ...) -> None: ...

class SpaceToDepthParameter(_message.Message):
    __slots__ = ["block_size", "data_format"]
    BLOCK_SIZE_FIELD_NUMBER: _ClassVar[int]
    DATA_FORMAT_FIELD_NUMBER: _ClassVar[int]
    block_size: int
    data_format: str
    def __init__(self, block_size: _Optional[int] = ..., data_format: _Optional[str] = ...) -> None: ...

class SparseToDenseParameter(_message.Message):
    __slots__ = ["default_value", "output_shape", "sparse_indices", "sparse_indices_shape", "sparse_values", "validate_indices"]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SHAPE_FIELD_NUMBER: _ClassVar[int]
    SPARSE_INDICES_FIELD_NUMBER: _ClassVar[int]
    SPARSE_INDICES_SHAPE_FIELD_NUMBER: _ClassVar[int]
    SPARSE_VALUES_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_INDICES_FIELD_NUMBER: _ClassVar[int]
    default_value: float
    output_shape: _containers.RepeatedScalarFieldContainer[int]
    sparse_indices: _containers.RepeatedScalarFieldContainer[int]
    sparse_indices_shape: _containers.RepeatedScalarFieldContainer[int]
    sparse_values: _containers.RepeatedScalarFieldContainer[float]
    validate_indices: bool
    def __init__(self, sparse_indices: _Optional[_Iterable[int]] = ..., sparse_indices_shape: _Optional[_Iterable[int]] = ..., output_shape: _Optional[_Iterable[int]] = ..., sparse_values: _Optional[_Iterable[float]] = ..., default_value: _Optional[float] = ..., validate_indices: bool = ...) -> None: ...

class SpatialBatchingPoolingParameter(_message.Message):
    __slots__ = ["batch_h", "batch_w", "ceil_mode", "engine", "global_pooling", "input_scale", "input_zero_point", "kernel_h", "kernel_size", "kernel_w", "output_scale", "output_zero_point", "pad", "pad_b", "pad_h", "pad_l", "pad_r", "pad_t", "pad_w", "pool", "saturate", "skip_h", "skip_w", "spatial_batching_h", "spatial_batching_w", "stride", "stride_h", "stride_w"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class PoolMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AVE: SpatialBatchingPoolingParameter.PoolMethod
    BATCH_H_FIELD_NUMBER: _ClassVar[int]
    BATCH_W_FIELD_NUMBER: _ClassVar[int]
    CAFFE: SpatialBatchingPoolingParameter.Engine
    CEIL_MODE_FIELD_NUMBER: _ClassVar[int]
    CUDNN: SpatialBatchingPoolingParameter.Engine
    DEFAULT: SpatialBatchingPoolingParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    GLOBAL_POOLING_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    KERNEL_H_FIELD_NUMBER: _ClassVar[int]
    KERNEL_SIZE_FIELD_NUMBER: _ClassVar[int]
    KERNEL_W_FIELD_NUMBER: _ClassVar[int]
    MAX: SpatialBatchingPoolingParameter.PoolMethod
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    PAD_B_FIELD_NUMBER: _ClassVar[int]
    PAD_FIELD_NUMBER: _ClassVar[int]
    PAD_H_FIELD_NUMBER: _ClassVar[int]
    PAD_L_FIELD_NUMBER: _ClassVar[int]
    PAD_R_FIELD_NUMBER: _ClassVar[int]
    PAD_T_FIELD_NUMBER: _ClassVar[int]
    PAD_W_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    SKIP_H_FIELD_NUMBER: _ClassVar[int]
    SKIP_W_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_BATCHING_H_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_BATCHING_W_FIELD_NUMBER: _ClassVar[int]
    STOCHASTIC: SpatialBatchingPoolingParameter.PoolMethod
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    STRIDE_H_FIELD_NUMBER: _ClassVar[int]
    STRIDE_W_FIELD_NUMBER: _ClassVar[int]
    Signed: SpatialBatchingPoolingParameter.SaturateMethod
    Signed_8bit: SpatialBatchingPoolingParameter.SaturateMethod
    Unsigned: SpatialBatchingPoolingParameter.SaturateMethod
    Unsigned_8bit: SpatialBatchingPoolingParameter.SaturateMethod
    batch_h: int
    batch_w: int
    ceil_mode: bool
    engine: SpatialBatchingPoolingParameter.Engine
    global_pooling: bool
    input_scale: float
    input_zero_point: int
    kernel_h: int
    kernel_size: int
    kernel_w: int
    output_scale: float
    output_zero_point: int
    pad: int
    pad_b: int
    pad_h: int
    pad_l: int
    pad_r: int
    pad_t: int
    pad_w: int
    pool: SpatialBatchingPoolingParameter.PoolMethod
    saturate: SpatialBatchingPoolingParameter.SaturateMethod
    skip_h: int
    skip_w: int
    spatial_batching_h: int
    spatial_batching_w: int
    stride: int
    stride_h: int
    stride_w: int
    def __init__(self, pool: _Optional[_Union[SpatialBatchingPoolingParameter.PoolMethod, str]] = ..., kernel_size: _Optional[int] = ..., stride: _Optional[int] = ..., pad: _Optional[int] = ..., kernel_h: _Optional[int] = ..., kernel_w: _Optional[int] = ..., stride_h: _Optional[int] = ..., stride_w: _Optional[int] = ..., pad_h: _Optional[int] = ..., pad_w: _Optional[int] = ..., engine: _Optional[_Union[SpatialBatchingPoolingParameter.Engine, str]] = ..., global_pooling: bool = ..., ceil_mode: bool = ..., pad_l: _Optional[int] = ..., pad_r: _Optional[int] = ..., pad_t: _Optional[int] = ..., pad_b: _Optional[int] = ..., spatial_batching_h: _Optional[int] = ..., spatial_batching_w: _Optional[int] = ..., batch_h: _Optional[int] = ..., batch_w: _Optional[int] = ..., skip_h: _Optional[int] = ..., skip_w: _Optional[int] = ..., saturate: _Optional[_Union[SpatialBatchingPoolingParameter.SaturateMethod, str]] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ..., input_zero_point: _Optional[int] = ..., output_zero_point: _Optional[int] = ...) -> None: ...

class SpatialDropoutParameter(_message.Message):
    __slots__ = ["dropout_ratio", "sample_weights_test"]
    DROPOUT_RATIO_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_WEIGHTS_TEST_FIELD_NUMBER: _ClassVar[int]
    dropout_ratio: float
    sample_weights_test: bool
    def __init__(self, dropout_ratio: _Optional[float] = ..., sample_weights_test: bool = ...) -> None: ...

class SpatialTransformerParameter(_message.Message):
    __slots__ = ["output_H", "output_W", "sampler_type", "theta_1_1", "theta_1_2", "theta_1_3", "theta_2_1", "theta_2_2", "theta_2_3", "to_compute_dU", "transform_type"]
    OUTPUT_H_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_W_FIELD_NUMBER: _ClassVar[int]
    SAMPLER_TYPE_FIELD_NUMBER: _ClassVar[int]
    THETA_1_1_FIELD_NUMBER: _ClassVar[int]
    THETA_1_2_FIELD_NUMBER: _ClassVar[int]
    THETA_1_3_FIELD_NUMBER: _ClassVar[int]
    THETA_2_1_FIELD_NUMBER: _ClassVar[int]
    THETA_2_2_FIELD_NUMBER: _ClassVar[int]
    THETA_2_3_FIELD_NUMBER: _ClassVar[int]
    TO_COMPUTE_DU_FIELD_NUMBER: _ClassVar[int]
    TRANSFORM_TYPE_FIELD_NUMBER: _ClassVar[int]
    output_H: int
    output_W: int
    sampler_type: str
    theta_1_1: float
    theta_1_2: float
    theta_1_3: float
    theta_2_1: float
    theta_2_2: float
    theta_2_3: float
    to_compute_dU: bool
    transform_type: str
    def __init__(self, transform_type: _Optional[str] = ..., sampler_type: _Optional[str] = ..., output_H: _Optional[int] = ..., output_W: _Optional[int] = ..., to_compute_dU: bool = ..., theta_1_1: _Optional[float] = ..., theta_1_2: _Optional[float] = ..., theta_1_3: _Optional[float] = ..., theta_2_1: _Optional[float] = ..., theta_2_2: _Optional[float] = ..., theta_2_3: _Optional[float] = ...) -> None: ...

class SplitParameter(_message.Message):
    __slots__ = ["engine"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CAFFE: SplitParameter.Engine
    DEFAULT: SplitParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    MKL2017: SplitParameter.Engine
    MKLDNN: SplitParameter.Engine
    engine: SplitParameter.Engine
    def __init__(self, engine: _Optional[_Union[SplitParameter.Engine, str]] = ...) -> None: ...

class SqueezeConvolutionParameter(_message.Message):
    __slots__ = ["axis", "bias_filler", "bias_mask_filler", "bias_term", "c_rate", "dilation", "dynamicsplicing", "engine", "force_nd_im2col", "gamma", "group", "input_scale", "input_zero_point", "iter_stop", "kernel_h", "kernel_size", "kernel_w", "num_output", "output_scale", "output_zero_point", "pad", "pad_b", "pad_h", "pad_l", "pad_r", "pad_t", "pad_type", "pad_w", "per_channel_scale_output", "per_channel_scale_weight", "power", "quantize_method", "saturate", "splicing_rate", "stride", "stride_h", "stride_w", "submanifold_sparse", "weight_filler", "weight_mask_filler", "weight_scale", "weight_zero_point"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class QuantizeMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AXIS_FIELD_NUMBER: _ClassVar[int]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    BIAS_MASK_FILLER_FIELD_NUMBER: _ClassVar[int]
    BIAS_TERM_FIELD_NUMBER: _ClassVar[int]
    CAFFE: SqueezeConvolutionParameter.Engine
    CUDNN: SqueezeConvolutionParameter.Engine
    C_RATE_FIELD_NUMBER: _ClassVar[int]
    Caffe2: SqueezeConvolutionParameter.QuantizeMethod
    DEFAULT: SqueezeConvolutionParameter.Engine
    DILATION_FIELD_NUMBER: _ClassVar[int]
    DYNAMICSPLICING_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    FORCE_ND_IM2COL_FIELD_NUMBER: _ClassVar[int]
    GAMMA_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    INPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    ITER_STOP_FIELD_NUMBER: _ClassVar[int]
    KERNEL_H_FIELD_NUMBER: _ClassVar[int]
    KERNEL_SIZE_FIELD_NUMBER: _ClassVar[int]
    KERNEL_W_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ONNX: SqueezeConvolutionParameter.QuantizeMethod
    OUTPUT_SCALE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    PAD_B_FIELD_NUMBER: _ClassVar[int]
    PAD_FIELD_NUMBER: _ClassVar[int]
    PAD_H_FIELD_NUMBER: _ClassVar[int]
    PAD_L_FIELD_NUMBER: _ClassVar[int]
    PAD_R_FIELD_NUMBER: _ClassVar[int]
    PAD_TYPE_FIELD_NUMBER: _ClassVar[int]
    PAD_T_FIELD_NUMBER: _ClassVar[int]
    PAD_W_FIELD_NUMBER: _ClassVar[int]
    PER_CHANNEL_SCALE_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    PER_CHANNEL_SCALE_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    POWER_FIELD_NUMBER: _ClassVar[int]
    QUANTIZE_METHOD_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    SPLICING_RATE_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    STRIDE_H_FIELD_NUMBER: _ClassVar[int]
    STRIDE_W_FIELD_NUMBER: _ClassVar[int]
    SUBMANIFOLD_SPARSE_FIELD_NUMBER: _ClassVar[int]
    Signed: SqueezeConvolutionParameter.SaturateMethod
    Signed_8bit: SqueezeConvolutionParameter.SaturateMethod
    Unsigned: SqueezeConvolutionParameter.SaturateMethod
    Unsigned_8bit: SqueezeConvolutionParameter.SaturateMethod
    WEIGHT_FILLER_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_MASK_FILLER_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_SCALE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_ZERO_POINT_FIELD_NUMBER: _ClassVar[int]
    axis: int
    bias_filler: FillerParameter
    bias_mask_filler: FillerParameter
    bias_term: bool
    c_rate: float
    dilation: _containers.RepeatedScalarFieldContainer[int]
    dynamicsplicing: bool
    engine: SqueezeConvolutionParameter.Engine
    force_nd_im2col: bool
    gamma: float
    group: int
    input_scale: float
    input_zero_point: int
    iter_stop: float
    kernel_h: int
    kernel_size: _containers.RepeatedScalarFieldContainer[int]
    kernel_w: int
    num_output: int
    output_scale: float
    output_zero_point: int
    pad: _containers.RepeatedScalarFieldContainer[int]
    pad_b: int
    pad_h: int
    pad_l: int
    pad_r: int
    pad_t: int
    pad_type: int
    pad_w: int
    per_channel_scale_output: bool
    per_channel_scale_weight: bool
    power: float
    quantize_method: SqueezeConvolutionParameter.QuantizeMethod
    saturate: SqueezeConvolutionParameter.SaturateMethod
    splicing_rate: float
    stride: _containers.RepeatedScalarFieldContainer[int]
    stride_h: int
    stride_w: int
    submanifold_sparse: bool
    tflite: SqueezeConvolutionParameter.QuantizeMethod
    weight_filler: FillerParameter
    weight_mask_filler: FillerParameter
    weight_scale: float
    weight_zero_point: int
    def __init__(self, num_output: _Optional[int] = ..., bias_term: bool = ..., pad: _Optional[_Iterable[int]] = ..., kernel_size: _Optional[_Iterable[int]] = ..., group: _Optional[int] = ..., stride: _Optional[_Iterable[int]] = ..., weight_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., pad_h: _Optional[int] = ..., pad_w: _Optional[int] = ..., kernel_h: _Optional[int] = ..., kernel_w: _Optional[int] = ..., stride_h: _Optional[int] = ..., stride_w: _Optional[int] = ..., engine: _Optional[_Union[SqueezeConvolutionParameter.Engine, str]] = ..., axis: _Optional[int] = ..., force_nd_im2col: bool = ..., gamma: _Optional[float] = ..., power: _Optional[float] = ..., iter_stop: _Optional[float] = ..., c_rate: _Optional[float] = ..., weight_mask_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_mask_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., dilation: _Optional[_Iterable[int]] = ..., dynamicsplicing: bool = ..., splicing_rate: _Optional[float] = ..., pad_type: _Optional[int] = ..., pad_l: _Optional[int] = ..., pad_r: _Optional[int] = ..., pad_t: _Optional[int] = ..., pad_b: _Optional[int] = ..., input_scale: _Optional[float] = ..., output_scale: _Optional[float] = ..., saturate: _Optional[_Union[SqueezeConvolutionParameter.SaturateMethod, str]] = ..., weight_scale: _Optional[float] = ..., input_zero_point: _Optional[int] = ..., output_zero_point: _Optional[int] = ..., weight_zero_point: _Optional[int] = ..., per_channel_scale_weight: bool = ..., quantize_method: _Optional[_Union[SqueezeConvolutionParameter.QuantizeMethod, str]] = ..., per_channel_scale_output: bool = ..., submanifold_sparse: bool = ...) -> None: ...

class SqueezeInnerProductParameter(_message.Message):
    __slots__ = ["axis", "bias_filler", "bias_mask_filler", "bias_term", "c_rate", "dynamicsplicing", "gamma", "iter_stop", "num_output", "power", "splicing_rate", "transpose", "weight_filler", "weight_mask_filler"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    BIAS_MASK_FILLER_FIELD_NUMBER: _ClassVar[int]
    BIAS_TERM_FIELD_NUMBER: _ClassVar[int]
    C_RATE_FIELD_NUMBER: _ClassVar[int]
    DYNAMICSPLICING_FIELD_NUMBER: _ClassVar[int]
    GAMMA_FIELD_NUMBER: _ClassVar[int]
    ITER_STOP_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    POWER_FIELD_NUMBER: _ClassVar[int]
    SPLICING_RATE_FIELD_NUMBER: _ClassVar[int]
    TRANSPOSE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FILLER_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_MASK_FILLER_FIELD_NUMBER: _ClassVar[int]
    axis: int
    bias_filler: FillerParameter
    bias_mask_filler: FillerParameter
    bias_term: bool
    c_rate: float
    dynamicsplicing: bool
    gamma: float
    iter_stop: float
    num_output: int
    power: float
    splicing_rate: float
    transpose: bool
    weight_filler: FillerParameter
    weight_mask_filler: FillerParameter
    def __init__(self, num_output: _Optional[int] = ..., bias_term: bool = ..., weight_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., axis: _Optional[int] = ..., transpose: bool = ..., gamma: _Optional[float] = ..., power: _Optional[float] = ..., iter_stop: _Optional[float] = ..., c_rate: _Optional[float] = ..., weight_mask_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_mask_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., dynamicsplicing: bool = ..., splicing_rate: _Optional[float] = ...) -> None: ...

class SqueezeParameter(_message.Message):
    __slots__ = ["axis"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    axis: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, axis: _Optional[_Iterable[int]] = ...) -> None: ...

class StackParameter(_message.Message):
    __slots__ = ["axis"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    axis: int
    def __init__(self, axis: _Optional[int] = ...) -> None: ...

class StridedSliceParameter(_message.Message):
    __slots__ = ["axes", "begin", "begin_mask", "ellipsis_mask", "end", "end_mask", "new_axis_mask", "shrink_axis_mask", "strides"]
    AXES_FIELD_NUMBER: _ClassVar[int]
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    BEGIN_MASK_FIELD_NUMBER: _ClassVar[int]
    ELLIPSIS_MASK_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    END_MASK_FIELD_NUMBER: _ClassVar[int]
    NEW_AXIS_MASK_FIELD_NUMBER: _ClassVar[int]
    SHRINK_AXIS_MASK_FIELD_NUMBER: _ClassVar[int]
    STRIDES_FIELD_NUMBER: _ClassVar[int]
    axes: _containers.RepeatedScalarFieldContainer[int]
    begin: _containers.RepeatedScalarFieldContainer[int]
    begin_mask: int
    ellipsis_mask: int
    end: _containers.RepeatedScalarFieldContainer[int]
    end_mask: int
    new_axis_mask: int
    shrink_axis_mask: int
    strides: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, begin: _Optional[_Iterable[int]] = ..., end: _Optional[_Iterable[int]] = ..., strides: _Optional[_Iterable[int]] = ..., axes: _Optional[_Iterable[int]] = ..., begin_mask: _Optional[int] = ..., end_mask: _Optional[int] = ..., ellipsis_mask: _Optional[int] = ..., new_axis_mask: _Optional[int] = ..., shrink_axis_mask: _Optional[int] = ...) -> None: ...

class SwishParameter(_message.Message):
    __slots__ = ["beta"]
    BETA_FIELD_NUMBER: _ClassVar[int]
    beta: float
    def __init__(self, beta: _Optional[float] = ...) -> None: ...

class TRTParameter(_message.Message):
    __slots__ = ["calibrator", "deploy", "deploy_outputs", "model", "top_k", "trt_mode"]
    class TRTMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CALIBRATOR_FIELD_NUMBER: _ClassVar[int]
    DEPLOY_FIELD_NUMBER: _ClassVar[int]
    DEPLOY_OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    FP16: TRTParameter.TRTMode
    FP32: TRTParameter.TRTMode
    INT8: TRTParameter.TRTMode
    MODEL_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    TRT_MODE_FIELD_NUMBER: _ClassVar[int]
    calibrator: str
    deploy: str
    deploy_outputs: _containers.RepeatedScalarFieldContainer[str]
    model: str
    top_k: int
    trt_mode: TRTParameter.TRTMode
    def __init__(self, trt_mode: _Optional[_Union[TRTParameter.TRTMode, str]] = ..., top_k: _Optional[int] = ..., deploy: _Optional[str] = ..., model: _Optional[str] = ..., deploy_outputs: _Optional[_Iterable[str]] = ..., calibrator: _Optional[str] = ...) -> None: ...

class TanHParameter(_message.Message):
    __slots__ = ["engine"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CAFFE: TanHParameter.Engine
    CUDNN: TanHParameter.Engine
    DEFAULT: TanHParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    engine: TanHParameter.Engine
    def __init__(self, engine: _Optional[_Union[TanHParameter.Engine, str]] = ...) -> None: ...

class Tensor2BoxParameter(_message.Message):
    __slots__ = ["anchors_x", "anchors_y", "img_dim_h", "img_dim_w", "num_classes"]
    ANCHORS_X_FIELD_NUMBER: _ClassVar[int]
    ANCHORS_Y_FIELD_NUMBER: _ClassVar[int]
    IMG_DIM_H_FIELD_NUMBER: _ClassVar[int]
    IMG_DIM_W_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    anchors_x: _containers.RepeatedScalarFieldContainer[int]
    anchors_y: _containers.RepeatedScalarFieldContainer[int]
    img_dim_h: int
    img_dim_w: int
    num_classes: int
    def __init__(self, num_classes: _Optional[int] = ..., img_dim_h: _Optional[int] = ..., img_dim_w: _Optional[int] = ..., anchors_x: _Optional[_Iterable[int]] = ..., anchors_y: _Optional[_Iterable[int]] = ...) -> None: ...

class ThresholdParameter(_message.Message):
    __slots__ = ["threshold"]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    threshold: float
    def __init__(self, threshold: _Optional[float] = ...) -> None: ...

class ThresholdedReLUParameter(_message.Message):
    __slots__ = ["alpha"]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    alpha: float
    def __init__(self, alpha: _Optional[float] = ...) -> None: ...

class TileNDParameter(_message.Message):
    __slots__ = ["multiples"]
    MULTIPLES_FIELD_NUMBER: _ClassVar[int]
    multiples: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, multiples: _Optional[_Iterable[int]] = ...) -> None: ...

class TileParameter(_message.Message):
    __slots__ = ["axis", "tiles"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    axis: int
    tiles: int
    def __init__(self, axis: _Optional[int] = ..., tiles: _Optional[int] = ...) -> None: ...

class TopkGatherParameter(_message.Message):
    __slots__ = ["axis", "top_k"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    axis: int
    top_k: int
    def __init__(self, top_k: _Optional[int] = ..., axis: _Optional[int] = ...) -> None: ...

class TransformationParameter(_message.Message):
    __slots__ = ["allow_upscale", "apply_probability", "bgr2rgb", "caffe_yolo", "contrast_brightness_adjustment", "crop_h", "crop_height", "crop_size", "crop_w", "crop_width", "cvt_bgr2rgb", "debug_params", "display", "distort_param", "emit_constraint", "enable_classf_aug", "expand_param", "fix_crop", "flow", "force_color", "force_gray", "forward_packing", "horizontal_stretch_lower", "horizontal_stretch_upper", "img_rand_resize_lower", "img_rand_resize_upper", "interpolation_algo_down", "interpolation_algo_up", "is_flow", "max_brightness_shift", "max_color_shift", "max_contrast", "max_distort", "max_rotation_angle", "max_scaling_factor", "max_smooth", "mean_file", "mean_value", "min_contrast", "min_scaling_factor", "min_side", "min_side_max", "min_side_min", "mirror", "more_fix_crop", "multi_scale", "noise_param", "num_labels", "pad", "rand_resize_ratio_lower", "rand_resize_ratio_upper", "random_aspect_ratio_param", "random_resize_param", "random_seed", "resize_param", "scale", "scale_factors", "scale_ratios", "smooth_filtering", "use_gpu_transform", "vertical_stretch_lower", "vertical_stretch_upper"]
    class InterpolationAlgo(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ALLOW_UPSCALE_FIELD_NUMBER: _ClassVar[int]
    APPLY_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    BGR2RGB_FIELD_NUMBER: _ClassVar[int]
    CAFFE_YOLO_FIELD_NUMBER: _ClassVar[int]
    CONTRAST_BRIGHTNESS_ADJUSTMENT_FIELD_NUMBER: _ClassVar[int]
    CROP_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    CROP_H_FIELD_NUMBER: _ClassVar[int]
    CROP_SIZE_FIELD_NUMBER: _ClassVar[int]
    CROP_WIDTH_FIELD_NUMBER: _ClassVar[int]
    CROP_W_FIELD_NUMBER: _ClassVar[int]
    CVT_BGR2RGB_FIELD_NUMBER: _ClassVar[int]
    DEBUG_PARAMS_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_FIELD_NUMBER: _ClassVar[int]
    DISTORT_PARAM_FIELD_NUMBER: _ClassVar[int]
    EMIT_CONSTRAINT_FIELD_NUMBER: _ClassVar[int]
    ENABLE_CLASSF_AUG_FIELD_NUMBER: _ClassVar[int]
    EXPAND_PARAM_FIELD_NUMBER: _ClassVar[int]
    FIX_CROP_FIELD_NUMBER: _ClassVar[int]
    FLOW_FIELD_NUMBER: _ClassVar[int]
    FORCE_COLOR_FIELD_NUMBER: _ClassVar[int]
    FORCE_GRAY_FIELD_NUMBER: _ClassVar[int]
    FORWARD_PACKING_FIELD_NUMBER: _ClassVar[int]
    HORIZONTAL_STRETCH_LOWER_FIELD_NUMBER: _ClassVar[int]
    HORIZONTAL_STRETCH_UPPER_FIELD_NUMBER: _ClassVar[int]
    IMG_RAND_RESIZE_LOWER_FIELD_NUMBER: _ClassVar[int]
    IMG_RAND_RESIZE_UPPER_FIELD_NUMBER: _ClassVar[int]
    INTERPOLATION_ALGO_DOWN_FIELD_NUMBER: _ClassVar[int]
    INTERPOLATION_ALGO_UP_FIELD_NUMBER: _ClassVar[int]
    INTER_AREA: TransformationParameter.InterpolationAlgo
    INTER_CUBIC: TransformationParameter.InterpolationAlgo
    INTER_LINEAR: TransformationParameter.InterpolationAlgo
    INTER_NEAREST: TransformationParameter.InterpolationAlgo
    IS_FLOW_FIELD_NUMBER: _ClassVar[int]
    MAX_BRIGHTNESS_SHIFT_FIELD_NUMBER: _ClassVar[int]
    MAX_COLOR_SHIFT_FIELD_NUMBER: _ClassVar[int]
    MAX_CONTRAST_FIELD_NUMBER: _ClassVar[int]
    MAX_DISTORT_FIELD_NUMBER: _ClassVar[int]
    MAX_ROTATION_ANGLE_FIELD_NUMBER: _ClassVar[int]
    MAX_SCALING_FACTOR_FIELD_NUMBER: _ClassVar[int]
    MAX_SMOOTH_FIELD_NUMBER: _ClassVar[int]
    MEAN_FILE_FIELD_NUMBER: _ClassVar[int]
    MEAN_VALUE_FIELD_NUMBER: _ClassVar[int]
    MIN_CONTRAST_FIELD_NUMBER: _ClassVar[int]
    MIN_SCALING_FACTOR_FIELD_NUMBER: _ClassVar[int]
    MIN_SIDE_FIELD_NUMBER: _ClassVar[int]
    MIN_SIDE_MAX_FIELD_NUMBER: _ClassVar[int]
    MIN_SIDE_MIN_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    MORE_FIX_CROP_FIELD_NUMBER: _ClassVar[int]
    MULTI_SCALE_FIELD_NUMBER: _ClassVar[int]
    NOISE_PARAM_FIELD_NUMBER: _ClassVar[int]
    NUM_LABELS_FIELD_NUMBER: _ClassVar[int]
    PAD_FIELD_NUMBER: _ClassVar[int]
    RANDOM_ASPECT_RATIO_PARAM_FIELD_NUMBER: _ClassVar[int]
    RANDOM_RESIZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    RANDOM_SEED_FIELD_NUMBER: _ClassVar[int]
    RAND_RESIZE_RATIO_LOWER_FIELD_NUMBER: _ClassVar[int]
    RAND_RESIZE_RATIO_UPPER_FIELD_NUMBER: _ClassVar[int]
    RESIZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    SCALE_FACTORS_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SCALE_RATIOS_FIELD_NUMBER: _ClassVar[int]
    SMOOTH_FILTERING_FIELD_NUMBER: _ClassVar[int]
    USE_GPU_TRANSFORM_FIELD_NUMBER: _ClassVar[int]
    VERTICAL_STRETCH_LOWER_FIELD_NUMBER: _ClassVar[int]
    VERTICAL_STRETCH_UPPER_FIELD_NUMBER: _ClassVar[int]
    allow_upscale: bool
    apply_probability: float
    bgr2rgb: bool
    caffe_yolo: bool
    contrast_brightness_adjustment: bool
    crop_h: int
    crop_height: int
    crop_size: int
    crop_w: int
    crop_width: int
    cvt_bgr2rgb: bool
    debug_params: bool
    display: bool
    distort_param: DistortionParameter
    emit_constraint: EmitConstraint
    enable_classf_aug: bool
    expand_param: ExpansionParameter
    fix_crop: bool
    flow: bool
    force_color: bool
    force_gray: bool
    forward_packing: Packing
    horizontal_stretch_lower: float
    horizontal_stretch_upper: float
    img_rand_resize_lower: int
    img_rand_resize_upper: int
    interpolation_algo_down: TransformationParameter.InterpolationAlgo
    interpolation_algo_up: TransformationParameter.InterpolationAlgo
    is_flow: bool
    max_brightness_shift: int
    max_color_shift: int
    max_contrast: float
    max_distort: int
    max_rotation_angle: int
    max_scaling_factor: float
    max_smooth: float
    mean_file: str
    mean_value: _containers.RepeatedScalarFieldContainer[float]
    min_contrast: float
    min_scaling_factor: float
    min_side: int
    min_side_max: int
    min_side_min: int
    mirror: bool
    more_fix_crop: bool
    multi_scale: bool
    noise_param: NoiseParameter
    num_labels: int
    pad: int
    rand_resize_ratio_lower: float
    rand_resize_ratio_upper: float
    random_aspect_ratio_param: RandomAspectRatioParameter
    random_resize_param: RandomResizeParameter
    random_seed: int
    resize_param: ResizeParameter
    scale: float
    scale_factors: _containers.RepeatedScalarFieldContainer[float]
    scale_ratios: _containers.RepeatedScalarFieldContainer[float]
    smooth_filtering: bool
    use_gpu_transform: bool
    vertical_stretch_lower: float
    vertical_stretch_upper: float
    def __init__(self, scale: _Optional[float] = ..., mirror: bool = ..., crop_size: _Optional[int] = ..., mean_file: _Optional[str] = ..., mean_value: _Optional[_Iterable[float]] = ..., force_color: bool = ..., force_gray: bool = ..., resize_param: _Optional[_Union[ResizeParameter, _Mapping[str, object]]] = ..., noise_param: _Optional[_Union[NoiseParameter, _Mapping[str, object]]] = ..., emit_constraint: _Optional[_Union[EmitConstraint, _Mapping[str, object]]] = ..., crop_h: _Optional[int] = ..., crop_w: _Optional[int] = ..., distort_param: _Optional[_Union[DistortionParameter, _Mapping[str, object]]] = ..., expand_param: _Optional[_Union[ExpansionParameter, _Mapping[str, object]]] = ..., enable_classf_aug: bool = ..., min_scaling_factor: _Optional[float] = ..., max_scaling_factor: _Optional[float] = ..., scale_factors: _Optional[_Iterable[float]] = ..., crop_width: _Optional[int] = ..., crop_height: _Optional[int] = ..., min_contrast: _Optional[float] = ..., max_contrast: _Optional[float] = ..., max_brightness_shift: _Optional[int] = ..., max_smooth: _Optional[float] = ..., max_color_shift: _Optional[int] = ..., min_side_min: _Optional[int] = ..., min_side_max: _Optional[int] = ..., min_side: _Optional[int] = ..., apply_probability: _Optional[float] = ..., debug_params: bool = ..., cvt_bgr2rgb: bool = ..., max_rotation_angle: _Optional[int] = ..., contrast_brightness_adjustment: bool = ..., smooth_filtering: bool = ..., random_resize_param: _Optional[_Union[RandomResizeParameter, _Mapping[str, object]]] = ..., random_aspect_ratio_param: _Optional[_Union[RandomAspectRatioParameter, _Mapping[str, object]]] = ..., flow: bool = ..., bgr2rgb: bool = ..., pad: _Optional[int] = ..., use_gpu_transform: bool = ..., random_seed: _Optional[int] = ..., img_rand_resize_lower: _Optional[int] = ..., img_rand_resize_upper: _Optional[int] = ..., rand_resize_ratio_lower: _Optional[float] = ..., rand_resize_ratio_upper: _Optional[float] = ..., vertical_stretch_lower: _Optional[float] = ..., vertical_stretch_upper: _Optional[float] = ..., horizontal_stretch_lower: _Optional[float] = ..., horizontal_stretch_upper: _Optional[float] = ..., interpolation_algo_down: _Optional[_Union[TransformationParameter.InterpolationAlgo, str]] = ..., interpolation_algo_up: _Optional[_Union[TransformationParameter.InterpolationAlgo, str]] = ..., allow_upscale: bool = ..., forward_packing: _Optional[_Union[Packing, str]] = ..., display: bool = ..., num_labels: _Optional[int] = ..., caffe_yolo: bool = ..., fix_crop: bool = ..., more_fix_crop: bool = ..., multi_scale: bool = ..., scale_ratios: _Optional[_Iterable[float]] = ..., max_distort: _Optional[int] = ..., is_flow: bool = ...) -> None: ...

class TransposeParameter(_message.Message):
    __slots__ = ["dim"]
    DIM_FIELD_NUMBER: _ClassVar[int]
    dim: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, dim: _Optional[_Iterable[int]] = ...) -> None: ...

class TripletLossParameter(_message.Message):
    __slots__ = ["margin"]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    margin: float
    def __init__(self, margin: _Optional[float] = ...) -> None: ...

class UniqueLabelParameter(_message.Message):
    __slots__ = ["force_label", "ignore_label", "max_labels"]
    FORCE_LABEL_FIELD_NUMBER: _ClassVar[int]
    IGNORE_LABEL_FIELD_NUMBER: _ClassVar[int]
    MAX_LABELS_FIELD_NUMBER: _ClassVar[int]
    force_label: _containers.RepeatedScalarFieldContainer[float]
    ignore_label: _containers.RepeatedScalarFieldContainer[int]
    max_labels: int
    def __init__(self, max_labels: _Optional[int] = ..., ignore_label: _Optional[_Iterable[int]] = ..., force_label: _Optional[_Iterable[float]] = ...) -> None: ...

class UnpoolingParameter(_message.Message):
    __slots__ = ["engine", "kernel_h", "kernel_size", "kernel_w", "output_h", "output_w", "pad", "pad_h", "pad_w", "scale", "stride", "stride_h", "stride_w", "unpool", "unpool_h", "unpool_size", "unpool_w"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class UnpoolMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    AVE: UnpoolingParameter.UnpoolMethod
    CAFFE: UnpoolingParameter.Engine
    DEFAULT: UnpoolingParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    KERNEL_H_FIELD_NUMBER: _ClassVar[int]
    KERNEL_SIZE_FIELD_NUMBER: _ClassVar[int]
    KERNEL_W_FIELD_NUMBER: _ClassVar[int]
    MAX: UnpoolingParameter.UnpoolMethod
    OUTPUT_H_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_W_FIELD_NUMBER: _ClassVar[int]
    PAD_FIELD_NUMBER: _ClassVar[int]
    PAD_H_FIELD_NUMBER: _ClassVar[int]
    PAD_W_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    STRIDE_H_FIELD_NUMBER: _ClassVar[int]
    STRIDE_W_FIELD_NUMBER: _ClassVar[int]
    TILE: UnpoolingParameter.UnpoolMethod
    UNPOOL_FIELD_NUMBER: _ClassVar[int]
    UNPOOL_H_FIELD_NUMBER: _ClassVar[int]
    UNPOOL_SIZE_FIELD_NUMBER: _ClassVar[int]
    UNPOOL_W_FIELD_NUMBER: _ClassVar[int]
    engine: UnpoolingParameter.Engine
    kernel_h: int
    kernel_size: int
    kernel_w: int
    output_h: int
    output_w: int
    pad: int
    pad_h: int
    pad_w: int
    scale: int
    stride: int
    stride_h: int
    stride_w: int
    unpool: UnpoolingParameter.UnpoolMethod
    unpool_h: int
    unpool_size: int
    unpool_w: int
    def __init__(self, unpool: _Optional[_Union[UnpoolingParameter.UnpoolMethod, str]] = ..., kernel_size: _Optional[int] = ..., stride: _Optional[int] = ..., pad: _Optional[int] = ..., kernel_h: _Optional[int] = ..., kernel_w: _Optional[int] = ..., stride_h: _Optional[int] = ..., stride_w: _Optional[int] = ..., pad_h: _Optional[int] = ..., pad_w: _Optional[int] = ..., engine: _Optional[_Union[UnpoolingParameter.Engine, str]] = ..., unpool_size: _Optional[int] = ..., unpool_h: _Optional[int] = ..., unpool_w: _Optional[int] = ..., output_h: _Optional[int] = ..., output_w: _Optional[int] = ..., scale: _Optional[int] = ...) -> None: ...

class UnstackParameter(_message.Message):
    __slots__ = ["axis", "num"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    NUM_FIELD_NUMBER: _ClassVar[int]
    axis: int
    num: int
    def __init__(self, num: _Optional[int] = ..., axis: _Optional[int] = ...) -> None: ...

class UpsampleDarknetParameter(_message.Message):
    __slots__ = ["stride"]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    stride: int
    def __init__(self, stride: _Optional[int] = ...) -> None: ...

class UpsampleParameter(_message.Message):
    __slots__ = ["pad_out_h", "pad_out_w", "scale", "scale_h", "scale_w", "upsample_h", "upsample_w"]
    PAD_OUT_H_FIELD_NUMBER: _ClassVar[int]
    PAD_OUT_W_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SCALE_H_FIELD_NUMBER: _ClassVar[int]
    SCALE_W_FIELD_NUMBER: _ClassVar[int]
    UPSAMPLE_H_FIELD_NUMBER: _ClassVar[int]
    UPSAMPLE_W_FIELD_NUMBER: _ClassVar[int]
    pad_out_h: bool
    pad_out_w: bool
    scale: int
    scale_h: int
    scale_w: int
    upsample_h: int
    upsample_w: int
    def __init__(self, scale: _Optional[int] = ..., scale_h: _Optional[int] = ..., scale_w: _Optional[int] = ..., pad_out_h: bool = ..., pad_out_w: bool = ..., upsample_h: _Optional[int] = ..., upsample_w: _Optional[int] = ...) -> None: ...

class V0LayerParameter(_message.Message):
    __slots__ = ["alpha", "batchsize", "beta", "bias_filler", "biasterm", "blobs", "blobs_lr", "concat_dim", "cropsize", "det_bg_threshold", "det_context_pad", "det_crop_mode", "det_fg_fraction", "det_fg_threshold", "dropout_ratio", "group", "hdf5_output_param", "k", "kernelsize", "local_size", "meanfile", "mirror", "name", "new_channels", "new_height", "new_num", "new_width", "num_output", "pad", "pool", "rand_skip", "scale", "shuffle_images", "source", "stride", "type", "weight_decay", "weight_filler"]
    class PoolMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    AVE: V0LayerParameter.PoolMethod
    AVE_EXC_PAD: V0LayerParameter.PoolMethod
    AVE_TF: V0LayerParameter.PoolMethod
    BATCHSIZE_FIELD_NUMBER: _ClassVar[int]
    BETA_FIELD_NUMBER: _ClassVar[int]
    BIASTERM_FIELD_NUMBER: _ClassVar[int]
    BIAS_FILLER_FIELD_NUMBER: _ClassVar[int]
    BLOBS_FIELD_NUMBER: _ClassVar[int]
    BLOBS_LR_FIELD_NUMBER: _ClassVar[int]
    CONCAT_DIM_FIELD_NUMBER: _ClassVar[int]
    CROPSIZE_FIELD_NUMBER: _ClassVar[int]
    DET_BG_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    DET_CONTEXT_PAD_FIELD_NUMBER: _ClassVar[int]
    DET_CROP_MODE_FIELD_NUMBER: _ClassVar[int]
    DET_FG_FRACTION_FIELD_NUMBER: _ClassVar[int]
    DET_FG_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    DROPOUT_RATIO_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    HDF5_OUTPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    KERNELSIZE_FIELD_NUMBER: _ClassVar[int]
    K_FIELD_NUMBER: _ClassVar[int]
    LOCAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    MAX: V0LayerParameter.PoolMethod
    MEANFILE_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NEW_CHANNELS_FIELD_NUMBER: _ClassVar[int]
    NEW_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    NEW_NUM_FIELD_NUMBER: _ClassVar[int]
    NEW_WIDTH_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    PAD_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    RAND_SKIP_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_IMAGES_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    STOCHASTIC: V0LayerParameter.PoolMethod
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_DECAY_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FILLER_FIELD_NUMBER: _ClassVar[int]
    alpha: float
    batchsize: int
    beta: float
    bias_filler: FillerParameter
    biasterm: bool
    blobs: _containers.RepeatedCompositeFieldContainer[BlobProto]
    blobs_lr: _containers.RepeatedScalarFieldContainer[float]
    concat_dim: int
    cropsize: int
    det_bg_threshold: float
    det_context_pad: int
    det_crop_mode: str
    det_fg_fraction: float
    det_fg_threshold: float
    dropout_ratio: float
    group: int
    hdf5_output_param: HDF5OutputParameter
    k: float
    kernelsize: int
    local_size: int
    meanfile: str
    mirror: bool
    name: str
    new_channels: int
    new_height: int
    new_num: int
    new_width: int
    num_output: int
    pad: int
    pool: V0LayerParameter.PoolMethod
    rand_skip: int
    scale: float
    shuffle_images: bool
    source: str
    stride: int
    type: str
    weight_decay: _containers.RepeatedScalarFieldContainer[float]
    weight_filler: FillerParameter
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., num_output: _Optional[int] = ..., biasterm: bool = ..., weight_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., bias_filler: _Optional[_Union[FillerParameter, _Mapping[str, object]]] = ..., pad: _Optional[int] = ..., kernelsize: _Optional[int] = ..., group: _Optional[int] = ..., stride: _Optional[int] = ..., pool: _Optional[_Union[V0LayerParameter.PoolMethod, str]] = ..., dropout_ratio: _Optional[float] = ..., local_size: _Optional[int] = ..., alpha: _Optional[float] = ..., beta: _Optional[float] = ..., source: _Optional[str] = ..., scale: _Optional[float] = ..., meanfile: _Optional[str] = ..., batchsize: _Optional[int] = ..., cropsize: _Optional[int] = ..., mirror: bool = ..., k: _Optional[float] = ..., blobs: _Optional[_Iterable[_Union[BlobProto, _Mapping[str, object]]]] = ..., blobs_lr: _Optional[_Iterable[float]] = ..., weight_decay: _Optional[_Iterable[float]] = ..., rand_skip: _Optional[int] = ..., det_fg_threshold: _Optional[float] = ..., det_bg_threshold: _Optional[float] = ..., det_fg_fraction: _Optional[float] = ..., det_context_pad: _Optional[int] = ..., det_crop_mode: _Optional[str] = ..., new_num: _Optional[int] = ..., new_channels: _Optional[int] = ..., new_height: _Optional[int] = ..., new_width: _Optional[int] = ..., shuffle_images: bool = ..., concat_dim: _Optional[int] = ..., hdf5_output_param: _Optional[_Union[HDF5OutputParameter, _Mapping[str, object]]] = ...) -> None: ...

class V1LayerParameter(_message.Message):
    __slots__ = ["accuracy_param", "annotated_data_param", "argmax_param", "batch_norm_param", "bias_param", "blob_share_mode", "blobs", "blobs_lr", "bn_param", "bottom", "box_annotator_ohem_param", "center_loss_param", "clip_param", "concat_param", "continuation_indicator_param", "contrastive_loss_param", "convolution3d_param", "convolution_param", "correlation_param", "crop_param", "ctc_decoder_param", "ctc_loss_param", "data_param", "dense_image_data_param", "detection_evaluate_param", "detection_output_param", "detectnet_augmentation_param", "detectnet_groundtruth_param", "downsample_param", "dropout_param", "dummy_data_param", "eltwise_param", "elu_param", "embed_param", "exclude", "exp_param", "flatten_param", "flow_warp_param", "hdf5_data_param", "hdf5_output_param", "hinge_loss_param", "image_data_param", "include", "infogain_loss_param", "inner_product_param", "input_param", "interp_param", "label_specific_add_param", "labelsequence_accuracy_param", "layer", "log_param", "loss_param", "loss_weight", "lrn_param", "lstm_param", "margin_inner_product_param", "memory_data_param", "multibox_loss_param", "mvn_param", "name", "norm_param", "normalize_param", "parallel_data_param", "parallel_inmem_data_param", "param", "parameter_param", "permute_param", "pooling3d_param", "pooling_param", "power_param", "prelu_param", "prior_box_param", "proposal_param", "psroi_pooling_param", "python_param", "recurrent_param", "reduction_param", "region_loss_param", "relu6_param", "relu_param", "reorg_param", "resample_param", "reshape_param", "reverse_param", "roi_align_param", "roi_pooling_param", "scale_param", "seg_accuracy_param", "shuffle_channel_param", "sigmoid_param", "slice_param", "smooth_l1_loss_param", "softmax_param", "spatial_dropout_param", "spp_param", "st_param", "swish_param", "tanh_param", "threshold_param", "tile_param", "top", "transform_param", "transpose_param", "triplet_loss_param", "type", "unpooling_param", "upsample_param", "video_data_param", "weight_decay", "window_data_param", "yolo_detection_output_param", "yolo_v2_loss_param", "yolo_v3_loss_param", "yolov3_detection_output_param"]
    class DimCheckMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class LayerType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ABSVAL: V1LayerParameter.LayerType
    ACCURACY: V1LayerParameter.LayerType
    ACCURACY_PARAM_FIELD_NUMBER: _ClassVar[int]
    ANNOTATED_DATA: V1LayerParameter.LayerType
    ANNOTATED_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    ARGMAX: V1LayerParameter.LayerType
    ARGMAX_PARAM_FIELD_NUMBER: _ClassVar[int]
    AXPY: V1LayerParameter.LayerType
    BATCH_NORM: V1LayerParameter.LayerType
    BATCH_NORM_PARAM_FIELD_NUMBER: _ClassVar[int]
    BATCH_REINDEX: V1LayerParameter.LayerType
    BIAS: V1LayerParameter.LayerType
    BIAS_PARAM_FIELD_NUMBER: _ClassVar[int]
    BLOBS_FIELD_NUMBER: _ClassVar[int]
    BLOBS_LR_FIELD_NUMBER: _ClassVar[int]
    BLOB_SHARE_MODE_FIELD_NUMBER: _ClassVar[int]
    BN: V1LayerParameter.LayerType
    BNLL: V1LayerParameter.LayerType
    BN_PARAM_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_FIELD_NUMBER: _ClassVar[int]
    BOX_ANNOTATOR_OHEM: V1LayerParameter.LayerType
    BOX_ANNOTATOR_OHEM_PARAM_FIELD_NUMBER: _ClassVar[int]
    CENTER_LOSS: V1LayerParameter.LayerType
    CENTER_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_NORM: V1LayerParameter.LayerType
    CLIP: V1LayerParameter.LayerType
    CLIP_PARAM_FIELD_NUMBER: _ClassVar[int]
    CONCAT: V1LayerParameter.LayerType
    CONCAT_PARAM_FIELD_NUMBER: _ClassVar[int]
    CONTINUATION_INDICATOR: V1LayerParameter.LayerType
    CONTINUATION_INDICATOR_PARAM_FIELD_NUMBER: _ClassVar[int]
    CONTRASTIVE_LOSS: V1LayerParameter.LayerType
    CONTRASTIVE_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    CONVOLUTION: V1LayerParameter.LayerType
    CONVOLUTION3D: V1LayerParameter.LayerType
    CONVOLUTION3D_PARAM_FIELD_NUMBER: _ClassVar[int]
    CONVOLUTION_DEPTHWISE: V1LayerParameter.LayerType
    CONVOLUTION_PARAM_FIELD_NUMBER: _ClassVar[int]
    CORRELATION: V1LayerParameter.LayerType
    CORRELATION_PARAM_FIELD_NUMBER: _ClassVar[int]
    CROP: V1LayerParameter.LayerType
    CROP_PARAM_FIELD_NUMBER: _ClassVar[int]
    CTC_DECODER_PARAM_FIELD_NUMBER: _ClassVar[int]
    CTC_GREEDY_DECODER: V1LayerParameter.LayerType
    CTC_LOSS: V1LayerParameter.LayerType
    CTC_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    DATA: V1LayerParameter.LayerType
    DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    DECONVOLUTION: V1LayerParameter.LayerType
    DENSE_IMAGE_DATA: V1LayerParameter.LayerType
    DENSE_IMAGE_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    DEPTHWISE_CONVOLUTION: V1LayerParameter.LayerType
    DETECTION_EVALUATE: V1LayerParameter.LayerType
    DETECTION_EVALUATE_PARAM_FIELD_NUMBER: _ClassVar[int]
    DETECTION_OUTPUT: V1LayerParameter.LayerType
    DETECTION_OUTPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    DETECTNET_AUGMENTATION_PARAM_FIELD_NUMBER: _ClassVar[int]
    DETECTNET_GROUNDTRUTH_PARAM_FIELD_NUMBER: _ClassVar[int]
    DETECTNET_TRANSFORMATION: V1LayerParameter.LayerType
    DOWNSAMPLE: V1LayerParameter.LayerType
    DOWNSAMPLE_PARAM_FIELD_NUMBER: _ClassVar[int]
    DROPOUT: V1LayerParameter.LayerType
    DROPOUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    DUMMY_DATA: V1LayerParameter.LayerType
    DUMMY_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    ELTWISE: V1LayerParameter.LayerType
    ELTWISE_PARAM_FIELD_NUMBER: _ClassVar[int]
    ELU: V1LayerParameter.LayerType
    ELU_PARAM_FIELD_NUMBER: _ClassVar[int]
    EMBED: V1LayerParameter.LayerType
    EMBED_PARAM_FIELD_NUMBER: _ClassVar[int]
    EUCLIDEAN_LOSS: V1LayerParameter.LayerType
    EXCLUDE_FIELD_NUMBER: _ClassVar[int]
    EXP: V1LayerParameter.LayerType
    EXP_PARAM_FIELD_NUMBER: _ClassVar[int]
    FILTER: V1LayerParameter.LayerType
    FLATTEN: V1LayerParameter.LayerType
    FLATTEN_PARAM_FIELD_NUMBER: _ClassVar[int]
    FLOW_WARP: V1LayerParameter.LayerType
    FLOW_WARP_PARAM_FIELD_NUMBER: _ClassVar[int]
    GATHER: V1LayerParameter.LayerType
    HDF5_DATA: V1LayerParameter.LayerType
    HDF5_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    HDF5_OUTPUT: V1LayerParameter.LayerType
    HDF5_OUTPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    HINGE_LOSS: V1LayerParameter.LayerType
    HINGE_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    IM2COL: V1LayerParameter.LayerType
    IMAGE_DATA: V1LayerParameter.LayerType
    IMAGE_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    IMAGE_LABELMAP_DATA: V1LayerParameter.LayerType
    IMAGE_SEG_DATA: V1LayerParameter.LayerType
    INCLUDE_FIELD_NUMBER: _ClassVar[int]
    INFOGAIN_LOSS: V1LayerParameter.LayerType
    INFOGAIN_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    INNER_PRODUCT: V1LayerParameter.LayerType
    INNER_PRODUCT_PARAM_FIELD_NUMBER: _ClassVar[int]
    INPUT: V1LayerParameter.LayerType
    INPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    INTERP: V1LayerParameter.LayerType
    INTERP_PARAM_FIELD_NUMBER: _ClassVar[int]
    L1_LOSS: V1LayerParameter.LayerType
    LABELSEQUENCE_ACCURACY: V1LayerParameter.LayerType
    LABELSEQUENCE_ACCURACY_PARAM_FIELD_NUMBER: _ClassVar[int]
    LABEL_SPECIFIC_ADD: V1LayerParameter.LayerType
    LABEL_SPECIFIC_ADD_PARAM_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    LOG: V1LayerParameter.LayerType
    LOG_PARAM_FIELD_NUMBER: _ClassVar[int]
    LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    LOSS_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    LRN: V1LayerParameter.LayerType
    LRN_PARAM_FIELD_NUMBER: _ClassVar[int]
    LSTM: V1LayerParameter.LayerType
    LSTM_PARAM_FIELD_NUMBER: _ClassVar[int]
    LSTM_UNIT: V1LayerParameter.LayerType
    MARGIN_INNER_PRODUCT: V1LayerParameter.LayerType
    MARGIN_INNER_PRODUCT_PARAM_FIELD_NUMBER: _ClassVar[int]
    MEMORY_DATA: V1LayerParameter.LayerType
    MEMORY_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    MULTIBOX_LOSS: V1LayerParameter.LayerType
    MULTIBOX_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    MULTINOMIAL_LOGISTIC_LOSS: V1LayerParameter.LayerType
    MVN: V1LayerParameter.LayerType
    MVN_PARAM_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NONE: V1LayerParameter.LayerType
    NORMALIZE: V1LayerParameter.LayerType
    NORMALIZE_PARAM_FIELD_NUMBER: _ClassVar[int]
    NORM_PARAM_FIELD_NUMBER: _ClassVar[int]
    PARALLEL_DATA: V1LayerParameter.LayerType
    PARALLEL_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    PARALLEL_INMEM_DATA: V1LayerParameter.LayerType
    PARALLEL_INMEM_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    PARAMETER: V1LayerParameter.LayerType
    PARAMETER_PARAM_FIELD_NUMBER: _ClassVar[int]
    PARAM_FIELD_NUMBER: _ClassVar[int]
    PERMISSIVE: V1LayerParameter.DimCheckMode
    PERMUTE: V1LayerParameter.LayerType
    PERMUTE_PARAM_FIELD_NUMBER: _ClassVar[int]
    POOLING: V1LayerParameter.LayerType
    POOLING3D: V1LayerParameter.LayerType
    POOLING3D_PARAM_FIELD_NUMBER: _ClassVar[int]
    POOLING_PARAM_FIELD_NUMBER: _ClassVar[int]
    POWER: V1LayerParameter.LayerType
    POWER_PARAM_FIELD_NUMBER: _ClassVar[int]
    PRELU: V1LayerParameter.LayerType
    PRELU_PARAM_FIELD_NUMBER: _ClassVar[int]
    PRIOR_BOX: V1LayerParameter.LayerType
    PRIOR_BOX_PARAM_FIELD_NUMBER: _ClassVar[int]
    PROPOSAL: V1LayerParameter.LayerType
    PROPOSAL_PARAM_FIELD_NUMBER: _ClassVar[int]
    PSROI_POOLING: V1LayerParameter.LayerType
    PSROI_POOLING_PARAM_FIELD_NUMBER: _ClassVar[int]
    PYTHON: V1LayerParameter.LayerType
    PYTHON_PARAM_FIELD_NUMBER: _ClassVar[int]
    RECURRENT_PARAM_FIELD_NUMBER: _ClassVar[int]
    REDUCTION: V1LayerParameter.LayerType
    REDUCTION_PARAM_FIELD_NUMBER: _ClassVar[int]
    REGION_LOSS: V1LayerParameter.LayerType
    REGION_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    RELU: V1LayerParameter.LayerType
    RELU6: V1LayerParameter.LayerType
    RELU6_PARAM_FIELD_NUMBER: _ClassVar[int]
    RELU_PARAM_FIELD_NUMBER: _ClassVar[int]
    REORG: V1LayerParameter.LayerType
    REORG_PARAM_FIELD_NUMBER: _ClassVar[int]
    RESAMPLE: V1LayerParameter.LayerType
    RESAMPLE_PARAM_FIELD_NUMBER: _ClassVar[int]
    RESHAPE: V1LayerParameter.LayerType
    RESHAPE_PARAM_FIELD_NUMBER: _ClassVar[int]
    REVERSE: V1LayerParameter.LayerType
    REVERSE_PARAM_FIELD_NUMBER: _ClassVar[int]
    RNN: V1LayerParameter.LayerType
    ROI_ALIGN: V1LayerParameter.LayerType
    ROI_ALIGN_PARAM_FIELD_NUMBER: _ClassVar[int]
    ROI_POOLING: V1LayerParameter.LayerType
    ROI_POOLING_PARAM_FIELD_NUMBER: _ClassVar[int]
    SCALE: V1LayerParameter.LayerType
    SCALE_PARAM_FIELD_NUMBER: _ClassVar[int]
    SEG_ACCURACY: V1LayerParameter.LayerType
    SEG_ACCURACY_PARAM_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_CHANNEL: V1LayerParameter.LayerType
    SHUFFLE_CHANNEL_PARAM_FIELD_NUMBER: _ClassVar[int]
    SIGMOID: V1LayerParameter.LayerType
    SIGMOID_CROSS_ENTROPY_LOSS: V1LayerParameter.LayerType
    SIGMOID_PARAM_FIELD_NUMBER: _ClassVar[int]
    SILENCE: V1LayerParameter.LayerType
    SLICE: V1LayerParameter.LayerType
    SLICE_PARAM_FIELD_NUMBER: _ClassVar[int]
    SMOOTH_L1_LOSS: V1LayerParameter.LayerType
    SMOOTH_L1_LOSS_OHEM: V1LayerParameter.LayerType
    SMOOTH_L1_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    SOFTMAX: V1LayerParameter.LayerType
    SOFTMAX_LOSS: V1LayerParameter.LayerType
    SOFTMAX_PARAM_FIELD_NUMBER: _ClassVar[int]
    SOFTMAX_WITH_LOSS_OHEM: V1LayerParameter.LayerType
    SPATIAL_DROPOUT: V1LayerParameter.LayerType
    SPATIAL_DROPOUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_TRANSFORMER: V1LayerParameter.LayerType
    SPLIT: V1LayerParameter.LayerType
    SPP: V1LayerParameter.LayerType
    SPP_PARAM_FIELD_NUMBER: _ClassVar[int]
    STRICT: V1LayerParameter.DimCheckMode
    ST_PARAM_FIELD_NUMBER: _ClassVar[int]
    SWISH: V1LayerParameter.LayerType
    SWISH_PARAM_FIELD_NUMBER: _ClassVar[int]
    TANH: V1LayerParameter.LayerType
    TANH_PARAM_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD: V1LayerParameter.LayerType
    THRESHOLD_PARAM_FIELD_NUMBER: _ClassVar[int]
    TILE: V1LayerParameter.LayerType
    TILE_PARAM_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    TRANSFORM_PARAM_FIELD_NUMBER: _ClassVar[int]
    TRANSPOSE: V1LayerParameter.LayerType
    TRANSPOSE_PARAM_FIELD_NUMBER: _ClassVar[int]
    TRIPLET_LOSS: V1LayerParameter.LayerType
    TRIPLET_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    UNPOOLING: V1LayerParameter.LayerType
    UNPOOLING_PARAM_FIELD_NUMBER: _ClassVar[int]
    UPSAMPLE: V1LayerParameter.LayerType
    UPSAMPLE_PARAM_FIELD_NUMBER: _ClassVar[int]
    VIDEO_DATA: V1LayerParameter.LayerType
    VIDEO_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_DECAY_FIELD_NUMBER: _ClassVar[int]
    WINDOW_DATA: V1LayerParameter.LayerType
    WINDOW_DATA_PARAM_FIELD_NUMBER: _ClassVar[int]
    YOLOV3_DETECTION_OUTPUT: V1LayerParameter.LayerType
    YOLOV3_DETECTION_OUTPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    YOLO_DETECTION_OUTPUT: V1LayerParameter.LayerType
    YOLO_DETECTION_OUTPUT_PARAM_FIELD_NUMBER: _ClassVar[int]
    YOLO_V2_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    YOLO_V3_LOSS_PARAM_FIELD_NUMBER: _ClassVar[int]
    accuracy_param: AccuracyParameter
    annotated_data_param: AnnotatedDataParameter
    argmax_param: ArgMaxParameter
    batch_norm_param: BatchNormParameter
    bias_param: BiasParameter
    blob_share_mode: _containers.RepeatedScalarFieldContainer[V1LayerParameter.DimCheckMode]
    blobs: _containers.RepeatedCompositeFieldContainer[BlobProto]
    blobs_lr: _containers.RepeatedScalarFieldContainer[float]
    bn_param: BNParameter
    bottom: _containers.RepeatedScalarFieldContainer[str]
    box_annotator_ohem_param: BoxAnnotatorOHEMParameter
    center_loss_param: CenterLossParameter
    clip_param: ClipParameter
    concat_param: ConcatParameter
    continuation_indicator_param: ContinuationIndicatorParameter
    contrastive_loss_param: ContrastiveLossParameter
    convolution3d_param: Convolution3DParameter
    convolution_param: ConvolutionParameter
    correlation_param: CorrelationParameter
    crop_param: CropParameter
    ctc_decoder_param: CTCDecoderParameter
    ctc_loss_param: CTCLossParameter
    data_param: DataParameter
    dense_image_data_param: DenseImageDataParameter
    detection_evaluate_param: DetectionEvaluateParameter
    detection_output_param: DetectionOutputParameter
    detectnet_augmentation_param: DetectNetAugmentationParameter
    detectnet_groundtruth_param: DetectNetGroundTruthParameter
    downsample_param: DownsampleParameter
    dropout_param: DropoutParameter
    dummy_data_param: DummyDataParameter
    eltwise_param: EltwiseParameter
    elu_param: ELUParameter
    embed_param: EmbedParameter
    exclude: _containers.RepeatedCompositeFieldContainer[NetStateRule]
    exp_param: ExpParameter
    flatten_param: FlattenParameter
    flow_warp_param: FlowWarpParameter
    hdf5_data_param: HDF5DataParameter
    hdf5_output_param: HDF5OutputParameter
    hinge_loss_param: HingeLossParameter
    image_data_param: ImageDataParameter
    include: _containers.RepeatedCompositeFieldContainer[NetStateRule]
    infogain_loss_param: InfogainLossParameter
    inner_product_param: InnerProductParameter
    input_param: InputParameter
    interp_param: InterpParameter
    label_specific_add_param: LabelSpecificAddParameter
    labelsequence_accuracy_param: LabelsequenceAccuracyParameter
    layer: V0LayerParameter
    log_param: LogParameter
    loss_param: LossParameter
    loss_weight: _containers.RepeatedScalarFieldContainer[float]
    lrn_param: LRNParameter
    lstm_param: LstmParameter
    margin_inner_product_param: MarginInnerProductParameter
    memory_data_param: MemoryDataParameter
    multibox_loss_param: MultiBoxLossParameter
    mvn_param: MVNParameter
    name: str
    norm_param: NormalizeParameter
    normalize_param: DirectionParameter
    parallel_data_param: ParallelDataParameter
    parallel_inmem_data_param: ParallelInMemDataParameter
    param: _containers.RepeatedScalarFieldContainer[str]
    parameter_param: ParameterParameter
    permute_param: PermuteParameter
    pooling3d_param: Pooling3DParameter
    pooling_param: PoolingParameter
    power_param: PowerParameter
    prelu_param: PReLUParameter
    prior_box_param: PriorBoxParameter
    proposal_param: ProposalParameter
    psroi_pooling_param: PSROIPoolingParameter
    python_param: PythonParameter
    recurrent_param: RecurrentParameter
    reduction_param: ReductionParameter
    region_loss_param: RegionLossParameter
    relu6_param: ReLU6Parameter
    relu_param: ReLUParameter
    reorg_param: ReorgParameter
    resample_param: ResampleParameter
    reshape_param: ReshapeParameter
    reverse_param: ReverseParameter
    roi_align_param: ROIAlignParameter
    roi_pooling_param: ROIPoolingParameter
    scale_param: ScaleParameter
    seg_accuracy_param: SegAccuracyParameter
    shuffle_channel_param: ShuffleChannelParameter
    sigmoid_param: SigmoidParameter
    slice_param: SliceParameter
    smooth_l1_loss_param: SmoothL1LossParameter
    softmax_param: SoftmaxParameter
    spatial_dropout_param: SpatialDropoutParameter
    spp_param: SPPParameter
    st_param: SpatialTransformerParameter
    swish_param: SwishParameter
    tanh_param: TanHParameter
    threshold_param: ThresholdParameter
    tile_param: TileParameter
    top: _containers.RepeatedScalarFieldContainer[str]
    transform_param: TransformationParameter
    transpose_param: TransposeParameter
    triplet_loss_param: TripletLossParameter
    type: V1LayerParameter.LayerType
    unpooling_param: UnpoolingParameter
    upsample_param: UpsampleParameter
    video_data_param: VideoDataParameter
    weight_decay: _containers.RepeatedScalarFieldContainer[float]
    window_data_param: WindowDataParameter
    yolo_detection_output_param: YoloDetectionOutputParameter
    yolo_v2_loss_param: YoloV2LossParameter
    yolo_v3_loss_param: YoloV3LossParameter
    yolov3_detection_output_param: Yolov3DetectionOutputParameter
    def __init__(self, layer: _Optional[_Union[V0LayerParameter, _Mapping[str, object]]] = ..., bottom: _Optional[_Iterable[str]] = ..., top: _Optional[_Iterable[str]] = ..., name: _Optional[str] = ..., type: _Optional[_Union[V1LayerParameter.LayerType, str]] = ..., blobs: _Optional[_Iterable[_Union[BlobProto, _Mapping[str, object]]]] = ..., blobs_lr: _Optional[_Iterable[float]] = ..., weight_decay: _Optional[_Iterable[float]] = ..., concat_param: _Optional[_Union[ConcatParameter, _Mapping[str, object]]] = ..., convolution_param: _Optional[_Union[ConvolutionParameter, _Mapping[str, object]]] = ..., data_param: _Optional[_Union[DataParameter, _Mapping[str, object]]] = ..., dropout_param: _Optional[_Union[DropoutParameter, _Mapping[str, object]]] = ..., hdf5_data_param: _Optional[_Union[HDF5DataParameter, _Mapping[str, object]]] = ..., hdf5_output_param: _Optional[_Union[HDF5OutputParameter, _Mapping[str, object]]] = ..., image_data_param: _Optional[_Union[ImageDataParameter, _Mapping[str, object]]] = ..., infogain_loss_param: _Optional[_Union[InfogainLossParameter, _Mapping[str, object]]] = ..., inner_product_param: _Optional[_Union[InnerProductParameter, _Mapping[str, object]]] = ..., lrn_param: _Optional[_Union[LRNParameter, _Mapping[str, object]]] = ..., pooling_param: _Optional[_Union[PoolingParameter, _Mapping[str, object]]] = ..., window_data_param: _Optional[_Union[WindowDataParameter, _Mapping[str, object]]] = ..., power_param: _Optional[_Union[PowerParameter, _Mapping[str, object]]] = ..., memory_data_param: _Optional[_Union[MemoryDataParameter, _Mapping[str, object]]] = ..., argmax_param: _Optional[_Union[ArgMaxParameter, _Mapping[str, object]]] = ..., eltwise_param: _Optional[_Union[EltwiseParameter, _Mapping[str, object]]] = ..., threshold_param: _Optional[_Union[ThresholdParameter, _Mapping[str, object]]] = ..., dummy_data_param: _Optional[_Union[DummyDataParameter, _Mapping[str, object]]] = ..., accuracy_param: _Optional[_Union[AccuracyParameter, _Mapping[str, object]]] = ..., hinge_loss_param: _Optional[_Union[HingeLossParameter, _Mapping[str, object]]] = ..., relu_param: _Optional[_Union[ReLUParameter, _Mapping[str, object]]] = ..., slice_param: _Optional[_Union[SliceParameter, _Mapping[str, object]]] = ..., include: _Optional[_Iterable[_Union[NetStateRule, _Mapping[str, object]]]] = ..., exclude: _Optional[_Iterable[_Union[NetStateRule, _Mapping[str, object]]]] = ..., mvn_param: _Optional[_Union[MVNParameter, _Mapping[str, object]]] = ..., loss_weight: _Optional[_Iterable[float]] = ..., transform_param: _Optional[_Union[TransformationParameter, _Mapping[str, object]]] = ..., tanh_param: _Optional[_Union[TanHParameter, _Mapping[str, object]]] = ..., sigmoid_param: _Optional[_Union[SigmoidParameter, _Mapping[str, object]]] = ..., softmax_param: _Optional[_Union[SoftmaxParameter, _Mapping[str, object]]] = ..., contrastive_loss_param: _Optional[_Union[ContrastiveLossParameter, _Mapping[str, object]]] = ..., exp_param: _Optional[_Union[ExpParameter, _Mapping[str, object]]] = ..., loss_param: _Optional[_Union[LossParameter, _Mapping[str, object]]] = ..., param: _Optional[_Iterable[str]] = ..., blob_share_mode: _Optional[_Iterable[_Union[V1LayerParameter.DimCheckMode, str]]] = ..., parallel_data_param: _Optional[_Union[ParallelDataParameter, _Mapping[str, object]]] = ..., parallel_inmem_data_param: _Optional[_Union[ParallelInMemDataParameter, _Mapping[str, object]]] = ..., relu6_param: _Optional[_Union[ReLU6Parameter, _Mapping[str, object]]] = ..., yolo_v2_loss_param: _Optional[_Union[YoloV2LossParameter, _Mapping[str, object]]] = ..., yolo_v3_loss_param: _Optional[_Union[YoloV3LossParameter, _Mapping[str, object]]] = ..., interp_param: _Optional[_Union[InterpParameter, _Mapping[str, object]]] = ..., seg_accuracy_param: _Optional[_Union[SegAccuracyParameter, _Mapping[str, object]]] = ..., bn_param: _Optional[_Union[BNParameter, _Mapping[str, object]]] = ..., unpooling_param: _Optional[_Union[UnpoolingParameter, _Mapping[str, object]]] = ..., python_param: _Optional[_Union[PythonParameter, _Mapping[str, object]]] = ..., prelu_param: _Optional[_Union[PReLUParameter, _Mapping[str, object]]] = ..., spp_param: _Optional[_Union[SPPParameter, _Mapping[str, object]]] = ..., reshape_param: _Optional[_Union[ReshapeParameter, _Mapping[str, object]]] = ..., log_param: _Optional[_Union[LogParameter, _Mapping[str, object]]] = ..., flatten_param: _Optional[_Union[FlattenParameter, _Mapping[str, object]]] = ..., reduction_param: _Optional[_Union[ReductionParameter, _Mapping[str, object]]] = ..., embed_param: _Optional[_Union[EmbedParameter, _Mapping[str, object]]] = ..., tile_param: _Optional[_Union[TileParameter, _Mapping[str, object]]] = ..., batch_norm_param: _Optional[_Union[BatchNormParameter, _Mapping[str, object]]] = ..., elu_param: _Optional[_Union[ELUParameter, _Mapping[str, object]]] = ..., bias_param: _Optional[_Union[BiasParameter, _Mapping[str, object]]] = ..., scale_param: _Optional[_Union[ScaleParameter, _Mapping[str, object]]] = ..., input_param: _Optional[_Union[InputParameter, _Mapping[str, object]]] = ..., crop_param: _Optional[_Union[CropParameter, _Mapping[str, object]]] = ..., parameter_param: _Optional[_Union[ParameterParameter, _Mapping[str, object]]] = ..., recurrent_param: _Optional[_Union[RecurrentParameter, _Mapping[str, object]]] = ..., swish_param: _Optional[_Union[SwishParameter, _Mapping[str, object]]] = ..., clip_param: _Optional[_Union[ClipParameter, _Mapping[str, object]]] = ..., reorg_param: _Optional[_Union[ReorgParameter, _Mapping[str, object]]] = ..., shuffle_channel_param: _Optional[_Union[ShuffleChannelParameter, _Mapping[str, object]]] = ..., dense_image_data_param: _Optional[_Union[DenseImageDataParameter, _Mapping[str, object]]] = ..., upsample_param: _Optional[_Union[UpsampleParameter, _Mapping[str, object]]] = ..., annotated_data_param: _Optional[_Union[AnnotatedDataParameter, _Mapping[str, object]]] = ..., multibox_loss_param: _Optional[_Union[MultiBoxLossParameter, _Mapping[str, object]]] = ..., permute_param: _Optional[_Union[PermuteParameter, _Mapping[str, object]]] = ..., prior_box_param: _Optional[_Union[PriorBoxParameter, _Mapping[str, object]]] = ..., detection_output_param: _Optional[_Union[DetectionOutputParameter, _Mapping[str, object]]] = ..., detection_evaluate_param: _Optional[_Union[DetectionEvaluateParameter, _Mapping[str, object]]] = ..., norm_param: _Optional[_Union[NormalizeParameter, _Mapping[str, object]]] = ..., video_data_param: _Optional[_Union[VideoDataParameter, _Mapping[str, object]]] = ..., proposal_param: _Optional[_Union[ProposalParameter, _Mapping[str, object]]] = ..., reverse_param: _Optional[_Union[ReverseParameter, _Mapping[str, object]]] = ..., pooling3d_param: _Optional[_Union[Pooling3DParameter, _Mapping[str, object]]] = ..., region_loss_param: _Optional[_Union[RegionLossParameter, _Mapping[str, object]]] = ..., yolo_detection_output_param: _Optional[_Union[YoloDetectionOutputParameter, _Mapping[str, object]]] = ..., yolov3_detection_output_param: _Optional[_Union[Yolov3DetectionOutputParameter, _Mapping[str, object]]] = ..., detectnet_groundtruth_param: _Optional[_Union[DetectNetGroundTruthParameter, _Mapping[str, object]]] = ..., detectnet_augmentation_param: _Optional[_Union[DetectNetAugmentationParameter, _Mapping[str, object]]] = ..., box_annotator_ohem_param: _Optional[_Union[BoxAnnotatorOHEMParameter, _Mapping[str, object]]] = ..., psroi_pooling_param: _Optional[_Union[PSROIPoolingParameter, _Mapping[str, object]]] = ..., center_loss_param: _Optional[_Union[CenterLossParameter, _Mapping[str, object]]] = ..., correlation_param: _Optional[_Union[CorrelationParameter, _Mapping[str, object]]] = ..., resample_param: _Optional[_Union[ResampleParameter, _Mapping[str, object]]] = ..., downsample_param: _Optional[_Union[DownsampleParameter, _Mapping[str, object]]] = ..., flow_warp_param: _Optional[_Union[FlowWarpParameter, _Mapping[str, object]]] = ..., ctc_loss_param: _Optional[_Union[CTCLossParameter, _Mapping[str, object]]] = ..., ctc_decoder_param: _Optional[_Union[CTCDecoderParameter, _Mapping[str, object]]] = ..., transpose_param: _Optional[_Union[TransposeParameter, _Mapping[str, object]]] = ..., lstm_param: _Optional[_Union[LstmParameter, _Mapping[str, object]]] = ..., convolution3d_param: _Optional[_Union[Convolution3DParameter, _Mapping[str, object]]] = ..., st_param: _Optional[_Union[SpatialTransformerParameter, _Mapping[str, object]]] = ..., continuation_indicator_param: _Optional[_Union[ContinuationIndicatorParameter, _Mapping[str, object]]] = ..., labelsequence_accuracy_param: _Optional[_Union[LabelsequenceAccuracyParameter, _Mapping[str, object]]] = ..., triplet_loss_param: _Optional[_Union[TripletLossParameter, _Mapping[str, object]]] = ..., margin_inner_product_param: _Optional[_Union[MarginInnerProductParameter, _Mapping[str, object]]] = ..., normalize_param: _Optional[_Union[DirectionParameter, _Mapping[str, object]]] = ..., label_specific_add_param: _Optional[_Union[LabelSpecificAddParameter, _Mapping[str, object]]] = ..., spatial_dropout_param: _Optional[_Union[SpatialDropoutParameter, _Mapping[str, object]]] = ..., roi_pooling_param: _Optional[_Union[ROIPoolingParameter, _Mapping[str, object]]] = ..., smooth_l1_loss_param: _Optional[_Union[SmoothL1LossParameter, _Mapping[str, object]]] = ..., roi_align_param: _Optional[_Union[ROIAlignParameter, _Mapping[str, object]]] = ...) -> None: ...

class VideoDataParameter(_message.Message):
    __slots__ = ["batch_size", "device_id", "grayscale", "modality", "name_pattern", "new_height", "new_length", "new_width", "num_segments", "root_folder", "shuffle", "skip_frames", "source", "video_file", "video_type"]
    class Modality(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class VideoType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    FLOW: VideoDataParameter.Modality
    GRAYSCALE_FIELD_NUMBER: _ClassVar[int]
    MODALITY_FIELD_NUMBER: _ClassVar[int]
    NAME_PATTERN_FIELD_NUMBER: _ClassVar[int]
    NEW_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    NEW_LENGTH_FIELD_NUMBER: _ClassVar[int]
    NEW_WIDTH_FIELD_NUMBER: _ClassVar[int]
    NUM_SEGMENTS_FIELD_NUMBER: _ClassVar[int]
    RGB: VideoDataParameter.Modality
    ROOT_FOLDER_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_FIELD_NUMBER: _ClassVar[int]
    SKIP_FRAMES_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    VIDEO: VideoDataParameter.VideoType
    VIDEO_FILE_FIELD_NUMBER: _ClassVar[int]
    VIDEO_TYPE_FIELD_NUMBER: _ClassVar[int]
    WEBCAM: VideoDataParameter.VideoType
    batch_size: int
    device_id: int
    grayscale: bool
    modality: VideoDataParameter.Modality
    name_pattern: str
    new_height: int
    new_length: int
    new_width: int
    num_segments: int
    root_folder: str
    shuffle: bool
    skip_frames: int
    source: str
    video_file: str
    video_type: VideoDataParameter.VideoType
    def __init__(self, video_type: _Optional[_Union[VideoDataParameter.VideoType, str]] = ..., device_id: _Optional[int] = ..., video_file: _Optional[str] = ..., skip_frames: _Optional[int] = ..., source: _Optional[str] = ..., batch_size: _Optional[int] = ..., new_length: _Optional[int] = ..., num_segments: _Optional[int] = ..., modality: _Optional[_Union[VideoDataParameter.Modality, str]] = ..., new_height: _Optional[int] = ..., new_width: _Optional[int] = ..., shuffle: bool = ..., name_pattern: _Optional[str] = ..., root_folder: _Optional[str] = ..., grayscale: bool = ...) -> None: ...

class Where4GatherndCropParameter(_message.Message):
    __slots__ = ["axis", "crop_h", "crop_w", "extrapolation_value", "num_output"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    CROP_H_FIELD_NUMBER: _ClassVar[int]
    CROP_W_FIELD_NUMBER: _ClassVar[int]
    EXTRAPOLATION_VALUE_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    axis: int
    crop_h: int
    crop_w: int
    extrapolation_value: float
    num_output: int
    def __init__(self, num_output: _Optional[int] = ..., axis: _Optional[int] = ..., crop_h: _Optional[int] = ..., crop_w: _Optional[int] = ..., extrapolation_value: _Optional[float] = ...) -> None: ...

class Where4GatherndParameter(_message.Message):
    __slots__ = ["axis", "num_output"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    axis: int
    num_output: int
    def __init__(self, num_output: _Optional[int] = ..., axis: _Optional[int] = ...) -> None: ...

class Where4Parameter(_message.Message):
    __slots__ = ["axis", "num_output"]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    NUM_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    axis: int
    num_output: int
    def __init__(self, num_output: _Optional[int] = ..., axis: _Optional[int] = ...) -> None: ...

class WindowDataParameter(_message.Message):
    __slots__ = ["batch_size", "bg_threshold", "cache_images", "context_pad", "crop_mode", "crop_size", "fg_fraction", "fg_threshold", "mean_file", "mirror", "root_folder", "scale", "source"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    BG_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    CACHE_IMAGES_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_PAD_FIELD_NUMBER: _ClassVar[int]
    CROP_MODE_FIELD_NUMBER: _ClassVar[int]
    CROP_SIZE_FIELD_NUMBER: _ClassVar[int]
    FG_FRACTION_FIELD_NUMBER: _ClassVar[int]
    FG_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    MEAN_FILE_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    ROOT_FOLDER_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    bg_threshold: float
    cache_images: bool
    context_pad: int
    crop_mode: str
    crop_size: int
    fg_fraction: float
    fg_threshold: float
    mean_file: str
    mirror: bool
    root_folder: str
    scale: float
    source: str
    def __init__(self, source: _Optional[str] = ..., scale: _Optional[float] = ..., mean_file: _Optional[str] = ..., batch_size: _Optional[int] = ..., crop_size: _Optional[int] = ..., mirror: bool = ..., fg_threshold: _Optional[float] = ..., bg_threshold: _Optional[float] = ..., fg_fraction: _Optional[float] = ..., context_pad: _Optional[int] = ..., crop_mode: _Optional[str] = ..., cache_images: bool = ..., root_folder: _Optional[str] = ...) -> None: ...

class WriterParameter(_message.Message):
    __slots__ = ["file", "folder", "normalize", "prefix", "scale", "suffix"]
    FILE_FIELD_NUMBER: _ClassVar[int]
    FOLDER_FIELD_NUMBER: _ClassVar[int]
    NORMALIZE_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    SUFFIX_FIELD_NUMBER: _ClassVar[int]
    file: str
    folder: str
    normalize: bool
    prefix: str
    scale: float
    suffix: str
    def __init__(self, file: _Optional[str] = ..., folder: _Optional[str] = ..., prefix: _Optional[str] = ..., suffix: _Optional[str] = ..., normalize: bool = ..., scale: _Optional[float] = ...) -> None: ...

class XLUParameter(_message.Message):
    __slots__ = ["engine", "maximum", "minimum", "negative_slope", "relu6", "saturate"]
    class Engine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class SaturateMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CAFFE: XLUParameter.Engine
    CUDNN: XLUParameter.Engine
    DEFAULT: XLUParameter.Engine
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    NEGATIVE_SLOPE_FIELD_NUMBER: _ClassVar[int]
    RELU6_FIELD_NUMBER: _ClassVar[int]
    SATURATE_FIELD_NUMBER: _ClassVar[int]
    Signed: XLUParameter.SaturateMethod
    Signed_8bit: XLUParameter.SaturateMethod
    Unsigned: XLUParameter.SaturateMethod
    Unsigned_8bit: XLUParameter.SaturateMethod
    engine: XLUParameter.Engine
    maximum: float
    minimum: float
    negative_slope: float
    relu6: bool
    saturate: XLUParameter.SaturateMethod
    def __init__(self, negative_slope: _Optional[float] = ..., engine: _Optional[_Union[XLUParameter.Engine, str]] = ..., relu6: bool = ..., saturate: _Optional[_Union[XLUParameter.SaturateMethod, str]] = ..., maximum: _Optional[float] = ..., minimum: _Optional[float] = ...) -> None: ...

class YoloDetectionOutputParameter(_message.Message):
    __slots__ = ["biases", "confidence_threshold", "coords", "label_map_file", "nms_threshold", "num_box", "num_classes", "side"]
    BIASES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    COORDS_FIELD_NUMBER: _ClassVar[int]
    LABEL_MAP_FILE_FIELD_NUMBER: _ClassVar[int]
    NMS_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    NUM_BOX_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    biases: _containers.RepeatedScalarFieldContainer[float]
    confidence_threshold: float
    coords: int
    label_map_file: str
    nms_threshold: float
    num_box: int
    num_classes: int
    side: int
    def __init__(self, side: _Optional[int] = ..., num_classes: _Optional[int] = ..., num_box: _Optional[int] = ..., coords: _Optional[int] = ..., confidence_threshold: _Optional[float] = ..., nms_threshold: _Optional[float] = ..., biases: _Optional[_Iterable[float]] = ..., label_map_file: _Optional[str] = ...) -> None: ...

class YoloSegItem(_message.Message):
    __slots__ = ["b", "g", "label", "label_id", "name", "r"]
    B_FIELD_NUMBER: _ClassVar[int]
    G_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    LABEL_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    R_FIELD_NUMBER: _ClassVar[int]
    b: int
    g: int
    label: int
    label_id: int
    name: str
    r: int
    def __init__(self, name: _Optional[str] = ..., label_id: _Optional[int] = ..., label: _Optional[int] = ..., r: _Optional[int] = ..., g: _Optional[int] = ..., b: _Optional[int] = ...) -> None: ...

class YoloSegLabel(_message.Message):
    __slots__ = ["item"]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    item: _containers.RepeatedCompositeFieldContainer[YoloSegItem]
    def __init__(self, item: _Optional[_Iterable[_Union[YoloSegItem, _Mapping[str, object]]]] = ...) -> None: ...

class YoloSegParameter(_message.Message):
    __slots__ = ["class_scale", "num_class", "object_scale", "use_hardsigmoid", "use_logic_gradient"]
    CLASS_SCALE_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASS_FIELD_NUMBER: _ClassVar[int]
    OBJECT_SCALE_FIELD_NUMBER: _ClassVar[int]
    USE_HARDSIGMOID_FIELD_NUMBER: _ClassVar[int]
    USE_LOGIC_GRADIENT_FIELD_NUMBER: _ClassVar[int]
    class_scale: float
    num_class: int
    object_scale: float
    use_hardsigmoid: bool
    use_logic_gradient: bool
    def __init__(self, num_class: _Optional[int] = ..., object_scale: _Optional[float] = ..., class_scale: _Optional[float] = ..., use_logic_gradient: bool = ..., use_hardsigmoid: bool = ...) -> None: ...

class YoloV2LossParameter(_message.Message):
    __slots__ = ["anchors", "box_scale", "class_scale", "constraint", "noobject_scale", "num_classes", "num_object", "object_scale", "rescore", "side", "thresh"]
    ANCHORS_FIELD_NUMBER: _ClassVar[int]
    BOX_SCALE_FIELD_NUMBER: _ClassVar[int]
    CLASS_SCALE_FIELD_NUMBER: _ClassVar[int]
    CONSTRAINT_FIELD_NUMBER: _ClassVar[int]
    NOOBJECT_SCALE_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    NUM_OBJECT_FIELD_NUMBER: _ClassVar[int]
    OBJECT_SCALE_FIELD_NUMBER: _ClassVar[int]
    RESCORE_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    THRESH_FIELD_NUMBER: _ClassVar[int]
    anchors: _containers.RepeatedScalarFieldContainer[float]
    box_scale: float
    class_scale: float
    constraint: bool
    noobject_scale: float
    num_classes: int
    num_object: int
    object_scale: float
    rescore: bool
    side: int
    thresh: float
    def __init__(self, anchors: _Optional[_Iterable[float]] = ..., side: _Optional[int] = ..., num_classes: _Optional[int] = ..., num_object: _Optional[int] = ..., box_scale: _Optional[float] = ..., class_scale: _Optional[float] = ..., noobject_scale: _Optional[float] = ..., object_scale: _Optional[float] = ..., rescore: bool = ..., constraint: bool = ..., thresh: _Optional[float] = ...) -> None: ...

class YoloV3LossParameter(_message.Message):
    __slots__ = ["anchors", "ignore_thresh", "mask", "net_h", "net_w", "num_classes", "num_object", "side", "total_object", "truth_thresh"]
    ANCHORS_FIELD_NUMBER: _ClassVar[int]
    IGNORE_THRESH_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    NET_H_FIELD_NUMBER: _ClassVar[int]
    NET_W_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    NUM_OBJECT_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_OBJECT_FIELD_NUMBER: _ClassVar[int]
    TRUTH_THRESH_FIELD_NUMBER: _ClassVar[int]
    anchors: _containers.RepeatedScalarFieldContainer[int]
    ignore_thresh: float
    mask: _containers.RepeatedScalarFieldContainer[int]
    net_h: int
    net_w: int
    num_classes: int
    num_object: int
    side: int
    total_object: int
    truth_thresh: float
    def __init__(self, anchors: _Optional[_Iterable[int]] = ..., mask: _Optional[_Iterable[int]] = ..., side: _Optional[int] = ..., num_classes: _Optional[int] = ..., num_object: _Optional[int] = ..., total_object: _Optional[int] = ..., ignore_thresh: _Optional[float] = ..., truth_thresh: _Optional[float] = ..., net_w: _Optional[int] = ..., net_h: _Optional[int] = ...) -> None: ...

class Yolov3DetectionOutputParameter(_message.Message):
    __slots__ = ["anchors_scale", "biases", "confidence_threshold", "gaussian_box", "mask", "mask_group_num", "nms_threshold", "num_box", "num_classes"]
    ANCHORS_SCALE_FIELD_NUMBER: _ClassVar[int]
    BIASES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    GAUSSIAN_BOX_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    MASK_GROUP_NUM_FIELD_NUMBER: _ClassVar[int]
    NMS_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    NUM_BOX_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    anchors_scale: _containers.RepeatedScalarFieldContainer[int]
    biases: _containers.RepeatedScalarFieldContainer[float]
    confidence_threshold: float
    gaussian_box: bool
    mask: _containers.RepeatedScalarFieldContainer[int]
    mask_group_num: int
    nms_threshold: float
    num_box: int
    num_classes: int
    def __init__(self, num_classes: _Optional[int] = ..., num_box: _Optional[int] = ..., confidence_threshold: _Optional[float] = ..., nms_threshold: _Optional[float] = ..., biases: _Optional[_Iterable[float]] = ..., anchors_scale: _Optional[_Iterable[int]] = ..., mask_group_num: _Optional[int] = ..., mask: _Optional[_Iterable[int]] = ..., gaussian_box: bool = ...) -> None: ...

class Yolov3Parameter(_message.Message):
    __slots__ = ["accumulate", "anchors_scale", "biases", "class_scale", "coord_scale", "iou_loss", "iou_normalizer", "iou_thresh", "label_smooth_eps", "mask", "max_delta", "noobject_scale", "num", "num_class", "object_scale", "side", "thresh", "use_focal_loss", "use_logic_gradient"]
    class IOU_LOSS(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ACCUMULATE_FIELD_NUMBER: _ClassVar[int]
    ANCHORS_SCALE_FIELD_NUMBER: _ClassVar[int]
    BIASES_FIELD_NUMBER: _ClassVar[int]
    CIOU: Yolov3Parameter.IOU_LOSS
    CLASS_SCALE_FIELD_NUMBER: _ClassVar[int]
    COORD_SCALE_FIELD_NUMBER: _ClassVar[int]
    DIOU: Yolov3Parameter.IOU_LOSS
    GIOU: Yolov3Parameter.IOU_LOSS
    IOU: Yolov3Parameter.IOU_LOSS
    IOU_LOSS_FIELD_NUMBER: _ClassVar[int]
    IOU_NORMALIZER_FIELD_NUMBER: _ClassVar[int]
    IOU_THRESH_FIELD_NUMBER: _ClassVar[int]
    LABEL_SMOOTH_EPS_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    MAX_DELTA_FIELD_NUMBER: _ClassVar[int]
    MSE: Yolov3Parameter.IOU_LOSS
    NOOBJECT_SCALE_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASS_FIELD_NUMBER: _ClassVar[int]
    NUM_FIELD_NUMBER: _ClassVar[int]
    OBJECT_SCALE_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    THRESH_FIELD_NUMBER: _ClassVar[int]
    USE_FOCAL_LOSS_FIELD_NUMBER: _ClassVar[int]
    USE_LOGIC_GRADIENT_FIELD_NUMBER: _ClassVar[int]
    accumulate: bool
    anchors_scale: int
    biases: _containers.RepeatedScalarFieldContainer[float]
    class_scale: float
    coord_scale: float
    iou_loss: Yolov3Parameter.IOU_LOSS
    iou_normalizer: float
    iou_thresh: float
    label_smooth_eps: float
    mask: _containers.RepeatedScalarFieldContainer[int]
    max_delta: float
    noobject_scale: float
    num: int
    num_class: int
    object_scale: float
    side: int
    thresh: float
    use_focal_loss: bool
    use_logic_gradient: bool
    def __init__(self, side: _Optional[int] = ..., num_class: _Optional[int] = ..., num: _Optional[int] = ..., object_scale: _Optional[float] = ..., class_scale: _Optional[float] = ..., noobject_scale: _Optional[float] = ..., coord_scale: _Optional[float] = ..., thresh: _Optional[float] = ..., anchors_scale: _Optional[int] = ..., biases: _Optional[_Iterable[float]] = ..., mask: _Optional[_Iterable[int]] = ..., use_logic_gradient: bool = ..., use_focal_loss: bool = ..., iou_loss: _Optional[_Union[Yolov3Parameter.IOU_LOSS, str]] = ..., iou_normalizer: _Optional[float] = ..., iou_thresh: _Optional[float] = ..., max_delta: _Optional[float] = ..., accumulate: bool = ..., label_smooth_eps: _Optional[float] = ...) -> None: ...

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Packing(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class DatumTypeInfo(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
