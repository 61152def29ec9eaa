"""Layers on pictures and volumes."""

from __future__ import annotations

from tools.campaign.random_nets.builder import Builder, op


def sides(g: Builder, name: str, low: int, high: int) -> str:
    """``name`` for both axes, or each with its own."""
    if g.chance(0.7):
        plain = "kernel_size" if name == "kernel" else name
        return f"{plain}: {g.rng.randint(low, high)}"
    return f"{name}_h: {g.rng.randint(low, high)} {name}_w: {g.rng.randint(low, high)}"


def windows(g: Builder, *, dilation: bool = True, most_pad: int = 2) -> str:
    """Kernel, padding, stride, dilation."""
    fields = [sides(g, "kernel", 1, 4)]
    fields += [sides(g, "pad", 0, most_pad)] if g.chance(0.5) else []
    fields += [sides(g, "stride", 1, 3)] if g.chance(0.6) else []
    fields += [f"dilation: {g.rng.randint(1, 2)}"] if dilation and g.chance(0.3) else []
    return " ".join(fields)


def convolving(g: Builder, kind: str, *, groups: bool = True) -> None:
    """A layer of convolution_param."""
    bottom = g.pick(4)
    channels = g.shapes[bottom][1]
    group = g.rng.choice([k for k in range(1, channels + 1) if channels % k == 0]) if groups and g.chance(0.4) else 1
    output = group * g.rng.randint(1, 4)
    bias = "bias_term: false" if g.chance(0.2) else g.filler("bias_filler")
    more = g.rng.choice(("", "", "force_nd_im2col: true", "axis: -3"))
    fields = f"num_output: {output} group: {group} {windows(g)} {g.filler('weight_filler')} {bias} {more}"
    g.grow(kind, [bottom], f"convolution_param {{ {fields} }}")


@op("Convolution")
@op("Convolution")
def convolution(g: Builder) -> None:
    convolving(g, "Convolution")


@op("Convolution")
def convolution_of_two(g: Builder) -> None:
    bottom = g.pick(4)
    fields = f"num_output: 3 {windows(g)} {g.filler('weight_filler')}"
    g.grow("Convolution", [bottom, g.alike(bottom)], f"convolution_param {{ {fields} }}", tops=2)


@op("Convolution")
def convolution_of_rows(g: Builder) -> None:
    bottom = g.pick(3)
    fields = f"num_output: 3 kernel_size: {g.rng.randint(1, 3)} stride: {g.rng.randint(1, 2)} {g.filler('weight_filler')}"
    g.grow("Convolution", [bottom], f"convolution_param {{ {fields} }}")


@op("Deconvolution")
def deconvolution(g: Builder) -> None:
    convolving(g, "Deconvolution")


@op("ConvolutionDepthwise", bvlc=False)
def depthwise(g: Builder) -> None:
    g.grow("ConvolutionDepthwise", [g.pick(4)], f"convolution_param {{ num_output: 1 {windows(g)} {g.filler('weight_filler')} }}")


@op("DepthwiseConvolution", bvlc=False)
def other_depthwise(g: Builder) -> None:
    bottom = g.pick(4)
    channels = g.shapes[bottom][1]
    fields = f"num_output: {channels * g.rng.randint(1, 2)} group: {channels} {windows(g)} {g.filler('weight_filler')}"
    g.grow("DepthwiseConvolution", [bottom], f"convolution_param {{ {fields} }}")


@op("Im2col")
def im2col(g: Builder) -> None:
    g.grow("Im2col", [g.pick(4)], f"convolution_param {{ {windows(g)} }}")


@op("Pooling")
@op("Pooling")
def pooling(g: Builder) -> None:
    kind = g.rng.choice(("MAX", "AVE"))
    fields = "global_pooling: true" if g.chance(0.2) else windows(g, dilation=False, most_pad=1)
    g.grow("Pooling", [g.pick(4)], f"pooling_param {{ pool: {kind} {fields} {g.rng.choice(('', '', 'round_mode: FLOOR'))} }}")


@op("SPP")
def spp(g: Builder) -> None:
    g.grow("SPP", [g.pick(4)], f"spp_param {{ pyramid_height: {g.rng.randint(1, 2)} pool: {g.rng.choice(('MAX', 'AVE'))} }}")


@op("Interp", bvlc=False)
def interp(g: Builder) -> None:
    fields = g.rng.choice((f"height: {g.rng.randint(1, 9)} width: {g.rng.randint(1, 9)}", "zoom_factor: 2", "shrink_factor: 2"))
    g.grow("Interp", [g.pick(4)], f"interp_param {{ {fields} }}")


@op("Upsample", bvlc=False)
def upsample(g: Builder) -> None:
    g.grow("Upsample", [g.pick(4)], f"upsample_param {{ scale: {g.rng.randint(1, 3)} }}")


@op("Upsample", bvlc=False)
def upsample_by_mask(g: Builder) -> None:
    bottom = g.pick(4, lambda s: s[2] > 1 and s[3] > 1)
    h, w = g.shapes[bottom][2:]
    pooled, mask = g.grow("Pooling", [bottom], "pooling_param { pool: MAX kernel_size: 2 stride: 2 }", tops=2)
    g.floats.discard(mask)
    g.grow("Upsample", [pooled, mask], f"upsample_param {{ upsample_h: {h} upsample_w: {w} }}")


@op("Unpooling", bvlc=False)
def unpooling(g: Builder) -> None:
    bottom = g.pick(4, lambda s: s[2] > 1 and s[3] > 1)
    h, w = g.shapes[bottom][2:]
    pooled, mask = g.grow("Pooling", [bottom], "pooling_param { pool: MAX kernel_size: 2 stride: 2 }", tops=2)
    g.floats.discard(mask)
    fields = f"unpool: MAX kernel_size: 2 stride: 2 unpool_h: {h} unpool_w: {w}"
    g.grow("Unpooling", [pooled, mask], f"unpooling_param {{ {fields} }}")


@op("Resample", bvlc=False)
def resample(g: Builder) -> None:
    kind = g.rng.choice(("LINEAR", "CUBIC", "NEAREST"))
    g.grow("Resample", [g.pick(4)], f"resample_param {{ height: {g.rng.randint(1, 9)} width: {g.rng.randint(1, 9)} type: {kind} }}")


@op("Downsample", bvlc=False)
def downsample(g: Builder) -> None:
    bottom = g.pick(4)
    fields = f"top_height: {g.rng.randint(1, g.shapes[bottom][2])} top_width: {g.rng.randint(1, g.shapes[bottom][3])}"
    g.grow("Downsample", [bottom], f"downsample_param {{ {fields} }}")


@op("Convolution3D", bvlc=False)
def convolution3d(g: Builder) -> None:
    volume = g.feed_floats((g.n, g.rng.randint(1, 3), g.rng.randint(2, 4), 5, 6))
    fields = f"num_output: 3 kernel_size: 2 kernel_depth: {g.rng.randint(1, 2)} pad: {g.rng.randint(0, 1)} {g.filler('weight_filler')}"
    top = g.grow("Convolution3D", [volume], f"convolution3d_param {{ {fields} }}")[0]
    kind = g.rng.choice(("MAX", "AVE"))
    g.grow("Pooling3D", [top], f"pooling3d_param {{ pool: {kind} kernel_size: 2 kernel_depth: 1 stride: 2 }}")


@op("Correlation", bvlc=False)
def correlation(g: Builder) -> None:
    bottom = g.pick(4, lambda s: s[2] > 2 and s[3] > 2)
    kind = g.rng.choice(("MULTIPLY", "SUBTRACT"))
    fields = (
        f"pad: 2 kernel_size: {g.rng.choice((1, 3))} max_displacement: {g.rng.randint(1, 2)} stride_1: {g.rng.randint(1, 2)} stride_2: 1"
    )
    g.grow("Correlation", [bottom, g.alike(bottom)], f"correlation_param {{ {fields} correlation_type: {kind} }}")


@op("FlowWarp", bvlc=False)
def flow_warp(g: Builder) -> None:
    bottom = g.pick(4, lambda s: s[0] == g.n)
    n, _, h, w = g.shapes[bottom]
    g.grow("FlowWarp", [bottom, g.feed_floats((n, 2, h, w))])


@op("ChannelNorm", bvlc=False)
def channel_norm(g: Builder) -> None:
    g.grow("ChannelNorm", [g.pick(4)])


@op("SpatialTransformer", bvlc=False)
def spatial_transformer(g: Builder) -> None:
    bottom = g.pick(4, lambda s: s[0] == g.n)
    theta = g.feed_floats((g.n, 6), scale=0.5)
    fields = f"output_H: {g.rng.randint(2, 6)} output_W: {g.rng.randint(2, 6)} to_compute_dU: true"
    g.grow("SpatialTransformer", [bottom, theta], f"st_param {{ {fields} }}")
