"""What a net makes of a picture or a record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from caffepy.cli.main import run
from caffepy.cli.net_options import NetChoice
from caffepy.data.sources.record_source import RecordSource
from caffepy.errors import DataError, NetError, UsageError
from caffepy.net.graph import Graph
from caffepy.report.view.build import Asked, net_page
from caffepy.report.view.page import page
from tests.report.view.nets import DEPLOY, NET, data_in, graph_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a picture."""
    monkeypatch.chdir(tmp_path)
    cv2.imwrite("a.png", np.arange(20 * 30 * 3, dtype=np.uint8).reshape(20, 30, 3))
    return tmp_path


@pytest.fixture
def with_data(folder: Path) -> Iterator[Graph]:
    """The net with six records of its data, of which the third is all 40, the fourth all 60."""
    Path("list.txt").write_text("".join(f"{i}.png {i}\n" for i in range(6)))
    for i in range(6):
        cv2.imwrite(f"{i}.png", np.full((12, 12, 3), 20 * i, np.uint8))
    assert run("caffepy", ["convert_imageset", "./", "list.txt", "nowhere"]) == 0
    Path("net.prototxt").write_text(NET)
    graph, _ = NetChoice("TEST", 0, "", ()).graph("net.prototxt", keep_open=True)
    yield graph
    for source in graph.sources.values():
        source.close()


def shown(graph: Graph, **asked: Any) -> Any:
    return net_page(graph, [], Asked(**asked))["activations"]


def test_a_picture_through_a_deploy_net(folder: Path) -> None:
    """Its batch of two becomes one."""
    found = shown(graph_of(DEPLOY, folder), image="a.png")
    (output,) = found["classes"]
    assert (output["blob"], output["how"], len(output["best"])) == ("prob", "probability", 5)
    scores = [score for _, score in output["best"]]
    assert scores == sorted(scores, reverse=True)
    assert 0 < sum(scores) <= 1.0001
    assert found["picture"].startswith("data:image/png;base64,")
    assert found["notes"] == ["pixels from 0 to 255: no -mean or -scale is given, and the net has none"]


def test_feature_maps(folder: Path) -> None:
    graph = graph_of(DEPLOY, folder)
    data = net_page(graph, [], Asked(image="a.png"))
    tops = {layer["name"]: known.get("tops") for layer, known in zip(data["layers"], data["activations"]["layers"], strict=True)}
    assert tops["in"] is None
    # what relu1 then writes over is not kept, unless it is asked for
    assert ("maps" in tops["conv1"][0], "maps" in tops["relu1"][0]) == (False, True)
    assert tops["relu1"][0]["of"] == tops["relu1"][0]["maps"]["shown"] == 8
    assert tops["relu1"][0]["statistics"]["min"] == 0
    assert "maps" not in tops["ip"][0]
    named = shown(graph, image="a.png", layers=("conv1",))["layers"][1]["tops"][0]
    assert named["maps"]["shown"] == 8


def test_silent_channels(folder: Path) -> None:
    text = DEPLOY.replace('type: "xavier" } } }\nlayer { name: "relu1"', 'type: "constant" value: -1 } } }\nlayer { name: "relu1"')
    relu = shown(graph_of(text, folder), image="a.png")["layers"][2]["tops"][0]
    assert relu["silent"] == list(range(8))


def test_a_picture_through_a_train_val_net(folder: Path) -> None:
    """Without its data: prepared as its data layer does it, and with the loss's softmax."""
    found = shown(graph_of(NET, folder), image="a.png")
    assert found["notes"] == ["mean 10 subtracted, as layer 'data' does", "scaled by 0.5, as layer 'data' does"]
    (output,) = found["classes"]
    assert (output["blob"], output["how"]) == ("ip", "probability")
    other = shown(graph_of(NET, folder), image="a.png", mean="1,2,3", scale=2.0)
    assert other["notes"] == []


def test_a_record(with_data: Graph) -> None:
    found = shown(with_data, record=5)
    assert (found["title"], found["notes"]) == ("record 5 of the net's data", ["label 5"])
    data = with_data.node("conv1")
    assert len(found["layers"][data.index]["tops"]) == 1


def test_records_beyond_the_first_batch_are_read(with_data: Graph) -> None:
    """A batch has 4 records, the data 6."""
    assert shown(with_data, record=4)["notes"] == ["label 4"]


@pytest.mark.parametrize("number", [6, 2_000_000_000])
def test_records_beyond_the_last_are_refused(with_data: Graph, number: int) -> None:
    with pytest.raises(UsageError, match=f"^-record {number}: the data of layer 'data' have 6 records; needed: 0 to 5$"):
        shown(with_data, record=number)


def test_records_of_unknown_number_are_not_sought_for_ever(with_data: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """HDF5 files and windows are read from the first on."""
    monkeypatch.setattr(RecordSource, "records", 0)
    with pytest.raises(UsageError, match=r"^-record 2000000000: layer 'data' \(Data\) reads all .*; needed: 0 to 1000000$"):
        shown(with_data, record=2_000_000_000)


def test_labels(folder: Path) -> None:
    Path("labels.txt").write_text("cat\ndog\n")
    best = shown(graph_of(DEPLOY, folder), image="a.png", labels="labels.txt")["classes"][0]["best"]
    names = {name for name, _ in best}
    assert names <= {"cat", "dog", "class 2", "class 3", "class 4", "class 5"}
    assert len(names) == 5


def test_probabilities_come_before_other_outputs(folder: Path) -> None:
    """As of a net that finds faces: whether it is one, and where."""
    text = DEPLOY + 'layer { name: "box" type: "InnerProduct" bottom: "pool" top: "box" inner_product_param { num_output: 4 } }\n'
    found = shown(graph_of(text, folder), image="a.png")["classes"]
    assert [(output["blob"], output["how"]) for output in found] == [("prob", "probability"), ("box", "score")]
    assert {name.split()[0] for name, _ in found[1]["best"]} == {"value"}


def test_a_net_with_one_batch_only(folder: Path) -> None:
    """Its Reshape names the batch."""
    text = DEPLOY.replace(
        'layer { name: "prob"',
        'layer { name: "r" type: "Reshape" bottom: "ip" top: "r" reshape_param { shape { dim: 2 dim: 6 dim: 1 } } }\nlayer { name: "prob"',
    ).replace('type: "Softmax" bottom: "ip"', 'type: "Softmax" bottom: "r"')
    found = shown(graph_of(text, folder), image="a.png")
    assert [output["blob"] for output in found["classes"]] == ["prob"]


TWO = 'layer { name: "in" type: "Input" top: "a" top: "b" input_param { shape { dim: 1 dim: 3 dim: 4 dim: 4 } } }\n'
TWO += 'layer { name: "sum" type: "Eltwise" bottom: "a" bottom: "b" top: "sum" }\n'


@pytest.mark.parametrize(
    ("text", "asked", "error", "message"),
    [
        (DEPLOY, {"image": "none.png"}, DataError, "Unable to decode image none.png: No such file"),
        (DEPLOY, {"image": "net.prototxt"}, DataError, "Unable to decode image net.prototxt: it is no image"),
        (DEPLOY, {"image": "a.png", "mean": "1,2"}, UsageError, "-mean has 2 values; needed: one, or 3"),
        (DEPLOY, {"image": "a.png", "mean": "none.binaryproto"}, DataError, "none.binaryproto"),
        (DEPLOY, {"image": "a.png", "layers": ("conv9",)}, NetError, "-layer conv9: the net has no such layer; nearest: 'conv1'"),
        (DEPLOY, {"image": "a.png", "labels": "none.txt"}, DataError, "Unable to open labels file none.txt: No such file"),
        (DEPLOY, {"record": 1}, NetError, "-record: the input 'data' comes from no data layer"),
        (DEPLOY, {"record": -1}, UsageError, "-record -1: needed: 0 or more"),
        (NET, {"record": 1}, DataError, "-record: layer 'data' has no data here"),
        (TWO, {"image": "a.png"}, NetError, "-image: the net has the inputs 'a' (1 x 3 x 4 x 4), 'b' (1 x 3 x 4 x 4); needed: one input"),
    ],
)
def test_refused(text: str, asked: dict[str, Any], error: type[Exception], message: str, folder: Path) -> None:
    with pytest.raises(error, match=message.replace("(", r"\(").replace(")", r"\)")):
        shown(graph_of(text, folder), **asked)


def test_weights_that_became_nan(folder: Path) -> None:
    text = DEPLOY.replace('type: "xavier"', 'type: "constant" value: nan')
    graph = graph_of(text, folder)
    data = net_page(graph, [], Asked(image="a.png"))
    best = data_in(page({"title": "", "net": data}))["net"]["activations"]["classes"][0]["best"]
    assert [score for _, score in best] == [None] * 5


@pytest.mark.parametrize("mean", ["nan", "1,2,inf", "1e400"])
def test_a_mean_that_is_no_number(mean: str, folder: Path) -> None:
    with pytest.raises(UsageError, match=f"-mean {mean}: needed: finite numbers such as 104,117,123"):
        shown(graph_of(DEPLOY, folder), image="a.png", mean=mean)
