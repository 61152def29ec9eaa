"""What a GPU computes, on one that is none: the tests of `tests/gpu`, and of the layers and recorded cases a part.

``CAFFEPY_STANDIN_ALL=1`` runs them all, which takes long.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.standin.build import built

ALL = os.environ.get("CAFFEPY_STANDIN_ALL") == "1"
PARTS = {
    "gpu": (["tests/gpu"], 1),
    "layers": (["tests/layers"], 9),
    "recorded": (["tests/golden/test_replay.py", "tests/golden/test_forks.py"], 25),
}
"""Which tests, and of how many one is enough."""
pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++, which compiles the stand-in GPU"),
    pytest.mark.skipif(hasattr(torch.cuda, "counts"), reason="this is the stand-in"),
    pytest.mark.timeout(3600 if ALL else 1800),
]


@pytest.mark.parametrize("part", PARTS)
def test_on_the_stand_in(part: str, root: Path) -> None:
    built()
    paths, every = PARTS[part]
    environment = dict(os.environ, PYTHONPATH=str(root / "tests/standin/start"), CAFFEPY_GOLDEN_DEVICE="cuda", OMP_NUM_THREADS="1")
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "-rfE", "--tb=short"]
    sample = [] if ALL else ["--every", str(every)]
    done = subprocess.run([*command, *sample, *paths], cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
