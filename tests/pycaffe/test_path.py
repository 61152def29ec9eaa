"""`import caffe` by PYTHONPATH alone, as Caffe's documentation has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import caffepy

SHIM = Path(caffepy.__file__).parent / "pycaffe" / "shim"


def test_the_folder_of_caffe_on_the_path_is_enough(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SHIM)}
    command = [sys.executable, "-c", "import caffe; print(caffe.TEST, caffe.Net.__name__)"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.returncode) == (["1", "Net"], 0), done.stderr
