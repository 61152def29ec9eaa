"""The flags about several ranks."""

from __future__ import annotations

from caffepy.cli.flag_group import flag_group
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


DATA = table(
    Flag(
        "shard", default="record", value="WORD", help="How ranks divide the records: record or batch in turn, contiguous parts, or files."
    ),
    Flag("shuffle", BOOL, "false", help="Shuffle the records of every training net for each epoch."),
)
"""What `caffepy.solver.feeding.Feeding` holds, under the same names."""

rank_flags = flag_group("sharing", RANKS)
"""The flags as the keyword ``sharing``, a dict for ``Sharing``."""

data_flags = flag_group("feeding", DATA)
"""The flags as the keyword ``feeding``, a dict for ``Feeding``."""
