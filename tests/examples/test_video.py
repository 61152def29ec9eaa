"""The example of videos: its data, its curves, and all of it in the short form."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.examples.conftest import RunExample, check_losses, make

NETS = ("lrcn", "c3d", "tsn")


def test_short(run_example: RunExample) -> None:
    result, out = run_example("video")
    names = [figure["name"] for figure in result["figures"]]
    assert names == ["LRCN accuracy", "C3D accuracy", "TSN accuracy"]
    assert all(0 <= figure["value"] <= 1 for figure in result["figures"])
    check_losses(out, least=6)
    assert all(list(out.glob(f"{net}_iter_*.caffemodel")) for net in NETS)


@pytest.mark.whole
@pytest.mark.parametrize("ranks", [0, 2])
def test_whole(ranks: int, run_example: RunExample) -> None:
    result, _ = run_example("video", short=False, ranks=ranks)
    assert all(figure["reached"] for figure in result["figures"])


def test_data(scripts: Path, tmp_path: Path) -> None:
    done = make(scripts, "--out", str(tmp_path), "--train", "6", "--test", "2")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "train_rgb.txt").read_text().splitlines()
    assert [line.split()[1:] for line in lines] == [["20", str(i % 5)] for i in range(6)]
    assert all(Path(line.split()[0]).exists() for line in lines)
    flow = (tmp_path / "train_flow.txt").read_text().splitlines()
    assert [line.split()[1:] for line in flow] == [["19", str(i % 5)] for i in range(6)]
    for line, axis, darker in ((flow[0], "x", True), (flow[1], "x", False), (flow[3], "y", False)):
        image = cv2.imread(f"{line.split()[0]}/flow_{axis}_0010.jpg", cv2.IMREAD_GRAYSCALE)
        assert (image.mean() < 128) == darker  # to the left, to the right, down


@pytest.mark.usefixtures("scripts")
def test_a_frame_tells_nothing_of_the_class() -> None:
    """Over many videos the mean of a frame is the same whatever moves how."""
    from make_data import draw_video

    for frame in (0, 10):
        means = []
        for motion in ("left", "down", "still"):
            rng = np.random.default_rng(7)
            videos = [draw_video(rng, motion)[frame].mean(axis=2) for _ in range(150)]
            means.append(np.mean(videos, axis=0))
        assert np.ptp(np.stack(means), axis=0).mean() < 12  # of 256 gray values


def test_frames_without_a_codec(
    scripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import make_data

    monkeypatch.setattr(make_data, "CODEC", "????")
    frames = np.full((3, 24, 24, 3), 90, np.uint8)
    assert make_data.write_video(tmp_path / "clip", frames) == tmp_path / "clip"
    assert sorted(path.name for path in (tmp_path / "clip").iterdir()) == [
        f"image_000{i}.jpg" for i in (1, 2, 3)
    ]


def test_ucf101(scripts: Path, tmp_path: Path) -> None:
    import make_data

    splits = tmp_path / "ucfTrainTestlist"
    splits.mkdir()
    (splits / "classInd.txt").write_text("1 Archery\n2 Biking\n")
    (splits / "trainlist01.txt").write_text("Archery/v_a.avi 1\nBiking/v_b.avi 2\n")
    (splits / "testlist01.txt").write_text("Biking/v_c.avi\n")
    for name in ("Archery/v_a", "Biking/v_b", "Biking/v_c"):
        path = tmp_path / "UCF-101" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if make_data.write_video(path, np.full((4, 48, 64, 3), 90, np.uint8)).suffix != ".avi":
            pytest.skip("this OpenCV writes no Motion JPEG")
    videos = tmp_path / "UCF-101"
    flags = ("--ucf101", str(videos), "--splits", str(splits), "--out", str(tmp_path / "out"))
    done = make(scripts, *flags)
    assert done.returncode == 0, done.stderr
    listed = (tmp_path / "out" / "train_rgb.txt").read_text()
    assert listed == f"{videos}/Archery/v_a.avi 4 0\n{videos}/Biking/v_b.avi 4 1\n"
    assert (tmp_path / "out" / "test_flow.txt").read_text().endswith("flow/v_c 3 1\n")
    assert (tmp_path / "out" / "classes.txt").read_text() == "Archery\nBiking\n"
    done = make(scripts, *flags[:2], "--out", str(tmp_path / "out"))
    assert "--ucf101 and --splits: needed: both, or none" in done.stderr


@pytest.mark.usefixtures("scripts")
def test_curve() -> None:
    from draw import curve

    log = """
    solver.cpp:347] Iteration 50, Testing net (#0)
    solver.cpp:414]     Test net output #0: accuracy = 0.25
    solver.cpp:414]     Test net output #1: loss = 1.5 (* 1 = 1.5 loss)
    solver.cpp:347] Iteration 100, Testing net (#0)
    solver.cpp:414]     Test net output #0: accuracy = 0.75
    """
    assert curve(log) == ([50, 100], [0.25, 0.75])
