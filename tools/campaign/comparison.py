"""Random nets computed in several ways, and their numbers side by side; `differ` says how they are judged."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from caffepy import log
from caffepy.errors import CaffeError
from tools.campaign import report
from tools.campaign.children import Ended, in_child
from tools.campaign.random_nets import Case, make_case
from tools.campaign.random_nets.builder import Array
from tools.campaign.random_nets.solvers import ITERATIONS
from tools.campaign.variants import BY_PYCAFFE, DOUBTS, NUDGE, OTHERS, REFERENCE, TURNS, Numbers, Variant, measure

SLACK = 50
ROUNDING = 1e-5
"""Of the largest value of a blob: so much any two orders of summation may differ, whatever nudging shows."""
ONE_BY_ONE = 3e-4
"""The same of the real Caffe, which adds up thousands of losses one by one in float32."""
DIVERGED = 1e30
"""Numbers so large are no longer compared, nor those after them."""
TINY = 1e-5
"""What is left where numbers of a net cancel."""
AS_LARGE = 0.1
"""Of a difference: a jump of that size explains it."""
JUMP = 10
"""Times what nudging a few units in the last place makes expected of a larger change: no slope is as steep."""
RIGHTLY = ("cannot backpropagate", "the blob has 0 axes", "filler: sparse is")
"""What random propagate_down and force_backward, and fillers of scalars, ask for in vain, in Caffe too."""
REAL = "real Caffe"


class RealCaffe:
    """Another Python's `caffe`, in a process that waits for folders."""

    def __init__(self, python: str) -> None:
        script = Path(__file__).with_name("pycaffe_run.py")
        environ = {**os.environ, "GLOG_minloglevel": "4", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen([python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ)

    def run(self, folder: Path) -> Numbers | None:
        """What it makes of the net in ``folder``; None where it refuses it, or dies of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(f"{folder}\t{ITERATIONS}", file=self._process.stdin, flush=True)
        if self._process.stdout.readline().strip() != "0":
            return None
        with np.load(folder / "real.npz") as file:
            return dict(file)

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def largest(a: Array, b: Array) -> float:
    """The largest difference; infinite where shapes or what is finite differ."""
    if a.shape != b.shape:
        return np.inf
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        found = np.where(same, 0, np.abs(a.astype(np.float64) - b))
    return float(np.nan_to_num(found, nan=np.inf, posinf=np.inf).max(initial=0))


def scale_of(a: Array) -> float:
    """The largest finite value."""
    return float(np.abs(np.where(np.isfinite(a), a, 0)).max(initial=0))


def unlike(reference: Numbers, other: Numbers, nudged: Iterable[Numbers], *, rounding: float = ROUNDING) -> tuple[str, float, float] | None:
    """The first blob, in order of computation, that differs by more than it bears; the difference, and its part of the largest value."""
    runs = list(nudged)
    for name, wanted in reference.items():
        if name not in other:
            continue
        difference, scale = largest(wanted, other[name]), scale_of(wanted)
        if scale > DIVERGED or not np.isfinite(wanted).all():
            return None
        borne = SLACK * max((largest(wanted, run[name]) for run in runs), default=0.0) + max(rounding * scale, TINY)
        if difference > borne:
            return name, difference, difference / (scale or 1)
    return None


def warm_up(folder: Path) -> None:
    """Compute some nets here, on one thread, so that no child has to load what they take."""
    before, level = Path.cwd(), log.sink.min_level
    os.chdir(folder)
    log.sink.min_level = log.FATAL
    for seed in range(5):
        case = make_case(seed, bvlc=False)
        case.write(folder)
        for variant in (REFERENCE, OTHERS[0], BY_PYCAFFE):
            with suppress(CaffeError):
                measure(case, variant)
    os.chdir(before)
    log.sink.min_level = level


def compute(seed: int, bvlc: bool, folder: Path) -> Callable[[Callable[[str], object]], Any]:
    """The function for a child: the case and what each variant makes of it."""

    def work(at: Callable[[str], object]) -> tuple[Case, dict[Variant, Numbers]]:
        at("generating")
        log.sink.min_level = log.FATAL
        case = make_case(seed, bvlc=bvlc)
        os.chdir(folder)
        case.write(folder)
        found: dict[Variant, Numbers] = {}
        for variant in (REFERENCE, *OTHERS, *((BY_PYCAFFE,) if bvlc else ())):
            at(str(variant))
            found[variant] = measure(case, variant)
        return case, found

    return work


def nudged(case: Case, variant: Variant, folder: Path) -> list[Numbers]:
    """``variant`` on data that are a few units in the last place off."""

    def work(at: Callable[[str], object]) -> list[Numbers]:
        os.chdir(folder)
        return [measure(case, replace(variant, nudge=NUDGE, turn=turn)) for turn in range(TURNS // 2)]

    return in_child(work).value or []


def at_an_edge(case: Case, variant: Variant, folder: Path, wanted: Array, name: str, difference: float, moved: float) -> bool:
    """Whether a little change of the data makes ``name`` jump as far.  ``moved``: how far a nudge moves it at most."""

    def work(at: Callable[[str], object]) -> bool:
        os.chdir(folder)
        for nudge in DOUBTS:
            least = max(AS_LARGE * difference, JUMP * moved * nudge / NUDGE)
            changed = (replace(variant, nudge=nudge, turn=turn, zeros=turn % 2 > 0) for turn in range(TURNS))
            if any(largest(wanted, measure(case, other)[name]) >= least for other in changed):
                return True
        return False

    return bool(in_child(work).value)


class Campaign:
    """Counts, and a line for each find."""

    def __init__(self, seed: int, real: RealCaffe | None) -> None:
        self.seed, self.real = seed, real
        self.counts: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self.largest = 0.0

    def find(self, number: int, kind: str, words: str) -> None:
        """Count and tell."""
        self.counts[kind] += 1
        print(f"find: {kind}: -seed {self.seed} -only {number}: {words}", flush=True)

    def net(self, number: int, folder: Path) -> None:
        """Generate, compute, compare."""
        bvlc = self.real is not None and number % 2 == 0
        ended = in_child(compute(self.seed * 1_000_003 + number, bvlc, folder))
        self.counts["nets"] += 1
        if ended.value is None:
            self._ended(number, ended, folder, bvlc=bvlc)
            return
        case, found = ended.value
        self.types.update(set(case.types))
        for variant in OTHERS:
            self._compare(number, case, folder, REFERENCE, found[REFERENCE], found[variant], str(variant))
        if self.real is not None and bvlc:
            theirs = self.real.run(folder)
            self.counts["with real Caffe"] += 1
            if theirs is None:
                self.counts["refused by real Caffe"] += 1
                return
            missing = set(theirs) ^ set(found[BY_PYCAFFE])
            if missing:
                self.find(number, "differences", f"only one of real Caffe and import caffe has {sorted(missing)[:3]}")
            self._compare(number, case, folder, BY_PYCAFFE, found[BY_PYCAFFE], theirs, REAL)
            self._refused(number, case, folder)

    def _refused(self, number: int, case: Case, folder: Path) -> None:
        """A layer that caffepy would not have must not please the real Caffe."""
        assert self.real is not None
        if case.refused:
            net, why = case.refused[0]
            (folder / "net").write_text(net)
            if self.real.run(folder) is not None:
                self.find(number, "refused", f"by caffepy, not by real Caffe: {why}")

    def _ended(self, number: int, ended: Ended, folder: Path, *, bvlc: bool) -> None:
        if ended.hang:
            self.find(number, "hangs", ended.step)
        elif ended.crash:
            self.find(number, "crashes", f"{ended.crash} in {ended.step}")
        else:
            last = ended.error.strip().splitlines()[-1]
            refused = any(f".{cls.__name__}:" in last for cls in (CaffeError, *_below(CaffeError)))
            accepted = bvlc and self.real is not None and refused and self.real.run(folder) is not None
            if refused and not accepted and any(words in last for words in RIGHTLY):
                self.counts["rightly refused"] += 1
                return
            self.find(number, "refused" if refused else "tracebacks", f"{ended.step}: {last}")

    def _compare(self, number: int, case: Case, folder: Path, variant: Variant, reference: Numbers, other: Numbers, what: str) -> None:
        """``reference``: what ``variant`` makes of the case; ``other``: what ``what`` does."""
        runs: list[Numbers] = []
        rounding = ONE_BY_ONE if what == REAL else ROUNDING
        unfit = unlike(reference, other, runs, rounding=rounding)
        if unfit is not None:
            runs = nudged(case, variant, folder)
            unfit = unlike(reference, other, runs, rounding=rounding)
        if unfit is None:
            self._note(reference, other)
            return
        name, difference, part = unfit
        moved = max((largest(reference[name], run[name]) for run in runs), default=0.0)
        if at_an_edge(case, variant, folder, reference[name], name, difference, moved):
            self.counts["at an edge"] += 1
            return
        words = f"{name} differs by {difference:.3g} ({part:.2g} of its largest)"
        self.find(number, "differences", f"{what}: {words}: {' '.join(case.types)}")

    def _note(self, reference: Numbers, other: Numbers) -> None:
        """The largest part by which the loss of a first pass differs."""
        wanted = reference.get("pass/loss", np.zeros(()))
        if "pass/loss" in other and 1e-3 < scale_of(wanted) < np.inf:
            self.largest = max(self.largest, largest(wanted, other["pass/loss"]) / scale_of(wanted))


def _below(cls: type) -> list[type]:
    return [c for sub in cls.__subclasses__() for c in (sub, *_below(sub))]


KINDS = ("differences", "crashes", "hangs", "tracebacks", "refused")


def run(count: int, seed: int, *, caffe: str = "", only: int | None = None, keep: str = "") -> bool:
    """The campaign; whether there was no find."""
    real = RealCaffe(caffe) if caffe else None
    campaign = Campaign(seed, real)
    try:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(keep or temporary)
            folder.mkdir(exist_ok=True)
            warm_up(folder)
            with report.until_interrupted():
                for number in range(count) if only is None else [only]:
                    campaign.net(number, folder)
    finally:
        if real:
            real.close()
    counts = campaign.counts
    report.line(
        "differ",
        seed,
        nets=counts["nets"],
        layer_types=len(campaign.types),
        engines=2 + bool(real),
        largest_relative_difference_of_a_loss=float(f"{campaign.largest:.2g}"),
        at_an_edge=counts["at an edge"],
        **({"with_real_Caffe": counts["with real Caffe"], "refused_by_it": counts["refused by real Caffe"]} if real else {}),
        rightly_refused=counts["rightly refused"],
        **{kind: counts[kind] for kind in KINDS},
    )
    return not any(counts[kind] for kind in KINDS)
