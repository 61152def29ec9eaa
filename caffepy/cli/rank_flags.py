"""The flags about several ranks, as one value for the commands that train."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from caffepy.cli.flags import BOOL, INT32, Flag, table

RANKS = table(
    Flag(
        "exchange",
        default="allreduce",
        value="NAME",
        help="How gradients travel between ranks: allreduce, hierarchical, tree, rma_tree or ps.",
    ),
    Flag("batch_mode", default="per_rank", value="MODE", help="Whose batch batch_size is: per_rank, per_node or global."),
    Flag(
        "lazy_update", BOOL, "false", help="Update a parameter when it is next used, so that gradients travel behind the next forward pass."
    ),
    Flag("table_staleness", INT32, "0", "N", "Updates that a parameter may lack when it is used, with -exchange ps."),
    Flag("svb", default="off", value="WORD", help="Send InnerProduct layers' gradients as factors: on, off, or auto, by measurement."),
    Flag("compress", default="none", value="WORD", help="Numbers in which gradients travel: none (as they are), fp16 or bf16."),
    Flag("grad_scale", default="mean", value="WORD", help="What becomes of the ranks' gradients: mean or sum."),
)
"""What `caffepy.parallel.sharing.Sharing` holds, under the same names."""


def rank_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator below ``@click.command``: adds these flags and passes them on as the keyword ``sharing``, a dict for ``Sharing``."""

    @functools.wraps(function)
    def wrapper(**given: Any) -> Any:
        return function(sharing={name: given.pop(name) for name in RANKS}, **given)

    for flag in reversed(RANKS.values()):
        if flag.kind == BOOL:
            names = (f"-{flag.name}/-no{flag.name}", f"--{flag.name}/--no{flag.name}")
            wrapper = click.option(*names, default=flag.default == "true", help=flag.help)(wrapper)
        else:
            kind, default = (click.INT, int(flag.default)) if flag.kind == INT32 else (click.STRING, flag.default)
            names = (f"-{flag.name}", f"--{flag.name}")
            wrapper = click.option(*names, type=kind, default=default, metavar=flag.value, help=flag.help)(wrapper)
    return wrapper
