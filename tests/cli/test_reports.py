"""The commands that tell about nets and trainings."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.cli.main import run
from caffepy.cli.plot import log_names

NET = """
name: "n"
layer { name: "d" type: "Data" top: "data" top: "label" include { stage: "deep" }
        data_param { source: "nowhere" batch_size: 4 backend: LMDB } transform_param { crop_size: 8 } }
layer { name: "i" type: "Input" top: "data" exclude { stage: "deep" } input_param { shape { dim: 1 dim: 1 dim: 8 dim: 8 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 2 kernel_size: 3 } }
"""


@pytest.fixture
def net(tmp_path: Path) -> str:
    (tmp_path / "net.prototxt").write_text(NET)
    return str(tmp_path / "net.prototxt")


def test_summary(net: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", ["summary", net]) == 0
    out, err = capsys.readouterr()
    assert "conv: 1 x 2 x 6 x 6" in out
    assert "parameters 20 (80 B)" in out
    assert err == ""


def test_summary_without_the_data(net: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", ["summary", net, "-stage", "deep", "-phase=TRAIN"]) == 0
    out, err = capsys.readouterr()
    assert "conv: 4 x 2 x 6 x 6" in out
    assert "layer 'd' has no data here; assumed: data 4 x 3 x 8 x 8, label 4" in err
    assert run("caffepy", ["summary", net, "-stage", "deep", "-shape", "data=2,1,5,5", "-shape=label=2"]) == 0
    out, err = capsys.readouterr()
    assert "conv: 2 x 2 x 3 x 3" in out
    assert err == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-phase", "BOTH"], "-phase BOTH: needed: TRAIN or TEST"),
        (["-shape", "daat=1,2,3,4"], "-shape daat=...: no input and no data layer has a blob of this name; nearest: 'data'"),
    ],
)
def test_summary_refuses(words: list[str], message: str, net: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", ["summary", net, *words]) == 1
    assert message in capsys.readouterr().err


def test_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    for name in "ab":
        (tmp_path / f"{name}.log").write_text("x] Iteration 0, loss = 2\nx] Iteration 5, loss = 1\n")
    picture = str(tmp_path / "a.png")
    assert run("caffepy", ["plot", str(tmp_path / "a.log"), str(tmp_path / "b.log"), "-out", picture, "-title=x", "-note="]) == 0
    assert capsys.readouterr().out == picture + "\n"
    assert Path(picture).read_bytes().startswith(b"\x89PNG")
    assert run("caffepy", ["plot", str(tmp_path / "none.log")]) == 1
    assert "none.log: No such file" in capsys.readouterr().err
    assert run("caffepy", ["plot"]) == 1


@pytest.mark.parametrize(
    ("paths", "names"),
    [(("x/a.log", "x/b.log"), ["a", "b"]), (("x/l.log", "y/l.log"), ["x/l", "y/l"]), (("a.l", "a.t"), ["a.l", "a.t"])],
)
def test_names_of_logs(paths: tuple[str, ...], names: list[str]) -> None:
    assert list(log_names(paths)) == names
    assert tuple(log_names(paths).values()) == paths


@pytest.mark.parametrize("delimiter", ["", ";;", '"'])
def test_parse_log_refuses_a_delimiter(delimiter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_text("")
    assert run("caffepy", ["parse_log", str(tmp_path / "a.log"), f"-delimiter={delimiter}"]) == 1
    assert "needed: one character" in capsys.readouterr().err
