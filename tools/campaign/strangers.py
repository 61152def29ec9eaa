"""Strangers at every listening port of running jobs: the training goes on, and who belongs to it is still heard.

    python -m tools.campaign.strangers -n 40 -seed 1

The jobs: two ranks of -ranks (a store, gloo's ports, a monitor that only processes of the job can speak to), and two clients of a
-hostfile (the same, with a monitor at a port). Ports of MPI's launchers and libraries are theirs and are let alone. Attacks, in random
order on each port: garbage, half a line, 100 MB, 2000 connections that say nothing, HTTP, a proof with a wrong token, a right proof
that was overheard in another connection, and a rank's words from another that knows the token. After each the job has to come further.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import resource
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from caffepy.parallel.failure import processes
from caffepy.parallel.failure.admission import NONCE_BYTES, exactly, proof
from caffepy.parallel.failure.monitor_process import TOKEN
from tools.campaign import jobs, report

TRAIN = [sys.executable, "-m", "caffepy.cli.main", "caffe", "train", "-solver", "solver.prototxt"]
START_S, STEP_S, END_S = 120.0, 60.0, 60.0
LARGE_BYTES = 100 << 20
MANY = 2000
HANDLES = 1024
"""That a process of the job may have, as on many systems."""
WORDS = (
    b"hello\n",
    b"\0" * 4096,
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"\x3c\x85\xf7\xce" * 300,
    b"bye\nsaid\nend\n" * 50,
    bytes(range(256)) * 64,
)

Attack = Callable[["Place", random.Random], object]


@dataclass(frozen=True)
class Place:
    """A listening socket: ``address``, for `socket.connect`; ``pid``: whose it is."""

    family: socket.AddressFamily
    address: tuple[str, int] | str
    pid: int

    def connect(self) -> socket.socket:
        """A connection, which may be closed by the other end at any time."""
        connection = socket.socket(self.family)
        try:
            connection.settimeout(10)
            connection.connect(self.address)
        except BaseException:
            connection.close()
            raise
        return connection

    def __str__(self) -> str:
        return repr(self.address).replace("\\x00", "@")


def listening(pids: Sequence[int]) -> list[Place]:
    """All sockets at which these processes wait for somebody, each once."""
    known: dict[str, tuple[socket.AddressFamily, tuple[str, int] | str]] = {}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "0A":
            host, port = words[1].split(":")
            known[words[9]] = (socket.AF_INET, (socket.inet_ntoa(bytes.fromhex(host)[::-1]), int(port, 16)))
    for line in Path("/proc/net/tcp6").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "0A":
            known[words[9]] = (socket.AF_INET6, ("::1", int(words[1].split(":")[1], 16)))
    for line in Path("/proc/net/unix").read_text().splitlines()[1:]:
        words = line.split()
        if len(words) > 7 and words[3] == "00010000" and words[7].startswith("@"):
            known[words[6]] = (socket.AF_UNIX, "\0" + words[7][1:])
    found = {}
    for pid in pids:
        for entry in Path(f"/proc/{pid}/fd").glob("*"):
            with contextlib.suppress(OSError):
                inode = os.readlink(entry).removeprefix("socket:[").removesuffix("]")
                if inode in known:
                    found[inode] = Place(*known[inode], pid)
    return list(found.values())


def is_outside(place: Place) -> bool:
    """Whether another host could come to it."""
    return isinstance(place.address, tuple) and not place.address[0].startswith("127.") and place.address[0] != "::1"


def garbage(place: Place, chance: random.Random) -> None:
    """Bytes of no meaning."""
    for words in (*WORDS, chance.randbytes(chance.randrange(1, 5000))):
        with contextlib.suppress(OSError), place.connect() as connection:
            connection.sendall(words)
            connection.settimeout(0.1)
            connection.recv(64)


def half_a_line(place: Place, chance: random.Random) -> None:
    """The beginning of something, and then nothing for a while."""
    with contextlib.suppress(OSError), place.connect() as connection:
        connection.sendall(chance.randbytes(chance.randrange(1, 30)).replace(b"\n", b"x"))
        time.sleep(1.0)


def much(place: Place, chance: random.Random) -> None:
    """100 MB."""
    block = chance.randbytes(1 << 20)
    with contextlib.suppress(OSError), place.connect() as connection:
        for _ in range(LARGE_BYTES >> 20):
            connection.sendall(block)


def many(place: Place, chance: random.Random) -> None:
    """2000 connections that say nothing, held for a while."""
    with contextlib.ExitStack() as held:
        for _ in range(MANY):
            with contextlib.suppress(OSError):
                held.enter_context(place.connect())
        time.sleep(1.0)


def wrong_token(place: Place, chance: random.Random) -> None:
    """What a rank of another job would say."""
    with contextlib.suppress(OSError), place.connect() as connection:
        connection.settimeout(1.0)
        nonce = connection.recv(NONCE_BYTES)
        connection.sendall(proof(chance.randbytes(16).hex(), nonce) + b"hello 1 1 a\njoin\nsaid\n")
        connection.recv(64)


def replay(place: Place, chance: random.Random) -> None:
    """A right proof, overheard in another connection; then the words of a rank that is there, from one that knows the token."""
    token = processes.variable(place.pid, TOKEN)
    if token is None:
        return garbage(place, chance)
    with contextlib.suppress(OSError), place.connect() as first, place.connect() as second:
        right = proof(token, exactly(first, NONCE_BYTES))
        second.sendall(right + b"hello 1 1 a\nsaid\n")
        second.settimeout(1.0)
        second.recv(64)
    for words in (b"hello 1 1 a\nsaid\n", b"said\n", b"may\nsaid\n", b"bye\n", b"hello 0 1 a\nbye\n", b"killed 1 1\n", b"hello -1 1 a\n"):
        with contextlib.suppress(OSError), place.connect() as connection:
            connection.sendall(proof(token, exactly(connection, NONCE_BYTES)) + words)
            connection.settimeout(1.0)
            connection.recv(64)
    return None


ATTACKS: tuple[Attack, ...] = (garbage, half_a_line, much, many, wrong_token, replay)


@dataclass
class Figures:
    """What came of it."""

    ports: int = 0
    attacks: int = 0
    jobs_ended: int = 0
    standstills: int = 0
    open_to_others: int = 0
    """Ports of a job of one host at which other hosts could come."""
    tracebacks: int = 0
    hangs: int = 0


def clients(folder: Path) -> list[list[str]]:
    """The two commands of a -hostfile job on this host."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "hosts").write_text(f"0 127.0.0.1 {port}\n1 127.0.0.1 {port}\n")
    return [[*TRAIN, "-hostfile=hosts", "-num_clients=2", f"-client_id={i}"] for i in range(2)]


def progress(job: jobs.Job) -> int:
    """The last iteration that the log shows."""
    return max((int(number) for number in re.findall(r"\] Iteration (\d+) ", job.text())), default=-1)


def comes_further(job: jobs.Job, limit_s: float) -> bool:
    """The log shows two more iterations."""
    start, until = progress(job), time.monotonic() + limit_s
    while time.monotonic() < until and job.process.poll() is None:
        if progress(job) > start + 1:
            return True
        time.sleep(0.1)
    return False


def attack_job(commands: Sequence[Sequence[str]], attacks: int, chance: random.Random, figures: Figures, folder: Path) -> None:
    """Start a job, attack it so many times, and end it."""
    running = []
    for i, command in enumerate(commands):
        own = folder / f"client{i}"
        own.mkdir()
        running.append(jobs.Job(command, folder, str(folder), said=own / "said.txt", handles=HANDLES))
    job = running[0]
    try:
        if not comes_further(job, START_S):
            figures.jobs_ended += 1
            print(f"{commands[0]}: it does not start\n{job.text()[-2000:]}", file=sys.stderr)
            return
        places = listening(job.pids())
        figures.ports += len(places)
        figures.open_to_others += sum(map(is_outside, places))
        plan = [(attack, place) for attack in ATTACKS for place in places]
        chance.shuffle(plan)
        for attack, place in (plan * (attacks // len(plan) + 1))[:attacks]:
            attack(place, chance)
            figures.attacks += 1
            if not comes_further(job, STEP_S):
                ended = any(one.process.poll() is not None for one in running)
                figures.jobs_ended += ended
                figures.standstills += not ended
                said = "".join(one.text()[-1500:] for one in running)
                print(f"{attack.__name__} at {place}: {'the job ended' if ended else 'it stands still'}\n{said}", file=sys.stderr)
                return
        jobs.send(job.process.pid, signal.SIGINT)
    finally:
        for one in running:
            done = one.finish(END_S)
            figures.hangs += done.hung
            figures.tracebacks += "Traceback (most recent call last)" in done.said


def run(n: int, seed: int) -> tuple[str, bool]:
    """The campaign; its line, and whether it is as it should be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, MANY + 500)), hard))  # the strangers', which the jobs do not get
    chance, figures = random.Random(seed), Figures()
    for number in range(2):
        with tempfile.TemporaryDirectory() as top:
            folder = jobs.make_folder(Path(top), iterations=10_000_000, display=1, snapshot=100, pause_s=0.05)
            commands = [[*TRAIN, "-ranks", "2"]] if number == 0 else clients(folder)
            attack_job(commands, (n + 1 - number) // 2, chance, figures, folder)
    wrong = figures.jobs_ended + figures.standstills + figures.open_to_others + figures.tracebacks + figures.hangs
    return report.line("strangers", seed, **vars(figures)), not wrong and figures.attacks == n


def main() -> None:
    """The command."""
    asked = report.arguments("Strangers at every listening port of running jobs.", n=100, what="attacks")
    sys.exit(not run(asked.n, asked.seed)[1])


if __name__ == "__main__":
    main()
