"""``summarize``: the text of a net as a table."""

from __future__ import annotations

import click

from caffepy import log


@click.command("summarize")
@click.argument("filename")
def command(*, filename: str) -> None:
    """Show a net's prototxt as a table, a line for each layer.

    `caffepy summary` tells shapes and costs as well.
    """
    from caffepy.proto.text import read_net
    from caffepy.report.structure import structure

    log.sink.min_level = max(log.sink.min_level, log.WARNING)
    print("\n".join(structure(read_net(filename)[0])))
