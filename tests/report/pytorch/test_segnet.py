"""SegNet-Basic as it was published, thin and for a small picture: pooling masks, Upsample by them, BN of two kinds, weighted labels."""

from __future__ import annotations

from caffepy.report.pytorch.check import TOLERANCE
from tests.report.nets import inputs
from tests.report.pytorch.files import assert_same, differences, exported

CLASSES, CHANNELS = 5, 6
SIZES = [(36, 44), (18, 22), (9, 11), (5, 6)]
"""Of the planes that are pooled. Halves are rounded up, so that Upsample has to be told its sizes, as for the published 360 x 480."""
LOSS = """
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "conv_classifier" bottom: "label" top: "loss" softmax_param { engine: CAFFE }
  loss_param { weight_by_label_freqs: true ignore_label: 5 class_weighting: 0.2595 class_weighting: 0.1826 class_weighting: 4.564
    class_weighting: 0.1417 class_weighting: 0.9051 } }
"""


def convolution(name: str, bottom: str, mode: str) -> str:
    """A convolution and its normalisation, which learns or, for predictions, is a scale and a shift."""
    return f"""
layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}" param {{ lr_mult: 1 decay_mult: 1 }}
  param {{ lr_mult: 2 decay_mult: 0 }}
  convolution_param {{ num_output: {CHANNELS} pad: 3 kernel_size: 7 weight_filler {{ type: "msra" }}
    bias_filler {{ type: "gaussian" std: 0.1 }} }} }}
layer {{ name: "{name}_bn" type: "BN" bottom: "{name}" top: "{name}" param {{ lr_mult: 1 decay_mult: 1 }}
  param {{ lr_mult: 1 decay_mult: 0 }}
  bn_param {{ {mode} scale_filler {{ type: "uniform" min: 0.5 max: 1.5 }} shift_filler {{ type: "gaussian" std: 0.2 }} }} }}
"""


def segnet(*, train: bool) -> str:
    """Four stages down, four up, a classifier of each pixel."""
    height, width = SIZES[0]
    mode = "" if train else "bn_mode: INFERENCE"
    text = 'name: "segnet" ' + inputs(data=(2, 3, height, width), **({"label": (2, 1, height, width)} if train else {}))
    text += 'layer { name: "norm" type: "LRN" bottom: "data" top: "norm" lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 } }'
    bottom = "norm"
    for i in range(1, 5):
        text += convolution(f"conv{i}", bottom, mode)
        bottom = f"pool{i}"
        text += f'layer {{ name: "relu{i}" type: "ReLU" bottom: "conv{i}" top: "conv{i}" }}\n'
        text += f'layer {{ name: "{bottom}" type: "Pooling" bottom: "conv{i}" top: "{bottom}" top: "{bottom}_mask"'
        text += " pooling_param { pool: MAX kernel_size: 2 stride: 2 } }\n"
    for i, (height, width) in zip(range(4, 0, -1), reversed(SIZES)):
        text += f'layer {{ name: "upsample{i}" type: "Upsample" bottom: "{bottom}" bottom: "pool{i}_mask" top: "upsample{i}"'
        text += f" upsample_param {{ scale: 2 upsample_w: {width} upsample_h: {height} }} }}\n"
        bottom = f"conv_decode{i}"
        text += convolution(bottom, f"upsample{i}", mode)
    text += f'layer {{ name: "conv_classifier" type: "Convolution" bottom: "{bottom}" top: "conv_classifier"'
    text += f' convolution_param {{ num_output: {CLASSES} kernel_size: 1 weight_filler {{ type: "msra" }} }} }}\n'
    return text + (LOSS if train else 'layer { name: "prob" type: "Softmax" bottom: "conv_classifier" top: "prob" }')


def test_predictions() -> None:
    made, _ = exported(segnet(train=False))
    assert "return_indices=True" in made.text
    assert "unpool(" in made.text
    assert all(found.relative <= TOLERANCE for found in differences(segnet(train=False)))


def test_training() -> None:
    assert_same(segnet(train=True), train=True)
