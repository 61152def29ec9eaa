"""Layers that compute each element by itself, or normalise."""

from __future__ import annotations

from tools.campaign.random_nets.builder import Builder, op


def neuron(g: Builder, kind: str, body: str = "", *, inplace: bool = True) -> None:
    """A layer of one bottom and one top of its shape."""
    g.grow(kind, [g.pick(g.rng.choice((None, None, 2, 4)), lambda shape: True)], body, inplace=inplace)


for plain in ("Sigmoid", "TanH", "BNLL"):
    op(plain)(lambda g, kind=plain: neuron(g, kind))


@op("AbsVal")
def absval(g: Builder) -> None:
    neuron(g, "AbsVal", inplace=False)


@op("Clip")
def clip(g: Builder) -> None:
    neuron(g, "Clip", f"clip_param {{ min: {g.number(-1, 0)} max: {g.number(0, 1)} }}", inplace=False)


@op("ELU")
def elu(g: Builder) -> None:
    neuron(g, "ELU", f"elu_param {{ alpha: {g.number(0.1, 1.5)} }}")


@op("Exp")
def exp(g: Builder) -> None:
    base = g.rng.choice(("", f"base: {g.number(1.1, 3)}"))
    neuron(g, "Exp", f"exp_param {{ {base} scale: {g.number(-0.5, 0.5)} shift: {g.number(-1, 1)} }}")


@op("Log")
def log(g: Builder) -> None:
    base = g.rng.choice(("", f"base: {g.number(1.5, 4)}"))
    neuron(g, "Log", f"log_param {{ {base} scale: {g.number(0.05, 0.3)} shift: 9 }}", inplace=False)


@op("Power")
def power(g: Builder) -> None:
    fields = f"power: {g.rng.choice((1, 1, 2, 3, 0))} scale: {g.number(-1, 1)} shift: {g.number(-1, 1)}"
    neuron(g, "Power", f"power_param {{ {fields} }}", inplace=False)


@op("PReLU")
def prelu(g: Builder) -> None:
    shared = g.rng.choice(("", "channel_shared: true"))
    g.grow("PReLU", [g.pick(g.rng.choice((2, 4)))], f"prelu_param {{ {shared} {g.filler('filler')} }}", inplace=True)


@op("ReLU")
def relu(g: Builder) -> None:
    neuron(g, "ReLU", g.rng.choice(("", "relu_param { negative_slope: 0.1 }")))


@op("ReLU6", bvlc=False)
def relu6(g: Builder) -> None:
    neuron(g, "ReLU6", g.rng.choice(("", "relu6_param { negative_slope: 0.1 }")))


@op("Swish")
def swish(g: Builder) -> None:
    neuron(g, "Swish", f"swish_param {{ beta: {g.number(0.5, 1.5)} }}")


@op("Threshold")
def threshold(g: Builder) -> None:
    g.grow("Threshold", [g.pick()], f"threshold_param {{ threshold: {g.number(-0.5, 0.5)} }}", floats=False)


@op("Dropout")
def dropout(g: Builder) -> None:
    neuron(g, "Dropout", f"dropout_param {{ dropout_ratio: {g.number(0.1, 0.7)} }}")


@op("SpatialDropout", bvlc=False)
def spatial_dropout(g: Builder) -> None:
    g.grow("SpatialDropout", [g.pick(4)], f"spatial_dropout_param {{ dropout_ratio: {g.number(0.1, 0.7)} }}", inplace=True)


@op("Softmax")
def softmax(g: Builder) -> None:
    bottom = g.pick(g.rng.choice((2, 4)))
    g.grow("Softmax", [bottom], f"softmax_param {{ axis: {g.rng.randint(0, len(g.shapes[bottom]) - 1)} }}", inplace=True)


@op("BatchNorm")
def batch_norm_fixed(g: Builder) -> None:
    g.grow(
        "BatchNorm", [g.pick(g.rng.choice((2, 4)))], f"batch_norm_param {{ use_global_stats: true eps: {g.number(0.1, 1)} }}", inplace=True
    )


@op("BatchNorm", bvlc=False)
def batch_norm(g: Builder) -> None:
    fields = f"eps: {g.number(0.001, 0.1)} moving_average_fraction: {g.number(0.5, 0.999)} {g.rng.choice(('', '', 'scale_bias: true'))}"
    g.grow("BatchNorm", [g.pick(g.rng.choice((2, 4)))], f"batch_norm_param {{ {fields} }}", inplace=True)


@op("BN", bvlc=False)
def bn(g: Builder) -> None:
    fields = g.rng.choice((f"{g.filler('slope_filler')} {g.filler('bias_filler')} eps: 0.01", "bn_mode: LEARN scale_filler { value: 1 }"))
    g.grow("BN", [g.pick(4)], f"bn_param {{ {fields} }}", inplace=True)


@op("LRN")
def lrn(g: Builder) -> None:
    region = g.rng.choice(("ACROSS_CHANNELS", "WITHIN_CHANNEL"))
    fields = f"local_size: {g.rng.choice((1, 3, 5))} alpha: {g.number(0.01, 1)} beta: {g.rng.choice((0.5, 0.75))} norm_region: {region}"
    g.grow("LRN", [g.pick(4)], f"lrn_param {{ {fields} {g.rng.choice(('', 'k: 2'))} }}")


@op("MVN")
def mvn(g: Builder) -> None:
    fields = [x for x in ("normalize_variance: false", "across_channels: true", "eps: 0.1") if g.chance(0.5)]
    g.grow("MVN", [g.pick(4, lambda s: s[2] * s[3] > 3)], f"mvn_param {{ {' '.join(fields)} }}")


@op("Normalize", bvlc=False)
def normalize(g: Builder) -> None:
    fields = (
        f"across_spatial: {g.rng.choice(('true', 'false'))} channel_shared: {g.rng.choice(('true', 'false'))} {g.filler('scale_filler')}"
    )
    g.grow("Normalize", [g.pick(4)], f"norm_param {{ {fields} }}")


@op("Scale")
def scale(g: Builder) -> None:
    bottom = g.pick()
    axis = g.rng.randint(0, len(g.shapes[bottom]) - 1)
    bias = f"bias_term: true {g.filler('bias_filler')}" if g.chance(0.5) else ""
    count = g.rng.randint(0, len(g.shapes[bottom]) - axis)
    g.grow("Scale", [bottom], f"scale_param {{ axis: {axis} num_axes: {count} {g.filler('filler')} {bias} }}", inplace=True)


@op("Scale")
def scale_by_bottom(g: Builder) -> None:
    bottom = g.pick()
    g.grow("Scale", [bottom, g.alike(bottom)], "scale_param { axis: 0 }")


@op("Bias")
def bias(g: Builder) -> None:
    bottom = g.pick()
    axis = g.rng.randint(0, len(g.shapes[bottom]) - 1)
    count = g.rng.randint(0, len(g.shapes[bottom]) - axis)
    g.grow("Bias", [bottom], f"bias_param {{ axis: {axis} num_axes: {count} {g.filler('filler')} }}", inplace=True)


@op("Bias")
def bias_by_bottom(g: Builder) -> None:
    bottom = g.pick()
    g.grow("Bias", [bottom, g.alike(bottom)], "bias_param { axis: 0 }")
