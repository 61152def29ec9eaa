"""debug_info's log lines: every top, every diff, every parameter, and the norms of all."""

from __future__ import annotations

import re

import pytest

from caffepy import log
from caffepy.engine import debug_info
from tests.engine.build import built, feed, feeds
from tests.engine.nets import IMAGE

NET = f"""{IMAGE}
layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a" param {{ name: "w" }}
        inner_product_param {{ num_output: 3 weight_filler {{ type: "constant" value: -0.5 }} }} }}
layer {{ name: "r" type: "ReLU" bottom: "a" top: "a" relu_param {{ negative_slope: 0.5 }} }}
layer {{ name: "sum" type: "Reduction" bottom: "a" top: "sum" loss_weight: 1 }}
"""


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> object:
    """A function that runs passes and returns their log lines without time and process."""
    monkeypatch.setattr(log.sink, "min_level", log.INFO)

    def run(backward: bool, net: str = NET, *, heeded: bool = False) -> list[str]:
        engine = feed(built(net).layerwise, feeds())
        for blob in (engine.blobs["data"], engine.blobs["label"]):
            blob.data.fill_(1)
        capsys.readouterr()
        if heeded:
            debug_info.heed(engine)
            engine.forward()
            engine.backward()
        else:
            (debug_info.forward_backward if backward else debug_info.forward)(engine)
        return [re.sub(r"^[IE]\d{4} [\d:.]+ +\d+ ", "", line) for line in capsys.readouterr().err.splitlines()]

    return run


FORWARD = [
    "net.cpp:593]     [Forward] Layer in, top blob data data: 1",
    "net.cpp:593]     [Forward] Layer in, top blob label data: 1",
    "net.cpp:593]     [Forward] Layer a, top blob a data: 121.5",
    "net.cpp:605]     [Forward] Layer a, param blob w data: 0.5",
    "net.cpp:605]     [Forward] Layer a, param blob 1 data: 0",
    "net.cpp:593]     [Forward] Layer r, top blob a data: 60.75",
    "net.cpp:593]     [Forward] Layer sum, top blob sum data: 729",
]
BACKWARD = [
    "net.cpp:621]     [Backward] Layer sum, bottom blob a diff: 1",
    "net.cpp:621]     [Backward] Layer r, bottom blob a diff: 0.5",
    "net.cpp:632]     [Backward] Layer a, param blob 0 diff: 2",
    "net.cpp:632]     [Backward] Layer a, param blob 1 diff: 2",
    "net.cpp:721]     [Backward] All net params (data, diff): L1 norm = (364.5, 1464); L2 norm = (13.5, 54.111)",
]


def test_forward(lines: object) -> None:
    assert lines(False) == FORWARD


def test_forward_backward(lines: object) -> None:
    found = lines(True)
    assert found[: len(FORWARD)] == FORWARD
    assert found[len(FORWARD) :] == BACKWARD


def test_statistics_are_shown_though_nothing_learns_them(lines: object) -> None:
    net = NET.replace('type: "ReLU"', 'type: "BatchNorm"').replace("relu_param { negative_slope: 0.5 }", "%s")
    shown = [f"net.cpp:632]     [Backward] Layer r, param blob {slot} diff: 0" for slot in range(3)]
    assert [line for line in lines(True, net % "") if "Layer r, param" in line and "Backward" in line] == shown
    still = "param { lr_mult: 0 } " * 2
    assert [line for line in lines(True, net % still) if "Layer r, param" in line and "Backward" in line] == shown[2:]


def test_a_net_that_asks_for_it_is_heeded_in_every_pass(lines: object) -> None:
    assert lines(True, NET, heeded=True) == []
    assert lines(True, f"debug_info: true {NET}", heeded=True) == FORWARD + BACKWARD[:-1]
