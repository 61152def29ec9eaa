"""``caffepy view``: a net or trainings as one HTML file to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caffepy import log
from caffepy.cli.net_options import NetChoice, net_options
from caffepy.cli.picture import check_scale
from caffepy.errors import UsageError

if TYPE_CHECKING:
    from caffepy.report.view.build import Asked

PLACE = "view.cpp:0"


@click.command("view")
@click.option("-out", "--out", default="view.html", metavar="FILE", help="The HTML file to write.")
@click.option(
    "-weights",
    "--weights",
    default="",
    metavar="FILES",
    help="Parameters of the net (caffemodel), separated by commas.",
)
@click.option(
    "-image",
    "--image",
    default="",
    metavar="FILE",
    help="Run the net on this picture: feature maps, likeliest classes.",
)
@click.option(
    "-record",
    "--record",
    type=int,
    default=None,
    metavar="N",
    help="Run the net on a record of its own data, 0 the first.",
)
@click.option(
    "-layer",
    "--layer",
    multiple=True,
    metavar="NAME",
    help="Show all feature maps of this layer, and larger ones.",
)
@click.option(
    "-mean",
    "--mean",
    default="",
    metavar="MEAN",
    help="Mean for -image: 104,117,123, or a file of compute_image_mean.",
)
@click.option(
    "-scale",
    "--scale",
    type=float,
    default=None,
    metavar="X",
    help="Factor for the pixels of -image, after the mean.",
)
@click.option(
    "-labels", "--labels", default="", metavar="FILE", help="Names of the classes, one a line."
)
@click.option(
    "-serve/-noserve",
    "--serve/--noserve",
    default=False,
    help="Serve the page on this machine, and follow trainings that run.",
)
@click.option(
    "-port",
    "--port",
    type=int,
    default=0,
    metavar="N",
    help="Port for -serve; 0: any that is free.",
)
@net_options
@click.argument("what", nargs=-1, required=True, metavar="NET|LOG...")
def command(
    *,
    what: tuple[str, ...],
    out: str,
    serve: bool,
    port: int,
    choice: NetChoice,
    layer: tuple[str, ...],
    **given: Any,
) -> None:
    """Write a page that shows a net, trainings, or both; it opens in any browser, without a network.

    NET is a prototxt or a solver's file, LOG a log or a file of train -metrics.
    """
    from caffepy.report.view.build import Asked
    from caffepy.report.view.given import is_training

    asked = Asked(layers=layer, **given)
    logs = tuple(path for path in what if is_training(path, running=serve))
    nets = [path for path in what if path not in logs]
    check(asked, nets, logs, serve=serve, phase=choice.phase)
    if serve and is_given("out"):
        raise UsageError(f"-serve writes no file, and -out {out} is given; needed: one of them")
    if port and not serve:
        raise UsageError(f"-port {port} is for -serve; needed: both, or none of them")
    data: dict[str, Any] = {}
    if nets:
        data["net"] = net_data(nets[0], choice, asked)
    data["title"] = data["net"]["name"] if nets else ""
    if logs:
        from caffepy.cli.plot import log_names

        names = log_names(logs)
        data["title"] = data["title"] or ", ".join(names)
        if serve:
            serve_page(data, names, port)
            return
        from caffepy.report.view.training import training_data

        data["training"] = training_data(names)
    write(out, data, (*what, asked.weights, asked.image, asked.labels, asked.mean))


def is_given(name: str) -> bool:
    """Whether a flag was given, even with its default."""
    found = click.get_current_context().get_parameter_source(name)
    return found is not click.core.ParameterSource.DEFAULT


def check(asked: Asked, nets: list[str], logs: tuple[str, ...], *, serve: bool, phase: str) -> None:
    """UsageError for arguments that do not go together."""
    if len(nets) > 1:
        raise UsageError(f"{' and '.join(nets)} are nets; needed: one net, and any number of logs")
    if (asked.weights or asked.runs) and not nets:
        flag = "-weights" if asked.weights else "-image" if asked.image else "-record"
        raise UsageError(f"{flag} is for a net, and there is none; needed: its prototxt")
    if asked.image and asked.record is not None:
        raise UsageError("-image and -record are both given; needed: one of them")
    if asked.runs and phase != "TEST":
        needed = "needed: TEST"
        raise UsageError(f"-phase {phase}: feature maps are those of a net that predicts; {needed}")
    if asked.layers and not asked.runs:
        needed = "needed: also -image FILE or -record N"
        raise UsageError(f"-layer {asked.layers[0]} shows feature maps; {needed}")
    if (asked.mean or asked.scale is not None) and not asked.image:
        flag = f"-mean {asked.mean}" if asked.mean else f"-scale {asked.scale:g}"
        raise UsageError(f"{flag} prepares a picture; needed: also -image FILE")
    if asked.scale is not None:
        check_scale(asked.scale)
    if asked.labels and not asked.runs:
        needed = "needed: also -image FILE or -record N"
        raise UsageError(f"-labels {asked.labels} names the likeliest classes; {needed}")
    if serve and not logs:
        raise UsageError("-serve follows a training; needed: its log, or its file of -metrics")


def net_data(file: str, choice: NetChoice, asked: Asked) -> dict[str, Any]:
    """What the page shows of a net; its notes are warned of, too."""
    from caffepy.report.view.build import net_page

    graph, notes = choice.graph(file, keep_open=asked.record is not None)
    for note in notes:
        log.warning(PLACE, note)
    try:
        return net_page(graph, notes, asked)
    finally:
        for source in graph.sources.values():
            source.close()


def write(out: str, data: dict[str, Any], sources: tuple[str, ...]) -> None:
    """Write the page and print its name."""
    from caffepy.proto.output_files import refuse_overwriting
    from caffepy.report.view.page import write_page

    refuse_overwriting(out, *(file for source in sources for file in source.split(",") if file))
    write_page(out, data)
    print(out)


def serve_page(data: dict[str, Any], logs: dict[str, str], port: int) -> None:
    """Serve until an interrupt."""
    from caffepy.report.view.serve import Followed, server

    with server(data, Followed(logs), port) as running:
        print(f"{running.address} (an interrupt ends it)", flush=True)
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            return
