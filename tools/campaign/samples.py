"""A program watched from outside while it works: what it holds and has computed, whenever it says how far it is."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

CPU_CLOCK = 2
"""The kind of Linux's clocks of processes that counts all threads' time on processors, in nanoseconds."""
WARM = 0.1
"""The part of a run that is not judged: buffers grow, pools fill."""


@dataclass(frozen=True)
class Sample:
    """The program when it had done ``count`` things: its own memory, without the pages of files that it maps."""

    count: int
    cpu_s: float
    memory_bytes: int
    handles: int
    threads: int


def sample(pid: int, count: int) -> Sample:
    """What Linux says of a process now."""
    proc = Path(f"/proc/{pid}")
    status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines() if ":" in line)
    memory = int(status["RssAnon"].split()[0]) << 10
    cpu_s = time.clock_gettime(~pid << 3 | CPU_CLOCK)
    return Sample(count, cpu_s, memory, len(os.listdir(proc / "fd")), int(status["Threads"]))


def watch(command: Sequence[str], pattern: re.Pattern[str], *, folder: Path, environ: dict[str, str]) -> list[Sample]:
    """Run ``command``; a sample for each line of its log that ``pattern`` finds, whose first group is the count.

    Errors: RuntimeError with the last lines, if it fails.
    """
    found: list[Sample] = []
    lines: list[str] = []
    with subprocess.Popen(command, cwd=folder, env=environ, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        for text in process.stderr:
            lines = [*lines[-9:], text.rstrip()]
            match = pattern.search(text)
            if match:
                try:
                    found.append(sample(process.pid, int(match[1])))
                except FileNotFoundError:
                    break  # it said its last line and went
        process.stderr.read()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit code {process.returncode}\n" + "\n".join(lines))
    return found


def growth(samples: Sequence[Sample], what: Callable[[Sample], int]) -> float:
    """How much more the last tenth has than the tenth after warming up, by medians."""
    values = [what(s) for s in samples]
    tenth, warm = max(1, len(values) // 10), int(len(values) * WARM)
    return statistics.median(values[-tenth:]) - statistics.median(values[warm : warm + tenth])


def leaked(samples: Sequence[Sample], what: Callable[[Sample], int]) -> int:
    """How many more the last tenth always has than the first half ever had: what is only open for a moment does not count."""
    values = [what(s) for s in samples]
    return max(0, min(values[-max(1, len(values) // 10) :]) - max(values[: (len(values) + 1) // 2]))


def paces(samples: Sequence[Sample]) -> list[float]:
    """Processor time for one thing in each tenth, by medians of the stretches between samples; none where there are too few.

    Wall time would tell of the machine's other programs. The first stretch, in which the program starts, is left out.
    """
    costs = [(b.cpu_s - a.cpu_s) / (b.count - a.count) for a, b in pairwise(samples) if b.count > a.count][1:]
    if len(costs) < 10:
        return []
    return [statistics.median(costs[len(costs) * i // 10 : len(costs) * (i + 1) // 10]) for i in range(10)]
