"""What ``tools/dev/gpu_check`` runs: is caffepy right on this GPU, and how fast?  One table, in under 5 minutes."""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import torch

from caffepy.errors import one_line
from tools.bench.gpu.speed import BATCHES, KINDS, Speed, measure
from tools.bench.gpu.truth import TRAININGS, captured_against_plain, golden, two_ranks

BUDGET_S = 280.0
"""Nothing is begun after so long."""
COMPILE_S = 45.0
"""torch.compile is left out when less time is left; it may take all that is."""


class Clock:
    """Time since the start, in front of every line."""

    def __init__(self) -> None:
        self._started = time.perf_counter()

    def spent_s(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self._started

    def say(self, text: str) -> None:
        """One line."""
        print(f"[{self.spent_s():4.0f} s] {text}", flush=True)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """TimeoutError when what is inside takes longer; 0: no limit."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"not done after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def tell_truth(clock: Clock, device: torch.device, options: argparse.Namespace) -> None:
    """What has to hold."""
    try:
        agree, differ = golden(device, every=options.every)
        clock.say(f"recorded cases on the device: {agree} agree, {len(differ)} differ")
        for name in differ:
            clock.say(f"    {name}")
    except OSError as error:
        clock.say(f"recorded cases on the device: NOT CHECKED: {error}")
    for training in TRAININGS:
        if training.net in options.nets:
            try:
                found = str(captured_against_plain(training, device, iterations=options.iterations))
            except RuntimeError as error:
                found = f"FAILED: {one_line(error)[:200]}"
            clock.say(f"{training}: recorded against plain after {options.iterations} iterations: {found}")
    try:
        apart, ms = two_ranks("quick", device)
        clock.say(f"quick: 2 ranks on one device against 1 with both batches: parameters {apart:.1e} apart, {ms:.2f} ms an iteration")
    except OSError as error:
        clock.say(f"2 ranks on one device: NOT CHECKED: {error}")


def tell_speed(clock: Clock, device: torch.device, options: argparse.Namespace) -> None:
    """The table: ms of an iteration and peak MB of each implementation; the last column is the best loop's time into caffepy's."""
    width = max(map(len, KINDS)) + 1
    print(f"{'net':10} {'batch':>5} {'images/s':>9} " + " ".join(f"{kind:>{width}}" for kind in KINDS) + f" {'ratio':>6}")
    for net in options.nets:
        batch = options.batch or BATCHES[net]
        row: dict[str, Speed] = {}
        for kind in KINDS:
            left_s = BUDGET_S - clock.spent_s()
            if left_s < (COMPILE_S if kind == "compile" else 0) or (device.type != "cuda" and kind in ("own graph", "compile")):
                continue
            try:
                with limited(left_s if kind == "compile" else 0):
                    row[kind] = measure(kind, net, device, batch=batch, block_s=options.block_s, rounds=options.rounds)
            except Exception as error:  # noqa: BLE001 - such as a compiler that torch.compile lacks; the others can still be timed
                clock.say(f"{net}, {kind}: not timed: {type(error).__name__}: {one_line(error)[:200]}")
        if "caffepy" not in row:
            continue
        best = min((speed.ms for kind, speed in row.items() if not kind.startswith("caffepy") and "bf16" not in kind), default=float("nan"))
        ours = row["caffepy"]

        def cells(value: Callable[[Speed], float], form: str) -> str:
            return " ".join(f"{value(row[kind]):{width}{form}}" if kind in row else f"{'-':>{width}}" for kind in KINDS)  # noqa: B023

        print(f"{net:10} {batch:5d} {batch / ours.ms * 1e3:9.0f} {cells(lambda s: s.ms, '.3f')} {ours.ms / best:6.3f}")
        print(f"{'':16} {'peak MB':>9} {cells(lambda s: s.peak_mb, '.0f')}", flush=True)


def main() -> int:
    """0 when everything ran; 1 where there is no GPU."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nets", nargs="*", metavar="NET", help=f"of {', '.join(BATCHES)}; all if none is named")
    parser.add_argument("--device", default="cuda", help="cpu: try this program itself where there is no GPU")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="replay one of so many recorded cases")
    parser.add_argument("--iterations", type=int, default=50, help="of recorded against plain training")
    parser.add_argument("--batch", type=int, help="pictures in a batch, instead of the net's own")
    parser.add_argument("--block-s", type=float, default=0.4, help="seconds of one timed block")
    parser.add_argument("--rounds", type=int, default=5, help="timed blocks of each implementation")
    options = parser.parse_args()
    options.nets = options.nets or list(BATCHES)
    device = torch.device(options.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        print("gpu_check: torch sees no GPU on this machine; nothing was checked")
        return 1
    clock = Clock()
    clock.say(f"{torch.cuda.get_device_name(device) if device.type == 'cuda' else 'CPU'}, torch {torch.__version__}")
    tell_truth(clock, device, options)
    tell_speed(clock, device, options)
    clock.say("done")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
