"""The net of sequences that `step` measures: a reader of words, convolutions below LSTM in both directions and CTC above."""

from __future__ import annotations

from tools.bench.boxes_nets import given
from tools.bench.prototxt import Prototxt

LETTERS, LONGEST = 37, 8
"""Classes, of which 0 is the blank, and the labels of a picture, blanks behind the last."""
STEPS, HIDDEN = 26, 256
CONVOLUTIONS = ((64, 3, False), (128, 3, False), (256, 3, True), (256, 3, False), (512, 3, True), (512, 3, False), (512, 2, True))
"""Outputs, kernel, and whether the outputs are normalised; of Shi, Bai and Yao 2015 as its authors' program has it."""
HALVED, LOWERED = (1, 2), (4, 6)
"""Behind which convolutions, counted from 1, pooling halves both axes, and behind which the height alone."""
LOWER = "pool: MAX kernel_size: 2 stride_h: 2 stride_w: 1 pad_h: 0 pad_w: 1"


def crnn(batch: int, *, divide: int = 1) -> str:
    """CRNN on grey pictures of 32 x 100: 26 columns, two levels of LSTM in both directions. ``divide``: see `Prototxt`."""
    net = Prototxt("CRNN", divide=divide)
    top = given(net, "data", batch, 1, 32, 100)
    given(net, "label", batch, LONGEST)
    for number, (outputs, kernel, normed) in enumerate(CONVOLUTIONS, 1):
        top = net.conv(f"conv{number}", top, outputs, kernel=kernel, pad=kernel - 2, bias=None if normed else 0)
        if normed:
            net.norm(f"bn{number}", f"scale{number}", top)
        net.relu(f"relu{number}", top)
        if number in HALVED:
            top = net.pool(f"pool{number}", top, "MAX", kernel=2, stride=2)
        if number in LOWERED:
            top = net.layer(f"pool{number}", "Pooling", [top], body=f"pooling_param {{ {LOWER} }}")
    top = net.layer("columns", "Permute", [top], body="permute_param { order: 3 order: 0 order: 1 order: 2 }")
    net.layer("indicator", "ContinuationIndicator", ["data"], body=f"continuation_indicator_param {{ time_step: {STEPS} axis: 0 }}")
    top = _both_ways(net, 1, top)
    top = _both_ways(net, 2, _each_step(net, "fc1", top, HIDDEN // divide))
    body = f"loss_weight: 1 ctc_loss_param {{ blank_label: 0 alphabet_size: {LETTERS} time_step: {STEPS} }}"
    net.layer("loss", "CtcLoss", [_each_step(net, "fc2", top, LETTERS), "label"], body=body)
    return net.text()


def _both_ways(net: Prototxt, number: int, bottom: str) -> str:
    """A level: an LSTM from left to right and one from right to left, (T, N, 2H)."""

    def lstm(name: str, x: str) -> str:
        body = f'recurrent_param {{ num_output: {HIDDEN // net.divide} weight_filler {{ type: "xavier" }} }}'
        return net.layer(name, "LSTM", [x, "indicator"], body=body)

    forth = lstm(f"lstm{number}", bottom)
    turned = lstm(f"rlstm{number}", net.layer(f"turned{number}", "Reverse", [bottom]))
    ways = [forth, net.layer(f"back{number}", "Reverse", [turned])]
    return net.layer(f"blstm{number}", "Concat", ways, body="concat_param { axis: 2 }")


def _each_step(net: Prototxt, name: str, bottom: str, outputs: int) -> str:
    """An InnerProduct in each time step."""
    body = f'inner_product_param {{ num_output: {outputs} axis: 2 weight_filler {{ type: "xavier" }} }}'
    return net.layer(name, "InnerProduct", [bottom], body=body)
