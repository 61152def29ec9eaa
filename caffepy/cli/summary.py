"""``caffepy summary``: the layers of a net with shapes, parameters and costs."""

from __future__ import annotations

import click

from caffepy import log
from caffepy.cli.json_output import json_flag, json_object
from caffepy.cli.net_options import NetChoice, net_options


@click.command("summary")
@net_options
@json_flag
@click.argument("net", metavar="NET")
def command(*, net: str, choice: NetChoice, as_json: bool) -> None:
    """Show a net's layers: shapes, parameters, FLOPs and memory.

    NET is a prototxt, or a solver's, whose net is shown. Its data need not be there.
    """
    from caffepy.report.summary import as_object, summarize, table

    with json_object(wanted=as_json) as result:
        graph, notes = choice.graph(net)
        summary = summarize(graph)
        result.update(as_object(summary))
    if not as_json:
        print(table(summary))
    for note in notes:
        log.warning("summary.cpp:0", note)
