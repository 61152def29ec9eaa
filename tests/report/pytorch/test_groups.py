"""Multipliers of learning rate and weight decay."""

from __future__ import annotations

import pytest

from tests.report.nets import inputs
from tests.report.pytorch.files import exported
from tools.campaign.pytorch import module_of

FILLERS = "weight_filler { type: 'gaussian' std: 0.5 } bias_filler { type: 'gaussian' std: 0.5 }"
NET = (
    inputs(data=(4, 3, 6, 6), label=(4,))
    + f"""
layer {{ name: 'conv' type: 'Convolution' bottom: 'data' top: 'conv' param {{ lr_mult: 1 }} param {{ lr_mult: 2 decay_mult: 0 }}
  convolution_param {{ num_output: 4 kernel_size: 3 {FILLERS} }} }}
layer {{ name: 'frozen' type: 'Convolution' bottom: 'conv' top: 'frozen' param {{ lr_mult: 0 }} param {{ lr_mult: 0 }}
  convolution_param {{ num_output: 4 kernel_size: 1 {FILLERS} }} }}
layer {{ name: 'relu' type: 'ReLU' bottom: 'frozen' top: 'frozen' }}
layer {{ name: 'ip' type: 'InnerProduct' bottom: 'frozen' top: 'ip' param {{ lr_mult: 10 }} param {{ lr_mult: 20 decay_mult: 0 }}
  inner_product_param {{ num_output: 5 {FILLERS} }} }}
layer {{ name: 'loss' type: 'SoftmaxWithLoss' bottom: 'ip' bottom: 'label' top: 'loss' }}
"""
)


def test_groups() -> None:
    made, _ = exported(NET, train=True)
    net = module_of(made)
    names = {id(parameter): name for name, parameter in net.named_parameters()}
    groups = {names[id(group["params"][0])]: (group["lr"], group["weight_decay"]) for group in net.parameter_groups(0.1, 0.5)}
    assert groups == {
        "conv.weight": (pytest.approx(0.1), 0.5),
        "conv.bias": (pytest.approx(0.2), 0),
        "ip.weight": (pytest.approx(1.0), 0.5),
        "ip.bias": (pytest.approx(2.0), 0),
    }
