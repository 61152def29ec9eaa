"""The example of segmentation: data layer, surgery, statistics, and its short form."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.examples.conftest import RunExample

NETS = ("fcn", "segnet", "deeplab")


def test_short(run_example: RunExample) -> None:
    result, out = run_example("segmentation")
    assert [figure["name"] for figure in result["figures"]] == [f"mean IoU of {n}" for n in NETS]
    assert all(0 < figure["value"] < 1 for figure in result["figures"])
    losses = re.findall(r"Iteration \d+.*, loss = (\S+)", (out / "train.log").read_text())
    assert len(losses) == 4  # the first of each training
    assert np.isfinite(np.array(losses, float)).all()
    picture = cv2.imread(str(out / "segmentation.png"))
    assert picture is not None
    assert picture.shape[1] > 600
    test_net = (out / "segnet" / "test.prototxt").read_text()
    assert test_net.count("bn_mode: INFERENCE") == test_net.count('type: "BN"') == 8
    assert test_net.count("class_weighting:") == 4


@pytest.mark.whole
def test_whole(run_example: RunExample) -> None:
    result, _ = run_example("segmentation", short=False)
    assert all(figure["reached"] for figure in result["figures"])


DATA = """
layer { name: "data" type: "Python" top: "data" top: "label"
  python_param { module: "voc_layers" layer: "VOCSegDataLayer"
    param_str: "{'voc_dir': '%s', 'split': 'train', 'mean': (100, 110, 120), 'randomize': %s, 'seed': 1}" } }
"""


def write_voc(folder: Path, names: list[str]) -> None:
    from make_data import write_voc as write
    from shapes import draw_scene

    sets = folder / "ImageSets" / "Segmentation"
    sets.mkdir(parents=True)
    (sets / "train.txt").write_text("".join(f"{name}\n" for name in names))
    for i, name in enumerate(names):
        rng = np.random.default_rng(i)
        scene = draw_scene(rng, (40 + i, 48), kinds=("circle", "cross"), count=(1, 1))
        write(folder, name, scene)


@pytest.mark.usefixtures("scripts")
def test_data_layer(tmp_path: Path) -> None:
    import caffe

    write_voc(tmp_path / "voc", ["a", "b"])
    (tmp_path / "net.prototxt").write_text(DATA % (tmp_path / "voc", False))
    net = caffe.Net(str(tmp_path / "net.prototxt"), caffe.TRAIN)
    shapes = []
    for _ in range(3):
        net.forward()
        shapes.append(net.blobs["data"].data.shape)
        labels = net.blobs["label"].data
        assert labels.shape == (1, 1, *shapes[-1][2:])
        assert {0, 255} < set(np.unique(labels)) <= {0, 1, 3, 255}
    assert shapes == [(1, 3, 40, 48), (1, 3, 41, 48), (1, 3, 40, 48)]
    pixels = cv2.imread(str(tmp_path / "voc/JPEGImages/a.jpg")).astype(np.float32)
    np.testing.assert_array_equal(
        net.blobs["data"].data[0], (pixels - (100, 110, 120)).transpose(2, 0, 1)
    )


@pytest.mark.usefixtures("scripts")
def test_ranks_draw_other_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import caffe

    names = [str(i) for i in range(12)]
    write_voc(tmp_path / "voc", names)
    (tmp_path / "net.prototxt").write_text(DATA % (tmp_path / "voc", True))
    drawn = []
    for rank in (0, 0, 1):
        monkeypatch.setattr(caffe, "solver_rank", lambda rank=rank: rank)
        net = caffe.Net(str(tmp_path / "net.prototxt"), caffe.TRAIN)
        drawn.append([net.forward()["data"].shape[2] for _ in range(8)])
    assert drawn[0] == drawn[1] != drawn[2]


INNER = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 dim: 3 dim: 3 } } }
layer { name: "fc6" type: "InnerProduct" bottom: "data" top: "fc6" inner_product_param { num_output: 4
  weight_filler { type: "xavier" } bias_filler { type: "uniform" } } }
"""
CONVOLUTION = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 dim: 5 dim: 6 } } }
layer { name: "fc6" type: "Convolution" bottom: "data" top: "fc6"
  convolution_param { num_output: 4 kernel_size: 3 } }
layer { name: "up" type: "Deconvolution" bottom: "fc6" top: "up"
  convolution_param { num_output: 4 kernel_size: 4 stride: 2 bias_term: false } }
"""


@pytest.mark.usefixtures("scripts")
def test_surgery(tmp_path: Path) -> None:
    """The convolution gives at each place what the InnerProduct gives of its window."""
    import caffe
    from surgery import interp, transplant

    nets = []
    for name, text in (("inner", INNER), ("convolution", CONVOLUTION)):
        (tmp_path / name).write_text(text)
        nets.append(caffe.Net(str(tmp_path / name), caffe.TEST))
    inner, convolution = nets
    transplant(convolution, inner)
    interp(convolution, ["up"])
    data = np.random.default_rng(1).normal(size=(1, 2, 5, 6))
    convolution.blobs["data"].data[...] = data
    convolution.forward()
    inner.blobs["data"].data[...] = data[:, :, 1:4, 2:5]
    inner.forward()
    np.testing.assert_allclose(
        convolution.blobs["fc6"].data[0, :, 1, 2], inner.blobs["fc6"].data[0], rtol=1e-4, atol=1e-6
    )
    # a constant stays so, and channels do not mix
    weights = convolution.params["up"][0].data
    for channel in range(4):
        assert not np.delete(weights[channel], channel, axis=0).any()
        for top in (0, 1):
            for left in (0, 1):
                assert weights[channel, channel, top::2, left::2].sum() == pytest.approx(1)


SEGNET = """
layer { name: "data" type: "DenseImageData" top: "data" top: "label" include { phase: TRAIN }
  dense_image_data_param { source: "LIST" batch_size: 2 } }
layer { name: "data" type: "DenseImageData" top: "data" top: "label" include { phase: TEST }
  dense_image_data_param { source: "LIST" batch_size: 1 } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 3 kernel_size: 3 weight_filler { type: "xavier" } } }
layer { name: "conv_bn" type: "BN" bottom: "conv" top: "conv"
  bn_param { scale_filler { type: "uniform" min: 0.5 max: 2 } shift_filler { type: "uniform" } } }
layer { name: "silence" type: "Silence" bottom: "label" }
"""


@pytest.mark.usefixtures("scripts")
def test_bn_statistics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The test net normalises by the mean and the variance of all training pictures."""
    import caffe
    import compute_bn_statistics

    rng = np.random.default_rng(2)
    lines = []
    for i in range(4):
        pixels = rng.integers(0, 255, (10, 12, 3))
        cv2.imwrite(str(tmp_path / f"{i}.png"), pixels)
        cv2.imwrite(str(tmp_path / f"{i}_label.png"), pixels[:, :, 0] % 3)
        lines.append(f"{tmp_path}/{i}.png {tmp_path}/{i}_label.png\n")
    (tmp_path / "list.txt").write_text("".join(lines))
    train = tmp_path / "train.prototxt"
    train.write_text(SEGNET.replace("LIST", str(tmp_path / "list.txt")))
    net = caffe.Net(str(train), caffe.TRAIN)
    net.save(str(tmp_path / "w.caffemodel"))
    arguments = [str(train), str(tmp_path / "w.caffemodel"), str(tmp_path / "out")]
    monkeypatch.setattr("sys.argv", ["compute_bn_statistics.py", *arguments])
    compute_bn_statistics.main()
    assert "give the top of" not in capfd.readouterr().err
    test = caffe.Net(
        str(tmp_path / "out/test.prototxt"),
        str(tmp_path / "out/test_weights.caffemodel"),
        caffe.TEST,
    )
    outputs = []
    for _ in range(4):
        test.forward()
        outputs.append(test.blobs["conv"].data.copy())
    values = np.concatenate(outputs).transpose(1, 0, 2, 3).reshape(3, -1)
    scale, shift = (blob.data.ravel() for blob in net.params["conv_bn"])
    np.testing.assert_allclose(values.mean(1), shift, atol=1e-3)
    # the mean of the batches' variances lacks what their means differ by
    np.testing.assert_allclose(values.std(1), scale, rtol=0.05)


@pytest.mark.usefixtures("scripts")
def test_weights_of_classes(tmp_path: Path) -> None:
    from prepare import median_frequency_weights

    first = np.zeros((10, 10), np.uint8)
    first[:2] = 1  # a fifth of the one picture that has it
    first[9] = 11  # void
    second = np.zeros((10, 10), np.uint8)
    second[:4] = 2
    for i, labels in enumerate((first, second)):
        cv2.imwrite(str(tmp_path / f"{i}.png"), labels)
    weights = median_frequency_weights([tmp_path / "0.png", tmp_path / "1.png"])
    frequencies = np.array([130 / 200, 20 / 100, 40 / 100])
    np.testing.assert_allclose(weights, 0.4 / frequencies)


@pytest.mark.usefixtures("scripts")
def test_mean_iou() -> None:
    from score import confusion, mean_iou

    labels = np.array([[0, 0, 1, 255]])
    predicted = np.array([[0, 1, 1, 2]])
    table = confusion(labels, predicted, 3)
    assert table.tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 0]]
    assert mean_iou(table) == pytest.approx(0.5)  # of two classes; the third does not occur
