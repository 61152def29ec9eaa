"""Where the commands that draw write to: their old forms, and -out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caffepy.cli.main import run
from caffepy.cli.picture import picture_among

LOG = "\n".join(
    f"I1127 20:47:0{i}.700948 19456 solver.cpp:239] {words}"
    for i, words in enumerate(["Solving n", "Iteration 0, loss = 2", "Iteration 0, lr = 0.1", "Iteration 5, loss = 1"])
)
NET = 'layer { name: "d" type: "Input" top: "x" input_param { shape { dim: 1 } } }'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.log").write_text(LOG)
    (tmp_path / "b.log").write_text(LOG)
    (tmp_path / "n.prototxt").write_text(NET)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "out", "picture"),
    [
        (["a.log"], "", ""),
        (["a.log", "p.png"], "", "p.png"),
        (["p.PNG", "a.log", "b.log"], "", "p.PNG"),
        (["a.log", "b.log"], "", ""),
        (["a.log", "b.svg"], "p", "p"),
        (["p.svg"], "", ""),
    ],
)
def test_which_is_the_picture(words: list[str], out: str, picture: str) -> None:
    chosen, others = picture_among(words, out)
    assert chosen == picture
    assert list(others) == [word for word in words if word != picture]


@pytest.mark.parametrize(
    "words",
    [
        "plot a.log -out p.svg",
        "plot a.log b.log p.svg",
        "plot -title=x a.log -out=p.svg",
        "plot_training_log 6 p.svg a.log b.log",
        "plot_training_log 6 a.log b.log p.svg",
        "plot_training_log 6 a.log -out p.svg",
        "draw_net n.prototxt p.svg",
        "draw_net n.prototxt -out p.svg",
    ],
)
def test_forms(words: str, folder: Path) -> None:
    if "plot" in words:
        pytest.importorskip("matplotlib")
    assert run("caffepy", words.split()) == 0
    assert "<svg" in (folder / "p.svg").read_text()
    assert (folder / "a.log").read_text() == LOG


@pytest.mark.parametrize("words", ["draw_net n.prototxt", "plot_training_log 6 p.png", "plot_training_log 6"])
def test_what_is_missing(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", words.split()) == 1
    assert capsys.readouterr().out.startswith("usage: caffepy ")


def test_two_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", ["draw_net", "n.prototxt", "p.svg", "-out=q.svg"]) == 1
    assert "-out q.svg: the picture is named as p.svg too" in capsys.readouterr().err


def test_usage_as_of_caffes_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("draw_net", ["n.prototxt"]) == 2
    assert capsys.readouterr().err.startswith("usage: draw_net [FLAGS] NET ")


def test_metrics(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    record = {"iteration": 0, "net": "train", "time": 1.0, "smoothed_loss": 2.0}
    (folder / "m.jsonl").write_text(json.dumps(record) + "\n")
    assert run("caffepy", ["plot", "m.jsonl", "a.log", "-out=p.svg"]) == 0
    assert "m: training loss, last 2" in (folder / "p.svg").read_text()
    assert run("caffepy", ["parse_log", "m.jsonl"]) == 1
    assert "caffepy plot reads files of -metrics, too" in capsys.readouterr().err
