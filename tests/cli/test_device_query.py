"""device_query and the -gpu flag."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from caffepy.cli.device_query import describe, in_words
from caffepy.cli.gpus import gpu_numbers
from caffepy.cli.main import run
from caffepy.errors import UsageError


def test_without_gpu_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffe", ["device_query"]) == 0
    assert capsys.readouterr().err.endswith("caffe.cpp:138] Querying GPUs \n")


def test_without_a_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    assert run("caffe", ["device_query", "-gpu", "0"]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("Querying GPUs 0")
    assert second.startswith("F")
    assert "no GPU can be used here" in second


def test_rows_of_a_device() -> None:
    device = SimpleNamespace(major=9, minor=0, name="A GPU", total_memory=85, multi_processor_count=132)
    attributes = {1: 1024, 2: 8, 3: 9, 4: 10, 15: 1, 17: 0}
    rows = {name: in_words(value) for name, value in describe(1, device, attributes.get)}
    assert list(rows)[:4] == ["Device id", "Major revision number", "Minor revision number", "Name"]
    assert rows["Maximum threads per block"] == "1024"
    assert rows["Maximum dimension of block"] == "8, 9, 10"
    assert rows["Concurrent copy and execution"] == "Yes"
    assert rows["Kernel execution timeout"] == "No"
    assert rows["Warp size"] == "unknown"


@pytest.mark.parametrize(("text", "numbers"), [("", ()), ("all", (0, 1, 2)), ("2", (2,)), ("1,0", (1, 0)), ("1,1", (1,))])
def test_gpu_numbers(text: str, numbers: tuple[int, ...]) -> None:
    assert gpu_numbers(text, 3) == numbers


@pytest.mark.parametrize(
    ("text", "message"), [("3", "there is no device 3; this machine has 3"), ("x", "'x' is no device number"), ("-1", "'-1'")]
)
def test_wrong_gpu_numbers(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        gpu_numbers(text, 3)
