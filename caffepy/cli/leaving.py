"""The end of a program."""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
import threading
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End the program with this code, as Caffe's ends.

    It does not wait for the processes and threads that users' layers have started. An interrupt
    changes nothing any more. The monitor no longer watches a rank that comes here.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    drop_output()
    if (processes := sys.modules.get("multiprocessing")) is not None:
        for child in processes.active_children():
            child.terminate()
    is_rank = "caffepy.parallel.failure.monitor_client" in sys.modules
    if not is_rank and all(
        thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()
    ):
        sys.exit(code)
    atexit._run_exitfuncs()
    drop_output()
    if is_rank:
        # C's exit runs the handler by which MPICH tells its launcher; without it the launcher kills
        # the other ranks
        ctypes.PyDLL(None).exit(code)
    os._exit(code)


def drop_output() -> None:
    """Drop what standard output cannot take.

    Else Python would try again at its end, and complain.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
