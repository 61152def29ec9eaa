"""`import caffe` by PYTHONPATH alone, as Caffe's documentation has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import caffepy

SHIM = Path(caffepy.__file__).parent / "pycaffe" / "shim"


@pytest.mark.parametrize(
    ("folder", "code", "words"),
    [
        (SHIM, "import caffe; print(caffe.TEST, caffe.Net.__name__)", "1 Net"),
        (SHIM / "caffe" / "proto", "import caffe_pb2; print(caffe_pb2.TEST, caffe_pb2.NetParameter(name='n').name)", "1 n"),
    ],
)
def test_a_folder_on_the_path_is_enough(folder: Path, code: str, words: str, tmp_path: Path) -> None:
    """That of Caffe's Python, or that of its messages, which scripts append to ``sys.path`` to have ``caffe_pb2`` alone."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == (words, 0), done.stderr
