"""Nets that several tests use."""

from __future__ import annotations

from collections.abc import Callable

ToFile = Callable[..., str]
"""The fixture ``to_file``: writes a text to a file, by default net.prototxt, and gives its name."""

SIMPLE = """
name: "simple" force_backward: true
layer { name: "data" type: "DummyData" top: "data" top: "label"
  dummy_data_param { num: 5 channels: 2 height: 3 width: 4 num: 5 channels: 1 height: 1 width: 1
    data_filler { type: "gaussian" std: 1 } data_filler { type: "constant" } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 11 kernel_size: 2 pad: 3
    weight_filler { type: "gaussian" std: 1 } bias_filler { type: "constant" value: 2 } }
  param { decay_mult: 1 } param { decay_mult: 0 } }
layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip_blob"
  inner_product_param { num_output: 13 weight_filler { type: "gaussian" std: 2.5 } bias_filler { type: "constant" value: -3 } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip_blob" bottom: "label" top: "loss" }
"""

DEPLOY = """
name: "deploy" force_backward: true
layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 6 dim: 6 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 4 kernel_size: 3 weight_filler { type: "xavier" } bias_filler { type: "constant" value: 0.1 } } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param { kernel_size: 2 stride: 2 } }
layer { name: "score" type: "Convolution" bottom: "pool" top: "score"
  convolution_param { num_output: 5 kernel_size: 1 weight_filler { type: "xavier" } } }
layer { name: "prob" type: "Softmax" bottom: "score" top: "prob" }
"""

TRAINED = """
name: "trained"
layer { name: "data" type: "DummyData" top: "data" top: "label" include { phase: TRAIN }
  dummy_data_param { shape { dim: 4 dim: 3 } shape { dim: 4 }
    data_filler { type: "gaussian" std: 1 } data_filler { type: "constant" value: 1 } } }
layer { name: "data" type: "DummyData" top: "data" top: "label" include { phase: TEST }
  dummy_data_param { shape { dim: 2 dim: 3 } shape { dim: 2 }
    data_filler { type: "constant" value: 1 } data_filler { type: "constant" value: 1 } } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"""

SOLVER = """net: "{net}" test_iter: 2 test_interval: 10 base_lr: 0.01 momentum: 0.9 lr_policy: "fixed" max_iter: 20
test_initialization: false snapshot_prefix: "{folder}/model" random_seed: 3 snapshot_after_train: false
"""
