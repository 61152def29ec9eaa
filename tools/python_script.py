"""Runs a script of Caffe's ``python`` folder for the files beside this one, without installation."""

import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / ".venv" / "bin" / "python"


def run(name):
    """Run ``name.py`` with this program's arguments, in .venv if this Python has no torch; does not return."""
    if importlib.util.find_spec("torch") is None and PYTHON.exists() and Path(sys.executable) != PYTHON:
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    folders = [str(ROOT), str(ROOT / "caffepy" / "pycaffe" / "shim")]
    sys.path[:0] = folders
    # the processes that train.py starts look for the packages too
    os.environ["PYTHONPATH"] = os.pathsep.join([*folders, *filter(None, [os.environ.get("PYTHONPATH")])])
    sys.exit(importlib.import_module(f"caffepy.pycaffe.scripts.{name}").main())
