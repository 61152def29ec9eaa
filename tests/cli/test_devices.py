from __future__ import annotations

import pytest
import torch

from caffepy.cli import devices
from caffepy.cli.devices import single_device, training_device
from caffepy.cli.extract_features import chosen_device
from caffepy.cli.train import ranks_to_start
from caffepy.errors import UsageError
from caffepy.parallel.launch.environment import Launch
from tests.parallel.ranks import run_ranks

ALONE = Launch("single", 0, 1, 0, 1, "h")


@pytest.fixture
def four_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with four GPUs, as far as choosing goes."""
    monkeypatch.setattr(devices, "gpu_count", lambda: 4)
    monkeypatch.setattr(devices, "_use", lambda number: torch.device("cuda", number))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda number: "made up")


@pytest.mark.parametrize(
    ("gpu", "expected"), [("0,2", [0, 2, 0]), ("all", [0, 1, 2]), ("auto", [0, 1, 2]), ("auto-2", [0, 1, 0]), ("auto-9", [0, 1, 2])]
)
@pytest.mark.usefixtures("four_gpus")
def test_each_rank_takes_the_next_device(gpu: str, expected: list[int]) -> None:
    assert run_ranks(3, lambda c: training_device(gpu, c).index) == expected


@pytest.mark.usefixtures("four_gpus")
def test_ranks_of_two_hosts_count_their_own() -> None:
    assert run_ranks(4, lambda c: training_device("auto", c).index, hosts=["a", "b", "b", "a"]) == [0, 0, 1, 1]


def test_auto_is_the_cpu_where_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "gpu_count", lambda: 0)
    assert run_ranks(1, lambda c: training_device("auto", c).type) == ["cpu"]
    with pytest.raises(UsageError, match="torch sees no GPU"):
        run_ranks(1, lambda c: training_device("auto-x", c))


def test_a_wrong_number_of_threads_is_warned_of_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "abc")
    torch.set_num_threads(1)
    assert single_device("", 1).type == "cpu"
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("W")
    assert line.endswith("] OMP_NUM_THREADS is 'abc'; needed: a whole number from 1; computing with 1 thread")


@pytest.mark.usefixtures("four_gpus")
def test_how_many_ranks_a_process_starts() -> None:
    assert ranks_to_start(ALONE, None, "") <= 1
    assert ranks_to_start(ALONE, None, "2") <= 1
    assert ranks_to_start(ALONE, None, "0,2,3") == 3
    assert ranks_to_start(ALONE, None, "all") == 4
    assert ranks_to_start(ALONE, 3, "") == 3
    launched = Launch("mpich", 0, 2, 0, 2, "h")
    assert ranks_to_start(launched, None, "0,1,2") == ranks_to_start(launched, 2, "") == 0
    with pytest.raises(UsageError, match="-ranks 3: mpich started 2"):
        ranks_to_start(launched, 3, "")
    for launch in (ALONE, launched):
        for wrong in (0, -1):
            with pytest.raises(UsageError, match=f"^-ranks {wrong}; needed: 1 or more$"):
                ranks_to_start(launch, wrong, "")


def test_a_gpu_computes_in_float32_unless_asked_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = []
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", False)
    assert devices._use(1) == torch.device("cuda", 1)
    assert chosen == [1]
    assert not torch.backends.cudnn.allow_tf32


def test_a_gpu_that_is_not_there_is_named_as_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "gpu_count", lambda: 0)
    with pytest.raises(UsageError, match="^-gpu 1: Cannot use GPU: torch sees no GPU on this machine; leave -gpu out and"):
        single_device("1", 1)
    with pytest.raises(UsageError, match="^GPU 1: Cannot use GPU: torch sees no GPU on this machine; needed: CPU$"):
        chosen_device("GPU", 1)
    monkeypatch.setattr(devices, "gpu_count", lambda: 1)
    with pytest.raises(UsageError, match="^GPU 1: there is no device 1; this machine has 1"):
        chosen_device("GPU", 1)
