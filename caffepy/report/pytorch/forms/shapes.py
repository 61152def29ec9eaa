"""Forms of layers that move values, or sum and choose them."""

from __future__ import annotations

from caffepy.report.pytorch.helpers import choice
from caffepy.report.pytorch.helpers import planes as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import number


@form("Flatten")
def flatten(at: Site) -> Form:
    p, axes = at.param.flatten_param, at.axes
    start, end = p.axis % axes, p.end_axis % axes
    if end < start:
        return Form(f"torch.unsqueeze({{0}}, {start})")
    return Form(f"torch.flatten({{0}}, {start}{'' if end == axes - 1 else f', {end}'})", nests=True)


@form("Reshape")
def reshape(at: Site) -> Form:
    """Dims that are copied stay those of the bottom, whatever its size."""
    p, bottom, top = at.param.reshape_param, at.bottoms[0], at.tops[0]
    start = p.axis if p.axis >= 0 else at.axes + p.axis + 1
    end = at.axes if p.num_axes == -1 else start + p.num_axes
    dims = [f"{{0}}.shape[{i}]" for i in range(start)]
    for i, n in enumerate(p.shape.dim):
        dims.append(f"{{0}}.shape[{start + i}]" if n == 0 else str(n))
    dims += [f"{{0}}.shape[{i}]" for i in range(end, at.axes)]
    if "-1" in dims and 0 in (*bottom, *top):
        dims[dims.index("-1")] = str(top[dims.index("-1")])
    return Form(f"torch.reshape({{0}}, ({', '.join(dims)}{',' if len(dims) == 1 else ''}))")


@form("Concat")
def concat(at: Site) -> Form:
    if len(at.bottoms) == 1:
        return Form(same=(0,))
    return Form(
        f"torch.cat([{', '.join(f'{{{i}}}' for i in range(len(at.bottoms)))}], {at.layer.axis})"
    )


@form("Slice")
def slice_(at: Site) -> Form:
    lengths = [length for _, length in at.layer.parts]
    if len(lengths) == 1:
        return Form(same=(0,))
    if len(set(lengths)) == 1:
        return Form(f"torch.chunk({{0}}, {len(lengths)}, {at.layer.axis})")
    return Form(f"torch.split({{0}}, {lengths}, {at.layer.axis})")


@form("Tile")
def tile(at: Site) -> Form:
    times = [1] * at.axes
    times[at.layer.axis] = at.param.tile_param.tiles
    return Form(f"torch.tile({{0}}, {tuple(times)})")


@form("BatchReindex")
def batch_reindex(at: Site) -> Form:
    return Form("torch.index_select({0}, 0, {1}.flatten().long())")


@form("Filter")
def filter_(at: Site) -> list[Form]:
    selector = len(at.bottoms) - 1
    return [Form(f"{{{i}}}[{{{selector}}}.flatten() != 0]") for i in range(selector)]


@form("Permute", "Transpose")
def permute(at: Site) -> Form:
    return Form(f"torch.permute({{0}}, {tuple(at.layer.order)})", nests=True)


@form("Reverse")
def reverse(at: Site) -> Form:
    return Form(f"torch.flip({{0}}, {tuple(at.layer.axes)})", nests=True)


@form("ShuffleChannel")
def shuffle_channel(at: Site) -> Form:
    group = at.layer.group
    if at.axes == 4:
        return Form(f"F.channel_shuffle({{0}}, {group})")
    return Form(f"torch.flatten(torch.unflatten({{0}}, 1, ({group}, -1)).transpose(1, 2), 1, 2)")


@form("Reorg")
def reorg(at: Site) -> Form:
    reverse = ", reverse=True" if at.layer.backwards else ""
    return Form(f"reorg({{0}}, {at.layer.stride}{reverse})", helpers=(helpers.reorg,))


@form("Reduction")
def reduction(at: Site) -> Form:
    p, axes = at.param.reduction_param, tuple(range(at.layer.axis, at.axes))
    x = {p.ASUM: "torch.abs({0})", p.SUMSQ: "torch.square({0})"}.get(p.operation, "{0}")
    call = f"torch.{'mean' if p.operation == p.MEAN else 'sum'}({x}, {axes})"
    return Form(call if p.coeff == 1 else f"{number(p.coeff)} * {call}")


@form("ArgMax")
def argmax(at: Site) -> Form:
    layer, ones = at.layer, len(at.tops[0]) - 3
    called = (choice.largest,)
    if layer.axis is not None:
        return Form(
            f"largest({{0}}, {layer.top_k}, {layer.axis})[{int(layer.values)}]", helpers=called
        )
    more = f"[...{', None' * ones}]" if ones else ""
    found = f"largest(torch.flatten({{0}}, 1), {layer.top_k}, 1)"
    return Form(f"torch.stack({found}{'' if layer.values else '[:1]'}, 1){more}", helpers=called)
