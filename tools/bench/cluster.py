#!/usr/bin/env python3
"""How well `caffepy time -cluster` predicts: predicted and real iterations of several ranks, on the same links.

Start it as the ranks of a job on hosts whose links have a known rate: ``mpirun -n 4 python -m tools.bench.cluster 2x2,100mbit caffenet``.
In each round all ranks time the net's layers at once, as they will compute at once, and what a byte of a message takes of the processor,
and then the ways train in turns. ``off``: the median over the rounds of a round's prediction by its real iteration, less 1. ``crowd``:
how many times as long as alone on a processor the passes took, for which ranks of this job and other programs wait for one another.
An iteration's time is the mean over a turn, in which parameters may arrive late in one and early in another, and of that the
median over the ranks. ``null`` computes and updates and exchanges nothing. The times of the layers are scaled to the slowest
rank's iterations of it in the same round, as ranks that exchange wait for the slowest.
``alone``: one exchange with nothing to hide behind. ``hideable``: the share of it that the iteration would not show if each gradient
left the moment it is there, and messages took nothing but the link's time: the first layers' come last, and nothing is computed
behind them but, with lazy updates, the next forward pass. ``hidden``: the part that it does not show, as a share of that.
"""

from __future__ import annotations

import argparse
import os
import socket
import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, median

if __name__ == "__main__":
    from tools.bench.needs import needs

    needs("mpich")

import torch

from caffepy import log
from caffepy.engine.allocator import keep_freed_memory
from caffepy.engine.engines import Setup, open_layerwise, open_net
from caffepy.errors import UsageError
from caffepy.layers.core.base import TRAIN
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import Definition
from caffepy.parallel.job.join import join_job
from caffepy.parallel.job.preflight import measure_processor
from caffepy.parallel.launch.environment import detect
from caffepy.parallel.predict.cluster_spec import Cluster, parse_cluster
from caffepy.parallel.predict.polling import PollDelays, measure_polling
from caffepy.parallel.predict.prediction import Costs, Way, predict, ways
from caffepy.parallel.transport.communicator import Communicator
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.scoring.layer_times import Watch, benchmark, time_whole
from caffepy.solver.costs import costs_of
from tools.bench.batches import batches
from tools.bench.candidate import give
from tools.bench.exchange import BATCHES, Run, caffepy_side
from tools.bench.nets import net_text


class Timing:
    """What ``caffepy time`` measures, by all ranks at once and a little at a time, in turns with the ways."""

    def __init__(self, net: str, batch: int) -> None:
        message = caffe_pb2.NetParameter()
        places = parse(net_text(net, batch, dropout=False), message, file="net")
        message.state.phase = TRAIN
        definition = Definition(message, places.where, "net")
        setup, self._watch = Setup(torch.device("cpu"), CaffeRandom(1)), Watch(torch.device("cpu"))
        self._engine, self._fast = open_layerwise(definition, setup=setup), open_net(definition, setup=setup)
        for engine in (self._engine, self._fast):
            give(engine, batches(net, batch))

    def measure(self, passes: int) -> tuple[Costs, float]:
        """Once more: the costs, and how crowded the processor is."""
        forward, backward = benchmark(self._engine, passes, self._watch)
        used = time.process_time()
        whole_ms = time_whole(self._fast, passes, self._watch)
        crowd = max(1.0, whole_ms * (passes + 1) / 1e3 / (time.process_time() - used))
        polling = measure_polling(lambda: time_whole(self._fast, passes, self._watch))
        graph, arena = self._engine.graph, self._engine.arena
        return costs_of(graph, arena, forward.layer_ms, backward.layer_ms, whole_ms=whole_ms, polling=polling), crowd


def least_s(costs: Costs, cluster: Cluster, size: int, way: Way) -> float:
    """An iteration whose gradients leave one by one, by messages that take nothing but the link's time."""
    between = cluster.between and replace(cluster.between, latency_s=0.0, processor=0.0)
    free = replace(cluster, between=between, inside=replace(cluster.inside, latency_s=0.0, processor=0.0))
    return predict(replace(costs, polling=PollDelays(0.0, 0.0)), free, size, way, bucket_bytes=1)


def words_of(way: Way) -> str:
    """As `exchange.sharing_of` reads it."""
    numbers = (("n_group", way.groups), ("n_server", way.servers), ("table_staleness", way.staleness))
    words = [way.exchange, *(f"{name}={number}" for name, number in numbers if number)]
    return ",".join(words) + ",svb=auto" * way.svb + ",lazy_update=1" * way.lazy


def as_measured(communicator: Communicator, cluster: Cluster, crowd: float) -> Cluster:
    """The cluster with this machine's processors.  Collective."""
    cluster = replace(cluster, cores=cluster.ranks_per_host / crowd)
    if cluster.between is None:
        return cluster
    return replace(cluster, between=replace(cluster.between, processor=measure_processor(communicator, cluster.between.bandwidth)))


def rank_main(options: argparse.Namespace) -> None:
    """One rank; rank 0 prints."""
    cluster, batch = parse_cluster(options.spec), options.batch or BATCHES[options.net]
    torch.set_num_threads(1)
    log.sink.min_level = log.WARNING
    keep_freed_memory()
    with join_job(detect(os.environ, socket.gethostname()), os.environ, timeout_s=120) as communicator:
        if [communicator.size] != cluster.sizes():
            raise UsageError(f"{options.spec}, but there are {communicator.size} ranks")
        chosen = {words: way for way in ways() if (words := words_of(way)) in options.ways or not options.ways}
        timing = Timing(options.net, batch)
        runs: dict[str, Run] = {}
        for words in ("null", *chosen):
            ours = caffepy_side(communicator, options.net, batch, words)
            runs[words] = ours.run
            if not options.no_alone:
                runs[f"{words} alone"] = ours.alone
        blocks: dict[str, list[float]] = {name: [] for name in runs}
        costs: list[Costs] = []
        clusters: list[Cluster] = []
        timed_s: list[float] = []
        for _ in range(options.rounds):
            communicator.barrier()
            found, crowd = max(communicator.allgather_object(timing.measure(options.passes)), key=lambda pair: pair[0].alone_s)
            clusters.append(as_measured(communicator, cluster, crowd))
            for name, run in runs.items():
                communicator.barrier()
                seconds = run(options.iterations)
                everyone = communicator.allgather_object(seconds)
                blocks[name].append(median(map(mean, everyone)))
                if name == "null":
                    slowest_s = median(map(max, zip(*everyone)))
            costs.append(found.slowed(slowest_s / found.alone_s))
            timed_s.append(found.alone_s)
        if not communicator.is_root:
            return
        byte_ns = [there.between.processor * 1e9 for there in clusters if there.between]
        crowds = [there.crowd(communicator.size) for there in clusters]
        late_ms = [[1e3 * polling.computing_s, 1e3 * polling.waiting_s] for polling in (found.polling for found in costs)]
        computing_ms, waiting_ms = map(median, zip(*late_ms))
        print(
            f"crowd {median(crowds):.2f}; a byte between hosts takes {median(byte_ns or [0.0]):.1f} ns of a processor;"
            f" a message is seen after {computing_ms:.2f} ms by a rank that computes, {waiting_ms:.2f} by one that waits"
        )
        columns = f"{'predicted':>10} {'real, ms':>10} {'off':>7} {'alone, ms':>10} {'hideable':>8} {'hidden':>6}"
        print(f"{'net':10} {'links':14} {'way':36} {columns}")
        head = f"{options.net:10} {options.spec:14} "
        print(f"{head}{'null':36} {compared(timed_s, blocks['null'])}")
        for words, way in chosen.items():
            predicted = [predict(found, there, communicator.size, way) for found, there in zip(costs, clusters)]
            line = f"{head}{words:36} {compared(predicted, blocks[words])}"
            if options.no_alone:
                print(line, flush=True)
                continue
            best = [least_s(found, cluster, communicator.size, way) for found in costs]
            alone = median(blocks[f"{words} alone"]) - median(blocks["null alone"])
            hideable = median(found.alone_s + alone - least for found, least in zip(costs, best))
            shown = median(real - found.alone_s for real, found in zip(blocks[words], costs))
            hidden = f"{hideable / alone:8.2f} {(alone - shown) / hideable:6.2f}" if hideable > alone / 10 else ""
            print(f"{line} {alone * 1e3:10.1f} {hidden}", flush=True)


def compared(predicted: Sequence[float], real: Sequence[float]) -> str:
    """The columns of a way's predictions and real iterations, in seconds, by round."""
    off = median(ours / found for ours, found in zip(predicted, real)) - 1
    return f"{median(predicted) * 1e3:10.1f} {median(real) * 1e3:10.1f} {off:+7.1%}"


def main() -> None:
    """Be one of the ranks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", help="as -cluster takes it, with HOSTSxRANKS")
    parser.add_argument("net", choices=sorted(BATCHES))
    parser.add_argument("--ways", nargs="+", default=[], metavar="WAY", help="as exchange.py takes them; default: all that are predicted")
    parser.add_argument("--batch", type=int, help="pictures in a rank's batch, instead of the net's own")
    parser.add_argument("--passes", type=int, default=3, help="to time the layers")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=2, help="of one turn")
    parser.add_argument("--no-alone", action="store_true", help="do not time exchanges with nothing to hide behind")
    rank_main(parser.parse_args())


if __name__ == "__main__":
    main()
