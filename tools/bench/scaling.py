#!/usr/bin/env python3
"""What `caffepy time -cluster` says of 64 to 1024 accelerators, and of clusters whose speed was published.

An accelerator is a published speed: so many pictures a second alone. Its time is divided among the layers by their FLOPs, one
part forward and two backward; the update takes what its bytes take of the accelerator's memory. Messages are moved on at once
and cost the accelerator nothing, as by NCCL or RDMA. Nothing is measured here, and no MPI is needed.
``python -m tools.bench.scaling`` prints the tables of docs/scaling.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

if __name__ == "__main__":
    from tools.bench.needs import needs

    needs()

from caffepy.layers.core.base import TRAIN
from caffepy.net.compile import compile as compile_net
from caffepy.parallel.predict.cluster_spec import parse_cluster
from caffepy.parallel.predict.polling import PollDelays
from caffepy.parallel.predict.prediction import Costs, Way, predict
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.report.summary import row
from caffepy.solver.costs import layer_costs
from tools.bench.nets import memory_data, net_text
from tools.bench.prototxt import Prototxt

SIZES = (64, 256, 1024)
VGG = {"vgg16": (2, 2, 3, 3, 3), "vgg19": (2, 2, 4, 4, 4)}
"""3x3 convolutions of each stage."""
WAYS = {
    "allreduce": Way("allreduce"),
    "hierarchical": Way("hierarchical"),
    "hierarchical -svb auto": Way("hierarchical", svb=True),
    "hierarchical -lazy_update": Way("hierarchical", lazy=True),
    "tree": Way("tree"),
    "rma_tree": Way("rma_tree"),
    "ps": Way("ps"),
}
LINKS = ("10gbe", "100gbe", "ib-edr")


def vgg(name: str, batch: int, classes: int) -> str:
    """VGG with 16 or 19 layers (arXiv:1409.1556), without its Dropout layers."""
    net = Prototxt(name)
    net.parts.append(memory_data(batch, (3, 224, 224)))
    top = "data"
    for stage, (number, outputs) in enumerate(zip(VGG[name], (64, 128, 256, 512, 512), strict=True), 1):
        for index in range(1, number + 1):
            top = net.relu(f"relu{stage}_{index}", net.conv(f"conv{stage}_{index}", top, outputs, kernel=3, pad=1))
        top = net.pool(f"pool{stage}", top, "MAX", kernel=2, stride=2)
    for number in (6, 7):
        top = net.relu(f"relu{number}", net.ip(f"fc{number}", top, 4096))
    net.loss("loss", net.ip("fc8", top, -classes))
    return net.text()


@dataclass(frozen=True)
class Accelerator:
    """``memory``: bytes a second that it reads and writes."""

    name: str
    memory: float


P100, P40, K80 = Accelerator("P100", 732e9), Accelerator("P40", 346e9), Accelerator("K80", 240e9)
TITAN_X = Accelerator("Titan X", 336e9)
"""NVIDIA's figures; of the K80 those of one of its two GPUs."""
UPDATE_PASSES = 5
"""An update with momentum reads weight, gradient and history, and writes weight and history."""


def costs(net: str, batch: int, rate: float, accelerator: Accelerator, *, classes: int = 1000) -> Costs:
    """An iteration of ``batch`` pictures, of which the accelerator alone trains ``rate`` a second."""
    message = caffe_pb2.NetParameter()
    text = vgg(net, batch, classes) if net in VGG else net_text(net, batch, dropout=False)
    places = parse(text, message, file="net")
    message.state.phase = TRAIN
    graph = compile_net(message, where=places.where)
    flops = {node.index: row(graph, node).flops for node in graph.nodes}
    learned = {index for index in graph.learnable if graph.params[index].lr_mult}
    update_s = UPDATE_PASSES / accelerator.memory
    update = Costs(layer_costs(graph, learned, {}, {}), update_s, 1.0).alone_s
    second = (batch / rate - update) / sum(flops.values())  # of a FLOP of the forward pass, with the two of backward
    forward_s = {index: its / 3 * second for index, its in flops.items()}
    backward_s = {index: its * 2 / 3 * second for index, its in flops.items()}
    return Costs(layer_costs(graph, learned, forward_s, backward_s), update_s, 3 / second, PollDelays(0.0, 0.0))


def efficiency(alone: Costs, spec: str, size: int, way: Way) -> float:
    """Pictures a second and accelerator, as a share of what one does alone."""
    cluster = parse_cluster(spec)
    between = cluster.between and replace(cluster.between, processor=0.0)
    free = replace(cluster, between=between, inside=replace(cluster.inside, processor=0.0))
    return alone.alone_s / predict(alone, free, size, way)


@dataclass(frozen=True)
class Published:
    """What was measured, and the same cluster as `efficiency` takes it.

    ``measured``: efficiency. ``against``: ranks that it is relative to, which share what one trains alone.
    ``batch``: of a rank; ``small_batch``: of a rank of the smaller cluster.
    """

    system: str
    setting: str
    net: str
    batch: int
    rate: float
    accelerator: Accelerator
    spec: str
    size: int
    ways: tuple[Way, ...]
    measured: float
    against: int = 1
    small_batch: int = 0
    classes: int = 1000

    def predicted(self, way: Way) -> float:
        """The same by the model."""
        alone = costs(self.net, self.batch, self.rate, self.accelerator, classes=self.classes)
        large = efficiency(alone, self.spec, self.size, way)
        if self.against == 1:
            return large
        fewer = costs(self.net, self.small_batch, self.rate, self.accelerator, classes=self.classes)
        return large / efficiency(fewer, self.spec, self.against, way)


RING, AUTO, TREE, PS = Way("hierarchical"), Way("hierarchical", svb=True), Way("tree"), Way("ps")
PCIE = "inside=10GB/s"
PUBLISHED = (
    Published(
        "Caffe-MPI 2.0", "4 hosts of 4 P40, InfiniBand", "googlenet", 128, 5886 / 14.25, P40, f"4x4,ib-fdr,{PCIE}", 16, (RING,), 0.89
    ),
    Published("Caffe-MPI 2.0", "the same", "resnet50", 32, 1372 / 15.34, P40, f"4x4,ib-fdr,{PCIE}", 16, (RING,), 0.96),
    Published(
        "S-Caffe",
        "160 against 32 K80, InfiniBand; the same batch for all",
        "googlenet",
        8,
        32 / 0.36,
        K80,
        f"ib-fdr,ranks_per_host=16,{PCIE}",
        160,
        (TREE, RING),
        0.50,
        32,
        40,
    ),
    Published("Poseidon", "16 Titan X, 10 GbE", "vgg19", 32, 34.2, TITAN_X, "16x1,10gbe", 16, (PS, AUTO), 0.97, classes=21841),
    Published(
        "Horovod", "128 hosts of 4 P100, 25 GbE", "vgg16", 64, 154, P100, f"128x4,25gbit,latency=15us,{PCIE}", 512, (RING, AUTO), 0.68
    ),
    Published(
        "Caffe2",
        "256 against 8 P100, 50 GbE",
        "resnet50",
        32,
        195,
        P100,
        f"50gbit,latency=15us,ranks_per_host=8,{PCIE}",
        256,
        (RING,),
        0.90,
        8,
        32,
    ),
    Published(
        "TensorFlow",
        "8 hosts of 8 K80, 10 GbE; servers",
        "resnet50",
        64,
        52.4,
        K80,
        f"8x8,10gbe,{PCIE}",
        64,
        (Way("ps", groups=8), RING),
        0.82,
    ),
)
"""Sources: docs/scaling.md."""


def main() -> None:
    """Print both tables."""
    nets = {"ResNet-50": costs("resnet50", 64, 219, P100), "VGG-16": costs("vgg16", 64, 154, P100)}
    print("| net | link | exchange | " + " | ".join(map(str, SIZES)) + " |")
    print("| --- | --- | --- |" + " --- |" * len(SIZES))
    for net, alone in nets.items():
        for link in LINKS:
            for words, way in WAYS.items():
                found = [efficiency(alone, f"{link},ranks_per_host=8,{PCIE}", size, way) for size in SIZES]
                cells = " | ".join(f"{100 * one:.0f} %" if one >= 0.095 else f"{100 * one:.1f} %" for one in found)
                print(f"| {net} | {link} | `{words}` | {cells} |", flush=True)
    print("\n| system | where | net, pictures a rank | measured | predicted |")
    print("| --- | --- | --- | --- | --- |")
    for found in PUBLISHED:
        cells = ", ".join(f"`{way.flags.removeprefix('-exchange ')}` {100 * found.predicted(way):.0f} %" for way in found.ways)
        print(f"| {found.system} | {found.setting} | {found.net}, {found.batch} | {100 * found.measured:.0f} % | {cells} |", flush=True)


if __name__ == "__main__":
    main()
