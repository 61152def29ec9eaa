"""``python -m tests.mpi.faulty RANK PLACE SIGNAL WORDS...``: the command line, but rank RANK sends itself SIGNAL when it comes to PLACE.

Places: start (the first broadcast of the weights), backward (of conv2, iteration 12), test (its second batch at iteration 10),
snapshot (of iteration 10; rank 0 has the model's new file all but renamed). SIGNAL 0: it sleeps there for ever.
At damage (iteration 20) it goes on, but with another bit in a weight of ip2.
"""

from __future__ import annotations

import os
import platform
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from caffepy.cli.main import run
from caffepy.engine.whole import WholeEngine
from caffepy.parallel.failure import stall
from caffepy.parallel.launch.environment import detect
from caffepy.proto import atomic
from caffepy.solver.loop import ranks

PATIENCE_S = 4.0
"""For slow disks, in place of minutes."""
SEEN_S = 1.0
"""By then the monitor has heard where the rank is."""


def before(owner: Any, name: str, act: Callable[[int], object]) -> None:
    """Call ``act`` with the number of the call, from 1, before each call of ``owner.name``."""
    original, calls = getattr(owner, name), [0]

    def replaced(*arguments: Any, **named: Any) -> Any:
        calls[0] += 1
        act(calls[0])
        return original(*arguments, **named)

    setattr(owner, name, replaced)


def inject(place: str, number: int, *, root: bool) -> None:
    """Let the fault happen at ``place``."""

    def fail() -> None:
        time.sleep(SEEN_S)
        if number == 0:
            time.sleep(1000)
        os.kill(os.getpid(), number)

    def at(call: int) -> Callable[[int], object]:
        return lambda this: fail() if this == call else None

    if place == "start":
        before(ranks, "broadcast_state", at(1))
    elif place == "test":
        before(WholeEngine, "forward", at(2))
    elif place == "snapshot" and root:
        before(atomic, "_sync", at(5))  # a file and its folder, for the model and the state of iteration 5
    elif place == "snapshot":
        before(ranks.Ranks, "check", at(3))
    elif place == "damage":
        inject_damage()
    else:
        inject_backward(fail)


def inject_backward(fail: Callable[[], None]) -> None:
    """Fail once the gradient of the second layer's weights is there."""
    passes = [0]
    original = WholeEngine.forward_backward

    def forward_backward(engine: WholeEngine) -> Any:
        if passes[0] == 0:
            weights: Any = engine.arena.learnable[2]
            weights.register_post_accumulate_grad_hook(lambda _: fail() if passes[0] == 13 else None)
        passes[0] += 1
        return original(engine)

    WholeEngine.forward_backward = forward_backward


def inject_damage() -> None:
    """Change a weight of the last layer, once."""
    calls = [0]
    original = ranks.Ranks.agree

    def agree(these: ranks.Ranks, *arguments: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] == 20:
            these.arena.learnable[-2].detach().view(torch.int32)[0, 0] ^= 1
        return original(these, *arguments, **named)

    ranks.Ranks.agree = agree


if __name__ == "__main__":
    rank, where, what = sys.argv[1:4]
    del sys.argv[1:4]
    stall.START_S = stall.WRITING_S = PATIENCE_S
    mine = detect(os.environ, platform.node()).rank
    if mine == int(rank):
        inject(where, int(what), root=mine == 0)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a background job of a shell has it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(run("caffe", sys.argv[1:]))
