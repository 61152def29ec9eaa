"""caffe.io: protos and arrays, image files, crops, and the Transformer."""

from __future__ import annotations

import io
from pathlib import Path

import caffe
import cv2
import numpy as np
import pytest

from caffepy.errors import CaffeError
from caffepy.pycaffe.errors import UnreadableFile

RNG = np.random.default_rng(5)


class TestBlobProto:
    def test_old_shape(self) -> None:
        blob = caffe.proto.caffe_pb2.BlobProto()
        blob.data.extend(range(100))
        blob.num, blob.channels, blob.height, blob.width = 1, 1, 10, 10
        assert caffe.io.blobproto_to_array(blob).shape == (1, 1, 10, 10)

    def test_new_shape(self) -> None:
        blob = caffe.proto.caffe_pb2.BlobProto()
        blob.data.extend(range(100))
        blob.shape.dim.extend([10, 10])
        assert caffe.io.blobproto_to_array(blob).tolist() == np.arange(100).reshape(10, 10).tolist()

    def test_no_shape(self) -> None:
        blob = caffe.proto.caffe_pb2.BlobProto()
        blob.data.extend(range(100))
        with pytest.raises(ValueError, match=r"of shape \(\) holds 100 values"):
            caffe.io.blobproto_to_array(blob)

    def test_scalar(self) -> None:
        blob = caffe.proto.caffe_pb2.BlobProto()
        blob.data.append(123)
        assert caffe.io.blobproto_to_array(blob) == 123

    def test_there_and_back(self) -> None:
        values, diff = RNG.normal(size=(2, 3)).astype(np.float32), RNG.normal(size=(2, 3)).astype(np.float32)
        blob = caffe.io.array_to_blobproto(values, diff)
        np.testing.assert_array_equal(caffe.io.blobproto_to_array(blob), values)
        np.testing.assert_array_equal(caffe.io.blobproto_to_array(blob, return_diff=True), diff)

    def test_vectors(self) -> None:
        arrays = [np.arange(6.0).reshape(2, 3), np.array(4.0)]
        data = caffe.io.arraylist_to_blobprotovector_str(arrays)
        assert [array.tolist() for array in caffe.io.blobprotovector_str_to_arraylist(data)] == [array.tolist() for array in arrays]


class TestDatum:
    def test_a_label_that_is_not_given_is_not_written(self) -> None:
        with_label, without = caffe.io.array_to_datum(np.ones((10, 10, 3)), label=1), caffe.io.array_to_datum(np.ones((10, 10, 3)))
        assert len(with_label.SerializeToString()) > len(without.SerializeToString())

    @pytest.mark.parametrize("dtype", [np.uint8, np.float64])
    def test_there_and_back(self, dtype: type) -> None:
        values = RNG.integers(0, 255, (3, 4, 5)).astype(dtype)
        datum = caffe.io.array_to_datum(values, 7)
        assert (datum.label, bool(datum.data), len(datum.float_data) > 0) == (7, dtype is np.uint8, dtype is not np.uint8)
        np.testing.assert_array_equal(caffe.io.datum_to_array(datum), values)
        assert caffe.io.datum_to_array(datum).flags.writeable

    def test_encoded(self) -> None:
        pixels = RNG.integers(0, 255, (6, 5, 3), np.uint8)
        datum = caffe.proto.caffe_pb2.Datum(encoded=True, data=cv2.imencode(".png", pixels)[1].tobytes())
        np.testing.assert_array_equal(caffe.io.datum_to_array(datum), pixels.transpose(2, 0, 1))

    def test_wrong_sizes(self) -> None:
        with pytest.raises(ValueError, match=r"\(3, 4\); needed: \(channels, height, width\)"):
            caffe.io.array_to_datum(np.zeros((3, 4)))
        with pytest.raises(CaffeError, match="of 2x2x2 holds 3 values"):
            caffe.io.datum_to_array(caffe.proto.caffe_pb2.Datum(channels=2, height=2, width=2, data=b"abc"))


class TestLoadImage:
    def test_color(self, tmp_path: Path) -> None:
        pixels = RNG.integers(0, 255, (6, 5, 3), np.uint8)
        cv2.imwrite(str(tmp_path / "a.png"), pixels)
        image = caffe.io.load_image(tmp_path / "a.png")
        assert (image.dtype, image.shape) == (np.float32, (6, 5, 3))
        np.testing.assert_allclose(image, pixels[:, :, ::-1] / 255, rtol=1e-6)
        gray = caffe.io.load_image(str(tmp_path / "a.png"), color=False)
        np.testing.assert_allclose(gray[:, :, 0], image @ [0.2125, 0.7154, 0.0721], rtol=1e-5)

    def test_gray_transparent_and_deep(self, tmp_path: Path) -> None:
        gray = RNG.integers(0, 255, (4, 3), np.uint8)
        deep = RNG.integers(0, 65535, (4, 3), np.uint16)
        clear = RNG.integers(0, 255, (4, 3, 4), np.uint8)
        for name, pixels in (("gray", gray), ("deep", deep), ("clear", clear)):
            cv2.imwrite(str(tmp_path / f"{name}.png"), pixels)
        shown = caffe.io.load_image(tmp_path / "gray.png")
        np.testing.assert_allclose(shown, np.repeat(gray[:, :, None], 3, 2) / 255, rtol=1e-6)
        assert caffe.io.load_image(tmp_path / "gray.png", color=False).shape == (4, 3, 1)
        np.testing.assert_allclose(caffe.io.load_image(tmp_path / "deep.png", False)[:, :, 0], deep / 65535, rtol=1e-6)
        np.testing.assert_allclose(caffe.io.load_image(tmp_path / "clear.png"), clear[:, :, 2::-1] / 255, rtol=1e-6)

    def test_opened(self, tmp_path: Path) -> None:
        cv2.imwrite(str(tmp_path / "a.png"), RNG.integers(0, 255, (6, 5, 3), np.uint8))
        image = caffe.io.load_image(tmp_path / "a.png")
        content = (tmp_path / "a.png").read_bytes()
        np.testing.assert_array_equal(caffe.io.load_image(io.BytesIO(content)), image)
        with (tmp_path / "a.png").open("rb") as file:
            np.testing.assert_array_equal(caffe.io.load_image(file), image)
        with pytest.raises(UnreadableFile, match="it is no image that OpenCV knows"):
            caffe.io.load_image(io.BytesIO(content[8:]))
        with pytest.raises(TypeError, match="gives str; needed: a file of bytes"):
            caffe.io.load_image(io.StringIO("text"))

    def test_files_that_are_none(self, tmp_path: Path) -> None:
        (tmp_path / "text.png").write_text("no image")
        for name, words in (("none.png", "No such file"), ("text.png", "no image that OpenCV knows")):
            with pytest.raises(CaffeError, match=words) as raised:
                caffe.io.load_image(tmp_path / name)
            assert isinstance(raised.value, OSError)


def test_oversample() -> None:
    images = RNG.normal(size=(2, 8, 10, 3)).astype(np.float32)
    crops = caffe.io.oversample(images, (6, 5))
    assert crops.shape == (20, 6, 5, 3)
    np.testing.assert_array_equal(crops[10], images[1, :6, :5])
    np.testing.assert_array_equal(crops[3], images[0, 2:, 5:])
    np.testing.assert_array_equal(crops[4], images[0, 1:7, 2:7])
    np.testing.assert_array_equal(crops[19], images[1, 1:7, 2:7][:, ::-1])
    with pytest.raises(ValueError, match="crops of 9x5 from images of 8x10"):
        caffe.io.oversample(images, (9, 5))


class TestTransformer:
    def transformer(self, shape: tuple[int, ...] = (10, 3, 6, 6)) -> caffe.io.Transformer:
        transformer = caffe.io.Transformer({"data": shape})
        transformer.set_transpose("data", (2, 0, 1))
        return transformer

    def test_order_of_the_steps(self) -> None:
        transformer, image = self.transformer(), RNG.random((6, 6, 3)).astype(np.float32)
        kept = image.copy()
        transformer.set_channel_swap("data", (2, 1, 0))
        transformer.set_raw_scale("data", 255)
        transformer.set_mean("data", np.array([104.0, 117, 123]))
        transformer.set_input_scale("data", 0.5)
        found = transformer.preprocess("data", image)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found[0], (image[:, :, 2] * 255 - 104) * 0.5, rtol=1e-5, atol=1e-4)
        np.testing.assert_array_equal(image, kept)
        np.testing.assert_allclose(transformer.deprocess("data", found), image, atol=1e-5)
        np.testing.assert_allclose(transformer.deprocess("data", found[None]), image, atol=1e-5)

    def test_one_channel(self) -> None:
        transformer, image = self.transformer((1, 1, 6, 6)), RNG.random((6, 6, 1)).astype(np.float32)
        found = transformer.preprocess("data", image)
        np.testing.assert_array_equal(transformer.deprocess("data", found[None]), image)

    def test_another_size(self) -> None:
        assert self.transformer().preprocess("data", np.ones((9, 5, 3))).shape == (3, 6, 6)

    def test_means(self) -> None:
        transformer = self.transformer()
        transformer.set_mean("data", np.full((6, 6), 2.0))
        assert transformer.mean["data"].shape == (1, 6, 6)
        transformer.set_mean("data", np.broadcast_to(np.arange(3.0)[:, None, None], (3, 12, 9)))
        assert transformer.mean["data"].shape == (3, 6, 6)
        np.testing.assert_allclose(transformer.mean["data"][1, 2:4, 2:4], 1, atol=1e-5)

    @pytest.mark.parametrize(
        ("misuse", "kind", "words"),
        [
            (lambda t: t.preprocess("image", np.zeros((6, 6, 3))), KeyError, "image is not one of the net inputs: data"),
            (lambda t: t.set_transpose("data", (1, 0)), ValueError, "same number of dimensions as the input"),
            (lambda t: t.set_channel_swap("data", (1, 0)), ValueError, "same number of dimensions as the input channels: 3"),
            (lambda t: t.set_mean("data", np.zeros(4)), ValueError, "4 numbers; needed: 3"),
            (lambda t: t.set_mean("data", np.zeros((4, 6, 6))), ValueError, "Mean shape invalid"),
            (lambda t: t.preprocess("data", np.zeros((0, 4, 3))), ValueError, "resize_image"),
            (lambda t: t.preprocess("data", "x.jpg"), ValueError, "image for 'data' cannot be read as an array"),
            (lambda t: t.set_channel_swap("data", (2, 1, 7)), ValueError, "3 numbers from 0 to 2"),
            (lambda t: t.set_mean("data", "mean.npy"), ValueError, "Mean cannot be read as an array"),
            (lambda t: t.set_raw_scale("data", "big"), ValueError, "Raw scale cannot be read"),
            (lambda t: t.set_input_scale("data", [1, 2]), ValueError, r"Input scale is \[1, 2\]; needed: a number"),
            (lambda t: caffe.io.Transformer({"data": 5}), TypeError, "needed: name and shape of inputs"),
            (lambda t: caffe.io.load_image(None), TypeError, "None is no file name"),
            (lambda t: caffe.io.resize_image(np.ones((4, 4, 3)), 5), ValueError, r"new_dims is 5; needed: \(height, width\)"),
            (lambda t: caffe.io.resize_image(None, (5, 5)), ValueError, "the image cannot be read as an array"),
            (lambda t: caffe.io.oversample([], (4, 4)), ValueError, r"images of shapes \[\]; needed: at least one"),
            (lambda t: caffe.io.array_to_datum(None), ValueError, "Incorrect array shape"),
            (lambda t: caffe.io.array_to_datum(np.ones((1, 1, 1)), "cat"), TypeError, "label is 'cat'; needed: a whole number"),
            (lambda t: caffe.io.blobprotovector_str_to_arraylist(b"none"), ValueError, "not the bytes of a BlobProtoVector"),
        ],
    )
    def test_misuse(self, misuse, kind: type[Exception], words: str) -> None:
        with pytest.raises(CaffeError, match=words) as raised:
            misuse(self.transformer())
        assert isinstance(raised.value, kind)


def test_flip_image() -> None:
    """A picture is mirrored; in a flow what moved to the right then moves to the left."""
    image = np.arange(12, dtype=np.float32).reshape(2, 2, 3) / 16
    kept = image.copy()
    np.testing.assert_array_equal(caffe.io.flip_image(image), image[:, ::-1])
    flow = caffe.io.flip_image(image, 1, True)
    np.testing.assert_array_equal(flow[..., 0], 1 - image[:, ::-1, 0])
    np.testing.assert_array_equal(flow[..., 1:], image[:, ::-1, 1:])
    np.testing.assert_array_equal(caffe.io.flip_image(image, is_flow=True)[..., 0], 128 - image[:, ::-1, 0])
    np.testing.assert_array_equal(image, kept)
    with pytest.raises(ValueError, match=r"flip_image of \(2, 2\); needed: \(height, width, channels\)"):
        caffe.io.flip_image(image[..., 0])


def test_flows_are_marked_and_treated_as_pictures() -> None:
    transformer = caffe.io.Transformer({"rgb": (1, 3, 2, 2), "flow": (1, 3, 2, 2)})
    transformer.set_is_flow("rgb", False)
    transformer.set_is_flow("flow", True)
    assert transformer.is_flow == {"rgb": False, "flow": True}
    image = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    np.testing.assert_array_equal(transformer.preprocess("flow", image), transformer.preprocess("rgb", image))
    with pytest.raises(CaffeError, match="data is not one of the net inputs: rgb, flow"):
        transformer.set_is_flow("data", True)


@pytest.mark.parametrize(("given", "found"), [(np.float32, np.float32), (np.float64, np.float64), (np.uint8, np.float64)])
def test_what_is_undone_stays_of_its_type(given: type, found: type) -> None:
    transformer = caffe.io.Transformer({"data": (1, 3, 2, 2)})
    transformer.set_mean("data", np.array([1.5, 2, 3]))
    transformer.set_raw_scale("data", np.float64(2))
    transformer.set_input_scale("data", np.float64(0.5))
    image = transformer.deprocess("data", np.ones((1, 3, 2, 2), given))
    assert image.dtype == found
    assert image[:, 0, 0].tolist() == [1.75, 2, 2.5]
