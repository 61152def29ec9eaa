"""How gradients travel, one file an exchange.  Importing this package registers them all: every module in it is imported."""

from importlib import import_module
from pkgutil import iter_modules

from caffepy.parallel.exchange.base import Exchange, GradientBuffer, Serving, Setting, Update
from caffepy.parallel.exchange.registry import EXCHANGES, make_exchange, register_exchange

__all__ = ["EXCHANGES", "Exchange", "GradientBuffer", "Serving", "Setting", "Update", "make_exchange", "register_exchange"]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
