"""The flags about how records come to several ranks."""

from __future__ import annotations

from caffepy.cli.flag_group import flag_group
from caffepy.cli.flags import BOOL, INT32, Flag, table

DATA = table(
    Flag(
        "shard",
        default="record",
        value="WORD",
        help="How ranks divide the records: record or batch in turn, contiguous parts, or files.",
    ),
    Flag(
        "shuffle", BOOL, "false", help="Shuffle the records of every training net for each epoch."
    ),
    Flag(
        "readers",
        INT32,
        "0",
        "N",
        "Processes of each host that read, decode and transform for its ranks;"
        " 0: each rank for itself.",
    ),
    Flag(
        "in_memory",
        BOOL,
        "false",
        help="Load databases at the start into the memory of all hosts together, a part into each.",
    ),
)
"""What `caffepy.solver.setup.feeding.Feeding` holds, under the same names."""

data_flags = flag_group("feeding", DATA)
"""The flags as the keyword ``feeding``, a dict for ``Feeding``."""
