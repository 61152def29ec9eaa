"""``caffe time``: the times of layers and passes."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from caffepy.cli.main import run
from caffepy.parallel.predict.prediction import ways

NET = """
name: "n"
layer { name: "d" type: "DummyData" top: "x" dummy_data_param { shape { dim: 4 dim: 3 } data_filler { type: "constant" value: 1 } } }
layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 1 } }
layer { name: "only_in_test" type: "Power" bottom: "y" top: "z" include { phase: TEST } }
layer { name: "loss" type: "Reduction" bottom: "y" top: "loss" loss_weight: 2 }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.prototxt").write_text(NET)


def caffe(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert run("caffe", ["time", *words]) == 0
    lines = [line.split("] ", 1)[-1] for line in capsys.readouterr().err.splitlines() if "caffe.cpp" in line]
    return [re.sub(r"[\d.e-]+ ms", "T ms", line) for line in lines]


def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    layers = [f"{name:>10}\t{way}: T ms." for name in ("d", "ip", "loss") for way in ("forward", "backward")]
    assert caffe(capsys, "-model", "n.prototxt", "-iterations", "2") == [
        *("Use CPU.", "Performing Forward", "Initial loss: 0", "Performing Backward"),
        *("*** Benchmark begins ***", "Testing for 2 iterations."),
        *("Iteration: 1 forward-backward time: T ms.", "Iteration: 2 forward-backward time: T ms.", "Average time per layer: "),
        *layers,
        *("Average Forward pass: T ms.", "Average Backward pass: T ms.", "Average Forward-Backward: T ms.", "Total Time: T ms."),
        "*** Benchmark ends ***",
    ]


def test_debug_info_shows_the_passes_that_do_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "n.prototxt").write_text("debug_info: true" + NET)
    assert run("caffe", ["time", "-model=n.prototxt", "-iterations=2"]) == 0
    shown = [line.split("] ", 1)[1].strip() for line in capsys.readouterr().err.splitlines() if "[Forward]" in line or "[Backward]" in line]
    assert [line.split(": ")[0] for line in shown] == [
        *("[Forward] Layer d, top blob x data", "[Forward] Layer ip, top blob y data"),
        *("[Forward] Layer ip, param blob 0 data", "[Forward] Layer ip, param blob 1 data"),
        *("[Forward] Layer loss, top blob loss data", "[Backward] Layer loss, bottom blob y diff"),
        *("[Backward] Layer ip, param blob 0 diff", "[Backward] Layer ip, param blob 1 diff"),
        "[Backward] All net params (data, diff)",
    ]


def test_phase(capsys: pytest.CaptureFixture[str]) -> None:
    assert any("only_in_test" in line for line in caffe(capsys, "-model=n.prototxt", "-iterations=1", "-phase=TEST"))


def test_no_iterations(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffe", ["time", "-model=n.prototxt", "-iterations=0"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert sum("Average Forward pass: -nan ms." in line for line in lines) == 1
    assert lines[-1].endswith("*** Benchmark ends ***")
    (warning,) = (line for line in lines if line.startswith("W"))
    assert warning.endswith("-iterations 0: no pass is timed, and the times below are those of none; needed: at least 1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Need a model definition to time: -model FILE"),
        (("-model", "n.prototxt", "-phase", "FOO"), '-phase FOO: phase must be "TRAIN" or "TEST"'),
        (("-model", "n.prototxt", "-iterations", "0", "-cluster", "2x2,1gbe"), "-iterations 0: -cluster needs at least 1"),
    ],
)
def test_refused_in_one_line(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert run("caffe", ["time", *words]) == 1
    fatal = [line for line in capsys.readouterr().err.splitlines() if line.startswith("F")]
    assert len(fatal) == 1
    assert message in fatal[0]


@pytest.mark.parametrize(("phase", "words"), [("TRAIN", "as caffepy train runs them"), ("TEST", "as caffepy test runs them")])
def test_the_passes_in_one_go_are_timed_too(phase: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffe", ["time", "-model=n.prototxt", "-iterations=2", f"-phase={phase}"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert re.search(rf"All layers in one go, {words}: [\d.e-]+ ms\.$", lines[-2])
    assert lines[-1].endswith("no blob is kept for looking at, layers are joined where that is faster.")
    (share,) = re.findall(r"The layers add up to .* ms, ([\d.]+)% of Average Forward-Backward\.", "\n".join(lines))
    assert 0 < float(share) <= 100
    assert sum("Creating Layer ip" in line for line in lines) == 1


def test_a_net_that_only_goes_layer_by_layer_is_timed_once(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.prototxt").write_text('layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 } } }')
    assert run("caffe", ["time", "-model=in.prototxt", "-iterations=1"]) == 0
    assert "one go" not in capsys.readouterr().err


PYTHON = """
import caffe
class Same(caffe.Layer):
    def setup(self, bottom, top): print("set up")
    def reshape(self, bottom, top): top[0].reshape(*bottom[0].data.shape)
    def forward(self, bottom, top): top[0].data[...] = bottom[0].data
    def backward(self, top, propagate_down, bottom): bottom[0].diff[...] = top[0].diff
"""


def test_a_users_layer_is_set_up_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(os.getcwd())
    Path("same_layer.py").write_text(PYTHON)
    same = 'layer { name: "s" type: "Python" bottom: "y" top: "s" python_param { module: "same_layer" layer: "Same" } }'
    Path("n.prototxt").write_text(NET + same)
    assert run("caffe", ["time", "-model=n.prototxt", "-iterations=1"]) == 0
    assert capsys.readouterr().out.splitlines() == ["set up"]


def test_a_list_that_comes_through_a_pipe_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    cv2 = pytest.importorskip("cv2")
    cv2.imwrite("a.png", np.zeros((4, 5, 3), np.uint8))
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as list_file:
        list_file.write("a.png 1\n")
    fields = f'image_data_param {{ source: "/dev/fd/{reader}" batch_size: 2 }}'
    Path("n.prototxt").write_text(f'layer {{ name: "d" type: "ImageData" top: "x" top: "label" {fields} }}')
    try:
        assert run("caffe", ["time", "-model=n.prototxt", "-iterations=2"]) == 0
    finally:
        os.close(reader)
    assert "All layers in one go" in capsys.readouterr().err


def test_a_cluster_is_predicted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffe", ["time", "-model=n.prototxt", "-iterations=1", "-cluster=10gbe,ranks_per_host=2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"One rank alone: [\d.]+ ms an iteration. Predicted iteration of so many ranks, ms:", lines[0])
    assert lines[1].split() == ["ranks", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"]
    assert [line.split()[1] for line in lines if line.startswith("  -exchange")] == 2 * [way.exchange for way in ways()]
    assert all(re.search(r"(\s+[\d.]+){10}$", line) for line in lines if line.startswith("  -exchange"))
    assert sum("-n_group 2" in line or "-n_server 1" in line for line in lines) == 4
    assert sum(line.startswith("Recommended for ") for line in lines) >= 1


def test_what_so_many_ranks_cannot_do_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffe", ["time", "-model=n.prototxt", "-iterations=1", "-cluster=3x1,10gbe,cores=1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] == "-" for line in lines if line.startswith("  -exchange")].count(True) == 2
    assert all("-n_group" in line for line in lines if line.endswith("-"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-cluster=2x2",), "-cluster 2x2: no link between the hosts is named"),
        (("-cluster=2x2,10gbe", "-phase=TEST"), "ranks that test exchange nothing"),
        (("-cluster=2x2,10gbe", "-gpu=0"), "the exchanges of GPUs are not modelled"),
    ],
)
def test_a_cluster_that_cannot_be_predicted(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert run("caffe", ["time", "-model=n.prototxt", *words]) == 1
    assert message in capsys.readouterr().err
