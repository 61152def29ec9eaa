# Made by tools/dev/make_stubs.
from typing import Final

class BN:
    LEARN: Final = 0
    INFERENCE: Final = 1
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2

class BatchNorm:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    MKL2017: Final = 3
    MKLDNN: Final = 4

class BiasChannel:
    IMAGE: Final = 1
    PIXEL: Final = 2

class Bias:
    tflite: Final = 0
    ONNX: Final = 1
    Caffe2: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class Concat:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    MKL2017: Final = 3
    MKLDNN: Final = 4
    tflite: Final = 0
    ONNX: Final = 1
    Caffe2: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class Convolution:
    GET: Final = 0
    FINDEX: Final = 1
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    MKL2017: Final = 3
    MKLDNN: Final = 4
    LIBDNN: Final = 20001
    INTEL_SPATIAL: Final = 20002
    FFT: Final = 5
    NONE_FUSION: Final = 0
    SUM_FUSION: Final = 1
    tflite: Final = 0
    ONNX: Final = 1
    Caffe2: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class Correlation:
    MULTIPLY: Final = 0
    SUBTRACT: Final = 1

class Data:
    UINT8: Final = 1
    UINT16FLOW: Final = 2
    BOOL1: Final = 3
    LEVELDB: Final = 0
    LMDB: Final = 1
    FIRST_PERMUTE_THEN_RANGE: Final = 0
    FIRST_RANGE_THEN_PERMUTE: Final = 1

class DetectNetGroundTruth:
    RECTANGULAR: Final = 0
    GRIDBOX_MAX: Final = 0
    GRIDBOX_MIN: Final = 1

class Dropout:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2

class Eltwise:
    PROD: Final = 0
    SUM: Final = 1
    MAX: Final = 2
    DIV: Final = 3
    MIN: Final = 4
    DEFAULT: Final = 0
    CAFFE: Final = 1
    MKL2017: Final = 3
    MKLDNN: Final = 4
    tflite: Final = 0
    ONNX: Final = 1
    Caffe2: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class EvalDetection:
    OBJ: Final = 0
    PROB: Final = 1
    MULTIPLY: Final = 2

class Filler:
    FAN_IN: Final = 0
    FAN_OUT: Final = 1
    AVERAGE: Final = 2

class FlowWarp:
    ZERO: Final = 1
    NOT_A_NUMBER: Final = 2

class HingeLoss:
    L1: Final = 1
    L2: Final = 2

class ImageData:
    NONE: Final = 0
    IMAGE: Final = 1
    PIXEL: Final = 2

class InnerProduct:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    MKLDNN: Final = 3
    tflite: Final = 0
    ONNX: Final = 1
    Caffe2: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class LRN:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    MKL2017: Final = 3
    MKLDNN: Final = 4
    ACROSS_CHANNELS: Final = 0
    WITHIN_CHANNEL: Final = 1

class Loss:
    FULL: Final = 0
    VALID: Final = 1
    BATCH_SIZE: Final = 2
    NONE: Final = 3
    PRE_FIXED: Final = 20001

class MarginInnerProduct:
    SINGLE: Final = 0
    DOUBLE: Final = 1
    TRIPLE: Final = 2
    QUADRUPLE: Final = 3

class Mean:
    ADD: Final = 1
    SUBTRACT: Final = 4

class MultiBoxLoss:
    SOFTMAX: Final = 0
    LOGISTIC: Final = 1
    L2: Final = 0
    SMOOTH_L1: Final = 1
    BIPARTITE: Final = 0
    PER_PREDICTION: Final = 1
    NONE: Final = 0
    MAX_NEGATIVE: Final = 1
    HARD_EXAMPLE: Final = 2

class Pooling3D:
    MAX: Final = 0
    AVE: Final = 1
    AVE_EXC_PAD: Final = 2

class Pooling:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    MKL2017: Final = 3
    MKLDNN: Final = 4
    LIBDNN: Final = 20001
    MAX: Final = 0
    AVE: Final = 1
    STOCHASTIC: Final = 2
    AVE_EXC_PAD: Final = 3
    AVE_TF: Final = 3
    tflite: Final = 0
    ONNX: Final = 1
    Caffe2: Final = 2
    CEIL: Final = 0
    FLOOR: Final = 1
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class Power:
    tflite: Final = 0
    ONNX: Final = 1
    Caffe2: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class PriorBox:
    CORNER: Final = 1
    CENTER_SIZE: Final = 2
    CORNER_SIZE: Final = 3

class Quantization:
    DYNAMIC_FIXED_POINT: Final = 0
    NEAREST: Final = 0

class ReLU6:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2

class ReLU:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    MKL2017: Final = 3
    MKLDNN: Final = 4
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class Reduction:
    SUM: Final = 1
    ASUM: Final = 2
    SUMSQ: Final = 3
    MEAN: Final = 4

class Resample:
    NEAREST: Final = 1
    LINEAR: Final = 2
    CUBIC: Final = 3
    AREA: Final = 4

class ResizeBilinear:
    tflite: Final = 0
    ONNX: Final = 1
    Caffe2: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class Resize:
    LINEAR: Final = 1
    AREA: Final = 2
    NEAREST: Final = 3
    CUBIC: Final = 4
    LANCZOS4: Final = 5
    CONSTANT: Final = 1
    MIRRORED: Final = 2
    REPEAT_NEAREST: Final = 3
    WARP: Final = 1
    FIT_SMALL_SIZE: Final = 2
    FIT_LARGE_SIZE_AND_PAD: Final = 3

class SPP:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    MAX: Final = 0
    AVE: Final = 1
    STOCHASTIC: Final = 2
    AVE_EXC_PAD: Final = 3
    AVE_TF: Final = 3

class SegAccuracy:
    PixelAccuracy: Final = 0
    ClassAccuracy: Final = 1
    PixelIOU: Final = 2

class Sigmoid:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class Softmax:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class Solver:
    HDF5: Final = 0
    BINARYPROTO: Final = 1
    CPU: Final = 0
    GPU: Final = 1
    SGD: Final = 0
    NESTEROV: Final = 1
    ADAGRAD: Final = 2
    RMSPROP: Final = 3
    ADADELTA: Final = 4
    ADAM: Final = 5
    SAG: Final = 6

class SpatialBatchingPooling:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    MAX: Final = 0
    AVE: Final = 1
    STOCHASTIC: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class Split:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    MKL2017: Final = 3
    MKLDNN: Final = 4

class SqueezeConvolution:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    tflite: Final = 0
    ONNX: Final = 1
    Caffe2: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class TRT:
    FP32: Final = 0
    FP16: Final = 1
    INT8: Final = 2

class TanH:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2

class Transformation:
    INTER_NEAREST: Final = 0
    INTER_LINEAR: Final = 1
    INTER_CUBIC: Final = 2
    INTER_AREA: Final = 3

class Unpooling:
    MAX: Final = 0
    AVE: Final = 1
    TILE: Final = 2
    DEFAULT: Final = 0
    CAFFE: Final = 1

class V0Layer:
    MAX: Final = 0
    AVE: Final = 1
    STOCHASTIC: Final = 2
    AVE_EXC_PAD: Final = 3
    AVE_TF: Final = 3

class V1Layer:
    STRICT: Final = 0
    PERMISSIVE: Final = 1
    NONE: Final = 0
    ACCURACY: Final = 1
    BNLL: Final = 2
    CONCAT: Final = 3
    CONVOLUTION: Final = 4
    DATA: Final = 5
    DROPOUT: Final = 6
    EUCLIDEAN_LOSS: Final = 7
    FLATTEN: Final = 8
    HDF5_DATA: Final = 9
    HDF5_OUTPUT: Final = 10
    IM2COL: Final = 11
    IMAGE_DATA: Final = 12
    INFOGAIN_LOSS: Final = 13
    INNER_PRODUCT: Final = 14
    LRN: Final = 15
    MULTINOMIAL_LOGISTIC_LOSS: Final = 16
    POOLING: Final = 17
    RELU: Final = 18
    SIGMOID: Final = 19
    SOFTMAX: Final = 20
    SOFTMAX_LOSS: Final = 21
    SPLIT: Final = 22
    TANH: Final = 23
    WINDOW_DATA: Final = 24
    ELTWISE: Final = 25
    POWER: Final = 26
    SIGMOID_CROSS_ENTROPY_LOSS: Final = 27
    HINGE_LOSS: Final = 28
    MEMORY_DATA: Final = 29
    ARGMAX: Final = 30
    THRESHOLD: Final = 31
    DUMMY_DATA: Final = 32
    SLICE: Final = 33
    MVN: Final = 34
    ABSVAL: Final = 35
    SILENCE: Final = 36
    CONTRASTIVE_LOSS: Final = 37
    EXP: Final = 38
    DECONVOLUTION: Final = 39
    SEG_ACCURACY: Final = 40
    INTERP: Final = 41
    RELU6: Final = 61
    BN: Final = 20001
    UNPOOLING: Final = 20002
    IMAGE_SEG_DATA: Final = 20003
    ANNOTATED_DATA: Final = 20010
    AXPY: Final = 20011
    BATCH_NORM: Final = 20012
    BATCH_REINDEX: Final = 20013
    BIAS: Final = 20014
    BOX_ANNOTATOR_OHEM: Final = 20015
    CENTER_LOSS: Final = 20016
    CHANNEL_NORM: Final = 20017
    CLIP: Final = 20018
    CONTINUATION_INDICATOR: Final = 20019
    CONVOLUTION3D: Final = 20020
    CONVOLUTION_DEPTHWISE: Final = 20021
    CORRELATION: Final = 20022
    CROP: Final = 20023
    CTC_GREEDY_DECODER: Final = 20024
    CTC_LOSS: Final = 20025
    DENSE_IMAGE_DATA: Final = 20026
    DEPTHWISE_CONVOLUTION: Final = 20027
    DETECTION_EVALUATE: Final = 20028
    DETECTION_OUTPUT: Final = 20029
    DETECTNET_TRANSFORMATION: Final = 20030
    DOWNSAMPLE: Final = 20031
    ELU: Final = 20032
    EMBED: Final = 20033
    FILTER: Final = 20034
    FLOW_WARP: Final = 20035
    GATHER: Final = 20036
    IMAGE_LABELMAP_DATA: Final = 20037
    INPUT: Final = 20038
    L1_LOSS: Final = 20039
    LABELSEQUENCE_ACCURACY: Final = 20040
    LABEL_SPECIFIC_ADD: Final = 20041
    LOG: Final = 20042
    LSTM: Final = 20043
    LSTM_UNIT: Final = 20044
    MARGIN_INNER_PRODUCT: Final = 20045
    MULTIBOX_LOSS: Final = 20046
    NORMALIZE: Final = 20047
    PARALLEL_DATA: Final = 20048
    PARALLEL_INMEM_DATA: Final = 20049
    PARAMETER: Final = 20050
    PERMUTE: Final = 20051
    POOLING3D: Final = 20052
    PRELU: Final = 20053
    PRIOR_BOX: Final = 20054
    PROPOSAL: Final = 20055
    PSROI_POOLING: Final = 20056
    PYTHON: Final = 20057
    REDUCTION: Final = 20058
    REGION_LOSS: Final = 20059
    REORG: Final = 20060
    RESAMPLE: Final = 20061
    RESHAPE: Final = 20062
    REVERSE: Final = 20063
    RNN: Final = 20064
    ROI_ALIGN: Final = 20082
    ROI_POOLING: Final = 20065
    SCALE: Final = 20066
    SHUFFLE_CHANNEL: Final = 20067
    SMOOTH_L1_LOSS: Final = 20068
    SMOOTH_L1_LOSS_OHEM: Final = 20069
    SOFTMAX_WITH_LOSS_OHEM: Final = 20070
    SPATIAL_DROPOUT: Final = 20071
    SPATIAL_TRANSFORMER: Final = 20072
    SPP: Final = 20073
    SWISH: Final = 20074
    TILE: Final = 20075
    TRANSPOSE: Final = 20076
    TRIPLET_LOSS: Final = 20077
    UPSAMPLE: Final = 20078
    VIDEO_DATA: Final = 20079
    YOLO_DETECTION_OUTPUT: Final = 20080
    YOLOV3: Final = 20083
    YOLOV3_DETECTION_OUTPUT: Final = 20081

class VideoData:
    WEBCAM: Final = 0
    VIDEO: Final = 1
    RGB: Final = 0
    FLOW: Final = 1

class XLU:
    DEFAULT: Final = 0
    CAFFE: Final = 1
    CUDNN: Final = 2
    Signed: Final = 1
    Unsigned: Final = 2
    Signed_8bit: Final = 3
    Unsigned_8bit: Final = 4

class Yolov3:
    IOU: Final = 0
    GIOU: Final = 1
    MSE: Final = 2
    DIOU: Final = 3
    CIOU: Final = 4
