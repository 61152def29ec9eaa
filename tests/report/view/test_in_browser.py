"""The page in a headless Chromium: it opens without an error, search finds a layer, a click shows its shapes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caffepy.report.view.build import Asked, net_page
from caffepy.report.view.net_data import net_data
from caffepy.report.view.page import write_page
from caffepy.report.view.serve import Followed, server
from caffepy.report.view.training import training_data
from caffepy.report.view.weights import weights_data
from tests.report.logs import LOG
from tests.report.view.browser import Browser
from tests.report.view.nets import ATTACK, DEPLOY, EVIL, NET, OTHER_EVIL, graph_of


@pytest.fixture(scope="module")
def program() -> Iterator[Browser]:
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def browser(program: Browser) -> Iterator[Browser]:
    """The page of a test, in which nothing may go wrong."""
    program.errors.clear()
    yield program
    assert program.errors == []


def show(browser: Browser, folder: Path, data: dict[str, Any], part: str = "") -> None:
    write_page(str(folder / "page.html"), {"title": "a page", **data})
    browser.open((folder / "page.html").as_uri() + part)


def search(browser: Browser, text: str) -> None:
    browser.run("document.querySelector('#search').value = ''; document.querySelector('#search').focus()")
    browser.type(text)


def place_of(browser: Browser, data: dict[str, Any], layer: str) -> tuple[float, float]:
    """Where a layer's box is seen in the window, once all of a net is."""
    browser.run("document.querySelector('#whole').click()")
    browser.frame()
    size = browser.run("[document.querySelector('#graph').clientWidth, document.querySelector('#graph').clientHeight]")
    zoom = min(size[0] / (data["width"] + 48), size[1] / (data["height"] + 48), 1.5)
    index = next(i for i, known in enumerate(data["layers"]) if known["name"] == layer)
    box = next(box for box in data["boxes"] if index in box["layers"])
    left, top = browser.run("(({left, top}) => [left, top])(document.querySelector('#graph').getBoundingClientRect())")
    middle = (size[0] - data["width"] * zoom) / 2, (size[1] - data["height"] * zoom) / 2
    return left + middle[0] + box["x"] * zoom, top + middle[1] + box["y"] * zoom


def test_a_click_shows_a_layer(browser: Browser, tmp_path: Path) -> None:
    data = net_data(graph_of(NET, tmp_path))
    show(browser, tmp_path, {"net": data})
    assert "8 layers" in browser.text("#panel")
    browser.click(*place_of(browser, data, "relu1"))
    text = browser.text("#panel")
    for expected in (
        "conv1",
        "relu1",
        "4 x 3 x 12 x 12",
        "4 x 8 x 10 x 10",
        "8 x 3 x 3 x 3",
        "net.prototxt:5:1",
        "kernel_size: 3",
        "224 parameters",
    ):
        assert expected in text
    browser.click(10, 890 - 400)  # beside the net
    assert "8 layers" in browser.text("#panel")


def test_search_finds_layers(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, {"net": net_data(graph_of(NET, tmp_path))})
    search(browser, "convolution")
    assert browser.text("#hits").split() == ["Convolution", "conv1", "Convolution", "conv2"]
    search(browser, "ip\n")
    assert browser.text("#panel h2") == "ip"
    assert "4 x 6" in browser.text("#panel")
    search(browser, "loss\n")  # not the first that has it in its name or type
    assert browser.text("#panel h2") == "loss"
    search(browser, "nonsense")
    assert browser.text("#hits") == "nothing found"


def test_a_layer_that_the_address_names(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, {"net": net_data(graph_of(NET, tmp_path))}, "#layer=pool")
    assert browser.text("#panel h2") == "pool"


def test_dragging_and_turning_the_wheel(browser: Browser, tmp_path: Path) -> None:
    """The net moves; no layer is chosen by that."""
    data = net_data(graph_of(NET, tmp_path))
    show(browser, tmp_path, {"net": data})
    x, y = place_of(browser, data, "conv1")
    browser.drag((x, y), (x + 100, y + 50))
    assert "8 layers" in browser.text("#panel")
    browser.click(x + 100, y + 50)
    assert browser.text("#panel h2") == "conv1"
    browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=x + 100, y=y + 50, deltaX=0, deltaY=-400)
    browser.frame()
    browser.click(x + 100, y + 50)  # the point under the pointer stays
    assert browser.text("#panel h2") == "conv1"


def test_names_run_no_script(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, {"title": EVIL, "net": net_data(graph_of(ATTACK, tmp_path))})
    assert browser.run("document.title") == EVIL
    search(browser, "constructor\n")
    assert browser.text("#panel h2") == "constructor"
    search(browser, "alert(2)\n")
    assert browser.run("document.querySelector('#panel h2').textContent") == OTHER_EVIL
    assert browser.run("document.scripts.length + document.images.length") == 2


def test_weights_and_feature_maps(browser: Browser, tmp_path: Path) -> None:
    import cv2

    cv2.imwrite(str(tmp_path / "a.png"), np.arange(12 * 12 * 3, dtype=np.uint8).reshape(12, 12, 3))
    graph = graph_of(DEPLOY, tmp_path)
    data = net_page(graph, [], Asked(image=str(tmp_path / "a.png")))
    arrays = {i: np.ones(param.shape, np.float32) for i, param in enumerate(graph.params)}
    arrays[0][[2, 3, 4, 6]] = 0
    data["weights"] = weights_data(graph, arrays)
    show(browser, tmp_path, {"net": data})
    text = browser.text("#panel")
    assert "Likeliest classes by prob" in text
    assert "conv1: 4 of 8" in text
    search(browser, "conv1\n")
    text = browser.text("#panel")
    assert "4 of 8 channels are dead, their weights all nearly zero: 2–4, 6" in text
    assert "What came out: conv1" in text
    # the filters, and what relu1 makes of the picture
    browser.wait("[...document.images].length === 2 && [...document.images].every((image) => image.complete && image.naturalWidth)")
    assert browser.run("document.querySelectorAll('.histogram').length") == 4


def test_curves(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LOG)
    (tmp_path / "b.log").write_text(LOG.replace("Iteration 10", "Iteration 30").replace("loss = 1e-07", "loss = nan"))
    show(browser, tmp_path, {"training": training_data({name: str(tmp_path / f"{name}.log") for name in "ab"})})
    heads = "[...document.querySelectorAll('.chart')].filter((chart) => !chart.hidden).map((chart) => chart.querySelector('h3').innerText)"
    assert browser.run(heads) == ["Loss", "Accuracy", "Learning rate", "Speed, iterations/s"]
    entries = "[...document.querySelectorAll('.chart')[0].querySelectorAll('label')]"
    names = browser.run(f"{entries}.map((label) => label.childNodes[2].textContent.trim())")
    assert names == [f"{run}: {curve}" for run in "ab" for curve in ("training loss", "test loss", "train loss")]
    assert browser.run(f"{entries}.map((label) => label.innerText)")[3] == "b: training loss not finite"
    assert "NaN or infinite in 1 of 3 lines, first at iteration 30" in browser.text("#warnings")
    drawn = "document.querySelectorAll('.chart')[1].querySelectorAll('.curve').length"
    assert browser.run(drawn) == 2
    browser.run("document.querySelectorAll('.chart')[1].querySelector('input').click()")
    assert browser.run(drawn) == 1
    # a stretch is chosen in one chart, and seen in all
    ticks = (
        "[...document.querySelectorAll('.chart')[1].querySelectorAll('text[text-anchor=middle]')].map((text) => Number(text.textContent))"
    )
    assert max(browser.run(ticks)) > 20
    left, top = browser.run("(({left, top}) => [left, top])(document.querySelector('.chart > svg').getBoundingClientRect())")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=left + 60, y=top + 100)
    assert browser.run(f"{entries}.map((label) => label.innerText)")[3] == "b: training loss 2.5"  # where the pointer is
    left, top, wide = browser.run(
        "(({left, top, width}) => [left, top, width])(document.querySelector('.chart > svg').getBoundingClientRect())"
    )
    browser.drag((left + 80, top + 100), (left + wide / 3, top + 100))
    assert max(browser.run(ticks)) <= 12
    browser.run("document.querySelector('#by-time').click()")
    assert "50 s" in browser.run("document.querySelector('.chart > svg').textContent")


def test_a_training_that_goes_on(browser: Browser, tmp_path: Path) -> None:
    """The page brings itself up to date, and keeps its numbers when the server has gone."""
    log = tmp_path / "a.log"
    log.write_text("I1129 18:00:00.000000 7 caffe.cpp:197] Use CPU.\n")
    with server({"title": "a"}, Followed({"a": str(log)}), 0) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        browser.open(running.address)
        log.write_text(LOG)
        browser.wait("document.querySelector('#words').innerText.includes('1e-7')", 60)
        running.shutdown()
        thread.join()
    browser.wait("document.querySelector('#state').innerText.startsWith('the server has ended')", 60)
    assert browser.run("document.querySelectorAll('.curve').length") > 3
    browser.call("Page.navigate", url="about:blank")  # it would go on asking
    browser.frame()
    browser.errors[:] = [error for error in browser.errors if "ERR_CONNECTION_REFUSED" not in error]


def test_a_large_net_is_shown_whole(browser: Browser, tmp_path: Path) -> None:
    """A thousand layers: the last is found, and shown in sight."""
    text = 'layer { name: "x0" type: "Input" top: "x0" input_param { shape { dim: 1 dim: 4 } } }\n'
    text += "".join(f'layer {{ name: "x{i}" type: "Power" bottom: "x{i - 1}" top: "x{i}" }}\n' for i in range(1, 1000))
    show(browser, tmp_path, {"net": net_data(graph_of(text, tmp_path))})
    search(browser, "x999\n")
    assert browser.text("#panel h2") == "x999"
    pixels = "[...document.querySelector('#graph').getContext('2d').getImageData(0, 0, 800, 800).data].some((value) => value)"
    assert browser.run(pixels) is True
