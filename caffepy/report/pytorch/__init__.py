"""A net as a Python file that needs torch alone: one module class, its weights beside it."""
