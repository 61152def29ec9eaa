"""What one iteration of several ranks means, logged once at the start."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy import log
from caffepy.data.shard import MODES
from caffepy.engine.engines import Engine, images_per_pass
from caffepy.net.graph import Graph, Node
from caffepy.parallel.job.sharing import GRAD_SCALES, Sharing
from caffepy.parallel.transport.communicator import Communicator
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.solver.setup.feeding import Feeding


def log_setup(
    communicator: Communicator,
    sharing: Sharing,
    param: SolverParameter,
    engine: Engine,
    *,
    feeding: Feeding,
) -> None:
    """Log how the ranks train the net of ``engine``, and warn of what may surprise.  Collective."""
    log_summary(
        communicator,
        sharing,
        param,
        images=images_per_pass(engine.graph),
        device=str(engine.arena.device),
        feeding=feeding,
    )
    warn_of_sums(communicator, sharing, engine.graph)


def log_summary(
    communicator: Communicator,
    sharing: Sharing,
    param: SolverParameter,
    *,
    images: int,
    device: str,
    feeding: Feeding = Feeding(),
) -> None:
    """Log the ranks and devices, the batch, the data, the learning rate and the exchange.

    ``images``: of one rank in one pass. ``device``: this rank's.
    Collective. Nothing is logged where there is one rank.
    """
    if communicator.size == 1:
        return
    places = communicator.gather_object((communicator.host, device))
    if places is None:
        return
    for line in (
        _ranks_line(communicator, places),
        batch_line(sharing, param, images, communicator.size),
        data_line(feeding),
        rate_line(sharing, param, communicator.size),
        exchange_line(sharing),
    ):
        log.info("job_summary.py:0", line)


def warn_of_sums(communicator: Communicator, sharing: Sharing, graph: Graph) -> None:
    """Warn of layers that learn differently from the ranks' batches than from one batch of all."""
    size = communicator.size
    if size == 1 or not communicator.is_root:
        return
    for node in graph.nodes:
        weight = max(node.loss_weights, key=abs, default=0.0)
        if node.type == "CenterLoss":
            words = (
                "each center moves by the mean of how the ranks' batches would move it, "
                "which is not how a batch of them all would"
            )
        elif weight and sharing.average and _is_sum(node):
            words = (
                f"its loss is a sum over the batch of a rank, and {size} ranks learn from its "
                f"mean, 1/{size} of what one process makes of all their batches; "
                f"loss_weight: {log.number(weight * size)} makes up for it"
            )
        else:
            continue
        log.warning("job_summary.py:0", f"layer '{node.name}' ({node.type}): {words}")


def _is_sum(node: Node) -> bool:
    """Whether the node's part of the loss is a sum over the batch.

    Loss layers are means, and so is a Reduction of that kind. A Python layer may be either.
    """
    if node.layer.is_loss or node.type == "Python":
        return False
    p = node.layer.param.reduction_param
    return not (node.type == "Reduction" and p.operation == p.MEAN and p.axis == 0)


def batch_line(sharing: Sharing, param: SolverParameter, images: int, size: int) -> str:
    """How many images an iteration has."""
    passes = f" x {param.iter_size} passes" if param.iter_size > 1 else ""
    total = images * size * param.iter_size
    return (
        f"batch_mode {sharing.batch_mode}: {images} images a rank x {size} ranks{passes} "
        f"= {total} images an iteration"
    )


def data_line(feeding: Feeding) -> str:
    """Which records a rank reads."""
    shuffled = ", shuffled for each epoch" if feeding.shuffle else ""
    readers = f", by {feeding.readers} reader process(es) on each host" if feeding.readers else ""
    memory = ", from the memory of the hosts" if feeding.in_memory else ""
    return f"shard {feeding.shard}: {MODES[feeding.shard]}{shuffled}{readers}{memory}"


def rate_line(sharing: Sharing, param: SolverParameter, size: int) -> str:
    """What base_lr amounts to."""
    scale = f"grad_scale {sharing.grad_scale}: {GRAD_SCALES[sharing.grad_scale]}"
    effect = ""
    if not sharing.average:
        effect = f", which acts as {log.number(param.base_lr * size)} on their mean"
    return f"{scale}; base_lr {log.number(param.base_lr)}{effect}"


def exchange_line(sharing: Sharing) -> str:
    """How gradients travel, and how late they may be."""
    words = [f"exchange {sharing.way}"]
    if sharing.lazy_update:
        words.append("a parameter is updated when it is next used")
    if sharing.n_group > 1:
        words.append(f"between {sharing.n_group} groups that are in step inside")
    if sharing.staleness:
        words.append(f"a parameter may lack up to {sharing.staleness} updates")
    if sharing.n_server:
        words.append(f"{sharing.n_server} ranks serve")
    if sharing.round_timeout:
        words.append(
            f"a gradient that is {sharing.round_timeout:g} s late goes into the next update"
        )
    if sharing.bandwidth_mbps:
        words.append(f"a rank sends at most {sharing.bandwidth_mbps:g} Mbit/s")
    if sharing.compress != "none":
        words.append(f"gradients travel as {sharing.compress}")
    return ", ".join(words)


def _ranks_line(communicator: Communicator, places: Sequence[tuple[str, str]]) -> str:
    """``3 ranks on 2 host(s), MPI: host1: 0 cpu, 1 cpu; host2: 2 cuda:0``

    ``places``: host and device of each rank.
    """
    hosts = []
    for group in communicator.groups:
        host, _ = places[group[0]]
        devices = ", ".join(f"{rank} {places[rank][1]}" for rank in group)
        hosts.append(f"{host}: {devices}")
    ranks = f"{communicator.size} ranks on {len(communicator.groups)} host(s)"
    return f"{ranks}, {communicator.description}: {'; '.join(hosts)}"
