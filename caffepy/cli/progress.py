"""A progress bar for long jobs: on a terminal only, and never in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from caffepy import log


@contextmanager
def progress_bar(unit: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that is told how many ``unit`` (images, ...) are done, of how many.

    It draws a bar if standard error is a terminal and tqdm is installed, else nothing. Log lines take the bar's place and
    it is drawn again below them.
    """
    try:
        from tqdm import tqdm
    except ImportError:
        tqdm = None
    if tqdm is None or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with tqdm(unit=f" {unit}", leave=False, dynamic_ncols=True, file=sys.stderr) as bar:

        def advance(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        before, log.sink.before_line = log.sink.before_line, bar.clear
        try:
            yield advance
        finally:
            log.sink.before_line = before
