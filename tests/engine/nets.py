"""Small nets that between them use every rule that the two engines must keep alike."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

IMAGE = """
layer { name: "in" type: "Input" top: "data" top: "label"
        input_param { shape { dim: 4 dim: 3 dim: 9 dim: 9 } shape { dim: 4 } } }
"""
CONV = """convolution_param { num_output: 6 kernel_size: 3 pad: 1 weight_filler { type: "xavier" }
          bias_filler { type: "constant" value: 0.1 } }"""
IP = 'inner_product_param { num_output: 5 weight_filler { type: "xavier" } }'
HEAD = f"""
layer {{ name: "ip" type: "InnerProduct" bottom: "top" top: "ip" {IP} }}
layer {{ name: "acc" type: "Accuracy" bottom: "ip" bottom: "label" top: "acc" }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}
"""

NETS = {
    "in_place": f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
layer {{ name: "r" type: "ReLU" bottom: "c" top: "c" }}
layer {{ name: "top" type: "Pooling" bottom: "c" top: "top" pooling_param {{ kernel_size: 3 stride: 2 }} }}
{HEAD}""",
    "dropout_after_relu": f"""{IMAGE}
layer {{ name: "f" type: "InnerProduct" bottom: "data" top: "top" {IP} }}
layer {{ name: "r" type: "ReLU" bottom: "top" top: "top" }}
layer {{ name: "d" type: "Dropout" bottom: "top" top: "top" dropout_param {{ dropout_ratio: 0.4 }} }}
{HEAD}""",
    "residual": f"""{IMAGE}
layer {{ name: "c1" type: "Convolution" bottom: "data" top: "c1" {CONV} }}
layer {{ name: "n1" type: "BatchNorm" bottom: "c1" top: "c1" }}
layer {{ name: "s1" type: "Scale" bottom: "c1" top: "c1" scale_param {{ bias_term: true }} }}
layer {{ name: "r1" type: "ReLU" bottom: "c1" top: "c1" }}
layer {{ name: "c2" type: "Convolution" bottom: "c1" top: "c2" {CONV} }}
layer {{ name: "n2" type: "BatchNorm" bottom: "c2" top: "c2" }}
layer {{ name: "s2" type: "Scale" bottom: "c2" top: "c2" }}
layer {{ name: "e" type: "Eltwise" bottom: "c1" bottom: "c2" top: "top" }}
layer {{ name: "r2" type: "ReLU" bottom: "top" top: "top" }}
{HEAD}""",
    "shared": f"""{IMAGE}
layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a" param {{ name: "w" lr_mult: 2 }} param {{ name: "b" }} {IP} }}
layer {{ name: "b" type: "InnerProduct" bottom: "data" top: "b" param {{ name: "w" }} param {{ name: "b" }} {IP} }}
layer {{ name: "t" type: "TanH" bottom: "b" top: "b" }}
layer {{ name: "cat" type: "Concat" bottom: "a" bottom: "b" top: "top" }}
{HEAD}""",
    "frozen_below": f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" param {{ lr_mult: 0 }} param {{ lr_mult: 0 }} {CONV} }}
layer {{ name: "lrn" type: "LRN" bottom: "c" top: "lrn" lrn_param {{ local_size: 3 }} }}
layer {{ name: "top" type: "Flatten" bottom: "lrn" top: "top" }}
{HEAD}""",
    "propagate_down": f"""{IMAGE}
layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a" {IP} }}
layer {{ name: "top" type: "InnerProduct" bottom: "a" top: "top" propagate_down: false {IP} }}
{HEAD}""",
    "weighted_losses": f"""{IMAGE}
layer {{ name: "top" type: "InnerProduct" bottom: "data" top: "top" {IP} }}
layer {{ name: "s" type: "Sigmoid" bottom: "top" top: "s" loss_weight: 0.25 }}
{HEAD}
layer {{ name: "half" type: "SoftmaxWithLoss" bottom: "s" bottom: "label" top: "half" loss_weight: 0.5 }}
layer {{ name: "anonymous" type: "SoftmaxWithLoss" bottom: "s" bottom: "label" }}""",
    "loss_read_again": f"""{IMAGE}
layer {{ name: "top" type: "InnerProduct" bottom: "data" top: "top" {IP} }}
layer {{ name: "l" type: "SoftmaxWithLoss" bottom: "top" bottom: "label" top: "l" loss_weight: 3 }}
layer {{ name: "quiet" type: "Silence" bottom: "l" }}
{HEAD}""",
}

CUT = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" param {{ name: "w" }} {CONV} }}
layer {{ name: "n" type: "BatchNorm" bottom: "c" top: "c" }}
layer {{ name: "r" type: "ReLU" bottom: "c" top: "c" }}
layer {{ name: "f" type: "Filter" bottom: "c" bottom: "label" top: "f" }}
layer {{ name: "some" type: "Filter" bottom: "label" bottom: "label" top: "some" }}
layer {{ name: "r2" type: "ReLU" bottom: "f" top: "f" }}
layer {{ name: "c2" type: "Convolution" bottom: "f" top: "c2" param {{ lr_mult: 2 }} {CONV} }}
layer {{ name: "ip2" type: "InnerProduct" bottom: "c2" top: "ip2" {IP} }}
layer {{ name: "loss2" type: "SoftmaxWithLoss" bottom: "ip2" bottom: "some" top: "loss2" loss_weight: 0.5 }}
layer {{ name: "top" type: "Pooling" bottom: "c" top: "top" pooling_param {{ kernel_size: 3 stride: 2 }} }}
{HEAD}"""
"""The number of labels that are not 0 decides the shapes behind Filter, which needs the host."""


def batch_of(labels: Sequence[float]) -> dict[str, Tensor]:
    """Four pictures with these labels."""
    data = torch.randn(4, 3, 9, 9, generator=torch.Generator().manual_seed(int(sum(labels)) + 9))
    return {"data": data, "label": torch.tensor(labels, dtype=torch.float32)}


LABELS = 'layer { name: "x" type: "Input" top: "x" top: "t" input_param { shape { dim: 2 dim: 3 } shape { dim: 2 } } }'
SEQUENCES = """layer { name: "x" type: "Input" top: "x" top: "cont"
  input_param { shape { dim: 2 dim: 2 dim: 3 } shape { dim: 2 dim: 2 } } }"""
MARKS = SEQUENCES.replace("shape { dim: 2 dim: 2 } }", "shape { dim: 4 } }")
RECURRENT = 'num_output: 2 weight_filler { type: "uniform" min: -1 max: 1 }'
CARRIERS = {
    "LSTM": f'{SEQUENCES} layer {{ name: "l" type: "LSTM" bottom: "x" bottom: "cont" top: "y" recurrent_param {{ {RECURRENT} }} }}',
    "RNN": f'{SEQUENCES} layer {{ name: "l" type: "RNN" bottom: "x" bottom: "cont" top: "y" recurrent_param {{ {RECURRENT} }} }}',
    "Lstm": f'{MARKS} layer {{ name: "l" type: "Lstm" bottom: "x" bottom: "cont" top: "y" lstm_param {{ {RECURRENT} }} }}',
    "MarginInnerProduct": f"""{LABELS} layer {{ name: "l" type: "MarginInnerProduct" bottom: "x" bottom: "t" top: "y" top: "lambda"
        margin_inner_product_param {{ base: 9 gamma: 0.5 power: 1 num_output: 3 weight_filler {{ type: "xavier" }} }} }}""",
    "LabelSpecificAdd": f"""{LABELS} layer {{ name: "l" type: "LabelSpecificAdd" bottom: "x" bottom: "t" top: "y" top: "bias"
        label_specific_add_param {{ bias_base: 0.1 bias_gamma: 0.5 bias_power: 1 bias_max: 0.4 }} }}""",
    "SegAccuracy": """layer { name: "x" type: "Input" top: "x" top: "t"
        input_param { shape { dim: 1 dim: 3 dim: 2 dim: 2 } shape { dim: 1 dim: 1 dim: 2 dim: 2 } } }
        layer { name: "l" type: "SegAccuracy" bottom: "x" bottom: "t" top: "y" seg_accuracy_param { reset: false } }""",
}
"""Nets that take something from one pass to the next."""
