from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
import torch

from caffepy.errors import ParallelError
from caffepy.parallel.exchange.core.base import Exchange, GradientBuffer, Setting
from caffepy.parallel.exchange.core.registry import EXCHANGES, make_exchange, register_exchange
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.single import Single
from tests.parallel.exchange.nets import Momentum
from tests.parallel.ranks import Job, ThreadRank, run_ranks


def _setting(communicator: Communicator) -> Setting:
    flat = torch.zeros(4)
    update = Momentum([torch.zeros(2)])
    return Setting(communicator, GradientBuffer(flat, (flat[:2],)), update.weights, update.weights, update)


OTHERS = ThreadRank(Job(2), 0, ["h", "h"])
ALONE = _setting(Single(Launch("single", 0, 1, 0, 1, "h")))


def test_a_process_alone_exchanges_nothing_whatever_the_name() -> None:
    for name in EXCHANGES:
        exchange = make_exchange(name, ALONE)
        assert exchange.name == "null"
        before = ALONE.weights[0].clone()
        exchange.finish([torch.ones(2)])
        assert not torch.equal(ALONE.weights[0], before)


def test_several_ranks_get_what_they_asked_for() -> None:
    assert run_ranks(2, lambda c: make_exchange("allreduce", _setting(c)).name) == ["allreduce"] * 2


def test_an_unknown_name_names_the_known_and_the_nearest() -> None:
    names = ", ".join([*sorted(set(EXCHANGES) - {"null"}), "auto"])
    with pytest.raises(ParallelError, match=f"^Unknown exchange: alreduce .known exchanges: {names}.*nearest: 'allreduce'"):
        make_exchange("alreduce", ALONE)


def test_what_moves_tensors_of_the_cpu_only_is_refused_on_a_gpu() -> None:
    buffer = SimpleNamespace(flat=SimpleNamespace(is_cuda=True), views=())
    for name, exchange in EXCHANGES.items():
        setting = replace(_setting(OTHERS), buffer=cast(GradientBuffer, buffer))
        if exchange.on_gpu:
            continue
        with pytest.raises(ParallelError, match=f"-exchange {name}: moves tensors of the CPU only; needed on GPUs: -exchange allreduce"):
            make_exchange(name, setting)
    assert {name for name, exchange in EXCHANGES.items() if not exchange.on_gpu} == {"tree", "rma_tree", "ps"}


def test_a_flag_that_changes_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    def joint(c: Communicator, lazy: bool) -> None:
        setting = _setting(c)
        setting.update.joint = True
        make_exchange("allreduce", replace(setting, lazy=lazy))

    run_ranks(2, lambda c: joint(c, False))
    assert "-lazy_update" not in capsys.readouterr().err
    run_ranks(2, lambda c: joint(c, True))
    assert capsys.readouterr().err.count("-lazy_update changes nothing where an update needs all gradients at once, as with clip_grad") == 1


def test_a_name_is_given_once() -> None:
    with pytest.raises(ValueError, match="registered twice"):

        @register_exchange("null")
        class Again(Exchange):
            pass
