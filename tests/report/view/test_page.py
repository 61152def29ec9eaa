"""The page as a file: whole, with nothing from elsewhere, and no name of a net as HTML."""

from __future__ import annotations

import base64
import hashlib
import math
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from caffepy.errors import DataError
from caffepy.report.view.net_data import net_data
from caffepy.report.view.page import SCRIPTS, asset, page, write_page
from tests.report.view.nets import ATTACK, EVIL, NET, OTHER_EVIL, data_in, graph_of


class Elements(HTMLParser):
    """What a browser finds in a page: elements with their attributes, scripts with their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data


@pytest.fixture
def net(tmp_path: Path) -> Any:
    return net_data(graph_of(NET, tmp_path))


def test_nothing_comes_from_elsewhere(net: Any) -> None:
    elements = Elements(page({"title": "small", "net": net}))
    assert [(tag, name) for tag, given in elements.found for name in given if name in ("src", "href", "action", "data")] == []
    text = page({"title": "small", "net": net})
    assert set(re.findall(r"\w+://[^\s\"'`]*", text)) == {"http://www.w3.org/2000/svg"}  # the name of a kind of elements
    assert "import(" not in text
    assert "url(" not in text


def test_the_policy_lets_only_this_script_run(net: Any) -> None:
    for live in (False, True):
        elements = Elements(page({"title": "small", "net": net}, live=live))
        policy = next(given["content"] or "" for tag, given in elements.found if given.get("http-equiv") == "Content-Security-Policy")
        digest = base64.b64encode(hashlib.sha256(elements.scripts[1].encode()).digest()).decode()
        assert f"script-src 'sha256-{digest}';" in policy
        assert policy.startswith("default-src 'none'; ")
        assert ("connect-src 'self'" in policy) == live


def test_names_are_no_html(tmp_path: Path) -> None:
    net = net_data(graph_of(ATTACK, tmp_path))
    text = page({"title": EVIL, "net": net})
    elements = Elements(text)
    assert [tag for tag, _ in elements.found].count("script") == len(elements.scripts) == 2
    assert "img" not in {tag for tag, _ in elements.found}
    assert elements.scripts[1] == Elements(page({"title": "x", "net": net})).scripts[1]
    data = data_in(text)
    assert data["title"] == EVIL
    assert [layer["name"] for layer in data["net"]["layers"]] == [OTHER_EVIL, EVIL, "constructor"]


def test_every_part_is_used(root: Path) -> None:
    used = {*SCRIPTS, "page.html", "style.css"}
    assert {path.name for path in (root / "caffepy/report/view/assets").iterdir()} == used
    ids = set(re.findall(r'byId\("([\w-]+)"\)', "".join(asset(name) for name in SCRIPTS)))
    assert ids - set(re.findall(r'id="([\w-]+)"', asset("page.html"))) == set()


def test_texts_are_never_set_as_html() -> None:
    script = "".join(asset(name) for name in SCRIPTS)
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", script) == []


def test_the_script_is_javascript(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node, which reads scripts without running them, is not installed")
    (tmp_path / "a.js").write_text(Elements(page({"title": ""})).scripts[1], encoding="utf-8")
    done = subprocess.run([node, "--check", str(tmp_path / "a.js")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_what_is_no_number_is_null() -> None:
    data = {"title": "a", "scores": [("b", math.nan), ["c", -math.inf]], "loss": {"x": 1.5, "y": True}}
    assert data_in(page(data))["scores"] == [["b", None], ["c", None]]
    assert data_in(page(data))["loss"] == {"x": 1.5, "y": True}


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere"):
        write_page(str(tmp_path / "nowhere/a.html"), {"title": ""})
    assert write_page(str(tmp_path / "a.html"), {"title": ""}) == (tmp_path / "a.html").stat().st_size
