"""The example of optical flow: its data, its files, and all of it in the short form."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import h5py
import numpy as np
import pytest

from tests.examples.conftest import RunExample


def test_short(run_example: RunExample) -> None:
    result, out = run_example("flow")
    names = [figure["name"] for figure in result["figures"]]
    assert names == ["FlowNet-C error", "FlowNet-CS error"]
    losses = re.findall(r"loss = (\S+)", (out / "train.log").read_text())
    assert np.isfinite(np.array(losses, float)).all()
    for net in ("flownet_c", "flownet_cs"):
        for name in (out / "test.txt").read_text().split():
            assert (out / net / f"{name}_flow.flo").stat().st_size == 12 + 8 * 64 * 64
        assert ", of no motion " in (out / f"{net}.txt").read_text()


@pytest.mark.whole
@pytest.mark.parametrize("ranks", [0, 2])
def test_whole(ranks: int, run_example: RunExample) -> None:
    result, _ = run_example("flow", short=False, ranks=ranks)
    assert all(figure["reached"] for figure in result["figures"])


@pytest.mark.usefixtures("scripts")
def test_second_picture_is_the_first_one_moved() -> None:
    from make_data import draw_pair

    first, second, flow = draw_pair(np.random.default_rng(3), 64)
    down, right = np.mgrid[:64, :64].astype(np.float32)
    places = (right + flow[:, :, 0], down + flow[:, :, 1])
    back = cv2.remap(second, *places, cv2.INTER_LINEAR).astype(float)
    inside = (places[0] >= 0) & (places[0] <= 63) & (places[1] >= 0) & (places[1] <= 63)
    moved = np.abs(back - first).mean(axis=2)[inside]
    unmoved = np.abs(second.astype(float) - first).mean(axis=2)[inside]
    assert np.median(moved) < 6 < np.median(unmoved)


@pytest.mark.usefixtures("scripts")
def test_flo_files(tmp_path: Path) -> None:
    from flo import end_point_errors, read_flow, write_flow

    flow = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    flow[0, 0] = np.nan
    path = tmp_path / "a.flo"
    write_flow(path, flow)
    assert path.read_bytes()[:12] == b"PIEH" + bytes([4, 0, 0, 0, 3, 0, 0, 0])
    np.testing.assert_array_equal(read_flow(path), flow)
    errors = end_point_errors(flow + np.float32([3, 4]), flow)
    np.testing.assert_allclose(errors, np.full(11, 5), rtol=1e-6)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(SystemExit, match="107 bytes; needed for 4 x 3: 108"):
        read_flow(path)
    path.write_bytes(b"P6")
    with pytest.raises(SystemExit, match=r"is no \.flo file"):
        read_flow(path)


@pytest.mark.usefixtures("scripts")
def test_flow_gets_longer_with_its_pictures() -> None:
    from flo import resize_flow

    flow = np.full((4, 6, 2), 2, np.float32)
    resized = resize_flow(flow, 2, 12)
    assert resized.shape == (2, 12, 2)
    np.testing.assert_allclose(resized, np.broadcast_to(np.float32([4, 1]), (2, 12, 2)))
    assert resize_flow(flow, 4, 6) is flow


@pytest.mark.usefixtures("scripts")
def test_colours() -> None:
    from flo import colours

    flow = np.float32([[[0, 0], [5, 0], [-5, 0], [20, 0], [np.nan, 0]]])
    white, right, left, beyond, unknown = colours(flow, 5)[0].tolist()
    assert white == unknown == [255, 255, 255]
    assert right[0] == 255
    assert right[1] < 30
    assert left[2] > 200 > left[0]
    assert beyond == [round(channel * 0.75) for channel in right]


@pytest.mark.usefixtures("scripts")
def test_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import make_lists
    from flo import write_flow

    for i in range(1, 4):
        write_flow(tmp_path / f"{i:05d}_flow.flo", np.full((16, 32, 2), i, np.float32))
    (tmp_path / "FlyingChairs_train_val.txt").write_text("1\n2\n1\n")
    arguments = [str(tmp_path), "--out", str(tmp_path), "--height", "8", "--width", "8"]
    monkeypatch.setattr("sys.argv", ["make_lists.py", *arguments])
    make_lists.main()
    assert (tmp_path / "test.txt").read_text() == "00002\n"
    second = (tmp_path / "img1.txt").read_text().splitlines()
    assert second == [f"{tmp_path}/0000{i}_img2.ppm 0" for i in (1, 3)]
    with h5py.File(tmp_path / "flow.h5") as file:
        assert file["flow_gt"].shape == (2, 2, 8, 8)
        np.testing.assert_allclose(file["flow_gt"][1, :, 0, 0], [3 * 8 / 32, 3 * 8 / 16])
    (tmp_path / "FlyingChairs_train_val.txt").write_text("1\n2\n")
    with pytest.raises(SystemExit, match="2 lines; needed: 3"):
        make_lists.split(tmp_path)
