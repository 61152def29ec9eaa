"""TEST nets with large blobs: some items of the batch after the other, the numbers of all at once."""

from __future__ import annotations

import pytest
import torch

from caffepy.engine import microbatches, one_call
from caffepy.engine.whole import WholeEngine
from caffepy.errors import LayerError
from caffepy.layers.neuron.relu import ReLULayer
from tests.engine.build import TEST, TRAIN, Built, built, feed, feeds
from tests.engine.nets import CONV, HEAD, IMAGE, NETS

ITEM_BYTES = 4 * 6 * 9 * 9
"""Of the tops of CONV."""


@pytest.fixture(autouse=True)
def two_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blobs like those of CONV are large, two items of them are a part."""
    monkeypatch.setattr(microbatches, "LARGE_BYTES", 2 * ITEM_BYTES)


def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many items each ReLU was given."""
    found: list[int] = []
    forward = ReLULayer.forward

    def told(layer, bottoms, blobs, run):
        found.append(len(bottoms[0]))
        return forward(layer, bottoms, blobs, run)

    monkeypatch.setattr(ReLULayer, "forward", told)
    return found


def steps(engine: WholeEngine) -> list[str]:
    """The names of the first layers of what a frozen pass does."""
    with engine.frozen():
        assert engine._testing is not None
        return [step.node.name for step in engine._testing]


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("batch", [1, 4, 7])
@pytest.mark.parametrize("name", NETS)
def test_the_outputs_are_those_of_all_at_once(name: str, batch: int, channels_last: bool) -> None:
    net = built(NETS[name], TEST, channels_last=channels_last)
    reference = net.whole
    reference.forward(feeds(batch))
    engine = net.whole
    with engine.frozen():
        for _ in range(2):
            engine.forward(feeds(batch))
            for output, expected in zip(engine.outputs(), reference.outputs(), strict=True):
                torch.testing.assert_close(output.data, expected.data, rtol=1e-4, atol=1e-5)


RELU = 'layer {{ name: "{0}" type: "ReLU" bottom: "{1}" top: "{1}" relu_param {{ negative_slope: 0.5 }} }}\n'
POOL = 'layer { name: "top" type: "Pooling" bottom: "c" top: "top" pooling_param { kernel_size: 3 stride: 2 } }\n'
CHAIN = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
{RELU.format("large", "c")}{POOL}{RELU.format("small", "top")}{HEAD}"""


def test_the_layers_with_large_blobs_see_a_part_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = built(CHAIN, TEST).whole
    assert steps(engine) == ["in", "label_in_1_split", "small", "ip", "ip_ip_0_split", "acc", "loss"]
    found = seen(monkeypatch)
    engine = built(CHAIN, TEST).whole
    with engine.frozen():
        engine.forward(feeds())
        assert found == [2, 2, 4]
        engine.forward(feeds(5))  # the steps are chosen before the source says how many there are
        engine.forward(feeds(5))
    assert found[3:] == 2 * [1, 2, 2, 5]
    engine.forward(feeds(5))
    assert found[11:] == [5, 5]


def test_small_blobs_and_training_nets_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = built(NETS["in_place"], TRAIN).whole
    with engine.frozen():
        assert engine._testing is None
    monkeypatch.setattr(microbatches, "LARGE_BYTES", 1 << 20)
    monkeypatch.setattr(one_call, "LARGE_FLOPS", 0)
    assert "top" in steps(built(NETS["in_place"], TEST).whole)


MIXING = {
    "statistics of the batch": 'layer { name: "m" type: "BatchNorm" bottom: "c" top: "m" batch_norm_param { use_global_stats: false } }',
    "items side by side": 'layer { name: "m" type: "Concat" bottom: "c" bottom: "c" top: "m" concat_param { axis: 0 } }',
    "another shape": 'layer { name: "m" type: "Reshape" bottom: "c" top: "m" reshape_param { shape { dim: 1 dim: -1 } } }',
}


@pytest.mark.parametrize("kind", MIXING)
def test_layers_that_mix_items_see_all(kind: str) -> None:
    net = built(f'{IMAGE} layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}\n{MIXING[kind]}', TEST)
    reference = feed(net.layerwise, feeds())
    reference.forward()
    engine = net.whole
    assert "m" in steps(engine)
    with engine.frozen():
        engine.forward(feeds())
    for output, expected in zip(engine.outputs(), reference.outputs(), strict=True):
        torch.testing.assert_close(output.data, expected.data, rtol=1e-4, atol=1e-5)


TWO = """
layer { name: "in" type: "Input" top: "one" top: "two"
        input_param { shape { dim: 4 dim: 3 dim: 9 dim: 9 } shape { dim: 4 dim: 3 dim: 9 dim: 9 } } }
"""


def two_branches() -> Built:
    return built(
        TWO + "".join(f'layer {{ name: "c{b}" type: "Convolution" bottom: "{b}" top: "c{b}" {CONV} }}\n' for b in ("one", "two")), TEST
    )


def test_inputs_whose_batches_differ_later() -> None:
    net = two_branches()
    assert steps(net.whole) == ["in", "cone"]
    engine = net.whole
    with engine.frozen():
        engine.forward({"one": torch.ones(4, 3, 9, 9), "two": torch.ones(4, 3, 9, 9)})
        engine.forward({"one": torch.ones(4, 3, 9, 9), "two": torch.ones(6, 3, 9, 9)})
        assert [len(output.data) for output in engine.outputs()] == [4, 6]
        engine.forward({"one": torch.ones(4, 3, 9, 9), "two": torch.ones(6, 3, 9, 9)})
        assert [len(output.data) for output in engine.outputs()] == [4, 6]


def test_an_error_inside_names_its_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    net = built(NETS["in_place"], TEST)

    def fail(*arguments: object) -> None:
        raise LayerError("no")

    engine = net.whole
    with engine.frozen():
        inner = next(step for step in engine._steps if step.node.type == "Pooling")
        inner.forward = fail
        with pytest.raises(LayerError, match=r"layer 'top' \(Pooling\): no$") as caught:
            engine.forward(feeds())
        assert str(caught.value).count("layer '") == 1
        assert engine.progress.layer == "top"
