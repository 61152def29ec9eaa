"""What a training needs beside a loss: multipliers of rates and decays, and running statistics."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from caffepy.engine.arena import Arena
from caffepy.engine.weights import arrays_of
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.random import CaffeRandom
from caffepy.report.pytorch.export import to_pytorch
from tests.report.nets import inputs
from tests.report.pytorch.files import exported, graph_of
from tools.campaign.pytorch import module_of
from tools.campaign.pytorch_training import TOLERANCE, TRAINED, train

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


def test_statistics_of_a_training_from_scratch() -> None:
    """Running averages of the first batches are Caffe's: sums with a factor, which torch's momentum would take for a long history."""
    text = (
        inputs(data=(4, 3, 5, 5), label=(4,))
        + """
layer { name: 'bn' type: 'BatchNorm' bottom: 'data' top: 'bn' batch_norm_param { moving_average_fraction: 0.9 } }
layer { name: 'scale' type: 'Scale' bottom: 'bn' top: 'bn' scale_param { bias_term: true } }
layer { name: 'ip' type: 'InnerProduct' bottom: 'bn' top: 'ip' inner_product_param { num_output: 5 weight_filler { type: 'xavier' } } }
layer { name: 'loss' type: 'SoftmaxWithLoss' bottom: 'ip' bottom: 'label' top: 'loss' }
"""
    )
    made, arena = exported(text, train=True)
    assert "self.bn = CountingBatchNorm(3, f=0.9)" in made.text
    net, engine = module_of(made), WholeEngine(made.program.graph, arena, CaffeRandom(1))
    for i in range(3):
        x = torch.randn(4, 3, 5, 5, generator=torch.Generator().manual_seed(i))
        net(x)
        engine.forward({"data": x, "label": torch.zeros(4)})
    mean, variance, factor = (arena.data[i].detach() for i in made.program.graph.node("bn").params)
    torch.testing.assert_close(net.bn.running_mean, mean / factor)
    torch.testing.assert_close(net.bn.running_var, variance / factor)
    torch.testing.assert_close(net.bn.factor, factor)


def test_statistics_of_a_trained_net() -> None:
    """Long trained, they are torch's own; a net that does not learn them keeps them."""
    text = (
        inputs(data=(4, 3, 5, 5), t=(4, 3, 5, 5))
        + """
layer { name: 'bn' type: 'BatchNorm' bottom: 'data' top: 'bn' %s }
layer { name: 'loss' type: 'EuclideanLoss' bottom: 'bn' bottom: 't' top: 'loss' }
"""
    )
    graph = graph_of(text % "", train=True)
    arena = Arena(graph)
    with torch.no_grad():
        for data, value in zip(arena.data, (3.0, 5.0, 999.0)):
            data.fill_(value)
    made = to_pytorch(graph, arrays_of(arena), source="net.prototxt", weights="net.safetensors")
    assert "self.bn = nn.BatchNorm2d(3, momentum=0.001, affine=False)" in made.text
    np.testing.assert_allclose(made.state["bn.running_var"], 5 / 999, rtol=1e-6)
    frozen, _ = exported(text % "batch_norm_param { use_global_stats: true }", train=True)
    assert "self.bn = FrozenBatchNorm(3, affine=False)" in frozen.text


@pytest.mark.parametrize("net", TRAINED)
def test_steps_of_sgd(net: str) -> None:
    assert train(net, 20 if net == "lenet" else 2, divide=16) < TOLERANCE
