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


SOLVER = 'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 5 test_iter: 1 test_interval: 2 test_state { stage: "deep" }'


def test_summary_of_a_solver_shows_its_net(net: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    solver = tmp_path / "solver.prototxt"
    solver.write_text(SOLVER)
    assert run("caffepy", ["summary", str(solver)]) == 0  # in another folder than the working one
    out, err = capsys.readouterr()
    assert f"{solver}: this is a solver; its net is 'net.prototxt'" in err
    assert "conv: 4 x 2 x 6 x 6" in out
    assert run("caffepy", ["summary", str(solver), "-phase", "TRAIN"]) == 0
    assert "conv: 1 x 2 x 6 x 6" in capsys.readouterr().out
    solver.write_text("max_iter: 1 net_param {" + NET + "}")
    assert run("caffepy", ["summary", str(solver)]) == 0
    out, err = capsys.readouterr()
    assert "this is a solver; its net is written in it" in err
    assert "conv: 1 x 2 x 6 x 6" in out


@pytest.mark.parametrize(
    "words", [["time", "-model"], ["test", "-weights", "w", "-model"], ["summarize"], ["upgrade_net_proto_text"], ["draw_net"]]
)
def test_other_commands_name_the_net_of_a_solver(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    more = [str(tmp_path / "out")] if words[0] in ("upgrade_net_proto_text", "draw_net") else []
    assert run("caffepy", [*words, str(tmp_path / "solver.prototxt"), *more]) in (1, 2)
    assert "solver.prototxt: this is a solver; its net is 'net.prototxt'; needed: a net" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["train", "-solver"], ["upgrade_solver_proto_text"]])
def test_a_net_given_as_a_solver(words: list[str], net: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = [str(tmp_path / "out")] if words[0].startswith("upgrade") else []
    assert run("caffepy", [*words, net, *more]) in (1, 2)
    assert f'{net}: this is a net; needed: a solver, which names it by net: "{net}"' in capsys.readouterr().err


PYTHON = """
layer { name: "in" type: "Python" top: "data" top: "rois" python_param { module: "roi_data_layer.layer" layer: "RoIDataLayer" } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 2 kernel_size: 3 } }
layer { name: "roi" type: "ROIPooling" bottom: "conv" bottom: "rois" top: "roi" roi_pooling_param { pooled_h: 2 pooled_w: 2 } }
"""


def test_summary_without_the_module_of_a_python_layer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.prototxt").write_text(PYTHON)
    assert run("caffepy", ["summary", str(tmp_path / "net.prototxt")]) == 1
    assert (
        "cannot be imported: ModuleNotFoundError: No module named 'roi_data_layer'; or say what shapes its tops have: -shape data=N,..."
        in (capsys.readouterr().err)
    )
    assert run("caffepy", ["summary", str(tmp_path / "net.prototxt"), "-shape", "data=1,3,20,20", "-shape", "rois=5,5"]) == 0
    out, err = capsys.readouterr()
    assert "roi: 5 x 2 x 2 x 2" in out
    assert "layer 'in' (Python) is taken for an Input" in err


INPUTS = """layer { name: "i" type: "Input" top: "a" top: "b" top: "c" top: "d"
        input_param { shape { dim: 1 dim: 8 } shape { dim: 1 dim: 6 } shape { dim: 1 dim: 2 dim: 8 } shape { dim: 1 } } }"""
DETECTION = """
layer { name: "out" type: "DetectionOutput" bottom: "a" bottom: "b" bottom: "c" top: "out" detection_output_param { num_classes: 3
        save_output_param { output_directory: "FOLDER/made" output_name_prefix: "x" output_format: "VOC"
                            label_map_file: "none" name_size_file: "none" } } }
layer { name: "g" type: "Input" top: "g" input_param { shape { dim: 1 dim: 1 dim: 2 dim: 8 } } }
layer { name: "eval" type: "DetectionEvaluate" bottom: "out" bottom: "g" top: "eval"
        detection_evaluate_param { num_classes: 3 name_size_file: "none" } }
layer { name: "gain" type: "InfogainLoss" bottom: "b" bottom: "d" top: "gain" infogain_loss_param { source: "none" } }
layer { name: "file" type: "HDF5Output" bottom: "a" bottom: "d" hdf5_output_param { file_name: "FOLDER/none/out.h5" } }
"""


def test_summary_needs_no_file_of_a_layer_and_makes_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.prototxt").write_text(INPUTS + DETECTION.replace("FOLDER", str(tmp_path)))
    assert run("caffepy", ["summary", str(tmp_path / "net.prototxt")]) == 0
    assert "eval: 1 x 1 x 3 x 5" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["net.prototxt"]


@pytest.mark.parametrize(
    "words", [["draw_net", "FILE", "FILE"], ["plot", "FILE", "-out", "FILE"], ["plot_training_log", "6", "FILE", "FILE"]]
)
def test_a_picture_does_not_take_the_place_of_what_it_shows(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.svg"
    file.write_text(NET)
    assert run("caffepy", [word.replace("FILE", str(file)) for word in words]) == 1
    assert "x.svg would be overwritten, and it is what is read" in capsys.readouterr().err
    assert file.read_text() == NET


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
