"""The flags of PMLS-Caffe (Poseidon): what they mean here, or why they have no effect."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from caffepy.cli.flag_group import flag_group
from caffepy.cli.flags import INT32, Flag, table
from caffepy.errors import UsageError

PMLS = table(
    Flag(
        "hostfile",
        value="FILE",
        help="PMLS-Caffe's machines, lines of 'id ip port';"
        " with -client_id and -num_clients, a job without MPI.",
    ),
    Flag("client_id", INT32, "0", "N", "Which of the machines of -hostfile this is."),
    Flag("num_clients", INT32, "1", "N", "How many of the machines of -hostfile take part."),
    Flag(
        "consistency_model", value="WORD", help="SSP, SSPPush or SSPAggr: stands for -exchange ps."
    ),
    Flag(
        "net_outputs",
        value="PREFIX",
        help="Write loss and outputs to PREFIX.netoutputs, comma-separated, as PMLS-Caffe does.",
    ),
    Flag("num_table_threads", value="N", help="Of PMLS-Caffe; without effect."),
    Flag("num_comm_channels_per_client", value="N", help="Of PMLS-Caffe; without effect."),
    Flag("num_rows_per_table", value="N", help="Of PMLS-Caffe; without effect."),
    Flag("init_thread_access_table", value="WORD", help="Of PMLS-Caffe; without effect."),
    Flag("stats_path", value="FILE", help="Of PMLS-Caffe; without effect."),
    Flag("svb_timeout_ms", value="N", help="Of PMLS-Caffe; without effect."),
)
IGNORED = {
    "num_table_threads": "one thread of a rank moves all tables",
    "num_comm_channels_per_client": "messages of a rank need no channels of their own",
    "num_rows_per_table": "tables are cut by their bytes",
    "init_thread_access_table": "rank 0's parameters are broadcast at the start",
    "stats_path": "-metrics FILE writes bytes and waiting times",
    "svb_timeout_ms": "factors are awaited when their layer is used",
}
MODELS = ("SSP", "SSPPush", "SSPAggr")

pmls_flags = flag_group("pmls", PMLS)
"""The flags as the keyword ``pmls``."""


def translate(pmls: Mapping[str, Any], sharing: dict[str, Any]) -> list[str]:
    """Put what the flags say into ``sharing``, the fields of `Sharing`; returns lines for the log.

    UsageError for an unknown model.
    """
    lines = [
        f"-{name} {pmls[name]} is ignored: {reason}"
        for name, reason in IGNORED.items()
        if pmls[name]
    ]
    model = pmls["consistency_model"]
    if model and model not in MODELS:
        raise UsageError(f"-consistency_model {model}; needed: one of {', '.join(MODELS)}")
    if model and sharing["exchange"] == "allreduce":
        sharing["exchange"] = "ps"
        note = (
            f"-consistency_model {model}: -exchange ps,"
            " parameters may lack -table_staleness updates"
        )
        if sharing["grad_scale"] != "sum":
            note += (
                "; PMLS-Caffe adds up the ranks' gradients: -grad_scale sum, with base_lr as there"
            )
        lines.append(note)
    sharing["svb"] = {"true": "on", "false": "off"}.get(sharing["svb"], sharing["svb"])
    return lines


def client_environ(pmls: Mapping[str, Any], launcher: str) -> dict[str, str]:
    """Variables as torchrun sets them, for a client that PMLS-Caffe's scripts started.

    There are none for one client alone, nor under a launcher.

    Errors: UsageError, ParallelError.
    """
    clients = pmls["num_clients"]
    client = pmls["client_id"]
    if not 0 <= client < clients:
        raise UsageError(
            f"-client_id {client} -num_clients {clients}; needed: an id from 0 to {clients - 1}"
        )
    if clients == 1 or launcher != "single":
        return {}
    if not pmls["hostfile"]:
        raise UsageError(
            f"-num_clients {clients}: where they are is unknown; needed: -hostfile FILE"
        )
    from caffepy.parallel.launch.addresses import interface_of, reached_at
    from caffepy.parallel.launch.machine_file import client_places
    from caffepy.parallel.launch.variables import LISTEN, STARTED_BY

    places = client_places(pmls["hostfile"])
    if len(places) < clients:
        raise UsageError(
            f"-num_clients {clients}: {pmls['hostfile']} has {len(places)} machines;"
            " needed: as many"
        )
    host, port = places[0]
    own = places[client][0]
    other = next((machine for machine, _ in places[:clients] if machine != own), own)
    address = reached_at(own, other)
    interface = os.environ.get("GLOO_SOCKET_IFNAME") or interface_of(address)
    return {
        LISTEN: address if client == 0 else "",  # without one: everywhere
        **({"GLOO_SOCKET_IFNAME": interface} if interface else {}),
        STARTED_BY: f"-hostfile {pmls['hostfile']}",
        "RANK": str(client),
        "WORLD_SIZE": str(clients),
        "MASTER_ADDR": address if client == 0 and address else host,
        "MASTER_PORT": port,
    }
