"""Several ranks on this machine without a launcher.

The program starts itself again for each rank, as torchrun would.
"""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from types import FrameType

from caffepy.parallel.failure.local_monitor import LocalMonitor, monitor_children
from caffepy.parallel.launch.addresses import interface_of
from caffepy.parallel.launch.variables import STARTED_BY

FORWARDED = ("SIGINT", "SIGHUP", "SIGTERM")
PARENT_DEATH_SIGNAL = 1
"""prctl's option PR_SET_PDEATHSIG of Linux."""
GRACE_S = 5.0
"""How long the other ranks may take to end by themselves after one has failed."""
PERIOD_S = 0.1


def spawn(
    count: int, command: Sequence[str], environ: Mapping[str, str], *, host: str, timeout_s: float
) -> int:
    """Run ``command`` as ``count`` ranks of one job and wait for them.

    The exit code of the first rank that failed, or 0. The ranks find each other by a store that
    this process holds, so no port has to be guessed. Each signal that this process gets is passed
    on once: the ranks have sessions of their own, where a terminal does not reach them.
    ``host``, ``timeout_s``: for the monitor, which is started before the ranks are.
    """
    from caffepy.parallel.transport.torch_group import listening_store

    local = monitor_children("RANK", count, host, timeout_s)
    store = listening_store("127.0.0.1")
    ranks = [
        subprocess.Popen(
            command,
            env={**environ, **rank_environ(rank, count, store.port)},
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
        for rank in range(count)
    ]

    def forward(number: int, frame: FrameType | None) -> None:
        for process in ranks:
            if process.poll() is None:
                process.send_signal(number)

    for name in FORWARDED:
        signal.signal(getattr(signal, name), forward)
    code = _wait(ranks, local)
    if local is not None:
        local.close()
    return code


def rank_environ(rank: int, count: int, port: int) -> dict[str, str]:
    """torchrun's variables for one rank.

    The store is not rank 0's but that of the process that started the ranks.
    """
    interface = interface_of("127.0.0.1")  # by itself gloo listens where the host's name leads to
    return {
        **({"GLOO_SOCKET_IFNAME": interface} if interface else {}),
        STARTED_BY: "-ranks",
        "RANK": str(rank),
        "WORLD_SIZE": str(count),
        "LOCAL_RANK": str(rank),
        "LOCAL_WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "TORCHELASTIC_RUN_ID": "caffepy",
    }


def _wait(ranks: Sequence[subprocess.Popen[bytes]], local: LocalMonitor | None) -> int:
    """Wait until all ranks have ended.

    Ranks that outlive a failed one for too long are ended. ``local``: the monitor, which is told of
    ranks that a signal killed.
    """
    failed = 0
    since = 0.0
    told: set[int] = set()
    while any(process.poll() is None for process in ranks):
        time.sleep(PERIOD_S)
        for rank, process in enumerate(ranks):
            if (process.poll() or 0) < 0 and rank not in told and local is not None:
                told.add(rank)
                local.tell(f"killed {rank} {process.pid}")
        codes = [code for code in (process.poll() for process in ranks) if code]
        if codes and not failed:
            failed = codes[0]
            since = time.monotonic()
        if failed and time.monotonic() - since > GRACE_S:
            for process in ranks:
                process.kill()
    codes = [process.returncode for process in ranks if process.returncode]
    code = failed or (codes[0] if codes else 0)
    return code if code >= 0 else 128 - code


def _die_with_parent() -> None:
    """In the new process: ask for a signal when the parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)
