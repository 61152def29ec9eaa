"""The end of a program."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End the program with this code, as Caffe's ends: nobody waits for the processes and threads that users' layers have started."""
    if (processes := sys.modules.get("multiprocessing")) is not None:
        for child in processes.active_children():
            child.terminate()
    if all(thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        sys.exit(code)
    atexit._run_exitfuncs()
    with suppress(OSError):
        sys.stdout.flush()
    os._exit(code)
