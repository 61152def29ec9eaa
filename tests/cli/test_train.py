"""``caffe train``: flags, devices, what is refused, and what a whole run says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from caffepy.cli.main import run
from caffepy.proto.weights import read_net_weights
from tests.warm.start import python

NET = """
name: "n"
layer { name: "d" type: "DummyData" top: "x" top: "t" dummy_data_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 1 }
  data_filler { type: "gaussian" } data_filler { type: "constant" value: 1 } } }
layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 1 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "y" bottom: "t" top: "loss" }
layer { name: "more" type: "Reduction" bottom: "y" top: "more" include { stage: "extra" } }
layer { name: "high" type: "Reduction" bottom: "y" top: "high" include { min_level: 2 } }
"""
SOLVER = 'net: "n.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 4 display: 2 random_seed: 1 snapshot_prefix: "s"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.prototxt").write_text(NET)
    (tmp_path / "s.prototxt").write_text(SOLVER)
    return tmp_path


def caffe(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    code = run("caffe", ["train", *words])
    return code, [line.split("] ", 1)[-1] for line in capsys.readouterr().err.splitlines()]


def test_a_run(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, lines = caffe(capsys, "-solver", "s.prototxt")
    assert code == 0
    assert lines[0] == "Use CPU."
    assert [line for line in lines if "Optimization" in line] == ["Starting Optimization", "Optimization Done.", "Optimization Done."]
    (speed,) = (line for line in lines if line.startswith("Trained "))
    assert speed.startswith("Trained 4 iterations in ")
    assert speed.endswith(" ms an iteration")
    assert " images/s, " in speed
    assert sorted(path.name for path in folder.glob("s_iter*")) == ["s_iter_4.caffemodel", "s_iter_4.solverstate"]


def test_metrics(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "s.prototxt").write_text(SOLVER + "test_iter: 1 test_iter: 2 test_interval: 4 test_state { } test_state { }")
    code, lines = caffe(capsys, "-solver", "s.prototxt", "-metrics", "m.jsonl", "-tensorboard=runs/a")
    assert code == 0
    rows = [json.loads(line) for line in (folder / "m.jsonl").read_text().splitlines()]
    assert [(row["iteration"], row["net"], set(row) - {"iteration", "net", "time"}) for row in rows] == [
        *((0, "test", {"loss"}), (0, "test1", {"loss"})),
        (0, "train", {"smoothed_loss", "loss", "lr"}),
        (2, "train", {"smoothed_loss", "loss", "lr", "images_per_s"}),
        *((4, "train", {"smoothed_loss"}), (4, "test", {"loss"}), (4, "test1", {"loss"})),
    ]
    assert f"    Test net output #0: loss = {rows[1]['loss']:g} (* 1 = {rows[1]['loss']:g} loss)" in lines
    assert rows[2]["lr"] == 0.1
    assert len(list((folder / "runs/a").iterdir())) == 1
    code, lines = caffe(capsys, "-solver", "s.prototxt", "-metrics", "none/m.jsonl")
    assert (code, lines) == (1, ["none/m.jsonl: cannot write it: No such file or directory"])


def test_fields_that_are_set(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    words = ["max_iter=6", "snapshot_prefix=t", "net_param.layer[ip].inner_product_param.bias_term=false"]
    code, lines = caffe(capsys, "-solver", "s.prototxt", *(f"-set={word}" for word in words))
    assert code == 0
    assert "-set max_iter=6 (in place of max_iter: 4)" in lines
    assert "-set: net_param is the net of n.prototxt" in lines
    assert any(line.startswith("Initializing solver from parameters") for line in lines)
    layers = read_net_weights(folder / "t_iter_6.caffemodel")
    assert [len(blobs) for name, blobs in ((layer.name, layer.blobs) for layer in layers) if name == "ip"] == [1]
    code, lines = caffe(capsys, "-solver", "s.prototxt", "-snapshot=t_iter_6.solverstate", "-set", words[2], "-set=max_iter=8")
    assert code == 0
    assert (folder / "s_iter_8.caffemodel").exists()


def test_level_and_stages(capsys: pytest.CaptureFixture[str]) -> None:
    def outputs(*words: str) -> list[str]:
        code, lines = caffe(capsys, "-solver", "s.prototxt", *words)
        assert code == 0
        return [line.split()[-1] for line in lines if "produces output" in line]

    assert outputs() == ["loss"]
    assert outputs("-stage", "extra,other") == ["loss", "more"]
    assert outputs("-level=2") == ["high", "loss"]


def test_weights_and_snapshot(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert caffe(capsys, "-solver", "s.prototxt")[0] == 0
    code, lines = caffe(capsys, "-solver", "s.prototxt", "-weights", "s_iter_4.caffemodel,s_iter_4.caffemodel")
    assert code == 0
    assert lines.count("Finetuning from s_iter_4.caffemodel") == 2
    (folder / "s.prototxt").write_text(SOLVER.replace("max_iter: 4", "max_iter: 6"))
    code, lines = caffe(capsys, "-solver", "s.prototxt", "-snapshot", "s_iter_4.solverstate")
    assert code == 0
    assert "Resuming from s_iter_4.solverstate" in lines
    assert [line.split(" (")[0] for line in lines if "iter/s" in line] == ["Iteration 4"]
    assert (folder / "s_iter_6.caffemodel").exists()


def test_flags_replace_the_weights_that_the_solver_names(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert caffe(capsys, "-solver", "s.prototxt")[0] == 0
    (folder / "s.prototxt").write_text(SOLVER.replace("max_iter: 4", "max_iter: 6") + 'weights: "none.caffemodel"')
    code, lines = caffe(capsys, "-solver", "s.prototxt", "-weights", "s_iter_4.caffemodel")
    assert code == 0
    assert [line for line in lines if line.startswith(("Finetuning", "weights"))] == [
        'weights: "s_iter_4.caffemodel"',
        "Finetuning from s_iter_4.caffemodel",
    ]
    code, lines = caffe(capsys, "-solver", "s.prototxt", "-snapshot", "s_iter_4.solverstate")
    assert code == 0
    assert not any(line.startswith(("Finetuning", "weights")) for line in lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Need a solver definition to train: -solver FILE"),
        (
            ("-solver", "s.prototxt", "-weights", "a", "-snapshot", "b"),
            "Give a snapshot to resume training or weights to finetune but not both.",
        ),
        (("-solver", "s.prototxt", "-sigint_effect", "foo"), 'Invalid signal effect "foo" was specified; needed: none, stop, snapshot'),
        (("-solver", "s.prototxt", "-rank_timeout", "-4"), "-rank_timeout -4; needed: more than 0 seconds"),
        (("-solver", "s.prototxt", "-check", "-3"), "-check -3; needed: 0 or more"),
        (("-solver", "none.prototxt"), "File not found: none.prototxt"),
        (("-solver", "s.prototxt", "-snapshot", "none.solverstate"), "File not found: none.solverstate"),
        (("-solver", "s.prototxt", "-weights", "none.caffemodel"), "none.caffemodel"),
        (("-solver", "s.prototxt", "-weights", ","), "weights ',': a name is empty"),
    ],
)
def test_refused_in_one_line(capsys: pytest.CaptureFixture[str], folder: Path, words: tuple[str, ...], message: str) -> None:
    assert run("caffe", ["train", *words]) == 1
    fatal = [line for line in capsys.readouterr().err.splitlines() if line.startswith("F")]
    assert len(fatal) == 1
    assert message in fatal[0]
    assert not list(folder.glob("s_iter*"))


def test_gpu_where_there_is_none(capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for words, text in ((("-gpu", "0"), SOLVER), ((), SOLVER + "solver_mode: GPU")):
        (folder / "s.prototxt").write_text(text)
        code, lines = caffe(capsys, "-solver", "s.prototxt", *words)
        assert code == 1
        assert lines[0] == "Using GPUs 0"
        assert "-gpu 0: Cannot use GPU: torch sees no GPU on this machine" in lines[-1]


def test_a_gpu_that_is_not_there(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    assert "there is no device 7; this machine has 4" in caffe(capsys, "-solver", "s.prototxt", "-gpu", "7")[1][-1]


@pytest.mark.parametrize(
    ("effects", "sent", "name"),
    [((), signal.SIGINT, "interrupt"), (("-sigint_effect=snapshot", "-sighup_effect=stop"), signal.SIGHUP, "hang-up")],
)
def test_signals(folder: Path, root: Path, effects: tuple[str, ...], sent: signal.Signals, name: str) -> None:
    (folder / "s.prototxt").write_text(SOLVER.replace("max_iter: 4", "max_iter: 100000000").replace("display: 2", "display: 100"))
    command = [*python(), "-m", "caffepy.cli.main", "caffe", "train", "-solver", "s.prototxt", *effects]
    environ = dict(os.environ, PYTHONPATH=str(root), OMP_NUM_THREADS="1")
    log = folder / "log"
    with log.open("w") as stream, subprocess.Popen(command, stderr=stream, env=environ) as process:
        until = time.monotonic() + 60
        while "Iteration 100 " not in log.read_text() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(sent)
        process.wait(60)
    text = log.read_text()
    assert process.returncode == 0, text
    assert f"{name}: stopping after this iteration and a snapshot\n" in text
    assert "Optimization stopped early." in text
    (model,) = folder.glob("s_iter_*.caffemodel")
    assert sum(len(layer.blobs) for layer in read_net_weights(model)) == 2
    assert model.with_suffix(".solverstate").exists()


@pytest.mark.parametrize("flag", ["metrics", "net_outputs"])
def test_numbers_do_not_take_the_solvers_place(flag: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = caffe(capsys, "-solver", "s.prototxt", f"-{flag}", "./s.prototxt")
    assert (code, (folder / "s.prototxt").read_text()) == (1, SOLVER)
    assert "./s.prototxt would be overwritten, and it is what is read" in lines[-1]
