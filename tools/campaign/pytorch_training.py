"""``pytorch_training``: written files train as the nets do.

``python -m tools.campaign.pytorch_training -n 20`` takes LeNet, CaffeNet, GoogLeNet and ResNet-50
without dropout. So many steps of SGD are done by Caffe's rule on our layers' gradients, and by
torch's optimizer with the file's parameter groups on the file's. All is in float64, so that no
maximum or ReLU turns by rounding. ``-divide 8`` makes the nets thin. The figure of a net is the
largest difference of a parameter by the largest value of its blob.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, TypeAlias
from unittest.mock import patch

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.weights import arrays_of, tensors_of
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.report.offline import Shapes
from caffepy.report.pytorch.check import own_pass
from caffepy.report.pytorch.export import Exported, to_pytorch
from caffepy.report.pytorch.step import number
from tools.bench.batches import batches
from tools.bench.nets import NETS, net_text
from tools.campaign import report
from tools.campaign.pytorch import module_of

Pictures: TypeAlias = "list[tuple[Tensor, Tensor]]"
TRAINED = ("lenet", "caffenet", "googlenet", "resnet50")
MOMENTUM = 0.9
RATES = {"resnet50": 1e-5}
"""Where it is not `RATE`: two items are few for fifty normalisations, which blow any difference up at higher rates."""
RATE = 1e-3
TOLERANCE = 1e-4
RESPONSE_NORM = F.local_response_norm


def train(name: str, steps: int, *, batch: int = 2, divide: int = 1) -> float:
    """The largest difference of a parameter after these steps, by its blob's largest value."""
    net = caffe_pb2.NetParameter()
    parse(net_text(name, batch, divide=divide, dropout=False), net, file="net.prototxt")
    net.state.phase = caffe_pb2.TRAIN
    graph = compile(net, opener=Shapes({"data": (batch, *NETS[name].shape), "label": (batch,)}).open)
    arena = Arena(graph)
    initialise(graph, arena, CaffeRandom(1))
    made = to_pytorch(graph, arrays_of(arena), source="net.prototxt", weights="net.safetensors")
    pictures = [(x.double(), label.double()) for x, label in batches(name, batch)]
    rate = RATES.get(name, RATE)
    ours = _ours(made, tensors_of(arena), pictures, steps, rate)
    theirs = _theirs(made, pictures, steps, rate)
    return max(float((ours[name] - x).abs().max() / ours[name].abs().max().clamp(min=1e-9)) for name, x in theirs.items())


def _ours(made: Exported, blobs: dict[int, Tensor], pictures: Pictures, steps: int, rate: float) -> dict[str, Tensor]:
    """Parameters by the file's names after Caffe's SGD.

    history = momentum * history + rate * (gradient + decay * parameter)
    """
    params = made.program.graph.params
    values = {index: blob.detach().double() for index, blob in blobs.items()}
    history = {name: torch.zeros(blob.shape, dtype=torch.float64) for name, blob in made.learned.items()}
    for step in range(steps):
        feeds = dict(zip((*made.program.inputs, *made.program.loss_inputs), pictures[step % len(pictures)]))
        gradients = own_pass(made, feeds, values, double=True)["gradients"]
        for name, blob in made.learned.items():
            owner = params[params[blob.param].owner]
            own = blob.view(values[params[blob.param].owner])
            decay = 0.0005 * owner.decay_mult
            history[name] = MOMENTUM * history[name] + rate * owner.lr_mult * (gradients[name] + decay * own)
            own.sub_(history[name])
    return {name: blob.view(values[params[blob.param].owner]) for name, blob in made.learned.items()}


def _theirs(made: Exported, pictures: Pictures, steps: int, rate: float) -> dict[str, Tensor]:
    """The file's parameters after torch's SGD."""
    net = module_of(replace(made, text=_with_single_weights(made))).double()
    for module in net.modules():
        if hasattr(module, "eps"):  # Caffe's is of float32: fifty normalisations in a row blow up even that difference
            module.eps = single(module.eps)
    with patch.object(F, "local_response_norm", response_norm):
        return _trained(net, pictures, steps, rate)


def _with_single_weights(made: Exported) -> str:
    """The file's text with the weights of losses as Caffe has them."""
    text = made.text
    for weight in {weight for weight, _ in made.program.losses} - {1}:
        text = text.replace(f"{number(weight)} * ", f"{single(weight)!r} * ")
    return text


def single(value: float) -> float:
    """The float32 nearest to a decimal number, which Caffe's fields are."""
    return float(torch.tensor(value, dtype=torch.float32))


def response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Torch's, with Caffe's fields."""
    return RESPONSE_NORM(x, size, single(alpha), single(beta), single(k))


def _trained(net: Any, pictures: Pictures, steps: int, rate: float) -> dict[str, Tensor]:
    optimizer = torch.optim.SGD(net.parameter_groups(rate, 0.0005), momentum=MOMENTUM)
    for step in range(steps):
        data, label = pictures[step % len(pictures)]
        optimizer.zero_grad()
        outputs = net(data)
        net.loss(*(outputs if isinstance(outputs, tuple) else (outputs,)), label).backward()
        optimizer.step()
    return {name: parameter.detach() for name, parameter in net.named_parameters()}


def main() -> int:
    """The campaign's exit code."""
    parser = report.options(__doc__ or "", n=20, what="steps of each net")
    parser.add_argument("-divide", "--divide", type=int, default=1, metavar="D", help="layers D times as thin (default: 1)")
    parser.add_argument("-only", "--only", choices=TRAINED, metavar="NET", help=f"one net alone: {', '.join(TRAINED)}")
    asked = parser.parse_args()
    log.sink.min_level = log.ERROR
    found = {}
    for name in [asked.only] if asked.only else TRAINED:
        found[name] = train(name, asked.n, divide=asked.divide)
        print(f"{name}: {found[name]:.2g}", flush=True)
    report.line("pytorch_training", asked.seed, steps=asked.n, divide=asked.divide, **found)
    return 0 if max(found.values()) <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
