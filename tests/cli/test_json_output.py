"""-json: one object on standard output, whatever else a command or a user's layer says."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from caffepy.cli import device_query
from caffepy.cli.json_output import json_object
from caffepy.cli.main import run

NET = """
name: "n"
layer { name: "d" type: "DummyData" top: "x" top: "t" dummy_data_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 1 }
  data_filler { type: "constant" value: 1 } } }
layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 2 } }
layer { name: "loss" type: "Reduction" bottom: "y" top: "loss" loss_weight: 2 }
layer { name: "two" type: "Pooling" bottom: "t" top: "t2" include { stage: "never" } }
"""
PYTHON = """
import caffe
class Talks(caffe.Layer):
    def setup(self, bottom, top): print("set up")
    def reshape(self, bottom, top): top[0].reshape(*bottom[0].data.shape)
    def forward(self, bottom, top): top[0].data[...] = bottom[0].data
    def backward(self, top, propagate_down, bottom): pass
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.prototxt").write_text(NET)
    return tmp_path


def result(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """What a command prints, which is one line."""
    assert run("caffepy", [*words, "-json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    return json.loads(line)


def test_numbers_that_json_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    with json_object(wanted=True) as told:
        told.update({"a": math.nan, "b": [1.5, -math.inf], "c": {"d": "inf", "e": True}})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [1.5, None], "c": {"d": "inf", "e": True}}


def test_nothing_after_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", ["summary", "-json", "none.prototxt"]) == 1
    assert capsys.readouterr().out == ""


def test_summary(capsys: pytest.CaptureFixture[str]) -> None:
    told = result(capsys, "summary", "n.prototxt")
    assert (told["name"], told["phase"], told["batch"], told["parameters"]) == ("n", "TEST", 0, 8)
    assert [row["layer"] for row in told["layers"]] == ["d", "ip", "loss"]
    assert told["layers"][1] == {
        "layer": "ip",
        "type": "InnerProduct",
        "tops": [{"name": "y", "shape": [4, 2]}],
        "parameters": 8,
        "flops": 48,
        "bytes": 32,
    }


def test_test(capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)
    (folder / "talks_layer.py").write_text(PYTHON)
    talks = 'layer { name: "p" type: "Python" bottom: "t" top: "same" python_param { module: "talks_layer" layer: "Talks" } }'
    (folder / "n.prototxt").write_text(NET + talks)
    (folder / "s.prototxt").write_text('net: "n.prototxt" lr_policy: "fixed" base_lr: 0 max_iter: 1 snapshot_prefix: "n"')
    assert run("caffepy", ["train", "-solver=s.prototxt"]) == 0
    capsys.readouterr()
    told = result(capsys, "test", "-model=n.prototxt", "-weights=n_iter_1.caffemodel", "-iterations=3")
    assert told == {
        "model": "n.prototxt",
        "weights": ["n_iter_1.caffemodel"],
        "iterations": 3,
        "loss": 0.0,
        "outputs": {"loss": 0.0, "same": 1.0, "same[1]": 1.0, "same[2]": 1.0, "same[3]": 1.0},
    }


def test_time(capsys: pytest.CaptureFixture[str]) -> None:
    told = result(capsys, "time", "-model=n.prototxt", "-iterations=2", "-cluster=3x1,10gbe")
    assert (told["model"], told["phase"], told["iterations"]) == ("n.prototxt", "TRAIN", 2)
    assert [(row["name"], row["type"]) for row in told["layers"]] == [("d", "DummyData"), ("ip", "InnerProduct"), ("loss", "Reduction")]
    assert all(row["forward_ms"] > 0 for row in told["layers"])
    assert told["forward_backward_ms"] == pytest.approx(told["forward_ms"] + told["backward_ms"])
    assert told["whole_ms"] > 0
    cluster = told["cluster"]
    assert cluster["ranks"] == [3]
    assert {"flags": "-exchange allreduce", "iteration_ms": cluster["ways"][0]["iteration_ms"]}.items() <= cluster["ways"][0].items()
    assert all(0 < way["efficiency"][0] <= 100 for way in cluster["ways"] if "-n_group" not in way["flags"])
    assert any(way["iteration_ms"] == [None] for way in cluster["ways"])
    assert cluster["recommended"][0] in [way["flags"] for way in cluster["ways"]]


def test_time_of_no_iteration(capsys: pytest.CaptureFixture[str]) -> None:
    assert result(capsys, "time", "-model=n.prototxt", "-iterations=0") == {"model": "n.prototxt", "phase": "TRAIN", "iterations": 0}


def test_device_query(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert result(capsys, "device_query") == {"devices": []}
    device = SimpleNamespace(major=9, minor=0, name="A GPU", total_memory=85, multi_processor_count=132)
    rows = device_query.describe(1, device, {1: 1024, 2: 8, 15: 1}.get)
    monkeypatch.setattr(device_query, "query", lambda gpu: iter([rows]))
    (told,) = result(capsys, "device_query", "-gpu=1")["devices"]
    assert (told["device_id"], told["name"], told["maximum_threads_per_block"]) == (1, "A GPU", 1024)
    assert told["maximum_dimension_of_block"] == [8, None, None]
    assert (told["concurrent_copy_and_execution"], told["warp_size"]) == (True, None)


def test_cluster(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    told = result(capsys, "cluster")
    assert (told["hosts"], told["links"], told["spec"], told["problems"]) == (1, [], None, [])
    (rank,) = told["ranks"]
    assert (rank["rank"], rank["device"], rank["folder"]) == (0, "cpu", str(folder))
    assert set(rank["versions"]) == {"Python", "torch", "caffepy"}
    (folder / "hosts").write_text("a:2\nb\n")
    machines = [{"host": "a", "ranks": 2}, {"host": "b", "ranks": 1}]
    assert result(capsys, "cluster", "-hosts=hosts", "-list") == {"machines": machines}
