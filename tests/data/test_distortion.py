"""Colours changed at random."""

from __future__ import annotations

import numpy as np

from caffepy.data.distortion import Distortion
from caffepy.data.random import Mt19937
from caffepy.proto import caffe_pb2

PIXEL = np.array([[[10, 20, 30]]], np.uint8)


def test_the_order_of_channels_is_that_of_cs_rand_for_each_layer() -> None:
    """1804289383 and 846930886 are the first numbers of glibc's: 1 of 2, then 1 of 3."""
    for seed in (1, 2):
        distortion = Distortion(caffe_pb2.DistortionParameter(random_order_prob=1))
        (step,) = distortion.draw(Mt19937(seed))
        assert step(PIXEL).tolist() == [[[10, 30, 20]]]
