"""What a layer type says of itself, in small records: the compiler and the engines read them.

A class has each record as an attribute. Where a field depends on the prototxt or on shapes, the
layer's `setup` or `reshape` replaces the record by a changed one:

    self.memory = replace(self.memory, saves_top=self.in_place)

"Set by" names the classes that set a field. Classes derived from them inherit it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Gradients:
    """Which bottoms get gradients.

    By default each may, and all of them do where ``force_backward`` is set.
    """

    backward: bool = True
    """Whether it has a backward pass at all. If not, asking it for a gradient is an error.

    Set by: Accuracy, ArgMax, BoxAnnotatorOHEM, ContinuationIndicator, CTCGreedyDecoder,
    DetectionEvaluate, DetectionOutput, DetectNetTransformation, LabelsequenceAccuracy, Proposal,
    Resizing, SegAccuracy, Threshold, YoloDetectionOutput
    """
    refused: tuple[int, ...] = ()
    """Bottoms that get no gradient. Asking for one is an error.

    Set by: BatchReindex, CTCLoss, Embed, Filter, InfogainLoss, LabelSpecificAdd, Loss, LSTMUnit,
    MarginInnerProduct, MultiBoxLoss, Recurrent, TripletLoss
    """
    unforced: tuple[int, ...] = ()
    """Bottoms (labels, cont, regions) that ``force_backward`` leaves alone.

    Set by: ContrastiveLoss, CTCLoss, DetectNetTransformation, InfogainLoss, LabelSpecificAdd, Loss,
    LSTMUnit, MarginInnerProduct, MultiBoxLoss, PSROIPooling, Recurrent, ROIAlign, ROIPooling,
    SmoothL1Loss, SmoothL1LossOHEM, TripletLoss
    """
    separate: bool = False
    """Top i depends on bottom i alone, and takes part in the backward pass only where that does.

    Set by: Gather
    """


@dataclass(frozen=True)
class Memory:
    """Where the tops lie, and who may overwrite them.

    By default a layer may work in place, and its tops are new tensors.
    """

    refuses_inplace: bool = False
    """A top with the name of its bottom is an error.

    Set by: AbsVal, Flatten, Reorg, Reshape, Reverse, Split
    """
    saves_top: bool = False
    """Backward reads the values of the top, so a following layer must not overwrite them.

    Set by: BN, BNLL, ChannelNorm, Clip, Eltwise, ELU, Exp, Log, LSTM, Lstm, MVN, Power, Python,
    ReLU, ReLU6, Sigmoid, Softmax, Swish, TanH
    """
    aliases_bottom: bool = False
    """The top lies in memory of the bottom, or in memory that is kept between passes.

    No following layer may overwrite it.

    Set by: Crop, Dropout, Flatten, Gather, Permute, PriorBox, Python, Reshape, Slice, Split
    """
    filled_once: tuple[int, ...] = ()
    """Tops that `Layer.fill_top` fills when the net is built.

    No pass fills them again: what is written to them stays there.

    Set by: DummyData
    """


@dataclass(frozen=True)
class Device:
    """How a layer gets on with a GPU.

    By default it computes there without a look at any value, so that a CUDA graph can record it.
    """

    on_host: bool = False
    """It computes on the host, or reads values there.

    A GPU has to be waited for, and no CUDA graph can record the layer.

    Set by: DetectionEvaluate, DetectionOutput, DetectNetTransformation, DummyData, Filter,
    HDF5Output, MultiBoxLoss, Proposal, Python, YoloDetectionOutput
    """
    shaped_by_values: bool = False
    """The values of a batch decide the shapes of the tops. `Layer.reshape` gives the usual ones.

    Set by: DetectionEvaluate, DetectionOutput, Filter, Proposal, YoloDetectionOutput
    """
    constant: bool = False
    """Without bottoms, its tops are the same in every pass, so they are copied to a GPU once.

    Set by: ContinuationIndicator, DummyData
    """


@dataclass(frozen=True)
class Precision:
    """What a layer does with numbers of 16 bits, and with tiny numbers.

    By default it gets float32, and tiny numbers count.
    """

    takes_16_bits: bool = False
    """It takes bottoms of 16 bits as they are.

    Other layers get float32, unless they are `sums_products`.

    Set by: BatchNorm, Concat, Crop, Dropout, Eltwise, Flatten, Pooling, ReLU, Reshape, Silence,
    Slice, Split, Tile
    """
    sums_products: bool = False
    """Each top is a sum of many products of bottoms and parameters.

    Where the user asks for 16 bits, the products have 16 bits and the sums 32.

    Set by: BaseConvolution, InnerProduct
    """
    sums_bottoms: bool = False
    """Numbers of its bottoms become terms of sums.

    There a number that is tiny beside the others does not show, nor the sign of a zero.

    Set by: BaseConvolution, BatchNorm, InnerProduct, Scale
    """
    keeps_small: bool = False
    """Its tops are numbers of its bottoms, or are small where those are small.

    Set by: Concat, Dropout, Eltwise, Flatten, LRN, Pooling, ReLU, Split
    """


@dataclass(frozen=True)
class Batches:
    """How a layer treats the items of a batch, and the batches of a test."""

    item_by_item: bool = False
    """In TEST it computes each item of a batch (axis 0) by itself.

    A batch can then be computed in parts.

    Set by: BaseConvolution, BatchNorm, Concat, Dropout, Eltwise, LRN, Pooling, ReLU, Scale, Split
    """
    traceable: bool = False
    """In TEST it computes batches of one shape by the same operators of torch.

    That is so for all finite numbers. `Layer.growth` tells how large they can become.

    Set by: BaseConvolution, BatchNorm, Concat, Dropout, Eltwise, Flatten, InnerProduct, LRN,
    Pooling, PReLU, ReLU, Scale, Softmax, SoftmaxWithLoss, Split
    """
    padding_rows: tuple[int, ...] = ()
    """Bottoms (..., R, D) in which rows of -1 at the end mean nothing.

    Set by: DetectionEvaluate, MultiBoxLoss, RegionLoss
    """
    statistics: tuple[int, ...] = ()
    """Parameter blobs that forward itself changes in TRAIN: running statistics.

    Each of several ranks takes them from its own batches.

    Set by: BatchNorm, BN
    """
    divisible: bool = True
    """Ranks can share out the batches of a test.

    They cannot where a batch depends on random draws or on a script, and not only on its number.

    Set by: AnnotatedData, DenseImageData, DummyData, ImageLabelmapData, MemoryData, VideoData,
    WindowData
    """


@dataclass(frozen=True)
class Quirks:
    """What Caffe's layer does and nobody would expect."""

    always_written: tuple[int, ...] = ()
    """Bottoms whose diffs backward writes even where nothing below them learns.

    Set by: BatchNorm, Im2col, LRN, LSTMUnit, MVN, Recurrent, Softmax
    """
    overwritten_diffs: tuple[int, ...] = ()
    """Parameter blobs whose diffs backward overwrites, where other layers add to them.

    In an update only the last pass counts.

    Set by: BN, Parameter, Scale
    """
    learns_frozen: bool = False
    """All its parameters get gradients, those with lr_mult 0 too.

    These count where gradients are clipped.

    Set by: Lstm, Recurrent
    """
    drawn_again: tuple[int, ...] = ()
    """Parameter blobs that Caffe fills once more, in this order, and throws away.

    The layers behind then get the random numbers that they get there.

    Set by: Recurrent
    """
    shares_memory: bool = False
    """Each of Caffe's tops has the memory of a bottom (``ShareData``).

    What overwrites one overwrites the other.

    Set by: Concat, Flatten, Gather, Permute, Reshape, Slice, Split
    """
    copies_tops: bool = False
    """Caffe's tops have memory of their own, where ours may lie in a bottom's.

    The reference engine copies them.

    Set by: Crop, Dropout, Permute, PriorBox, Slice
    """
