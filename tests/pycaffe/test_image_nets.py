"""Classifier and Detector: images of any size and windows of them through a deploy net."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import caffe
import cv2
import numpy as np
import pytest

from caffepy.errors import CaffeError
from tests.pycaffe.nets import DEPLOY, ToFile

NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 dim: 8 dim: 8 } } }
layer { name: "mean" type: "Pooling" bottom: "data" top: "mean" pooling_param { pool: AVE global_pooling: true } }
layer { name: "prob" type: "Flatten" bottom: "mean" top: "prob" }
"""
"""Scores are the mean of each channel."""


@pytest.fixture
def files(to_file: ToFile, tmp_path: Path) -> tuple[str, str]:
    """The net and a caffemodel, of a net without parameters."""
    net = caffe.Net(to_file(NET), caffe.TEST)
    net.save(tmp_path / "net.caffemodel")
    return to_file(NET), str(tmp_path / "net.caffemodel")


def flat(*color: float, size: tuple[int, int] = (12, 10)) -> np.ndarray:
    return np.broadcast_to(np.array(color, np.float32), (*size, 3))


class TestClassifier:
    def test_any_number_of_images(self, files: tuple[str, str]) -> None:
        net = caffe.Classifier(*files, image_dims=(12, 10), raw_scale=255, channel_swap=(2, 1, 0), mean=np.array([1.0, 2, 3]))
        found = net.predict([flat(0.1, 0.2, 0.3), flat(0, 0, 1)] * 3, oversample=False)
        assert found.shape == (6, 3)
        np.testing.assert_allclose(found[0], [76.5 - 1, 51 - 2, 25.5 - 3], rtol=1e-5)
        np.testing.assert_allclose(found[5], [255 - 1, -2, -3], rtol=1e-5)

    def test_the_mean_over_ten_crops(self, files: tuple[str, str]) -> None:
        net = caffe.Classifier(*files, image_dims=(12, 10))
        image = np.random.default_rng(1).random((12, 10, 3)).astype(np.float32)
        crops = caffe.io.oversample([image], (8, 8))
        np.testing.assert_allclose(net.predict([image])[0], crops.mean(axis=(0, 1, 2)), rtol=1e-5)

    def test_the_centre(self, files: tuple[str, str]) -> None:
        net = caffe.Classifier(*files, image_dims=(12, 10))
        image = np.zeros((12, 10, 3), np.float32)
        image[2:10, 1:9] = 1
        np.testing.assert_allclose(net.predict([image], oversample=False), np.ones((1, 3)), rtol=1e-5)

    def test_images_are_resized_to_the_input_by_default(self, files: tuple[str, str]) -> None:
        net = caffe.Classifier(*files)
        assert net.image_dims.tolist() == [8, 8]
        found = net.predict([flat(1, 2, 3, size=(30, 20)), flat(4, 4, 4)], False)
        # smoothing sees the least value of the image around it
        np.testing.assert_allclose(found, [[1, 2, 3], [4, 4, 4]], atol=0.15)

    def test_misuse(self, files: tuple[str, str], to_file: ToFile) -> None:
        with pytest.raises(CaffeError, match=r"image_dims is \(6, 6\); needed"):
            caffe.Classifier(*files, image_dims=(6, 6))
        for none in ([], None, "cat.jpg"):
            with pytest.raises(CaffeError, match="no images given"):
                caffe.Classifier(*files).predict(none)
        with pytest.raises(ValueError, match=r"an image of shape \(8, 8, 1\); needed: \(height, width, 3\)"):
            caffe.Classifier(*files).predict([np.ones((8, 8, 1))])
        with pytest.raises(CaffeError, match="no images given"):
            caffe.Classifier(*files).predict([])
        with pytest.raises(ValueError, match="resize_image"):
            caffe.Classifier(*files).predict([np.zeros((5, 5))])
        flat_input = to_file('layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 4 } } }', "flat.prototxt")
        with pytest.raises(CaffeError, match="first input is no batch of images"):
            caffe.Classifier(flat_input, files[1])


class TestDetector:
    @pytest.fixture
    def picture(self, tmp_path: Path) -> str:
        """40 x 30, its left half red."""
        pixels = np.zeros((40, 30, 3), np.uint8)
        pixels[:, :15, 2] = 255
        cv2.imwrite(str(tmp_path / "a.png"), pixels)
        return str(tmp_path / "a.png")

    def test_windows(self, files: tuple[str, str], picture: str) -> None:
        net = caffe.Detector(*files, raw_scale=255, channel_swap=(2, 1, 0))
        windows = [(0, 0, 10, 10), (5, 20, 15, 30), (0, 10, 10, 20)]
        found = net.detect_windows(iter([(picture, windows), (picture, [(0, 0, 40, 30)] * 3)]))
        assert [one["window"] for one in found[:3]] == windows
        assert {one["filename"] for one in found} == {picture}
        reds = [float(one["prediction"][2]) for one in found]
        assert reds[:2] == [255, 0]
        assert reds[2] == pytest.approx(127.5, abs=20)
        assert all(one["prediction"][:2].tolist() == [0, 0] for one in found)
        assert net.detect_windows([]) == []

    def test_surroundings_of_a_window(self, files: tuple[str, str], picture: str) -> None:
        """With one pixel of context on each side of eight, six show the window; beyond the image is the mean."""
        net = caffe.Detector(*files, mean=np.array([0.25, 0.5, 0.75]), context_pad=1)
        assert net.crop_dims.tolist() == [8, 8, 3]
        image = np.ones((40, 30, 3), np.float32)
        inside = net.crop(image, (10, 10, 21, 21))
        np.testing.assert_array_equal(inside, np.ones((8, 8, 3)))
        corner = net.crop(image, np.array([0, 0, 11, 11]))
        assert corner.shape == (8, 8, 3)
        assert corner[0, 0].tolist() == [0.25, 0.5, 0.75]
        assert corner[-1, -1].tolist() == [1, 1, 1]

    def test_the_mean_is_brought_back_to_what_images_are(self, files: tuple[str, str]) -> None:
        net = caffe.Detector(*files, mean=np.array([51.0, 102, 255]), raw_scale=255, channel_swap=(2, 1, 0), context_pad=1)
        np.testing.assert_allclose(net.crop_mean[0, 0], [1, 0.4, 0.2], rtol=1e-6)

    def test_selective_search(self, files: tuple[str, str], picture: str, monkeypatch: pytest.MonkeyPatch) -> None:
        net = caffe.Detector(*files)
        with pytest.raises(CaffeError, match="needs the module selective_search_ijcv_with_python"):
            net.detect_selective_search([picture])
        search = types.SimpleNamespace(get_windows=lambda names, cmd: [np.array([[0, 0, 5, 5]])] * len(names))
        monkeypatch.setitem(sys.modules, "selective_search_ijcv_with_python", search)
        assert len(net.detect_selective_search([picture, picture])) == 2

    @pytest.mark.parametrize("window", [(-1, 0, 5, 5), (5, 5, 5, 9), (50, 0, 60, 5), (0, 9, 5, 3), (0, 0, 5)])
    def test_windows_outside(self, files: tuple[str, str], picture: str, window: tuple[int, ...]) -> None:
        with pytest.raises(ValueError, match="needed: ymin, xmin, ymax, xmax inside it"):
            caffe.Detector(*files).detect_windows([(picture, [window])])

    def test_context_that_leaves_no_room(self, files: tuple[str, str]) -> None:
        with pytest.raises(CaffeError, match="context_pad is 4"):
            caffe.Detector(*files, context_pad=4)


def test_another_input_than_in_training_is_told_once(to_file: ToFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    caffe.init_log(1)
    deploy = to_file(DEPLOY)
    caffe.Net(deploy, caffe.TEST).save(str(tmp_path / "net.caffemodel"))
    layer = 'layer { name: "d" type: "Data" top: "data" transform_param { scale: 0.00390625 mean_value: 104 } }'
    to_file(layer + DEPLOY.partition("} } }")[2], "train_val.prototxt")
    images = [np.zeros((6, 6, 3), np.float32)]
    net = caffe.Classifier(deploy, str(tmp_path / "net.caffemodel"), raw_scale=255)
    net.predict(images)
    net.predict(images)
    told = [line for line in capsys.readouterr().err.splitlines() if "another input" in line]
    assert len(told) == 1
    assert "layer 'd' subtracts the mean 104 and scales by 0.00390625; see mean, raw_scale and input_scale" in told[0]
    for scales in ({}, {"raw_scale": 255, "input_scale": 0.00390625}):
        net = caffe.Classifier(deploy, str(tmp_path / "net.caffemodel"), **scales)
        net.transformer.set_mean(net.image_input, np.full(3, 104.0))
        net.predict(images)
        assert "another input" not in capsys.readouterr().err
