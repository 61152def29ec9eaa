"""A package that is missing is told with the command that installs it, as pyproject.toml has it."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from caffepy import extras

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("matplotlib.figure", "pip install 'caffepy[tools]'"),
        ("mpi4py", "pip install 'caffepy[mpi]'"),
        ("mpich", "pip install 'caffepy[mpich]'"),
        ("onnxruntime", "pip install 'caffepy[onnx]'"),
        ("cv2", "pip install opencv-python-headless"),
        ("google.protobuf", "pip install protobuf"),
        ("torch", "pip install torch"),
    ],
)
def test_the_command_that_installs_it(module: str, command: str) -> None:
    name = module.partition(".")[0]
    line = extras.why_not_imported(ModuleNotFoundError(f"No module named {module!r}", name=module))
    assert line == f"the Python package '{name}' is not installed: {command}"


def test_a_package_that_caffepy_does_not_ask_for() -> None:
    assert extras.why_not_imported(ModuleNotFoundError(name="pandas")) == "the Python package 'pandas' is not installed"


def test_a_package_that_is_broken() -> None:
    error = ImportError("libfoo.so: cannot open\nshared object", name="onnxruntime")
    assert extras.why_not_imported(error) == "the Python package 'onnxruntime' cannot be loaded: libfoo.so: cannot open shared object"


def test_without_installation_the_package_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "requires", refused)
    assert extras.command_for("matplotlib") == "pip install matplotlib"


def test_markers_of_systems_are_no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["plyvel>=1.5; python_version < '3.12' and sys_platform == 'linux'", "mpich>=4.3; sys_platform != 'win32' and extra == 'mpich'"]
    monkeypatch.setattr(extras, "requires", lambda name: lines)
    assert extras.command_for("plyvel") == "pip install plyvel"
    assert extras.command_for("mpich") == "pip install 'caffepy[mpich]'"


def test_the_readme_names_every_extra() -> None:
    table = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    names = re.findall(r"^([a-z]+) = \[", table, re.MULTILINE)
    assert "all" in names
    assert [name for name in names if f"[{name}]" not in readme] == []
