"""The flag that names the kind of a database."""

from __future__ import annotations

import click

backend_flag = click.option(
    "-backend",
    "--backend",
    default="lmdb",
    metavar="NAME",
    help="Kind of database: lmdb or leveldb.",
)
"""Decorator below ``@click.command``: adds -backend, passed on as the keyword ``backend``."""
