"""``caffepy export``: a net as an ONNX model, a Python file, a torch program or safetensors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from keyword import iskeyword
from typing import TYPE_CHECKING

import click

from caffepy import log
from caffepy.cli.net_options import NetChoice, net_options
from caffepy.errors import NetError, UsageError

if TYPE_CHECKING:
    from caffepy.engine.arena import Arena
    from caffepy.engine.predictions import Part
    from caffepy.net import Graph

PLACE = "export.cpp:0"


@click.command("export")
@click.option(
    "-weights",
    "--weights",
    default="",
    metavar="FILES",
    help="Parameters (caffemodel), separated by commas.",
)
@click.option(
    "-onnx",
    "--onnx",
    default="",
    metavar="FILE",
    help="Write an ONNX model, checked against our own forward pass.",
)
@click.option(
    "-check/-nocheck",
    "--check/--nocheck",
    default=True,
    help="Run what was written and print the difference.",
)
@click.option(
    "-pytorch",
    "--pytorch",
    default="",
    metavar="FILE.py",
    help="Write a Python file that needs torch alone, and its weights.",
)
@click.option(
    "-train",
    "--train",
    is_flag=True,
    help="The Python file trains: it has the net's loss and its lr_mult and decay_mult.",
)
@click.option(
    "-torch",
    "--torch",
    default="",
    metavar="FILE",
    help="Write a torch program (.pt2), which torch.export.load reads.",
)
@click.option(
    "-safetensors", "--safetensors", default="", metavar="FILE", help="Write the parameters alone."
)
@net_options
@click.argument("net", metavar="NET")
def command(
    *,
    net: str,
    weights: str,
    onnx: str,
    check: bool,
    pytorch: str,
    train: bool,
    torch: str,
    safetensors: str,
    choice: NetChoice,
) -> None:
    """Export a net for other programs.

    A deploy net is exported as it is, a train_val net up to its losses and with its data layers as
    inputs. The batch may have any size where the net allows it.
    """
    if not (onnx or pytorch or torch or safetensors):
        raise UsageError(
            "nothing to export;"
            " needed: -onnx FILE, -pytorch FILE.py, -torch FILE or -safetensors FILE"
        )
    if choice.phase == "TRAIN":
        raise UsageError(
            "-phase TRAIN: a net is exported as it predicts;"
            " needed: TEST, or -pytorch FILE.py with -train"
        )
    if train and (onnx or torch or safetensors or not pytorch):
        raise UsageError(
            "-train is for a Python file; needed: -pytorch FILE.py, and no other format with it"
        )
    if pytorch and os.path.splitext(pytorch)[1] != ".py":
        raise UsageError(f"-pytorch {pytorch}: needed: a name that ends with .py")
    if pytorch:
        check_module(pytorch)
    from caffepy.engine.predictions import predictions
    from caffepy.proto.output_files import refuse_no_folder, refuse_overwriting

    beside = f"{pytorch[:-3]}.safetensors" if pytorch else ""
    if beside and safetensors and os.path.abspath(beside) == os.path.abspath(safetensors):
        raise UsageError(
            f"-safetensors {safetensors}: that is where the weights of {pytorch} go; needed: another name"
        )
    for target in filter(None, (onnx, pytorch, beside, torch, safetensors)):
        refuse_overwriting(target, net, *filter(None, weights.split(",")))
        refuse_no_folder(target)

    if train:
        choice = replace(choice, phase="TRAIN")
    graph, notes = choice.graph(net)
    arena = filled(graph, weights)
    if train:
        tell(notes)
        write_pytorch(graph, arena, pytorch, net, check=check)
        return
    part = predictions(graph)
    tell(notes)
    print(f"inputs: {shapes(part, part.inputs)}\noutputs: {shapes(part, part.outputs)}")
    if onnx:
        write_onnx(part, arena, onnx, check=check)
    if pytorch:
        write_pytorch(graph, arena, pytorch, net, check=check)
    if torch:
        write_torch(part, arena, torch)
    if safetensors:
        write_parameters(graph, arena, safetensors)


def check_module(file: str) -> None:
    """UsageError where Python cannot import a file of this name."""
    name = os.path.basename(file)[:-3]
    if name.isidentifier() and not iskeyword(name):
        return
    fitting = re.sub(r"\W", "_", name)
    fitting = fitting if fitting.isidentifier() and not iskeyword(fitting) else f"net_{fitting}"
    raise UsageError(
        f"-pytorch {file}: Python cannot import a file of this name; needed: such as {fitting}.py"
    )


def filled(graph: Graph, weights: str) -> Arena:
    """The net's parameters, from the files of -weights or from fillers."""
    import torch

    from caffepy.engine.engines import Setup, fill_net
    from caffepy.layers.core.random import CaffeRandom

    files = [file for file in weights.split(",") if file]
    arena, _ = fill_net(graph, files, setup=Setup(torch.device("cpu"), CaffeRandom(1)))
    if graph.params and not files:
        log.warning(PLACE, "no -weights are given: the parameters are those of the fillers")
    return arena


def write_onnx(part: Part, arena: Arena, file: str, *, check: bool) -> None:
    """Convert, check, write.  NetError, and no file, where the model computes something else."""
    from caffepy.engine.weights import arrays_of, tensors_of
    from caffepy.onnx.model import save, to_onnx

    exported = to_onnx(part, arrays_of(arena))
    if exported.axis is None:
        log.warning(PLACE, f"the batch has the size of the prototxt: {exported.fixed}")
    if check:
        from caffepy.onnx.check import TOLERANCE, compare

        differences = compare(exported.model, part, tensors_of(arena))
        if exported.axis is not None:
            larger_batch = {"more": 1, "axis": exported.axis}
            differences += compare(exported.model, part, tensors_of(arena), **larger_batch)
        for output in differences:
            shape = " x ".join(map(str, output.shape))
            size = f"{output.largest:.2g} ({output.relative:.2g} of its scale)"
            print(f"{output.name} {shape}: differs by {size}")
            if not output.fine:
                raise NetError(
                    f"the ONNX model gives another '{output.name}' than this net;"
                    f" needed: within {TOLERANCE:g} of its scale"
                )
    save(exported.model, file)
    print(f"wrote {file}: {len(exported.model.graph.node)} operators")


def write_pytorch(graph: Graph, arena: Arena, file: str, net: str, *, check: bool) -> None:
    """Write a Python file and its weights.

    ``check``: run it in a process of its own first; NetError, and no file, where it computes
    something else.
    """
    from caffepy.engine.weights import arrays_of, tensors_of
    from caffepy.report.pytorch.export import save, to_pytorch, weights_beside

    weights = weights_beside(file)
    exported = to_pytorch(
        graph, arrays_of(arena), source=os.path.basename(net), weights=os.path.basename(weights)
    )
    if check:
        from caffepy.report.pytorch.check import differences, told

        for line in told(differences(exported, tensors_of(arena))):
            print(line)
    save(exported, file)
    lines = len(exported.text.splitlines())
    print(f"wrote {file}: {lines} lines, class {exported.name}")
    print(f"wrote {weights}: {len(exported.state)} arrays")


def tell(notes: Iterable[str]) -> None:
    """What was assumed about data."""
    for note in notes:
        log.warning(PLACE, note)


def write_torch(part: Part, arena: Arena, file: str) -> None:
    """Trace and write."""
    from caffepy.engine.weights import tensors_of
    from caffepy.report.torch_program import save, to_torch

    program = to_torch(part, tensors_of(arena))
    if program.fixed:
        log.warning(
            PLACE, f"the batch of the torch program has the size of the prototxt: {program.fixed}"
        )
    save(program.exported, file)
    print(f"wrote {file}")


def write_parameters(graph: Graph, arena: Arena, file: str) -> None:
    """All parameters, named ``layer.0``, ``layer.1``..., shared ones once."""
    from caffepy.report.safetensors import write_net

    print(f"wrote {file}: {write_net(file, graph, arena)} arrays")


def shapes(part: Part, values: tuple[int, ...]) -> str:
    """Names and shapes."""
    texts = []
    for value in values:
        shape = " x ".join(map(str, part.shape(value)))
        texts.append(f"{part.name(value)} {shape}")
    return ", ".join(texts)
