"""Passes with parameters that stay: convolutions with BatchNorm and Scale folded in give the numbers of layer by layer."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tests.engine.build import TEST, Built, built, feed, feeds
from tests.engine.nets import CONV, HEAD, IMAGE, NETS

NORM = 'layer {{ name: "{0}n" type: "BatchNorm" bottom: "{0}" top: "{0}" }}\n'
SCALE = 'layer {{ name: "{0}s" type: "Scale" bottom: "{0}" top: "{0}" scale_param {{ bias_term: {1} }} }}\n'


def conv(name: str, bottom: str, figures: str) -> str:
    return f'layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}" convolution_param {{ {figures} }} }}\n'


FILLED = 'weight_filler { type: "xavier" } bias_filler { type: "uniform" min: -1 max: 1 }'
CHAINS = {
    "norm and scale": conv("c", "data", f"num_output: 6 kernel_size: 3 {FILLED}") + NORM.format("c") + SCALE.format("c", "true"),
    "norm alone": conv("c", "data", f"num_output: 6 kernel_size: 3 {FILLED}") + NORM.format("c"),
    "scale alone": conv("c", "data", f"num_output: 6 kernel_size: 3 {FILLED}") + SCALE.format("c", "false"),
    "no bias": conv("c", "data", f"num_output: 6 kernel_size: 3 bias_term: false {FILLED}") + NORM.format("c") + SCALE.format("c", "true"),
    "groups, stride, dilation": conv("c", "data", f"num_output: 6 group: 3 stride: 2 dilation: 2 kernel_size: 3 pad: 2 {FILLED}")
    + NORM.format("c")
    + SCALE.format("c", "true"),
    "a kernel that reaches beyond the padding": conv("c", "data", f"num_output: 6 kernel_size: 10 stride: 3 {FILLED}") + NORM.format("c"),
    "one by one pixel": conv("c", "data", f"num_output: 6 kernel_size: 1 {FILLED}") + NORM.format("c") + SCALE.format("c", "true"),
}


def filled(text: str, *, channels_last: bool = True) -> Built:
    """The TEST net with statistics and factors as after a training."""
    net = built(text, TEST, channels_last=channels_last)
    generator = torch.Generator().manual_seed(5)
    for node in net.graph.nodes:
        values = [net.arena.data[index].detach() for index in node.params]
        if node.type == "BatchNorm":
            values[0].copy_(torch.randn(values[0].shape, generator=generator) * 3)
            values[1].copy_(torch.rand(values[1].shape, generator=generator) * 4 + 0.1)
            values[2].fill_(2)
        if node.type == "Scale":
            for value in values:
                value.copy_(torch.randn(value.shape, generator=generator) + 1)
    return net


def outputs(net: Built) -> dict[str, Tensor]:
    """By the reference."""
    engine = feed(net.layerwise, feeds())
    engine.forward()
    return {output.name: output.data.clone() for output in engine.outputs()}


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("name", CHAINS)
def test_a_folded_convolution_computes_what_the_layers_do(name: str, channels_last: bool) -> None:
    net = filled(IMAGE + CHAINS[name], channels_last=channels_last)
    expected = outputs(net)["c"]
    engine = net.whole
    assert len(engine._steps) == 2
    engine.forward(feeds())
    torch.testing.assert_close(engine.outputs()[0].data, expected, rtol=1e-5, atol=1e-5)
    with engine.frozen():
        for _ in range(2):
            engine.forward(feeds())
            torch.testing.assert_close(engine.outputs()[0].data, expected, rtol=1e-5, atol=1e-5 * float(expected.abs().max()))


@pytest.mark.parametrize("name", NETS)
def test_whole_nets(name: str) -> None:
    net = filled(NETS[name])
    expected = outputs(net)
    engine = net.whole
    with engine.frozen():
        engine.forward(feeds())
    for output in engine.outputs():
        torch.testing.assert_close(output.data, expected[output.name], rtol=1e-4, atol=1e-5)


def test_parameters_that_change_afterwards_count() -> None:
    net = filled(NETS["residual"])
    engine = net.whole
    with engine.frozen():
        before = float(engine.forward(feeds()))
    net.arena.flat.buffer.mul_(0.5)
    after = float(engine.forward(feeds()))
    assert after != pytest.approx(before, rel=1e-3)
    with engine.frozen():
        assert float(engine.forward(feeds())) == pytest.approx(after, rel=1e-5)


def test_another_batch_size_inside() -> None:
    net = filled(NETS["residual"])
    expected = float(net.whole.forward(feeds(8)))
    engine = net.whole
    with engine.frozen():
        engine.forward(feeds(4))
        assert float(engine.forward(feeds(8))) == pytest.approx(expected, rel=1e-5)


def test_nan_stays_visible() -> None:
    net = filled(NETS["residual"])
    net.arena.data[0].detach()[0, 0, 0, 0] = float("nan")
    engine = net.whole
    with engine.frozen():
        assert torch.isnan(engine.forward(feeds()))


def test_training_nets_and_statistics_of_the_batch_are_not_folded() -> None:
    own = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
layer {{ name: "n" type: "BatchNorm" bottom: "c" top: "top" batch_norm_param {{ use_global_stats: false }} }}
{HEAD}"""
    assert "n" in [step.node.name for step in built(own, TEST).whole._steps]
    assert "n1" in [step.node.name for step in built(NETS["residual"]).whole._steps]
    assert "n1" not in [step.node.name for step in built(NETS["residual"], TEST).whole._steps]


def test_without_onednn_the_result_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    net = filled(NETS["residual"])
    expected = float(net.whole.forward(feeds()))
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    engine = net.whole
    with engine.frozen():
        assert float(engine.forward(feeds())) == pytest.approx(expected, rel=1e-5)


def rectified(tail: str) -> str:
    relu = 'layer { name: "r" type: "ReLU" bottom: "c" top: "c" }\n'
    return IMAGE + CHAINS["norm and scale"] + relu + tail


ENDS = {
    "a sum": (
        'layer { name: "p" type: "Pooling" bottom: "c" top: "p" pooling_param { kernel_size: 2 } }\n'
        + conv("e", "p", f"num_output: 3 kernel_size: 1 {FILLED}"),
        4,
    ),
    "a square root": ('layer { name: "p" type: "Power" bottom: "c" top: "p" power_param { power: 0.5 } }\n', 4),
    "nothing": ("", 3),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_relu_is_folded_where_only_sums_read_it(end: str) -> None:
    tail, steps = ENDS[end]
    net = filled(rectified(tail))
    expected = outputs(net)
    engine = net.whole
    assert len(engine._steps) == steps
    with engine.frozen():
        engine.forward(feeds())
    for output in engine.outputs():
        wanted = expected[output.name]
        torch.testing.assert_close(output.data, wanted, rtol=1e-5, atol=1e-5 * float(wanted.abs().max()))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_folded_relu_hides_nothing(value: float) -> None:
    net = filled(rectified(conv("e", "c", f"num_output: 3 kernel_size: 1 {FILLED}")))
    net.arena.data[1].detach()[0] = value
    engine = net.whole
    with engine.frozen():
        engine.forward(feeds())
    assert not torch.isfinite(engine.outputs()[0].data).any()
