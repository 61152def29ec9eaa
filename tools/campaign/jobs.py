"""Small trainings to be attacked: their files, how they are started, which processes are theirs, and whether what they wrote is whole."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from caffepy.parallel.failure import processes
from caffepy.parallel.failure.early_monitor import socket_name
from caffepy.proto import caffe_pb2
from caffepy.proto.solver_state import read_state
from caffepy.proto.weights import read_net_weights

ROOT = Path(__file__).resolve().parents[2]
MARK = "CAFFEPY_CAMPAIGN"
"""A variable that all processes of a job have, with a value of its own."""
NET = """
layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "db" backend: LMDB batch_size: 4 } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param {
  num_output: 8 kernel_size: 3 weight_filler { type: "xavier" } } }
layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip" inner_product_param {
  num_output: 10 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"""
PAUSING = """
layer {{ name: "pause" type: "Python" bottom: "label" top: "pause" include {{ phase: TRAIN }}
  python_param {{ module: "pausing" layer: "Pause" param_str: "{pause_s}" }} }}
layer {{ name: "end" type: "Silence" bottom: "pause" include {{ phase: TRAIN }} }}
"""
PAUSE = """
import time, caffe
class Pause(caffe.Layer):
    def reshape(self, bottom, top):
        top[0].reshape(1)
    def forward(self, bottom, top):
        time.sleep(float(self.param_str))
    def backward(self, top, propagate_down, bottom):
        pass
"""
SOLVER = """
net: "net.prototxt" base_lr: 0.001 lr_policy: "fixed" momentum: 0.9 random_seed: 1
test_iter: 2 test_interval: 20 snapshot_prefix: "s"
"""


def make_folder(folder: Path, *, iterations: int, display: int = 10, snapshot: int = 10, records: int = 40, pause_s: float = 0) -> Path:
    """A database, a net and a solver of so many iterations, which tells and snapshots as often.

    ``pause_s``: that each iteration sleeps, for jobs that wait for something else and leave the processors to others.
    """
    import lmdb

    generator = np.random.default_rng(1)
    with lmdb.open(str(folder / "db"), map_size=1 << 22) as env, env.begin(write=True) as txn:
        for i in range(records):
            pixels = generator.integers(0, 256, (3, 16, 16)).astype(np.uint8)
            datum = caffe_pb2.Datum(channels=3, height=16, width=16, data=pixels.tobytes(), label=i % 10)
            txn.put(b"%08d" % i, datum.SerializeToString())
    (folder / "net.prototxt").write_text(NET + (PAUSING.format(pause_s=pause_s) if pause_s else ""))
    (folder / "pausing.py").write_text(PAUSE)
    (folder / "solver.prototxt").write_text(f"{SOLVER}max_iter: {iterations} display: {display} snapshot: {snapshot}\n")
    return folder


def memory() -> str | None:
    """A folder in memory, where syncing costs nothing; None where there is none, for the system's own."""
    return "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else None


def mpirun() -> list[str]:
    """The launcher beside this Python, or on PATH, with what it needs to run as root; nothing if there is none."""
    beside = Path(sys.executable).parent / "mpirun"
    found = str(beside) if beside.exists() else shutil.which("mpirun")
    if found is None:
        return []
    said = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    if re.search("Open MPI|OpenRTE|PRRTE", said):
        return [found, "--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
    return [found]


@dataclass(frozen=True)
class Ended:
    """``code``: of the program that was started; ``hung``: it had to be ended. ``left``: processes that outlived it."""

    code: int
    said: str
    hung: bool
    left: int

    def fatal(self) -> list[str]:
        """The messages of its F lines."""
        return [line.split("] ", 1)[1] for line in self.said.splitlines() if re.match(r"F\d{4} .*\] ", line)]


class Job:
    """One running command, whose processes can be found."""

    def __init__(self, command: Sequence[str], folder: Path, mark: str, *, said: Path | None = None, handles: int = 0) -> None:
        """``said``: where its output goes, by default into ``folder``. ``handles``: how many files it may have open, if not as many as
        this process."""
        self.mark, self.began = mark, time.monotonic()
        self._said = said or folder / "said.txt"
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", MARK: mark}
        limited = ["/bin/sh", "-c", f'ulimit -S -n {handles}; exec "$@"', "sh", *command] if handles else command
        with self._said.open("w") as out:
            self.process = subprocess.Popen(limited, cwd=folder, env=environ, stdout=out, stderr=out, start_new_session=True)

    def pids(self) -> list[int]:
        """Its processes that have not ended."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            pid = int(entry.name)
            if processes.variable(pid, MARK) == self.mark and (process := processes.look_up(pid)) is not None and process.lives:
                found.append(pid)
        return found

    def rank(self, number: int, variable: str) -> int:
        """The process of a rank by the variable that holds its number; 0 if there is none yet, or any more."""
        found = (pid for pid in self.pids() if processes.variable(pid, variable) == str(number) and not _is_monitor(pid))
        return next((pid for pid in found if processes.variable(parent_of(pid), variable) is None), 0)

    def watched(self, rank: int) -> bool:
        """The ranks beside the process ``rank`` have a monitor: the kernel knows its socket."""
        name = socket_name(parent_of(rank)).replace("\0", "@")
        return name in {line.rpartition(" ")[2] for line in Path("/proc/net/unix").read_text().splitlines()}

    def text(self) -> str:
        """What it said so far."""
        return self._said.read_text(errors="replace")

    def finish(self, limit_s: float, *, grace_s: float = 5.0) -> Ended:
        """Wait for its end, and end what is left of it."""
        hung = False
        try:
            self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            hung = True
        left, until = self.pids(), time.monotonic() + grace_s
        while left and not hung and time.monotonic() < until:
            time.sleep(0.1)
            left = self.pids()
        for pid in left:
            send(pid, signal.SIGKILL)
        code = self.process.wait()
        return Ended(code, self.text(), hung, 0 if hung else len(left))


def parent_of(pid: int) -> int:
    """The process that started this one; 0 if there is none."""
    found = processes.look_up(pid)
    return found.parent if found is not None else 0


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may have ended."""
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def _is_monitor(pid: int) -> bool:
    try:
        return b"caffepy.parallel.failure.monitor_process" in (Path("/proc") / str(pid) / "cmdline").read_bytes()
    except OSError:
        return False


def broken_files(folder: Path) -> list[str]:
    """Models and states that cannot be read, and states without their model. What was written aside and not renamed does not count."""
    broken = []
    for path in sorted(folder.glob("s_iter_*")):
        if not re.fullmatch(r"s_iter_\d+\.(caffemodel|solverstate)(\.h5)?", path.name):
            continue
        try:
            if ".caffemodel" in path.name:
                list(read_net_weights(path))
            elif not (folder / read_state(str(path)).learned_net).exists():
                broken.append(f"{path.name}: its model is missing")
        except Exception as error:  # noqa: BLE001 - whatever makes it unreadable
            broken.append(f"{path.name}: {error}")
    return broken
