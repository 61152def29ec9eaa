"""Which of the three VideoData a layer is, and what each refuses."""

from __future__ import annotations

import pytest

from caffepy.errors import DataError
from tests.layers.check import refusal, tops

TSN = 'video_data_param { source: "no" batch_size: 1 modality: RGB }'


@pytest.mark.parametrize(
    ("tops", "fields", "said"),
    [
        ('top: "d"', TSN, "1 top is given; needed: 2, data and label"),
        ('top: "d" top: "l"', f"{TSN} transform_param {{ crop_h: 2 crop_w: 2 }}", "transform_param.crop_h has no effect here"),
        (
            'top: "d"',
            'image_data_param { source: "no" new_length: 2 } transform_param { resize_param { height: 3 width: 3 } }',
            "transform_param.resize_param has no effect here; needed: video_data_param { video_type: VIDEO",
        ),
    ],
)
def test_refusals(tops: str, fields: str, said: str) -> None:
    assert said in refusal(f'layer {{ name: "d" type: "VideoData" {tops} {fields} }}')


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (f"{TSN} top: 'l'", "image list 'no' cannot be read"),
        ('image_data_param { source: "none" new_length: 2 batch_size: 1 }', "image list 'none' cannot be read"),
        ('video_data_param { video_type: VIDEO video_file: "no.avi" } data_param { batch_size: 1 }', "Failed to open video 'no.avi'"),
    ],
)
def test_each_has_its_source(fields: str, said: str) -> None:
    with pytest.raises(DataError) as refused:
        tops(f'layer {{ name: "d" type: "VideoData" top: "d" {fields} }}')
    assert said in str(refused.value)
