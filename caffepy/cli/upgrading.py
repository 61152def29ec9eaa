"""What the three upgrade tools share: their log lines and exit codes."""

from __future__ import annotations

import os
from collections.abc import Callable

from caffepy import log
from caffepy.errors import CaffeError
from caffepy.proto import caffe_pb2
from caffepy.proto.upgrade import net_needs_upgrade, upgrade_net_fully

INCOMPLETE = 1
UNREADABLE = 2


def unreadable(place: str, file: str, kind: str, error: CaffeError) -> int:
    """The exit code for a file that cannot be parsed; a missing one's error is raised again."""
    if not os.path.exists(file):
        raise error
    log.error(place, f"Failed to parse input {kind}: {error}")
    return UNREADABLE


def upgraded_net(
    net: caffe_pb2.NetParameter, file: str, place: str, where: Callable[..., str] | None = None
) -> tuple[caffe_pb2.NetParameter, bool]:
    """The net in the present format, and whether all of it could be kept.

    A line at ``place`` tells where there was nothing to do.

    ``where``: as for `upgrade_net_fully`.
    """
    if not net_needs_upgrade(net):
        log.error(place, f"File already in latest proto format: {file}")
    upgrade = upgrade_net_fully(net, file, where)
    if not upgrade.complete:
        log.error(place, "Encountered error(s) while upgrading prototxt; see details above.")
    return upgrade.net, upgrade.complete


def done(place: str, kind: str, file: str, *, complete: bool = True) -> int:
    """Say where the result is; the exit code."""
    log.info(place, f"Wrote upgraded {kind} proto to {file}")
    return 0 if complete else INCOMPLETE
