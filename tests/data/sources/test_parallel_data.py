"""Raw images in one file: CaffeGPI's ParallelData and ParallelInMemData."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caffepy.data.shard import Shard
from caffepy.data.source import Source
from caffepy.errors import DataError
from caffepy.layers.core.base import TRAIN
from caffepy.layers.core.registry import layer_class
from tests.data.build import layer, picture, seeded, take

COUNT = 5
TYPES = ["ParallelData", "ParallelInMemData"]


def write(folder: Path, *, color: bool = True, header: bytes = b"P6 8 6 255 \n.") -> str:
    """Pictures of 6x8 red, green, blue or gray pixels with headers, and labels from 10 on.

    The fields of a layer.
    """
    pictures = [picture(i)[:, :, ::-1] if color else picture(i)[:, :, :1] for i in range(COUNT)]
    (folder / "images.bin").write_bytes(b"".join(header + pixels.tobytes() for pixels in pictures))
    (folder / "labels.txt").write_text("\n".join(str(10 + i) for i in range(COUNT)))
    more = "" if len(header) == 13 else f"headerSize: {len(header)}"
    names = f"source: '{folder}/images.bin' label: '{folder}/labels.txt'"
    return f"{names} new_height: 6 new_width: 8 is_color: {str(color).lower()} {more}"


def open_source(kind: str, fields: str, more: str = "", shard: Shard = Shard()) -> Source:
    field = "parallel_data_param" if kind == "ParallelData" else "parallel_inmem_data_param"
    param = layer(
        f"name: 'x' type: '{kind}' top: 'data' top: 'label' {field} {{ batch_size: 2 {fields} }} {more}"
    )
    source: Source = layer_class(kind)(param, TRAIN).open(shard)
    return source


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("color", [False, True])
def test_batches(tmp_path: Path, kind: str, color: bool) -> None:
    fields = write(tmp_path, color=color, header=b"P6 8 6 255 \n." if color else b"")
    source = seeded(open_source(kind, fields, "transform_param { scale: 0.5 }"))
    data, label = take(source, 4)
    assert label.tolist() == [10 + i % COUNT for i in range(8)]
    for i, image in enumerate(data):
        expected = picture(i % COUNT) if color else picture(i % COUNT)[:, :, :1]
        np.testing.assert_array_equal(image, expected.transpose(2, 0, 1) * np.float32(0.5))
    source.close()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shuffle", ["true", "false"])
def test_ranks_divide_them(tmp_path: Path, kind: str, shuffle: str) -> None:
    fields = f"{write(tmp_path)} shuffle: {shuffle}"
    sources = [
        seeded(open_source(kind, fields, "transform_param { crop_size: 4 }", Shard(rank, 2)))
        for rank in range(2)
    ]
    found = [take(source, COUNT) for source in sources]
    assert (
        np.unique(np.concatenate([labels for _, labels in found]), return_counts=True)[1].tolist()
        == [4] * COUNT
    )
    assert found[0][0].shape == (2 * COUNT, 3, 4, 4)
    state = sources[0].state()
    after = take(sources[0], 3)
    again = seeded(open_source(kind, fields, "transform_param { crop_size: 4 }", Shard(0, 2)), 3)
    again.restore(state)
    for a, b in zip(after, take(again, 3)):
        np.testing.assert_array_equal(a, b)
    for source in (*sources, again):
        source.close()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            ("new_height: 6", "new_height: 7"),
            r"has 785 bytes; needed: a multiple of 181, the size of a record",
        ),
        (
            ("new_height: 6", ""),
            "new_height and new_width are 0 and 8; needed: those of the images",
        ),
        (("images.bin", "none.bin"), "none.bin' cannot be opened: No such file"),
        (("labels.txt", "none.txt"), "Could not open label file .*none.txt': No such file"),
        (("labels.txt", "images.bin"), "images.bin': invalid literal.*needed: whole numbers"),
        (("labels.txt", "huge.txt"), "huge.txt': int too large.*needed: whole numbers"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    fields = write(tmp_path)
    (tmp_path / "huge.txt").write_text("1" + "0" * 400)
    with pytest.raises(DataError, match=says):
        open_source("ParallelData", fields.replace(*change))


def test_another_number_of_labels(tmp_path: Path) -> None:
    fields = write(tmp_path)
    (tmp_path / "labels.txt").write_text("1 2 3")
    with pytest.raises(DataError, match="has 5 images, .*labels.txt' 3 labels; needed: as many"):
        open_source("ParallelInMemData", fields)
