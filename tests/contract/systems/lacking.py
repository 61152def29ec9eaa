"""What other systems lack, tried on this one: ``python -m tests.contract.systems.lacking FOLDER``.

A fork for each thing hides it, imports caffepy, and runs commands in a folder of its own.  Libraries are imported before: they look
after themselves.  Written to standard output as JSON: for each thing the exit codes of the commands, or the traceback.
"""

from __future__ import annotations

import builtins
import ctypes
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import sysconfig
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

LIBRARIES = ("cv2", "h5py", "lmdb", "numpy", "google.protobuf.text_format", "click", "torch", "torch.utils.checkpoint")

NET = """
layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "db" backend: LMDB batch_size: 2 } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"""
SOLVER = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 2 display: 1 snapshot: 2 snapshot_prefix: "n" random_seed: 1'
COMMANDS = (
    "--help",
    "convert_imageset ./ list.txt db -resize_height 4 -resize_width 4",
    "compute_image_mean db mean.binaryproto",
    "train -solver solver.prototxt",
    "test -model net.prototxt -weights n_iter_2.caffemodel -iterations 1",
)


def module(name: str) -> Callable[[], None]:
    """Hides a module of the standard library."""

    def hide() -> None:
        sys.modules[name] = None

    return hide


def names(owner: Any, *hidden: str) -> Callable[[], None]:
    """Hides what a module of the standard library has on Linux."""

    def hide() -> None:
        for name in hidden:
            if hasattr(owner, name):
                delattr(owner, name)

    return hide


def hide_proc() -> None:
    """No folder /proc."""

    def without(function: Any) -> Any:
        def refusing(path: Any, *words: Any, **options: Any) -> Any:
            if str(path).startswith("/proc"):
                raise FileNotFoundError(2, "No such file or directory", path)
            return function(path, *words, **options)

        return refusing

    builtins.open = io.open = without(builtins.open)
    for name in ("open", "listdir", "scandir", "stat", "lstat", "readlink"):
        setattr(os, name, without(getattr(os, name)))


def hide_libc() -> None:
    """The C library without names that only Linux or glibc have, such as prctl and mallopt."""
    load = ctypes.CDLL

    def without(name: str | None, *words: Any, **options: Any) -> Any:
        return load(name, *words, **options) if name is not None else object()

    ctypes.CDLL = without


def platform(name: str) -> Callable[[], None]:
    """Has Python say that it runs on another system."""

    def hide() -> None:
        sys.platform = name

    return hide


POSIX = "fork forkpty uname getuid geteuid getgid getegid sysconf statvfs fstatvfs pread pwrite mkfifo getpgid killpg setsid nice sync "
POSIX += "register_at_fork set_blocking get_blocking O_NONBLOCK WNOHANG getloadavg"
LINUX = "memfd_create sched_getaffinity sched_setaffinity pidfd_open posix_fallocate posix_fadvise pipe2 splice eventfd"
SIGNALS = "SIGHUP SIGKILL SIGUSR1 SIGUSR2 SIGALRM SIGCHLD SIGPIPE SIGXFSZ pthread_sigmask alarm setitimer"

HIDDEN: dict[str, tuple[Callable[[], None], ...]] = {
    "fcntl": (module("fcntl"),),
    "resource": (module("resource"),),
    "memfd": (names(os, "memfd_create"),),
    "prctl": (hide_libc,),
    "SIGHUP": (names(signal, "SIGHUP"),),
    "/proc": (hide_proc,),
}
"""By its name: what hides one thing."""
HIDDEN["all of Linux"] = (platform("darwin"), hide_libc, hide_proc, names(os, *LINUX.split()), names(select, "epoll"))
HIDDEN["all of Unix"] = (
    platform("win32"),
    hide_libc,
    hide_proc,
    *(module(name) for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty")),
    names(os, *POSIX.split(), *LINUX.split()),
    names(signal, *SIGNALS.split()),
    names(socket, "AF_UNIX", "SO_PEERCRED", "if_nameindex"),
    names(select, "epoll", "poll"),
)


def main(folder: str) -> None:
    """Try each in a fork."""
    for name in LIBRARIES:
        importlib.import_module(name)
    sysconfig.get_config_vars()  # kept from now on: it reads a file that is named after the system
    found = {}
    for name, hides in HIDDEN.items():
        place = Path(folder) / name.replace("/", "")
        place.mkdir()
        child = os.fork()
        if child == 0:
            try_without(hides, place)
        os.waitpid(child, 0)
        codes = place / "codes"
        found[name] = json.loads(codes.read_text()) if codes.exists() else (place / "said").read_text()
    print(json.dumps(found))


def try_without(hides: Sequence[Callable[[], None]], place: Path) -> NoReturn:
    """Run all in a fork, which ends with it; what went wrong is in the file ``said``."""
    leave = os._exit
    sys.stdout = sys.stderr = open(place / "said", "w")  # noqa: SIM115 - the fork ends with it
    try:
        prepare(place)
        for hide in hides:
            hide()
        codes = run_commands()
        import_all()
        Path("codes").write_text(json.dumps(codes))
    except BaseException:  # noqa: BLE001 - whatever it was, the test shows it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        leave(0)


def prepare(place: Path) -> None:
    """Pictures and prototxts, in the working folder."""
    import cv2
    import numpy as np

    os.chdir(place)
    for i in range(4):
        cv2.imwrite(f"{i}.png", np.full((4, 4, 3), 60 * i, np.uint8))
    Path("list.txt").write_text("".join(f"{i}.png {i % 2}\n" for i in range(4)))
    Path("net.prototxt").write_text(NET)
    Path("solver.prototxt").write_text(SOLVER)


def run_commands() -> list[int]:
    """The exit code of each command."""
    from caffepy.cli.main import run

    return [run("caffepy", command.split()) for command in COMMANDS]


def import_all() -> None:
    """Import every module of caffepy but the one that runs when it is imported."""
    import caffepy

    for found in pkgutil.walk_packages(caffepy.__path__, "caffepy."):
        if found.name != "caffepy.__main__" and not found.name.startswith("caffepy.pycaffe.shim"):
            importlib.import_module(found.name)


if __name__ == "__main__":
    main(sys.argv[1])
