"""A small process beside the ranks of a host that says, once, which rank was lost, and tells the others to end.

It is a process of its own, in a session of its own, because launchers act first: Hydra was measured to kill every rank within 3 ms after
one is killed, before a thread of any rank gets to write a line. It ends with the job and holds nothing but one socket a rank.

On Linux the first rank of a host that begins (`early_monitor`), or at the latest that comes to `join_job`, starts it, and those of this
host find it before they meet the others (`local_monitor`): until they have, each host's judges its own; then rank 0's judges all, and the
other hosts' only look whether theirs come to an end.

A connection that closes without a goodbye is a dead process; the kernel closes it before the launcher can learn of the death, so
on one host the first to close is the first to have died. A rank that is silent while others are heard is stopped or cut off.
Ranks that all live and all stay where they are may wait for each other, or for a layer that never returns: that is told and left to people.

Lines from a rank: ``hello RANK PID HOST``, ``open ADDRESS`` (let other hosts in), ``join`` (from now on I am heard), ``elsewhere`` (another
monitor judges me), ``at PLACE`` (every second or more often), ``still SECONDS`` (its work stands still), ``may`` (I fail: may I say
why?), ``said``, ``bye`` (the work is done; the process ends now), ``rules SECONDS PREFIX`` (the time-out, and whether log lines have a
prefix: the flags are read after the monitor was started); in place of all of them ``aside RANK`` (I end now, with a message of my own).
From who started the ranks: ``killed RANK PID``, and `hello` with rank -1.
Lines to a rank: ``ok`` (heard), ``port NUMBER TOKEN``, ``yes`` (you may), ``end`` (the job is over).
"""

from __future__ import annotations

import math
import os
import re
import secrets
import selectors
import signal
import socket
import sys
import time

from caffepy import log
from caffepy.parallel.failure.admission import Admission
from caffepy.parallel.failure.early_monitor import look
from caffepy.parallel.failure.host_ranks import HostRanks
from caffepy.parallel.failure.peer import Peer
from caffepy.parallel.failure.process_ends import ProcessEnds

PERIOD_S = 1.0
LIVELY_S = 3 * PERIOD_S
"""Ranks not heard for longer are not known to be well."""
START_S = 120.0
HELLO_S = 5.0
"""How long who was let in may take to say who it is."""
END_S = 5.0
"""How long ranks that were told to end are waited for, and a failing rank to say why."""
EAR_S = 0.2
"""How long a rank that fails waits for the word, as it may fail because another died, whose end is heard a moment later."""
DEAF_S = 1.0
"""The same for ranks that have not joined the others yet: they may sit in a library that hears nothing."""
LONGEST_LINE = 1 << 16
UNSEEN = "ended before the others could see it"
TOKEN = "CAFFEPY_MONITOR_TOKEN"
EARLY = "ended before it joined the others"
HELLO = re.compile(r"(-?\d{1,9}) (\d{1,9}) (\S.*)")
RULES = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf) ([01])")


class Monitor:
    """``timeout_s``: silence after which a rank counts as lost; ``patience_s``: seconds without any rank's coming further that are worth
    a warning."""

    def __init__(self, timeout_s: float, patience_s: float = math.inf, *, host_ranks: HostRanks | None = None) -> None:
        self.timeout_s, self.patience_s, self.host_ranks = timeout_s, patience_s, host_ranks
        self.warned = False
        self.peers: dict[int, Peer] = {}
        self.speaker: Peer | None = None
        """The rank that was allowed to say why it fails."""
        self.asking: list[Peer] = []
        """The ranks that want to."""
        self.asked = 0.0
        """When the first of these asked, then when it was allowed to."""
        self.met: set[int] = set()
        """The ranks that have said hello."""
        self.over: float | None = None
        """When the ranks were told to end."""
        self.started = time.monotonic()
        self._selector = selectors.DefaultSelector()
        self._admissions: list[Admission] = []

    def listen(self, listener: socket.socket, token: str) -> None:
        """Let ranks in that know the job's token."""
        self._admissions.append(Admission(listener, self._selector, self._admit, token=token))

    def listen_locally(self, listener: socket.socket) -> None:
        """Let the processes of this host's ranks in."""
        assert self.host_ranks is not None
        self._admissions.append(Admission(listener, self._selector, self._admit, knows=self.host_ranks.knows))

    def run(self) -> None:
        """Until every rank has left."""
        with self._selector:
            self.look_first()
            while self.wanted(time.monotonic()):
                for key, _ in self._selector.select(EAR_S / 2 if self.asking else PERIOD_S / 4):
                    key.data()
                now = time.monotonic()
                self.answer(now)
                for admission in self._admissions:
                    admission.look(now)
                self.look_for_mutes(now)
                self.look_at_host(now)
                self.look_for_silence(now)
                self.look_for_stall(now)
            for admission in self._admissions:
                admission.close()
            for peer in self.peers.values():
                peer.socket.close()

    def wanted(self, now: float) -> bool:
        """There are ranks to watch, or to wait for."""
        if self.over is not None:
            return (bool(self.peers) or (self.host_ranks is not None and bool(self.host_ranks.alive()))) and now - self.over < 2 * END_S
        if self.host_ranks is None:
            return bool(self.peers) or (now - self.started < START_S and not self.met)
        # who holds the ranks' output open keeps their launcher waiting
        return bool(self.peers) or bool(self.host_ranks.alive())

    def _admit(self, connection: socket.socket, pid: int) -> None:
        peer = Peer(connection, time.monotonic(), pid=pid, local=pid != 0)
        connection.setblocking(False)
        descriptor = connection.fileno()
        self.peers[descriptor] = peer

        def read() -> None:
            if self.peers.get(descriptor) is peer and not self.read(peer):
                self._selector.unregister(connection)
                self.part(self.peers.pop(descriptor))

        self._selector.register(connection, selectors.EVENT_READ, read)

    def read(self, peer: Peer) -> bool:
        """Take in what ``peer`` sent, by one read: its end of file must not overtake another's. False when it closed or has to go."""
        try:
            data = peer.socket.recv(4096)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        self.hear(peer, time.monotonic())
        *lines, peer.unread = (peer.unread + data).split(b"\n")
        for line in lines:
            self.take(peer, *line.decode(errors="replace").partition(" ")[::2])
        if len(peer.unread) > LONGEST_LINE:
            peer.dropped = True
        return bool(data) and not peer.dropped

    def hear(self, peer: Peer, now: float) -> None:
        """Note a sign of life. After a time when nothing was heard of anybody (the whole job was suspended), everyone starts afresh."""
        if now - max(other.heard for other in self.peers.values()) > LIVELY_S:
            for other in self.peers.values():
                other.heard = other.moved = now
        peer.heard = now

    def take(self, peer: Peer, word: str, rest: str) -> None:
        """One line of a rank. Who has not said who it is, or says what makes no sense, is dropped."""
        if word == "hello":
            self._greet(peer, rest)
        elif word == "killed" and self._is_launcher(peer):
            self._lost(rest)
        elif word == "aside" and self.host_ranks is not None and peer.local and rest.isdecimal():
            self.host_ranks.aside.add(int(rest))
            peer.tell("ok")
        elif peer.rank < 0:
            peer.dropped = not self._is_launcher(peer)
        elif word == "at":
            if rest != peer.place:
                peer.place, peer.moved = rest, peer.heard
            peer.tell("ok")
        elif word == "join":
            peer.joined = True
            peer.tell("ok")
        elif word == "elsewhere":
            peer.elsewhere = True
        elif word == "rules" and peer.local and (found := RULES.fullmatch(rest)):
            self.timeout_s = float(found[1])
            log.configure(prefix=found[2] == "1")
        elif word == "open":
            self._open(peer, rest)
        elif word == "still":
            self.report(peer.name(), f"stands still for {rest} s there, and waits for no other rank", peer)
        elif word == "may" and self.speaker is None and self.over is None:
            self.asked = self.asked if self.asking else time.monotonic()
            self.asking.append(peer)
        elif word == "said":
            self.end()
        elif word == "bye":
            self._leaves(peer)

    def _leaves(self, peer: Peer) -> None:
        """Its work is done: the job comes further by that, as far as the ranks know that are still at it."""
        peer.left = True
        for other in self.peers.values():
            other.moved = max(other.moved, peer.heard)

    def _greet(self, peer: Peer, rest: str) -> None:
        found = HELLO.fullmatch(rest)
        rank, pid = (int(found[1]), int(found[2])) if found else (-1, 0)
        taken = any(other.rank == rank for other in self.peers.values())
        if found is None or peer.rank >= 0 or (rank >= 0 and taken) or (rank < 0 and not self._is_launcher(peer)):
            peer.dropped = True
            return
        peer.rank, peer.host = rank, found[3]
        if rank >= 0:
            peer.pid = peer.pid if peer.local else pid
            self.met.add(rank)
            if peer.local and self.host_ranks is not None:
                self.host_ranks.ranks[rank] = peer.pid
                self.host_ranks.aside.discard(rank)
        peer.tell("ok")

    def _is_launcher(self, peer: Peer) -> bool:
        return self.host_ranks is not None and peer.local and peer.pid == self.host_ranks.launcher

    def _lost(self, rest: str) -> None:
        """The launcher has seen one of its ranks die by a signal; its own connection tells that too, if it had one."""
        rank, _, pid = rest.partition(" ")
        if self.host_ranks is not None and rank not in map(str, self.met):
            self.report(f"rank {rank} on {self.host_ranks.host} (pid {pid}, last seen at {Peer.place})", "died")

    def _open(self, peer: Peer, address: str) -> None:
        """Listen for ranks of other hosts."""
        try:
            listener = socket.create_server((address.strip(), 0), backlog=128)
        except OSError:
            peer.tell("port 0 none")
            return
        token = secrets.token_hex(16)
        self.listen(listener, token)
        peer.tell(f"port {listener.getsockname()[1]} {token}")

    def part(self, peer: Peer) -> None:
        """``peer`` closed its connection, or is dropped."""
        peer.socket.close()
        if peer.rank >= 0 and not (peer.left or peer.elsewhere):
            early = self.host_ranks is not None and peer.local and not peer.joined
            (self._report_early if early else self.report)(peer.name(), "died", peer)

    def answer(self, now: float) -> None:
        """Let the first that asked say why it fails, if no rank was found lost meanwhile."""
        if self.asking and self.speaker is None and self.over is None and now - self.asked > EAR_S:
            self.speaker, self.asked = self.asking[0], now
            self.speaker.tell("yes")
            self.asking.clear()

    def look_for_mutes(self, now: float) -> None:
        """Drop those that were let in and do not say who they are."""
        for descriptor, peer in list(self.peers.items()):
            if peer.rank < 0 and not self._is_launcher(peer) and now - peer.heard > HELLO_S:
                self._selector.unregister(peer.socket)
                self.part(self.peers.pop(descriptor))

    def look_first(self) -> None:
        """Whether a rank was lost before this process was there: all of them may be gone, and nothing comes any more."""
        if self.host_ranks is not None:
            self.host_ranks.find(known=self.met)
            lost = self.host_ranks.first_lost(known=self.met)
            if lost:
                self.report(lost, UNSEEN)
            self._hear_of_ends()
            self._selector.register(self.host_ranks.ends, selectors.EVENT_READ, self._hear_of_ends)

    def look_at_host(self, now: float) -> None:
        """Report what only the kernel tells: ranks that end or are stopped before they join the others, or are after their work is done."""
        host_ranks = self.host_ranks
        if host_ranks is None:
            return
        peers = {peer.rank: peer for peer in self.peers.values() if peer.rank >= 0}
        if self.over is not None:
            for rank in host_ranks.alive():
                deaf = rank not in peers or not peers[rank].joined or rank in host_ranks.stopped
                if now - self.over > (DEAF_S if deaf else END_S):
                    host_ranks.kill(rank)
            return
        if not any(peer.joined or peer.left or peer.elsewhere for peer in peers.values()):
            host_ranks.find(known=self.met)
            unseen = host_ranks.unseen(now, known=self.met)
            if unseen:
                self.report(unseen, UNSEEN)
        for rank in host_ranks.gone_aside() if self.met else []:
            self.report(self._name(rank), EARLY)
        halted = host_ranks.halted(now, self.timeout_s)
        if halted is not None and (halted not in peers or peers[halted].left or not peers[halted].elsewhere):
            self.report(self._name(halted), f"gave no sign of life for {self.timeout_s:g} s: it is stopped")

    def _hear_of_ends(self) -> None:
        """Report a process that ends before it says anything, at once: its launcher ends the others next."""
        assert self.host_ranks is not None
        for rank in self.host_ranks.ends.told():
            if not (self.host_ranks.told or rank in self.met or rank in self.host_ranks.aside):
                self._report_early(self._name(rank), EARLY)

    def _report_early(self, name: str, what: str, peer: Peer | None = None) -> None:
        """Of a rank of this host that has not joined the others: where some were never seen, they were lost first, and the launcher has
        ended this one."""
        assert self.host_ranks is not None
        absent = self.host_ranks.absent(known=self.met, last=" or ")
        self.report(absent or name, UNSEEN if absent else what, None if absent else peer)

    def _name(self, rank: int) -> str:
        assert self.host_ranks is not None
        known = next((peer for peer in self.peers.values() if peer.rank == rank), None)
        if known is not None:
            return known.name()
        return f"rank {rank} on {self.host_ranks.host} (pid {self.host_ranks.ranks[rank]}, last seen at {Peer.place})"

    def look_for_silence(self, now: float) -> None:
        """Report a rank that is silent while another is heard, and go on without the words of one that failed and then hung."""
        if self.speaker is not None and self.over is None and now - self.asked > END_S:
            self.end()
        ranks = [peer for peer in self.peers.values() if peer.joined and not peer.left]
        silent = [peer for peer in ranks if now - peer.heard > self.timeout_s]
        if silent and any(now - peer.heard < LIVELY_S for peer in ranks):
            what = f"gave no sign of life for {self.timeout_s:g} s: it is stopped, or its host cannot be reached"
            self.report(silent[0].name(), what, silent[0])

    def look_for_stall(self, now: float) -> None:
        """Warn, once, when no rank has come any further for long, though all of them live and have left the start."""
        ranks = sorted((peer for peer in self.peers.values() if peer.joined and not peer.left), key=lambda peer: peer.rank)
        if not ranks or now - max(peer.moved for peer in ranks) <= self.patience_s:
            self.warned = False
        elif not (self.warned or self.over or self.speaker) and all(
            now - peer.heard < LIVELY_S and peer.place != Peer.place for peer in ranks
        ):
            self.warned = True
            places: dict[str, list[str]] = {}
            for peer in ranks:
                places.setdefault(peer.place, []).append(str(peer.rank))
            where = "; ".join(f"rank{'s' * (len(there) > 1)} {', '.join(there)} at {place}" for place, there in places.items())
            advice = "a layer may never return, or the ranks wait for each other; the job goes on"
            log.warning("monitor.py", f"no rank has come any further for {self.patience_s:g} s: {where}; {advice}")

    def report(self, name: str, what: str, peer: Peer | None = None) -> None:
        """Say once what happened to a rank, and end the job."""
        if self.over is None and self.speaker in (None, peer):
            log.fatal("monitor.py", f"{name} {what}; the job ends")
            self.end()

    def end(self) -> None:
        """Tell every rank that is left to end."""
        self.over = self.over or time.monotonic()
        for peer in self.peers.values():
            peer.tell("end")


def main(arguments: list[str]) -> None:
    """``arguments``: the listening socket's file descriptor; time-out and patience in seconds; whether log lines have a prefix; then the
    fields of `HostRanks`, or nothing where the environment has the job's token.

    Those are: launcher, variable, counts, host, the rank that starts it, or -1 for the launcher; then what `early_monitor` has begun
    to look at, if it has: the handle of its `ProcessEnds`, and ``RANK=PROCESS=HANDLE`` of each rank.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # meant for the ranks; this process ends when they have
    descriptor, timeout_s, patience_s, prefix, *rest = arguments
    log.configure(prefix=prefix == "1")
    listener = socket.socket(fileno=int(descriptor))
    if not rest:
        monitor = Monitor(float(timeout_s), float(patience_s))
        monitor.listen(listener, os.environ[TOKEN])
    else:
        launcher, name, count, size, host, starter, *seen = rest
        ends, ranks = _seen(*seen) if seen else look(int(launcher), name)
        host_ranks = HostRanks(int(launcher), name, int(count), int(size), host, starter == "-1", int(starter), ends, ranks)
        monitor = Monitor(float(timeout_s), float(patience_s), host_ranks=host_ranks)
        monitor.listen_locally(listener)
    monitor.run()


def _seen(descriptor: str, *words: str) -> tuple[ProcessEnds, dict[int, int]]:
    seen = [tuple(map(int, word.split("="))) for word in words]
    return ProcessEnds(int(descriptor), {handle: rank for rank, _, handle in seen}), {rank: pid for rank, pid, _ in seen}


if __name__ == "__main__":
    main(sys.argv[1:])
