"""Runs a caffepy command for the scripts beside this file: in this Python if it has what that takes, else as tools/launch does."""

import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def launch(command):
    """Run ``caffepy command`` with this script's arguments, ``-h`` among them; does not return."""
    words = ["--help" if word == "-h" else word for word in sys.argv[1:]]
    if importlib.util.find_spec("click") is None:
        program = str(ROOT / "tools" / "caffepy")
        os.execv(program, [program, command, *words])
    sys.path.insert(0, str(ROOT))
    from caffepy.cli.main import run

    sys.exit(run(command, words))
