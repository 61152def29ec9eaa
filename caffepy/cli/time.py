"""``caffepy time``: how long each layer of a net takes, forward and backward."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

import click

from caffepy.cli.json_output import Json, json_flag, json_object
from caffepy.cli.options import CaffeFlags, caffe_flags
from caffepy.errors import UsageError
from caffepy.parallel.launch.environment import detect

if TYPE_CHECKING:
    from caffepy.net.graph import Graph
    from caffepy.scoring.layer_times import Laps


@click.command("time")
@caffe_flags
@click.option(
    "-cluster",
    "--cluster",
    default="",
    metavar="SPEC",
    help="Also predict the speed of many ranks, such as 2x2,100mbit.",
)
@json_flag
def command(*, flags: CaffeFlags, cluster: str, as_json: bool) -> None:
    """Time the layers of -model in -phase (TRAIN if not given), over -iterations passes.

    -cluster predicts an iteration of many ranks from these times, for every exchange, and
    recommends one. SPEC has items between commas:

    HOSTSxRANKS: hosts and ranks on each; without it, 2 to 1024 ranks.
    The link between hosts: ib-fdr, ib-edr, ib-hdr, 1gbe, 10gbe, 40gbe, 100gbe, or a rate such as
    100mbit or 900MB/s.
    latency=20us: of a small message between hosts.
    processor=2ns: of a rank's processor, for a byte between hosts; caffepy cluster measures it.
    ranks_per_host=4: without HOSTSxRANKS.
    inside=5GB/s: between the ranks of a host.
    cores=8: of a host, where its ranks have to share them.
    """
    if detect(os.environ, platform.node()).rank:
        return  # under mpirun, rank 0 times
    if not flags.model:
        raise UsageError("Need a model definition to time: -model FILE")
    if flags.phase not in ("", "TRAIN", "TEST"):
        raise UsageError(f'-phase {flags.phase}: phase must be "TRAIN" or "TEST"')
    if cluster and flags.iterations < 1:
        raise UsageError(f"-iterations {flags.iterations}: -cluster needs at least 1")
    with json_object(wanted=as_json) as result:
        time_net(flags, cluster, result, as_json=as_json)


def time_net(flags: CaffeFlags, cluster: str, result: dict[str, Json], *, as_json: bool) -> None:
    """Time a net, and put the times into ``result``; the log shows them as well.

    ``cluster``: that of -cluster, whose tables are printed unless ``as_json``.
    """
    from caffepy.cli import cluster_times
    from caffepy.cli.devices import single_device
    from caffepy.engine.engines import Setup, close, open_layerwise
    from caffepy.layers.core.base import TEST, TRAIN
    from caffepy.layers.core.random import CaffeRandom
    from caffepy.net.definition import lone_definition
    from caffepy.scoring.layer_times import Watch, benchmark, time_and_log_whole

    phase = TEST if flags.phase == "TEST" else TRAIN
    definition = lone_definition(flags.model, phase, level=flags.level, stages=flags.stages)
    spec = cluster_times.spec_of(cluster, flags.phase, flags.gpu) if cluster else None
    device = single_device(flags.gpu, 343)
    setup = Setup(device, CaffeRandom(None))
    watch = Watch(device)
    engine = open_layerwise(definition, setup=setup)
    try:
        times = benchmark(engine, flags.iterations, watch)
        result.update(
            {"model": flags.model, "phase": flags.phase or "TRAIN", "iterations": flags.iterations}
        )
        if flags.iterations < 1:
            return
        whole_ms = time_and_log_whole(setup, engine, flags.iterations, watch)
        result.update(times_of(engine.graph, times))
        result["whole_ms"] = whole_ms
        if spec is not None:
            prediction = cluster_times.predict_cluster(engine, times, whole_ms, spec)
            result["cluster"] = prediction.as_object()
            if not as_json:
                print("\n".join(prediction.lines()))
    finally:
        close(engine)


def times_of(graph: Graph, times: tuple[Laps, Laps]) -> dict[str, Json]:
    """Mean milliseconds of a pass and of its layers, forward and backward."""
    forward, backward = times
    layers: list[Json] = [
        {
            "name": node.name,
            "type": node.type,
            "forward_ms": forward.layer_ms[node.index] / forward.passes,
            "backward_ms": backward.layer_ms[node.index] / backward.passes,
        }
        for node in graph.nodes
    ]
    return {
        "layers": layers,
        "forward_ms": forward.mean_ms,
        "backward_ms": backward.mean_ms,
        "forward_backward_ms": forward.mean_ms + backward.mean_ms,
    }
