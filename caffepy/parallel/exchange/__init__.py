"""How gradients travel, one file an exchange.  Importing this package registers them all."""

from caffepy.parallel.exchange import allreduce, hierarchical, null, ps, rma_tree, tree
from caffepy.parallel.exchange.base import Exchange, GradientBuffer, Serving, Setting, Update
from caffepy.parallel.exchange.registry import EXCHANGES, make_exchange, register_exchange

__all__ = [
    "EXCHANGES",
    "Exchange",
    "GradientBuffer",
    "Serving",
    "Setting",
    "Update",
    "allreduce",
    "hierarchical",
    "make_exchange",
    "null",
    "ps",
    "register_exchange",
    "rma_tree",
    "tree",
]
