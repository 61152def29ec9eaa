"""The parts of the parameter server.

Who owns what (roles), what an owner keeps (tables), how it travels (delivery) and how fast
(limit).
"""
