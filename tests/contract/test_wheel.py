"""The wheel, installed alone in an environment of its own: what it holds, and that the commands of the README work outside a checkout.

The packages that caffepy needs are those of the environment that runs the tests.
"""

from __future__ import annotations

import json
import os
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE", "caffepy")
COMMANDS = re.findall(r"^\| `(\w+)` \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)

NET = """
name: "small"
layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "train_lmdb" backend: LMDB batch_size: 2 } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "accuracy" type: "Accuracy" bottom: "ip" bottom: "label" top: "accuracy" include { phase: TEST } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"""
SOLVER = 'net: "net.prototxt" base_lr: 0.001 lr_policy: "fixed" max_iter: 2 display: 1 test_iter: 1 test_interval: 1 snapshot_prefix: "n"'

RUNS = """
import contextlib, io, json, sys
import cv2, numpy as np
from caffepy.cli.main import run
from importlib.metadata import version

with open("list.txt", "w") as list_file:
    for i in range(4):
        cv2.imwrite(f"{i}.png", np.full((4, 4, 3), 60 * i, np.uint8))
        list_file.write(f"{i}.png {i % 2}\\n")


def said(*words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run("caffepy", words)
    return code, out.getvalue() + err.getvalue()


codes = {}
for command in json.loads(sys.argv[1]):
    codes[command] = said(command, "--help")[0]
code, log = said("convert_imageset", "./", "list.txt", "train_lmdb")
codes["convert"] = code
codes["mean"] = said("compute_image_mean", "train_lmdb", "mean.binaryproto")[0]
code, log = said("train", "-solver", "solver.prototxt")
with open("training.log", "w") as file:
    file.write(log)
codes["trained"] = code
codes["tested"] = said("test", "-model", "net.prototxt", "-weights", "n_iter_2.caffemodel", "-iterations", "1")[0]
codes["summed up"] = said("summary", "net.prototxt")[0]
codes["drawn"] = said("draw_net", "net.prototxt", "net.png")[0]
codes["safetensors"] = said("export", "net.prototxt", "-weights", "n_iter_2.caffemodel", "-safetensors", "n.safetensors")[0]
lacking = {}
hidden = {"plot": "matplotlib", "export": "onnx"}
words = {"plot": ["training.log"], "export": ["net.prototxt", "-weights", "n_iter_2.caffemodel", "-onnx", "n.onnx"]}
for command, module in hidden.items():
    here = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == module}
    sys.modules[module] = None
    lacking[command] = said(command, *words[command])[1].splitlines()[-1]
    del sys.modules[module]
    for name in [name for name in sys.modules if name.startswith("caffepy.onnx")]:
        del sys.modules[name]
    sys.modules.update(here)
codes["plotted"] = said("plot", "training.log")[0]
import caffe, caffepy
print(json.dumps({"codes": codes, "lacking": lacking, "files": [caffe.__file__, caffepy.__file__], "version": version("caffepy")}))
"""


def environ() -> dict[str, str]:
    """Without the checkout on Python's path."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return {**kept, "OMP_NUM_THREADS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def done(*words: str | Path, folder: Path) -> str:
    """The output of a program that has to end well."""
    found = subprocess.run(words, cwd=folder, env=environ(), capture_output=True, text=True, timeout=100, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy: setuptools writes beside what it builds from."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "-w", built, source]
    done(*pip, folder=built)
    (file,) = built.iterdir()
    return file


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` of an environment with the wheel; what it needs is found in the environment of the tests, whose caffepy is not."""
    place = tmp_path_factory.mktemp("environment")
    done(sys.executable, "-m", "venv", "--without-pip", place, folder=place)
    python = place / "bin" / "python"
    pip = [sys.executable, "-m", "pip", f"--python={python}", "install", "--quiet", "--no-deps", "--no-index", "--no-compile", wheel]
    done(*pip, folder=place)
    library = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    # a folder that is named in a .pth file is searched, and the .pth files in it are not read: among them is that of the editable caffepy
    (library / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.parent


def test_it_holds_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        held = {name for name in file.namelist() if ".dist-info/" not in name}
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "caffepy").rglob("*") if is_shipped(path)}
    assert held == {name.removeprefix("caffepy/pycaffe/shim/") for name in files}


def is_shipped(path: Path) -> bool:
    """No folder, and neither a tool's settings nor what a tool has left behind."""
    left = any(part == "__pycache__" or part.startswith(".") for part in path.relative_to(ROOT).parts)
    return path.is_file() and path.name != "ruff.toml" and not left


def test_commands_of_the_readme(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    found = json.loads(done(installed / "python", "-c", RUNS, json.dumps(COMMANDS), folder=tmp_path).splitlines()[-1])
    assert len(COMMANDS) > 25
    assert {name: code for name, code in found["codes"].items() if code} == {}
    assert [Path(name).is_relative_to(installed.parent) for name in found["files"]] == [True, True]
    for command, extra in {"plot": "tools", "export": "onnx"}.items():
        assert found["lacking"][command].endswith(f"is not installed: pip install 'caffepy[{extra}]'")
        assert "tools/dev" not in found["lacking"][command]
    assert (tmp_path / "training.png").exists()


def test_programs_under_caffes_names(installed: Path, tmp_path: Path) -> None:
    assert done(installed / "caffe", "--version", folder=tmp_path).startswith("caffe version 1.0.0 ")
    assert done(installed / "caffepy", "version", folder=tmp_path).splitlines()[-1].startswith("`import caffe` gives caffepy: ")


def test_compiled_files_alone_or_in_a_zip_file_are_one_error(tmp_path: Path) -> None:
    (tmp_path / "bare" / "caffepy").mkdir(parents=True)
    py_compile.compile(str(ROOT / "caffepy/__init__.py"), cfile=str(tmp_path / "bare/caffepy/__init__.pyc"))
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as file:
        file.write(ROOT / "caffepy/__init__.py", "caffepy/__init__.py")
    for place in ("bare", "packed.zip"):
        program = f"import sys; sys.path.insert(0, {place!r}); import caffepy"
        found = subprocess.run(
            [sys.executable, "-S", "-c", program], cwd=tmp_path, env=environ(), capture_output=True, text=True, check=False
        )
        assert re.search(r"ImportError: caffepy is installed as \S+; needed: its \.py files in a folder, since", found.stderr)
