"""How gradients travel: a file for each exchange, and nothing else.

An exchange is imported when its name is first asked for. What every exchange is stands in ``core``,
the parts of the parameter server in ``server``.
"""
