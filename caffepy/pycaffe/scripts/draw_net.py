"""draw_net.py: a picture of a net's prototxt."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import caffepy.pycaffe as caffe
from caffepy.proto.output_files import refuse_overwriting
from caffepy.proto.text import read_net
from caffepy.pycaffe import draw
from caffepy.pycaffe.scripts.common import guarded, parse

PHASES = {"TRAIN": caffe.TRAIN, "TEST": caffe.TEST, "ALL": None}


def main(argv: Sequence[str] | None = None) -> int:
    """Draw the net of the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="draw_net.py", description=__doc__)
    parser.add_argument("input_net_proto_file", help="the net")
    parser.add_argument(
        "output_image_file", help="the picture; its ending says the format: png, svg, pdf, dot"
    )
    parser.add_argument(
        "--rankdir",
        default="LR",
        help="LR: from left to right, TB: from top to bottom, RL and BT: back",
    )
    parser.add_argument("--phase", default="ALL", choices=PHASES, help="layers of this phase")
    parser.add_argument("--display_lrm", action="store_true", help="show learning rate multipliers")
    options = parse(parser, argv)
    return guarded(lambda: draw_net(options), "draw_net.py")


def draw_net(options: argparse.Namespace) -> None:
    """Read the net of the command line and draw it."""
    refuse_overwriting(options.output_image_file, options.input_net_proto_file)
    net, _ = read_net(options.input_net_proto_file)
    print(f"Drawing net to {options.output_image_file}")
    draw.draw_net_to_file(
        net, options.output_image_file, options.rankdir, PHASES[options.phase], options.display_lrm
    )
