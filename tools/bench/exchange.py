#!/usr/bin/env python3
"""Whole training iterations of several ranks: caffepy's exchanges beside torch's DistributedDataParallel over gloo.

In each rank all ways stay alive and take turns in short blocks of iterations on the same batches. A way is an exchange and what else
`Sharing` has, such as ``hierarchical,svb=auto,lazy_update=1``. ``null`` computes and updates and exchanges nothing: what the others
take longer is the price of the exchange. ``DDP`` is torch's; a ratio is the median over the rounds of a way's block median
divided by that of the last way. Bytes are what one rank sends in an iteration. ``alone``: one exchange
with nothing to hide behind; hidden is the part of it that the iteration does not show.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caffepy.parallel.communicator import Communicator
    from caffepy.parallel.sharing import Sharing

ROOT = Path(__file__).resolve().parents[2]
BATCHES = {"quick": 100, "caffenet": 8, "full": 100, "lenet": 64, "googlenet": 4, "resnet50": 4}
DDP = "DDP"

Step = Callable[[], object]


def ddp_step(communicator: Communicator, net: str, batch: int) -> Step:
    """An iteration of the hand-written loop under DistributedDataParallel."""
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    from caffepy.parallel.addresses import own_addresses
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
    return lambda: loop.step(*data[next(done) % len(data)])


def sharing_of(way: str) -> Sharing:
    """The choices that a way names."""
    from caffepy.parallel.sharing import Sharing

    exchange, *more = way.split(",")
    fields = dict(field.split("=") for field in more)
    return Sharing(exchange, **{name: int(value) if value.isdecimal() else value for name, value in fields.items()})  # type: ignore[arg-type]


def caffepy_steps(communicator: Communicator, net: str, batch: int, way: str) -> tuple[Step, Step]:
    """An iteration of the Solver, and one without its passes: the last gradients travel again."""
    import caffepy.layers  # noqa: F401  registers them
    from caffepy.proto import caffe_pb2
    from caffepy.proto.text import parse
    from caffepy.solver.solver import Solver
    from tools.bench.batches import batches
    from tools.bench.candidate import give
    from tools.bench.nets import net_text, solver_text

    param = caffe_pb2.SolverParameter()
    text = f"net_param {{ {net_text(net, batch, dropout=False)} }}\n{solver_text(net, constant=True)}"
    solver = Solver(param, parse(text, param, file="solver"), communicator=communicator, sharing=sharing_of(way))
    give(solver.train_engine, batches(net, batch))

    def alone() -> None:
        solver.updates.begin(solver.iteration, lambda: 0.0)
        solver.updates.finish()
        solver.updates.settle()

    return lambda: solver.step(1), alone


def rank_main(net: str, batch: int, options: argparse.Namespace) -> None:
    """One rank: all implementations in turn; rank 0 prints."""
    import torch

    from caffepy.parallel.environment import detect
    from caffepy.parallel.guard import guard

    torch.set_num_threads(options.threads)
    with guard(detect(os.environ, socket.gethostname()), os.environ, timeout_s=120) as communicator:
        steps: dict[str, Step] = {}
        for name in options.ways:
            if name == DDP:
                steps[name] = ddp_step(communicator, net, batch)
            else:
                steps[name], steps[f"{name} alone"] = caffepy_steps(communicator, net, batch, name)
        blocks: dict[str, list[float]] = {name: [] for name in steps}
        busy: dict[str, list[float]] = {name: [] for name in steps}
        sent: dict[str, int] = {}
        for step in steps.values():
            for _ in range(2):
                step()
        for turn in range(options.rounds):
            names = list(steps) if turn % 2 == 0 else list(reversed(steps))
            for name in names:
                communicator.barrier()
                times, before = [], communicator.traffic.sent_bytes["send"]
                used = time.process_time()
                for _ in range(options.iterations):
                    began = time.perf_counter()
                    steps[name]()
                    times.append(time.perf_counter() - began)
                blocks[name].append(median(times) * 1e3)
                busy[name].append((time.process_time() - used) / options.iterations * 1e3)
                sent[name] = (communicator.traffic.sent_bytes["send"] - before) // options.iterations
        if communicator.is_root:
            compute = median(blocks["null"]) if "null" in blocks else 0.0
            for name in options.ways:
                alone = median(blocks.get(f"{name} alone", [0.0])) - median(blocks.get("null alone", [0.0]))
                hidden = (compute + alone - median(blocks[name])) / alone if alone and compute else 0.0
                ratio = median(ours / theirs for ours, theirs in zip(blocks[name], blocks[options.ways[-1]]))
                print(
                    f"{net:10} {communicator.size:5d} {name:32} {median(blocks[name]):10.1f} {median(busy[name]):10.1f} {ratio:6.3f}"
                    f" {sent[name] / 1e6:10.3f} {alone:10.1f} {hidden:6.2f}",
                    flush=True,
                )


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
    print(
        f"{'net':10} {'ranks':>5} {'way':32} {'ms':>10} {'cpu ms':>10} {'ratio':>6} {'MB sent':>10} {'alone ms':>10} {'hidden':>6}",
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
