"""What all tests share: fixed seeds, one thread where OMP_NUM_THREADS asks for no other number, the folder of recorded facts."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caffepy import log
from tests import quick

ROOT = Path(__file__).resolve().parent.parent
LONGEST = ("tests/standin/", "tests/contract/campaign/test_strangers.py")
BUSY = ("tests/contract/campaign/", "tests/standin/")
"""Beside tests marked mpi: they need several processes' turns on the machine's processors."""
THREADS = int(os.environ.get("OMP_NUM_THREADS") or 1)

for variable in [name for name in os.environ if name.startswith("GLOG_")]:
    del os.environ[variable]  # programs that tests start show what tests look for, whatever the shell asks for

try:
    import hypothesis
except ModuleNotFoundError:
    pass
else:
    # the same examples in every run, and no limit on how long one takes: the machine may be busy
    hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
    hypothesis.settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Selections."""
    parser.addoption("--every", type=int, default=1, metavar="N", help="run every Nth test only")
    parser.addoption(
        "--quick", action="store_true", help="run the tests of changed files, and a sample of the others that start no processes"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With --quick folders of slow tests are not even looked into, unless a file there was changed."""
    if not config.getoption("--quick") or not collection_path.is_dir() or not collection_path.is_relative_to(ROOT / "tests"):
        return None
    place = collection_path.relative_to(ROOT).as_posix()
    slow = place.removeprefix("tests/") in quick.SLOW
    return True if slow and not any(quick.mirror_of(file).startswith(f"{place}/") for file in quick.changed_files()) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not selected, and begin with what takes longest, so that no worker is left alone with it at the end.

    A test of several processes fails where a busy machine keeps one of them from its turn: it is tried once more, and both are told.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))
    for item in items:
        if item.get_closest_marker("mpi") or item.nodeid.startswith(BUSY):
            item.add_marker(pytest.mark.flaky(reruns=1))
    if config.getoption("--quick"):
        items[:] = quick.chosen(items, quick.changed_files())
    items[:] = items[:: config.getoption("--every")]


@pytest.fixture(autouse=True)
def fixed_seeds() -> None:
    """Seed every random source that is loaded, and keep torch to `THREADS`; torch is not loaded for this."""
    random.seed(1701)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(1701)
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        # without a GPU torch.manual_seed notes for each kind of device where it was called from, which takes longer than many a test
        seed = torch.manual_seed if torch.cuda.is_available() else torch.default_generator.manual_seed
        seed(1701)
        torch.set_num_threads(THREADS)


@pytest.fixture(autouse=True)
def log_as_before() -> Iterator[None]:
    """Each test begins with the log as a program does; what a command that it runs sets up ends with it."""
    before, fresh = dict(vars(log.sink)), vars(log.Sink())
    vars(log.sink).update(fresh)
    yield
    vars(log.sink).update(before)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with cases recorded from the real Caffe: $CAFFEPY_SHARED, or ``shared`` beside the checkout."""
    folder = Path(os.environ.get("CAFFEPY_SHARED", ROOT.parent / "shared"))
    if not (folder / "golden").is_dir():
        pytest.skip(f"the recorded cases are not here ({folder}); CAFFEPY_SHARED names their folder")
    return folder


@pytest.fixture(autouse=True)
def without_a_gpu(request: pytest.FixtureRequest) -> None:
    """Recordings of a Caffe without GPU support refuse ``engine: CUDNN``, which a machine with a GPU accepts."""
    if "cudnn_" in request.node.name and "torch" in sys.modules and sys.modules["torch"].cuda.is_available():
        pytest.skip("the recorded Caffe had no GPU support; this machine has a GPU")


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers do not look at values, as on a GPU."""
    from tests.layers.check import blind  # which imports torch: not every test needs it

    blind(monkeypatch)
