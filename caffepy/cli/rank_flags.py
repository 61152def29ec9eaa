"""The flags about several ranks."""

from __future__ import annotations

from caffepy.cli.flag_group import flag_group
from caffepy.cli.flags import BOOL, DOUBLE, INT32, Flag, table
from caffepy.parallel.exchange.core.registry import AUTO, offered

RANKS = table(
    Flag(
        "exchange",
        default="allreduce",
        value="NAME",
        help=f"How gradients travel between ranks: {', '.join(offered())},"
        f" or {AUTO}, by the ranks' places.",
    ),
    Flag(
        "batch_mode",
        default="per_rank",
        value="MODE",
        help="Whose batch batch_size is: per_rank, per_node or global.",
    ),
    Flag(
        "lazy_update",
        BOOL,
        "false",
        help="Update a parameter when it is next used:"
        " gradients travel during the next forward pass.",
    ),
    Flag(
        "table_staleness",
        INT32,
        value="N",
        help="Updates that a parameter may lack when it is used,"
        " with -exchange ps (by default 0) or -n_group (by default 1).",
    ),
    Flag(
        "n_group",
        INT32,
        "1",
        "N",
        "Groups of ranks that are in step inside and exchange by a parameter server.",
    ),
    Flag(
        "n_server",
        INT32,
        "0",
        "N",
        "Ranks that serve parameters, with -exchange ps or -n_group; 0: all.",
    ),
    Flag(
        "round_timeout",
        DOUBLE,
        "0",
        "S",
        "Seconds that a server of parameters waits for late gradients, which then go into the next"
        " update; 0: it waits until they are there.",
    ),
    Flag(
        "bandwidth_mbps",
        DOUBLE,
        "0",
        "RATE",
        "Megabits a second that a rank sends to servers and as one; 0: no limit.",
    ),
    Flag(
        "svb",
        value="WORD",
        help="Send InnerProduct layers' gradients as factors: on, off, or auto, by measurement."
        " The default is auto with -exchange auto, else off.",
    ),
    Flag(
        "compress",
        default="none",
        value="WORD",
        help="Numbers in which gradients travel: none (as they are), fp16 or bf16.",
    ),
    Flag(
        "grad_scale",
        default="mean",
        value="WORD",
        help="What becomes of the ranks' gradients: mean or sum.",
    ),
)
"""What `caffepy.parallel.job.sharing.Sharing` holds, under the same names."""

rank_flags = flag_group("sharing", RANKS)
"""The flags as the keyword ``sharing``, a dict for ``Sharing``."""
