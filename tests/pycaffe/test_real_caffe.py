"""A compiled Caffe on the path keeps the name caffe."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from caffepy.real_caffe import which

REAL = "from caffe._kind import kind\n"


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """What looks like an installed Caffe."""
    package = tmp_path / "real" / "caffe"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(REAL)
    (package / "_kind.py").write_text("kind = 'real'\n")
    (package / "_caffe.so").write_bytes(b"")
    return package


def imported(root: Path, real: Path, program: str) -> tuple[str, str]:
    """What a program says and logs; caffepy comes first on its path."""
    path = [str(root), str(root / "caffepy/pycaffe/shim"), str(real.parent)]
    done = subprocess.run(
        [sys.executable, "-c", program], env=dict(os.environ, PYTHONPATH=os.pathsep.join(path)), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def test_it_steps_aside(root: Path, real: Path) -> None:
    said, logged = imported(root, real, "import caffe; print(caffe.kind, caffe.__file__)")
    assert said == f"real {real / '__init__.py'}"
    assert logged.count("\n") == 1
    assert f"There is a real Caffe at {real / '__init__.py'}" in logged
    assert "import caffepy.pycaffe as caffe" in logged


def test_it_has_a_name_of_its_own(root: Path, real: Path) -> None:
    said, logged = imported(root, real, "import caffepy.pycaffe as caffe; print(caffe.Net.__module__)")
    assert (said, logged) == ("caffepy.pycaffe.net", "")


def test_a_working_folder_that_was_deleted(root: Path, real: Path) -> None:
    program = "import os, tempfile; f = tempfile.mkdtemp(); os.chdir(f); os.rmdir(f); import caffe; print(caffe.kind)"
    assert imported(root, real, program)[0] == "real"


def test_a_caffe_that_cannot_be_loaded_does_not_count(root: Path, real: Path) -> None:
    (real / "__init__.py").write_text("from caffe._kind import kind\nraise ImportError('made for another Python')\n")
    said, logged = imported(root, real, "import caffe, caffe.io; print(caffe.Net.__module__, 'caffe._kind' in __import__('sys').modules)")
    assert said == "caffepy.pycaffe.net False"
    assert "cannot be loaded (made for another Python): `import caffe` gives caffepy" in logged


def test_sources_without_a_compiled_part_do_not_count(root: Path, real: Path) -> None:
    (real / "_caffe.so").unlink()
    said, logged = imported(root, real, "import caffe; print(caffe.Net.__module__)")
    assert (said, logged) == ("caffepy.pycaffe.net", "")


def test_the_programs_stay_with_caffepy(root: Path, real: Path) -> None:
    said, logged = imported(root, real, "import caffepy.cli.main, caffe; print(caffe.Layer.__module__)")
    assert (said, logged) == ("caffepy.layers.custom.python", "")


def version(root: Path, folder: Path, *before: Path) -> str:
    """The line of ``caffepy version`` about ``import caffe``, in a folder, with others before caffepy's on the path."""
    path = os.pathsep.join(str(place) for place in (*before, root, root / "caffepy/pycaffe/shim"))
    command = [sys.executable, "-m", "caffepy", "version"]
    done = subprocess.run(
        command, cwd=folder, env=dict(os.environ, PYTHONPATH=path), capture_output=True, text=True, timeout=60, check=True
    )
    first, second = done.stdout.splitlines()
    assert first.startswith("caffepy ")
    return second


def test_version_tells_what_import_caffe_gives(root: Path, real: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert version(root, tmp_path / "empty") == f"`import caffe` gives caffepy: {root / 'caffepy/pycaffe/shim/caffe'}"
    cure = f"for caffepy: import caffepy.pycaffe as caffe, or take {real.parent} off PYTHONPATH and sys.path"
    for place, before in ((real.parent, ()), (tmp_path / "empty", (real.parent,))):
        assert version(root, place, *before) == f"`import caffe` gives {real}, a compiled Caffe; {cure}"
    (real / "_caffe.so").unlink()
    (real / "pycaffe.py").touch()
    assert version(root, real.parent) == f"`import caffe` gives {real}, the source of Caffe, which is not compiled; {cure}"
    (real / "pycaffe.py").unlink()
    assert version(root, real.parent) == f"`import caffe` gives {real}, another module of that name; {cure}"
    (tmp_path / "caffe.py").touch()
    assert version(root, tmp_path).startswith(f"`import caffe` gives {tmp_path / 'caffe.py'}, another module of that name; for caffepy: ")


def test_a_folder_without_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes before a package that is installed as editable, and after one that lies in a folder of the path."""
    (tmp_path / "caffe").mkdir()
    monkeypatch.setattr(sys, "meta_path", [PathFinder])
    monkeypatch.delitem(sys.modules, "caffe", raising=False)
    line = which([str(tmp_path)])
    assert line.startswith(
        f"`import caffe` gives {tmp_path / 'caffe'}, a folder without code; for caffepy: import caffepy.pycaffe as caffe"
    )
    assert which([]) == "`import caffe` finds nothing; for caffepy: import caffepy.pycaffe as caffe"


def test_layers_of_users_get_caffepy_whatever_comes_first(root: Path, real: Path) -> None:
    (real / "__init__.py").write_text("raise ImportError('not compiled')\n")
    (real.parent / "users.py").write_text("import caffe\nclass L(caffe.Layer):\n    def forward(self, bottom, top): pass\n")
    program = f"""
import os, sys
os.chdir({str(real.parent)!r})
sys.path.insert(0, {str(real.parent)!r})
import caffepy.pycaffe
from caffepy.layers.custom.python import PythonLayer
from caffepy.proto import caffe_pb2
param = caffe_pb2.LayerParameter(type="Python")
param.python_param.module, param.python_param.layer = "users", "L"
PythonLayer(param, 0).setup([])
print(sys.modules["caffe"].Layer.__module__, len(sys.meta_path) == before)
""".replace("import caffepy.pycaffe", "before = len(sys.meta_path)\nimport caffepy.pycaffe", 1)
    assert imported(root, real, program) == ("caffepy.layers.custom.python True", "")
