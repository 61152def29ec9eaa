"""``caffepy summary``: the layers of a net with shapes, parameters and costs."""

from __future__ import annotations

import click

from caffepy import log
from caffepy.cli.net_options import NetChoice, net_options


@click.command("summary")
@net_options
@click.argument("net", metavar="NET")
def command(*, net: str, choice: NetChoice) -> None:
    """Show a net's layers: shapes, parameters, FLOPs and memory. NET is a prototxt, or a solver's, whose net is
    shown; its data need not be there."""
    from caffepy.report.summary import summarize, table

    graph, notes = choice.graph(net)
    print(table(summarize(graph)))
    for note in notes:
        log.warning("summary.cpp:0", note)
