"""caffe.coord_map: offsets of crops through convolution, pooling and deconvolution."""

from __future__ import annotations

import caffe
import pytest
from caffe import coord_map
from caffe import layers as L
from caffe import params as P
from caffe.coord_map import coord_map_from_to, crop

from caffepy.errors import CaffeError


def net(ks: int = 3, stride: int = 1, pad: int = 0, pool: int = 2, dstride: int = 2, dpad: int = 0) -> caffe.NetSpec:
    """Convolution, pooling and deconvolution of an image."""
    n = caffe.NetSpec()
    n.data = L.Input(shape={"dim": [2, 1, 100, 100]})
    n.aux = L.Input(shape={"dim": [2, 1, 20, 20]})
    n.conv = L.Convolution(n.data, num_output=10, kernel_size=ks, stride=stride, pad=pad)
    n.pool = L.Pooling(n.conv, pool=P.Pooling.MAX, kernel_size=pool, stride=pool, pad=0)
    n.deconv = L.Deconvolution(n.pool, convolution_param={"num_output": 10, "kernel_size": dstride, "stride": dstride, "pad": dpad})
    return n


def test_pass_through() -> None:
    n = net()
    n.relu = L.ReLU(n.data)
    n.power = L.Power(n.relu)
    assert coord_map_from_to(n.power, n.data) == (None, 1, 0)


def test_padding() -> None:
    """Pad of the convolution goes into the offset, in input pixels."""
    n = net()
    axis, a, b = coord_map_from_to(n.deconv, n.data)
    for pad in (1, 7):
        padded_axis, padded_a, padded_b = coord_map_from_to(*(lambda m: (m.deconv, m.data))(net(pad=pad)))
        assert (axis, a) == (padded_axis, padded_a)
        assert b - pad == padded_b


def test_other_kernels_and_strides() -> None:
    n = net(ks=5, stride=3, pool=2, dstride=6, dpad=0)
    axis, a, b = coord_map_from_to(n.conv, n.data)
    assert (axis, a, b) == (1, pytest.approx([3]), pytest.approx([2]))
    assert coord_map_from_to(n.deconv, n.data)[1] == pytest.approx(1)


def test_dilation_and_axes() -> None:
    n = caffe.NetSpec()
    n.data = L.Input(shape={"dim": [1, 1, 9, 9, 9]})
    n.c = L.Convolution(n.data, num_output=1, kernel_size=[3, 5], dilation=[2, 1], axis=2)
    axis, a, b = coord_map_from_to(n.c, n.data)
    assert (axis, a.tolist(), b.tolist()) == (2, [1], [2, 2])


def test_crop() -> None:
    n = net(pad=7)
    n.cropped = crop(n.deconv, n.data)
    layer = n.to_proto().layer[-1]
    assert (layer.type, list(layer.bottom)) == ("Crop", ["deconv", "data"])
    assert (layer.crop_param.axis, list(layer.crop_param.offset)) == (2, [6])


def test_a_crop_is_followed_to_what_it_crops() -> None:
    n = net()
    n.cropped = L.Crop(n.data, n.aux, crop_param={"axis": 2, "offset": 3})
    n.conv2 = L.Convolution(n.cropped, num_output=1, kernel_size=3)
    axis, a, b = coord_map_from_to(n.data, n.conv2)
    assert (axis, a.tolist(), b.tolist()) == (1, [1], [-4])
    with pytest.raises(RuntimeError, match="connected by spatial layers"):
        coord_map_from_to(n.cropped, n.aux)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda n: crop(n.pool, n.data), "scale mismatch on crop"),
        (lambda n: crop(n.conv, n.data), "cannot crop negative offset"),
        (lambda n: coord_map_from_to(n.conv, n.aux), "connected by spatial layers"),
        (lambda n: coord_map_from_to(L.InnerProduct(n.conv, num_output=1), n.data), "connected by spatial layers"),
        (lambda n: coord_map_from_to(L.Convolution(n.data, num_output=1, kernel_h=2, kernel_w=3), n.data), "legacy _h/_w params: kernel_h"),
        (lambda n: coord_map_from_to(L.Convolution(n.conv, num_output=1, kernel_size=3, axis=2), n.data), "axis 2 on and from axis 1"),
        (lambda n: coord_map_from_to(L.Convolution(n.data, num_output=1), n.data), "kernel_size is missing"),
    ],
)
def test_misuse(make, words: str) -> None:
    with pytest.raises(CaffeError, match=words):
        make(net())


def test_a_crop_by_half_a_pixel() -> None:
    n = net(ks=4)
    with pytest.raises(AssertionError, match=r"cannot crop noninteger offset \(b = \[-4.5\]\)"):
        crop(n.data, net_through(n))


def net_through(n: caffe.NetSpec) -> object:
    """A top half a pixel before the data."""
    return L.Deconvolution(n.conv, convolution_param={"num_output": 1, "kernel_size": 1, "stride": 1, "pad": 3})


def test_exceptions_have_their_names() -> None:
    assert issubclass(coord_map.UndefinedMapException, Exception)
    with pytest.raises(coord_map.UndefinedMapException):
        coord_map.coord_map(L.InnerProduct(net().data, num_output=1).fn)
