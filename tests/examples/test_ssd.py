"""The example of SSD: its lists, how BatchNorm is merged, and all of it in the short form."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.examples.conftest import RunExample


@pytest.fixture
def scripts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example's scripts can be imported."""
    monkeypatch.syspath_prepend(str(root / "examples" / "common"))
    monkeypatch.syspath_prepend(str(root / "examples" / "ssd"))


def test_short(run_example: RunExample) -> None:
    result, out = run_example("ssd")
    (figure,) = result["figures"]
    assert figure["name"] == "mAP"
    assert 0 <= figure["value"] <= 1
    losses = re.findall(r", loss = (\S+)", (out / "train.log").read_text())
    assert len(losses) >= 4
    assert np.isfinite(np.array(losses, float)).all()
    # SSD's tools and its results as VOC's tools read them
    assert (out / "test_name_size.txt").read_text().count("\n") == 24
    assert len(list((out / "results").glob("comp4_det_test_*.txt"))) == 3
    assert "BatchNorm" in (out / "deploy.prototxt").read_text()
    assert "BatchNorm" not in (out / "merged/deploy.prototxt").read_text()


@pytest.mark.whole
@pytest.mark.parametrize("ranks", [0, 2])
def test_whole(ranks: int, run_example: RunExample) -> None:
    result, _ = run_example("ssd", short=False, ranks=ranks)
    assert result["figures"][0]["reached"]


NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 8 dim: 8 } } }
layer { name: "c1" type: "Convolution" bottom: "data" top: "c1"
  convolution_param { num_output: 4 kernel_size: 3 bias_term: false weight_filler { type: "xavier" } } }
layer { name: "c1/bn" type: "BatchNorm" bottom: "c1" top: "c1" }
layer { name: "c1/scale" type: "Scale" bottom: "c1" top: "c1" scale_param { bias_term: true } }
layer { name: "c1/relu" type: "ReLU" bottom: "c1" top: "c1" }
layer { name: "c2/dw" type: "DepthwiseConvolution" bottom: "c1" top: "c2/dw"
  convolution_param { num_output: 4 group: 4 kernel_size: 3 weight_filler { type: "xavier" } bias_filler { value: 0.3 } } }
layer { name: "c2/bn" type: "BatchNorm" bottom: "c2/dw" top: "c2/bn" batch_norm_param { eps: 0.01 } }
layer { name: "c2/relu" type: "ReLU" bottom: "c2/bn" top: "c2/bn" }
layer { name: "c3" type: "Convolution" bottom: "c2/bn" top: "c3"
  convolution_param { num_output: 3 kernel_size: 1 weight_filler { type: "xavier" } } }
layer { name: "c3/bn" type: "BatchNorm" bottom: "c3" top: "c3/bn" }
layer { name: "sum" type: "Eltwise" bottom: "c3" bottom: "c3/bn" top: "sum" }
"""
"""In place with a Scale; behind a bias, not in place, without; and one whose input is read twice."""


@pytest.mark.usefixtures("scripts")
def test_a_net_without_batch_norm_computes_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import caffe
    import merge_bn

    model, weights = str(tmp_path / "net.prototxt"), str(tmp_path / "net.caffemodel")
    merged_model, merged_weights = str(tmp_path / "m/net.prototxt"), str(tmp_path / "m.caffemodel")
    Path(model).write_text(NET)
    net = caffe.Net(model, caffe.TEST)
    rng = np.random.default_rng(2)
    for name, blobs in net.params.items():
        if name.endswith("/bn"):
            for blob, low in zip(blobs, (-1, 0.5, 3)):
                blob.data[...] = rng.uniform(low, 4, blob.data.shape)
        elif name.endswith("/scale"):
            for blob in blobs:
                blob.data[...] = rng.uniform(-1, 2, blob.data.shape)
    net.save(weights)
    monkeypatch.setattr(sys, "argv", ["merge_bn.py", weights, merged_weights, model, merged_model])
    merge_bn.main()
    merged = caffe.Net(merged_model, caffe.TEST, weights=merged_weights)
    kept = [name for name in merged._layer_names if not name.endswith("_split")]
    assert kept == ["data", "c1", "c1/relu", "c2/dw", "c2/relu", "c3", "c3/bn", "sum"]
    picture = rng.normal(size=(2, 3, 8, 8))
    outputs = []
    for each in (net, merged):
        each.blobs["data"].data[...] = picture
        outputs.append(each.forward()["sum"].copy())
    np.testing.assert_allclose(outputs[1], outputs[0], atol=1e-4 * np.abs(outputs[0]).max())


@pytest.mark.usefixtures("scripts")
def test_the_lists_are_those_that_the_tools_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import create_list
    import make_data

    voc = tmp_path / "VOC2007"
    monkeypatch.setattr(sys, "argv", ["make_data.py", str(voc), "--train", "5", "--test", "3"])
    make_data.main()
    monkeypatch.setattr(sys, "argv", ["create_list.py", str(voc), str(tmp_path)])
    create_list.main()
    train, test = (
        (tmp_path / f"{name}.txt").read_text().splitlines() for name in ("trainval", "test")
    )
    assert len(train) == 5
    assert test[0] == "JPEGImages/000006.jpg Annotations/000006.xml"
    assert all((voc / path).is_file() for line in train + test for path in line.split())
    assert set((tmp_path / "classes.txt").read_text().split()) <= {
        "circle",
        "cross",
        "square",
        "triangle",
    }


@pytest.mark.usefixtures("scripts")
def test_boxes_that_one_net_alone_has_are_told() -> None:
    from compare import unmatched
    from detect import Detection

    some = [Detection(1, 0.9, (1.0, 2.0, 30.0, 40.0)), Detection(2, 0.5, (5.0, 5.0, 9.0, 9.0))]
    rounded = [Detection(1, 0.9001, (1.01, 2.0, 30.0, 40.0)), some[1]]
    assert unmatched(some, rounded) == []
    assert unmatched(some, [some[1]._replace(label=3), rounded[0]]) == [some[1]]


@pytest.mark.usefixtures("scripts")
def test_what_a_folder_lacks_is_told_in_one_line(tmp_path: Path) -> None:
    from create_list import classes, pairs

    with pytest.raises(SystemExit, match=r"trainval\.txt is missing; needed: a list of pictures"):
        pairs(tmp_path, "trainval")
    lists = tmp_path / "ImageSets" / "Main"
    lists.mkdir(parents=True)
    (lists / "trainval.txt").write_text("\n")
    with pytest.raises(SystemExit, match=r"trainval\.txt names no picture"):
        pairs(tmp_path, "trainval")
    (lists / "trainval.txt").write_text("1\n")
    lines = pairs(tmp_path, "trainval")
    with pytest.raises(SystemExit, match=r"1\.xml is missing"):
        classes(tmp_path, lines)
    (tmp_path / "Annotations").mkdir()
    for text, told in (
        ("<annotation><object>", r"1\.xml is damaged: no element found: line 1"),
        ("<annotation></annotation>", "name no object"),
    ):
        (tmp_path / "Annotations" / "1.xml").write_text(text)
        with pytest.raises(SystemExit, match=told):
            classes(tmp_path, lines)
