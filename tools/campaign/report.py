"""What all campaigns share: how they are asked, and the one line of figures that each prints."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Iterator
from contextlib import contextmanager


def arguments(description: str, *, n: int, what: str) -> argparse.Namespace:
    """``-n`` (how many of ``what``; ``n`` is the long form's number) and ``-seed`` of the command line."""
    return options(description, n=n, what=what).parse_args()


def options(description: str, *, n: int, what: str) -> argparse.ArgumentParser:
    """The same, for a campaign that adds options of its own."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("-n", "--n", type=int, default=n, metavar="N", help=f"how many {what} (default: {n}, the long form)")
    parser.add_argument("-seed", "--seed", type=int, default=1, metavar="S", help="the same seed makes the same campaign (default: 1)")
    return parser


@contextmanager
def until_interrupted() -> Iterator[None]:
    """SIGINT or SIGTERM ends what is inside, and no more: the line then tells of what was done."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt:
        print("ended early", flush=True)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def line(name: str, seed: int, **figures: float) -> str:
    """The line, which is also printed: ``ranks: lost 200, named 200, hangs 0, seed 1``; ``_`` in a figure's name is shown as a space."""
    parts = [
        f"{key.replace('_', ' ')} {value:g}" if isinstance(value, float) else f"{key.replace('_', ' ')} {value}"
        for key, value in figures.items()
    ]
    text = f"{name}: {', '.join([*parts, f'seed {seed}'])}"
    print(text, flush=True)
    return text
