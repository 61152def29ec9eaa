"""A small process beside a host's ranks: it says once which rank was lost, and ends the others.

It is a process of its own, in a session of its own, because launchers act first. Hydra was measured
to kill every rank within 3 ms after one is killed, before a thread of any rank writes a line. The
monitor ends with the job and holds nothing but one socket for each rank.

On Linux the first rank of a host starts it (`early_monitor`, or at the latest `join_job`), and the
other ranks of the host find it before they meet (`local_monitor`). Until they have met, each host's
monitor watches its own ranks. Then rank 0's watches all, and those of the other hosts only look
whether their ranks come to an end.

What it takes for a loss:

- a connection that closes without ``bye``: the process is dead. The kernel closes connections
  before the launcher can learn of the death, so the first to close is the first that died;
- a rank that is silent while others are heard: it is stopped, or cut off from the network.

Ranks that all live and all stay where they are may wait for each other, or for a layer that never
returns. That is only warned of.

Lines from a rank:

    hello RANK PID HOST    who it is; RANK -1: the process that started the ranks
    open ADDRESS           let ranks of other hosts connect
    join                   it has met the others: from now on it gives signs of life
    elsewhere              another host's monitor watches it
    at PLACE               a sign of life, every second or more often
    still SECONDS          its work has stood still for so long
    may                    it fails: may it say why?
    said                   it has said why
    bye                    its work is done, and its process ends now
    rules SECONDS PREFIX   the time-out, and whether log lines have a prefix: flags are read after
                           the monitor was started
    ending RANK            in place of all others: it ends now, with a message of its own
    killed RANK PID        from the process that started the ranks: a signal ended this one

Lines to a rank: ``ok`` (heard), ``port NUMBER TOKEN``, ``yes`` (it may), ``end`` (the job is over).
"""

from __future__ import annotations

import math
import re
import secrets
import selectors
import socket
import time

from caffepy import log
from caffepy.parallel.failure.admission import Admission
from caffepy.parallel.failure.host_ranks import HostRanks
from caffepy.parallel.failure.peer import Peer, places_of, rank_words
from caffepy.parallel.launch.place import START

PERIOD_S = 1.0
RECENTLY_S = 3 * PERIOD_S
"""Ranks that were not heard for longer are not known to be well."""
START_S = 120.0
"""How long a monitor that knows no processes waits for the first rank."""
HELLO_S = 5.0
"""How long a new connection may take to say who it is."""
END_S = 5.0
"""How long ranks are waited for that were told to end, and a failing rank that is to say why."""
UNJOINED_END_S = 1.0
"""The same for ranks that have not joined: they may be inside a library that hears nothing."""
ASK_S = 0.2
"""How long a failing rank waits before it may speak.

It may fail because another one died, whose end is heard a moment later.
"""
LONGEST_LINE = 1 << 16
UNSEEN = "ended before the others could see it"
EARLY = "ended before it joined the others"
SILENT = "gave no sign of life for {:g} s: it is stopped"
HELLO = re.compile(r"(-?\d{1,9}) (\d{1,9}) (\S.*)")
RULES = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf) ([01])")


class Monitor:
    """``timeout_s``: silence after which a rank counts as lost.

    ``patience_s``: when no rank has advanced for so many seconds, that is worth a warning.
    ``host_ranks``: the processes of this host's ranks; None where the kernel does not tell of them.
    """

    def __init__(
        self,
        timeout_s: float,
        patience_s: float = math.inf,
        *,
        host_ranks: HostRanks | None = None,
    ) -> None:
        self.timeout_s = timeout_s
        self.patience_s = patience_s
        self.host_ranks = host_ranks
        self.peers: dict[int, Peer] = {}
        """Connections by file descriptor."""
        self.greeted: set[int] = set()
        """The ranks that have said hello."""
        self.asking: list[Peer] = []
        """The ranks that want to say why they fail."""
        self.speaker: Peer | None = None
        """The one of them that may."""
        self.asked = 0.0
        """When the first of them asked, and from then on when one was allowed to."""
        self.over: float | None = None
        """When the ranks were told to end."""
        self.warned = False
        """It was said that no rank advances."""
        self.started = time.monotonic()
        self._selector = selectors.DefaultSelector()
        self._admissions: list[Admission] = []

    def listen(self, listener: socket.socket, token: str) -> None:
        """Let ranks connect that know the job's token."""
        admission = Admission(listener, self._selector, self._admit, token=token)
        self._admissions.append(admission)

    def listen_locally(self, listener: socket.socket) -> None:
        """Let the processes of this host's ranks connect."""
        assert self.host_ranks is not None
        admission = Admission(listener, self._selector, self._admit, owns=self.host_ranks.owns)
        self._admissions.append(admission)

    def run(self) -> None:
        """Watch until every rank has left."""
        with self._selector:
            self.check_at_start()
            while self.is_needed(time.monotonic()):
                for key, _ in self._selector.select(ASK_S / 2 if self.asking else PERIOD_S / 4):
                    key.data()
                now = time.monotonic()
                self.let_one_speak(now)
                for admission in self._admissions:
                    admission.drop_slow(now)
                self.drop_nameless(now)
                self.check_processes(now)
                self.check_silence(now)
                self.check_progress(now)
            for admission in self._admissions:
                admission.close()
            for peer in self.peers.values():
                peer.socket.close()

    def is_needed(self, now: float) -> bool:
        """There are ranks to watch or to wait for."""
        if self.host_ranks is None:
            is_early = now - self.started < START_S and not self.greeted
            remain = bool(self.peers) or (is_early and self.over is None)
        else:  # as long as a rank lives, it may hold the output open that the launcher reads
            remain = bool(self.peers) or bool(self.host_ranks.alive())
        return remain and (self.over is None or now - self.over < 2 * END_S)

    def _admit(self, connection: socket.socket, pid: int) -> None:
        peer = Peer(connection, time.monotonic(), pid=pid, local=pid != 0)
        connection.setblocking(False)
        descriptor = connection.fileno()
        self.peers[descriptor] = peer

        def read() -> None:
            if self.peers.get(descriptor) is peer and not self.read(peer):
                self._disconnect(descriptor)

        self._selector.register(connection, selectors.EVENT_READ, read)

    def _disconnect(self, descriptor: int) -> None:
        peer = self.peers.pop(descriptor)
        self._selector.unregister(peer.socket)
        self.disconnected(peer)

    def read(self, peer: Peer) -> bool:
        """Read once from ``peer``; False when it has closed or is to be dropped.

        Once, because its end of file must not be seen before that of another that closed earlier.
        """
        try:
            data = peer.socket.recv(4096)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        self.note_life(peer, time.monotonic())
        *lines, peer.unread = (peer.unread + data).split(b"\n")
        for line in lines:
            word, _, rest = line.decode(errors="replace").partition(" ")
            self.handle(peer, word, rest)
        if len(peer.unread) > LONGEST_LINE:
            peer.dropped = True
        return bool(data) and not peer.dropped

    def note_life(self, peer: Peer, now: float) -> None:
        """Note a sign of life.

        Where nothing was heard of anybody for a while, the whole job was suspended: all ranks
        count as heard now.
        """
        if now - max(other.heard for other in self.peers.values()) > RECENTLY_S:
            for other in self.peers.values():
                other.heard = other.moved = now
        peer.heard = now

    def handle(self, peer: Peer, word: str, rest: str) -> None:
        """One line.  A peer that has not said who it is, or says nonsense, is dropped."""
        if word == "hello":
            self._handle_hello(peer, rest)
        elif word == "killed" and self._is_launcher(peer):
            self._handle_killed(rest)
        elif word == "ending" and self.host_ranks is not None and peer.local and rest.isdecimal():
            self.host_ranks.ending.add(int(rest))
            peer.tell("ok")
        elif peer.rank < 0:
            peer.dropped = not self._is_launcher(peer)
        elif word == "at":
            if rest != peer.place:
                peer.place = rest
                peer.moved = peer.heard
            peer.tell("ok")
        elif word == "join":
            peer.joined = True
            peer.tell("ok")
        elif word == "elsewhere":
            peer.elsewhere = True
        elif word == "rules" and peer.local and (rules := RULES.fullmatch(rest)):
            self.timeout_s = float(rules[1])
            log.configure(prefix=rules[2] == "1")
        elif word == "open":
            self._handle_open(peer, rest)
        elif word == "still":
            what = f"stands still for {rest} s there, and waits for no other rank"
            self.report(peer.name(), what, peer)
        elif word == "may" and self.speaker is None and self.over is None:
            if not self.asking:
                self.asked = time.monotonic()
            self.asking.append(peer)
        elif word == "said":
            self.end()
        elif word == "bye":
            self._handle_bye(peer)

    def _handle_bye(self, peer: Peer) -> None:
        """Its work is done.  For the ranks that are still at work, the job has advanced by that."""
        peer.left = True
        for other in self.peers.values():
            other.moved = max(other.moved, peer.heard)

    def _handle_hello(self, peer: Peer, rest: str) -> None:
        match = HELLO.fullmatch(rest)
        if match is None or peer.rank >= 0:
            peer.dropped = True
            return
        rank = int(match[1])
        is_taken = any(other.rank == rank for other in self.peers.values())
        if is_taken if rank >= 0 else not self._is_launcher(peer):
            peer.dropped = True
            return
        peer.rank = rank
        peer.host = match[3]
        if rank >= 0:
            if not peer.local:
                peer.pid = int(match[2])
            self.greeted.add(rank)
            if peer.local and self.host_ranks is not None:
                self.host_ranks.ranks[rank] = peer.pid
                self.host_ranks.ending.discard(rank)
        peer.tell("ok")

    def _is_launcher(self, peer: Peer) -> bool:
        return self.host_ranks is not None and peer.local and peer.pid == self.host_ranks.launcher

    def _handle_killed(self, rest: str) -> None:
        """A rank that had a connection is reported when that closes; here the others are."""
        rank, _, pid = rest.partition(" ")
        is_new = rank.isdecimal() and int(rank) not in self.greeted
        if self.host_ranks is not None and is_new:
            self.report(rank_words(int(rank), self.host_ranks.host, pid), "died")

    def _handle_open(self, peer: Peer, address: str) -> None:
        try:
            listener = socket.create_server((address.strip(), 0), backlog=128)
        except OSError:
            peer.tell("port 0 none")
            return
        token = secrets.token_hex(16)
        self.listen(listener, token)
        peer.tell(f"port {listener.getsockname()[1]} {token}")

    def disconnected(self, peer: Peer) -> None:
        """``peer`` has closed its connection, or is dropped."""
        peer.socket.close()
        if peer.rank < 0 or peer.left or peer.elsewhere:
            return
        if self.host_ranks is not None and peer.local and not peer.joined:
            self._report_early(peer.name(), "died", peer)
        else:
            self.report(peer.name(), "died", peer)

    def let_one_speak(self, now: float) -> None:
        """Let the first rank that asked say why it fails, if none was found lost meanwhile."""
        if not self.asking or self.speaker is not None or self.over is not None:
            return
        if now - self.asked > ASK_S:
            self.speaker = self.asking[0]
            self.asked = now
            self.speaker.tell("yes")
            self.asking.clear()

    def drop_nameless(self, now: float) -> None:
        """Drop those that were let in and do not say who they are."""
        for descriptor, peer in list(self.peers.items()):
            is_nameless = peer.rank < 0 and not self._is_launcher(peer)
            if is_nameless and now - peer.heard > HELLO_S:
                self._disconnect(descriptor)

    def check_at_start(self) -> None:
        """Report a rank that was lost before this process began.

        All ranks may be gone by now, so that no line would ever come.
        """
        if self.host_ranks is None:
            return
        self.host_ranks.find(known=self.greeted)
        lost = self.host_ranks.lost_at_start(known=self.greeted)
        if lost:
            self.report(lost, UNSEEN)
        self._check_ends()
        self._selector.register(self.host_ranks.ends, selectors.EVENT_READ, self._check_ends)

    def check_processes(self, now: float) -> None:
        """Report ranks that end or are stopped while they say nothing, by what the kernel tells."""
        host_ranks = self.host_ranks
        if host_ranks is None:
            return
        peers = {peer.rank: peer for peer in self.peers.values() if peer.rank >= 0}
        if self.over is not None:
            self._kill_remaining(host_ranks, peers, now - self.over)
            return
        if not any(peer.joined or peer.left or peer.elsewhere for peer in peers.values()):
            host_ranks.find(known=self.greeted)
            never_seen = host_ranks.never_seen(now, known=self.greeted)
            if never_seen:
                self.report(never_seen, UNSEEN)
        for rank in host_ranks.ended_early() if self.greeted else ():
            self.report(self._name(rank), EARLY)
        stopped = host_ranks.stopped_for(now, self.timeout_s)
        if stopped is None:
            return
        peer = peers.get(stopped)
        if peer is None or peer.left or not peer.elsewhere:
            self.report(self._name(stopped), SILENT.format(self.timeout_s))

    def _kill_remaining(
        self, host_ranks: HostRanks, peers: dict[int, Peer], since_end_s: float
    ) -> None:
        """End the ranks by force that do not end although they were told to."""
        for rank in host_ranks.alive():
            hears = rank in peers and peers[rank].joined and rank not in host_ranks.stopped
            if since_end_s > (END_S if hears else UNJOINED_END_S):
                host_ranks.kill(rank)

    def _check_ends(self) -> None:
        """Report a process that ends before it says anything.

        At once: the launcher is going to end the other ranks.
        """
        assert self.host_ranks is not None
        for rank in self.host_ranks.ends.ended():
            is_silent = rank not in self.greeted and rank not in self.host_ranks.ending
            if is_silent and not self.host_ranks.launcher_tells:
                self._report_early(self._name(rank), EARLY)

    def _report_early(self, name: str, what: str, peer: Peer | None = None) -> None:
        """Report a rank of this host that has not joined.

        If some ranks were never seen, one of those was lost first, and the launcher ended this one.
        """
        assert self.host_ranks is not None
        absent = self.host_ranks.absent(known=self.greeted, last=" or ")
        if absent:
            self.report(absent, UNSEEN)
        else:
            self.report(name, what, peer)

    def _name(self, rank: int) -> str:
        assert self.host_ranks is not None
        for peer in self.peers.values():
            if peer.rank == rank:
                return peer.name()
        return rank_words(rank, self.host_ranks.host, self.host_ranks.ranks[rank])

    def check_silence(self, now: float) -> None:
        """Report a rank that is silent while another is heard.

        A failing rank that was allowed to say why, and then hangs, is not waited for either.
        """
        if self.speaker is not None and self.over is None and now - self.asked > END_S:
            self.end()
        ranks = [peer for peer in self.peers.values() if peer.joined and not peer.left]
        silent = [peer for peer in ranks if now - peer.heard > self.timeout_s]
        if silent and any(now - peer.heard < RECENTLY_S for peer in ranks):
            what = f"{SILENT.format(self.timeout_s)}, or its host cannot be reached"
            self.report(silent[0].name(), what, silent[0])

    def check_progress(self, now: float) -> None:
        """Warn, once, when no rank advances, though all live and have left the start."""
        ranks = [peer for peer in self.peers.values() if peer.joined and not peer.left]
        if not ranks or now - max(peer.moved for peer in ranks) <= self.patience_s:
            self.warned = False
            return
        if self.warned or self.over or self.speaker:
            return
        if any(now - peer.heard >= RECENTLY_S or peer.place == START for peer in ranks):
            return
        self.warned = True
        advice = "a layer may never return, or the ranks wait for each other; the job goes on"
        log.warning(
            "monitor.py",
            f"no rank has come any further for {self.patience_s:g} s: {places_of(ranks)}; {advice}",
        )

    def report(self, name: str, what: str, peer: Peer | None = None) -> None:
        """Say once what happened to a rank, and end the job."""
        if self.over is None and self.speaker in (None, peer):
            log.fatal("monitor.py", f"{name} {what}; the job ends")
            self.end()

    def end(self) -> None:
        """Tell every rank to end."""
        if self.over is None:
            self.over = time.monotonic()
        for peer in self.peers.values():
            peer.tell("end")
