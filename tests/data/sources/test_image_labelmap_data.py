"""The ImageLabelmapData layer's source."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.sources.image_labelmap_data import ImageLabelmapDataSource
from caffepy.errors import DataError
from caffepy.layers.core.random import CaffeRandom
from tests.data.build import TEST, TRAIN, layer, picture, seeded, take

LAYER = (
    'type: "ImageLabelmapData" top: "data" top: "label" '
    'image_data_param {{ source: "{}" root_folder: "{}/" batch_size: {} {} }} transform_param {{ {} }}'
)
SIZES = ((6, 8), (5, 9), (4, 4))
Pixels = npt.NDArray[np.uint8]


def edges_of(seed: int) -> Pixels:
    """A label image with every value that lies at a border."""
    height, width = SIZES[seed % 3]
    values = np.array([0, 1, 127, 128, 129, 254, 255], np.uint8)
    return np.resize(np.roll(values, seed), (height, width))


def labels_of(image: Pixels) -> npt.NDArray[np.float32]:
    """A number by 255, rounded, of each pixel."""
    return np.array([[round(int(value) / 255) for value in row] for row in image], np.float32)


def written(folder: Path, count: int = 3) -> Path:
    """Images of three sizes with label images; their list."""
    for i in range(count):
        cv2.imwrite(str(folder / f"{i}.png"), picture(i, *SIZES[i % 3]))
        cv2.imwrite(str(folder / f"e{i}.png"), edges_of(i))
    listed = folder / "pairs.lst"
    listed.write_text("".join(f"{i}.png e{i}.png\n" for i in range(count)))
    return listed


def open_source(
    listed: Path,
    batch: int = 1,
    fields: str = "",
    transform: str = "",
    *,
    phase: int = TEST,
    shard: Shard = Shard(),
) -> ImageLabelmapDataSource:
    return ImageLabelmapDataSource(
        layer(LAYER.format(listed, listed.parent, batch, fields, transform)), phase, shard
    )


def test_images_of_their_own_size(tmp_path: Path) -> None:
    source = open_source(written(tmp_path), transform="scale: 0.5 mean_value: 10")
    assert source.shapes == ((1, 3, 6, 8), (1, 1, 6, 8))
    for i in (0, 1, 2, 0):
        data, label = source.next()
        np.testing.assert_array_equal(
            data[0], (picture(i, *SIZES[i]).transpose(2, 0, 1).astype(np.float32) - 10) / 2
        )
        np.testing.assert_array_equal(label[0, 0], labels_of(edges_of(i)))
    assert set(label.unique().tolist()) == {0, 1}


def test_label_images_in_colour_and_bilinear_sizes(tmp_path: Path) -> None:
    listed = written(tmp_path)
    cv2.imwrite(str(tmp_path / "e0.png"), np.repeat(edges_of(0)[:, :, None], 3, 2))
    data, label = take(open_source(listed, 3, "new_height: 7 new_width: 5 is_color: false"), 1)
    for i in range(3):
        gray = cv2.imread(str(tmp_path / f"{i}.png"), cv2.IMREAD_GRAYSCALE)
        np.testing.assert_array_equal(data[i, 0], cv2.resize(gray, (5, 7)))
        np.testing.assert_array_equal(label[i, 0], labels_of(cv2.resize(edges_of(i), (5, 7))))


@pytest.mark.parametrize("phase", [TRAIN, TEST])
def test_mirror_and_crop_are_drawn_for_both_alike(tmp_path: Path, phase: int) -> None:
    """Two seeds for the transformer, the second of which counts.

    Then mirror, top and left for each image, in TEST too.
    """
    source = seeded(
        open_source(written(tmp_path), 3, transform="mirror: true crop_size: 3", phase=phase), 7
    )
    data, label = take(source, 4)
    draws = Mt19937(int(CaffeRandom(7).raw(2)[1])).raw(36).reshape(12, 3).tolist()
    mirrored = 0
    for i, (mirror, top, left) in enumerate(draws):
        height, width = SIZES[i % 3]
        both = np.concatenate(
            (picture(i % 3, height, width).transpose(2, 0, 1), labels_of(edges_of(i % 3))[None])
        )
        top, left = top % (height - 2), left % (width - 2)
        wanted = both[:, top : top + 3, left : left + 3]
        mirrored += mirror % 2
        np.testing.assert_array_equal(
            np.concatenate((data[i], label[i])), wanted[:, :, ::-1] if mirror % 2 else wanted
        )
    assert 0 < mirrored < 12


def test_state_skip_and_ranks(tmp_path: Path) -> None:
    listed, fields, transform = written(tmp_path, 5), "shuffle: true", "mirror: true crop_size: 3"
    source = seeded(open_source(listed, 2, fields, transform, phase=TRAIN))
    source.next()
    state = source.state()
    wanted = take(source, 3)
    again = open_source(listed, 2, fields, transform, phase=TRAIN)
    again.restore(state)
    again.skip(1)
    for found, whole in zip(take(again, 2), wanted):
        np.testing.assert_array_equal(found, whole[2:])
    sized = "new_height: 4 new_width: 4"
    one = take(open_source(listed, 4, sized), 1)[1]
    for rank in range(2):
        np.testing.assert_array_equal(
            take(open_source(listed, 2, sized, shard=Shard(rank, 2)), 1)[1], one[rank::2]
        )


@pytest.mark.parametrize(
    ("text", "fields", "message"),
    [
        ("", "", "names no image"),
        (
            "0.png e0.png\n1.png",
            "",
            "line 2: '1.png' is alone; needed: an image and its labels' file",
        ),
        (
            "0.png e0.png\n1.png none.png",
            "",
            r"line 2 \('1.png'\): Could not load .*none.png: No such file",
        ),
        (
            "0.png e0.png\n1.png e0.png",
            "",
            r"line 2 .*its label image is 6x8; needed: 5x9, the size of the image",
        ),
        (
            "0.png e0.png\n1.png e1.png",
            "",
            r"line 2 .*is 3x5x9, its batch is 3x6x8; needed: new_height and new_width",
        ),
        (
            "0.png e0.png",
            "new_width: 3",
            "requires new_height and new_width to be set at the same time",
        ),
    ],
)
def test_unusable_lists(tmp_path: Path, text: str, fields: str, message: str) -> None:
    listed = written(tmp_path)
    listed.write_text(text)
    with pytest.raises(DataError, match=message):
        open_source(listed, 2, fields).next()


def test_a_crop_larger_than_an_image(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"line 3 \('2.png'\): crop_size 5 is larger than the image, 3x4x4"
    ):
        open_source(written(tmp_path), 3, transform="crop_size: 5", phase=TRAIN).next()


def test_a_crop_in_test_that_nobody_draws_for(tmp_path: Path) -> None:
    with pytest.raises(
        DataError,
        match="crop_size takes a random place in TEST too, which HED's Caffe has with mirror alone",
    ):
        open_source(written(tmp_path), 3, transform="crop_size: 3")
