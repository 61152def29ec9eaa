"""Kinds of input, what reads them, and how they are damaged."""
