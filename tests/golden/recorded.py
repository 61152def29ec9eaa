"""Cases recorded from the real Caffe: where they are, and how far an engine is from them.

Each case is a folder with ``net.prototxt``, ``case.json`` (phase, number of passes, ...) and ``data.npz``, whose keys are
``param/<layer>/<i>``, ``s<pass>/in|out|mid|topdiff|botdiff/<blob>``, ``s<pass>/paramdiff|param_after/<layer>/<i>`` and ``s<pass>/loss``.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from caffepy.proto import caffe_pb2
from caffepy.proto.text import read_net
from tests.golden.engines import ENGINES, Array, Arrays, Runner, message_for

HERE = Path(__file__).resolve().parent
RTOL, ATOL = 1e-4, 1e-5
"""What another BLAS makes of the same sums stays within half of this."""


def folder() -> Path:
    """All recorded cases ($CAFFEPY_GOLDEN, or those beside the checkout) if they are there, else the selection in this folder."""
    given = os.environ.get("CAFFEPY_GOLDEN")
    if given:
        if not Path(given).is_dir():
            raise FileNotFoundError(f"CAFFEPY_GOLDEN names {given}, which is no folder")
        return Path(given)
    beside = HERE.parents[2] / "shared" / "golden"
    return beside if beside.is_dir() else HERE


def forks() -> list[Path]:
    """Where cases recorded from Caffe's forks are: folders beside all the others, if they are there, and the selection in this folder."""
    beside = [folder().parent / name for name in ("golden_forks", "golden_forks_2")] if folder() != HERE else []
    return [*(path for path in beside if path.is_dir()), HERE / "forks"]


def of_forks(kind: str) -> dict[str, Path]:
    """Paths of the forks' cases of a kind, sorted, and for each the first folder that has it."""
    found = {path: root for root in reversed(forks()) for path in cases(f"*/{kind}", root=root)}
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class Case:
    """One recorded case."""

    path: Path

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What case.json says."""
        found: dict[str, Any] = json.loads((self.path / "case.json").read_text())
        return found

    @cached_property
    def data(self) -> dict[str, Array]:
        """Every recorded array."""
        with np.load(self.path / "data.npz") as file:
            return {key: np.array(file[key], np.float32) for key in file}

    @property
    def phase(self) -> int:
        """TRAIN or TEST."""
        return int(caffe_pb2.Phase.Value(self.meta["phase"]))

    def message(self) -> Any:
        """The NetParameter, its state set."""
        net, _ = read_net(self.path / "net.prototxt")
        return message_for(net, self.phase, self.meta.get("level") or 0, tuple(self.meta.get("stages") or ()))

    def part(self, step: int, tag: str) -> dict[str, Array]:
        """Arrays of one kind of one pass, by blob or ``layer/slot``."""
        head = f"s{step}/{tag}/"
        return {key[len(head) :]: array for key, array in self.data.items() if key.startswith(head)}


def cases(kind: str, *, root: Path | None = None) -> list[str]:
    """Paths of the cases of a kind (``layers``, ``nets``, ``fillers``, ``errors``) relative to the folder, sorted."""
    base = root or folder()
    return sorted(str(found.parent.relative_to(base)) for found in base.glob(f"{kind}/**/case.json"))


def runnable(path: str, tmp_path: Path, *, root: Path | None = None) -> Case:
    """A case to run in, a copy if it has files beside the usual three: some write next to what they read."""
    found = (root or folder()) / path
    more = {part.name for part in found.iterdir()} - {"case.json", "data.npz", "net.prototxt"}
    return Case(Path(shutil.copytree(found, tmp_path / "case")) if more else found)


@contextmanager
def inside(path: Path) -> Iterator[None]:
    """Work in a case's folder, where its sources and Python modules are; forget its modules afterwards."""
    before, search, known = os.getcwd(), list(sys.path), set(sys.modules)
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = search
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(f"{path}{os.sep}"):
                del sys.modules[name]


def difference(found: Array, wanted: Array, *, rtol: float = RTOL, atol: float = ATOL) -> str:
    """In words, how ``found`` is not ``wanted``; NaN and infinities have to be where they were. Empty: it is."""
    if found.shape != wanted.shape:
        return f"shape {found.shape} for {wanted.shape}"
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(found.astype(np.float64) - wanted) <= atol + rtol * np.abs(wanted.astype(np.float64))
    off = ~(near | (found == wanted) | (np.isnan(found) & np.isnan(wanted)))
    if not off.any():
        return ""
    first = tuple(int(i) for i in np.argwhere(off)[0])
    return f"{int(off.sum())} of {off.size} differ, first at {first}: {found[first]} for {wanted[first]}"


def set_up(case: Case, runner: Runner) -> None:
    """Give the net the recorded parameters, or let it load the model beside it."""
    if "mem/data" in case.data:
        runner.set_arrays(case.data["mem/data"], case.data["mem/label"])
    for name in ("w.caffemodel", "w.caffemodel.h5"):
        if (case.path / name).exists():
            runner.copy_from(case.path / name)
    for key, array in case.data.items():
        if key.startswith("param/"):
            runner.set_param(*_place(key.removeprefix("param/")), array)


def differences(case: Case, runner: Runner) -> list[str]:
    """Run every recorded pass; what was not as recorded."""
    set_up(case, runner)
    wrong: list[str] = []
    for step in range(case.meta["steps"]):
        wrong += [f"pass {step}: {what}: {how}" for what, found, wanted in _pass(case, runner, step) if (how := difference(found, wanted))]
    return wrong


def _pass(case: Case, runner: Runner, step: int) -> Iterator[tuple[str, Array, Array]]:
    inputs = case.part(step, "in")
    if not case.meta.get("accumulate_param_diffs"):
        runner.clear_gradients()
    loss = runner.forward(inputs)
    if f"s{step}/loss" in case.data:
        yield "loss", np.asarray(loss, np.float32), case.data[f"s{step}/loss"].reshape(())
    for tag in ("out", "mid"):
        for name, wanted in case.part(step, tag).items():
            found = runner.blob(name)
            if found is not None:
                yield name, found, wanted
    if case.meta["backward"]:
        yield from _gradients(case, runner, step, inputs)
    for place, wanted in case.part(step, "param_after").items():
        yield f"param {place}", runner.param(*_place(place)), wanted


def _gradients(case: Case, runner: Runner, step: int, inputs: Arrays) -> Iterator[tuple[str, Array, Array]]:
    losses = {runner.graph.values[v].name for v in runner.graph.outputs if runner.graph.loss_weight(v)}
    runner.backward(inputs, {name: diff for name, diff in case.part(step, "topdiff").items() if name not in losses})
    for name, wanted in case.part(step, "botdiff").items():
        found = runner.bottom_diff(name)
        if found is not None:
            yield f"diff of {name}", found, wanted
    for place, wanted in case.part(step, "paramdiff").items():
        yield f"diff of param {place}", runner.param_diff(*_place(place)), wanted


def _place(text: str) -> tuple[str, int]:
    layer, _, slot = text.rpartition("/")
    return layer, int(slot)


def attempt(case: Case, engine: str, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """One pass and its backward, on zeros of these shapes or of the net's own."""
    runner = ENGINES[engine](case.message())
    inputs = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    runner.forward(inputs)
    runner.backward(inputs, {})
