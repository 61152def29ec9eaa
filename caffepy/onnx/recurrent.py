"""ONNX operators of recurrent layers, one time step after the other.

The hidden state begins at 0, or comes as a blob.
"""

# T time steps, N streams, H num_output

from __future__ import annotations

import itertools

from caffepy.onnx.registry import converts
from caffepy.onnx.site import BOOL, FLOAT, Site


@converts("LSTM")
def lstm(at: Site) -> list[str]:
    entries, conts = _entries(at)
    h, c = _first_states(at, 2)
    weight = _turned(at, -1)
    outputs = []
    for entry, cont in zip(entries, conts):
        gates = at.op("Add", entry, at.op("MatMul", at.op("Mul", h, cont), weight))
        c, h = _lstm_step(at, c, gates, cont, axis=1)
        outputs.append(h)
    return _tops(at, outputs, [h, c])


@converts("RNN")
def rnn(at: Site) -> list[str]:
    entries, conts = _entries(at)
    (h,) = _first_states(at, 1)
    weight = _turned(at, -3)
    outputs = []
    for entry, cont in zip(entries, conts):
        h = at.op("Tanh", at.op("Add", entry, at.op("MatMul", at.op("Mul", h, cont), weight)))
        outputs.append(at.op("Tanh", at.op("Gemm", h, at.blobs[-2], at.blobs[-1], transB=1)))
    return _tops(at, outputs, [h])


@converts("Lstm")
def junhyuk_lstm(at: Site) -> str:
    steps, streams, inputs = at.layer.sizes(at.bottoms[0])
    if steps < 0:
        raise at.fail("the number of its time steps grows with the batch")
    x = at.op("MatMul", at.reshape(at.x, (steps, streams, inputs)), _turned(at, 0))
    entries = _each_step(at, at.op("Add", x, at.blobs[2]), steps)
    conts: list[str | None] = [None] * steps
    if len(at.inputs) > 1:
        begun = at.op(
            "Cast", at.op("Cast", at.reshape(at.inputs[1], (steps, streams, 1)), to=BOOL), to=FLOAT
        )
        conts[1:] = _each_step(at, begun, steps)[1:]
    weight = _turned(at, 1)
    outputs = []
    h = c = None
    for gates, cont in zip(entries, conts):
        if h is not None:
            before = at.op("Mul", h, cont) if cont else h
            gates = at.op("Add", gates, at.op("MatMul", before, weight))
        c, h = _lstm_step(at, c, gates, cont, axis=1)
        outputs.append(h)
    (y,) = _tops(at, outputs, [])
    return y if len(at.tops[0]) == 3 else at.reshape(y, at.tops[0])


@converts("LSTMUnit")
def lstm_unit(at: Site) -> list[str]:
    cells, gates, cont = at.inputs
    c, h = _lstm_step(at, cells, gates, at.op("Unsqueeze", cont, at.ints([2])), axis=2)
    return [c, h]


def _lstm_step(
    at: Site, c: str | None, gates: str, cont: str | None, *, axis: int
) -> tuple[str, str]:
    """New cells and hidden state; gates are in the order i, f, o, g.

    ``c``: None where there are no cells before; ``cont``: None where it is 1.
    """
    i, f, o, g = at.ops("Split", gates, axis=axis, outputs=4)
    i, f, o = (at.op("Sigmoid", gate) for gate in (i, f, o))
    cells = at.op("Mul", i, at.op("Tanh", g))
    if c is not None:
        cells = at.op("Add", at.op("Mul", at.op("Mul", f, cont) if cont else f, c), cells)
    return cells, at.op("Mul", o, at.op("Tanh", cells))


def _entries(at: Site) -> tuple[list[str], list[str]]:
    """What the inputs add to each step, and the step's cont, (N, ...) and (N, 1)."""
    layer = at.layer
    steps, streams = at.bottoms[0][:2]
    x = at.reshape(at.x, (steps, streams, layer.inputs))
    y = at.op("Add", at.op("MatMul", x, _turned(at, 0)), at.blobs[1])
    if layer.static is not None:
        static = at.reshape(at.inputs[2], (streams, layer.static_inputs))
        y = at.op("Add", y, at.op("MatMul", static, _turned(at, 2)))
    cont = at.op("Unsqueeze", at.inputs[1], at.ints([2]))
    return _each_step(at, y, steps), _each_step(at, cont, steps)


def _each_step(at: Site, x: str, steps: int) -> list[str]:
    """(T, N, ...) as T times (N, ...)."""
    return [at.op("Gather", x, at.ints(t), axis=0) for t in range(steps)]


def _turned(at: Site, blob: int) -> str:
    """A weight as the right side of a product."""
    return at.floats(at.arrays[blob].T)


@converts("ContinuationIndicator")
def continuation_indicator(at: Site) -> str:
    steps, sequences = at.layer.shape
    marks = at.floats([[0.0], *([1.0] for _ in range(steps - 1))])
    if not at.bottoms:
        return at.op("Expand", marks, at.ints([1, sequences]))
    axis = at.layer.param.continuation_indicator_param.axis % len(at.bottoms[0])
    number = at.op("Gather", at.op("Shape", at.x), at.ints([axis]), axis=0)
    return at.op("Expand", marks, at.op("Concat", at.ints([1]), number, axis=0))


def _first_states(at: Site, count: int) -> list[str]:
    if at.layer.exposed:
        return [at.op("Squeeze", name, at.ints([0])) for name in at.inputs[-count:]]
    # N rows of zeros: cont of the first step, times 0
    cont = at.op("Unsqueeze", at.op("Gather", at.inputs[1], at.ints(0), axis=0), at.ints([1]))
    nothing = at.op("Mul", cont, at.floats([[0.0] * at.layer.num_output]))
    return list(itertools.repeat(nothing, count))


def _tops(at: Site, outputs: list[str], states: list[str]) -> list[str]:
    rows = [at.op("Unsqueeze", y, at.ints([0])) for y in outputs]
    last = [at.op("Unsqueeze", state, at.ints([0])) for state in states[: at.layer.exposed]]
    return [at.op("Concat", *rows, axis=0), *last]
