from __future__ import annotations

import pytest
import torch

from caffepy.errors import ParallelError
from caffepy.parallel.communicator import Communicator
from caffepy.parallel.environment import Launch
from caffepy.parallel.exchange import EXCHANGES, Exchange, GradientBuffer, Setting, make_exchange, register_exchange
from caffepy.parallel.single import Single
from tests.parallel.exchange.nets import Momentum
from tests.parallel.ranks import run_ranks


def _setting(communicator: Communicator) -> Setting:
    flat = torch.zeros(4)
    update = Momentum([torch.zeros(2)])
    return Setting(communicator, GradientBuffer(flat, (flat[:2],)), update.weights, update.weights, update)


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
    with pytest.raises(ParallelError, match="Unknown exchange: alreduce .known exchanges: .*null.*nearest: 'allreduce'"):
        make_exchange("alreduce", ALONE)


def test_a_name_is_given_once() -> None:
    with pytest.raises(ValueError, match="registered twice"):

        @register_exchange("null")
        class Again(Exchange):
            pass
