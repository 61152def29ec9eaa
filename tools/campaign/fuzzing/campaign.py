"""Inputs in forked children, one after the other, and what became of them."""

from __future__ import annotations

import mmap
import os
import random
import signal
import struct
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import torch

from caffepy import log
from caffepy.errors import CaffeError, nul_in_name, one_line, out_of_memory
from tools.campaign import report
from tools.campaign.children import bounded, unprepared, waited
from tools.campaign.fuzzing import kinds as all_kinds
from tools.campaign.fuzzing import samples
from tools.campaign.fuzzing.kinds import FILE, Kind

BATCH = 2000
LIMIT_S = 300
"""Without an input being done."""
SLOW_S = {False: 10, True: 120}
"""Of a processor, for one input; what asks for much may take long."""
MEMORY = 1 << 30
"""Bytes of address space beyond what the process has."""
PLACES = struct.Struct("qqq")
"""In memory that parent and child share: the input in work, those done, those that were refused."""
ENDINGS = ("tracebacks", "crashes", "hangs", "slow", "huge", "silent")


class Campaign:
    """Counts; ``told``: finds of a sort that were told."""

    def __init__(self, seed: int, folder: Path, kind: str) -> None:
        self.seed, self.folder = seed, folder
        os.chdir(folder)
        samples.fill(folder)
        torch.set_num_threads(1)
        self.kinds = [found for found in all_kinds.kinds(folder) if not kind or found.name == kind]
        self.counts: Counter[str] = Counter()
        self.told: set[str] = set()
        self._internal = ""
        self._shared = mmap.mmap(-1, PLACES.size)

    def make(self, number: int) -> tuple[Kind, bytes]:
        """The input of this number: the same whichever came before."""
        rng = random.Random(self.seed * 1_000_003 + number)
        kind = rng.choices(self.kinds, [found.share for found in self.kinds])[0]
        return kind, kind.make(rng)

    def batch(self, start: int, end: int) -> None:
        """Inputs ``start`` to below ``end``, in as many children as it takes."""
        while start < end:
            self._shared[:] = PLACES.pack(start, 0, 0)
            reading, writing = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(reading)
                self._child(start, end, writing)
            os.close(writing)
            status = waited(pid, LIMIT_S, lambda: self._shared[:])
            with os.fdopen(reading, encoding="utf-8", errors="replace") as told:
                for line in told:
                    self.find(*line.rstrip("\n").split("\t", 3))
            at, done, refused = PLACES.unpack(self._shared[:])
            self.counts.update(done=done, refused=refused)
            if status == 0:
                return
            kind = self.make(at)[0].name
            how = "no end" if status is None else signal.Signals(status & 127).name if status & 127 else f"exit code {status >> 8}"
            self.find("hangs" if status is None else "crashes", str(at), kind, how)
            self.counts["done"] += 1
            start = at + 1

    def find(self, ending: str, number: str, kind: str, words: str) -> None:
        """Count; tell it once."""
        self.counts[ending] += 1
        sort = f"{ending}: {kind}: {words}"
        if sort not in self.told:
            self.told.add(sort)
            print(f"find: {ending}: -seed {self.seed} -only {number}: {kind}: {words}", flush=True)

    def _child(self, start: int, end: int, back: int) -> None:
        """Run the inputs; write a line for each find."""
        try:
            unprepared()
            bounded(MEMORY)
            silence = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silence, stream)
            log.sink.min_level, log.sink.instead = log.INFO, self._hear
            done = refused = 0
            for number in range(start, end):
                self._shared[:] = PLACES.pack(number, done, refused)
                found = self.one(number)
                if found is not None and found[0] == "refused":
                    refused += 1
                elif found is not None:
                    line = "\t".join((found[0], str(number), self.make(number)[0].name, found[1].replace("\t", " ")))
                    os.write(back, (line[:2000] + "\n").encode("utf-8", "replace"))
                done += 1
            self._shared[:] = PLACES.pack(end, done, refused)
            os._exit(0)
        finally:
            os._exit(98)

    def _hear(self, level: int, place: str, message: str) -> None:
        """Lines of the log: a command's own word for an exception that nobody foresaw."""
        if level == log.FATAL and message.startswith("internal error"):
            self._internal = message.partition(" (run with")[0]

    def one(self, number: int) -> tuple[str, str] | None:
        """How the input of this number ended, in words; None for success."""
        kind, content = self.make(number)
        Path(FILE).write_bytes(content)
        began, self._internal = time.process_time(), ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                kind.read(FILE)
            found = ("tracebacks", self._internal) if self._internal else None
        except (CaffeError, OSError) as error:
            found = ("refused", "") if one_line(error) else ("silent", type(error).__name__)
        except Exception as error:  # noqa: BLE001  this is what is looked for
            if nul_in_name(error):
                found = ("refused", "")
            elif out_of_memory(error):
                found = ("refused", "") if kind.hungry else ("huge", where(error))
            else:
                found = (
                    "tracebacks",
                    f"{type(error).__name__} {where(error)}: {one_line(error)[:80] if isinstance(error, Warning) else ''}",
                )
        if time.process_time() - began > SLOW_S[kind.hungry]:
            found = ("slow", f"more than {SLOW_S[kind.hungry]} s")
        return found


def where(error: BaseException) -> str:
    """The innermost place of caffepy in a traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "caffepy" in frame.filename]
    if not frames:
        return "outside caffepy"
    return f"{frames[-1].filename.rpartition('caffepy/')[2]}:{frames[-1].lineno}"


def run(count: int, seed: int, folder: Path, *, only: int | None = None, kind: str = "") -> bool:
    """The campaign; whether there was no find."""
    before = Path.cwd()
    try:
        campaign = Campaign(seed, folder, kind)
        if only is not None:
            print(campaign.make(only)[0].name, campaign.folder / FILE)
            campaign.batch(only, only + 1)
        else:
            with report.until_interrupted():
                for start in range(0, count, BATCH):
                    campaign.batch(start, min(start + BATCH, count))
    finally:
        os.chdir(before)
    counts = campaign.counts
    figures = {name: counts[name] for name in ENDINGS}
    report.line("fuzz", seed, inputs=counts["done"], kinds=len(campaign.kinds), refused=counts["refused"], **figures)
    sys.stdout.flush()
    return not any(figures.values())
