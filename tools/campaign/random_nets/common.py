"""Products, tables, recurrent layers, and blobs from nowhere."""

from __future__ import annotations

import numpy as np

from tools.campaign.random_nets.builder import Builder, op


@op("InnerProduct")
@op("InnerProduct")
def inner_product(g: Builder) -> None:
    bottom = g.pick(wanted=lambda s: len(s) >= 2)
    axis = g.rng.randint(1, len(g.shapes[bottom]) - 1) if g.chance(0.3) else 1
    bias = "bias_term: false" if g.chance(0.2) else g.filler("bias_filler")
    fields = f"num_output: {g.rng.randint(1, 6)} axis: {axis} {g.rng.choice(('', 'transpose: true'))} {g.filler('weight_filler')} {bias}"
    g.grow("InnerProduct", [bottom], f"inner_product_param {{ {fields} }}")


@op("Embed")
def embed(g: Builder) -> None:
    most = g.rng.randint(1, 6)
    ids = g.feed_integers((g.n, *(g.rng.randint(1, 3) for _ in range(g.rng.randint(0, 2)))), most)
    bias = "bias_term: false" if g.chance(0.3) else g.filler("bias_filler")
    fields = f"num_output: {g.rng.randint(1, 5)} input_dim: {most} {g.filler('weight_filler')} {bias}"
    g.grow("Embed", [ids], f"embed_param {{ {fields} }}")


@op("Parameter")
def parameter(g: Builder) -> None:
    like = g.pick()
    shape = " ".join(f"dim: {size}" for size in g.shapes[like])
    made = g.grow("Parameter", [], f"parameter_param {{ shape {{ {shape} }} }}")[0]
    g.grow("Eltwise", [like, made])


@op("DummyData")
def dummy_data(g: Builder) -> None:
    like = g.pick()
    shape = " ".join(f"dim: {size}" for size in g.shapes[like])
    filler = g.rng.choice(('type: "gaussian" std: 1', 'type: "uniform" min: -1 max: 1', 'type: "constant" value: 0.5'))
    made = g.grow("DummyData", [], f"dummy_data_param {{ shape {{ {shape} }} data_filler {{ {filler} }} }}")[0]
    g.grow("Eltwise", [like, made])


def begun(g: Builder, width: int) -> str:
    """(T, width): 0 where a sequence begins, else 1; T is the batch."""
    values = (g.values.random((3 * g.n, width)) > 0.3).astype(np.float32)
    return g.feed(values)


@op("RNN")
def rnn(g: Builder) -> None:
    recurrent(g, "RNN")


@op("LSTM")
def lstm_sequence(g: Builder) -> None:
    recurrent(g, "LSTM")


def recurrent(g: Builder, kind: str) -> None:
    """T is the batch, of ``width`` sequences."""
    x = g.pick(wanted=lambda s: len(s) >= 3 and s[0] == g.n)
    width, units = g.shapes[x][1], g.rng.randint(1, 4)
    bottoms = [x, begun(g, width)]
    if width == g.n and g.chance(0.5):
        bottoms.append(g.feed_floats((width, 3)))
    states = (1 if kind == "RNN" else 2) if g.chance(0.3) else 0
    for _ in range(states):
        first = g.feed_floats((g.n, width, units))
        bottoms.append(g.grow("Reshape", [g.sliced(first)], f"reshape_param {{ shape {{ dim: 1 dim: {width} dim: {units} }} }}")[0])
    weights = f"weight_filler {{ {g.rng.choice(RECURRENT_FILLERS)} }} {g.filler('bias_filler')}"
    fields = f"num_output: {units} {weights} {'expose_hidden: true' if states else ''}"
    g.grow(kind, bottoms, f"recurrent_param {{ {fields} }}", tops=1 + states)


@op("LSTMUnit")
def lstm_unit(g: Builder) -> None:
    cells = g.grow("Reshape", [g.feed_floats((g.n, 3))], f"reshape_param {{ shape {{ dim: 1 dim: {g.n} dim: 3 }} }}")[0]
    gates = g.grow("Reshape", [g.feed_floats((g.n, 12))], f"reshape_param {{ shape {{ dim: 1 dim: {g.n} dim: 12 }} }}")[0]
    cont = g.grow("Reshape", [begun(g, 1)], f"reshape_param {{ shape {{ dim: 1 dim: {g.n} }} }}", floats=False)[0]
    g.grow("LSTMUnit", [cells, gates, cont], tops=2)


RECURRENT_FILLERS = ('type: "uniform" min: -0.5 max: 0.5', 'type: "gaussian" std: 0.3', 'type: "xavier"')


@op("Lstm", bvlc=False)
def lstm(g: Builder) -> None:
    x = g.pick(3, lambda s: s[0] == g.n)
    fields = f'num_output: {g.rng.randint(1, 4)} weight_filler {{ type: "xavier" }} clipping_threshold: {g.rng.choice((0, 0.1))}'
    g.grow("Lstm", [x], f"lstm_param {{ {fields} }}")


@op("MarginInnerProduct", bvlc=False)
def margin_inner_product(g: Builder) -> None:
    bottom = g.pick(wanted=lambda s: len(s) >= 2 and s[0] == g.n)
    outputs = g.rng.randint(2, 5)
    kind = g.rng.choice(("SINGLE", "DOUBLE", "TRIPLE", "QUADRUPLE"))
    fields = f'num_output: {outputs} type: {kind} weight_filler {{ type: "xavier" }} base: 10 gamma: 0.1 power: 1 lambda_min: 1'
    g.grow("MarginInnerProduct", [bottom, g.feed_integers((g.n,), outputs)], f"margin_inner_product_param {{ {fields} }}")


@op("LabelSpecificAdd", bvlc=False)
def label_specific_add(g: Builder) -> None:
    bottom = g.pick(2, lambda s: s[0] == g.n)
    classes = g.shapes[bottom][1]
    g.grow("LabelSpecificAdd", [bottom, g.feed_integers((g.n,), classes)], f"label_specific_add_param {{ bias: {g.number(-0.5, 0)} }}")


@op("ContinuationIndicator", bvlc=False)
def continuation_indicator(g: Builder) -> None:
    g.grow("ContinuationIndicator", [], f"continuation_indicator_param {{ time_step: {g.n} batch_size: 2 }}", floats=False)
