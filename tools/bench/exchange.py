#!/usr/bin/env python3
"""Whole training iterations of several ranks: caffepy's exchanges beside torch's DistributedDataParallel over gloo.

In each rank all ways stay alive and take turns in short blocks of iterations on the same batches. A way is an exchange and what else
`Sharing` has, such as ``hierarchical,svb=auto,lazy_update=1``. ``null`` computes and updates and exchanges nothing: what the others
take longer is the price of the exchange. ``DDP`` is torch's; a ratio is the median over the rounds of a way's block median
divided by that of the last way. ``alone``: one exchange with nothing to hide behind; hidden is the part of it that the iteration
does not show. Bytes of an iteration: what rank 0 sends; what the formula of the exchange says for the busiest host's link; what
that host's interface sent less the headers of its packets, where ranks are on several hosts.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tools.bench.needs import needs

if TYPE_CHECKING:
    from caffepy.parallel.job.sharing import Sharing
    from caffepy.parallel.transport.communicator import Communicator
    from caffepy.solver.solver import Solver

ROOT = Path(__file__).resolve().parents[2]
BATCHES = {"quick": 100, "caffenet": 8, "full": 100, "lenet": 64, "googlenet": 4, "resnet50": 4}
DDP = "DDP"
HEADERS = 14 + 20 + 32
"""Bytes of a packet that are Ethernet's, IP's and TCP's (with time stamps), and no payload."""

UNTIMED = 2
"""Iterations before those of a turn that are timed: nothing is under way in the first, so that the second is shorter than the others
where parameters come late."""

Run = Callable[[int], list[float]]
"""So many iterations in a row; the seconds of each, from a point in it to the same point in the next."""


def timed(step: Callable[[], object]) -> Run:
    """One call after the other."""

    def run(iterations: int) -> list[float]:
        marks = [time.perf_counter()]
        for _ in range(iterations):
            step()
            marks.append(time.perf_counter())
        return [done - begun for begun, done in pairwise(marks)]

    return run


def ddp_run(communicator: Communicator, net: str, batch: int) -> Run:
    """An iteration of the hand-written loop under DistributedDataParallel."""
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    from caffepy.parallel.launch.addresses import own_addresses
    from tools.bench.batches import batches
    from tools.bench.loops import Loop

    root = communicator.is_root
    store = dist.TCPStore("0.0.0.0", 0, is_master=True, wait_for_workers=False) if root else None
    address, port = communicator.bcast_object((own_addresses()[-2 if len(communicator.groups) > 1 else -1], store.port if store else 0))
    store = store or dist.TCPStore(address, port, is_master=False)
    dist.init_process_group("gloo", store=store, rank=communicator.rank, world_size=communicator.size)
    loop = Loop(net, channels_last=False, dropout=False)
    loop.model = DistributedDataParallel(loop.model)
    data = batches(net, batch)
    done = iter(range(1 << 30))
    return timed(lambda: loop.step(*data[next(done) % len(data)]))


def sharing_of(way: str) -> Sharing:
    """The choices that a way names."""
    from caffepy.parallel.job.sharing import Sharing

    exchange, *more = way.split(",")
    fields = dict(field.split("=") for field in more)
    return Sharing(exchange, **{name: int(value) if value.isdecimal() else value for name, value in fields.items()})


@dataclass
class Ours:
    """caffepy's side of one way.  ``run``: iterations of the Solver. ``alone``: without their passes: the last gradients travel again.

    ``link_bytes``: what an iteration sends over the busiest host's link, by formula.
    """

    run: Run
    alone: Run
    link_bytes: float


def caffepy_side(communicator: Communicator, net: str, batch: int, way: str) -> Ours:
    """A Solver on `batches`."""
    from caffepy.proto import caffe_pb2
    from caffepy.proto.text import parse
    from caffepy.solver.solver import Solver
    from tools.bench.batches import batches
    from tools.bench.candidate import give
    from tools.bench.nets import net_text, solver_text

    param = caffe_pb2.SolverParameter()
    text = f"net_param {{ {net_text(net, batch, dropout=False)} }}\n{solver_text(net)}"
    sharing = sharing_of(way)
    solver = Solver(param, parse(text, param, file="solver"), communicator=communicator, sharing=sharing)
    give(solver.train_engine, batches(net, batch))

    def run(iterations: int) -> list[float]:
        marks: list[float] = []

        def mark(solver: Solver) -> None:
            marks.append(time.perf_counter())

        solver.watchers.append(mark)
        solver.step(UNTIMED + iterations)
        solver.watchers.remove(mark)
        return [done - begun for begun, done in pairwise(marks[UNTIMED - 1 :])]

    def alone() -> None:
        solver.updates.begin(solver.iteration, lambda: 0.0)
        solver.updates.apply()
        solver.updates.wait()

    return Ours(run, timed(alone), link_bytes(solver, sharing.chosen(communicator, on_gpu=False).way, communicator))


def link_bytes(solver: Solver, exchange: str, communicator: Communicator) -> float:
    """By the formulas of the exchange and of the factors."""
    from caffepy.parallel.exchange.core.registry import EXCHANGES
    from caffepy.parallel.factors.factors import sent_bytes
    from caffepy.solver.updating.factors import candidates

    graph = solver.train_engine.graph
    factored = set(solver.updates.factored())
    found = [candidate for candidate in candidates(graph, range(len(graph.learnable))) if candidate.place in factored]
    whole = sum(4 * tensor.numel() for place, tensor in enumerate(solver.train_engine.arena.learnable) if place not in factored)
    between = EXCHANGES[exchange].link_bytes(whole, communicator.groups)
    return between + sum(sent_bytes(candidate.product, communicator.size, 1) for candidate in found)


def interface_bytes(communicator: Communicator) -> list[int] | None:
    """What TCP has sent from each host so far, by the counters of its network interfaces; None on one host.  Collective."""
    if len(communicator.groups) == 1:
        return None
    lines = (line.split() for line in Path("/proc/net/dev").read_text().splitlines() if ":" in line)
    sent = sum(int(words[9]) - HEADERS * int(words[10]) for words in lines if words[0] != "lo:")
    everyone = communicator.allgather_object(sent)
    return [everyone[group[0]] for group in communicator.groups]


def rank_main(net: str, batch: int, options: argparse.Namespace) -> None:
    """One rank: all implementations in turn; rank 0 prints."""
    import torch

    from caffepy.parallel.job.join import join_job
    from caffepy.parallel.launch.environment import detect

    torch.set_num_threads(options.threads)
    with join_job(detect(os.environ, socket.gethostname()), os.environ, timeout_s=120) as communicator:
        runs: dict[str, Run] = {}
        formulas: dict[str, float] = {}
        for name in options.ways:
            if name == DDP:
                runs[name] = ddp_run(communicator, net, batch)
            else:
                ours = caffepy_side(communicator, net, batch, name)
                runs[name], runs[f"{name} alone"], formulas[name] = ours.run, ours.alone, ours.link_bytes
        blocks: dict[str, list[float]] = {name: [] for name in runs}
        busy: dict[str, list[float]] = {name: [] for name in runs}
        sent: dict[str, float] = {}
        crossed: dict[str, float] = {}
        for run in runs.values():
            run(1)
        for turn in range(options.rounds):
            names = list(runs) if turn % 2 == 0 else list(reversed(runs))
            for name in names:
                count = options.iterations + (UNTIMED if name in formulas else 0)
                communicator.barrier()
                crossed_before, sent_before = interface_bytes(communicator), communicator.traffic.sent_bytes["send"]
                used = time.process_time()
                blocks[name].append(median(runs[name](options.iterations)) * 1e3)
                busy[name].append((time.process_time() - used) / count * 1e3)
                sent[name] = (communicator.traffic.sent_bytes["send"] - sent_before) / count / 1e6
                communicator.barrier()
                crossed_after = interface_bytes(communicator)
                if crossed_before is not None and crossed_after is not None:
                    crossed[name] = max(after - before for after, before in zip(crossed_after, crossed_before)) / count / 1e6
        if communicator.is_root:
            compute = median(blocks["null"]) if "null" in blocks else 0.0
            for name in options.ways:
                words = f"{net:10} {communicator.size:5d} {name:32} {median(blocks[name]):10.1f} {median(busy[name]):10.1f}"
                ratio = median(ours / theirs for ours, theirs in zip(blocks[name], blocks[options.ways[-1]]))
                words += f" {ratio:6.3f}"
                if name != DDP:
                    alone = median(blocks[f"{name} alone"]) - median(blocks.get("null alone", [0.0]))
                    hidden = (compute + alone - median(blocks[name])) / alone if alone > 0 and compute else 0.0
                    words += f" {alone:10.1f} {hidden:6.2f} {sent[name]:9.3f} {formulas[name] / 1e6:9.3f}"
                    words += f" {crossed[name]:9.3f}" if name in crossed else ""
                print(words, flush=True)


def main() -> None:
    """Start the ranks for each net, or be one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nets", nargs="*", default=["quick", "caffenet"], metavar="NET", help=f"of {', '.join(BATCHES)}")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2])
    parser.add_argument("--ways", nargs="+", default=["null", "allreduce", "hierarchical", DDP], metavar="WAY")
    parser.add_argument("--batch", type=int, help="pictures in a rank's batch, instead of the net's own")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--iterations", type=int, default=5, help="of one turn")
    parser.add_argument("--threads", type=int, default=1, help="of each rank")
    parser.add_argument("--mpirun", default=str(Path(sys.executable).parent / "mpirun"))
    parser.add_argument("--as-rank", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.as_rank:
        rank_main(options.nets[0], options.batch, options)
        return
    needs("mpich", program=options.mpirun)
    print(
        f"{'net':10} {'ranks':>5} {'way':32} {'ms':>10} {'cpu ms':>10} {'ratio':>6} {'alone ms':>10} {'hidden':>6}"
        f" {'MB sent':>9} {'formula':>9} {'MB link':>9}",
        flush=True,
    )
    environment = dict(os.environ, PYTHONPATH=str(ROOT), OMP_NUM_THREADS=str(options.threads), OMP_WAIT_POLICY="PASSIVE")
    for net in options.nets:
        for ranks in options.ranks:
            command = [options.mpirun, "-n", str(ranks), sys.executable, "-m", "tools.bench.exchange", net, "--as-rank"]
            command += ["--batch", str(options.batch or BATCHES[net]), "--rounds", str(options.rounds)]
            command += ["--iterations", str(options.iterations), "--threads", str(options.threads), "--ways", *options.ways]
            subprocess.run(command, cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
