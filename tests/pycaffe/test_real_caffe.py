"""A compiled Caffe on the path keeps the name caffe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
