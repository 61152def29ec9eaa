"""``caffepy time``: how long each layer of a net takes, forward and backward."""

from __future__ import annotations

import os
import platform

import click

from caffepy.cli.options import CaffeFlags, caffe_flags
from caffepy.errors import UsageError
from caffepy.parallel.launch.environment import detect


@click.command("time")
@caffe_flags
@click.option("-cluster", "--cluster", default="", metavar="SPEC", help="Also predict the speed of many ranks, such as 2x2,100mbit.")
def command(*, flags: CaffeFlags, cluster: str) -> None:
    """Time the layers of -model in -phase (TRAIN if not given), over -iterations forward and backward passes.

    -cluster predicts an iteration of many ranks from these times, for every exchange, and recommends one. SPEC: items between commas:
    HOSTSxRANKS (without it: 2 to 1024 ranks), the link between hosts (ib-fdr, ib-edr, ib-hdr, 1gbe, 10gbe, 40gbe, 100gbe, or a rate such
    as 100mbit or 900MB/s), latency=20us, processor=2ns (of a rank's, for a byte between hosts: caffepy cluster measures it),
    ranks_per_host=4, inside=5GB/s (between the ranks of a host), cores=8 (of a host, where its ranks have to share them).
    """
    if detect(os.environ, platform.node()).rank:
        return  # under mpirun, rank 0 times
    if not flags.model:
        raise UsageError("Need a model definition to time: -model FILE")
    if flags.phase not in ("", "TRAIN", "TEST"):
        raise UsageError(f'-phase {flags.phase}: phase must be "TRAIN" or "TEST"')
    if cluster and flags.iterations < 1:
        raise UsageError(f"-iterations {flags.iterations}: -cluster needs at least 1")
    from caffepy.cli.cluster_times import spec_of, tell_cluster
    from caffepy.cli.devices import single_device
    from caffepy.engine.engines import Setup, close, open_layerwise
    from caffepy.layers.core.base import TEST, TRAIN
    from caffepy.layers.core.random import CaffeRandom
    from caffepy.net.definition import lone_definition
    from caffepy.scoring.layer_times import Watch, benchmark, tell_whole

    phase = TEST if flags.phase == "TEST" else TRAIN
    definition = lone_definition(flags.model, phase, level=flags.level, stages=flags.stages)
    asked = spec_of(cluster, flags.phase, flags.gpu) if cluster else None
    device = single_device(flags.gpu, 343)
    setup, watch = Setup(device, CaffeRandom(None)), Watch(device)
    engine = open_layerwise(definition, setup=setup)
    try:
        times = benchmark(engine, flags.iterations, watch)
        if flags.iterations < 1:
            return
        whole_ms = tell_whole(setup, engine, flags.iterations, watch)
        if asked is not None:
            tell_cluster(engine, times, whole_ms, asked)
    finally:
        close(engine)
