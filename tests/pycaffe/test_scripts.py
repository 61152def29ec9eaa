"""classify.py, detect.py and draw_net.py by their old names and flags."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import caffe
import cv2
import h5py
import numpy as np
import pytest

from caffepy.errors import ParallelError
from caffepy.pycaffe.scripts import classify, detect, draw_net, train
from tests.pycaffe.nets import ToFile
from tests.pycaffe.test_image_nets import NET


@pytest.fixture
def net(to_file: ToFile, tmp_path: Path) -> list[str]:
    """Flags of a net whose scores are the mean of each channel."""
    caffe.Net(to_file(NET), caffe.TEST).save(tmp_path / "net.caffemodel")
    return ["--model_def", to_file(NET), "--pretrained_model", str(tmp_path / "net.caffemodel"), "--mean_file", ""]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A blue and a red picture, and a text."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name, color in (("b.jpg", (255, 0, 0)), ("a.jpg", (0, 0, 255)), ("c.png", (0, 255, 0))):
        cv2.imwrite(str(folder / name), np.full((12, 12, 3), color, np.uint8))
    return folder


def test_classify_a_folder(net: list[str], pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "scores.npy"
    assert classify.main([str(pictures), str(out), *net, "--images_dim", "8,8"]) == 0
    assert "Classifying 2 inputs." in capsys.readouterr().out
    np.testing.assert_allclose(np.load(out), [[0, 0, 255], [255, 0, 0]], atol=20)


def test_classify_other_inputs(net: list[str], pictures: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.full((3, 9, 9, 3), [0.1, 0.2, 0.3], np.float32))
    for source, count in ((tmp_path / "in.npy", 3), (pictures / "c.png", 1)):
        assert classify.main([str(source), str(tmp_path / "out.npy"), *net, "--center_only", "--images_dim", "9,9"]) == 0
        assert np.load(tmp_path / "out.npy").shape == (count, 3)
    assert classify.main([str(pictures), str(tmp_path / "out.npy"), *net, "--ext", "png", "--images_dim", "9,9"]) == 0
    assert np.load(tmp_path / "out.npy")[0, 1] > 200


def test_means(net: list[str], pictures: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "mean.npy", np.array([1.0, 2, 3]))
    flags = [*net[:-1], str(tmp_path / "mean.npy"), "--images_dim", "9,9", "--center_only"]
    assert classify.main([str(pictures / "c.png"), str(tmp_path / "out.npy"), *flags]) == 0
    np.testing.assert_allclose(np.load(tmp_path / "out.npy")[0, [0, 2]], [-1, -3])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda flags: flags[:-2], "--mean_file is missing"),
        (lambda flags: [*flags[:-1], "none.npy"], "none.npy"),
        (lambda flags: [*flags, "--ext", "gif"], r"has no *.gif"),
        (lambda flags: ["--model_def", "none.prototxt", *flags[2:]], "none.prototxt"),
        (lambda flags: [*flags, "--channel_swap", "rgb"], "'rgb' is given; needed: whole numbers"),
    ],
)
def test_what_is_missing_is_told_in_one_line(net, pictures, tmp_path, capsys, change, words) -> None:
    assert classify.main([str(pictures), str(tmp_path / "out.npy"), *change(net), "--images_dim", "8,8"]) == 1
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1


def test_an_empty_array_and_no_folder_for_the_result(
    net: list[str], pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.npy").touch()
    flags = [*net, "--images_dim", "8,8"]
    assert classify.main([str(tmp_path / "empty.npy"), str(tmp_path / "out.npy"), *flags]) == 1
    assert f"{tmp_path}/empty.npy: " in capsys.readouterr().err
    assert classify.main([str(pictures), str(tmp_path / "no/out.npy"), *flags]) == 1
    assert "no/out.npy: cannot write it: No such file or directory; there is no folder" in capsys.readouterr().err
    assert classify.main([str(pictures), str(tmp_path / "named"), *flags]) == 0
    assert np.load(tmp_path / "named.npy").shape == (2, 3)


@pytest.mark.parametrize("out", ["out.csv", "out.h5"])
def test_detect_in_files_whose_names_are_no_text(out: str, net: list[str], pictures: Path, tmp_path: Path) -> None:
    name = os.fsencode(pictures) + b"/\xff.jpg"
    os.rename(pictures / "a.jpg", name)
    (tmp_path / "windows.csv").write_bytes(b"filename,ymin,xmin,ymax,xmax\n" + name + b",0,0,6,6\n")
    assert detect.main([str(tmp_path / "windows.csv"), str(tmp_path / out), "--crop_mode", "list", "--context_pad", "0", *net]) == 0
    assert name in (tmp_path / out).read_bytes()


@pytest.mark.parametrize("out", ["no/out.csv", "no/out.h5"])
def test_detect_without_a_folder_for_the_result(
    out: str, net: list[str], pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "windows.csv").write_text(f"filename,ymin,xmin,ymax,xmax\n{pictures}/a.jpg,0,0,6,6\n")
    assert detect.main([str(tmp_path / "windows.csv"), str(tmp_path / out), "--crop_mode", "list", "--context_pad", "0", *net]) == 1
    assert f"{out}: cannot write it" in capsys.readouterr().err


class Ending:
    """A process that fails between two looks at it."""

    sentinel = 0

    def __init__(self) -> None:
        self.exitcode: int | None = None

    def is_alive(self) -> bool:
        self.exitcode = 1
        return False

    def terminate(self) -> None:
        """It has ended."""


def test_a_process_that_fails_is_never_overlooked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "wait", lambda sentinels: sentinels)
    with pytest.raises(ParallelError, match="process 0 of 1 ended with exit code 1"):
        train.wait_for([Ending()])


def test_detect_windows_of_a_list(net: list[str], pictures: Path, tmp_path: Path) -> None:
    rows = [(pictures / "a.jpg", 0, 0, 6, 6), (pictures / "b.jpg", 2, 2, 12, 12), (pictures / "a.jpg", 1, 1, 9, 9)]
    with open(tmp_path / "windows.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("filename", "ymin", "xmin", "ymax", "xmax"), *rows])
    flags = [str(tmp_path / "windows.csv"), str(tmp_path / "out.csv"), "--crop_mode", "list", "--context_pad", "0", *net]
    assert detect.main(flags) == 0
    with open(tmp_path / "out.csv", encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    assert [row["filename"] for row in found] == [str(pictures / name) for name in ("a.jpg", "a.jpg", "b.jpg")]
    assert [float(found[1][name]) for name in ("ymin", "xmin", "ymax", "xmax")] == [1, 1, 9, 9]
    assert float(found[2]["class0"]) > 200
    flags[1] = str(tmp_path / "out.h5")
    assert detect.main(flags) == 0
    with h5py.File(tmp_path / "out.h5") as file:
        assert (file["window"].shape, file["prediction"].shape) == ((3, 4), (3, 3))


def test_lists_that_are_none(net: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "windows.csv").write_text("filename,ymin\na.jpg,1\n", encoding="utf-8")
    for source, words in ((tmp_path / "windows.csv", "windows.csv:2"), (tmp_path / "none.csv", "No such file"), ("a.xls", "unknown input")):
        assert detect.main([str(source), str(tmp_path / "out.csv"), "--crop_mode", "list", "--context_pad", "0", *net]) == 1
        assert words in capsys.readouterr().err


def test_draw_net(to_file: ToFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw_net.main([to_file(NET), str(tmp_path / "net.dot"), "--rankdir", "TB", "--phase", "TEST", "--display_lrm"]) == 0
    assert capsys.readouterr().out == f"Drawing net to {tmp_path / 'net.dot'}\n"
    assert "rankdir=TB" in (tmp_path / "net.dot").read_text(encoding="utf-8")
    assert draw_net.main(["none.prototxt", str(tmp_path / "net.dot")]) == 1


@pytest.mark.parametrize("name", ["classify", "detect", "draw_net", "train"])
def test_the_files_in_tools(root: Path, name: str) -> None:
    """They run where nothing is installed or on the path."""
    done = subprocess.run(
        [sys.executable, str(root / "tools" / f"{name}.py"), "--help"], capture_output=True, text=True, timeout=60, env={"PATH": ""}
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: {name}.py")


def test_results_do_not_take_the_place_of_inputs(net: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "in.npy", np.full((1, 9, 9, 3), 0.1, np.float32))
    (tmp_path / "in.csv").write_text("filename,ymin,xmin,ymax,xmax\n")
    for script, name in ((classify, "in.npy"), (classify, "in"), (detect, "in.csv")):
        assert script.main([str(tmp_path / ("in.npy" if name == "in" else name)), str(tmp_path / name), *net]) == 1
        assert "would be overwritten, and it is what is read" in capsys.readouterr().err
    assert draw_net.main([to_draw := net[1], to_draw]) == 1
    assert "would be overwritten" in capsys.readouterr().err
