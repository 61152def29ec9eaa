"""Forward and backward of layers as operators of a program, for `divided` passes of small nets."""

# N batch, C channels, H W picture, K inputs and O outputs of a product

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from caffepy.engine.operator_program import Name, Program
from caffepy.layers.common.cross_entropy import LOG_FLT_MIN
from caffepy.layers.core.base import Run, Shape, count
from caffepy.layers.core.products import is_large
from caffepy.layers.linear.inner_product import InnerProductLayer
from caffepy.layers.neuron.relu import ReLULayer
from caffepy.layers.norm.lrn import LRNLayer
from caffepy.layers.windows.convolution import ConvolutionLayer
from caffepy.layers.windows.pooling import AVE, PoolingLayer
from caffepy.net.graph import Node

FLOAT32 = 6
"""The number of the type in operators."""


@dataclass
class Diffs:
    """What a backward pass hands down.

    ``below``: the gradient of the bottom. ``own``: of the parameters that learn.
    ``sums``: (C,) of ``below`` over all else, where it is known; a bias below has it as gradient.
    """

    below: Name
    own: list[Name] = field(default_factory=list)
    sums: Name | None = None


Backward = Callable[[Diffs], Diffs]
"""Adds what computes the gradients from those of the top."""
Form = Callable[[Program, Name, Sequence[Name]], tuple[Name, Backward]]
"""Adds what computes the top of a bottom and parameters."""


def form(node: Node, bottom: Shape, run: Run, checked: list[Name]) -> Form | None:
    """The form of ``node`` for a bottom of this shape, if there is one.

    It adds numbers to ``checked``. Where one is not finite, the results are wrong.
    """
    layer = node.layer
    if len(node.bottoms) != 1 or len(node.tops) != 1:
        return None
    if type(layer) is ConvolutionLayer and layer.prepared([bottom]) != layer.forward:
        return _convolution(layer, node) if len(layer.windows.kernel) == 2 else None
    if type(layer) is PoolingLayer and layer.batches.traceable:
        return _average(layer, bottom) if layer.spec.method == AVE else _max(layer, bottom, checked)
    if type(layer) is ReLULayer and layer.slope >= 0:
        return _relu(layer, run)
    if type(layer) is LRNLayer:
        return _lrn(layer, bottom)
    if type(layer) is InnerProductLayer and layer.prepared([bottom]) != layer.forward:
        return _inner_product(layer, node, bottom)
    return None


def _convolution(layer: ConvolutionLayer, node: Node) -> Form:
    w = layer.windows
    stride, pad, dilation = list(w.stride), list(w.pad), list(w.dilation)
    down = node.writes_down[0]
    learns = [*node.param_gradients, False][:2]

    def forward(program: Program, x: Name, blobs: Sequence[Name]) -> tuple[Name, Backward]:
        bias = blobs[1] if len(blobs) > 1 else None

        def backward(diffs: Diffs) -> Diffs:
            sums = diffs.sums if learns[1] else None
            below, weight, biases = program.calls(
                "aten::convolution_backward",
                diffs.below,
                x,
                blobs[0],
                [layer.num_output],
                stride,
                pad,
                dilation,
                False,
                [0, 0],
                layer.group,
                [down, learns[0], learns[1] and sums is None],
                results=3,
            )
            own = [each for each, wanted in zip((weight, sums or biases), learns) if wanted]
            return Diffs(below, own)

        y = program.call("aten::conv2d", x, blobs[0], bias, stride, pad, dilation, layer.group)
        return y, backward

    return forward


def _average(layer: PoolingLayer, bottom: Shape) -> Form:
    spec = layer.spec.fitted(bottom[2:])
    windows = (list(spec.kernel), list(spec.stride), list(spec.pad), spec.ceil, spec.counts_pad)

    def forward(program: Program, x: Name, blobs: Sequence[Name]) -> tuple[Name, Backward]:
        def backward(diffs: Diffs) -> Diffs:
            return Diffs(program.call("aten::avg_pool2d_backward", diffs.below, x, *windows, None))

        return program.call("aten::avg_pool2d", x, *windows, None), backward

    return forward


def _max(layer: PoolingLayer, bottom: Shape, checked: list[Name]) -> Form:
    spec = layer.spec.fitted(bottom[2:])
    windows = (list(spec.kernel), list(spec.stride), list(spec.pad), [1, 1], spec.ceil)

    def forward(program: Program, x: Name, blobs: Sequence[Name]) -> tuple[Name, Backward]:
        y, places = program.calls("aten::max_pool2d_with_indices", x, *windows, results=2)
        checked.append(program.call("aten::sum", y, None))

        def backward(diffs: Diffs) -> Diffs:
            name = "aten::max_pool2d_with_indices_backward"
            below = program.call(name, diffs.below, x, *windows, places)
            # each gradient goes to one element, so their sum is that of fewer numbers
            sums = program.call("aten::sum", diffs.below, [0, 2, 3], False, None)
            return Diffs(below, sums=sums)

        return y, backward

    return forward


def _relu(layer: ReLULayer, run: Run) -> Form:
    def forward(program: Program, x: Name, blobs: Sequence[Name]) -> tuple[Name, Backward]:
        operator = "aten::leaky_relu_" if run.inplace else "aten::leaky_relu"
        y = program.call(operator, x, layer.slope)
        if not (run.only_summed or layer.slope > 0):
            y = program.call("aten::add_", y, 0.0, 1)  # as `plain_zeros`

        def backward(diffs: Diffs) -> Diffs:
            slope = layer.slope or 0.0
            return Diffs(program.call("aten::leaky_relu_backward", diffs.below, y, slope, False))

        return y, backward

    return forward


def _lrn(layer: LRNLayer, bottom: Shape) -> Form:
    """The sums of either kind as convolutions, which oneDNN computes faster than torch pools.

    Within channels each has a window of equal weights, across channels there is a matrix with
    a band of them.
    """
    channels, size = bottom[1], layer.size

    def window(program: Program, x: Name, factor: float, bias: Name | None) -> Name:
        """``factor`` times the sums of ``x``, and ``bias``."""
        if layer.within:
            shape, padding, groups = [channels, 1, size, size], [size // 2] * 2, channels
            weight = _filled(program, shape, factor / size**2)
        else:
            weight = _filled(program, [channels, channels], factor)
            weight = program.call("aten::triu", weight, -(size // 2))
            weight = program.call("aten::tril", weight, size // 2)
            weight = program.call("aten::view", weight, [channels, channels, 1, 1])
            padding, groups = [0, 0], 1
        return program.call("aten::conv2d", x, weight, bias, [1, 1], padding, [1, 1], groups)

    def forward(program: Program, x: Name, blobs: Sequence[Name]) -> tuple[Name, Backward]:
        squares = program.call("aten::mul", x, x)
        scale = window(program, squares, layer.rate, _filled(program, [channels], layer.k))
        if layer.beta == 0.75:
            root = program.call("aten::rsqrt", scale)
            power = program.call("aten::mul_", program.call("aten::sqrt", root), root)
        else:
            power = program.call("aten::pow", scale, -layer.beta)

        def backward(diffs: Diffs) -> Diffs:
            below = program.call("aten::mul", diffs.below, power)
            each = program.call("aten::div_", program.call("aten::mul", below, x), scale)
            shared = window(program, each, -2 * layer.rate * layer.beta, None)
            return Diffs(program.call("aten::addcmul_", below, x, shared, 1))

        return program.call("aten::mul", x, power), backward

    return forward


def _filled(program: Program, shape: Sequence[int], value: float) -> Name:
    return program.call("aten::full", shape, value, FLOAT32, None, None, None)


def _inner_product(layer: InnerProductLayer, node: Node, bottom: Shape) -> Form:
    large = is_large(count(bottom) * layer.num_output)
    learns = node.param_gradients

    def forward(program: Program, x: Name, blobs: Sequence[Name]) -> tuple[Name, Backward]:
        def transposed(matrix: Name) -> Name:
            return program.call("aten::t", matrix)

        def product(left: Name, right: Name) -> Name:
            if large:
                return program.product(left, transposed(right), None)
            return program.call("aten::mm", left, right)

        rows = x if len(bottom) == 2 else program.call("aten::flatten", x, 1, -1)

        def backward(diffs: Diffs) -> Diffs:
            top = diffs.below
            own = []
            if learns[0]:
                own.append(product(transposed(top), rows))
            if learns[1]:
                own.append(program.call("aten::sum", top, [0], False, None))
            if not node.writes_down[0]:
                return Diffs(top, own)
            return Diffs(program.call("aten::view_as", product(top, blobs[0]), x), own)

        if large:
            return program.product(rows, blobs[0], blobs[1]), backward
        return program.call("aten::addmm", blobs[1], rows, transposed(blobs[0]), 1, 1), backward

    return forward


def softmax_loss(
    program: Program, scores: Name, index: Name, *, divisor: float, weight: float
) -> tuple[Name, Name]:
    """Sum of the losses of (N, C) scores and (N, 1) labels by ``divisor``, and the scores' diff.

    See `SoftmaxLoss`. ``weight``: by which the diff is multiplied.
    """
    logs = program.call("aten::_log_softmax", scores, 1, False)
    losses = program.call("aten::gather", logs, 1, index, False)
    losses = program.call("aten::clamp_", losses, LOG_FLT_MIN, None)
    losses = program.call("aten::neg_", losses)
    loss = program.call("aten::div", program.call("aten::sum", losses, None), divisor)
    diff = program.call("aten::exp", logs)
    less = program.call("aten::full_like", index, -1.0, FLOAT32, None, None, None, None)
    diff = program.call("aten::scatter_add_", diff, 1, index, less)
    return loss, program.call("aten::mul_", diff, weight / divisor)
