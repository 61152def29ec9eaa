"""Ranks killed or stopped at random moments: each is named in one message, and the others end with whole snapshots.

    python -m tools.campaign.ranks -n 200 -seed 1
    python -m tools.campaign.ranks -n 60 -within 0.6

Jobs of two or three ranks, by each launcher that is at hand and with each exchange, lose one rank at a moment between the start of its
process and its end. A job whose rank was killed when its work was done and all had said goodbye may end well, and counts as ``done``.
Where Python itself is still starting in all ranks, before the first line of this project (0.03 s of a processor), the launcher alone can
tell of a kill: that counts as ``too early``, and the job has to end all the same. A rank that was lost while the monitor took its first
look, and the launcher ended others within it, is one of those that the message names: ``one of several``. With ``-within`` all are lost
in that many seconds after the start of their process.
"""

from __future__ import annotations

import random
import re
import shutil
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.campaign import jobs, report

TRAIN = [sys.executable, "-m", "caffepy.cli.main", "caffe", "train", "-solver", "solver.prototxt", "-rank_timeout", "3"]
LIMIT_S = 40.0
"""From the loss to the end of the job, on a machine that has other work."""
ITERATIONS = 60
SEVERAL = re.compile(r"rank ([\d, ]+ or \d+) on \S+ ended before")
AT_ONCE = 4
"""Jobs at a time: most of one is waiting."""


@dataclass(frozen=True)
class Way:
    """How a job is started: ``words`` before and after the command; ``variable``: where its ranks find their numbers."""

    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    variable: str
    ranks: int
    exchanges: tuple[str, ...]

    def command(self, exchange: str) -> list[str]:
        """The words of a job."""
        return [*self.before, *TRAIN, *self.after, f"-exchange={exchange}"]


def ways() -> list[Way]:
    """All that this machine can start."""
    common = ("allreduce", "hierarchical", "tree", "ps")
    found = [Way(f"-ranks {n}", (), ("-ranks", str(n)), "RANK", n, common) for n in (2, 3)]
    launcher = tuple(jobs.mpirun())
    if launcher:
        variable = "OMPI_COMM_WORLD_RANK" if "--oversubscribe" in launcher else "PMI_RANK"
        found += [Way(f"mpirun -n {n}", (*launcher, "-n", str(n)), (), variable, n, (*common, "rma_tree")) for n in (2, 3)]
    return found


@dataclass
class Figures:
    """What came of it."""

    lost: int = 0
    named: int = 0
    one_of_several: int = 0
    too_early: int = 0
    done: int = 0
    hangs: int = 0
    tracebacks: int = 0
    broken_files: int = 0
    processes_left: int = 0


def lose(way: Way, exchange: str, number: signal.Signals, after_s: float, victim: int, folder: Path, figures: Figures, mark: str) -> float:
    """One job; the seconds that its victim lived, where it was over before the moment came."""
    job = jobs.Job(way.command(exchange), folder, mark)
    pid = 0
    while not pid and job.process.poll() is None:
        pid = job.rank(victim, way.variable)
        time.sleep(0.005)
    began = time.monotonic()
    time.sleep(after_s)
    if not pid or job.rank(victim, way.variable) != pid:
        job.finish(LIMIT_S)
        return time.monotonic() - began
    watched = number == signal.SIGSTOP or job.watched(pid)  # a stop ends nobody else
    jobs.send(pid, number)
    lost = time.monotonic()
    ended = job.finish(LIMIT_S)
    judge(ended, victim, pid, folder, figures, f"{way.name} {exchange} {number.name} rank {victim} after {after_s:.2f} s", lost, watched)
    return 0.0


def judge(ended: jobs.Ended, victim: int, pid: int, folder: Path, figures: Figures, what: str, lost: float, watched: bool) -> None:
    """Count what came of one lost rank; what is wrong is shown."""
    figures.lost += 1
    wrong = []
    fatal = ended.fatal()
    if len(fatal) == 1 and re.match(rf"rank {victim} on \S+ (\(pid {pid}, |ended before)", fatal[0]):
        figures.named += 1
    elif len(fatal) == 1 and (found := SEVERAL.match(fatal[0])) and str(victim) in re.findall(r"\d+", found[1]):
        figures.one_of_several += 1
    elif not fatal and "Optimization Done." in ended.said and not ended.hung:
        figures.done += 1
    elif not (fatal or watched or ended.hung) and ended.code != 0:
        figures.too_early += 1
    else:
        wrong.append(f"not named: {fatal}")
    if ended.hung:
        figures.hangs += 1
        wrong.append("hung")
    if "Traceback (most recent call last)" in ended.said:
        figures.tracebacks += 1
        wrong.append("traceback")
    broken = jobs.broken_files(folder)
    figures.broken_files += len(broken)
    figures.processes_left += ended.left
    if wrong or broken or ended.left:
        tail = "\n    ".join(ended.said.splitlines()[-15:])
        print(f"{what}: {wrong} {broken}, {ended.left} left, {time.monotonic() - lost:.1f} s\n    {tail}", file=sys.stderr, flush=True)


def lose_some(count: int, seed: str, top: Path, figures: Figures, within_s: float) -> None:
    """So many lost ranks, one after the other, in all ways in turn. ``within_s``: 0 for the whole life of a rank."""
    chance, found, attempt = random.Random(seed), ways(), 0
    lasts = dict.fromkeys(found, 4.0)
    done = 0
    while done < count:
        way = found[done % len(found)]
        attempt += 1
        exchange, victim = chance.choice(way.exchanges), chance.randrange(way.ranks)
        number = chance.choice((signal.SIGKILL, signal.SIGSTOP))
        after_s = chance.random() * (within_s or lasts[way])
        folder = top / f"{seed}-{attempt}"
        shutil.copytree(top / "template", folder)
        lived = lose(way, exchange, number, after_s, victim, folder, figures, str(folder))
        lasts[way] = min(lasts[way], lived) if lived else lasts[way] * 1.05  # so that all moments come, up to the very end
        done += not lived
        shutil.rmtree(folder)


def run(n: int, seed: int, within_s: float = 0.0) -> tuple[str, bool]:
    """The campaign; its line, and whether it is as it should be."""
    figures = Figures()
    with tempfile.TemporaryDirectory(dir=jobs.memory()) as top:
        template = Path(top) / "template"
        template.mkdir()
        jobs.make_folder(template, iterations=ITERATIONS)
        shares = [n // AT_ONCE + (i < n % AT_ONCE) for i in range(AT_ONCE)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda i: lose_some(shares[i], f"{seed}-{i}", Path(top), figures, within_s), range(AT_ONCE)))
    right = figures.named + figures.one_of_several + figures.done + figures.too_early == figures.lost
    right &= not (figures.hangs or figures.tracebacks or figures.broken_files or figures.processes_left)
    return report.line("ranks", seed, **vars(figures)), right


def main() -> None:
    """The command."""
    parser = report.options("Ranks killed or stopped at random moments.", n=200, what="ranks are lost")
    parser.add_argument(
        "-within", "--within", type=float, default=0.0, metavar="S", help="lose them in their first S seconds (default: ever)"
    )
    asked = parser.parse_args()
    sys.exit(not run(asked.n, asked.seed, asked.within)[1])


if __name__ == "__main__":
    main()
