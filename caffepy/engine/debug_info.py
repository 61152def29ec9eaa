"""debug_info: log lines with the mean absolute value of every blob and parameter.

They are logged as a pass comes to each layer.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.layerwise import Around, LayerwiseEngine
from caffepy.net.graph import Node


def forward(engine: LayerwiseEngine) -> Tensor:
    """A forward pass with a line for each top and each parameter.

    Returns the loss, a 0-axis tensor.
    """
    return torch.tensor(engine.forward(around=_forward_lines(engine)))


def backward(engine: LayerwiseEngine) -> None:
    """A backward pass with a line for each diff that it wrote, and the norms of all parameters."""
    engine.backward(around=_backward_lines(engine))
    blobs = [engine.params[index] for index in engine.graph.learnable]
    data = [blob.data for blob in blobs]
    diff = [blob.diff for blob in blobs]
    log.error(
        "net.cpp:721",
        f"    [Backward] All net params (data, diff): L1 norm = ({log.number(_l1(data))},"
        f" {log.number(_l1(diff))});"
        f" L2 norm = ({log.number(_l2(data))}, {log.number(_l2(diff))})",
    )


def forward_backward(engine: LayerwiseEngine) -> Tensor:
    """Both passes; returns the loss, a 0-axis tensor."""
    loss = forward(engine)
    backward(engine)
    return loss


def heed(engine: LayerwiseEngine) -> None:
    """Log the lines of the layers in every pass, if the net's own file asks for debug_info.

    The line with the norms of all parameters is not logged.
    """
    if engine.graph.debug_info:
        engine.on_forward = _forward_lines(engine)
        engine.on_backward = _backward_lines(engine)


def _forward_lines(engine: LayerwiseEngine) -> Around:
    def show(node: Node, done: bool) -> None:
        if not done:
            return
        for value in node.tops:
            name = engine.graph.values[value].name
            data = engine.blob(value).data
            log.info(
                "net.cpp:593",
                f"    [Forward] Layer {node.name}, top blob {name} data: {_mean(data)}",
            )
        for index in node.params:
            data = engine.params[index].data
            log.info(
                "net.cpp:605",
                f"    [Forward] Layer {node.name}, param blob {_name(engine, index)} data:"
                f" {_mean(data)}",
            )

    return show


def _backward_lines(engine: LayerwiseEngine) -> Around:
    def show(node: Node, done: bool) -> None:
        if not (done and node.backward):
            return
        for value, down in zip(node.bottoms, node.propagate_down):
            if down:
                name = engine.graph.values[value].name
                diff = engine.blob(value).diff
                log.info(
                    "net.cpp:621",
                    f"    [Backward] Layer {node.name}, bottom blob {name} diff: {_mean(diff)}",
                )
        for slot, index in enumerate(node.params):
            if node.param_gradients[slot] or _is_asked_to_learn(engine, node, slot):
                diff = engine.params[index].diff
                log.info(
                    "net.cpp:632",
                    f"    [Backward] Layer {node.name}, param blob {slot} diff: {_mean(diff)}",
                )

    return show


def _is_asked_to_learn(engine: LayerwiseEngine, node: Node, slot: int) -> bool:
    """Whether the net's lr_mult has the parameter learn; statistics do not learn even so."""
    written = engine.graph.message.layer[node.index].param
    return slot >= len(written) or bool(written[slot].lr_mult)


def _mean(tensor: Tensor) -> str:
    return log.number(float(tensor.abs().sum()) / tensor.numel() if tensor.numel() else math.nan)


def _l1(tensors: list[Tensor]) -> float:
    return sum(float(t.abs().sum()) for t in tensors)


def _l2(tensors: list[Tensor]) -> float:
    return math.sqrt(sum(float(t.square().sum()) for t in tensors))


def _name(engine: LayerwiseEngine, index: int) -> str:
    param = engine.graph.params[index]
    return param.name or str(param.slot)
