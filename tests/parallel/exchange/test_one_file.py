"""An exchange is one file: what is written in it is enough to choose it, to train by it and to predict it."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import caffepy
from caffepy.cli.rank_flags import RANKS
from caffepy.parallel import exchange
from caffepy.parallel.exchange.core.registry import EXCHANGES
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.predict.cluster_spec import parse_cluster
from caffepy.parallel.predict.prediction import Costs, LayerCost, Way, predict, ways
from caffepy.parallel.transport.single import Single
from tests.parallel.exchange.nets import reference, train
from tests.parallel.ranks import run_ranks

PACKAGE = Path(caffepy.__file__).parent
FOLDER = Path(exchange.__file__).parent
SOURCE = '''
"""All gradients at the end of backward, by the transport's own sum."""

from caffepy.parallel.exchange.core.base import Exchange
from caffepy.parallel.exchange.core.network import Stage
from caffepy.parallel.exchange.core.registry import register_exchange


@register_exchange("at_end")
class AtEndExchange(Exchange):
    """Every rank sends its gradient to each other one."""

    complexity = 9

    @classmethod
    def link_bytes(cls, buffer_bytes, groups):
        return (sum(map(len, groups)) - 1) * buffer_bytes

    @classmethod
    def model(cls, network, sizes, serving):
        return lambda load: [Stage({"out": cls.link_bytes(load.n_bytes, network.groups) / network.link.bandwidth}, 1)]

    def finish(self, gradients):
        self.collect(gradients)
        self.communicator.allreduce_(self.buffer.flat)
        self.buffer.flat.mul_(self.scale)
        self.update(range(len(self.buffer.views)), self.buffer.views, self.iteration)
'''


@pytest.fixture
def at_end(tmp_path: Path) -> Iterator[str]:
    """A module of the package, from a file elsewhere, until the test is over."""
    name = "caffepy.parallel.exchange.at_end"
    (tmp_path / "at_end.py").write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(name, tmp_path / "at_end.py")
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    yield "at_end"
    del EXCHANGES.loaded["at_end"]


def test_it_is_chosen_by_its_name(at_end: str) -> None:
    assert Sharing(at_end).way == at_end


@pytest.mark.parametrize("average", [True, False])
def test_it_trains(at_end: str, average: bool) -> None:
    expected = reference(Single(Launch("single", 0, 1, 0, 1, "h")), 3, average=average)
    for weights in run_ranks(3, lambda c: train(c, at_end, average=average)):
        for found, wanted in zip(weights, expected):
            torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6)


def test_it_is_predicted_after_those_that_are_simpler(at_end: str) -> None:
    plain = [way for way in ways() if not (way.servers or way.groups or way.staleness)]
    assert plain[-1] == Way(at_end, lazy=True, svb=True)
    costs = Costs((LayerCost(1.0, 2.0, ((1000, 1000),)),), 0.0, 1e12)
    assert predict(costs, parse_cluster("4x1,8MB/s,latency=1ns"), 4, Way(at_end)) == pytest.approx(3.0 + 3 * 4e6 / 8e6, rel=0.01)


def test_each_file_of_the_folder_is_one_exchange() -> None:
    """Called as the exchange is; what several share stands in the folders below."""
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert files == set(EXCHANGES)
    assert {name: cls.__module__ for name, cls in EXCHANGES.items()} == {name: f"caffepy.parallel.exchange.{name}" for name in files}


def test_an_exchange_is_imported_when_it_is_asked_for(root: Path) -> None:
    """So the help of a flag can name them all in no time."""
    code = (
        "import sys; from caffepy.cli.rank_flags import RANKS; print('torch' in sys.modules);"
        "from caffepy.parallel.exchange.core.registry import EXCHANGES; EXCHANGES['tree'];"
        "print(*('caffepy.parallel.exchange.' + name in sys.modules for name in ('tree', 'ps')))"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=root, check=True, text=True, stdout=subprocess.PIPE).stdout
    assert said.split() == ["False", "True", "False"]


def test_there_is_room_for_more() -> None:
    """The folder may have as many files as tests/contract/test_folders.py allows."""
    assert len(list(FOLDER.glob("*.py"))) < 10


def test_a_name_stands_in_its_own_file_only() -> None:
    """But for the default, the one that stands for a process alone, and the one that groups of ranks use."""
    names = set(EXCHANGES) - {Sharing.exchange, "null", "ps"}
    assert len(names) >= 3
    found: dict[str, set[str]] = {name: set() for name in names}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in names:
                found[node.value].add(path.relative_to(FOLDER).as_posix() if FOLDER in path.parents else str(path))
    assert found == {name: {f"{name}.py"} for name in names}


def test_the_help_of_the_flag_names_them_all() -> None:
    names = sorted(set(EXCHANGES) - {"null"})
    assert f": {', '.join(names)}, or auto" in RANKS["exchange"].help
