"""Names that people's scripts use: programs, launchers, errors."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from caffepy import errors
from caffepy.cli.commands import CAFFES, COMMANDS
from tests.warm.start import program

PROGRAMS = [
    "caffe",
    "caffe_main",
    "caffepy",
    "classification",
    "compute_image_mean",
    "convert_annoset",
    "convert_cifar_data",
    "convert_imageset",
    "convert_mnist_data",
    "convert_mnist_siamese_data",
    "create_label_map",
    "extract_features",
    "get_image_size",
    "partition_data",
    "upgrade_net_proto_binary",
    "upgrade_net_proto_text",
    "upgrade_solver_proto_text",
]
ERRORS = {
    "CaffeError": "RuntimeError",
    "DataError": "CaffeError",
    "LayerError": "NetError",
    "NetError": "CaffeError",
    "ParallelError": "CaffeError",
    "PrototxtError": "CaffeError",
    "SolverError": "CaffeError",
    "UsageError": "CaffeError",
    "WeightsError": "CaffeError",
}


def installed_programs(root: Path) -> dict[str, str]:
    """Name and target of each program that pyproject.toml installs (Python 3.10 has no TOML reader)."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    section = text.split("[project.scripts]")[1].split("\n[")[0]
    return {name.strip(): target.strip().strip('"') for name, _, target in (line.partition("=") for line in section.splitlines()) if name}


def test_programs(root: Path) -> None:
    programs = installed_programs(root)
    assert sorted(programs) == PROGRAMS
    for target in programs.values():
        module, _, function = target.partition(":")
        assert callable(getattr(importlib.import_module(module), function))


def test_a_program_of_its_own_is_a_command() -> None:
    assert set(PROGRAMS) - {"caffepy", *CAFFES} <= set(COMMANDS)


def test_errors() -> None:
    found = {name: cls.__base__.__name__ for name, cls in vars(errors).items() if isinstance(cls, type) and issubclass(cls, Exception)}
    assert found == ERRORS


def test_launchers(root: Path) -> None:
    for name in (*PROGRAMS, "device_query"):
        assert (root / "tools" / name).resolve() == (root / "tools/launch").resolve()
        assert name == "caffepy" or (root / f"tools/{name}.bin").resolve() == (root / "tools/launch").resolve()
    assert os.access(root / "tools/launch", os.X_OK)


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("train_net", "caffe train --solver=... [--snapshot=...]"),
        ("finetune_net", "caffe train --solver=... [--weights=...]"),
        ("test_net", "caffe test --model=... --weights=..."),
        ("net_speed_benchmark", "caffe time --model=... [--iterations=50]"),
    ],
)
def test_programs_of_the_first_caffes_say_what_to_use(name: str, use: str, root: Path) -> None:
    env = dict(os.environ, CAFFEPY_PYTHON=sys.executable)
    done = subprocess.run([root / f"tools/{name}.bin", "solver.prototxt", "net"], env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f" {name}.cpp:0] Deprecated. Use {use} instead.\n")
    assert os.path.samefile(root / "tools" / name, root / "tools/launch")


@pytest.mark.parametrize("way", ["tools/caffe", "build/tools/caffe.bin", "bin/caffe", "bin/again"])
def test_launchers_work_through_links(way: str, root: Path, tmp_path: Path) -> None:
    (tmp_path / "tools").symlink_to(root / "tools")
    (tmp_path / "build").mkdir()
    (tmp_path / "build/tools").symlink_to("../tools")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/caffe").symlink_to(root / "tools/caffe")
    (tmp_path / "bin/again").symlink_to("caffe")
    env = dict(os.environ, CAFFEPY_PYTHON=sys.executable)
    done = subprocess.run([way, "--version"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("caffe version 1.0.0")


def test_the_program_of_pmls(root: Path, tmp_path: Path) -> None:
    """Its scripts call caffe_main as others call caffe, and read the logs of that name."""
    (tmp_path / "net.prototxt").write_text('layer { name: "d" type: "DummyData" top: "d" dummy_data_param { shape { dim: 1 } } }')
    env = dict(os.environ, CAFFEPY_PYTHON=program())
    words = ["time", "--model=net.prototxt", "--iterations=1", "--logtostderr=false", "--log_dir=."]
    done = subprocess.run([root / "tools/caffe_main", *words], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "Average Forward pass" in (tmp_path / "caffe_main.INFO").read_text(encoding="utf-8")
    two = subprocess.run([root / "tools/caffe_main.bin", "train", "test"], env=env, capture_output=True, text=True, timeout=60)
    assert (two.returncode, "usage: caffe_main COMMAND " in two.stdout) == (0, True)


@pytest.mark.parametrize("wrong", ["/nowhere/python3", "/"])
def test_a_launcher_says_that_there_is_no_python(wrong: str, root: Path) -> None:
    env = dict(os.environ, CAFFEPY_PYTHON=wrong)
    done = subprocess.run([root / "tools/caffe", "--version"], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == f"{root}/tools/caffe: '{wrong}', which CAFFEPY_PYTHON names, is no program; needed: Python 3.10 or newer\n"
