"""The WindowData layer's source: its file, its choice of windows, and how they are cut out."""

from __future__ import annotations

import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.data.random import Mt19937
from caffepy.data.sources.window_data import WindowDataSource
from caffepy.data.window_crop import CropSpec, crop, place
from caffepy.data.window_file import Window, read_windows
from caffepy.errors import DataError
from caffepy.layers.core.random import CaffeRandom
from caffepy.proto.weights import write_blob
from tests.data.build import TRAIN, layer, picture, seeded, take

LAYER = (
    'type: "WindowData" top: "data" top: "label" transform_param {{ crop_size: 6 {} }} '
    'window_data_param {{ source: "{}/windows.txt" batch_size: 8 fg_fraction: 0.25 {} }}'
)
TEXT = """# 0
{folder}/0.png
3 20 24
4
1 0.9 2 3 11 12
2 0.5 0 0 23 19
1 0.49 5 5 9 9
3 0.1 4 4 9 13
# 1
{folder}/1.png
3 20 24
1
0 0.0 1 1 6 6
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for i in (0, 1):
        cv2.imwrite(str(tmp_path / f"{i}.png"), picture(i, 20, 24))
    (tmp_path / "windows.txt").write_text(TEXT.format(folder=tmp_path))
    return tmp_path


def open_source(folder: Path, transform: str = "", window: str = "") -> WindowDataSource:
    return WindowDataSource(layer(LAYER.format(transform, folder, window)), TRAIN)


def test_windows_are_sorted_by_overlap(folder: Path) -> None:
    found = read_windows(str(folder / "windows.txt"), "", foreground=0.5, background=0.5)
    assert found.images == (f"{folder}/0.png", f"{folder}/1.png")
    assert found.foreground == (Window(0, 1, (2, 3, 11, 12)), Window(0, 2, (0, 0, 23, 19)))
    assert found.background == (
        Window(0, 0, (5, 5, 9, 9)),
        Window(0, 0, (4, 4, 9, 13)),
        Window(1, 0, (1, 1, 6, 6)),
    )
    narrow = read_windows(str(folder / "windows.txt"), "", foreground=0.6, background=0.2)
    assert (len(narrow.foreground), len(narrow.background)) == (1, 2), (
        "what lies between is not used"
    )


@pytest.mark.parametrize("mirror", [False, True])
def test_background_first_then_foreground_as_drawn(folder: Path, mirror: bool) -> None:
    source = seeded(open_source(folder, f"mirror: {str(mirror).lower()}"))
    assert source.shapes == ((8, 3, 6, 6), (8,))
    data, label = take(source, 2)
    found = read_windows(str(folder / "windows.txt"), "", foreground=0.5, background=0.5)
    # the first draw of the net's stream is the transformer's seed
    random = Mt19937(int(CaffeRandom(1701).raw(2)[1]))
    for i, image in enumerate(data):
        windows = found.background if i % 8 < 6 else found.foreground
        window = windows[random.draw() % len(windows)]
        turned = mirror and random.draw() % 2
        assert label[i] == window.label
        np.testing.assert_array_equal(image, cut(window)[:, :, :: -1 if turned else 1])


def cut(window: Window) -> np.ndarray:
    x1, y1, x2, y2 = window.box
    part = picture(window.image, 20, 24)[y1 : y2 + 1, x1 : x2 + 1]
    return cv2.resize(part, (6, 6)).transpose(2, 0, 1).astype(np.float32)


def test_mirrored_windows_are_the_plain_ones_turned() -> None:
    image = picture(3, 20, 24)
    plain = crop(image, (2, 3, 11, 14), CropSpec(6), False)
    turned = crop(image, (2, 3, 11, 14), CropSpec(6), True)
    np.testing.assert_array_equal(turned[0], plain[0][:, :, ::-1])


def test_context_outside_the_image_stays_empty() -> None:
    placing = place((0, 0, 9, 9), CropSpec(12, pad=2), height=20, width=24, mirror=False)
    # 10 pixels become 8 of 12, so the window grows by half of itself: 2 to 3 pixels on each side,
    # those left and above are missing
    assert placing.box[:2] == (0, 0)
    assert placing.top > 0
    assert placing.left > 0
    assert placing.top + placing.height == placing.left + placing.width == 12
    mirrored = place((0, 0, 9, 9), CropSpec(12, pad=2), height=20, width=24, mirror=True)
    assert mirrored.left == 0, (
        "what is missing on the left is missing on the right of the mirrored one"
    )


def test_square_windows_keep_their_proportions() -> None:
    placing = place((4, 8, 19, 11), CropSpec(8, square=True), height=30, width=30, mirror=False)
    x1, y1, x2, y2 = placing.box
    assert (x2 - x1, y2 - y1) == (16, 16)


@pytest.mark.parametrize(
    "fields", ["cache_images: true", "context_pad: 1", 'crop_mode: "square"', "scale: 0.5"]
)
def test_fields_change_what_they_should(folder: Path, fields: str) -> None:
    plain, other = (
        take(seeded(open_source(folder)), 1)[0],
        take(seeded(open_source(folder, window=fields)), 1)[0],
    )
    if "cache" in fields:
        np.testing.assert_array_equal(plain, other)
    elif "scale" in fields:
        np.testing.assert_array_equal(plain / 2, other)
    else:
        assert not np.array_equal(plain, other)


def test_mean_values_and_mean_file(folder: Path) -> None:
    plain = take(seeded(open_source(folder)), 1)[0]
    valued = take(seeded(open_source(folder, "mean_value: [1, 2, 3]")), 1)[0]
    np.testing.assert_array_equal(valued, plain - np.array([1, 2, 3], np.float32)[:, None, None])
    mean = np.random.default_rng(0).random((1, 3, 8, 8)).astype(np.float32)
    write_blob(str(folder / "mean"), mean)
    filed = take(seeded(open_source(folder, f'mean_file: "{folder}/mean"')), 1)[0]
    np.testing.assert_array_equal(filed, plain - mean[:, :, 1:7, 1:7])
    write_blob(str(folder / "mean"), mean[:, :, :5])
    with pytest.raises(
        DataError, match="mean_file .* is 3x5x8; needed: 3 channels, square, at least crop_size 6"
    ):
        open_source(folder, f'mean_file: "{folder}/mean"')


def test_ranks_choose_differently_and_states_go_on(folder: Path) -> None:
    first = seeded(open_source(folder, "mirror: true"))
    take(first, 2)
    second = seeded(open_source(folder, "mirror: true"), 4)
    second.restore(first.state())
    for a, b in zip(take(first, 3), take(second, 3)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no foreground window"),
        (
            "# 0\na.png\n3 20 24\n1\n1 0.9 0 0 5 5\n",
            r"has no background window \(overlap below 0.5\)",
        ),
        ("x 0\n", "line 1: 'x' found; needed: #"),
        ("# 0\na.png\n3 20 24\n2\n1 0.9 0 0 5 5\n", "ends early, on line 5"),
        ("# 0\na.png\n3 20 24\n1\n1 high 0 0 5 5\n", "line 5: 'high' found; needed: a number"),
        ("# 0\na.png\n3 20 24\n1\n1 0.9 inf 0 5 5\n", "line 5: 'inf' found; needed: a number"),
        ("# 0\na.png\n3 20 24\n1\n1 1e39 0 0 5 5\n", "line 5: '1e39' found; needed: a number"),
        (
            "# 0\nmy cat.png\n3 20 24\n1\n1 0.9 0 0 5 5\n",
            "line 2: 'cat.png' found; needed: an integer; names of images have no spaces",
        ),
        (
            "# 0\na.png\n3 20 24\n1\n0 0.9 0 0 5 5\n",
            "line 5: a foreground window of class 0 found; needed: 1 or more",
        ),
    ],
)
def test_window_files_that_cannot_be_used(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "windows.txt").write_text(text)
    with pytest.raises(DataError, match=f"windows.txt.*{says}"):
        open_source(tmp_path)


def test_missing_files(folder: Path) -> None:
    with pytest.raises(
        DataError, match="Failed to open window file .*nowhere/windows.txt: No such file"
    ):
        open_source(folder / "nowhere")
    (folder / "1.png").unlink()
    (folder / "0.png").unlink()
    with pytest.raises(DataError, match=r"Could not open or find file .*\d.png: No such file"):
        seeded(open_source(folder)).next()
    with pytest.raises(DataError, match="Could not open or find file .*0.png"):
        open_source(folder, window="cache_images: true")


def test_a_window_outside_its_image(folder: Path) -> None:
    text = (folder / "windows.txt").read_text().replace("1 1 6 6", "1 1 60 6")
    (folder / "windows.txt").write_text(text)
    source = seeded(open_source(folder))
    with pytest.raises(DataError, match=r"window 1 1 60 6 .* does not lie in its image of 24x20"):
        take(source, 20)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("transform_param.crop_size", 0, "needs the size to which windows are warped"),
        ("window_data_param.batch_size", 0, "batch_size is 0"),
        ("window_data_param.fg_fraction", 1.5, "fg_fraction is 1.5; needed: 0 to 1"),
        ("window_data_param.fg_fraction", math.nan, "fg_fraction is nan"),
        ("window_data_param.context_pad", 3, "context_pad 3 leaves nothing of crop_size 6"),
    ],
)
def test_fields_that_make_no_windows(folder: Path, field: str, value: float, says: str) -> None:
    param = layer(LAYER.format("", folder, ""))
    message, _, name = field.partition(".")
    setattr(getattr(param, message), name, value)
    with pytest.raises(DataError, match=says):
        WindowDataSource(param, TRAIN)


def test_mean_values_of_another_number(folder: Path) -> None:
    with pytest.raises(DataError, match="Specify either 1 mean_value or as many as channels: 3"):
        open_source(folder, "mean_value: [1, 2]")


def test_threads_change_nothing(folder: Path) -> None:
    found = []
    for threads in (1, 4):
        source = seeded(open_source(folder, "mirror: true"))
        assert isinstance(source, WindowDataSource)
        source._workers.count = threads
        found.append(take(source, 3)[0])
        source.close()
    np.testing.assert_array_equal(found[0], found[1])


def test_a_scale_in_vain(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Caffe takes window_data_param's; who writes the other one is told."""
    open_source(folder, window="scale: 0.5")
    assert "scale has no effect" not in capsys.readouterr().err
    open_source(folder, "scale: 0.5")
    assert "transform_param.scale has no effect; window_data_param" in capsys.readouterr().err
