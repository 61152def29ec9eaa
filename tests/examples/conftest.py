"""What the tests of the examples share: one runs an example's run.sh, in its short or its whole form.

The short form always runs.
The whole form, which has to reach the example's figures, runs where CAFFEPY_EXAMPLES=whole is set:
`CAFFEPY_EXAMPLES=whole tests/run.sh tests/examples`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest

WHOLE_SECONDS = 1200  # a run takes four minutes on two cores; a machine may be busy


class RunExample(Protocol):
    def __call__(
        self, name: str, *, short: bool = True, ranks: int = 0
    ) -> tuple[dict[str, Any], Path]: ...


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "whole: the whole form of an example")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "run_example" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(WHOLE_SECONDS))
        if item.get_closest_marker("whole") is None:
            continue
        if os.environ.get("CAFFEPY_EXAMPLES") != "whole":
            item.add_marker(
                pytest.mark.skip(reason="takes minutes: CAFFEPY_EXAMPLES=whole runs it")
            )


@pytest.fixture(autouse=True)
def _forget_scripts(root: Path) -> Iterator[None]:
    """Forget the modules of an example after each test, and what they have set in the environment.

    Other examples have different modules of these names, and scripts may set GLOG_minloglevel.
    """
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        if name != "PYTEST_CURRENT_TEST":
            del os.environ[name]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is not None and root / "examples" in Path(file).parents:
            del sys.modules[name]


@pytest.fixture
def scripts(request: pytest.FixtureRequest, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the example after which the test's file is named.

    Its scripts, and those of all examples, can be imported.
    """
    folder = root / "examples" / request.path.stem.removeprefix("test_")
    monkeypatch.syspath_prepend(str(root / "examples" / "common"))
    monkeypatch.syspath_prepend(str(folder))
    return folder


def make(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """What an example's make_data.py does with these flags."""
    command = [sys.executable, str(folder / "make_data.py"), *flags]
    return subprocess.run(command, capture_output=True, text=True)


def check_losses(out: Path, *, least: int) -> None:
    """The log of the trainings has at least so many losses, and all are finite."""
    losses = [float(loss) for loss in re.findall(r"loss = (\S+)", (out / "train.log").read_text())]
    assert len(losses) >= least
    assert np.isfinite(losses).all()


@pytest.fixture
def run_example(root: Path, tmp_path: Path) -> RunExample:
    """Runs examples/NAME/run.sh, and gives what its result.json says and the folder of its files."""

    def run(name: str, *, short: bool = True, ranks: int = 0) -> tuple[dict[str, Any], Path]:
        environment = os.environ | {"OUT": str(tmp_path)}
        if short:
            environment["SHORT"] = "1"
        if ranks:
            environment["MPI"] = str(ranks)
        done = subprocess.run(
            ["bash", str(root / "examples" / name / "run.sh")],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=WHOLE_SECONDS,
        )
        assert done.returncode == 0, done.stdout[-4000:]
        return json.loads((tmp_path / "result.json").read_text()), tmp_path

    return run
