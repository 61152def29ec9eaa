"""What notebooks show: names are escaped, pictures are where values are pictures."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser

import caffe
import cv2
import numpy as np
import pytest
import torch
from caffe import layers as L

from caffepy.engine.blob import Blob as EngineBlob
from caffepy.pycaffe import repr_html
from caffepy.pycaffe.blob import Blob
from tests.pycaffe.nets import DEPLOY, SOLVER, TRAINED, ToFile
from tests.pycaffe.test_repr_text import chain

BAD = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
CLOSED = ("p", "b", "div", "table", "tr", "td", "th")


class Tags(HTMLParser):
    """The tags of a text, which have to be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag in CLOSED:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def picture(html: str, kind: str = "png") -> bytes:
    """The content of the one picture in it."""
    (found,) = re.findall(rf"data:image/{kind}[^,]*;base64,([^\"]+)", html)
    return base64.b64decode(found)


def pixels(values: np.ndarray) -> np.ndarray:
    html = Blob(EngineBlob(torch.from_numpy(np.float32(values))))._repr_html_()
    return np.asarray(cv2.imdecode(np.frombuffer(picture(html), np.uint8), cv2.IMREAD_COLOR))


def test_a_net(to_file: ToFile) -> None:
    html = caffe.Net(to_file(DEPLOY), caffe.TEST)._repr_html_()
    assert Tags(html).seen.count("tr") == 7
    svg = picture(html, r"svg\+xml").decode()
    assert all(f">{name}<" in svg for name in ("conv", "pool", "prob"))
    assert "conv 2x4x4x4</td>" in html
    assert ">6.91 k<" in html  # multiply-adds of conv, twice


def test_names_are_escaped(to_file: ToFile) -> None:
    spec = caffe.NetSpec()
    spec[BAD] = L.Input(shape={"dim": [1, 3, 4, 4]})
    spec.ip = L.InnerProduct(spec[BAD], num_output=2)
    net = caffe.Net(to_file(str(spec.to_proto())), caffe.TEST)
    shown = [net, spec, net.layers[0], net.layers[1], net.blobs[BAD]]
    for thing in shown:
        html = thing._repr_html_()
        assert "script" not in Tags(html).seen
        assert "onerror" not in re.sub(r"&lt;.*?&gt;", "", html)
    assert "<script" not in picture(net._repr_html_(), r"svg\+xml").decode()


def test_images_and_filters() -> None:
    blue, red = np.zeros((2, 3, 4, 4))
    blue[0], red[2] = 1, 1
    found = pixels(np.stack([blue, red]))
    assert found[0, 0].tolist() == [255, 0, 0]
    assert found[0, 5].tolist() == [0, 0, 255]
    assert pixels(np.eye(6).reshape(1, 1, 6, 6))[0, 0].tolist() == [255] * 3


def test_feature_maps() -> None:
    maps = np.zeros((2, 5, 3, 3))
    maps[0, 1, 1, 1] = np.nan
    maps[0, 1, 0, 0] = 7
    assert pixels(maps)[0, 4].tolist() == [255] * 3


@pytest.mark.parametrize("shape", [(), (0,), (2, 3), (0, 3, 4, 4), (2, 0, 4, 4), (2, 3, 0, 4), (1, 8, 1, 1), (1, 2, 3, 4, 5)])
def test_no_picture(shape: tuple[int, ...]) -> None:
    html = Blob(EngineBlob(torch.zeros(shape)))._repr_html_()
    assert "<img" not in html
    assert Tags(html).seen[:2] == ["p", "b"]


def test_a_large_image_is_made_smaller() -> None:
    assert max(pixels(np.random.default_rng(1).random((1, 3, 3000, 20))).shape) <= repr_html.LARGEST_PX + 1


def test_nothing_finite() -> None:
    assert pixels(np.full((1, 3, 4, 4), np.nan)).max() <= 60  # the gap beside it is gray


def test_a_long_net(to_file: ToFile) -> None:
    spec = chain(1000)
    for shown in (spec, caffe.Net(to_file(str(spec.to_proto())), caffe.TEST)):
        html = shown._repr_html_()
        assert "<img" not in html
        assert "… 940 more …" in html
        assert len(html) < 30_000


def test_a_net_that_is_not_whole_yet() -> None:
    spec = caffe.NetSpec()
    spec.data = L.Convolution(num_outptu=3)
    html = spec._repr_html_()
    assert "no net yet: Convolution: num_outptu: there is no such field" in html
    assert "num_outptu=3" in html


def test_solvers(to_file: ToFile) -> None:
    solver = caffe.get_solver(to_file(SOLVER.format(net=to_file(TRAINED), folder="<b>"), "solver.prototxt"))
    html = solver._repr_html_()
    assert "0 of 20" in html
    assert "&lt;b&gt;/model" in html
    assert "<b>/model" not in html


def test_what_was_never_built() -> None:
    for cls in (caffe.Net, caffe.SGDSolver):
        assert "was not built" in cls.__new__(cls)._repr_html_()
