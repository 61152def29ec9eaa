"""The commands and the Python of the pages under docs run as they stand there, and each message that a page explains is one of ours.

A block marked ``sh`` is run, line by line, in a folder with a small net, its data and its snapshots; so are those marked ``python``,
all of a page as one script.
A block without a mark shows what cannot be run here: several ranks, a GPU, a log.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import runpy
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.cli.main import run

ROOT = Path(__file__).parents[2]
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

NET = """
name: "small"
layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN }
  data_param { source: "train_lmdb" backend: LMDB batch_size: 4 } transform_param { scale: 0.00390625 } }
layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TEST }
  data_param { source: "train_lmdb" backend: LMDB batch_size: 4 } transform_param { scale: 0.00390625 } }
layer { name: "ip1" type: "InnerProduct" bottom: "data" top: "ip1" inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "accuracy" type: "Accuracy" bottom: "ip1" bottom: "label" top: "accuracy" include { phase: TEST } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip1" bottom: "label" top: "loss" }
"""
DEPLOY = """
name: "small"
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 12 dim: 12 } } }
layer { name: "ip1" type: "InnerProduct" bottom: "data" top: "ip1" inner_product_param { num_output: 2 } }
layer { name: "prob" type: "Softmax" bottom: "ip1" top: "prob" }
"""
SOLVER = """
net: "train_val.prototxt" test_iter: 2 test_interval: 10 base_lr: 0.1 lr_policy: "fixed" momentum: 0.9 display: 5 max_iter: 20
snapshot: 10 snapshot_prefix: "net" random_seed: 1
"""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the pages take for granted: solver, nets, data, snapshots, a log."""
    folder = tmp_path_factory.mktemp("prepared")
    for name, text in (("train_val", NET), ("deploy", DEPLOY), ("solver", SOLVER)):
        (folder / f"{name}.prototxt").write_text(text)
    (folder / "images").mkdir()
    for i in range(8):
        cv2.imwrite(str(folder / f"images/{i}.png"), np.full((12, 12, 3), 200 * (i % 2) + i, np.uint8))
        (folder / f"images/{i}.txt").write_text(f"{i % 2 + 1} 2 2 8 9\n")
    (folder / "list.txt").write_text("".join(f"{i}.png {i % 2}\n" for i in range(8)))
    (folder / "boxes.txt").write_text("".join(f"{i}.png {i}.txt\n" for i in range(8)))
    (folder / "classes.txt").write_text("dark 1 dark\nbright 2 bright\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("caffepy", ["convert_imageset", "images/", "list.txt", "train_lmdb"]) == 0
        with open("training.log", "w") as log, contextlib.redirect_stderr(log):
            assert run("caffepy", ["train", "-solver", "solver.prototxt"]) == 0
    return folder


@pytest.fixture
def folder(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it as the working folder, with the scripts of the repository where a page names them."""
    copy = tmp_path / "work"
    shutil.copytree(prepared, copy)
    (copy / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(copy)
    return copy


def blocks(page: str, language: str) -> list[str]:
    return [text for mark, text in BLOCK.findall(PAGES[page]) if mark == language]


def lines(page: str) -> list[str]:
    return [line for text in blocks(page, "sh") for line in text.splitlines() if line]


@pytest.mark.parametrize("page", [page for page in PAGES if lines(page)])
def test_commands(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for line in lines(page):
        command = line.partition(" 2>&1 | tee")[0]
        words = shlex.split(command, comments=True)
        if words[0] == "caffepy":
            assert run("caffepy", words[1:]) == 0, line
        else:
            assert words[0] == "python", f"{line}: give the block no mark, or teach this test to run it"
            monkeypatch.syspath_prepend(str(Path(words[1]).parent.resolve()))
            runpy.run_path(words[1], run_name="__main__")


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_python(page: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = "\n".join(blocks(page, "python"))
    exec(compile(script, page, "exec"), {"__name__": "__main__"})
    assert len(capsys.readouterr().out.splitlines()) == script.count("print(")


def test_commands_that_cannot_run_here_are_known() -> None:
    """Those without a mark are at least commands that there are."""
    from caffepy.cli.commands import COMMANDS

    named = {word for page in PAGES for text in blocks(page, "") for word in re.findall(r"caffepy (\w+)", text)}
    assert named - set(COMMANDS) == set()


def literals() -> str:
    """All text of the package's messages, what is filled in left out."""

    def text(node: ast.AST) -> str:
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else ""
        if isinstance(node, ast.JoinedStr):
            return "\0".join(text(part) for part in node.values)
        return ""

    found = []
    for path in (ROOT / "caffepy").rglob("*.py"):
        found += [text(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    return re.sub("\0+", "\0", "\n".join(found))


def test_messages_are_ours(root: Path) -> None:
    """The fixed words of each message that the page of troubles explains stand in the code."""
    ours = literals()
    quoted = re.findall(r"^\| `([^`]+)` \|", PAGES["troubleshooting.md"], re.MULTILINE)
    assert len(quoted) > 60
    parts = [(message, part.strip()) for message in quoted for part in message.split("…") if part.strip()]
    assert [f"{part} (of: {message})" for message, part in parts if part not in ours] == []


def test_the_picture_names_the_rooms(root: Path) -> None:
    tomllib: Callable[[str], dict[str, object]] = pytest.importorskip("tomllib").loads
    contracts = tomllib((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    levels = [
        [name for name in sorted(re.findall(r"\w+", level)) if (root / "caffepy" / name).is_dir()] for level in contracts[0]["layers"]
    ][::-1]
    picture = re.findall(r'<text class="room"[^>]*>(\w+)</text>', (root / "docs/architecture.svg").read_text(encoding="utf-8"))
    assert picture == re.findall(r"^\d+\. `(\w+)`", PAGES["architecture.md"], re.MULTILINE)
    for level in filter(None, levels):
        assert sorted(picture[: len(level)]) == level
        del picture[: len(level)]
    assert picture == []


def test_every_page_is_in_the_menu(root: Path) -> None:
    menu = (root / "mkdocs.yml").read_text(encoding="utf-8")
    assert sorted(re.findall(r": (\w+\.md)$", menu, re.MULTILINE)) == sorted(PAGES)


def test_the_site_is_built(root: Path, tmp_path: Path) -> None:
    """Strictly: links lead to pages and headings."""
    pytest.importorskip("mkdocs", reason="mkdocs comes with the extra 'docs'")
    import subprocess

    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [str(root / "tools/dev/docs"), "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site/troubleshooting.html").is_file()
