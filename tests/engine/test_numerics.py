"""Reduced precision and determinism, as far as a CPU shows them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from caffepy.engine.numerics import PRECISIONS, Numerics
from caffepy.engine.whole import WholeEngine
from caffepy.errors import UsageError
from tests.engine.build import TEST, TRAIN, Built, built, feeds
from tests.engine.nets import IMAGE, IP, NETS

HALF_TYPES = [torch.bfloat16, torch.float16]


@pytest.fixture
def backends() -> Iterator[None]:
    """Torch's settings as they were."""
    yield
    torch.use_deterministic_algorithms(False)
    torch.utils.deterministic.fill_uninitialized_memory = True
    torch.backends.cudnn.benchmark = torch.backends.cudnn.deterministic = False


def together(gradients: list[Tensor | None]) -> Tensor:
    """All gradients in one."""
    return torch.cat([g.flatten() for g in gradients if g is not None])


def engine(net: Built, half: torch.dtype) -> WholeEngine:
    return WholeEngine(net.graph, net.arena, net.random, channels_last=net.channels_last, half=half)


@pytest.mark.parametrize("half", HALF_TYPES)
@pytest.mark.parametrize("name", NETS)
def test_a_pass_is_near_the_float32_one(name: str, half: torch.dtype) -> None:
    exact = built(NETS[name], TRAIN, channels_last=True)
    expected = float(exact.whole.forward_backward(feeds()))
    rough = built(NETS[name], TRAIN, channels_last=True)
    ran = engine(rough, half)
    loss = ran.forward_backward(feeds())
    assert loss.dtype == torch.float32
    assert float(loss) == pytest.approx(expected, rel=0.03)
    ours, theirs = together(ran.gradients()), together(exact.arena.gradients())
    assert ours.dtype == torch.float32
    assert float((ours - theirs).norm()) <= 0.2 * float(theirs.norm())  # where maxima are nearly equal, another one wins
    for output in ran.outputs():
        assert output.data.dtype == torch.float32


@pytest.mark.parametrize("half", HALF_TYPES)
def test_only_products_are_shortened(half: torch.dtype) -> None:
    seen: dict[str, set[torch.dtype]] = {}
    ran = engine(built(NETS["residual"], TRAIN), half)
    for step in ran._steps:
        if step.outside:
            continue
        inner = step.forward

        def spied(bottoms: list[Tensor], blobs: list[Tensor], run: object, name: str = step.node.name, f: object = inner) -> object:
            tops = f(bottoms, blobs, run)
            seen[name] = {top.dtype for top in tops}
            return tops

        step.forward = spied
    ran.forward(feeds())
    assert seen["c1"] == seen["n1"] == seen["r1"] == seen["e"] == seen["ip"] == {half}
    assert seen["loss"] == seen["acc"] == {torch.float32}


def test_a_test_net_keeps_its_layers_apart() -> None:
    ran = engine(built(NETS["residual"], TEST), torch.bfloat16)
    assert "n1" in [step.node.name for step in ran._steps]
    expected = float(built(NETS["residual"], TEST).whole.forward(feeds()))
    with ran.frozen():
        assert float(ran.forward(feeds())) == pytest.approx(expected, rel=0.03)


def test_another_batch_size_stays_short() -> None:
    ran = engine(built(NETS["in_place"], TEST), torch.bfloat16)
    ran.forward(feeds())
    before = [step.forward for step in ran._steps]
    exact = float(built(NETS["in_place"], TEST).whole.forward(feeds(8)))
    found = float(ran.forward(feeds(8)))
    assert found == pytest.approx(exact, rel=0.02)
    assert found != exact
    assert before != [step.forward for step in ran._steps]


def test_the_loss_scale_multiplies_gradients_and_not_the_loss() -> None:
    ran, plain = built(NETS["weighted_losses"]).whole, built(NETS["weighted_losses"]).whole
    ran.loss_scale = torch.tensor(8.0)
    assert float(ran.forward_backward(feeds())) == float(plain.forward_backward(feeds()))
    for ours, theirs in zip(ran.gradients(), plain.gradients(), strict=True):
        assert ours is not None
        assert theirs is not None
        torch.testing.assert_close(ours, 8 * theirs)


@pytest.mark.parametrize("half", HALF_TYPES)
def test_images_with_large_values_are_pooled(half: torch.dtype) -> None:
    text = NETS["in_place"].replace("kernel_size: 3 stride: 2", "kernel_size: 2 stride: 1")
    ran, exact = engine(built(text, TRAIN), half), built(text, TRAIN).whole
    given = feeds() | {"data": feeds()["data"].abs() * 250}  # the sum of the maxima is beyond 65504
    assert float(ran.forward_backward(given)) == pytest.approx(float(exact.forward_backward(given)), rel=0.05)


@pytest.mark.parametrize("half", HALF_TYPES)
def test_a_loss_is_summed_up_in_float32(half: torch.dtype) -> None:
    head = f"""layer {{ name: "top" type: "InnerProduct" bottom: "data" top: "top" {IP} }}
layer {{ name: "r" type: "ReLU" bottom: "top" top: "r" loss_weight: 1000 }}"""
    text = f"{IMAGE}{head}"
    ran, exact = engine(built(text, TRAIN), half), built(text, TRAIN).whole
    given = feeds() | {"data": feeds()["data"].abs() * 100}
    loss = ran.forward_backward(given)
    assert loss.dtype == torch.float32
    assert float(loss) == pytest.approx(float(exact.forward_backward(given)), rel=0.02)


def test_an_unknown_precision_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="-precision fp61: there is no such precision; nearest: 'fp16'; known: fp32, tf32, bf16, fp16"):
        Numerics("fp61")


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_each_precision_means(precision: str) -> None:
    kind = Numerics(precision)
    assert kind.half == {"bf16": torch.bfloat16, "fp16": torch.float16}.get(precision)
    assert kind.scales_loss == (precision == "fp16")


@pytest.mark.usefixtures("backends")
def test_deterministic_is_told_to_torch_and_a_cpu_needs_no_more() -> None:
    Numerics(deterministic=True).prepare(torch.device("cpu"))
    assert torch.are_deterministic_algorithms_enabled()
    assert not torch.backends.cudnn.deterministic


@pytest.mark.usefixtures("backends")
@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_gpus_settings(precision: str) -> None:
    Numerics(precision).prepare(torch.device("cuda"))
    assert torch.backends.cudnn.benchmark
    assert torch.backends.cuda.matmul.allow_tf32 == torch.backends.cudnn.allow_tf32 == (precision == "tf32")
    Numerics(precision, deterministic=True).prepare(torch.device("cuda"))
    assert torch.backends.cudnn.deterministic
    assert not torch.backends.cudnn.benchmark
