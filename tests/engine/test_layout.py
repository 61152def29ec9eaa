"""Which nets run with their channels last."""

from __future__ import annotations

import pytest
import torch

from caffepy.engine.layout import prefers_channels_last
from caffepy.net.graph import Graph
from tests.engine.build import graph_of
from tests.engine.nets import NETS
from tools.bench.nets import NETS as SIX
from tools.bench.nets import net_text

IMAGE = 'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 dim: 9 dim: 9 } } }'

GPU = torch.device("cuda")


def on_a_cpu(graph: Graph) -> bool:
    return prefers_channels_last(graph, torch.device("cpu"))


def test_nets_without_pictures_keep_the_order() -> None:
    assert not on_a_cpu(graph_of(NETS["shared"]))


def test_nets_with_convolution_or_pooling_of_pictures_change_it() -> None:
    assert on_a_cpu(graph_of(NETS["in_place"]))
    pooling = 'layer { name: "p" type: "Pooling" bottom: "data" top: "p" pooling_param { kernel_size: 3 } }'
    assert on_a_cpu(graph_of(IMAGE + pooling))


def test_volumes_and_sequences_keep_it() -> None:
    text = """layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 dim: 5 dim: 5 dim: 5 } } }
layer { name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 2 kernel_size: 3 } }"""
    assert not on_a_cpu(graph_of(text))


@pytest.mark.parametrize("name", SIX)
def test_the_six_nets(name: str) -> None:
    assert on_a_cpu(graph_of(net_text(name, 1)))


def test_on_a_gpu_it_is_for_products_of_16_bits() -> None:
    graph = graph_of(NETS["in_place"])
    assert not prefers_channels_last(graph, GPU)
    assert prefers_channels_last(graph, GPU, half=True)
    assert not prefers_channels_last(graph_of(NETS["shared"]), GPU, half=True)
    assert on_a_cpu(graph)
